"""Tests that run the program from outside: functions marked with @test, run in their order."""
import ctypes
import os
import signal

_tests = []


class Skip(Exception):
    """Raised when this machine lacks something that the test needs; the text names it."""


def test(function):
    _tests.append(function)
    return function


def full_device():
    """A device on which every write fails, opened for writing."""
    if not os.path.exists('/dev/full'):
        raise Skip('no /dev/full')
    return open('/dev/full', 'wb')


def obey_permissions():
    """For preexec_fn: file permissions apply to the program even if root runs it."""
    drop, dac_override, dac_read_search = 24, 1, 2  # PR_CAPBSET_DROP: the next executed program lacks the capability
    if os.getuid() == 0:
        for capability in (dac_override, dac_read_search):
            if ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0) != 0:
                raise OSError('root cannot give up its rights here')


def run_all():
    """Runs all tests, prints the lines that tests/run reads, and returns the exit status. ONLY: the names of some tests."""
    failed = skipped = 0
    # The parent may ignore some signals: nohup, or a shell that runs this in the background.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    only = os.environ.get('ONLY', '').split()
    chosen = [function for function in _tests if not only or function.__name__ in only]
    for function in chosen:
        try:
            function()
        except Skip as why:
            skipped += 1
            print(f'skipped: {why}')
        except Exception as error:  # noqa: every test is reported
            failed += 1
            print(f'FAIL {function.__name__}: {type(error).__name__}: {str(error)[:4000]}')
    print(f'{len(chosen) - failed - skipped} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    return failed != 0
