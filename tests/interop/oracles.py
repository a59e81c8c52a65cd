"""What the interop tests share: running real perfs on a capture, and telling whether they read it.

A perf reads a capture when `report --stats` and `script` end with status 0, in time, without a signal and without an error
message on stderr; real captures and damaged copies are read by `report --stdio` as well.  HARMLESS lists the messages that do
not count, each with a reason.
"""
import collections
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VERSIONS = ('5.10', '6.1', '6.12', '7.2')
PERFPARSER = 'hotspot-perfparser'
LIMITS = ['prlimit', '--fsize=4194304', '--core=0', '--as=8589934592']
TIMEOUT = 20  # seconds; a sound small capture takes 0.1

# perf prints its names without HEADER_; all others are the same (tools/perf/util/event.c).
PERF_NAMES = {
    'ATTR': 'HEADER_ATTR',
    'EVENT_TYPE': 'HEADER_EVENT_TYPE',
    'TRACING_DATA': 'HEADER_TRACING_DATA',
    'BUILD_ID': 'HEADER_BUILD_ID',
    'FEATURE': 'HEADER_FEATURE',
}

# Messages on stderr that are not about the capture: pattern and reason.
HARMLESS = [
    (r'^No kallsyms or vmlinux with build-id \w+ was found$', 'symbols of the recording kernel, which is not this one'),
    (r'missing HEADER_NRCPUS, using MAX_NR_CPUS', 'PC0818: 7.2 takes 4096 instead and goes on'),
    (r'^interpreting (bpf_prog_info|btf) from systems with endian(ness|ity) is not yet supported$',
     'the other byte order: perf leaves the content of this feature alone'),
    (r'^Invalid HEADER_CPU_DOMAIN_INFO: section too small \(0\)',
     '7.2 takes the end mark of a 6.1 or 6.12 pipe for this feature, says so, and goes on (FORMAT.md 6.3)'),
    (r'^swap_sample_id_all: unaligned sample_id_all remainder',
     '7.2 says that it leaves the file name of a HEADER_BUILD_ID alone'),
    (r'^Extra (cpu|thread) map event, ignoring\.$', 'PC0661, PC0662: the first map counts, and perf reads on'),
    (r'^unknown stat config term \d+$', 'a newer term of STAT_CONFIG is left out, as perf means it to be'),
    (r'^(Warning|Error):$', 'the next line says of what'),
    (r'^Kernel address maps \(/proc/\{kallsyms,modules\}\) were restricted\.$|^Check /proc/sys/kernel/kptr_restrict before'
     r"|^As no suitable kallsyms nor vmlinux was found, kernel samples$|^can't be resolved\.$"
     r"|^Samples in kernel modules can't be resolved as well\.$", 'no mapping of a kernel to look up names in'),
    (r'^The \S+ data has no samples!$', '`report --stdio` has nothing to show'),
    (r'^\d+ (instruction trace|unknown AUX) errors$', 'the number of AUXTRACE_ERROR records'),
    (r'^Unsupported header type \d+, please consider updating perf\.$',
     'PC0208: 7.2 steps over records that are newer than itself'),
    (r'^unknown feature \d+ for data file version', 'PC0648: 7.2 leaves out a feature that is newer than itself'),
    (r'^Processed \d+ (events|samples) and lost (\d+ chunks|[\d.]+%)!$|^Check IO/CPU overload!$', 'the number of LOST records'),
    (r'^WARNING: perf tool seems to support more namespaces than the kernel\.$|^Try updating the kernel\.\.$',
     'PC0406: the recording kernel had fewer'),
    (r'^AUX data (lost|had gaps in it|detected collision +) ?\d+ times out of \d+!$|^Are you running a KVM guest in the background\?$',
     'the flags of AUX records'),
    (r'^(CS ETM warning: Coresight decode and TRBE support|Continuing with best effort decoding in piped mode)'
     r'|^(Virtual timestamps are not enabled|The time field of the samples will not be set accurately)'
     r'|^(For Arm CPUs prior to|you can specify the itrace option|if the Coresight timestamp)'
     r'|^(Arm SPE CONTEXT packets not found in the traces|Matching of TIDs to SPE events could be inaccurate)',
     'what a decoder of AUX traces thinks of them'),
    (r'^unwind: target platform=\w+ is not supported$', 'user stacks of another architecture are not unwound'),
    (r'^\d+ map information files for pre-existing threads were$|^not processed, if there are samples for addresses they$'
     r'|^will not be resolved, you may find out which are these$|^threads by running with -v and redirecting the output$'
     r'|^to a file\.$|^The time limit to process proc map is too short\?$|^Increase it by --proc-map-timeout$',
     'the number of MMAP2 records with PROC_MAP_PARSE_TIMEOUT'),
    (r'^\d+ out of order events recorded\.$', 'PC0523: records of a loaded machine, all of them delivered'),
    (r'^Discarding thread maps for \d+:\d+$', 'a FORK or EXIT that moves a thread into another process: perf says what it '
     'forgets, and reads on'),
    (r'^WARNING: Intel PT with pipe mode is not recommended\.$|^ +The output cannot relied upon\.  In particular,$|^ +timestamps '
     r'and the order of events may be incorrect\.$', 'advice: perf script reads on'),
    (r'^addr2line', 'programs of the recording machine, which are not here'),
]
HARMLESS = [(re.compile(pattern), reason) for pattern, reason in HARMLESS]

