"""What a line `finding:` of a recipe says, held against the bytes of the recipe: no output of perfcheck is looked at.

The assembler knows where each record, attr, feature and field stands. A finding lies in the part that its path names; a
field that the assembler knows has its place and width; a number that was seen is read from the bytes, in the way that
SEEN gives for the id; what was expected is something else than what was seen. Exceptions are listed with their reasons.
"""
import re

DAMAGED = 'a damaged size: records are counted as they are found, and what is skipped ends anywhere'
OUTSIDE = {     # ids whose range need not lie in the part that the path names
    **dict.fromkeys(('PC0138', 'PC0201', 'PC0202', 'PC0204', 'PC0222', 'PC0224', 'PC0428', 'PC0520', 'PC0653',
                     'PC0720', 'PC0903', 'PC0904'), DAMAGED),
    'PC0619': 'the payload behind the record', 'PC0801': 'a table that the file ends before',
    'PC0805': 'the gap before the feature', 'PC0807': 'an unknown feature has no part', 'PC0804': 'its entry of the table',
    'PC1121': 'attr and ids', **dict.fromkeys(('PC0121', 'PC0329', 'PC0330', 'PC0803'), 'bytes that something else has as well'),
}
# How to read what was seen in the bytes, where it is not `value`. The first is tried, then the next.
SEEN = {
    **dict.fromkeys(('PC0102', 'PC0108', 'PC0128', 'PC0129', 'PC0135', 'PC0204', 'PC0214', 'PC0215', 'PC0221', 'PC0222',
                     'PC0412', 'PC0413', 'PC0414', 'PC0415', 'PC0419', 'PC0423', 'PC0426', 'PC0428', 'PC0517', 'PC0518',
                     'PC0519', 'PC0520', 'PC0533', 'PC0602', 'PC0609', 'PC0614', 'PC0624', 'PC0626', 'PC0641',
                     'PC0642', 'PC0654', 'PC0657', 'PC0714', 'PC0805', 'PC0809', 'PC0810', 'PC0811', 'PC0833'), 'length'),
    **dict.fromkeys(('PC0209', 'PC0307', 'PC0308', 'PC0309', 'PC0310', 'PC0311', 'PC0511', 'PC0530', 'PC0806', 'PC0846', 'PC0870', 'PC1113',
                     'PC1114', 'PC1115', 'PC1124', 'PC1136'), 'bits'),
    **dict.fromkeys(('PC0118', 'PC0124', 'PC0327', 'PC0802'), 'section'),
    **dict.fromkeys(('PC0119', 'PC0122', 'PC0804', 'PC0837'), 'first_word'),
    **dict.fromkeys(('PC0123', 'PC1206', 'PC1211'), 'second_word'),
    **dict.fromkeys(('PC0138', 'PC0201', 'PC0202'), 'record_size'), 'PC0903': 'record_size left',
    **dict.fromkeys(('PC0508', 'PC0514', 'PC0707', 'PC0857'), 'behind'), 'PC0409': 'text_poke',
    **dict.fromkeys(('PC0403', 'PC0410', 'PC0632', 'PC0658', 'PC0659'), 'unset'),
    **dict.fromkeys(('PC0207', 'PC0208', 'PC0224'), 'half'),
    'PC0131': 'value second_word', 'PC0205': 'value record_size', 'PC0322': 'sample_id_all', 'PC0421': 'text', 'PC0513': 'mask',
    'PC0608': 'cpumode', 'PC0616': 'length behind behind_snapshot', 'PC0623': 'fmt', 'PC0617': 'behind length', 'PC0807': 'feature', 'PC0808': 'feature',
    'PC0812': 'half', 'PC0815': 'half', 'PC0820': 'length behind', 'PC0852': 'value left', 'PC1127': 'half', 'PC0430': 'grown',
    'PC1128': 'bits', 'PC1129': 'mirrored', 'PC0823': 'value mirrored', 'PC0825': 'room',
}
COMPUTED = {    # ids of which what was seen stands nowhere
    'PC0106': 'little-endian, as the order is not known', 'PC0115': 'the number of attrs: size by size of an entry', 'PC0134': 'the number of names', 'PC0218': 'the first of two ids',
    'PC0328': 'the number of ids', 'PC0521': 'the number of an attr', 'PC0720': 'what is missing of a push',
    'PC0718': 'what the frames before it give', 'PC0801': 'the end of the feature table', 'PC0821': 'counts may stand before the section that is at hand',
    'PC0827': 'a number in the text', 'PC0834': 'the end of the entry', 'PC0866': 'a number in the text',
    'PC1006': 'the number of a member', 'PC1013': 'entries of the directory', 'PC1019': 'the end of a segment',
    'PC1103': 'attr.size of the record', 'PC1121': 'attr.size of the record', 'PC1214': 'the sum over all records',
}
TEXTS = {       # ids that say in words what was seen
    'PC0104': 'the format that wraps the capture', 'PC0318': 'the flags in conflict', 'PC0710': 'what libzstd says',
    'PC0711': 'what libzstd says', 'PC0903': 'the size is not there', 'PC1101': 'the finding that is meant',
}
LIMITS = {      # ids of which what was expected may be what was seen: a number below it was
    **dict.fromkeys(('PC0219', 'PC0534', 'PC0660'), 'CPUs count from 0'), 'PC0638': 'threads count from 0', 'PC0812': 'nothing at all',
    'PC0502': 'the id begins where the record ends',
}

