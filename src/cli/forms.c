/* SPDX-License-Identifier: MIT
 *
 * Each form is printed capture by capture. Whatever a path or a message holds, it stays inside its element,
 * cell, property or line.
 */
#include "cli/forms.h"
#include "cli/show.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- pieces --- */

/* Prints what the first bytes of a text become, and returns how many these are; 0: the first stands for
 * itself. */
typedef size_t print_other(FILE *out, const char *text);

/* Prints a text, but for what `other` prints instead. last: the character before it, and then its last one:
 * no ## comes out, since ##[ begins commands of some services. NULL: it may. */
static void print_after(FILE *out, const char *text, print_other *other, char *last)
{
    while (*text) {
        bool again = last && *last == '#' && *text == '#';
        size_t done = again ? fputs("\\x23", out) >= 0 : other(out, text);
        if (done == 0) {
            fputc(*text, out);
            done = 1;
        }
        text += done;
        if (last)
            *last = text[-1];
    }
}

static void print_with(FILE *out, const char *text, print_other *other)
{
    print_after(out, text, other, NULL);
}

/* The same of a path or a command with paths, which may hold any bytes. */
static void print_path_after(FILE *out, const char *path, print_other *other, char *last)
{
    char piece[1025];
    while (*path) {
        path += perfcheck_escape(path, 0, piece, sizeof(piece));
        print_after(out, piece, other, last);
    }
}

static void print_path(FILE *out, const char *path, print_other *other)
{
    print_path_after(out, path, other, NULL);
}

/* Where a finding is: "data.3:0x1f40", "0x1f40+0x40". */
static void print_place(FILE *out, const perfcheck_finding_t *f)
{
    fprintf(out, "%s%s", f->member, *f->member ? ":" : "");
    pc_print_offset(out, f);
}

/* The next finding from number *i on that is shown; NULL: there is none. */
static const perfcheck_finding_t *next_finding(const struct pc_printer *p, perfcheck_t *pc, size_t *i)
{
    const perfcheck_finding_t *f;
    while ((f = perfcheck_finding(pc, (*i)++)) != NULL) {
        if (p->notes || f->severity != PERFCHECK_NOTE)
            return f;
    }
    return NULL;
}

/* Findings that were not kept, a line for each id. */
static void print_suppressed(FILE *out, perfcheck_t *pc)
{
    const perfcheck_entry_t *e;
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_SUPPRESSED, i)) != NULL; i++)
        fprintf(out, "%" PRIu64 " more of %s %s\n", e->number, e->name, e->text);
}

/* "valid, 22 records, 3 samples". */
static void print_summary(FILE *out, perfcheck_t *pc)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    fputs(pc_verdict_name(perfcheck_verdict(pc)), out);
    if (sum->recognised)
        fprintf(out, ", %" PRIu64 " record%s, %" PRIu64 " sample%s", sum->records, pc_plural(sum->records),
                sum->samples, pc_plural(sum->samples));
    pc_print_accepted(out, pc);
}

/* --- GitHub: workflow commands, one line each --- */

/* The runner undoes this in properties, and less in messages, as actions/toolkit writes them. */
static size_t print_property(FILE *out, const char *text)
{
    if (!strchr("%\r\n:,", *text))
        return 0;
    return fprintf(out, "%%%02X", (unsigned char)*text) > 0;
}

static size_t print_message(FILE *out, const char *text)
{
    return strchr(":,", *text) ? 0 : print_property(out, text);
}

static void github_capture(struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    static const char *const levels[] = { "notice", "warning", "error" };
    const perfcheck_finding_t *f;
    for (size_t i = 0; (f = next_finding(p, pc, &i)) != NULL;) {
        fprintf(p->out, "::%s file=", levels[f->severity]);
        char last = 0;
        print_path_after(p->out, path, print_property, &last);
        fprintf(p->out, ",title=%s %s::", f->id, f->name);
        print_place(p->out, f);
        fputs(": ", p->out);
        last = 0;
        print_after(p->out, f->message, print_message, &last);
        fputc('\n', p->out);
    }
    print_suppressed(p->out, pc);
    print_summary(p->out, pc); /* first, so that no path begins a line */
    fputs(": ", p->out);
    pc_print_escaped(p->out, path);
    fputc('\n', p->out);
}

/* --- GitLab: a report of code quality, an array of JSON --- */

