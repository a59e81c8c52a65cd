"""How judge-rewrite compares what two perfs print, and which differences are none of the rewriter's.

A rule hides no more than its reason says: it is for one view, often for one side alone, and what it takes away is compared
with what the other side prints elsewhere where perf prints it at all.  Each rule has a defect in planted_rewrites.py that
it must not hide.

A rule is tried only where the two outputs differ, on both of them, and counts as used only where they would differ
without it.
"""
import re
import struct

import conversions


class Pair:
    """What is compared: a capture read by `readers.first`, and its copy read by `readers.second`."""

    def __init__(self, capture, kind, readers, view, command, copy, ask=None):
        """ask(view, is_copy): the lines that the perf of this side prints for another view."""
        self.capture, self.kind, self.readers, self.view, self.command, self.copy = capture, kind, readers, view, command, copy
        self.ask = ask
        self.lines = [], []     # all that both perfs printed: set by compare()

    def container(self, is_copy):
        return self.copy.container if is_copy else self.capture.container

    def head(self, is_copy):
        """The file with the header."""
        return conversions.head_of(self.copy.path if is_copy else self.capture.path)

    def differs(self, bit):
        """Have some events this bit of sample_type, and others not?"""
        return len({bit in event['sample_type'] for event in self.capture.info['events']}) == 2

    def has(self, *records):
        return any(name in self.capture.info['records']['by_type'] for name in records)


class Rule:
    """name, reason; change(lines, is_copy, pair): new lines; views it is for (all when none); when(pair): for which."""

    def __init__(self, name, reason, change, views=(), when=lambda pair: True):
        self.name, self.reason, self.change, self.views, self.when = name, reason, change, views, when

    def applies(self, pair):
        return (not self.views or pair.view in self.views) and self.when(pair)


# ---- ways to change lines ---------------------------------------------------------------------------------------

def is_side(pair, is_copy, copy, pipe):
    """copy: the copy alone (True) or the original alone (False); pipe: a pipe alone, or what is none."""
    return copy in (None, is_copy) and pipe in (None, pair.container(is_copy) == 'pipe')


def is_remark(line, pattern):
    """A line of stderr, which only a pattern that speaks of such lines is for."""
    return line.startswith('! ') and '! ' not in pattern


def drop(pattern, copy=None, pipe=None, most=None):
    """Lines that match are not compared: at most so many of them."""
    wanted = re.compile(pattern)

    def change(lines, is_copy, pair):
        if not is_side(pair, is_copy, copy, pipe):
            return lines
        gone = {at for at, line in enumerate(lines) if wanted.search(line)}
        gone = set(sorted(gone)[:most])
        return [line for at, line in enumerate(lines) if at not in gone]
    return change


def replace(pattern, by, copy=None, pipe=None):
    wanted = re.compile(pattern)

    def change(lines, is_copy, pair):
        return [line if is_remark(line, pattern) else wanted.sub(by, line) for line in lines] if is_side(pair, is_copy, copy, pipe) else lines
    return change


def layout_numbers(lines, is_copy, pair):
    """Numbers from the header of the current file."""
    if pair.container(is_copy) == 'pipe':
        return lines
    head = pair.head(is_copy).read_bytes()[:104]
    start, size = struct.unpack_from('<2Q' if head[:8] == b'PERFILE2' else '>2Q', head, 40)
    right = {f'# data offset    : {start}', f'# data size      : {size}', f'# feat offset    : {start + size}'}
    return [line.split(':')[0] + ': as in the header' if line in right else line for line in lines]


def without_counts(*names):
    """`report --stats` as if these types of records had not been there: shares are left out, the total is less."""
    def change(lines, is_copy, pair):
        kept, gone, total = [], 0, None
        for line in lines:
            count = re.match(r' *(\w+) events: +(\d+)(?: +\( *[\d.]+%\))?$', line)
            if not count:
                kept.append(line)
            elif count[1] == 'TOTAL' and total is None:
                total = len(kept), int(count[2])
                kept.append(line)
            elif count[1] in names:
                gone += int(count[2])
            else:
                kept.append(f'{count[1]} events: {count[2]}')
        if total:
            kept[total[0]] = f'TOTAL events: {total[1] - gone}'
        return kept
    return change


