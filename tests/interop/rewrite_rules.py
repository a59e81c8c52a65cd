"""How judge-rewrite compares what two perfs print, and which differences are none of the rewriter's.

A rule is tried only where the two outputs differ, on both, and counts as used only where they would differ without it.
"""
import re


class Pair:
    """What is compared: a capture read by `first`, and its copy read by `second`."""

    def __init__(self, capture, kind, version, first, second, view, command, copy):
        self.capture, self.kind, self.version, self.view, self.command = capture, kind, version, view, command
        self.first, self.second, self.copy = first, second, copy

    def side(self, is_copy):
        """File and reader of one side."""
        return (self.copy, self.second) if is_copy else (self.capture.path, self.first)


class Rule:
    """name, reason; views it is for (all when none); when(pair): for which pairs; change(lines, is_copy, pair): new lines."""

    def __init__(self, name, reason, change, views=(), when=lambda pair: True):
        self.name, self.reason, self.change, self.views, self.when = name, reason, change, views, when

    def applies(self, pair):
        return (not self.views or pair.view in self.views) and self.when(pair)


def drop(pattern):
    """Lines that match are not compared."""
    wanted = re.compile(pattern)
    return lambda lines, is_copy, pair: [line for line in lines if not wanted.search(line)]


def replace(pattern, by):
    wanted = re.compile(pattern)
    return lambda lines, is_copy, pair: [wanted.sub(by, line) for line in lines]


def is_swap(pair):
    return pair.kind == 'swap'


RULES = [
    Rule('hex-dump', 'bytes as they lie in the capture have its byte order; what they mean is printed below them',
         drop(r'^\.  [0-9a-f]{4}: '), ['dump'], is_swap),
    Rule('vdso', 'the vdso of a process is shown as that of the perf that reads, if it is of the same machine: a file made for '
         'the moment', replace(r'(?<=\.\.\.\.\.\. dso: )/tmp/perf-vdso\.so-\w{6}$', '[vdso]'), ['dump']),
]


def compare(rules, pair, left, right):
    """'same', 'explained' or 'different', the names of the rules that were needed, and both outputs after all rules."""
    def status(printed):
        return [f'! status {printed.status}']

    first, second = left.lines + status(left), right.lines + status(right)
    if first == second:
        return 'same', (), first, second
    rules = [rule for rule in rules if rule.applies(pair)]

    def after(some):
        a, b = first, second
        for rule in some:
            a, b = rule.change(a, False, pair), rule.change(b, True, pair)
        return a, b

    a, b = after(rules)
    if a != b:
        return 'different', (), a, b
    needed = list(rules)
    for rule in rules:
        fewer = [other for other in needed if other is not rule]
        x, y = after(fewer)
        if x == y:
            needed = fewer
    return 'explained', tuple(rule.name for rule in needed), a, b
