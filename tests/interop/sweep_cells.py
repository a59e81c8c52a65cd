"""Cells of the sweep: one leaf of one item of a capture, with one value at a bound.

A leaf is a field as `perfcheck dump` names it, so leaves come from the tables of src/format: `record SAMPLE cpu`,
`feature NRCPUS online`, `attr sample_type`, `header attr_size`.  Indices are left out.  The members of a tracepoint's
payload come from the format text in the capture: `record SAMPLE raw.sched_switch.next_pid`.
"""
import collections
import json
import os
import re
import struct
import subprocess
import tempfile

Place = collections.namedtuple('Place', 'leaf kind item offset size type')
Cell = collections.namedtuple('Cell', 'leaf kind item offset value')     # value: the bytes that it puts there
Base = collections.namedtuple('Base', 'name data is_pipe order places facts')

HEAD = re.compile(r'^record \S+ (type|misc|size)$')
COPIES = 40     # of a rare record
LARGEST_DUMP = 30 << 20     # bytes
FORMAT_FIELD = re.compile(r'\tfield:(?P<type>[^;]*?) \*?(?P<name>\w+)(?:\[[^;]*\])?;'
                          r'\s*offset:(?P<offset>\d+);\s*size:(?P<size>\d+);')
# Words in the name of a leaf whose value perf takes for an index, a size or a divisor: these come first.
LIKELY = re.compile(r'cpu|nr|tid|pid|size|len|count|idx|index|type|id\b|core|socket|die|node|domain|map|shift|mult|cache|'
                    r'level|offset|entries|flags|data_src|priv|misc|ratio|weight|comm')
# Bounds: of the widths themselves, of pid, CPU and path (PID_MAX_LIMIT, MAX_NR_CPUS, TASK_COMM_LEN, PATH_MAX), and of enums,
# few of which have more than 40 members.
SMALL = [*range(2, 10), 15, 16, 17, 32, 33, 64, 65]
BOUNDS = [255, 256, 1024, 4096, 4097, 32767, 32768, 65536, 1 << 22, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
          1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63]
DOUBLES = [0.0, -0.0, 1.0, -1.0, 5e-324, 1.7e308, float('inf'), float('-inf'), float('nan')]
TEXTS = [b'', b'A', b'/', b'//', b'[', b'[]', b'%s%n', b'A' * 15, b'A' * 16, b'A' * 17, b':', b'@', b'[vdso]', b'//anon',
         b'/tmp/perf-1.map', b'[kernel.kallsyms]', b'[kernel.kallsyms]_text', b'[guest.kernel.kallsyms]', b'[x]', b'x.ko',
         b'[guest.kernel.kallsyms.1]', b'0', b'-1', b'4294967295', b'0-4294967295', b'0-8191', b'1,0', b'cpu', b'0x',
         b'99999999999999999999', b'\xff\xfe', b' ', b'\n']


def tracepoints(items):
    """{event name: [(name, offset, size, type)]} from the format texts of the trace data."""
    found = {}
    for item in items:
        for field in item['fields']:
            if not re.fullmatch(r'systems\[\d+\]\.events\[\d+\]\.format', field['name']):
                continue
            name = re.match(r'name: (\w+)', field['value'])
            if name:
                found[name[1]] = [(m['name'], int(m['offset']), int(m['size']), 'text' if 'char' in m['type'] else 'uint')
                                  for m in FORMAT_FIELD.finditer(field['value'])]
    return found


def items_of(perfcheck, path):
    """The lines of `perfcheck dump`; none for a capture with too many (compressed records may hold a lot)."""
    words = [perfcheck, 'dump', '--format=jsonl', path]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        text = process.stdout.read(LARGEST_DUMP)
        process.kill()
    if len(text) == LARGEST_DUMP:
        return []
    return [json.loads(line) for line in text.decode('utf-8', 'replace').split('\n') if line]