def without_vdso_trouble(lines, is_copy, pair):
    """Without the message of perf after the MMAP2 record of a vdso, and only there."""
    return [line for before, line in zip([''] + lines, lines)
            if not (line == 'problem processing PERF_RECORD_MMAP2, skipping event.' and before.endswith('[vdso]'))]


def without_ip_of_other_types(lines, is_copy, pair):
    """Samples without their last column."""
    names = [re.escape(event['name']) for event in pair.capture.info['events'] if event['name'] and event['type'] >= 6]
    if not names:
        return lines
    ip = re.compile(f'( (?:{"|".join(names)}):) +[0-9a-f]*$')
    return [ip.sub(r'\1', line) for line in lines]


def without_lost_names(lines, is_copy, pair):
    """Samples of threads without those names that are missing in the original."""
    if not is_copy:
        pair.nameless = {found[1] for line in lines if (found := re.match(r' +:(\d+) +\d+/\1 ', line))}
    def bare(line):
        found = re.match(r' +\S.*?( +\d+/(\d+) .*)', line)
        return found[1] if found and found[2] in pair.nameless else line
    return [bare(line) for line in lines]


HEADER_RECORDS = {64: 'ATTR', 65: 'EVENT_TYPE', 66: 'TRACING_DATA', 67: 'BUILD_ID', 80: 'FEATURE'}
HEX = re.compile(r'\.  [0-9a-f]{4}: ((?: [0-9a-f]{2})+)')


def build_id_in(raw):
    """What buildid-list would print for a HEADER_BUILD_ID record: its id, with the length in the record, and its name."""
    content = bytes.fromhex(''.join(found[1] for line in raw if (found := HEX.match(line))))
    # misc SIZE: the length of the id is in the byte after it
    size = min(content[32], 20) if 0x80 in content[4:6] else 20
    return f'{content[12:12 + size].hex()} {content[36:].split(bytes(1))[0].decode("latin-1")}'


def blocks(lines):
    """A dump in pieces: the name of a header record or None, and its lines.  Records are printed twice, as bytes when they
    are read and by their meaning when they are used; of header records the second alone is kept, and for HEADER_BUILD_ID,
    of which perf prints no meaning, that of its bytes is added."""
    found, inside, is_raw, raw = [], None, False, []
    for line in lines:
        event = re.search(r'\[\w*\]: (?:event: (\d+)$|PERF_RECORD_(\w+))', line)
        if event:
            name = HEADER_RECORDS.get(int(event[1])) if event[1] else event[2]
            inside = name if name in HEADER_RECORDS.values() else None
            is_raw = inside is not None and event[1] is not None
            if is_raw:
                raw = []
        if line.startswith('! '):   # of stderr, and the status
            inside, is_raw = None, False
        if event or not found or found[-1][0] != inside:
            found.append((inside, []))
        if is_raw:
            raw.append(line)
        elif line:
            found[-1][1].append(line)
            if event and inside == 'BUILD_ID':
                found[-1][1].append('... build id: ' + build_id_in(raw))
    return [(inside, some) for inside, some in found if some]


def without_bytes(lines, is_copy, pair):
    """Without the bytes of records, but for HEADER_BUILD_ID, whose meaning is not printed."""
    kept, is_build_id = [], False
    for line in lines:
        event = re.search(r'\]: event: (\d+)$', line)
        is_build_id = event[1] == '67' if event else is_build_id
        if is_build_id or not HEX.match(line):
            kept.append(line)
    return kept


def with_needed_size(lines, is_copy, pair):
    """HEADER_BUILD_ID records of the original with the size that their name needs; those of the copy must have it."""
    kept, raw = [], []
    for line in lines:
        if line.endswith(']: event: 67'):
            raw = []
        raw.append(line)
        if not is_copy and line.endswith(']: PERF_RECORD_BUILD_ID'):
            name = build_id_in(raw).split(' ', 1)[1].encode('latin-1')
            line = re.sub(r'\[0x[0-9a-f]+\](?=: PERF_RECORD_BUILD_ID$)', f'[{(36 + (len(name) + 8 & -8) + 7 & -8):#x}]', line)
        kept.append(line)
    return kept


