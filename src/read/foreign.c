/* SPDX-License-Identifier: MIT
 *
 * Inputs that are no captures, named by their first bytes.
 */
#include "bytes/gzip.h"
#include "read/parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Bytes that are looked at: the first block of a tar archive, and more for captures that begin late, as
 * behind a block of a file system. */
#define HEAD 8192
/* Bytes that are shown when nothing is known of them. */
#define MAGIC_LEN 8

/* What gets or checks a capture instead of the input: CAPTURE is the one that it was made from. */
#define ITS_CAPTURE "perfcheck CAPTURE"
#define DOWNLOAD    "curl -L -o perf.data URL"

/* Formats of inputs that are no captures, by bytes at a place, and the command that helps. */
static const struct format {
    enum pc_diag id;
    uint16_t at;
    uint8_t len;
    const char *magic;
    const char *name, *command;
} formats[] = {
#define MAGIC(at, text) at, sizeof(text) - 1, text
    { PC_D_WRAPPED, MAGIC(0, "\x1f\x8b"), "gzip", "gzip -dc IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "\x28\xb5\x2f\xfd"), "zstd", "zstd -dc IN >OUT" },
    { PC_D_WRAPPED,
      MAGIC(0, "\xfd"
               "7zXZ"),
      "xz", "xz -dc IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "\x5d\0\0\x80\0"), "lzma", "xz -dc IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "BZh"), "bzip2", "bzip2 -dc IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "\x04\x22\x4d\x18"), "lz4", "lz4 -dc IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "\x02\x21\x4c\x18"), "lz4", "lz4 -dc IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "\xff\x06\0\0sNaPpY"), "snappy", "snzip -dc IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "7z\xbc\xaf\x27\x1c"), "7z", "7z e -so IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "Rar!\x1a\x07"), "rar", "unrar p -inul IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "PK\x03\x04"), "zip", "unzip -p IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "PK\x05\x06"), "zip", "unzip -p IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "P\0E\0R\0F\0I\0L\0E\0002\0"), "UTF-16", "iconv -f UTF-16LE -t LATIN1 IN >OUT" },
    { PC_D_WRAPPED, MAGIC(0, "2\0E\0L\0I\0F\0R\0E\0P\0"), "UTF-16", "iconv -f UTF-16LE -t LATIN1 IN >OUT" },
    { PC_D_FOREIGN, MAGIC(257, "ustar"), "a tar archive", "tar -tvf IN" },
    { PC_D_FOREIGN, MAGIC(0, "070701"), "a cpio archive", "cpio -itv <IN" },
    { PC_D_FOREIGN, MAGIC(0, "!<arch>\n"), "an ar archive", "ar tv IN" },
    { PC_D_FOREIGN, MAGIC(0, "version https://git-lfs"), "a pointer of Git LFS", "git lfs pull" },
    { PC_D_FOREIGN, MAGIC(0, "version https://hawser."), "a pointer of Git LFS", "git lfs pull" },
    { PC_D_FOREIGN, MAGIC(0, "\x17\x08\x44tracing"), "a trace.dat of trace-cmd", "trace-cmd report IN" },
    { PC_D_FOREIGN, MAGIC(0, "\xc1\x1f\xfc\xc1"), "a stream of a CTF trace (LTTng)",
      "babeltrace2 DIRECTORY" },
    { PC_D_FOREIGN, MAGIC(0, "\xc1\xfc\x1f\xc1"), "a stream of a CTF trace (LTTng)",
      "babeltrace2 DIRECTORY" },
    { PC_D_FOREIGN, MAGIC(0, "\x57\x1d\xd1\x75"), "the metadata of a CTF trace (LTTng)",
      "babeltrace2 DIRECTORY" },
    { PC_D_FOREIGN, MAGIC(0, "\x75\xd1\x1d\x57"), "the metadata of a CTF trace (LTTng)",
      "babeltrace2 DIRECTORY" },
    { PC_D_FOREIGN, MAGIC(0, "\x1e{"), "a row of JSON texts, such as the metadata of a CTF trace",
      "babeltrace2 DIRECTORY" },
    { PC_D_FOREIGN, MAGIC(0, "\xc1\xf1\xdc\xc1"), "an index of a CTF trace (LTTng)",
      "babeltrace2 DIRECTORY" },
    { PC_D_FOREIGN, MAGIC(0, "/* CTF 1."), "the metadata of a CTF trace (LTTng)", "babeltrace2 DIRECTORY" },
    { PC_D_FOREIGN, MAGIC(0, "DTiJ"), "a jitdump file", "perf inject --jit -i CAPTURE -o OUT" },
    { PC_D_FOREIGN, MAGIC(0, "JiTD"), "a jitdump file", "perf inject --jit -i CAPTURE -o OUT" },
    { PC_D_FOREIGN, MAGIC(0, "SIMPLEPERF"), "a report of simpleperf",
      "simpleperf report-sample --dump-protobuf-report IN" },
    { PC_D_FOREIGN, MAGIC(0, "\x0a\x04\x08\x01\x10\x02"), "a profile of pprof", "pprof -top IN" },
    /* CPU profiles of gperftools: words of 64 bits 0, 3, 0. */
    { PC_D_FOREIGN, MAGIC(0, "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), "a profile of gperftools",
      "pprof -top IN" },
    { PC_D_FOREIGN, MAGIC(7, " trace\0\0\0"), "an execution trace of Go", "go tool trace IN" },
    { PC_D_FOREIGN, MAGIC(0, "\x89PNG\r\n"), "an image (PNG)", "file IN" },
    { PC_D_FOREIGN, MAGIC(0, "\xff\xd8\xff"), "an image (JPEG)", "file IN" },
    { PC_D_FOREIGN, MAGIC(0, "FLR\0"), "a recording of Java Flight Recorder", "jfr summary IN" },
    { PC_D_FOREIGN, MAGIC(0, "gmon\1"), "a profile of gprof", "gprof PROGRAM IN" },
    { PC_D_FOREIGN, MAGIC(0, "SQLite format 3"), "an SQLite database", "sqlite3 IN .tables" },
    { PC_D_FOREIGN, MAGIC(0, "\xd4\xc3\xb2\xa1"), "network packets (pcap)", "tcpdump -r IN" },
    { PC_D_FOREIGN, MAGIC(0, "\xa1\xb2\xc3\xd4"), "network packets (pcap)", "tcpdump -r IN" },
    { PC_D_FOREIGN, MAGIC(0, "\x0a\x0d\x0d\x0a"), "network packets (pcapng)", "tcpdump -r IN" },
    { PC_D_FOREIGN, MAGIC(0, "%PDF-"), "a PDF document", "pdftotext IN -" },
    { PC_D_FOREIGN, MAGIC(0, "MDMP"), "a minidump of Windows", "minidump-stackwalk IN" },
    { PC_D_FOREIGN, MAGIC(0, "KDUMP   "), "a dump of a kernel (vmcore)", "crash VMLINUX IN" },
    { PC_D_FOREIGN, MAGIC(0, "DISKDUMP"), "a dump of a kernel (vmcore)", "crash VMLINUX IN" },
    { PC_D_FOREIGN, MAGIC(0, "makedumpfile"), "a dump of a kernel (vmcore)", "makedumpfile -R OUT <IN" },
    { PC_D_FOREIGN, MAGIC(0, "\xcf\xfa\xed\xfe"), "a program of macOS (Mach-O)", "otool -h IN" },
    { PC_D_FOREIGN, MAGIC(0, "\xff\xfeP\0E\0R\0F\0"), "UTF-16 text that a shell made of one",
      "perf record -o perf.data COMMAND" },
    { PC_D_WRAPPED, MAGIC(0, "EPFRLI2E"), "swapped pairs of bytes", "dd conv=swab if=IN of=OUT" },
    { PC_D_WRAPPED, MAGIC(0, "E2ILRFPE"), "swapped pairs of bytes", "dd conv=swab if=IN of=OUT" },
    { PC_D_WRAPPED, MAGIC(0, "FREP2ELI"), "reversed words of 4 bytes",
      "objcopy -I binary -O binary --reverse-bytes=4 IN OUT" },
    { PC_D_WRAPPED, MAGIC(0, "ILE2PERF"), "reversed words of 4 bytes",
      "objcopy -I binary -O binary --reverse-bytes=4 IN OUT" },
#undef MAGIC
};

