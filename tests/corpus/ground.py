"""Compares the lines `finding:` of a recipe with the bytes of the recipe, without any output of perfcheck.

The assembler knows the position of each record, attr, feature and field. A finding must lie in the part that its path
names. If the path names a field that the assembler knows, its position and width must match. A number that was seen must
be in the bytes, read as SEEN says for the id. The expected value must differ from the one seen. Exceptions are listed
with their reasons.
"""
import re

DAMAGED = 'a damaged size: records are counted as they are found, and skipped bytes end anywhere'
OUTSIDE = {     # ids whose range need not lie in the part that the path names
    **dict.fromkeys(('PC0138', 'PC0201', 'PC0202', 'PC0204', 'PC0222', 'PC0224', 'PC0428', 'PC0520', 'PC0653',
                     'PC0720', 'PC0723', 'PC0903', 'PC0904'), DAMAGED),
    **dict.fromkeys(('PC0619', 'PC0695', 'PC1151'), 'the payload after the record'), 'PC0801': 'a table that the file does not reach',
    'PC0714': 'a record without an end is not counted', 'PC0805': 'the gap before the feature', 'PC0807': 'an unknown feature has no part', 'PC0151': 'the same', 'PC0804': 'its table entry',
    'PC1121': 'attr and ids', **dict.fromkeys(('PC0121', 'PC0329', 'PC0330', 'PC0803'), 'bytes shared with another part'),
}
MOVED = {'PC1404', 'PC1405', 'PC1424', 'PC1425', 'PC1426', 'PC1415', 'PC1418', 'PC1420', 'PC0145'}     # ids of captures in which parts are not where the tables say
# How to read the value seen from the bytes, if not by `value`. The ways are tried in this order.
SEEN = {
    **dict.fromkeys(('PC0102', 'PC0108', 'PC0128', 'PC0129', 'PC0135', 'PC0204', 'PC0214', 'PC0215', 'PC0222', 'PC0227',
                     'PC0412', 'PC0413', 'PC0414', 'PC0415', 'PC0419', 'PC0423', 'PC0426', 'PC0428', 'PC0517', 'PC0518',
                     'PC0519', 'PC0520', 'PC0533', 'PC0602', 'PC0609', 'PC0614', 'PC0624', 'PC0626', 'PC0641',
                     'PC0642', 'PC0654', 'PC0657', 'PC0671', 'PC0714', 'PC0724', 'PC0805', 'PC0809', 'PC0810', 'PC0811', 'PC0833',
                     'PC0143', 'PC0693', 'PC0721', 'PC0890', 'PC0895', 'PC0898', 'PC1411', 'PC1412', 'PC1416', 'PC1417', 'PC1174'), 'length'),
    **dict.fromkeys(('PC0209', 'PC0307', 'PC0308', 'PC0309', 'PC0310', 'PC0311', 'PC0511', 'PC0530', 'PC0806', 'PC0846', 'PC0870', 'PC1113',
                     'PC1114', 'PC1115', 'PC1136', 'PC1177', 'PC1178'), 'bits'),
    **dict.fromkeys(('PC0118', 'PC0124', 'PC0327', 'PC0802'), 'section'), 'PC0150': 'first_word',
    **dict.fromkeys(('PC0119', 'PC0122', 'PC0804', 'PC0837'), 'first_word'),
    **dict.fromkeys(('PC0123', 'PC1206', 'PC1211'), 'second_word'),
    **dict.fromkeys(('PC0138', 'PC0201', 'PC0202'), 'record_size'), 'PC0223': 'record_size half', 'PC0903': 'record_size left',
    **dict.fromkeys(('PC0508', 'PC0514', 'PC0707', 'PC0857'), 'rest'), 'PC0409': 'text_poke',
    **dict.fromkeys(('PC0403', 'PC0410', 'PC0632', 'PC0658', 'PC0659'), 'unset'),
    **dict.fromkeys(('PC0207', 'PC0208', 'PC0224'), 'half'),
    'PC0131': 'value second_word', 'PC1181': 'value first_word', 'PC0205': 'value record_size', 'PC0322': 'sample_id_all', 'PC0421': 'text', 'PC0432': 'text', 'PC0513': 'mask',
    'PC0608': 'cpumode', 'PC0616': 'length rest rest_after_snapshot', 'PC0623': 'fmt', 'PC0617': 'rest length', 'PC0807': 'feature', 'PC0151': 'feature', 'PC0808': 'feature',
    'PC0812': 'half', 'PC0815': 'half', **dict.fromkeys(('PC0221', 'PC0820'), 'length rest'), 'PC0852': 'value left', 'PC1127': 'half', 'PC0430': 'grown',
    'PC1128': 'bits', 'PC1129': 'mirrored', 'PC0823': 'value mirrored', 'PC0825': 'room',
}
COMPUTED = {    # ids whose value seen is not in the bytes
    'PC0106': 'little-endian, because the order is not known', 'PC0115': 'the number of attrs: size by entry size', 'PC0134': 'the number of names', 'PC0218': 'the first of two ids',
    'PC0328': 'the number of ids', 'PC0521': 'the number of an attr', 'PC0543': 'a part of the flags', 'PC1142': 'a part of the flags', 'PC1144': 'the number of a bit', 'PC0720': 'the missing bytes of a push', 'PC0723': 'a count of records',
    'PC0718': 'the content of the frames before it', 'PC0722': 'the content of the frames before it', 'PC0801': 'the end of the feature table', 'PC0821': 'counts may come before the current section',
    'PC0827': 'a number in the text', 'PC0875': 'a number in the text', 'PC0676': 'a count of records', 'PC0679': 'a product', 'PC0834': 'the end of the entry', 'PC0866': 'a number in the text',
    'PC1006': 'the number of a member', 'PC1013': 'entries of the directory', 'PC1019': 'the end of a segment',
    'PC1103': 'attr.size of the record', **dict.fromkeys(('PC1401', 'PC1402', 'PC1403'), 'bytes that are not there'),
    **dict.fromkeys(('PC1404', 'PC1405', 'PC1424', 'PC1425'), 'how far the feature table moved'), 'PC1426': 'the bytes that the record lacks', 'PC1421': 'the entries before it', 'PC1422': 'the records up to the data', 'PC1423': 'the records behind the data',
    **dict.fromkeys(('PC1408', 'PC1409', 'PC1410', 'PC1413'), 'a count over all bytes'),
    'PC0692': 'the sum over the pieces', 'PC0672': 'in the pieces before it', 'PC0887': 'a number of a message', 'PC0740': 'the first word of a CPU', 'PC0889': 'a part of the head of a field', 'PC0888': 'the sum over the files', 'PC0699': 'a count over all records', 'PC0727': 'the number of a line', 'PC0728': 'a CPU of the record', 'PC1179': 'a count over all records', 'PC0899': 'a number of a message, or one beside the place', 'PC0141': 'the length of what precedes the capture', 'PC0142': 'its own offset', 'PC1415': 'a count of bits', 'PC0144': 'the length of what precedes the records', 'PC1121': 'attr.size of the record', 'PC1214': 'the sum over all records', 'PC1220': 'the sum over all records', 'PC1219': 'the difference to the round before',
}
TEXTS = {       # ids whose value seen is text
    'PC0726': 'why',
    'PC1170': 'what the capture is',
    'PC1414': 'what is missing', 'PC0121': 'the name of the section', 'PC0103': 'the first bytes, as letters or as digits',
    'PC0104': 'the format that wraps the capture', 'PC0139': 'the format of the input', 'PC0318': 'the flags in conflict', 'PC0710': 'the message of libzstd',
    'PC0711': 'the message of libzstd', 'PC0862': 'the end of the text', 'PC0903': 'the size is missing', 'PC1101': 'the id of the finding', 'PC1124': 'the names of bits',
}
LIMITS = {      # ids whose expected value may equal the value seen, because a number below it was expected
    **dict.fromkeys(('PC0219', 'PC0534', 'PC0660'), 'CPUs count from 0'), 'PC0638': 'threads count from 0', 'PC0698': 'attrs count from 0', 'PC0812': 'nothing at all',
    'PC0502': 'the id begins where the record ends',
}