def as_in(view, lines, is_copy, pair):
    """These lines after the rules of another view."""
    for rule in RULES:
        if view in rule.views and rule.when(pair):
            lines = rule.change(lines, is_copy, pair)
    return lines


def of_header(records, is_copy, pair):
    """What header records mean, as the other views print it."""
    features, attrs, build_ids = [], [], []
    for name, some in records:
        if name == 'FEATURE':
            first = some[0].split('PERF_RECORD_FEATURE', 1)[1].removeprefix(', ')
            features += [line for line in [first, *some[1:]] if line.startswith('# ') and not line.startswith('! ')]
        elif name == 'ATTR':
            text = some[0].split('PERF_RECORD_ATTR', 1)[1].removeprefix(', ')
            attrs.append('NAME: ' + text.replace(' = ', ': ') if text else '')
        elif name == 'BUILD_ID':
            build_ids.append(some[1].removeprefix('... build id: '))
    return as_in('header', features, is_copy, pair), as_in('evlist', attrs, is_copy, pair), build_ids


def attrs_listed(pair, is_copy):
    return [re.sub(r'^.*?(?=: type: \d)', 'NAME', line)
            for line in as_in('evlist', [line for line in pair.ask('evlist', is_copy) if re.search(r': type: \d', line)], is_copy, pair)]


def without_header_records(lines, is_copy, pair):
    """Without header records that say what the other side has in its header.  In front are those that do not: features
    that perf does not print for the other side, attrs that are not its attrs, build ids that it has not."""
    found = blocks(lines)
    kept = [line for inside, some in found if not inside for line in some]
    records = [(inside, some) for inside, some in found if inside]
    if not records:
        return kept
    other = not is_copy
    features, attrs, build_ids = of_header(records, is_copy, pair)
    others = of_header([(inside, some) for inside, some in blocks(pair.lines[other]) if inside], other, pair)
    header = {*as_in('header', pair.ask('header', other), other, pair), *others[0]}
    wrong = [f'this side alone: {line}' for line in features if line not in header]
    if attrs:
        listed = attrs_listed(pair, other)
        if not others[1] and (len(attrs) != len(listed) or any(attrs) and attrs != listed):
            wrong += [f'attrs: {line}' for line in attrs] + [f'attrs of the other side: {line}' for line in listed]
    if build_ids:
        listed = {*build_ids_of(pair.ask('build-ids', other)), *others[2]}
        wrong += [f'this side alone: {line}' for line in build_ids_of(build_ids) if line not in listed]
    return wrong + kept


def build_ids_of(lines):
    return sorted({re.sub(r'/tmp/perf-vdso\.so-\w{6}$', '[vdso]', line) for line in lines if not line.startswith('! ')})


def header_records_last(lines, is_copy, pair):
    """Header records sorted, after all others."""
    found = blocks(lines)
    return [line for inside, some in found if not inside for line in some] + sorted(
        '\n'.join(some) for inside, some in found if inside)


def with_build_ids_of_records(lines, is_copy, pair):
    """Build ids, each once; for the original also those of HEADER_BUILD_ID records in its data."""
    if is_copy:
        return build_ids_of(lines) + [line for line in lines if line.startswith('! ')]
    content = pair.head(False).read_bytes()
    order = '<' if content[:8] == b'PERFILE2' else '>'
    at, size = struct.unpack_from(order + '2Q', content, 40)
    end, found = at + size, []
    while at + 8 <= end:
        kind, misc, size = struct.unpack_from(order + 'IHH', content, at)
        if kind == 67:
            length = min(content[at + 32], 20) if misc & 0x8000 else 20
            name = content[at + 36:at + size].split(bytes(1))[0].decode('latin-1')
            found.append(f'{content[at + 12:at + 12 + length].hex()} {name}')
        if kind in (66, 71) or size < 8:    # what follows them is not in their size
            break
        at += size
    return build_ids_of([*lines, *found]) + [line for line in lines if line.startswith('! ')]


