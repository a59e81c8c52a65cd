"""Perf commands that read captures, how one of them is run, and which cells of a capture are to blame when it dies."""
import collections
import functools
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

TIMEOUT = 10        # seconds; a sound small capture takes 0.1
PATIENCE = 6        # times as long, to see whether only the machine is busy
SPACE = 4 << 30     # bytes of address space; qemu takes more for itself
MORE = 3            # times as much, to see whether that is what was missing
OUTPUT = 64 << 20   # bytes of one file
DIED = {128 + number for number in (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)}
KILLED = re.compile(r'uncaught target signal (\d+)')
NO_MEMORY = re.compile(r'not enough memory|out of memory|cannot allocate memory|ENOMEM|bad_alloc|failed to allocate|'
                       r'memory exhausted', re.I)

NOT_FOR_ALL = re.compile(r"print '(\w+)' field|key: `(\w+)'")    # what perf says of a field or key that the capture does not have

# status None: no end; negative: a signal.  is_memory: it needs more address space than allowed.
Outcome = collections.namedtuple('Outcome', 'status said is_memory', defaults=[False])


def commands_of(base, tier):
    """The commands of sweep.commands that look at what the capture has, by the names of its leaves."""
    leaves = {place.leaf for place in base.places}
    has = {'any': True, 'file': not base.is_pipe, 'counts': any(leaf.startswith('record STAT') for leaf in leaves),
           'tracepoints': any(leaf.startswith('record SAMPLE raw.') for leaf in leaves)}
    text = (pathlib.Path(__file__).parent / 'sweep.commands').read_text(encoding='utf-8')
    lines = [line.split(' ', 2) for line in text.splitlines() if line and not line.startswith('#')]
    return [command for of, wants, command in lines if int(of) == tier and has[wants]]


def environment(home):
    """MALLOC_PERTURB_ makes the use of memory that is freed or was never written more likely to show."""
    return {'PATH': os.environ.get('PATH', ''), 'HOME': home, 'LC_ALL': 'C', 'TERM': 'dumb', 'PAGER': 'cat',
            'PERF_BUILDID_DIR': '/nonexistent', 'DEBUGINFOD_URLS': '', 'MALLOC_PERTURB_': '165'}


def words_of(program):
    """What the wrapper of a perf (tools/install-oracles) executes: without it a run is one process instead of five."""
    with open(program, encoding='utf-8') as file:
        line = re.search(r'^exec (.*) "\$@"$', file.read(), re.M)
    folder = os.path.dirname(os.path.dirname(os.path.realpath(program)))
    words = [word.replace('$d', folder) for word in shlex.split(line[1])] if line else [program]
    return [program] if any('$' in word for word in words) else words


def arguments(command, path, original, is_pipe):
    """The words of a command, with its input."""
    words = command.split()
    given = '-' if is_pipe else path
    if words[0] == 'diff':
        return [*words, '-f', original, path]
    if words[0] in ('sched', 'lock', 'kmem', 'timechart'):
        return [words[0], '-f', '-i', given, *words[1:]]
    if words[0] == 'kwork':
        return ['kwork', '-f', *words[1:2], '-i', given, *words[2:]]
    if words[0] == 'kvm':
        return ['kvm', '-i', given, *words[1:]]
    if words[0] == 'mem':
        return ['mem', '-f', '-i', given, *words[1:]]
    return [*words, *([] if words[0] in ('stat',) else ['-f']), '-i', given]


class Perf:
    """One version of perf in one folder of programs."""

    def __init__(self, oracles, version):
        self.version = version
        self.program = os.path.abspath(os.path.join(oracles, 'bin', f'perf-{version}'))
        self.space = SPACE if version[0].isdigit() else 2 * SPACE
        self.words = words_of(self.program)
        self.timeout = TIMEOUT if version[0].isdigit() else 3 * TIMEOUT

    def run(self, words, folder, stdin=None, stdout=subprocess.DEVNULL, space=None, patience=1):
        """Runs it in a new folder below `folder`."""
        limits = ['prlimit', '--core=0', f'--fsize={OUTPUT}', f'--as={space or self.space}']
        home = tempfile.mkdtemp(dir=folder)
        with open(stdin or os.devnull, 'rb') as given, tempfile.TemporaryFile(dir=folder) as said:
            process = subprocess.Popen([*limits, *self.words, *words], stdin=given, stdout=stdout, stderr=said, cwd=home,
                                       env=environment(home), start_new_session=True)
            try:
                output = process.communicate(timeout=patience * self.timeout)[0]
                status = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                output, status = b'', None
            said.seek(0)
            text = said.read(65536).decode('latin-1')
        shutil.rmtree(home, ignore_errors=True)
        if status in DIED:      # a program that it started, or it passes its own signal on; perf ends with -errno too
            status = 128 - status
        if KILLED.search(text):
            status = -int(KILLED.search(text)[1])
        return Outcome(status, text + (output or b'').decode('latin-1'))

    @functools.lru_cache
    def listed(self, command, option):
        """The words that the help of a command lists for an option with many values."""
        with tempfile.TemporaryDirectory(prefix='sweep.') as folder:
            text = self.run([command, '-h'], folder, stdout=subprocess.PIPE).said
        if option == 'fields':
            return re.search(r'Fields: ([\w,-]+)', text)[1].split(',')
        return re.search(r'sort by key\(s\):(.*?)\n    -', text, re.S)[1].split()


