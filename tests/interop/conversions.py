"""Captures, the copies that judge-rewrite has made of them, and who is asked to read which."""
import collections
import csv
import glob
import hashlib
import json
import os
import pathlib
import shlex
import subprocess

TIMEOUT = 120   # seconds; the slowest run, of s390x under qemu, takes ten
BIG = {'7.2': 's390x', '6.12': 's390x-6.12'}    # the perfs of both orders that are of one version
SAME = ['6.1', '6.12', '7.2']

# Who is asked: `first` reads the original, `second` the copy.  version: what both are asked in the manner of;
# is_cross: they are of different versions.
Readers = collections.namedtuple('Readers', 'version first second is_cross', defaults=[False])
Copy = collections.namedtuple('Copy', 'path container')


# ---- captures ---------------------------------------------------------------------------------------------------

def head_of(path):
    """The file that holds the header."""
    return path / 'data' if path.is_dir() else path


class Capture:
    def __init__(self, root, row):
        self.name, self.path, self.row, self.info = row['path'], root / row['path'], row, None
        self.container, self.order = row['mode'], row['order']
        self.is_pipe = self.container == 'pipe'
        self.is_compressed = row['compressed'] == 'yes'
        self.perf = '.'.join(row['perf'].split('.')[:2])

    def traits(self):
        """What makes it differ from others, for the choice of a sample."""
        found = {('made', self.row['mode'], self.order, self.row['arch'], self.is_compressed), ('perf', self.row['perf'])}
        for event in self.info['events']:
            found |= {('bit', self.order, self.is_pipe, bit) for bit in event['sample_type']}
            name = event['name'] or ''
            found.add(('event', self.order, name.split(':')[0] if ':' in name else '', event['type']))
        found |= {('feature', self.order, name) for name in self.info['features']}
        found |= {('record', self.order, self.is_pipe, name) for name in self.info['records']['by_type']}
        return found

    def digest(self):
        """Of its bytes, those of all files of a directory."""
        files = sorted(path for path in self.path.rglob('*') if path.is_file()) if self.path.is_dir() else [self.path]
        return hashlib.sha256(b''.join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def load(options):
    """All captures, the good ones, and those that are to be judged."""
    captures = []
    for folder in options.captures:
        with open(folder / 'INDEX.tsv', encoding='utf-8', newline='') as index:
            captures += [Capture(folder, row) for row in csv.DictReader(index, delimiter='\t', quoting=csv.QUOTE_NONE)]
    for start in range(0, len(captures), 100):
        some = captures[start:start + 100]
        done = subprocess.run([options.perfcheck, 'check', '--format=json', *(str(capture.path) for capture in some)],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
        for capture, info in zip(some, json.loads(done.stdout)):
            capture.info = info
    good = [capture for capture in captures if capture.info['verdict'] == 'valid']
    chosen = [capture for capture in good if options.only in capture.name
              and any(kind.is_for(capture) for kind in options.kinds)]
    return captures, good, sample(chosen, options.sample) if options.sample else chosen


def sample(captures, count):
    """A subset that shows as much as possible: always the one with most traits that none before had."""
    left, seen, chosen = list(captures), set(), []
    while left and len(chosen) < count:
        # The small one of equals; a big capture must show more to be worth its time.
        best = max(left, key=lambda c: (len(c.traits() - seen) - c.info['size'] / 100000, -c.info['size'], c.name))
        left.remove(best)
        chosen.append(best)
        seen |= best.traits()
    return sorted(chosen, key=lambda c: captures.index(c))


# ---- copies -----------------------------------------------------------------------------------------------------

def other_order(capture):
    """A perf of the order of the copy for the copy, of the same version as that for the original."""
    return [Readers(version, *((version, big) if capture.order == 'little' else (big, version)))
            for version, big in BIG.items()]


def same_order(capture):
    little = [Readers(version, version, version) for version in SAME] if capture.order == 'little' else []
    return little or [Readers(version, big, big) for version, big in BIG.items()]


def all_perfs(capture):
    """Those of little-endian machines read big-endian captures too, and have to be wrong in the same places."""
    return [Readers(version, version, version) for version in SAME] + (same_order(capture) if capture.order == 'big' else [])


def newest(capture):
    return [readers for readers in same_order(capture) if readers.version == '7.2']


def an_older(capture):
    """And perf 6.1 has to show the samples that the perf shows which made the capture."""
    return same_order(capture) + [Readers('6.1', capture.perf, '6.1', is_cross=True)]


def is_newer(capture):
    return capture.order == 'little' and capture.perf in ('6.12', '7.2')


class Kind:
    """A way to make copies.  of: containers; becomes: the container of the copy, when another; readers(capture);
    opens: compressed captures are opened; packs: the copy is compressed, all or where the capture is; may_refuse: rewrite may say that the content does not allow it."""

    def __init__(self, name, of, *options, becomes=None, readers=same_order, when=lambda capture: True, opens=True,
                 may_refuse=False, packs=False):
        self.name, self.containers, self.options, self.becomes = name, of.split(), options, becomes
        self.readers, self.when, self.opens, self.may_refuse = readers, when, opens, may_refuse
        self.swaps = readers is other_order
        self.packs = packs or '--compress' in options

    def is_for(self, capture):
        return capture.container in self.containers and self.when(capture)

    def asked(self, capture):
        """Who is asked.  Perfs older than the one that made a capture cut longer attrs off in a pipe, and refuse them in a
        file (FORMAT.md 6.5): they read what was made --for them."""
        def number(version):
            return [int(part) for part in version.split('.')]
        is_refused = capture.is_pipe and self.becomes == 'file' and not self.may_refuse
        return [readers for readers in self.readers(capture)
                if not is_refused or number(readers.version) >= number(capture.perf)]

    def commands(self, perfcheck, capture, copy):
        opened = ['--decompress'] if self.opens and capture.is_compressed else []
        kcore = ['--drop=kcore'] if capture.container == 'directory' and self.becomes == 'file' else []
        return [[perfcheck, 'rewrite', '--force', *self.options, *opened, *kcore, capture.path, copy]]


class SplitJoin(Kind):
    def commands(self, perfcheck, capture, copy):
        apart = copy.with_suffix('.apart')
        kcores = [apart / os.path.basename(path) for path in glob.glob(f'{capture.path}/kcore_dir*')]
        return [[perfcheck, 'split', capture.path, apart], [perfcheck, 'join', apart / 'perf.data', *kcores, copy]]


KINDS = [
    Kind('swap', 'file pipe', '--byte-order=swap', readers=other_order),
    Kind('canonical', 'file pipe', readers=all_perfs),
    Kind('canonical-compressed', 'file pipe directory', opens=False, packs=True, when=lambda capture: capture.is_compressed),
    Kind('pipe-to-file', 'pipe', '--to=file', becomes='file'),
    Kind('pipe-to-file-for-6.1', 'pipe', '--to=file', '--for=perf-6.1', becomes='file', readers=an_older, may_refuse=True,
         when=is_newer),
    Kind('file-to-pipe', 'file', '--to=pipe', becomes='pipe'),
    Kind('directory-to-file', 'directory', '--to=file', becomes='file'),
    SplitJoin('split-join', 'directory', opens=False),
    Kind('file-to-directory', 'file', '--to=directory', becomes='directory'),
    # perf before 6.15 does not know what is made without --for.
    Kind('compress', 'file pipe directory', '--compress', readers=newest, opens=False),
    Kind('compress-for-6.1', 'file pipe directory', '--compress', '--for=perf-6.1', opens=False, may_refuse=True),
    Kind('file-to-pipe-compressed', 'file', '--to=pipe', '--compress', becomes='pipe', readers=newest, opens=False),
    Kind('for-6.1', 'file pipe', '--for=perf-6.1', readers=an_older, may_refuse=True, when=is_newer),
    Kind('pipe-to-file-swapped', 'pipe', '--to=file', '--byte-order=swap', becomes='file', readers=other_order),
    Kind('file-to-pipe-swapped', 'file', '--to=pipe', '--byte-order=swap', becomes='pipe', readers=other_order),
]


GROUPS = {'copies': [kind.name for kind in KINDS[:3]], 'conversions': [kind.name for kind in KINDS[3:]]}
INJECTED = ('pipe-to-file', 'file-to-pipe', 'directory-to-file')    # what perf inject is for


def inject_commands(options, kind, capture, copy):
    """perf inject in the place of rewrite."""
    command = [options.oracles / 'bin' / 'perf-7.2', 'inject', '-f', '-i', capture.path, '-o']
    return [[*command, copy] if kind.becomes == 'file' else ['sh', '-c', 'exec "$@" >"$0"', copy, *command, '-']]


def make(options, capture, kind, folder):
    """A copy, None and None; or None and the status and words of what did not make it."""
    copy = folder / kind.name / capture.path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    if options.rewriter:
        commands = [[*shlex.split(options.rewriter), capture.path, copy]]
    elif options.inject:
        commands = inject_commands(options, kind, capture, copy)
    else:
        commands = kind.commands(options.perfcheck, capture, copy)
    for command in commands:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding='latin-1', timeout=TIMEOUT,
                              check=False)
        if done.returncode and not options.inject:
            return None, done.returncode, ' | '.join(done.stderr.splitlines()[:3])
    if not copy.exists():
        return None, done.returncode, 'nothing was made'
    stamp = head_of(capture.path).stat()    # "captured on" is the time of the file
    os.utime(head_of(copy), ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    return Copy(copy, kind.becomes or capture.container), None, None