def late_samples(lines, exits):
    """Samples of a thread after its EXIT, as (line number, name, tid and time)."""
    time = None
    for at, line in enumerate(lines):
        if event := re.match(r'(?:-?\d+ )*(\d+) (?:AT|0x[0-9a-f]+(?:@\S+)?) \[0x', line):
            time = int(event[1]) // 1000
        if found := re.fullmatch(r' \.\.\. thread: (.*):(\d+)', line):
            name, tid, when = found[1], int(found[2]), time
        elif found := re.match(r' *(\S.*?) +\d+/(\d+) .*?(\d+)\.(\d{6}): ', line):
            name, tid, when = found[1], int(found[2]), int(found[3] + found[4])
        else:
            continue
        if when is not None and tid in exits and when >= exits[tid]:
            yield at, name, (tid, when)


def without_late_names(lines, is_copy, pair):
    """Names of samples after the EXIT of their thread where the pipe has none."""
    exits = {}
    for line in pair.ask('dump', False):
        if found := re.match(r'(?:-?\d+ )*(\d+) 0x[0-9a-f]+(?:@\S+)? \[0x[0-9a-f]+\]: PERF_RECORD_EXIT\(\d+:(\d+)\)', line):
            exits.setdefault(int(found[2]), int(found[1]) // 1000)
    pipe = pair.lines[pair.container(True) == 'pipe']
    nameless = {key for _, name, key in late_samples(pipe, exits) if name == f':{key[0]}'}
    changed = list(lines)
    for at, name, key in late_samples(lines, exits):
        if key in nameless:
            changed[at] = re.sub(rf'^( \.\.\. thread: |) *{re.escape(name)} *', r'\1NAME ', lines[at])
    return changed


# ---- for which comparisons ---------------------------------------------------------------------------------------

def is_swap(pair):
    return pair.kind.swaps


def is_opened(pair):
    return pair.capture.is_compressed and pair.kind.opens


def has_folded(pair):
    return not pair.capture.is_pipe and pair.copy.container != 'pipe' and pair.has('HEADER_ATTR', 'HEADER_EVENT_TYPE', 'HEADER_TRACING_DATA', 'HEADER_BUILD_ID',
                                                 'HEADER_FEATURE')


def is_pipe(pair):
    return pair.capture.is_pipe and pair.copy.container == 'pipe'


def has_names_of_reader(pair):
    return is_swap(pair) or pair.readers.version == '7.2'


def is_across(pair):
    """A pipe on one side, a seekable capture on the other."""
    return pair.capture.is_pipe != (pair.copy.container == 'pipe')


def is_directory(pair):
    return pair.capture.container == 'directory'


def is_packed(pair):
    return pair.kind.packs and not pair.capture.is_compressed


def is_packed_again(pair):
    return pair.kind.packs and pair.capture.is_compressed


RULES = [
    Rule('hex-dump', 'bytes as they lie in the capture have its byte order; what they mean is printed below them',
         without_bytes, ['dump'], is_swap),
    Rule('place-in-file', 'the place of a record in the file is printed with it; parts before it may have moved',
         replace(r'^((?:-?\d+ ){0,2}|! )(?:0x[0-9a-f]+|0)(@\S+)? \[0x', r'\1AT [0x'), ['dump']),
    Rule('vdso-file', 'the vdso of a process is shown as that of the perf that reads, as a file made for the moment',
         replace(r'/tmp/perf-vdso\.so-\w{6}$', '[vdso]'), ['dump', 'build-ids']),
    Rule('vdso-none', 'a perf of another machine cannot make that file: it reports that nothing is at the address',
         replace(r'(?<=^ \.\.\.\.\.\. dso: )(?:\[vdso\]|<not found>|/tmp/perf-vdso\.so-\w{6})$', 'VDSO'), ['dump'], is_swap),
    Rule('vdso-mmap', 'and it reports this after the MMAP2 record of the vdso, which it has printed completely', without_vdso_trouble,
         ['dump'], is_swap),
    Rule('vdso-symbol', 'and has no symbols of it, which perf prints in call chains of pipes though none were asked for',
         replace(r'^(\t +[0-9a-f]+) (?:\[unknown\]|__vdso_\w+)$', r'\1'), ['script'], is_swap),
    Rule('layout-numbers', 'where the data begin and end: true for each of both files', layout_numbers, ['header']),
    Rule('compressed-feature', 'decompressed: the feature COMPRESSED is gone',
         drop(r'^# compressed : Zstd, ', copy=False), ['header'], is_opened),
    Rule('compressed-missing', 'decompressed: the feature is listed as missing',
         replace(r'^(# missing features: .*)\bCOMPRESSED ', r'\1', copy=True), ['header'], is_opened),
    Rule('compressed-counts', 'opened: the wrappers are gone, their content is the same',
         without_counts('COMPRESSED', 'COMPRESSED2'), ['counts'], is_opened),
    Rule('folded-counts', 'header records in the data of a file are part of its header in the copy (CONTRACT.md 5)',
         without_counts('ATTR', 'EVENT_TYPE', 'TRACING_DATA', 'BUILD_ID', 'FEATURE'), ['counts'], has_folded),
    Rule('folded-dump', 'as before: they are part of the header in the copy', without_header_records, ['dump'], has_folded),
    Rule('folded-build-ids', 'as before: build ids of records are in the feature BUILD_ID of the copy', with_build_ids_of_records,
         ['build-ids'], has_folded),
    Rule('pipe-compressed', 'decompressed: the feature COMPRESSED is gone; older perfs print only its size',
         drop(r'PERF_RECORD_FEATURE, # compressed : Zstd, |\[0x24\]: PERF_RECORD_FEATURE$', copy=False, most=1), ['dump'], lambda pair: is_pipe(pair) and is_opened(pair)),
    Rule('pipe-tracing-data', 'TRACING_DATA has 12 bytes in copies, 16 in pipes of some perfs (FORMAT.md 3.6)',
         replace(r'\[0x10\](?=: PERF_RECORD_TRACING_DATA$)', '[0xc]', copy=False), ['dump'], is_pipe),
    Rule('pipe-build-id', 'HEADER_BUILD_ID of perf inject has uninitialised bytes after the name; the copy has the size '
         'that the name needs', with_needed_size, ['dump'], is_pipe),
    Rule('other-order-build-id', 'perf 7.2 of the other order reports that it does not swap HEADER_BUILD_ID after the name; the copy has '
         'nothing after the name, or no such record', drop(r'^! swap_sample_id_all: unaligned sample_id_all remainder', copy=False),
         (), lambda pair: pair.kind.name == 'canonical' and pair.has('HEADER_BUILD_ID')),
    Rule('for-attr-size', 'attrs have the size that the older perf knows', replace(
        r'(?<=[ ,])size(?::| =) (?:128|136|144)(?=,)|(?<=\[)0x[0-9a-f]+(?=\]: PERF_RECORD_(?:ATTR|FEATURE(?:$|, # event : )))',
        'SIZE'), ['header', 'evlist', 'dump'], lambda pair: pair.kind.may_refuse),
    Rule('for-newer-features', 'features that the older perf does not know are left out (CONTRACT.md 5)', drop(
        r'^# (?:e_machine :|  e_flags :|cacheline size:|schedstat version\t|Maximum sched domains\t|cpu\t|nr_domains\t|Domain\t|Domain (?:name|cpu map|cpu list) +:)',
        copy=False), ['header'], lambda pair: pair.kind.may_refuse),
    Rule('for-newer-missing', 'and are listed as missing', replace(
        r'(?<= )(?:CPU_DOMAIN_INFO|E_MACHINE|CLN_SIZE) ', ''), ['header'], lambda pair: pair.kind.may_refuse),
    Rule('pipe-order', 'header records of a pipe stand where perf record 7.2 puts them (CONTRACT.md 5)', header_records_last, ['dump'],
         is_pipe),
    Rule('end-mark-5.10', 'perf 7.2 takes the end mark of 6.1 and 6.12, which copies of old pipes have, for a feature, and goes on (FORMAT.md 6.3)',
         drop(r'^! Invalid HEADER_CPU_DOMAIN_INFO: section too small \(0\)', copy=True), (), lambda pair: is_pipe(pair) and '5.10-' in pair.capture.name),
    Rule('unwind-platform', 'which foreign stacks perf can unwind depends on how it was built; in a pipe it does not try',
         drop(r'^! unwind: target platform=\S+ is not supported'), ['script', 'dump', 'samples'],
         lambda pair: is_swap(pair) or pair.readers.is_cross or is_across(pair)),
    Rule('register-names', 'registers of a sample have the names of the machine that reads, and for perf 7.2 those of a process '
         'that has the pid of the sample while it reads; their values and order stay',
         replace(r' +(?:unknown|[A-Z][A-Z0-9]*):(?=0x)', ' REG:'), ['script'], has_names_of_reader),
    Rule('register-names-dumped', 'the same in a dump', replace(r'^\.\.\.\. (?:unknown|[A-Z][A-Z0-9]*) +(?=0x)', '.... REG '),
         ['dump'], has_names_of_reader),

    # A pipe and a file or directory.
    Rule('across-layout', 'a pipe has no layout to be printed, or zeros', drop(
        r'^# (?:header version|data offset|data size|feat offset) +: |^# =+$|^#$', pipe=False), ['header'], is_across),
    Rule('across-no-layout', 'as before', drop(
        r'^# (?:header version +: 1|(?:data offset|data size|feat offset) +: 0)$|^# =+$|^#$', pipe=True), ['header'], is_across),
    Rule('across-bits', 'perf prints bits of the feature bitmap without content, and those that are not set, of files alone',
         drop(r'^# (?:missing features: |contains (?:AUX area data|stat data|samples with branch stack))', pipe=False), ['header'], is_across),
    Rule('across-counts', 'header records of a pipe are the header of a file', without_counts(*HEADER_RECORDS.values()),
         ['counts'], is_across),
    Rule('across-dump', 'as before', without_header_records, ['dump'], is_across),
    Rule('across-names', 'perf evlist does not give to events of a pipe the names that EVENT_DESC of the same pipe has',
         replace(r'^.*?(?=: type: \d)', 'NAME'), ['evlist'], is_across),
    Rule('across-short-attr', 'perf 6.1 and 6.12 take the ids after a shorter attr of a pipe for the rest of the attr (fixed in '
         '7.2)', replace(r', sig_data: \d+$', '', pipe=True), ['evlist'], lambda pair: is_across(pair) and pair.readers.version != '7.2'),
    Rule('across-stats-names', 'nor does perf report --stats', replace(r'^(?!Aggregated ).* stats:$', 'NAME stats:'), ['counts'],
         is_across),
    Rule('across-aux', 'and what the numbers leave out it tells by the bit of AUXTRACE in files alone', replace(
        r'^(Aggregated stats:) \(excludes AUX area .*', r'\1', pipe=False), ['counts'], is_across),
    Rule('across-bpf', 'the full name of a program is in BPF_BTF, which comes after BPF_PROG_INFO in a pipe; perf prints each when '
         'it comes', replace(r'^(# (?:bpf_prog_info \d+|\tsub_prog \d+): bpf_prog_[0-9a-f]{16}_\w{1,15})\w*', r'\1'), ['header'], is_across),
    Rule('across-cpu', 'whether records have a cpu perf asks the first attr of a pipe, and all of a file', replace(
        r'^\d+ (?=-?\d+ AT \[)', ''), ['dump'], lambda pair: is_across(pair) and pair.differs('CPU')),
    Rule('across-exited', 'a pipe shows no names of samples later than the EXIT of their thread, those of perf inject neither',
         without_late_names, ['dump', 'samples', 'script'], lambda pair: is_across(pair) and pair.has('EXIT')),
    Rule('across-groups', 'perf evlist looks for groups before it has read GROUP_DESC of a pipe',
         drop(r"^# Tip: use 'perf evlist -g' to show group information$", pipe=False), ['evlist'], is_across),
    Rule('across-nrcpus', 'perf 7.2 misses NRCPUS in a file before it reads on, in a pipe never',
         drop(r'^! WARNING: perf.data is missing HEADER_NRCPUS, using MAX_NR_CPUS', pipe=False), (), is_across),
    Rule('across-end-mark', 'perf 7.2 takes the end mark of older pipes for a feature, and goes on (FORMAT.md 6.3)',
         drop(r'^! Invalid HEADER_CPU_DOMAIN_INFO: section too small \(0\)', pipe=True), (), is_across),
    Rule('across-symbols', 'perf script prints symbols of addresses in a pipe though none were asked for; the addresses stay',
         replace(r'^(\t +[0-9a-f]+) (?:\[unknown\]|[A-Za-z_.]\S*)(?=$| \(inlined\)$)'
         r'|(: +[0-9a-f]+) (?:\[unknown\]|[A-Za-z_.]\S*)$|(?<=[0-9a-f]) (?:\[unknown\]|\w[\w.@]+)(?=$|  )', r'\1\2', pipe=True),
         ['script'], lambda pair: is_across(pair) and not pair.has('STAT')),    # else a name after a count is that of an event
    Rule('across-script-names', 'and gives no names of EVENT_DESC when fields are asked for with a plus', replace(
        r' +([\w./-]+?)(?::[ukhHGpPIDWeb]+)?: ', r' \1: '), ['script'],
         lambda pair: is_across(pair) and any(word.endswith('-dso') for word in pair.command)),
    Rule('across-ip', 'perf script learns how to print ip of events of a pipe when it sees the attr, but not of other types than '
         'the six fixed ones (builtin-script.c: process_attr)', without_ip_of_other_types, ['script'], is_across),
    Rule('across-ordering', 'perf says what it does without timestamps when it opens a file; of a pipe it knows no attr then',
         drop(r'^WARNING: No sample_id_all support, falling back to unordered processing$', pipe=False), ['dump'], is_across),

    # A directory and what it becomes.
    Rule('directory-format', 'the feature DIR_FORMAT, which a file does not have', drop(r'^# directory data version : '), ['header'],
         is_directory),
    Rule('directory-missing', 'and is listed as missing', replace(r'^(# missing features: .*)\bDIR_FORMAT ', r'\1'), ['header'],
         is_directory),

    # Made compressed.
    Rule('packed-feature', 'the feature COMPRESSED, which only the copy has', drop(r'^# compressed : Zstd, ', copy=True), ['header'],
         is_packed),
    Rule('packed-missing', 'and is no longer listed as missing', replace(r'^(# missing features: .*)\bCOMPRESSED ', r'\1', copy=False),
         ['header'], is_packed),
    Rule('packed-counts', 'the wrappers are new, their content is the same', without_counts('COMPRESSED', 'COMPRESSED2'), ['counts'],
         lambda pair: not pair.kind.opens and (pair.kind.packs or pair.capture.is_compressed)),
    Rule('packed-pipe', 'as before, in a pipe', drop(r'PERF_RECORD_FEATURE, # compressed : Zstd, |\[0x24\]: PERF_RECORD_FEATURE$',
         copy=True, most=1), ['dump'], lambda pair: is_packed(pair) and is_pipe(pair)),
    Rule('packed-again', 'the level, the ratio and the size of the buffer are those of rewrite', replace(
        r'^# compressed : Zstd, .*', '# compressed : Zstd'), ['header'], is_packed_again),

    # For an older perf.
    Rule('cross-types', 'they know other types of events', drop(r"^! 'trace' not valid for \w+(?:-\w+)* events. Ignoring.$"),
         ['samples'], lambda pair: pair.readers.is_cross),
    Rule('cross-exited', 'perf 6.1 names a thread after its EXIT, in its own captures too, where 6.12 and 7.2 do not',
         without_lost_names, ['samples'], lambda pair: pair.readers.is_cross and pair.has('EXIT')),
    Rule('cross-blanks', 'versions of perf print other columns', replace(r'\s+', ' '), ['samples'],
         lambda pair: pair.readers.is_cross),
]


def compare(rules, pair, left, right):
    """'same', 'explained' or 'different', the names of the rules that were needed, and both outputs after all rules."""
    def status(printed):
        return [f'! status {printed.status}']

    first, second = left.lines + status(left), right.lines + status(right)
    pair.lines = first, second
    if first == second:
        return 'same', (), first, second
    rules = [rule for rule in rules if rule.applies(pair)]

    def after(some):
        a, b = first, second
        for rule in some:
            a, b = rule.change(a, False, pair), rule.change(b, True, pair)
        return a, b

    a, b, changed = first, second, []
    for rule in rules:
        x, y = rule.change(a, False, pair), rule.change(b, True, pair)
        if (x, y) != (a, b):
            changed.append(rule)
        a, b = x, y
    if a != b:
        return 'different', (), a, b
    needed = list(changed)      # each that changed nothing is not among them: there are many rules, and long outputs
    for rule in changed:
        fewer = [other for other in needed if other is not rule]
        x, y = after(fewer)
        if x == y:
            needed = fewer
    return 'explained', tuple(rule.name for rule in needed), a, b
