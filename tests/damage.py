"""Captures damaged at one place, and what a salvage of them must save.

A walker of its own, which shares no code with the program, finds the records of the original by their sizes. Each kind of
damage tells which bytes of the original it touches. A record that it does not touch must be in the copy, unless the damage
hides where a record ends (Damage.spare); a record that never was in the original must not.

It hides that in one case only: blocks are lost or inserted from a place in the header of a record on, or from its first byte.
The bytes there may as well belong to the record before, if that ends with a number like any other: the value of a count or of
a tracepoint, or an address that occurs once. It does not if it ends with a value that earlier records have there, too, or if
its fields show that it is whole (CONTRACT.md, section 5, rule 3 of --salvage)."""
import ctypes
import ctypes.util
import re
import struct
import subprocess
from collections import Counter
from pathlib import Path

HEADER_RECORDS = {64, 65, 66, 67, 80}  # a copy makes them anew
AUXTRACE_INFO, AUXTRACE, TRACING_DATA, HEADER_ATTR, FINISHED_ROUND = 70, 71, 66, 64, 68
COMPRESSED, COMPRESSED2 = 81, 83
THREAD_MAP, CPU_MAP, STAT_CONFIG, STAT = 73, 74, 75, 76
STAT_NEEDS = {THREAD_MAP, CPU_MAP, STAT_CONFIG}
HEADER = 104


class Zstd:
    """The content of a zstd stream whose pieces come one by one."""

    class Buffer(ctypes.Structure):
        _fields_ = [('at', ctypes.c_void_p), ('size', ctypes.c_size_t), ('pos', ctypes.c_size_t)]

    library = None

    def __init__(self):
        if not Zstd.library:
            Zstd.library = ctypes.CDLL(ctypes.util.find_library('zstd') or 'libzstd.so.1')
            Zstd.library.ZSTD_createDStream.restype = ctypes.c_void_p
            Zstd.library.ZSTD_decompressStream.restype = ctypes.c_size_t
            Zstd.library.ZSTD_decompressStream.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
            Zstd.library.ZSTD_freeDStream.argtypes = [ctypes.c_void_p]
        self.stream = ctypes.c_void_p(Zstd.library.ZSTD_createDStream())

    def __del__(self):
        Zstd.library.ZSTD_freeDStream(self.stream)

    def put(self, piece):
        room = ctypes.create_string_buffer(1 << 17)
        source = ctypes.create_string_buffer(piece, len(piece))
        taken = Zstd.Buffer(ctypes.addressof(source), len(piece), 0)
        content = b''
        while True:
            made = Zstd.Buffer(ctypes.addressof(room), len(room), 0)
            left = Zstd.library.ZSTD_decompressStream(self.stream, ctypes.byref(made), ctypes.byref(taken))
            if left > 1 << 63:
                raise ValueError('damaged zstd stream')
            content += room.raw[:made.pos]
            if taken.pos == len(piece) and made.pos < len(room):
                return content


class Record:
    """bytes: as the capture has it, its payload included. It is read from the bytes first to end of the file, which for
    the content of compressed records are those of its zstd frame so far."""

    def __init__(self, kind, content, first, end, at):
        self.kind, self.bytes, self.first, self.end, self.at = kind, content, first, end, at
        self.canonical = None


def walk(data, order, at, end):
    """(offset, end, type) of records one behind the other; payloads count as theirs."""
    while at + 8 <= end:
        kind, _, size = struct.unpack_from(order + 'IHH', data, at)
        if size < 8 or at + size > end:
            return
        stop = at + size
        if kind == AUXTRACE:
            stop += struct.unpack_from(order + 'Q', data, at + 8)[0]
        elif kind == TRACING_DATA:
            stop += (struct.unpack_from(order + 'I', data, at + 8)[0] + 7) & ~7
        yield at, stop, kind
        at = stop