def places_of(items):
    """All places of the stream `data`, and what bounds depend on: numbers of CPUs, events and so on."""
    formats, places, facts = tracepoints(items), [], collections.Counter()
    for item in items:
        if item['stream'] != 'data':
            continue
        named = {'header': 'header', 'attr': 'attr'}.get(item['kind'], f'{item["kind"]} {item["name"]}')
        where = (item['kind'], item['offset'])
        if item['kind'] == 'attr':
            facts['attrs'] += 1
        for field in item['fields']:
            path = re.sub(r'\[\d+\]', '[]', field['name'])
            if field['offset'] >= item['offset'] + item['size'] and path.startswith('section.'):
                path = 'table.' + path
            event = str(item.get('event')).rpartition(':')[2]
            if path == 'raw' and event in formats:
                for name, offset, size, kind in formats[event]:
                    if offset + size <= field['size']:
                        at = field['offset'] + offset
                        places.append(Place(f'{named} raw.{event}.{name}', item['kind'], where, at, size, kind))
            if item['name'] == 'NRCPUS':
                facts['cpus'] = max(facts['cpus'], int(field['value']) if field['type'] == 'uint' else 0)
            if field['size']:
                place = Place(f'{named} {path}', item['kind'], where, int(field['offset']), field['size'], field['type'])
                places.append(place)
    return places, facts


def load(perfcheck, path, name):
    with open(path, 'rb') as file:
        data = file.read()
    order = '<' if data[:8] in (b'PERFILE2', b'PERFFILE') else '>'
    places, facts = places_of(items_of(perfcheck, path))
    places = [place for place in places if place.offset + place.size <= len(data)]
    is_pipe = len(data) >= 16 and struct.unpack_from(order + 'Q', data, 8)[0] == 16
    return Base(name, data, is_pipe, order, places, facts)


