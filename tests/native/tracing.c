/* SPDX-License-Identifier: MIT
 *
 * tracing.c: tracepoints; the format texts say what the structures are.
 */
#include "native.h"

#define COMMON                                                                                               \
    u16 common_type;                                                                                         \
    u8 common_flags;                                                                                         \
    u8 common_preempt;                                                                                       \
    s32 common_pid

struct tp_scalars {
    COMMON;
    u64 a;
    int64_t b;
    unsigned long c;
    void *d;
    u64 m;
    u32 e;
    s32 f;
    u32 n;
    u16 g;
    int16_t h;
    u8 i;
    int8_t j;
    bool k;
    char l;
} __attribute__((packed));
struct tp_arrays {
    COMMON;
    u16 a[3];
    u8 mac[6];
    u32 b[2];
    u64 c[2];
    unsigned long d[2];
    char comm[16];
    u32 e[3];
    u16 f[2];
    int16_t g[2];
    u8 h[4];
} __attribute__((packed));
struct tp_dynamic {
    COMMON;
    u32 name;    /* __data_loc char[] */
    u32 words;   /* __data_loc u16[] */
    u32 longs;   /* __data_loc unsigned long[] */
    u32 none;    /* __data_loc u32[], empty */
    u32 bytes;   /* __data_loc u8[] */
    u32 rel;     /* __rel_loc u32[] */
    u32 relname; /* __rel_loc char[] */
    u32 last;
    char name_[6];
    u16 words_[3];
    u64 longs_[2];
    u8 bytes_[5];
    u32 rel_[2];
    char relname_[4];
    u8 tail[7]; /* undescribed */
} __attribute__((packed));
struct tp_function {
    COMMON;
    unsigned long ip;
    unsigned long parent;
    unsigned long args[3];
    u32 tail; /* no whole element */
} __attribute__((packed));

#define TP_FUNCTION 1
#define TP_SCALARS  0x0102
#define TP_ARRAYS   0x0203
#define TP_DYNAMIC  0x0304

struct tp_field {
    const char *declaration;
    size_t offset, size, is_signed;
};
#define F(s, member, text, sign)                                                                             \
    {                                                                                                        \
        text, offsetof(struct s, member), sizeof(((struct s *)0)->member), sign                              \
    }

static const struct tp_field common_fields[] = {
    F(tp_scalars, common_type, "unsigned short common_type", 0),
    F(tp_scalars, common_flags, "unsigned char common_flags", 0),
    F(tp_scalars, common_preempt, "unsigned char common_preempt_count", 0),
    F(tp_scalars, common_pid, "int common_pid", 1),
};
static const struct tp_field scalar_fields[] = {
    F(tp_scalars, a, "u64 a", 0),
    F(tp_scalars, b, "long long b", 1),
    F(tp_scalars, c, "unsigned long c", 0),
    F(tp_scalars, d, "const char *const * d", 0),
    F(tp_scalars, m, "size_t m", 0),
    F(tp_scalars, e, "gfp_t e", 0),
    F(tp_scalars, f, "pid_t f", 1),
    F(tp_scalars, n, "enum thing n", 0),
    F(tp_scalars, g, "umode_t g", 0),
    F(tp_scalars, h, "short h", 1),
    F(tp_scalars, i, "u8 i", 0),
    F(tp_scalars, j, "s8 j", 1),
    F(tp_scalars, k, "bool k", 0),
    F(tp_scalars, l, "char l", 1),
};
static const struct tp_field array_fields[] = {
    F(tp_arrays, a, "u16 a[3]", 0),           F(tp_arrays, mac, "unsigned char mac[6]", 0),
    F(tp_arrays, b, "__u32 b[2]", 0),         F(tp_arrays, c, "u64 c[2]", 0),
    F(tp_arrays, d, "unsigned long d[2]", 0), F(tp_arrays, comm, "char comm[16]", 1),
    F(tp_arrays, e, "int e[NR_THINGS]", 1),   F(tp_arrays, f, "unsigned short f[THING_LEN + 1]", 0),
    F(tp_arrays, g, "s16 g[2]", 1),           F(tp_arrays, h, "u8 h[4]", 0),
};
static const struct tp_field dynamic_fields[] = {
    F(tp_dynamic, name, "__data_loc char[] name", 1),
    F(tp_dynamic, words, "__data_loc u16[] words", 0),
    F(tp_dynamic, longs, "__data_loc unsigned long[] longs", 0),
    F(tp_dynamic, none, "__data_loc u32[] none", 0),
    F(tp_dynamic, bytes, "__data_loc u8[] bytes", 0),
    F(tp_dynamic, rel, "__rel_loc u32[] rel", 0),
    F(tp_dynamic, relname, "__rel_loc char[] relname", 1),
    F(tp_dynamic, last, "unsigned int last", 0),
};
static const struct tp_field function_fields[] = {
    F(tp_function, ip, "unsigned long ip", 0),
    F(tp_function, parent, "unsigned long parent_ip", 0),
    { "unsigned long args[]", offsetof(struct tp_function, args), 0, 0 },
};