WAYS = {}


def way(function):
    WAYS[function.__name__] = function
    return function


class Place:
    """A finding and the bytes that it is in: those of its stream."""
    def __init__(self, done, finding):
        self.asm, self.finding = done.member_of(finding.stream), finding
        inside = re.search(r'records\[(\d+)\]$', finding.stream)
        self.base = content_of(self.asm, int(inside[1])) if inside else 0
        self.start = (self.base or 0) + finding.offset
        self.end = self.start + finding.length

    def number(self, at, width):
        return int.from_bytes(self.asm.out[at:at + width], self.asm.capture_order)

    def parts(self):
        """Start and end of what the path names, as far as the assembler knows it; none: anywhere."""
        labels = self.asm.labels
        record = re.match(r'records\[(\d+)\]', self.finding.path)
        if record and f'rec{record[1]}' in labels:
            return [(labels[f'rec{record[1]}'], labels[f'rec{record[1]}.end'])]
        attr = re.match(r'attrs\[(\d+)\]', self.finding.path)
        if attr and f'attr{attr[1]}' in labels:
            name = f'attr{attr[1]}'
            parts = [(labels[name], labels[name] + self.asm.room(self.asm.attr_words[name]) + 16)]
            if f'{name}.idarray' in labels:
                parts.append((labels[f'{name}.idarray'], labels['attrs']))
            return parts
        feature = re.match(r'features\.(\w+)', self.finding.path)
        if feature and f'feature.{feature[1]}' in labels:
            name = feature[1]
            parts = [(labels[f'feature.{name}'], labels[f'feature.{name}.end'])]
            if f'table.{name}' in labels:
                parts.append((labels[f'table.{name}'], labels[f'table.{name}'] + 16))
            return parts
        return []


def content_of(asm, number):
    """Where the content of a compressed record begins, or None when it is not one run of bytes in the recipe."""
    start, end = asm.labels[f'rec{number}'], asm.labels[f'rec{number}.end']
    places = [at for name, at in asm.labels.items() if name.endswith('.content') and start <= at <= end]
    return places[0] if len(places) == 1 else None


@way
def value(place):
    """the number that stands there"""
    return [place.number(place.start, place.finding.length)] if place.finding.length in (1, 2, 4, 8) else []


@way
def length(place):
    """how many bytes it is about"""
    return [place.finding.length]


@way
def text_poke(place):
    """bytes for the old or new code of TEXT_POKE, whose length stands there: both lengths, the code, 32 bytes of sample_id"""
    old = place.asm.labels['rec0.body'] + 8
    room = place.asm.labels['rec0.end'] - 32 - (old + 4)
    return [room if place.start == old else room - place.number(old, 2)]


@way
def left(place):
    """bytes from there to the end of the part"""
    return [end - place.start for _, end in place.parts()]


@way
def behind(place):
    """bytes from the end of it to the end of the part"""
    return [end - place.end for _, end in place.parts()]


@way
def behind_snapshot(place):
    """the same from the next word on: CoreSight has one between the number of CPUs and the CPUs"""
    return [left_over - 8 for left_over in behind(place)]


@way
def fmt(place):
    """the sixth word of AUXTRACE_ERROR, whose size stands there"""
    return [place.number(place.start - 6 + 28, 4)]


@way
def section(place):
    """the end of the section of which offset and size stand there"""
    return [min(place.number(place.start, 8) + place.number(place.start + 8, 8), (1 << 64) - 1)]


