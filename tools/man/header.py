"""The page of a C header: what its comments say, next to what they are about."""
import re

from roff import escape

# A comment, a declaration with its braces, or a line of the preprocessor, each from the left margin on.
TOKEN = re.compile(r'/\*(?P<comment>.*?)\*/|(?P<declaration>^(?:PERFCHECK_API|typedef|enum)\b(?:[^;{]*\{[^}]*\})?[^;]*;)'
                   r'|(?P<define>^#define PERFCHECK_VERSION [^\n]*)', re.M | re.S)


def text(page, comment, leads=False):
    """Adds a comment. leads: a paragraph begins with its subject, as in "Errors. Functions that ..."."""
    lines = [re.sub(r'^ ?\*? ?', '', line).rstrip() for line in comment.strip().split('\n')]
    for block in re.split(r'\n\n+', '\n'.join(lines).strip('\n')):
        said = ' '.join(block.split('\n'))
        lead = re.match(r'([A-Z][a-z]+\.) (.*)', said) if leads else None
        if block.startswith('    '):
            page.code([line[4:] for line in block.split('\n')])
        else:
            page.paragraph(rf'\fB{lead[1]}\fR {escape(lead[2])}' if lead else escape(said))


def prototype(page, declaration):
    lines = declaration.removeprefix('PERFCHECK_API ').split('\n')
    page.begin()
    page.lines += ['.nf', *(r'\&\fB' + escape(line) + r'\fR' for line in lines), '.fi']


def describe(page, source):
    """Adds the header to the page. Comments `--- subject ---` begin sections."""
    page.head('SYNOPSIS')
    page.code(['#include <perfcheck.h>', '', 'cc program.c $(pkg-config --cflags --libs perfcheck)'])
    page.head('DESCRIPTION')
    said = None
    for token in TOKEN.finditer(source):
        comment, declaration = token['comment'], token['declaration'] or token['define']
        if comment is not None:
            title = re.fullmatch(r' --- (.*) --- ', comment)
            if said:  # of no declaration
                text(page, said)
            said = None if title or 'SPDX' in comment else comment
            if title:
                page.head(title[1].upper())
            elif 'SPDX' in comment:
                about = comment.partition('perfcheck.h: ')[2]
                text(page, about[0].upper() + about[1:], leads=True)
            continue
        prototype(page, declaration)
        if said:
            text(page, said)
        said = None
