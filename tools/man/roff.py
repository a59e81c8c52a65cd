"""Manual pages in man(7): a page that is written line by line, and the Markdown of the documents as such a page."""
import re
import textwrap

WIDTH = 78
# Documents that are pages.
PAGES = {'src/CONTRACT.md': 'perfcheck(1)', 'CONTRACT.md': 'perfcheck(1)', 'src/format/FORMAT.md': 'perf.data(5)',
         'format/FORMAT.md': 'perf.data(5)', 'FORMAT.md': 'perf.data(5)', 'perfcheck.h': 'libperfcheck(3)'}


def escape(text):
    """Plain text, so that roff prints just these characters."""
    text = ''.join({'\\': r'\e', '-': r'\-', "'": r'\(aq', '`': r'\(ga', '^': r'\(ha', '~': r'\(ti'}.get(c, c) for c in text)
    return re.sub(r'[^\x00-\x7f]', lambda c: f'\\[u{ord(c[0]):04X}]', text)


def inline(text):
    """Markdown within a paragraph: code, bold and italic words."""
    def one(found):
        code, bold, italic, special = found.groups()
        if code is not None:
            return r'\fB' + escape(PAGES.get(code, code)).replace('  ', r'\~\~') + r'\fR'  # the lines below keep one blank of two
        if bold is not None:
            return r'\fB' + inline(bold).replace(r'\fR', r'\fB') + r'\fR'
        if italic is not None:
            return r'\fI' + escape(italic) + r'\fR'
        return escape(special)
    parts = re.split(r'(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[^*\s][^*]*\*|\\[\\|<>*_`])', text)
    for i, part in enumerate(parts):
        if i % 2:
            part = re.sub(r'^`(.+)`$|^\*\*(.+)\*\*$|^\*(.+)\*$|^\\(.)$', one, part, flags=re.S)
        else:
            part = escape(re.sub(r'\b(?:src/)?(?:format/)?(?:FORMAT|CONTRACT)\.md\b', lambda name: PAGES[name[0]], part))
        parts[i] = part
    return ''.join(parts)


def plain(text):
    """The same without fonts, for a table or a heading."""
    return re.sub(r'\\f[BIR]', '', inline(text))


def cells_of(line):
    """The cells of a row of a Markdown table."""
    return [cell.strip() for cell in re.split(r'(?<!\\)\|', line.strip())[1:-1]]


class Page:
    def __init__(self, name, section, summary, version, date):
        self.lines = ["'\\\" t", f'.TH {name.upper()} {section} {date} "perfcheck {version}"']
        self.head('NAME')
        self.lines.append(f'{name} \\- {escape(summary)}')

    def head(self, title, level=1):
        words = '"' + plain(title).replace('"', r'\(dq') + '"'
        self.lines.append(f'.{"SH" if level == 1 else "SS"} {words}')

    def text(self, roff):
        """Lines of a paragraph, broken at spaces."""
        for line in textwrap.wrap(' '.join(roff.split()), WIDTH, break_long_words=False, break_on_hyphens=False):
            self.lines.append(r'\&' + line if line[0] in ".'" else line)

    def begin(self):
        """A new paragraph."""
        if not self.lines[-1].startswith(('.SH', '.SS')):
            self.lines.append('.PP')

    def paragraph(self, roff):
        self.begin()
        self.text(roff)

    def item(self, tag, roff):
        """A word or a mark, and what is said about it."""
        self.lines.append('.TP')
        self.lines.append(r'\&' + tag if tag[0] in ".'" else tag)
        if roff:
            self.text(roff)

    def bullet(self, mark, roff):
        self.lines.append(f'.IP {mark} 4')
        self.text(roff)

    def code(self, lines):
        """Lines as they are."""
        self.begin()
        self.lines += ['.RS 4', '.nf'] + [r'\&' + escape(line) if line else '' for line in lines] + ['.fi', '.RE']

    def table(self, head, rows):
        """A table that fits the screen, or else a list of the rows."""
        if any(len(row) != len(head) for row in rows):
            raise ValueError(f'a table whose rows differ in length: {head}')
        widths = [max(len(plain_text(row[i])) for row in [head, *rows]) for i in range(len(head))]
        if sum(widths) + 3 * len(head) <= WIDTH - 7:
            self.begin()
            self.lines += ['.TS', 'tab(\t);', ' '.join('lB' for _ in head), ' '.join('l' for _ in head) + '.']
            self.lines += ['\t'.join(r'\&' + inline(cell) for cell in row) for row in ([head] if any(head) else []) + rows]
            self.lines += ['.TE']
            return
        italic = [r'\fI' + plain(name) + r'\fR' for name in head]
        self.item(italic[0], ', '.join(italic[1:]))
        for row in rows:
            said = [(name, cell) for name, cell in zip(italic[1:], row[1:]) if cell]
            self.item(r'\fB' + plain(row[0] or '–') + r'\fR', '')
            for i, (name, cell) in enumerate(said):
                self.lines += ['.br'] if i else []
                self.text((name + ': ' if len(head) > 2 else '') + inline(cell))

    def see_also(self, *names):
        self.head('SEE ALSO')
        self.text(', '.join(rf'\fB{escape(name)}\fR({section})' for name, section in names))

    def bytes(self):
        return ('\n'.join(self.lines) + '\n').encode('ascii')


def plain_text(cell):
    """A cell as long as it is printed."""
    return re.sub(r'`|\*\*|\\(?=[|<>])', '', cell)


def blocks(text):
    """Splits Markdown into (kind, lines)."""
    for block in re.split(r'\n(?:[ \t]*\n)+', text.strip('\n')):
        group = []
        for line in block.split('\n'):
            kind, last = kind_of(line), kind_of(group[0]) if group else None
            if group and (kind in ('head', 'table') or last in ('head', 'table') or kind == 'list' and last != 'list') and kind != last:
                yield last, group
                group = []
            group.append(line)
        yield kind_of(group[0]), group


def kind_of(line):
    if line.startswith('    '):
        return 'code'
    if line.startswith(('#', '|')):
        return 'head' if line[0] == '#' else 'table'
    if re.match(r'\s*(?:[*-]|\d+\.) ', line):
        return 'list'
    return 'rule' if re.fullmatch(r'-{3,}', line) else 'text'


def markdown(page, text, level=2):
    """Adds the text to the page. Headings of this level begin a section."""
    for kind, lines in blocks(text):
        if kind == 'head':
            marks, _, title = lines[0].partition(' ')
            page.head(title, len(marks) - level + 1)
        elif kind == 'code':
            page.code([line[4:] for line in lines])
        elif kind == 'table':
            page.table(cells_of(lines[0]), [cells_of(line) for line in lines[2:]])
        elif kind == 'list':
            deep = 0
            for indent, mark, said in re.findall(r'^( *)([*-]|\d+\.) ((?:.*)(?:\n(?! *(?:[*-]|\d+\.) ).*)*)', '\n'.join(lines), re.M):
                nested = 1 if len(indent) > 1 else 0
                page.lines += ['.RS 4'] * (nested - deep) + ['.RE'] * (deep - nested)
                deep = nested
                page.bullet(r'\(bu' if mark in '*-' else mark, inline(said))
            page.lines += ['.RE'] * deep
        elif kind == 'text':
            page.paragraph(inline(' '.join(lines)))