static size_t put_fields(char *text, size_t room, const struct tp_field *field, size_t n)
{
    size_t len = 0;
    for (; n--; field++)
        len += (size_t)snprintf(text + len, room - len, "\tfield:%s;\toffset:%zu;\tsize:%zu;\tsigned:%zu;\n",
                                field->declaration, field->offset, field->size, field->is_signed);
    return len;
}

static void put_format(const char *name, unsigned id, const struct tp_field *field, size_t n,
                       const char *print)
{
    char text[4096];
    size_t len = (size_t)snprintf(text, sizeof(text), "name: %s\nID: %u\nformat:\n", name, id);
    len += put_fields(text + len, sizeof(text) - len, common_fields, COUNT(common_fields));
    text[len++] = '\n';
    len += put_fields(text + len, sizeof(text) - len, field, n);
    len += (size_t)snprintf(text + len, sizeof(text) - len, "\nprint fmt: %s\n", print);
    put64(len);
    put(text, len);
}

static void put_sized(const char *text)
{
    put64(strlen(text));
    put(text, strlen(text));
}

static void put_tracing_data(unsigned version)
{
    static const u8 magic[] = { 0x17, 0x08, 0x44 };
    static const char printk[] = "0xffffffff82000000 : \"demo\"\n", kallsyms[] = "ffffffff81000000 T _text\n";
    begin_feature(F_TRACING_DATA);
    PUT_ALL(magic);
    put(version < 6 ? "tracing0.5" : "tracing0.6", 11);
    put8(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    put8(sizeof(long));
    put32(0x10000); /* the page size */
    put("header_page", 12);
    put_sized("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
              "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
              "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
              "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
    put("header_event", 13);
    put_sized("# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray      "
              " :   32 bits\n");
    put32(1); /* formats of ftrace */
    put_format("function", TP_FUNCTION, function_fields, COUNT(function_fields),
               "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip");
    put32(2); /* systems */
    put_string("native", 1);
    put32(2);
    put_format("scalars", TP_SCALARS, scalar_fields, COUNT(scalar_fields), "\"a=%llu f=%d\", REC->a, REC->f");
    put_format("arrays", TP_ARRAYS, array_fields, COUNT(array_fields), "\"comm=%s\", REC->comm");
    put_string("dynamic", 1);
    put32(1);
    put_format("dynamic", TP_DYNAMIC, dynamic_fields, COUNT(dynamic_fields),
               "\"name=%s last=%u\", __get_str(name), REC->last");
    put32(sizeof(kallsyms) - 1);
    put(kallsyms, sizeof(kallsyms) - 1);
    put32(sizeof(printk) - 1);
    put(printk, sizeof(printk) - 1);
    if (version >= 6)
        put_sized("74565 one\n"); /* saved_cmdlines */
    out = &data;
}

#define LOC(s, member)       (u32)(sizeof(((struct s *)0)->member) << 16 | offsetof(struct s, member))
#define REL(s, word, member) (u32)(LOC(s, member) - offsetof(struct s, word) - 4)
#define SAMPLE_OF(number, payload)                                                                           \
    raw = &(payload);                                                                                        \
    raw_size = sizeof(payload);                                                                              \
    sample((number), TIME(number), FULL)

void make_tracepoints(unsigned version)
{
    static const u64 events[] = { TP_SCALARS, TP_ARRAYS, TP_DYNAMIC, TP_FUNCTION };
    for (size_t i = 0; i < COUNT(events); i++) {
        struct attr *attr =
            add_attr(sampling(S_IDENTIFIER | S_IP | S_TID | S_TIME | S_CPU | S_PERIOD | S_RAW), false);
        attr->type = 2;
        attr->config = events[i];
    }
    common_features();
    put_tracing_data(version);
    struct tp_scalars scalars = {
        .common_type = TP_SCALARS,
        .common_flags = 0x11,
        .common_preempt = 0x12,
        .common_pid = (s32)D32(0x13),
        .a = D64(0x21),
        .b = -(int64_t)D64(0x22),
        .c = D64(0x23),
        .d = (void *)(uintptr_t)D64(0x24),
        .e = D32(0x25),
        .f = -(s32)D32(0x26),
        .g = D16(0x27),
        .h = -0x0102,
        .i = 0x28,
        .j = -3,
        .k = true,
        .l = 'l',
        .m = D64(0x29),
        .n = D32(0x2a),
    };
    struct tp_arrays arrays = {
        .common_type = TP_ARRAYS,
        .common_flags = 0x11,
        .common_preempt = 0x12,
        .common_pid = (s32)D32(0x13),
        .a = { D16(0x31), D16(0x32), D16(0x33) },
        .mac = { 1, 2, 3, 4, 5, 6 },
        .b = { D32(0x34), D32(0x35) },
        .c = { D64(0x36), D64(0x37) },
        .d = { D64(0x38), D64(0x39) },
        .comm = "fourteen-chars",
        .e = { D32(0x3a), D32(0x3b), D32(0x3c) },
        .f = { D16(0x3d), D16(0x3e) },
        .g = { -0x0102, 0x0304 },
        .h = { 7, 8, 9, 10 },
    };
    struct tp_dynamic dynamic = {
        .common_type = TP_DYNAMIC,
        .common_flags = 0x11,
        .common_preempt = 0x12,
        .common_pid = (s32)D32(0x13),
        .name = LOC(tp_dynamic, name_),
        .words = LOC(tp_dynamic, words_),
        .longs = LOC(tp_dynamic, longs_),
        .none = (u32)offsetof(struct tp_dynamic, bytes_),
        .bytes = LOC(tp_dynamic, bytes_),
        .rel = REL(tp_dynamic, rel, rel_),
        .relname = REL(tp_dynamic, relname, relname_),
        .last = D32(0x41),
        .name_ = "named",
        .words_ = { D16(0x42), D16(0x43), D16(0x44) },
        .longs_ = { D64(0x45), D64(0x46) },
        .bytes_ = { 1, 2, 3, 4, 5 },
        .rel_ = { D32(0x47), D32(0x48) },
        .relname_ = "rel",
        .tail = { 0 },
    };
    struct tp_function function = {
        .common_type = TP_FUNCTION,
        .common_flags = 0x11,
        .common_preempt = 0x12,
        .common_pid = (s32)D32(0x13),
        .ip = D64(0x51),
        .parent = D64(0x52),
        .args = { D64(0x53), D64(0x54), D64(0x55) },
        .tail = 0,
    };
    SAMPLE_OF(0, scalars);
    SAMPLE_OF(1, arrays);
    SAMPLE_OF(2, dynamic);
    SAMPLE_OF(3, function);
}

void make_tracepoints_pipe(unsigned version)
{
    is_pipe = true;
    make_tracepoints(version);
}

_Static_assert(sizeof(struct tp_scalars) % 8 == 4, "a payload and its size are whole words");
_Static_assert(sizeof(struct tp_arrays) % 8 == 4, "a payload and its size are whole words");
_Static_assert(sizeof(struct tp_dynamic) % 8 == 4, "a payload and its size are whole words");
_Static_assert(sizeof(struct tp_function) % 8 == 4, "a payload and its size are whole words");