class Capture:
    """The records of a file or pipe, found by their sizes alone."""

    def __init__(self, data, member_of=None):
        self.data = data
        self.order = member_of.order if member_of else '<' if data[:8] == b'PERFILE2' else '>'
        self.pipe = not member_of and struct.unpack_from(self.order + 'Q', data, 8)[0] == 16
        if member_of:
            self.start, self.end = 0, len(data)
        elif self.pipe:
            self.start, self.end = 16, len(data)
        else:
            head = struct.unpack_from(self.order + '13Q', data)
            self.start = head[5]
            self.end = head[5] + head[6] if head[6] else len(data)
        self.outer = list(walk(data, self.order, self.start, self.end))
        self.packed = any(kind in (COMPRESSED, COMPRESSED2) for _, _, kind in self.outer)
        self.records = []
        zstd, left, frame, begun = None, b'', 0, 0
        for at, end, kind in self.outer:
            if kind not in (COMPRESSED, COMPRESSED2):
                self.records.append(Record(kind, data[at:end], at, end, at))
                continue
            piece = data[at + 8:end]
            if kind == COMPRESSED2:
                piece = data[at + 16:at + 16 + struct.unpack_from(self.order + 'Q', data, at + 8)[0]]
            if zstd is None or piece[:4] == b'\x28\xb5\x2f\xfd':
                zstd, frame = Zstd(), at
            content = left + zstd.put(piece)
            stop = 0
            for a, b, inner in walk(content, self.order, 0, len(content)):
                self.records.append(Record(inner, content[a:b], frame, end, None))
                stop = b
            left = content[stop:]
        self.left = left

    def attr_places(self):
        """For range(): where the entries of the attr section of a file begin."""
        head = struct.unpack_from(self.order + '13Q', self.data)
        return head[3], head[3] + head[4], head[2]

    def content(self):
        return [r for r in self.records if r.kind not in HEADER_RECORDS]

    def needs_features(self, record):
        """Whether perf crashes on a record without some features: AUXTRACE_INFO."""
        return record.kind == AUXTRACE_INFO and not self.pipe

    def damageable(self):
        """Where the records begin without which no other is lost: attrs, and what the counts of perf stat need."""
        first = {HEADER_ATTR} if self.pipe else set()
        first |= STAT_NEEDS if any(kind == STAT for _, _, kind in self.outer) else set()
        after = [end for _, end, kind in self.outer if kind in first]
        return after[-1] if after else self.start


class Program:
    """perfcheck, and a folder for what it writes."""

    def __init__(self, program, scratch):
        self.program, self.scratch = program, Path(scratch)

    def run(self, *args, stdin=None):
        return subprocess.run([self.program, *map(str, args)], input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=600)

    def salvage(self, data, *options, name='in'):
        """The copy of what is left of some bytes, and what was said; None: nothing could be saved. The copy is valid."""
        path, out = self.scratch / (name + '.data'), self.scratch / (name + '.out')
        path.write_bytes(data)
        out.unlink(missing_ok=True)
        result = self.run('rewrite', '--salvage', *options, path, out)
        said = result.stderr.decode()
        assert result.returncode in (0, 1), said
        assert out.exists() == (result.returncode == 0), said
        if result.returncode != 0:
            return None, said
        check = self.run(out)
        assert check.returncode == 0, check.stdout.decode() + said
        assert path.read_bytes() == data
        return out.read_bytes(), said


    def told(self, name='in'):
        """How many records a salvage would save, as a check of the damaged capture says; None: it does not say."""
        found = re.search(r' # saves (\d+) records?', self.run(self.scratch / (name + '.data')).stdout.decode())
        return found and int(found[1])


class Original(Capture):
    """A capture, and its records as a copy has them."""

    def __init__(self, program, name, data):
        super().__init__(data)
        self.name = name
        copy, _ = program.salvage(data, '--decompress', name='whole')
        theirs, mine = Capture(copy).content(), self.content()
        assert len(theirs) == len(mine), f'{name}: {len(theirs)} {len(mine)}'
        for record, canonical in zip(mine, theirs):
            record.canonical = canonical.bytes

    def hides(self, at):
        """Whether damage from here on may hide where the record before ends: it begins in the header of the next one."""
        return any(0 <= at - a < 8 for a, _, _ in self.outer)

    def splices(self, start, end):
        """Whether a loss joins the beginning and the end of two records to what may be one. Its size is of either."""
        first = next((r for r in self.outer if r[0] < start < r[1]), None)
        if first is None:
            return False
        size = struct.unpack_from(self.order + 'H', (self.data[first[0]:start] + self.data[end:])[:8].ljust(8, b'\0'), 6)[0]
        return any(first[0] + size + end - start == b for _, b, _ in self.outer)

    def untouched(self, start, end):
        """Records of which no byte lies in a range of the file."""
        return [r for r in self.content() if r.end <= start or r.first >= end]