class Given:
    """A base given to one version: what survives when nothing is changed."""

    def __init__(self, perf, base, folder):
        self.perf, self.base, self.folder = perf, base, tempfile.mkdtemp(dir=folder)
        self.runs, self.tiers, self.dead = 0, {}, {}    # dead: what dies of the unchanged capture
        self.original = os.path.join(self.folder, 'original')
        with open(self.original, 'wb') as file:
            file.write(base.data)

    def commands(self, tier):
        """The commands of a tier that the base survives, filled in."""
        if tier not in self.tiers:
            full = [command for command in map(self.filled, commands_of(self.base, tier)) if command]
            outcomes = {command: self.ask(command, self.original) for command in full}
            self.dead.update({command: kill(got) for command, got in outcomes.items() if kill(got)})
            self.tiers[tier] = [command for command in full if outcomes[command].status == 0]
        return self.tiers[tier]

    def ask(self, command, path):
        self.runs += 1
        words = arguments(command, path, self.original, self.base.is_pipe)
        stdin = path if self.base.is_pipe else None
        got = self.perf.run(words, self.folder, stdin)
        if got.status is None:
            got = self.perf.run(words, self.folder, stdin, patience=PATIENCE)
        if got.status and NO_MEMORY.search(got.said):
            # Perf says ENOMEM of many things: only what goes on with more memory needed more.
            more = self.perf.run(words, self.folder, stdin, space=MORE * self.perf.space)
            return got._replace(is_memory=more.status != got.status)
        return got

    def filled(self, command):
        """The command with all keys that the capture survives; None: there is none."""
        for word, subject, option, join in (('KEYS', 'report', 'sort', ','), ('FIELDS', 'script', 'fields', ',')):
            if word not in command:
                continue
            keys = self.perf.listed(subject, option)
            for _ in range(len(keys)):
                got = self.ask(command.replace(word, join.join(keys)), self.original)
                lacks = NOT_FOR_ALL.search(got.said)
                if got.status == 0 or not lacks:
                    break
                keys = [key for key in keys if key not in lacks.groups()]
            return command.replace(word, join.join(keys)) if keys else None
        return command

    def outcome(self, command, data):
        descriptor, path = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(descriptor, 'wb') as file:
            file.write(data)
        try:
            return self.ask(command, path)
        finally:
            os.unlink(path)


def kill(outcome):
    """What the outcome is called if it is a kill, else None."""
    if outcome.status is None:
        return 'hang'
    if outcome.status < 0:
        try:
            return signal.Signals(-outcome.status).name
        except ValueError:
            return f'signal {-outcome.status}'
    if outcome.is_memory:
        return 'memory'
    return None


def known_kills():
    """Lines of sweep.known: real or open, patterns of version, death, command and leaf, and the section of PERF-BUGS.md."""
    lines = (pathlib.Path(__file__).parent / 'sweep.known').read_text(encoding='utf-8').splitlines()
    return [line.split('\t') for line in lines if line and not line.startswith('#')]


def explains(known, found):
    """Whether a line explains all commands that die."""
    _, version, death, command, leaf, _ = known
    return (re.fullmatch(version, found['version']) and all(re.fullmatch(death, each) for each in found['deaths'].values())
            and all(re.match(command, each) for each in found['deaths'])
            and any(re.fullmatch(leaf, name) for name in found['leaves']))


def smallest(cells, is_bad):
    """The smallest part of the cells that is still bad, by halving; what is left of a group that only acts together
    loses single cells as long as it can."""
    while len(cells) > 1:
        middle = len(cells) // 2
        if is_bad(cells[:middle]):
            cells = cells[:middle]
        elif is_bad(cells[middle:]):
            cells = cells[middle:]
        else:
            break
    size = max(1, len(cells) // 2)
    while len(cells) > 1 and size:
        for start in range(0, len(cells), size):
            rest = cells[:start] + cells[start + size:]
            if rest and is_bad(rest):
                cells = rest
                break
        else:
            size //= 2
    return cells
