"""Defects of a rewriter that no rule may hide: for each rule of rewrite_rules.py a defect close to what it excuses.

A defect is a change of the output of perf, as a faulty copy would cause it: a pattern and its replacement.  `judge-rewrite
--planted` applies it to the output of perf for a copy of a real capture that needs the rule, at the first place where it
changes what the rules leave of the line; tests/test_tools applies it to lines written by hand (EXAMPLES).
"""
import re


def digit(match):
    """A digit becomes another one."""
    return match[1] + ('3' if match[2] != '3' else '4')


def gone(match):
    """The line is missing."""
    return None


SAMPLE_TIME = (r'^( *\S.* +\d+/\d+ .*?\d+\.\d{5})(\d)(?=: )', digit)
COUNT = (r'^( *(?!TOTAL|ATTR|EVENT_TYPE|TRACING_DATA|BUILD_ID|FEATURE|COMPRESSED)\w+ events: +\d*)(\d)\b', digit)
RECORD = (r'\]: PERF_RECORD_(?:COMM|MMAP2?|EXIT|FORK|FINISHED_ROUND|FINISHED_INIT|THREAD_MAP|STAT|TIME_CONV)\b.*', gone)
HEADER_TEXT = (r'^(# (?:os release|arch|perf version|hostname) : .*)(.)$', lambda match: match[1] + '#')
ATTR = (r'((?:config|type)(?: =|:) (?:0x)?\d*)(\d)(?=\D)', digit)

DEFECTS = {
    'hex-dump': RECORD, 'place-in-file': (r'(\[0x[0-9a-f]*)([0-9a-f])(?=\]: PERF_RECORD_(?:COMM|MMAP|EXIT|ID_INDEX|STAT|TIME))', digit),
    'vdso-file': (r'(?:/tmp/perf-vdso\.so-\w{6}|\[vdso\])$', lambda match: '[vdsp]'),
    'vdso-none': (r'^( \.\.\.\.\.\. dso: )(?:\[vdso\]|<not found>|/tmp/perf-vdso\.so-\w{6})$', lambda match: match[1] + '/lib/libc.so'),
    'vdso-mmap': RECORD,
    'vdso-symbol': (r'^(\t +[0-9a-f]*)([0-9a-f])(?= |$)', digit),
    'layout-numbers': (r'^(# (?:data offset|data size|feat offset) +: \d*)(\d)$', digit),
    'compressed-feature': HEADER_TEXT, 'compressed-missing': (r'^(# missing features: )\S+ ', lambda match: match[1]),
    'compressed-counts': COUNT, 'folded-counts': COUNT, 'folded-dump': RECORD,
    'folded-build-ids': (r'^([0-9a-f]{20})([0-9a-f])(?=[0-9a-f]{5,} )', digit),
    'pipe-compressed': (r'PERF_RECORD_FEATURE(?!, # compressed).*', gone),
    'pipe-tracing-data': (r'\[0xc\](?=: PERF_RECORD_TRACING_DATA$)', lambda match: '[0x14]'),
    'pipe-build-id': (r'\[(0x[0-9a-f]+)\](?=: PERF_RECORD_BUILD_ID$)', lambda match: f'[{int(match[1], 16) + 64:#x}]'),
    'other-order-build-id': (r'^(?!! )(.*\S.*)$', gone),
    'for-newer-features': HEADER_TEXT, 'for-newer-missing': (r'^(# missing features: )\S+ ', lambda match: match[1]),
    'for-attr-size': ATTR, 'pipe-order': (r'PERF_RECORD_(?:ATTR|FEATURE).*', gone),
    'end-mark-5.10': (r'^(! Invalid HEADER_)CPU_DOMAIN_INFO', lambda match: match[1] + 'NRCPUS'),
    'unwind-platform': (r'^(?!! )(.*\S.*)$', gone),
    'register-names': (r'(:0x[0-9a-f]*)([0-9a-f])(?=\s|$)', digit),
    'register-names-dumped': (r'^(\.\.\.\. \w+ +0x[0-9a-f]*)([0-9a-f])$', digit),
    'across-layout': HEADER_TEXT, 'across-no-layout': HEADER_TEXT,
    'across-bits': HEADER_TEXT, 'across-counts': COUNT, 'across-dump': RECORD,
    'across-names': ATTR, 'across-short-attr': ATTR,
    'across-stats-names': (r'^( +\w+ events: +\d*)(\d)\b', digit), 'across-aux': (r'^(Aggregated stats:).*', gone),
    'across-bpf': (r'(bpf_prog_[0-9a-f]{15})([0-9a-f])(?=_)', digit),
    'across-cpu': (r'^((?:\d+ )?)(\d+)(?= 0x[0-9a-f]+(?:@\S+)? \[0x[0-9a-f]+\]: PERF)', lambda match: f'{match[1]}{int(match[2]) + 7}'),
    'across-exited': (r'^( \.\.\. thread: .*:)(\d+)$|^( *\S.*? +\d+/)(\d+)(?= )',
                      lambda match: f'{match[1] or match[3]}{int(match[2] or match[4]) + 1}'),
    'across-groups': ATTR, 'across-nrcpus': (r'^(?!! |#)(.*\S.*)$', gone), 'across-end-mark': (r'^(?!! |# =|#$|# missing|# header|# data|# feat)(.*\S.*)$', gone),
    'across-symbols': (r'^(\t +[0-9a-f]*)([0-9a-f])(?= |$)|(: +[0-9a-f]*)([0-9a-f])(?= \S+$)',
                       lambda match: (match[1] or match[3]) + ('3' if (match[2] or match[4]) != '3' else '4')),
    'across-script-names': SAMPLE_TIME, 'across-ip': SAMPLE_TIME, 'across-ordering': RECORD,
    'directory-format': HEADER_TEXT, 'directory-missing': (r'^(# missing features: )\S+ ', lambda match: match[1]),
    'packed-feature': HEADER_TEXT, 'packed-missing': (r'^(# missing features: )\S+ ', lambda match: match[1]),
    'packed-counts': COUNT, 'packed-pipe': (r'PERF_RECORD_FEATURE(?!, # compressed).*', gone), 'packed-again': HEADER_TEXT,
    'cross-types': (r'^(?!! )(.*\S.*)$', gone), 'cross-exited': SAMPLE_TIME, 'cross-blanks': SAMPLE_TIME,
}


def damaged(name, lines):
    """Copies of these lines with the defect at one place each: the first, the middle and the last possible one."""
    pattern, by = DEFECTS[name]
    places = [at for at, line in enumerate(lines) if re.search(pattern, line)]
    for at in dict.fromkeys([places[0], places[len(places) // 2], places[-1]] if places else []):
        match = re.search(pattern, lines[at])
        new = by(match)
        changed = [] if new is None else [lines[at][:match.start()] + new + lines[at][match.end():]]
        yield lines[:at] + changed + lines[at + 1:]
