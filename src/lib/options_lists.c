/* SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "lib/options_lists.h"

#include <stdio.h>
#include <string.h>

/* --- what may be left out --- */

/* Words of --drop. What has a name ends with a colon; names of `like` are looked up, or are a number after
 * this text. */
static const struct {
    const char *word;
    const char *(*like)(const char *name);
    const char *number, *unknown;
} drop_kinds[] = {
    { "record:", pc_type_like, "TYPE_", "'drop' knows no type of record" },
    { "feature:", pc_feature_like, "BIT_", "'drop' knows no feature" },
    { "payload:", NULL, NULL, NULL },
    { "kcore", NULL, NULL, NULL },
};
enum { DROP_KINDS = PC_COUNT_OF(drop_kinds) };

/* The kind that a text begins with; DROP_KINDS: none. */
static size_t drop_kind(const char *text)
{
    size_t kind = 0;
    while (kind < DROP_KINDS && strncmp(text, drop_kinds[kind].word, strlen(drop_kinds[kind].word)) != 0)
        kind++;
    return kind;
}

static bool refuse_drop(const char *one, struct pc_buffer *why, const char *like)
{
    return pc_refuse(why, "'drop' takes record:TYPE, feature:NAME, payload:EVENT or kcore, not", one, like);
}

/* Whether one word of --drop has a name after its kind, which for records and features is a known one or a
 * number: TYPE_90, BIT_40. */
static bool is_good_drop(const char *one, struct pc_buffer *why)
{
    char like[128];
    const char *near = NULL;
    const size_t kind = drop_kind(one);
    if (kind == DROP_KINDS) {
        for (size_t i = 0; i < DROP_KINDS; i++)
            pc_text_suggest(one, drop_kinds[i].word, &near);
        return refuse_drop(one, why, near);
    }
    const size_t len = strlen(drop_kinds[kind].word);
    const char *name = one + len, *number = drop_kinds[kind].number;
    if ((one[len - 1] == ':') != (*name != 0))
        return refuse_drop(one, why, NULL);
    if (!drop_kinds[kind].like || strncmp(name, number, strlen(number)) == 0)
        return true;
    near = drop_kinds[kind].like(name);
    if (near && strcmp(near, name) == 0)
        return true;
    snprintf(like, sizeof(like), "%s%s", drop_kinds[kind].word, near ? near : "");
    return pc_refuse(why, drop_kinds[kind].unknown, name, near ? like : NULL);
}

/* The length of the first name of a list. Names of events may hold commas. */
static size_t drop_length(const char *list)
{
    for (const char *comma = strchr(list, ','); comma; comma = strchr(comma + 1, ',')) {
        if (drop_kind(comma + 1) != DROP_KINDS || strncmp(list, "payload:", strlen("payload:")) != 0)
            return (size_t)(comma - list);
    }
    return strlen(list);
}

bool pc_option_drop(struct pc_options *o, const char *list, struct pc_buffer *why)
{
    struct pc_drops *drops = &o->rewrite.drops;
    while (list) {
        size_t len = drop_length(list);
        char *one = pc_alloc_text(&o->mem, list, len);
        if (!one)
            return pc_refuse(why, "'drop': no memory for", list, NULL);
        if (!is_good_drop(one, why) || drops->nr == PC_LOSSES_MAX) {
            if (drops->nr == PC_LOSSES_MAX)
                pc_refuse(why, "'drop' takes 256 names, not also", one, NULL);
            pc_free_text(&o->mem, one);
            return false;
        }
        o->drop[drops->nr++] = one;
        list = list[len] ? list + len + 1 : NULL;
    }
    return true;
}

/* --- what is demanded --- */

static bool demand_samples(struct pc_options *o, const char *value)
{
    (void)value;
    if (o->demands.min_samples == 0)
        o->demands.min_samples = 1;
    return true;
}

static bool demand_build_ids(struct pc_options *o, const char *value)
{
    (void)value;
    return o->demands.build_ids = true;
}

static bool demand_feature(struct pc_options *o, const char *name)
{
    char number[PC_NUMBER_NAME];
    for (unsigned bit = 0; bit < PC_ANDROID_FEATURES_END; bit++) {
        if (strcmp(pc_feature_name(bit, number), name) != 0)
            continue;
        pc_set_bit(o->demands.features, bit);
        return true;
    }
    return false;
}

static bool demand_event(struct pc_options *o, const char *name)
{
    static_assert(PC_EVENTS_MAX == 64, "as the message says");
    if (o->demands.nr_events == PC_EVENTS_MAX)
        return false;
    o->event[o->demands.nr_events] = pc_alloc_text(&o->mem, name, strlen(name));
    return o->event[o->demands.nr_events] && ++o->demands.nr_events;
}

static bool demand_arch(struct pc_options *o, const char *name)
{
    if (o->arch)
        return strcmp(o->arch, name) == 0;
    return (o->demands.arch = o->arch = pc_alloc_text(&o->mem, name, strlen(name))) != NULL;
}