WAYS = {}


def way(function):
    WAYS[function.__name__] = function
    return function


class Place:
    """A finding and the bytes of its stream."""
    def __init__(self, done, finding):
        self.asm, self.finding = done.member_of(finding.stream), finding
        inside = re.search(r'records\[(\d+)\]$', finding.stream)
        self.base = content_of(self.asm, int(inside[1])) if inside else 0
        self.start = (self.base or 0) + finding.offset
        self.end = self.start + finding.length

    def number(self, at, width):
        return int.from_bytes(self.asm.out[at:at + width], self.asm.capture_order)

    def parts(self):
        """Start and end of what the path names, if the assembler knows it; else an empty list: anywhere."""
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
    """The start of the content of a compressed record, or None if it is not contiguous in the recipe."""
    start, end = asm.labels[f'rec{number}'], asm.labels[f'rec{number}.end']
    places = [at for name, at in asm.labels.items() if name.endswith('.content') and start <= at <= end]
    return places[0] if len(places) == 1 else None


@way
def value(place):
    """the number there"""
    return [place.number(place.start, place.finding.length)] if place.finding.length in (1, 2, 4, 8) else []


@way
def length(place):
    """the length of the finding"""
    return [place.finding.length]


@way
def text_poke(place):
    """room for the old or new code of TEXT_POKE at its length: two lengths, the code, 32 bytes of sample_id"""
    old = place.asm.labels['rec0.body'] + 8
    room = place.asm.labels['rec0.end'] - 32 - (old + 4)
    return [room if place.start == old else room - place.number(old, 2)]