/* --- lines of text --- */

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(unsigned char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* How many bytes from one on are of a kind. */
static size_t count(struct pc_span s, size_t at, bool is(unsigned char))
{
    size_t n = 0;
    while (at + n < s.len && is(s.ptr[at + n]))
        n++;
    return n;
}

static struct pc_span first_line(struct pc_span s)
{
    const unsigned char *end = memchr(s.ptr, '\n', s.len);
    return (struct pc_span){ s.ptr, end ? (size_t)(end - s.ptr) : s.len };
}

/* An array of JSON: after its bracket comes another value; a number only before a comma or its end. */
static bool is_array(struct pc_span s)
{
    size_t at = 1 + count(s, 1, is_blank), digits = count(s, at, is_digit);
    at += digits;
    if (digits != 0)
        at += count(s, at, is_blank);
    return at < s.len && strchr(digits != 0 ? ",]" : "{[\"]", s.ptr[at]) && s.ptr[at] != 0;
}

/* A line of perf script has a time: 1169.086175: */
static bool has_time(struct pc_span s)
{
    struct pc_span line = first_line(s);
    for (size_t i = 1; i + 1 < line.len; i++) {
        size_t digits = line.ptr[i] == '.' && is_digit(line.ptr[i - 1]) ? count(line, i + 1, is_digit) : 0;
        if ((digits == 6 || digits == 9) && i + 1 + digits < line.len && line.ptr[i + 1 + digits] == ':')
            return true;
    }
    return false;
}

/* main;read_token 3 */
static bool is_stack(struct pc_span s)
{
    struct pc_span line = first_line(s);
    size_t at = line.len;
    while (at > 0 && is_digit(line.ptr[at - 1]))
        at--;
    return at > 1 && at < line.len && line.ptr[at - 1] == ' ' && memchr(line.ptr, ';', at);
}

/* 7f0000001000 20 name */
static bool is_map(struct pc_span s)
{
    size_t address = count(s, 0, is_hex), size = address < s.len ? count(s, address + 1, is_hex) : 0;
    size_t end = address + 1 + size;
    return address >= 6 && size != 0 && end < s.len && s.ptr[address] == ' ' && s.ptr[end] == ' ';
}

/* ffffffff81000000 T name */
static bool is_kallsyms(struct pc_span s)
{
    return count(s, 0, is_hex) == 16 && s.len > 19 && s.ptr[16] == ' ' && s.ptr[18] == ' ';
}

static bool is_utf_8(struct pc_span s)
{
    struct pc_signs signs = { 0 };
    pc_signs_add(&signs, s, s.len);
    return !signs.not_utf_8;
}

/* Programs that undo an encoding; a plus sign for a blank is that of forms. */
#define UNQUOTE   "perl -MMIME::QuotedPrint -0777 -ne 'print decode_qp($_)' IN >OUT"
#define UNPERCENT "perl -pe 'tr/+/ /; s/%(..)/chr hex $1/ge' IN >OUT"
#define UNFORM    "perl -0777 -pe 's/^[^=]*=//; tr/+/ /; s/%(..)/chr hex $1/ge' IN >OUT"
#define UNMAIL    "sed '1,/^.\\{0,1\\}$/d' IN | perl -MMIME::QuotedPrint -0777 -ne 'print decode_qp($_)' >OUT"

/* Formats of text: how it begins, after blanks and a byte order mark, in any case; what else is in it. The
 * first row that is true. */
static const struct text_format {
    const char *begin, *contains;
    bool (*is)(struct pc_span text);
    const char *name, *command;
    enum pc_diag id; /* PC_NO_DIAG: PC_D_FOREIGN */
} texts[] = {
    { "<!doctype html", "", NULL, "a web page (HTML)", DOWNLOAD, 0 },
    { "<html", "", NULL, "a web page (HTML)", DOWNLOAD, 0 },
    { "<head", "", NULL, "a web page (HTML)", DOWNLOAD, 0 },
    { "<!--", "<html", NULL, "a web page (HTML)", DOWNLOAD, 0 },
    { "<!--", "<svg", NULL, "a drawing (SVG), such as a flame graph", ITS_CAPTURE, 0 },
    { "http/", "", NULL, "an answer of a web server (HTTP)", DOWNLOAD, 0 },
    { "<svg", "", NULL, "a drawing (SVG), such as a flame graph", ITS_CAPTURE, 0 },
    { "<?xml", "<svg", NULL, "a drawing (SVG), such as a flame graph", ITS_CAPTURE, 0 },
    { "<?xml", "<html", NULL, "a web page (HTML)", DOWNLOAD, 0 },
    { "<?xml", "<error", NULL, "an error message of a server (XML)", DOWNLOAD, 0 },
    { "<?xml", "", NULL, "XML", "head IN", 0 },
    { "{", "\"traceEvents\"", NULL, "a trace of Chrome (JSON)", ITS_CAPTURE, 0 },
    { "[", "\"ph\":", is_array, "a trace of Chrome (JSON)", ITS_CAPTURE, 0 },
    { "{", "speedscope", NULL, "a profile of speedscope (JSON)", ITS_CAPTURE, 0 },
    { "{", "\"interval\"", NULL, "a profile of the Firefox Profiler (JSON)", ITS_CAPTURE, 0 },
    { "{", "\"message\"", NULL, "a message of a server (JSON)", DOWNLOAD, 0 },
    { "{", "\"error", NULL, "a message of a server (JSON)", DOWNLOAD, 0 },
    { "{", "", NULL, "JSON", ITS_CAPTURE, 0 },
    { "[", "", is_array, "JSON", ITS_CAPTURE, 0 },
    { "\"PERFILE2", "", NULL, "a string of JSON made of one", "perf record -o perf.data COMMAND", 0 },
    { "\"2ELIFREP", "", NULL, "a string of JSON made of one", "perf record -o perf.data COMMAND", 0 },
    { "[ perf record:", "", NULL, "what perf record prints", ITS_CAPTURE, 0 },
    { "# to display the perf.data header", "", NULL, "the output of perf report", ITS_CAPTURE, 0 },
    { "# ========", "", NULL, "the output of perf script", ITS_CAPTURE, 0 },
    { "# started on", "", NULL, "the output of perf stat", ITS_CAPTURE, 0 },
    { "performance counter stats for", "", NULL, "the output of perf stat", ITS_CAPTURE, 0 },
    { "percent", "disassembly of", NULL, "the output of perf annotate", ITS_CAPTURE, 0 },
    { "0x", ". ... raw event", NULL, "the output of perf script -D", ITS_CAPTURE, 0 },
    { "# tracer:", "", NULL, "a trace of ftrace (text)", "head IN", 0 },
    { "# callgrind format", "", NULL, "a profile of callgrind", "callgrind_annotate IN", 0 },
    { "begin 6", "", NULL, "uuencode", "uudecode -o OUT IN", PC_D_WRAPPED },
    { "5045524649", "", NULL, "hexadecimal digits (xxd -p)", "xxd -r -p IN >OUT", PC_D_WRAPPED },
    { "32454c4946", "", NULL, "hexadecimal digits (xxd -p)", "xxd -r -p IN >OUT", PC_D_WRAPPED },
    { "50 45 52 46 49 ", "", NULL, "hexadecimal digits", "xxd -r -p IN >OUT", PC_D_WRAPPED },
    { "32 45 4c 49 46 ", "", NULL, "hexadecimal digits", "xxd -r -p IN >OUT", PC_D_WRAPPED },
    { "/annex/objects/", "", NULL, "a pointer of git-annex", "git annex get IN", 0 },
    { "outs:", "md5:", NULL, "a pointer of DVC", "dvc pull IN", 0 },
    { "00000000: ", "", NULL, "the output of xxd", "xxd -r IN >OUT", PC_D_WRAPPED },
    { "00000000  ", "", NULL, "a dump (hexdump -C)", ITS_CAPTURE, 0 },
    { "0000000 ", "", NULL, "a dump (od or hexdump)", ITS_CAPTURE, 0 },
    { "000000 ", "", NULL, "a dump (od -A x)", ITS_CAPTURE, 0 },
    /* PERFILE2 and 2ELIFREP; lines that cannot be base64 are left out. */
    { "UEVSRklMRT", "", NULL, "base64", "tr _- /+ <IN | base64 -di >OUT", PC_D_WRAPPED },
    { "MkVMSUZSRV", "", NULL, "base64", "tr _- /+ <IN | base64 -di >OUT", PC_D_WRAPPED },
    { "", "\nUEVSRklMRT", NULL, "base64, after other lines", "grep -v '[-: ]' IN | base64 -di >OUT",
      PC_D_WRAPPED },
    { "", "\nMkVMSUZSRV", NULL, "base64, after other lines", "grep -v '[-: ]' IN | base64 -di >OUT",
      PC_D_WRAPPED },
    { "=50=45=52=46=49", "", NULL, "quoted-printable", UNQUOTE, PC_D_WRAPPED },
    { "=32=45=4c=49=46", "", NULL, "quoted-printable", UNQUOTE, PC_D_WRAPPED },
    { "", "\nPERFILE2h=00", NULL, "quoted-printable, after other lines", UNMAIL, PC_D_WRAPPED },
    { "", "\nPERFILE2=10=00", NULL, "quoted-printable, after other lines", UNMAIL, PC_D_WRAPPED },
    { "", "\n2ELIFREP=00", NULL, "quoted-printable, after other lines", UNMAIL, PC_D_WRAPPED },
    { "%50%45%52%46%49", "", NULL, "URL encoding (%XX)", UNPERCENT, PC_D_WRAPPED },
    { "%32%45%4c%49%46", "", NULL, "URL encoding (%XX)", UNPERCENT, PC_D_WRAPPED },
    { "", "=PERFILE2h%00", NULL, "URL encoding, as a field of a form", UNFORM, PC_D_WRAPPED },
    { "", "=PERFILE2%10%00", NULL, "URL encoding, as a field of a form", UNFORM, PC_D_WRAPPED },
    { "", "=2ELIFREP%00", NULL, "URL encoding, as a field of a form", UNFORM, PC_D_WRAPPED },
    { "", "", has_time, "the output of perf script", ITS_CAPTURE, 0 },
    { "", "", is_stack, "folded stacks, as for a flame graph", ITS_CAPTURE, 0 },
    { "", "", is_kallsyms, "a list of kernel symbols (kallsyms)", ITS_CAPTURE, 0 },
    { "", "", is_map, "a list of symbols (perf-PID.map)", ITS_CAPTURE, 0 },
    { "", "", is_utf_8, "text", "head IN", 0 },
};

static bool has(struct pc_span head, size_t at, const char *bytes, size_t len)
{
    return at <= head.len && len <= head.len - at && memcmp(head.ptr + at, bytes, len) == 0;
}

static void say(struct pc_reader *r, enum pc_diag id, size_t length, const char *name, const char *command)
{
    pc_reader_say(r, id, PC_IN_HEADER, 0, length, pc_text_value(name), pc_text_value(command));
}

/* --- formats that no few bytes tell --- */

/* ELF: a program, a library, an object, or what was left of a process. */
static bool say_elf(struct pc_reader *r, struct pc_span head)
{
    if (!has(head, 0,
             "\x7f"
             "ELF",
             4) ||
        head.len < 18)
        return false;
    const uint64_t core = 4;
    bool is_core = pc_load(head.ptr + 16, 2, head.ptr[5] == 2 ? PC_BIG : PC_LITTLE) == core;
    say(r, PC_D_FOREIGN, 4, is_core ? "a core dump" : "an ELF file (program or library)",
        is_core ? "gdb -c IN" : "readelf -h IN");
    return true;
}

/* A frame that readers of lz4 and zstd skip, and the first one that they read. */
static bool say_skippable(struct pc_reader *r, struct pc_span head)
{
    const uint64_t first_magic = 0x184d2a50, lz4 = 0x184d2204, zstd = 0xfd2fb528;
    const size_t words = 8; /* its magic, of which the last 4 bits are any, and its size */
    uint64_t at = 0, magic = first_magic;
    while (at + words <= head.len && (magic = pc_load(head.ptr + at, 4, PC_LITTLE)) >> 4 == first_magic >> 4)
        at += words + pc_load(head.ptr + at + 4, 4, PC_LITTLE);
    if (at == 0 || at + words > head.len || (magic != lz4 && magic != zstd))
        return false;
    say(r, PC_D_WRAPPED, (size_t)at + 4, magic == lz4 ? "lz4" : "zstd",
        magic == lz4 ? "lz4 -dc IN >OUT" : "zstd -dc IN >OUT");
    return true;
}

/* A log of Windows: WMI_BUFFER_HEADER of 0x48 bytes with its size and how much of it is used, then a system
 * trace header, whose last byte is 0xc0 and the one before 1 or 2. */
static bool say_etl(struct pc_reader *r, struct pc_span head)
{
    if (head.len < 0x4c || head.ptr[0x4b] != 0xc0 || head.ptr[0x4a] == 0 || head.ptr[0x4a] > 2)
        return false;
    uint64_t size = pc_load(head.ptr, 4, PC_LITTLE), used = pc_load(head.ptr + 4, 4, PC_LITTLE);
    if (size == 0 || size % 1024 != 0 || used > size)
        return false;
    say(r, PC_D_FOREIGN, 4, "a trace of Windows (ETL)", "tracerpt IN");
    return true;
}

/* A number of protobuf: 7 bits in each byte, the lowest first. False: it does not end. */
static bool varint(struct pc_span s, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < s.len && shift < 64; shift += 7) {
        unsigned char byte = s.ptr[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Whether these are the fields of a TracePacket of Perfetto: trusted_uid or trusted_packet_sequence_id, which
 * are in each, among others. */
static bool is_packet(struct pc_span s)
{
    enum { VARINT, FIXED_64, BYTES, FIXED_32 = 5, TRUSTED_UID = 3, SEQUENCE_ID = 10 };
    bool found = false;
    uint64_t key, value;
    for (size_t at = 0; at < s.len; at += (size_t)value) {
        if (!varint(s, &at, &key) || key >> 3 == 0)
            return false;
        unsigned type = key & 7;
        found |= type == VARINT && (key >> 3 == TRUSTED_UID || key >> 3 == SEQUENCE_ID);
        value = type == FIXED_64 ? 8 : 4;
        if ((type == VARINT || type == BYTES) ? !varint(s, &at, &value)
                                              : type != FIXED_64 && type != FIXED_32)
            return false;
        value = type == VARINT ? 0 : value;
        if (value > s.len - at)
            return false;
    }
    return found;
}

/* A trace of Perfetto is a row of packets: one of the first is in these bytes as a whole. */
static bool say_perfetto(struct pc_reader *r, struct pc_span head)
{
    const unsigned char packet = 0x0a;
    uint64_t len;
    for (size_t at = 0; at < head.len && head.ptr[at++] == packet; at += (size_t)len) {
        if (!varint(head, &at, &len) || len > head.len - at)
            return false;
        if (!is_packet(pc_part(head, at, (size_t)len)))
            continue;
        say(r, PC_D_FOREIGN, 1, "a trace of Perfetto", "traceconv text IN");
        return true;
    }
    return false;
}

/* Whether the first bytes are text, as far as that can be told. */
static bool is_text(struct pc_span head)
{
    for (size_t i = 0; i < head.len && i < 64; i++) {
        unsigned char byte = head.ptr[i];
        if (byte == 0x7f || (byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n'))
            return false;
    }
    return true;
}

/* MZ is text as well: only bytes behind it tell. */
static bool say_windows(struct pc_reader *r, struct pc_span head)
{
    if (!has(head, 0, "MZ", 2) || head.len < 64 || is_text(head))
        return false;
    say(r, PC_D_FOREIGN, 2, "a program of Windows or DOS (MZ)", "file IN");
    return true;
}

/* A capture behind the header of an HTTP answer, which ends with an empty line. */
static bool say_http(struct pc_reader *r, struct pc_span head)
{
    size_t at = 8;
    if (!has(head, 0, "HTTP/", 5))
        return false;
    while (at + 8 <= head.len &&
           !(pc_is_magic(head.ptr + at) && (has(head, at - 3, "\n\r\n", 3) || has(head, at - 2, "\n\n", 2))))
        at++;
    if (at + 8 > head.len)
        return false;
    char command[PC_VALUE_MAX];
    snprintf(command, sizeof(command), "tail -c +%zu IN >OUT", at + 1);
    pc_reader_say(r, PC_D_WRAPPED, PC_IN_HEADER, 0, at, pc_text_value("an HTTP answer"),
                  pc_bytes_value((struct pc_span){ (const unsigned char *)command, strlen(command) }));
    return true;
}

static bool contains(struct pc_span head, const char *text)
{
    size_t len = strlen(text);
    for (size_t at = 0; at + len <= head.len; at++) {
        if (strncasecmp((const char *)head.ptr + at, text, len) == 0)
            return true;
    }
    return false;
}

/* The row of the text that the bytes are; NULL: none. *at: where it begins, after blanks. */
static const struct text_format *find_text(struct pc_span head, size_t *at)
{
    *at = has(head, 0, "\xef\xbb\xbf", 3) ? 3 : 0; /* a byte order mark */
    *at += count(head, *at, is_blank);
    struct pc_span text = { head.ptr + *at, head.len - *at };
    if (text.len == 0 || !is_text(head))
        return NULL;
    for (size_t i = 0; i < PC_COUNT_OF(texts); i++) {
        const struct text_format *f = &texts[i];
        size_t len = strlen(f->begin);
        if (len <= text.len && strncasecmp((const char *)text.ptr, f->begin, len) == 0 &&
            contains(text, f->contains) && (!f->is || f->is(text)))
            return f;
    }
    return NULL;
}

static bool say_text(struct pc_reader *r, struct pc_span head)
{
    size_t at;
    const struct text_format *f = find_text(head, &at);
    if (f)
        say(r, f->id ? f->id : PC_D_FOREIGN, at + strlen(f->begin), f->name, f->command);
    return f != NULL;
}

static const struct format *find_format(struct pc_span head)
{
    for (size_t i = 0; i < PC_COUNT_OF(formats); i++) {
        if (has(head, formats[i].at, formats[i].magic, formats[i].len))
            return &formats[i];
    }
    return NULL;
}

/* Archives of the first form of tar have no magic. */
static bool say_old_tar(struct pc_reader *r, struct pc_span head)
{
    bool is_tar = pc_begins_tar(head);
    if (is_tar)
        say(r, PC_D_FOREIGN, PC_ARCHIVE_BLOCK, "a tar archive", "tar -tvf IN");
    return is_tar;
}

/* What gzip holds may be no capture either. */
static bool say_gzip(struct pc_reader *r, struct pc_span head)
{
    static const struct {
        const char *inside, *name, *command;
    } known[] = {
        { "a tar archive", "a tar archive, in gzip", "tar -xzf IN" },
        { "a profile of pprof", "a profile of pprof", "pprof -top IN" },
        { "a web page (HTML)", "a web page (HTML), in gzip", DOWNLOAD },
        { "the output of perf script", "the output of perf script, in gzip", ITS_CAPTURE },
        { "folded stacks, as for a flame graph", "folded stacks, in gzip", ITS_CAPTURE },
        { "a profile of the Firefox Profiler (JSON)", "a profile of the Firefox Profiler, in gzip",
          ITS_CAPTURE },
        { "a trace of Chrome (JSON)", "a trace of Chrome (JSON), in gzip", ITS_CAPTURE },
        { "JSON", "JSON, in gzip", ITS_CAPTURE },
    };
    unsigned char bytes[HEAD];
    struct pc_span inside = { bytes, pc_gunzip_start(head, bytes, sizeof(bytes)) };
    const struct format *f = find_format(inside);
    size_t at;
    const struct text_format *t = f ? NULL : find_text(inside, &at);
    const char *name = f ? f->name : t ? t->name : "";
    for (size_t i = 0; i < PC_COUNT_OF(known); i++) {
        if (strcmp(known[i].inside, name) != 0)
            continue;
        say(r, PC_D_FOREIGN, 2, known[i].name, known[i].command);
        return true;
    }
    return false;
}

static bool say_format(struct pc_reader *r, struct pc_span head)
{
    if (say_gzip(r, head))
        return true;
    const struct format *f = find_format(head);
    if (f)
        say(r, f->id, f->len, f->name, f->command);
    return f || say_old_tar(r, head) || say_elf(r, head) || say_skippable(r, head) || say_windows(r, head) ||
           say_http(r, head) || say_etl(r, head) || say_perfetto(r, head);
}

/* A byte as digits, after a sign, and another one: =00=00 */
static bool is_encoded(const unsigned char *p, unsigned char sign)
{
    return p[0] == sign && (is_hex(p[1]) || (p[1] >= 'A' && p[1] <= 'F')) &&
           (is_hex(p[2]) || (p[2] >= 'A' && p[2] <= 'F')) && p[3] == sign;
}

bool pc_reader_say_encoded(struct pc_reader *r)
{
    const unsigned char *size = r->file.head + 8; /* after the magic */
    size += *size == PC_FILE_HEADER_SIZE;
    bool quoted = is_encoded(size, '='), percent = is_encoded(size, '%');
    if (quoted)
        say(r, PC_D_WRAPPED, 8, "quoted-printable", UNQUOTE);
    else if (percent)
        say(r, PC_D_WRAPPED, 8, "URL encoding (%XX)", UNPERCENT);
    return quoted || percent;
}

/* The first bytes as a finding shows them: as text, or as digits when not all can be seen. */
static struct pc_value first_bytes(struct pc_span head)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char shown[3 * MAGIC_LEN];
    size_t len = 0, blanks = 0;
    for (size_t i = 0; i < head.len; i++) {
        unsigned char c = head.ptr[i];
        if (c < ' ' || c >= 0x7f)
            blanks = head.len;
        blanks += c == ' ';
        shown[len++] = (unsigned char)digits[c >> 4];
        shown[len++] = (unsigned char)digits[c & 15];
        shown[len++] = ' ';
    }
    return blanks < head.len ? pc_bytes_value(head) : pc_bytes_value((struct pc_span){ shown, len - 1 });
}

/* Bytes elsewhere may tell what the input is, and these were asked for. The finding is at the end of the
 * head. */
static bool cannot_be_read(struct pc_reader *r, uint64_t offset)
{
    if (r->in->error)
        pc_reader_say_short_read(r, offset);
    return r->in->error != 0;
}

void pc_reader_say_foreign(struct pc_reader *r, size_t len)
{
    unsigned char bytes[HEAD];
    struct pc_span head = { bytes, len };
    memcpy(bytes, r->file.head, len);
    head.len += pc_input_read(r->in, bytes + len, HEAD - len, HEAD - len);
    if (cannot_be_read(r, head.len) || pc_reader_say_zip(r, head) || pc_reader_say_member(r, head) ||
        cannot_be_read(r, head.len) || say_format(r, head) || pc_reader_say_late(r, head) ||
        cannot_be_read(r, head.len) || say_text(r, head))
        return;
    head.len = head.len < MAGIC_LEN ? head.len : MAGIC_LEN;
    pc_reader_say(r, PC_D_MAGIC_UNKNOWN, PC_IN_HEADER, 0, head.len, first_bytes(head), pc_none);
}