@way
def first_word(place):
    return [place.number(place.start, 8)]


@way
def second_word(place):
    return [place.number(place.start + 8, 8)]


@way
def half(place):
    """the u32 that stands there"""
    return [place.number(place.start, 4)]


@way
def record_size(place):
    """size of the record whose header stands there"""
    return [place.number(place.start + 6, 2)]


@way
def unset(place):
    """the first byte that is not zero"""
    return [byte for byte in place.asm.out[place.start:place.end] if byte][:1]


@way
def text(place):
    """length of the text that stands there"""
    return [place.asm.out[place.start:place.end].find(0)]


@way
def grown(place):
    """bytes behind a text and its padding, or all"""
    return [place.finding.length - (text(place)[0] // 8 + 1) * 8, place.finding.length]


@way
def bits(place):
    """some of the bits of the number that stands there; of bit-fields: on a little-endian machine"""
    number, seen = value(place), int(place.finding.seen, 0)
    if place.asm.capture_order == 'big' and place.asm.both:
        return [seen]       # the little-endian capture of the recipe was looked at
    return [seen] if number and seen & number[0] == seen != 0 else []


@way
def mirrored(place):
    """the bits in reverse"""
    width = 8 * place.finding.length
    return [int(f'{number:0{width}b}'[::-1], 2) for number in value(place)]


@way
def sample_id_all(place):
    """bit 18 of the flags of an attr"""
    number = place.number(place.start, 8)
    return [number >> (18 if place.asm.capture_order == 'little' else 63 - 18) & 1]


@way
def cpumode(place):
    return [place.number(place.start, 2) & 7]


@way
def mask(place):
    """bits of a register mask in an attr"""
    return [bin(place.asm.value(options[name])).count('1') for options in place.asm.attr_words.values()
            for name in ('sample_regs_user', 'sample_regs_intr') if name in options]


@way
def feature(place):
    """number of a feature, in a record before its content"""
    named = re.fullmatch(r'features\.(\d+)', place.finding.path)
    return [int(named[1])] if named else [place.number(place.start - 8, 8), 129]


@way
def room(place):
    return [place.asm.room(place.asm.attr_words['desc0'])]


def numbers_of(place):
    """What may be seen there, by the ways of its id; a field may be signed."""
    for name in SEEN.get(place.finding.name, 'value').split():
        for number in WAYS[name](place):
            yield number
            yield number - (1 << 8 * place.finding.length)


def shown_bytes(data):
    """Bytes as perfcheck shows them in JSON: what is no UTF-8 is left out."""
    return data.decode('utf-8', errors='ignore')


def known_field(place):
    """Label of the field that the path names, when the assembler has one."""
    path = re.sub(r'^attrs\[(\d+)\]\.', r'attr\1.', place.finding.path)
    path = re.sub(r'^features\.EVENT_DESC\.events\[(\d+)\]\.attr\.', r'desc\1.', path)
    return path if path in place.asm.widths and not path.startswith('records') else None


def problems_of(done, finding):
    """What a line `finding:` of an assembled recipe says that is not so, as texts."""
    place, name, texts = Place(done, finding), finding.name, []
    if place.base is None:      # several runs of bytes
        return []
    size = max(len(place.asm.out), place.asm.extended or 0)
    if place.end > size and name not in OUTSIDE:
        texts.append(f'the range ends at {place.end}, the bytes at {size}')
    parts = place.parts()
    if parts and name not in OUTSIDE and not any(start <= place.start and place.end <= end for start, end in parts):
        texts.append(f'the range {place.start} to {place.end} is not in {finding.path}: {parts}')
    field = known_field(place)
    if field and (place.asm.labels[field], place.asm.widths[field]) != (place.start, finding.length):
        texts.append(f'{field} stands at {place.asm.labels[field]} in {place.asm.widths[field]} bytes')
    if re.fullmatch(r'-?\d+|0x[0-9a-f]+', finding.seen):
        if name not in COMPUTED and int(finding.seen, 0) not in numbers_of(place):
            texts.append(f'seen is {finding.seen}, the bytes say {list(numbers_of(place))[::2]}')
    elif finding.seen and name not in TEXTS and finding.seen not in shown_bytes(place.asm.out):
        texts.append(f'seen is {finding.seen}, which is not in the bytes')
    if finding.seen and finding.seen == finding.wanted and name not in LIMITS:
        texts.append('seen is what was expected')
    return [f'{finding.word()}: {text}' for text in texts]