class Damage:
    """A damaged capture. wanted: records that must be saved; spare: so many of them may be lost, as the damage hides where
    they end; start: the first byte that differs."""

    def __init__(self, what, data, wanted, start, spare=0):
        self.what, self.data, self.wanted, self.start, self.spare = what, bytes(data), wanted, start, spare


def cut(o, random, at=None):
    at = random.randrange(o.damageable(), len(o.data)) if at is None else at
    return Damage(f'cut at {at}', o.data[:at], [r for r in o.content() if r.end <= at], at)


def killed(o, random):
    """data.size is written last, and then the features; perf may have died between them, or the disk was full."""
    if o.pipe:
        return None
    data = bytearray(o.data)
    data[48:56] = bytes(8)
    how = random.randrange(3)
    end = (len(data), o.end, random.randrange(o.start, o.end + 1))[how]
    return Damage(f'data.size 0, cut at {end}', data[:end], [r for r in o.content() if r.end <= end], end)


def block(o, random):
    return random.choice((512, 4096, 37, random.randrange(1, 6000)))


def zeroed(o, random):
    first, last = -(-o.damageable() // 512), o.end // 512
    if last <= first:
        return None
    at = random.randrange(first, last) * 512
    end = min(at + random.choice((512, 1024, 4096)), o.end)
    data = bytearray(o.data)
    data[at:end] = bytes(end - at)
    return Damage(f'zeros from {at} to {end}', data, o.untouched(at, end), at)


def lost(o, random):
    size = block(o, random)
    if o.end - size <= o.damageable() + 8:
        return None
    at = random.randrange(o.damageable() + 8, o.end - size)
    if o.splices(at, at + size):
        return None
    return Damage(f'{size} bytes lost at {at}', o.data[:at] + o.data[at + size:], o.untouched(at, at + size), at,
                  o.hides(at))


def inserted(o, random):
    size = block(o, random)
    at = random.randrange(o.damageable() + 8, o.end)
    return Damage(f'{size} bytes inserted at {at}', o.data[:at] + random.randbytes(size) + o.data[at:],
                  o.untouched(at, at), at, o.hides(at))


def wrong_size(o, random):
    outer = [r for r in o.outer if r[0] >= o.damageable()]
    if not outer:
        return None
    at, end, _ = random.choice(outer)
    data = bytearray(o.data)
    if random.random() < 0.5:
        bit = random.randrange(16)
        data[at + 6 + bit // 8] ^= 1 << bit % 8
    else:
        data[at + 6:at + 8] = random.randbytes(2)
    if data == o.data:
        return None
    return Damage(f'size {data[at + 6:at + 8].hex()} at {at}', data, o.untouched(at, end), at)


def header_word(o, random):
    if o.pipe:
        return None
    at = random.randrange(0, HEADER, 8)
    data = bytearray(o.data)
    damage = random.choice((bytes(8), b'\xff' * 8, random.randbytes(8), None))
    if damage is None:
        data[at + random.randrange(8)] ^= 1 << random.randrange(8)
    else:
        data[at:at + 8] = damage
    return Damage(f'header word at {at}: {data[at:at + 8].hex()}', data, o.content(), at)


def feature_table(o, random):
    bits = 0 if o.pipe else int.from_bytes(o.data[72:HEADER], 'little').bit_count()
    if bits == 0 or o.end + 16 * bits > len(o.data):
        return None
    at = o.end + 8 * random.randrange(2 * bits)
    size = random.choice((1, 8, 8, 16, 64))
    data = bytearray(o.data)
    size = min(size, o.end + 16 * bits - at)
    data[at:at + size] = random.choice((bytes(size), random.randbytes(size)))
    if data == o.data:
        return None
    return Damage(f'{size} bytes of the feature table at {at}', data, o.content(), at)


EVENT_DESC = 12


def attrs(o, random):
    """Attrs and ids of a file, which EVENT_DESC repeats."""
    if o.pipe or o.end == len(o.data) or not struct.unpack_from(o.order + 'Q', o.data, 72)[0] >> EVENT_DESC & 1:
        return None
    size = random.choice((1, 4, 8, 16, 64, 512))
    at = random.randrange(HEADER, o.start)
    end = min(at + size, o.start)
    data = bytearray(o.data)
    data[at:end] = random.choice((bytes(end - at), random.randbytes(end - at)))
    if data == o.data:
        return None
    return Damage(f'{end - at} bytes of the attrs at {at}: {data[at:at + 8].hex()}', data, o.content(), at)


def lost_before(o, random):
    """Bytes before the records, and perhaps the first of them: a word of the header, or ids and attrs, which EVENT_DESC
    repeats. All that follows comes too early."""
    size = random.choice((8, 8, 64, 512))
    if o.pipe or o.packed or o.end == len(o.data) or not struct.unpack_from(o.order + 'Q', o.data, 72)[0] >> EVENT_DESC & 1:
        return None
    at = random.randrange(16, 72, 8) if size == 8 and random.random() < .5 else random.randrange(HEADER, o.start)
    return Damage(f'{size} bytes lost before the records at {at}', o.data[:at] + o.data[at + size:], o.untouched(at, at + size), at,
                  at + size > o.start)


def inserted_before(o, random):
    """Bytes inserted before the records, in the header, in ids or attrs. All that follows comes too late."""
    size = random.choice((1, 3, 8, 8, 64, 512))
    if o.pipe or o.packed or o.end == len(o.data) or not struct.unpack_from(o.order + 'Q', o.data, 72)[0] >> EVENT_DESC & 1:
        return None
    at = random.randrange(16, HEADER) if random.random() < .5 else random.randrange(HEADER, o.start)
    return Damage(f'{size} bytes inserted before the records at {at}', o.data[:at] + random.randbytes(size) + o.data[at:], o.content(), at)


KINDS = (cut, killed, zeroed, lost, inserted, wrong_size, header_word, feature_table, attrs, lost_before, inserted_before)


def unseen(o, damage, record):
    """Whether a record of the copy is one of the original in which the damage changed nothing that shows."""
    for r in o.content():
        if r.at is not None and r.at < damage.start + 65536 and r.at + len(record) > damage.start - 8 and \
                len(r.canonical) == len(record) and r.bytes[:8] == record[:8]:
            return True
    return False


class Verdict:
    """What became of a damaged capture. Not good when records are lost that must be there, or are there that never were,
    unless the damage makes another sound capture."""

    def __init__(self, program, o, damage, *options, name='in'):
        copy, said = program.salvage(damage.data, '--decompress', *options, name=name)
        kept = [r.bytes for r in Capture(copy).content()] if copy else []
        known, wanted = Counter(r.canonical for r in o.content()), Counter(r.canonical for r in damage.wanted if not o.needs_features(r))
        invented, missing = Counter(kept) - known, wanted - Counter(kept)
        self.copy, self.kept, self.said = copy, kept, said
        self.lost = sum(missing.values())
        self.unseen = sum(n for record, n in invented.items() if unseen(o, damage, record))
        self.invented = sum(invented.values()) - self.unseen
        sound = self.lost > damage.spare and program.run(program.scratch / (name + '.data')).returncode == 0
        self.unseen += self.lost if sound else 0
        self.lost = 0 if sound else self.lost
        self.told = program.told(name)
        # In a pipe attrs and features are records, and COMPRESSED is one more when the copy is compressed as its original is.
        all_there = len(Capture(copy).records) if copy and o.pipe else len(kept)
        self.good_told = self.told is None or self.told - all_there in ((0, 1) if o.pipe and o.packed else (0,))
        self.places = [(r.kind, r.at) for r in o.content() if r.canonical in missing][:10]
        self.good = self.invented == 0 and self.lost <= damage.spare and self.good_told

    def __str__(self):
        return f'lost {self.lost} that were not touched, of {self.places}; {self.invented} that never were; ' \
               f'{len(self.kept)} saved, check says {self.told}\n{self.said}'
