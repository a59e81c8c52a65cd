/* SPDX-License-Identifier: MIT
 *
 * html.h: pieces of an HTML page that needs nothing from outside. Whatever a text holds, it stays inside its
 * element or attribute.
 */
#ifndef PC_HTML_H
#define PC_HTML_H

#include <stdint.h>
#include <stdio.h>

/* A text of the library: UTF-8 without control characters. No ## comes out: it begins commands of CI
 * services. */
void pc_html_text(FILE *out, const char *text);

/* A path or a command with paths, which may hold any bytes. */
void pc_html_path(FILE *out, const char *path);

/* "12,345 bytes (12 KiB)". */
void pc_html_size(FILE *out, uint64_t bytes);

/* A cell with a number. */
void pc_html_number(FILE *out, uint64_t n);

/* A cell with a bar: how much of `all` this is. */
void pc_html_bar(FILE *out, uint64_t n, uint64_t all);

/* A table that scrolls by itself where it is wider than the page. columns: their names, with | between them;
 * one without a name belongs to the one before; after > the numbers of a column are on the right. */
void pc_html_table(FILE *out, const char *caption, const char *columns);
void pc_html_end_table(FILE *out);

/* All before the content, and after it. title: a path. */
void pc_html_begin(FILE *out, const char *title);
void pc_html_end(FILE *out);

#endif