def copied(perfcheck, source, output, container):
    return subprocess.run([perfcheck, 'rewrite', '--force', f'--to={container}', source, output], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def repeated(items, data, name):
    """The bytes of a pipe in which each record of this name is there so often that it has COPIES places."""
    records = [item for item in items if item['kind'] == 'record' and item['name'] == name and item['stream'] == 'data']
    with_payload = {item['number'] for item in items if item['kind'] == 'payload'}
    if not records or len(records) >= COPIES or any(item['number'] in with_payload for item in records):
        return data
    for item in reversed(records):
        end = item['offset'] + item['size']
        data = data[:end] + data[item['offset']:end] * (COPIES // len(records)) + data[end:]
    return data


def multiply(perfcheck, path, leaves, folder):
    """A copy of the capture in which rare records are repeated, unless that is suspicious, so that one pack has room for all
    their values: made by perfcheck as a pipe, where records only follow each other.  The path itself if leaves get lost."""
    original = load(perfcheck, path, '')
    pipe, output = os.path.join(folder, 'pipe'), os.path.join(folder, 'made')
    if not copied(perfcheck, path, pipe, 'pipe'):
        return path
    for name in sorted({leaf.split(' ')[1] for leaf in leaves if leaf.startswith('record ') and 'HEADER_' not in leaf}):
        with open(pipe, 'rb') as file:
            data = file.read()
        more = repeated(items_of(perfcheck, pipe), data, name)
        before, after = warnings_of(perfcheck, [data, more])
        if more != data and after is not None and after == before:
            with open(pipe, 'wb') as file:
                file.write(more)
    if not copied(perfcheck, pipe, output, 'pipe' if original.is_pipe else 'file'):
        return path
    made = load(perfcheck, output, '')
    return output if leaves <= {place.leaf for place in made.places} else path


def integers(base, place, now):
    top = (1 << 8 * place.size) - 1
    values = [top, 0, 1, top >> 1, (top >> 1) + 1, top - 1, now + 1, now - 1, 2 * now]
    values += [base.facts[fact] + step for fact in ('cpus', 'attrs') for step in (-1, 0, 1)]
    values += BOUNDS + (SMALL if LIKELY.search(place.leaf) else [])
    if place.type == 'bits' or place.leaf.endswith(('flags', 'misc', 'data_src', '_type')):
        values += [now ^ 1 << bit for bit in range(8 * place.size)]
    return [value for value in dict.fromkeys(values) if 0 <= value <= top and value != now]


def values_of(base, place):
    """The bytes of each value at a bound, without the one that is there."""
    now = base.data[place.offset:place.offset + place.size]
    if place.type in ('uint', 'int', 'bits') and place.size in (1, 2, 4, 8):
        code = base.order + {1: 'B', 2: 'H', 4: 'I', 8: 'Q'}[place.size]
        return [struct.pack(code, value) for value in integers(base, place, struct.unpack(code, now)[0])]
    if place.type == 'double' and place.size == 8:
        values = [struct.pack(base.order + 'd', value) for value in DOUBLES]
    elif place.type == 'text':
        values = [text.ljust(place.size, b'\0') for text in TEXTS if len(text) < place.size]
        values += [b'A' * (place.size - 1) + b'\0', b'A' * place.size]
        if len(now) > 64:                       # a text with a grammar: numbers in it at their bounds
            numbers = sorted(set(re.findall(rb'\d+', now)))[:12]
            values += [now.replace(number, new.ljust(len(number)), 1) for number in numbers
                       for new in (b'0', b'-1', b'9' * len(number)) if len(new) <= len(number)]
    else:
        values = [bytes([byte]) * place.size for byte in (0, 1, 0x7f, 0x80, 0xff)]
    return [value for value in dict.fromkeys(values) if value != now]


def cells_of(base, rng, has):
    """Cells of all leaves for which has(leaf), in random places of the leaf, likely ones first."""
    by_leaf = collections.defaultdict(list)
    for place in base.places:
        if has(place.leaf):
            by_leaf[place.leaf].append(place)
    cells = []
    for leaf, places in by_leaf.items():
        late = rng.sample(places, min(len(places), 60))
        # Places of one leaf differ in size only if it is a text.
        values = values_of(base, late[0])
        for number, value in enumerate(values):
            place = late[number % len(late)]
            if len(value) != place.size:
                place = late[0]
            if base.data[place.offset:place.offset + place.size] != value:
                cells.append(Cell(leaf, place.kind, place.item, place.offset, value))
    rng.shuffle(cells)
    cells.sort(key=lambda cell: not LIKELY.search(cell.leaf))
    return cells


def apply(base, cells):
    data = bytearray(base.data)
    for cell in cells:
        data[cell.offset:cell.offset + len(cell.value)] = cell.value
    return bytes(data)


def warnings_of(perfcheck, captures):
    """For each capture (bytes) the number of its warnings; None: `perfcheck check` does not accept it."""
    with tempfile.TemporaryDirectory(prefix='sweep.') as folder:
        paths = []
        for number, data in enumerate(captures):
            paths.append(os.path.join(folder, f'{number}.data'))
            with open(paths[-1], 'wb') as file:
                file.write(data)
        done = subprocess.run([perfcheck, 'check', '--format=json', *paths], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
        results = json.loads(done.stdout)
        assert len(results) == len(captures)
        return [result['counts']['warning'] if result['verdict'] == 'valid' else None for result in results]


def accepted(perfcheck, captures):
    """For each capture (bytes) whether `perfcheck check` accepts it."""
    return [warnings is not None for warnings in warnings_of(perfcheck, captures)]


def acceptable(perfcheck, base, cells):
    """The cells that are accepted alone."""
    good = []
    step = max(1, min(400, 32 * 1024 * 1024 // len(base.data)))
    for start in range(0, len(cells), step):
        part = cells[start:start + step]
        verdicts = accepted(perfcheck, [apply(base, [cell]) for cell in part])
        good += [cell for cell, is_good in zip(part, verdicts) if is_good]
    return good


def overlap(cell, others):
    return any(cell.offset < other.offset + len(other.value) and other.offset < cell.offset + len(cell.value) for other in others)


def fits(cell, pack):
    """Whether a cell may be added: one per leaf of an item, and nothing beside the header of a record."""
    beside = [other for other in pack if other.item == cell.item]
    if any(other.leaf == cell.leaf for other in beside) or overlap(cell, beside):
        return False
    return not beside or not any(HEAD.search(each.leaf) for each in (cell, *beside))


def packs(perfcheck, base, cells, limit):
    """Lists of cells that are accepted together."""
    waiting = list(cells)
    while waiting:
        pack, by_item, left = [], collections.defaultdict(list), []
        for cell in waiting:
            if len(pack) < limit and fits(cell, by_item[cell.item]):
                pack.append(cell)
                by_item[cell.item].append(cell)
            else:
                left.append(cell)
        while len(pack) > 1 and not accepted(perfcheck, [apply(base, pack)])[0]:
            first, last = 0, len(pack)      # the shortest beginning that is refused: its last cell waits
            while last - first > 1:
                middle = (first + last) // 2
                if accepted(perfcheck, [apply(base, pack[:middle])])[0]:
                    first = middle
                else:
                    last = middle
            left.append(pack.pop(last - 1))
        yield pack
        waiting = left