COMMANDS = {
    'report': ['report', '--stats', '--no-itrace', '--force'],
    'histogram': ['report', '--stdio', '--no-itrace', '--force'],
    'script': ['script', '--no-itrace', '--force'],
}
OF_MADE = ('report', 'script')  # of what no perf recorded, the histogram says the same as script in other words

Outcome = collections.namedtuple('Outcome', 'status lines counts')


def program(directory, reader):
    """The path of a reader: a version of perf, or PERFPARSER."""
    return os.path.join(directory, 'bin', reader if reader == PERFPARSER else f'perf-{reader}')


def installed(directory, reader):
    return os.access(program(directory, reader), os.X_OK)


def require(directory, readers, *captures):
    """Exits with 2 if a reader is missing or there are no captures: a judge that did not judge must not look like one
    that found nothing."""
    missing = [os.path.basename(program(directory, reader)) for reader in readers if not installed(directory, reader)]
    said = [f'no {", ".join(missing)} in {directory} (tools/install-oracles)'] if missing else []
    said += [f'no INDEX.tsv in {folder}' for folder in captures if not (folder / 'INDEX.tsv').exists()]
    if said:
        print(f'{os.path.basename(sys.argv[0])}: {", ".join(said)}', file=sys.stderr)
        sys.exit(2)


def choose(directory, asked, known, *captures):
    """The readers to compare with: those asked for, which must be there, or else all of `known` that are installed.  Those
    that are not installed are named."""
    readers = list(asked) or [reader for reader in known if installed(directory, reader)]
    require(directory, readers or known, *captures)
    absent = [] if asked else [reader for reader in known if reader not in readers]
    if absent:
        print(f'not installed, so not asked: {", ".join(absent)}', flush=True)
    return readers


def says_version(directory, version):
    done = subprocess.run([os.path.join(directory, 'bin', f'perf-{version}'), '--version'],
                          capture_output=True, encoding='latin-1', timeout=TIMEOUT, check=False)
    return done.stdout.strip()


def statistics(output):
    """Counts of `report --stats` by the names of perfcheck; None when it printed none."""
    table = re.search(r'^Aggregated stats:.*\n((?: *\w+ events: .*\n)+)', output, re.M)
    if not table:
        return None
    counts = {PERF_NAMES.get(name, name): int(n) for name, n in re.findall(r'(\w+) events: +(\d+)', table[1])}
    counts.pop('TOTAL', None)
    return {name: n for name, n in counts.items() if n}  # 5.10 prints the zeros too


def is_harmless(line):
    return not line.strip() or any(pattern.search(line) for pattern, _ in HARMLESS)