static void json_begin(struct pc_printer *p)
{
    fputc('[', p->out);
}

static void json_end(struct pc_printer *p)
{
    fputs("]\n", p->out);
}

/* A text that is the same for the same finding of a capture, and for no other. */
static void json_identity(struct pc_json *object, const char *name, const perfcheck_finding_t *f,
                          const char *path)
{
    char text[8192];
    snprintf(text, sizeof(text), "%s:%s:%" PRIu64 "+%" PRIu64 ":%" PRIu64 ":%.500s:%.500s:%.500s:%s", f->id,
             f->stream, f->offset, f->length, f->number, f->path, f->seen, f->expected, path);
    pc_json_path(object, name, text);
}

static void gitlab_capture(struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    static const char *const levels[] = { "info", "minor", "critical" };
    const perfcheck_finding_t *f;
    for (size_t i = 0; (f = next_finding(p, pc, &i)) != NULL;) {
        fputs(p->printed++ != 0 ? ",\n" : "", p->out);
        struct pc_json issue = pc_json_open(p->out, '{', false);
        pc_json_text(&issue, "description", f->message);
        pc_json_text(&issue, "check_name", f->id);
        json_identity(&issue, "fingerprint", f, path);
        pc_json_text(&issue, "severity", levels[f->severity]);
        struct pc_json location = pc_json_open_in(&issue, "location", '{', false);
        pc_json_path(&location, "path", path);
        struct pc_json lines = pc_json_open_in(&location, "lines", '{', false);
        pc_json_number(&lines, "begin", 1); /* it has to be a line */
        pc_json_close(&lines);
        pc_json_close(&location);
        pc_json_close(&issue);
    }
}

/* --- JUnit: a suite with one case for each capture --- */

/* XML has no U+FFFE and U+FFFF. ## begins commands of CI services. */
static size_t print_xml(FILE *out, const char *text)
{
    if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0)
        return fprintf(out, "\\xef\\xbf\\x%02x", (unsigned char)text[2]) > 0 ? 3 : 0;
    return strchr("<>&\"'#", *text) ? fprintf(out, "&#%d;", *text) > 0 : 0;
}

static void junit_begin(struct pc_printer *p)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"perfcheck\">\n", p->out);
}

static void junit_end(struct pc_printer *p)
{
    fputs("</testsuites>\n", p->out);
}

/* All findings, a line each, and what to do. */
static void junit_lines(struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    struct pc_hint hint;
    const perfcheck_finding_t *f;
    for (size_t i = 0; (f = next_finding(p, pc, &i)) != NULL;) {
        print_place(p->out, f);
        fprintf(p->out, ": %s: ", pc_severity_name(f->severity));
        print_with(p->out, f->message, print_xml);
        fprintf(p->out, " [%s %s]\n", f->id, f->name);
    }
    print_suppressed(p->out, pc);
    print_summary(p->out, pc);
    if (pc_hint(pc, path, &hint)) {
        fputs("\nnext: ", p->out);
        print_path(p->out, hint.command, print_xml);
    }
}

/* The suite has the name of the capture: one suite each needs no totals before the first is checked. */
static void junit_capture(struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    static const char *const elements[] = { "system-out", "failure", "error" };
    perfcheck_verdict_t verdict = perfcheck_verdict(pc);
    fputs("<testsuite name=\"", p->out);
    print_path(p->out, path, print_xml);
    fprintf(p->out, "\" tests=\"1\" failures=\"%d\" errors=\"%d\"><testcase classname=\"perfcheck\" name=\"",
            verdict == PERFCHECK_INVALID, verdict == PERFCHECK_UNREADABLE);
    print_path(p->out, path, print_xml);
    fprintf(p->out, "\">\n<%s", elements[verdict]);
    const perfcheck_finding_t *f = verdict == PERFCHECK_VALID ? NULL : perfcheck_finding(pc, 0);
    if (f) {
        fprintf(p->out, " type=\"%s %s\" message=\"", f->id, f->name);
        print_with(p->out, f->message, print_xml);
        fputc('"', p->out);
    }
    fputc('>', p->out);
    junit_lines(p, path, pc);
    fprintf(p->out, "</%s>\n</testcase></testsuite>\n", elements[verdict]);
}

/* --- Markdown: a table --- */

