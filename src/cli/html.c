/* SPDX-License-Identifier: MIT */
#include "cli/html.h"

#include "perfcheck.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* The bytes between the tags, for which the policy of the page has hashes: tests/test_report computes them.
 */
static const char style[] =
#include "cli/html_style.def"
    ;
static const char script[] =
#include "cli/html_script.def"
    ;
static const char style_hash[] = "sha256-l/447LGSorGLQmCaz36MfJfymnxBun8tLekojYRVty4=",
                  script_hash[] = "sha256-QjNfbjd05Oe5JMMxU9l6AvZBvjHFjtadixUxlvujRG8=";

void pc_html_text(FILE *out, const char *text)
{
    for (char last = 0; *text; last = *text++) {
        if (strchr("&<>\"'`", *text) || (*text == '#' && last == '#'))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    }
}

void pc_html_path(FILE *out, const char *path)
{
    char piece[1025];
    while (*path) {
        path += perfcheck_escape(path, 0, piece, sizeof(piece));
        pc_html_text(out, piece);
    }
}

void pc_html_size(FILE *out, uint64_t bytes)
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    unsigned unit = 0;
    fprintf(out, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
    if (bytes < 1024)
        return;
    while (bytes >> 10 >= 1024) {
        bytes >>= 10;
        unit++;
    }
    fprintf(out, " (%" PRIu64 ".%" PRIu64 " %s)", bytes >> 10, (bytes & 1023) * 10 >> 10, units[unit]);
}

void pc_html_number(FILE *out, uint64_t n)
{
    fprintf(out, "<td class=\"n\">%" PRIu64 "</td>", n);
}

void pc_html_bar(FILE *out, uint64_t n, uint64_t all)
{
    double part = all == 0 ? 0 : (double)n / (double)all * 100;
    fprintf(out,
            "<td class=\"b\"><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            "<rect width=\"%.1f\" height=\"10\"/></svg></td><td class=\"n\">%.1f %%</td>",
            part, part);
}

void pc_html_table(FILE *out, const char *caption, const char *columns)
{
    fprintf(out,
            "<div class=\"t\" role=\"group\" tabindex=\"0\" "
            "aria-label=\"%s\"><table><caption>%s</caption>\n<thead><tr>",
            caption, caption);
    while (*columns) {
        size_t len = strcspn(columns, "|");
        bool number = *columns == '>', wide = columns[len] && (columns[len + 1] == '|' || !columns[len + 1]);
        fprintf(out, "<th scope=\"col\"%s%s>%.*s</th>", number ? " class=\"n\"" : "",
                wide ? " colspan=\"2\"" : "", (int)len - number, columns + number);
        columns += len + (columns[len] == '|') + (wide && columns[len + 1]);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void pc_html_end_table(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

void pc_html_begin(FILE *out, const char *title)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '%s'; "
            "script-src '%s'; base-uri 'none'; form-action 'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n<title>perfcheck: ",
            style_hash, script_hash);
    pc_html_path(out, title);
    fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n", style);
}

void pc_html_end(FILE *out)
{
    fprintf(out, "</main>\n<footer>Made by perfcheck %s.</footer>\n<script>%s</script>\n</body>\n</html>\n",
            perfcheck_version(), script);
}