def run(directory, version, command, path, is_pipe):
    """Runs one command of one perf on a capture.  status: of the process, negative for a signal, None: no end."""
    args = [os.path.join(directory, 'bin', f'perf-{version}'), *COMMANDS[command], '-i', '-' if is_pipe else path]
    env = {'PATH': os.environ.get('PATH', ''), 'LC_ALL': 'C', 'HOME': '/nonexistent'}
    wants = subprocess.PIPE if command == 'report' else subprocess.DEVNULL
    # A damaged capture can make perf print errors without end, so stderr is a file of bounded size.
    with open(path if is_pipe else os.devnull, 'rb') as stdin, tempfile.TemporaryFile() as stderr:
        try:
            done = subprocess.run([*LIMITS, *args], stdin=stdin, stdout=wants, stderr=stderr, env=env,
                                  timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return Outcome(None, ['no end'], None)
        stderr.seek(0)
        said = stderr.read(65536).decode('latin-1')
    lines = [line for line in said.splitlines() if not is_harmless(line)]
    counts = statistics(done.stdout.decode('latin-1')) if command == 'report' else None
    return Outcome(done.returncode, lines, counts)


def filtered(kept):
    """An outcome that was cached as a list, perhaps before a message became harmless."""
    status, lines, counts = kept
    return Outcome(status, [line for line in lines if not is_harmless(line)], counts)


def trouble(outcome):
    """Why the capture was not read properly, as a short text; None if it was."""
    if outcome.status is None:
        return 'no end'
    if outcome.status < 0 or outcome.status >= 128:
        return f'status {outcome.status}: {" | ".join(outcome.lines[:2])}'
    if outcome.status:
        return f'status {outcome.status}: {" | ".join(outcome.lines[:2])}'
    if outcome.lines:
        return 'says: ' + ' | '.join(outcome.lines[:2])
    return None


def differences(mine, perfs):
    """Differences between records.by_type of perfcheck and the counts of perf, as texts, except compressed records,
    whose content perfcheck counts, and unknown types, which perf 7.2 skips without counting."""
    mine = {name: int(n) for name, n in mine.items() if not name.startswith('TYPE_')}
    perfs = {name: n for name, n in perfs.items() if name not in ('COMPRESSED', 'COMPRESSED2')}
    return [f'{name} {perfs.get(name, 0)} instead of {mine.get(name, 0)}'
            for name in sorted(mine.keys() | perfs.keys()) if mine.get(name, 0) != perfs.get(name, 0)]


def ask_perfcheck(perfcheck, path, version=None):
    """Status and JSON object."""
    command = [perfcheck, 'check', '--format=json', *([f'--for=perf-{version}'] if version else []), path]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    if done.returncode not in (0, 1, 2):
        raise RuntimeError(f'perfcheck ended with {done.returncode} on {path}')
    return done.returncode, json.loads(done.stdout)[0]


def ask_perf(directory, version, path, is_pipe, result, commands=tuple(COMMANDS)):
    """The problems of this perf with the capture, as texts 'COMMAND: problem'; an empty list if there are none."""
    outcomes = {command: run(directory, version, command, path, is_pipe) for command in commands}
    return problems(outcomes, result)


def problems(outcomes, result):
    found = [f'{command}: {trouble(outcome)}' for command, outcome in outcomes.items() if trouble(outcome)]
    wrong = differences(result['records']['by_type'], outcomes['report'].counts or {})
    if wrong and not trouble(outcomes['report']):
        found.append('counts: ' + ', '.join(wrong))
    return found


@functools.cache
def has_zstd(directory, version):
    done = subprocess.run([os.path.join(directory, 'bin', f'perf-{version}'), 'version', '--build-options'],
                          capture_output=True, encoding='latin-1', timeout=TIMEOUT, check=False)
    return re.search(r'^ *zstd: \[ on ', done.stdout, re.M) is not None


def cannot_know(directory, version, result):
    """Why the installed package of this perf is not asked about the capture, though perf of this version reads it; None:
    it is asked.  Perf 5.10 of Debian is built without libzstd: it counts compressed records and does not open them."""
    if 'COMPRESSED' in result['features'] and not has_zstd(directory, version):
        return 'the package has no zstd'
    return None


class Excuse:
    """What a perf says of sound captures for a reason that is not in the capture: exceptions/NAME.txt.  A file has lines
    `key: value`, an empty line, and the reason.  `command: report|script` and `says: REGEX`, which is all that the
    command says of its trouble, must be there.  `versions: V...`, `order: little|big`, `mode: file|pipe`, `records: TYPE`
    and `feature: NAME` make the excuse narrower.  Wrong counts, signals and hangs have no excuse."""

    def __init__(self, path):
        head, _, self.reason = path.read_text(encoding='utf-8').partition('\n\n')
        self.name, self.fields, self.says = path.stem, {}, []
        for line in head.splitlines():
            key, _, value = line.partition(':')
            if key not in ('versions', 'order', 'mode', 'records', 'feature', 'command', 'says'):
                sys.exit(f'{path}: no such line: {line}')
            if key == 'says':
                self.says.append(re.compile(value.strip()))
            else:
                self.fields[key] = value.strip()
        if not self.reason.strip() or not self.says or self.fields.get('command') not in COMMANDS:
            sys.exit(f'{path}: wants command:, says: and a reason')

    def explains(self, version, result, problem):
        want = self.fields
        command, _, text = problem.partition(': ')
        return (command == want['command'] and not re.match(r'status -|no end|.*\buncaught target signal', text)
                and version in want.get('versions', version).split()
                and result['byte_order'] == want.get('order', result['byte_order'])
                and result['container'] == want.get('mode', result['container'])
                and ('records' not in want or want['records'] in result['records']['by_type'])
                and ('feature' not in want or want['feature'] in result['features'])
                and any(says.fullmatch(text) for says in self.says))


def load_exceptions():
    folder = pathlib.Path(__file__).resolve().parent / 'exceptions'
    return [Excuse(path) for path in sorted(folder.glob('*.txt'))]


def excused(rules, version, result, found):
    """The names of the exceptions that explain each of these problems; None: one of them has no excuse."""
    names = [next((rule.name for rule in rules if rule.explains(version, result, problem)), None) for problem in found]
    return None if None in names else sorted(set(names))
