"""hotspot-perfparser as a reader: the samples that it hands to hotspot, decoded from its output.

Its output is "QPERFSTREAM" with a NUL, a version of four bytes, then messages: a little-endian u32 length, a byte that
says the type, and big-endian fields as a QDataStream has them.  Strings, events and places in programs are messages of
their own, which others name by number.  Numbers go by the order in which things are met: so each sample is given here
with what its numbers stand for.  The exit status says nothing: what was not read shows in samples that are missing.
"""
import collections
import os
import struct
import subprocess
import tempfile

import oracles

TIMEOUT = 60    # seconds; it may hang on what it does not know
MAGIC = b'QPERFSTREAM\0'
LOCATION, STRING, ATTRIBUTES, SAMPLE, TRACEPOINT_SAMPLE = 3, 5, 11, 13, 14


class Sample(collections.namedtuple('Sample', 'head frames guessed costs values')):
    """head: pid, tid, time, cpu; frames: places; costs: events and numbers; values: of a tracepoint, by name."""

    def without_features(self):
        """What does not depend on features, which it takes from files alone.  EVENT_DESC has the names of events.  VERSION tells
        how long to wait for maps before the program of an address is looked for; and one place of a program has one
        address, that of the process in which it was found first."""
        return self._replace(frames=tuple(place and address(place[0]) for place in self.frames),
                             costs=tuple(number for _, number in self.costs))


def address(number):
    """Of the kernel all of it, else where in its page."""
    return number if number >> 63 else number % 4096


class Message:
    """Fields of a message, from the first on."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        value, = struct.unpack_from('>' + form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def bytes(self):
        length = self.take('I')
        if length == 0xffffffff:
            return b''
        self.at += length
        return self.data[self.at - length:self.at]

    def variant(self):
        kind, _ = self.take('I'), self.take('B')
        if kind in VARIANTS:
            return self.take(VARIANTS[kind])
        if kind == 9:    # a list
            return tuple(self.variant() for _ in range(self.take('I')))
        if kind in (10, 12):    # text, bytes
            return self.bytes()
        raise ValueError(f'a value of type {kind}')


VARIANTS = {1: '?', 2: 'i', 3: 'I', 4: 'q', 5: 'Q', 6: 'd', 31: 'b', 33: 'h', 34: 'b', 36: 'H', 37: 'B', 38: 'f'}


def messages(data):
    if not data.startswith(MAGIC):
        raise ValueError('no stream')
    at = len(MAGIC) + 4
    while at < len(data):
        length, = struct.unpack_from('<I', data, at)
        if length == 0 or length > len(data) - at - 4:
            raise ValueError('the stream is cut off')
        yield data[at + 4], Message(data[at + 5:at + 4 + length])
        at += 4 + length


class Stream:
    """What was told so far."""

    def __init__(self, data):
        self.strings, self.events, self.places, self.samples = {}, {}, {}, []
        for kind, message in messages(data):
            if kind == STRING:
                number = message.take('i')
                self.strings[number] = message.bytes()
            elif kind == ATTRIBUTES:
                number, what, config, name = (message.take(form) for form in 'iIQi')
                rest = message.take('?'), message.take('Q')
                self.events[number] = (what, config, *rest, self.strings.get(name))
            elif kind == LOCATION:
                number, *place, file, pid, line, column, parent = (message.take(form) for form in 'iQiiiii')
                self.places[number] = (*place, self.strings.get(file), pid, line, column, self.places.get(parent))
            elif kind in (SAMPLE, TRACEPOINT_SAMPLE):
                self.samples.append(self.sample(kind, message))

    def sample(self, kind, message):
        head = tuple(message.take(form) for form in 'iiQI')
        frames = tuple(self.places.get(message.take('i')) for _ in range(message.take('I')))
        guessed = message.take('B')
        costs = tuple((self.events.get(message.take('i')), message.take('Q')) for _ in range(message.take('I')))
        values = {}
        if kind == TRACEPOINT_SAMPLE:
            for _ in range(message.take('I')):
                name = self.strings.get(message.take('i'))
                values[name] = message.variant()
        if message.at != len(message.data):
            raise ValueError('a sample of another layout')
        return Sample(head, frames, guessed, costs, tuple(sorted(values.items())))


def samples(directory, path):
    """The samples of a capture; or None and why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out')
        command = ['prlimit', '--fsize=268435456', '--core=0', oracles.program(directory, oracles.PERFPARSER), '--input', path, '--output', out,
                   '--kallsyms', '/dev/null', '--sysroot', 'NONE', '--app', 'NONE', '--extra', 'NONE', '--debug', 'NONE']
        env = {'PATH': os.environ.get('PATH', ''), 'LC_ALL': 'C', 'HOME': '/nonexistent', 'QT_HASH_SEED': '0'}
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env,
                                  timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return None, 'no end'
        if done.returncode != 0:
            return None, f'status {done.returncode}'
        try:
            with open(out, 'rb') as stream:
                return Stream(stream.read()).samples, None
        except (OSError, ValueError, struct.error) as error:
            return None, str(error)