/* No punctuation has a meaning, nor is a word a link. */
static size_t print_markdown(FILE *out, const char *text)
{
    return ispunct((unsigned char)*text) && !strchr("/,-=()+", *text) ? fprintf(out, "&#%d;", *text) > 0 : 0;
}

static void markdown_begin(struct pc_printer *p)
{
    fputs("| verdict | capture | records | errors | warnings | first finding | next |\n"
          "|---|---|---:|---:|---:|---|---|\n",
          p->out);
}

static void markdown_capture(struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    static const char *const verdicts[] = { "valid", "**INVALID**", "**unreadable**" };
    struct pc_hint hint;
    size_t i = 0;
    fprintf(p->out, "| %s", verdicts[perfcheck_verdict(pc)]);
    pc_print_accepted(p->out, pc);
    fputs(" | ", p->out);
    print_path(p->out, path, print_markdown);
    fprintf(p->out, " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | ", perfcheck_summary(pc)->records,
            perfcheck_count(pc, PERFCHECK_ERROR), perfcheck_count(pc, PERFCHECK_WARNING));
    const perfcheck_finding_t *f = next_finding(p, pc, &i);
    if (f) {
        print_with(p->out, f->message, print_markdown);
        fprintf(p->out, " (%s)", f->id);
    }
    fputs(" | ", p->out);
    if (pc_hint(pc, path, &hint)) {
        fputs("<code>", p->out);
        print_path(p->out, hint.command, print_markdown);
        fputs("</code>", p->out);
    }
    fputs(" |\n", p->out);
}

/* --- SARIF 2.1.0 --- */

/* A URI keeps these characters, and a path its slashes (RFC 3986, section 2.3). */
static void json_uri(struct pc_json *object, const char *name, const char *path, const char *member)
{
    pc_json_name(object, name);
    fprintf(object->out, "\"%s", *path == '/' ? "file://" : "");
    for (const char *part = path; part; part = part == path && *member ? member : NULL) {
        fputs(part == member ? "/" : "", object->out);
        for (const char *c = part; *c; c++)
            fprintf(object->out, isalnum((unsigned char)*c) || strchr("-._~/", *c) ? "%c" : "%%%02X",
                    (unsigned char)*c);
    }
    fputc('"', object->out);
}

static void sarif_begin(struct pc_printer *p)
{
    fputs("{\"version\": \"2.1.0\", \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
          "\"runs\": [{\"results\": [",
          p->out);
}

static void sarif_location(struct pc_json *result, const char *path, const perfcheck_finding_t *f)
{
    struct pc_json locations = pc_json_open_in(result, "locations", '[', false);
    struct pc_json location = pc_json_open_in(&locations, NULL, '{', false);
    struct pc_json physical = pc_json_open_in(&location, "physicalLocation", '{', false);
    struct pc_json artifact = pc_json_open_in(&physical, "artifactLocation", '{', false);
    json_uri(&artifact, "uri", path, f->member);
    pc_json_close(&artifact);
    /* GitHub shows no result without a line. A region that has a line too may have no other bytes than those
     * of the line: they are an address (sections 3.30.4 and 3.32). */
    struct pc_json region = pc_json_open_in(&physical, "region", '{', false);
    pc_json_number(&region, "startLine", 1);
    pc_json_close(&region);
    struct pc_json address = pc_json_open_in(&physical, "address", '{', false);
    pc_json_number(&address, "absoluteAddress", f->in_compressed ? f->record_offset : f->offset);
    if (!f->in_compressed)
        pc_json_number(&address, "length", f->length);
    pc_json_close(&address);
    pc_json_close(&physical);
    if (*f->path) {
        struct pc_json logical = pc_json_open_in(&location, "logicalLocations", '[', false);
        struct pc_json one = pc_json_open_in(&logical, NULL, '{', false);
        pc_json_text(&one, "fullyQualifiedName", f->path);
        pc_json_close(&one);
        pc_json_close(&logical);
    }
    pc_json_close(&location);
    pc_json_close(&locations);
}

/* Whether a result has this id: such a rule is named at the end. */
static bool *sarif_uses(struct pc_printer *p, const char *id)
{
    return &p->used[strtoul(id + strlen("PC"), NULL, 10) % PC_RULES_MAX];
}