/* Words of --require besides those of pc_demand_fields. A name follows a colon. */
static const struct {
    const char *word;
    bool (*demand)(struct pc_options *o, const char *name);
    const char *nameless, *refused; /* what is wrong without a name, or with one that is not taken */
} demands[] = {
    { "samples", demand_samples, NULL, NULL },
    { "build-ids", demand_build_ids, NULL, NULL },
    { "header:", demand_feature, NULL, NULL },
    { "event:", demand_event, "'require' takes event: with the name of an event, not",
      "'require' takes at most 64 events, not also" },
    { "arch:", demand_arch, "'require' takes arch: with the name of an architecture, not",
      "'require' takes one architecture, not also" },
};

static bool demand(struct pc_options *o, const char *word)
{
    for (const struct pc_demand_field *f = pc_demand_fields; f->name; f++) {
        if (strcmp(f->name, word) != 0)
            continue;
        o->demands.fields |= f->field;
        return true;
    }
    for (size_t i = 0; i < PC_COUNT_OF(demands); i++) {
        size_t len = strlen(demands[i].word);
        bool named = demands[i].word[len - 1] == ':';
        if (strncmp(demands[i].word, word, len) == 0 && named == (word[len] != 0))
            return demands[i].demand(o, word + len);
    }
    return false;
}

/* Feature `number` of those that have names. */
static bool demand_header(size_t number, char word[PC_DEMAND_MAX])
{
    char spelled[PC_NUMBER_NAME];
    for (unsigned bit = 0; bit < PC_ANDROID_FEATURES_END; bit++) {
        const char *name = pc_feature_name(bit, spelled);
        if (name == spelled || number-- != 0)
            continue;
        snprintf(word, PC_DEMAND_MAX, "header:%s", name);
        return true;
    }
    return false;
}

bool pc_option_demand(size_t number, char word[PC_DEMAND_MAX])
{
    const char *plain = NULL;
    for (const struct pc_demand_field *f = pc_demand_fields; f->name && !plain; f++)
        plain = number-- == 0 ? f->name : NULL;
    for (size_t i = 0; i < PC_COUNT_OF(demands) && !plain; i++) {
        if (demands[i].demand != demand_feature)
            plain = number-- == 0 ? demands[i].word : NULL;
    }
    if (plain)
        snprintf(word, PC_DEMAND_MAX, "%s", plain);
    return plain || demand_header(number, word);
}

/* Whether a comma ends a word: names of events may hold some. */
static bool ends_word(const char *rest)
{
    for (size_t i = 0; i < PC_COUNT_OF(demands); i++) {
        if (strncmp(rest, demands[i].word, strlen(demands[i].word)) == 0)
            return true;
    }
    for (const struct pc_demand_field *f = pc_demand_fields; f->name; f++) {
        if (strncmp(rest, f->name, strlen(f->name)) == 0)
            return true;
    }
    return false;
}

/* No feature has this name. */
static bool refuse_feature(struct pc_buffer *why, const char *word)
{
    char like[PC_DEMAND_MAX];
    const char *near = pc_feature_like(word + strlen("header:"));
    snprintf(like, sizeof(like), "header:%s", near ? near : "");
    pc_refuse(why, "'require' takes header: with the name of a feature, not", word, near ? like : NULL);
    for (size_t i = 0; !near && demand_header(i, like); i++) {
        pc_put(why, i == 0 ? "; features are " : ", ");
        pc_put(why, like + strlen("header:"));
    }
    return false;
}

/* Says that a word is none of --require. */
static bool refuse_demand(const struct pc_options *o, struct pc_buffer *why, const char *word)
{
    const char *near = NULL;
    for (size_t i = 0; i < PC_COUNT_OF(demands); i++) {
        size_t len = strlen(demands[i].word);
        if (demands[i].nameless && strcmp(word, demands[i].word) == 0)
            return pc_refuse(why, demands[i].nameless, word, NULL);
        if (demands[i].refused && strncmp(word, demands[i].word, len) == 0) {
            bool full =
                demands[i].demand == demand_arch ? o->arch != NULL : o->demands.nr_events == PC_EVENTS_MAX;
            return pc_refuse(why, full ? demands[i].refused : "'require': no memory for", word, NULL);
        }
        if (demands[i].demand == demand_feature && strncmp(word, demands[i].word, len) == 0)
            return refuse_feature(why, word);
        pc_text_suggest(word, demands[i].word, &near);
    }
    for (const struct pc_demand_field *f = pc_demand_fields; f->name; f++)
        pc_text_suggest(word, f->name, &near);
    return pc_refuse(why,
                     "'require' takes samples, callchains, branch-stacks, timestamps, cpu, build-ids, "
                     "header:FEATURE, event:NAME or arch:NAME, not",
                     word, near);
}

bool pc_option_require(struct pc_options *o, const char *list, struct pc_buffer *why)
{
    while (list) {
        const char *comma = strchr(list, ',');
        while (comma && strncmp(list, "event:", strlen("event:")) == 0 && !ends_word(comma + 1))
            comma = strchr(comma + 1, ',');
        char *word = pc_alloc_text(&o->mem, list, comma ? (size_t)(comma - list) : strlen(list));
        bool good = word && demand(o, word);
        if (!word)
            pc_refuse(why, "'require': no memory for", list, NULL);
        else if (!good)
            refuse_demand(o, why, word);
        pc_free_text(&o->mem, word);
        if (!good)
            return false;
        list = comma ? comma + 1 : NULL;
    }
    return true;
}