@way
def left(place):
    """bytes from the start of the finding to the end of the part"""
    return [end - place.start for _, end in place.parts()]


@way
def rest(place):
    """bytes from the end of the finding to the end of the part"""
    return [end - place.end for _, end in place.parts()]


@way
def rest_after_snapshot(place):
    """the same after the next word: CoreSight has one between the number of CPUs and the CPUs"""
    return [left_over - 8 for left_over in rest(place)]


@way
def fmt(place):
    """the sixth word of the AUXTRACE_ERROR at its size"""
    return [place.number(place.start - 6 + 28, 4)]


@way
def section(place):
    """the end of the section with the offset and size there"""
    return [min(place.number(place.start, 8) + place.number(place.start + 8, 8), (1 << 64) - 1)]


@way
def first_word(place):
    return [place.number(place.start, 8)]


@way
def second_word(place):
    return [place.number(place.start + 8, 8)]


@way
def half(place):
    """the u32 there"""
    return [place.number(place.start, 4)]


@way
def record_size(place):
    """the size in the record header there"""
    return [place.number(place.start + 6, 2)]


@way
def unset(place):
    """the first byte that is not zero"""
    return [byte for byte in place.asm.out[place.start:place.end] if byte][:1]


@way
def text(place):
    """the length of the text there"""
    return [place.asm.out[place.start:place.end].find(0)]


@way
def grown(place):
    """bytes after a text and its padding, or all"""
    return [place.finding.length - (text(place)[0] // 8 + 1) * 8, place.finding.length]


@way
def bits(place):
    """some bits of the number there; for bit-fields as a little-endian machine reads them"""
    number, seen = value(place), int(place.finding.seen, 0)
    if place.asm.capture_order == 'big' and place.asm.both:
        return [seen]       # checked in the little-endian capture of the recipe
    return [seen] if number and seen & number[0] == seen != 0 else []


@way
def mirrored(place):
    """the bits in reverse order"""
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
    """The numbers that may be seen there, by the ways of the id; a field may be signed."""
    for name in SEEN.get(place.finding.name, 'value').split():
        for number in WAYS[name](place):
            yield number
            yield number - (1 << 8 * place.finding.length)


def shown_bytes(data):
    """Bytes as perfcheck shows them in JSON."""
    return data.decode('utf-8', errors='backslashreplace').replace('\0', r'\x00')


def known_field(place):
    """The label of the field that the path names, or None."""
    path = re.sub(r'^attrs\[(\d+)\]\.', r'attr\1.', place.finding.path)
    path = re.sub(r'^features\.EVENT_DESC\.events\[(\d+)\]\.attr\.', r'desc\1.', path)
    return path if path in place.asm.widths and not path.startswith('records') else None


def is_joined(place):
    """Whether it is about a record whose pieces came before: SPLIT_END has none of its bytes."""
    return place.finding.length == 8 and place.finding.path.startswith('records[') and place.number(place.start, 4) == 32773


def problems_of(done, finding):
    """What is wrong in a line `finding:` of an assembled recipe, as texts."""
    place, name, texts = Place(done, finding), finding.name, []
    if place.base is None:      # not contiguous
        return []
    size = max(len(place.asm.out), place.asm.extended or 0)
    if place.end > size and name not in OUTSIDE:
        texts.append(f'the range ends at {place.end}, the file at {size}')
    parts = [] if any(other.name in MOVED for other in done.findings) else place.parts()
    if parts and name not in OUTSIDE and not any(start <= place.start and place.end <= end for start, end in parts):
        texts.append(f'the range {place.start} to {place.end} is not in {finding.path}: {parts}')
    field = known_field(place)
    if field and (place.asm.labels[field], place.asm.widths[field]) != (place.start, finding.length):
        texts.append(f'{field} is at {place.asm.labels[field]} and has {place.asm.widths[field]} bytes')
    if re.fullmatch(r'-?\d+|0x[0-9a-f]+', finding.seen):
        if name not in COMPUTED and not is_joined(place) and not finding.path.startswith('features.ETM_BRANCH_LIST.') and int(finding.seen, 0) not in numbers_of(place):
            texts.append(f'seen is {finding.seen}, the bytes have {list(numbers_of(place))[::2]}')
    elif finding.seen and name not in TEXTS and finding.seen not in shown_bytes(place.asm.out):
        texts.append(f'seen is {finding.seen}, which is not in the bytes')
    if finding.seen and finding.seen == finding.wanted and name not in LIMITS:
        texts.append('seen equals expected')
    return [f'{finding.word()}: {text}' for text in texts]