/* That the baseline accepts a result (section 3.27.23). */
static void sarif_suppression(struct pc_json *result)
{
    struct pc_json suppressions = pc_json_open_in(result, "suppressions", '[', false);
    struct pc_json one = pc_json_open_in(&suppressions, NULL, '{', false);
    pc_json_text(&one, "kind", "external");
    pc_json_text(&one, "justification", "the baseline accepts it");
    pc_json_close(&one);
    pc_json_close(&suppressions);
}

static void sarif_result(struct pc_printer *p, const char *path, const perfcheck_finding_t *f, bool accepted)
{
    fputs(p->printed++ != 0 ? ",\n" : "\n", p->out);
    struct pc_json result = pc_json_open(p->out, '{', false);
    pc_json_text(&result, "ruleId", f->id);
    pc_json_text(&result, "level", pc_severity_name(f->severity));
    struct pc_json message = pc_json_open_in(&result, "message", '{', false);
    pc_json_text(&message, "text", f->message);
    pc_json_close(&message);
    sarif_location(&result, path, f);
    struct pc_json prints = pc_json_open_in(&result, "partialFingerprints", '{', false);
    json_identity(&prints, "perfcheck/v2", f, path);
    pc_json_close(&prints);
    if (accepted)
        sarif_suppression(&result);
    pc_json_close(&result);
    *sarif_uses(p, f->id) = true;
}

static void sarif_capture(struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    const perfcheck_finding_t *f;
    for (size_t i = 0; (f = next_finding(p, pc, &i)) != NULL;)
        sarif_result(p, path, f, false);
    for (size_t i = 0; (f = perfcheck_accepted(pc, i)) != NULL; i++) {
        if (p->notes || f->severity != PERFCHECK_NOTE)
            sarif_result(p, path, f, true);
    }
}

static void sarif_text(struct pc_json *rule, const char *name, const char *text)
{
    struct pc_json object = pc_json_open_in(rule, name, '{', false);
    pc_json_text(&object, "text", text);
    pc_json_close(&object);
}

static void sarif_end(struct pc_printer *p)
{
    const perfcheck_finding_t *f;
    perfcheck_t *pc = perfcheck_new();
    char place[64];
    fputs("],\n\"tool\": {\"driver\": ", p->out);
    struct pc_json driver = pc_json_open(p->out, '{', false);
    pc_json_text(&driver, "name", "perfcheck");
    pc_json_text(&driver, "version", perfcheck_version());
    pc_json_text(&driver, "informationUri", "man:perfcheck(1)");
    struct pc_json rules = pc_json_open_in(&driver, "rules", '[', false);
    for (size_t n = 0; n < PC_RULES_MAX && (f = perfcheck_explain(pc, NULL, n)) != NULL; n++) {
        if (!*sarif_uses(p, f->id))
            continue;
        struct pc_json rule = pc_json_open_in(&rules, NULL, '{', false);
        pc_json_text(&rule, "id", f->id);
        pc_json_text(&rule, "name", f->name);
        sarif_text(&rule, "shortDescription", f->message);
        sarif_text(&rule, "fullDescription", f->explanation);
        sarif_text(&rule, "help", *f->next ? f->next : f->explanation); /* GitHub wants one */
        snprintf(place, sizeof(place), "man:perfcheck-findings(7)#%s", f->id);
        pc_json_text(&rule, "helpUri", place);
        pc_json_close(&rule);
    }
    pc_json_close(&rules);
    pc_json_close(&driver);
    fprintf(p->out, "},\n\"invocations\": [{\"executionSuccessful\": %s}]}]}\n",
            p->trouble ? "false" : "true");
    perfcheck_free(pc);
}

static void nothing(struct pc_printer *p)
{
    (void)p;
}

const struct pc_form *pc_form(enum pc_format format)
{
    static const struct pc_form forms[PC_FORMATS] = {
        [PC_FORMAT_GITHUB] = { nothing, github_capture, nothing },
        [PC_FORMAT_GITLAB] = { json_begin, gitlab_capture, json_end },
        [PC_FORMAT_JUNIT] = { junit_begin, junit_capture, junit_end },
        [PC_FORMAT_MARKDOWN] = { markdown_begin, markdown_capture, nothing },
        [PC_FORMAT_SARIF] = { sarif_begin, sarif_capture, sarif_end },
    };
    return forms[format].begin ? &forms[format] : NULL;
}
