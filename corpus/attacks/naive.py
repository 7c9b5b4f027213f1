"""A naive harness: the candidate runs in the interpreter that decides, as it does in popular harnesses.

`evalrun selftest` runs this inside a sandbox, as if it were a solution, to show that the forgeries are forgeries. It is
what not to do.
"""

import glob
import json
import os
import pickle
import select
import signal
import time
import types

SECONDS = 8.0


def judge(style, source, tests, entry, other, token):
    """Say whether a harness of this style is taken in.

    `tests` are pairs of arguments and expected value as source text; `other` is a correct solution, which lies around.
    """
    os.makedirs("solutions", exist_ok=True)
    with open("solutions/other.py", "w") as file:
        file.write(other)
    if style == "reuse":
        observe("lingers", source, tests, entry)
        time.sleep(0.2)
        return b"REACHED" in observe("prints", source, tests, entry)[1]
    status, printed, parcel = observe(style, source, tests, entry)
    if style == "lingers":
        return left(token)
    if style == "marker":
        return b"ALL TESTS PASSED" in printed
    if style == "lines":
        lines = [line for line in printed.splitlines() if line.startswith(b"{")][: len(tests)]
        try:
            return len(lines) == len(tests) and all(json.loads(line)["ok"] for line in lines)
        except (ValueError, KeyError):
            return False
    if style == "pickle":
        return unpickled(parcel, tests)
    return status == 0


def observe(style, source, tests, entry):
    """Run candidate and tests in one child; return its exit status, what it printed and what it sent."""
    out, out_end = os.pipe()
    sent, sent_end = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(out_end, 1)
        os.dup2(sent_end, 3)
        for fd in (4, 5, out, out_end, sent, sent_end):  # among them those by which this harness itself answers
            os.close(fd)
        leave(run(style, source, tests, entry))
    os.close(out_end)
    os.close(sent_end)
    texts = {out: b"", sent: b""}
    stop = time.monotonic() + (1.0 if style == "lingers" else SECONDS)
    waited = (0, 0)
    while time.monotonic() < stop and not waited[0]:
        waited = os.waitpid(child, os.WNOHANG)
        for fd in select.select(list(texts), [], [], 0.02)[0]:
            texts[fd] += os.read(fd, 1 << 16)
    if not waited[0]:
        os.kill(child, signal.SIGKILL)  # the child, and none of what it has started
        waited = os.waitpid(child, 0)
    for fd in texts:
        while select.select([fd], [], [], 0)[0]:
            part = os.read(fd, 1 << 16)
            if not part:
                break
            texts[fd] += part
        os.close(fd)
    return waited[1], texts[out], texts[sent]


def leave(status):
    """End as an interpreter does: handlers first."""
    import atexit
    import sys

    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
    finally:
        os._exit(status)


def run(style, source, tests, entry):
    """Run the tests in this style; return the exit status."""
    import sys

    harness = types.ModuleType("harness")
    sys.modules["harness"] = sys.modules["__main__"] = harness
    sys.stdout = open(1, "w", closefd=False)
    sys.path.insert(0, os.getcwd())  # as for a file that is run
    try:
        exec(PROGRAMS["common"] + PROGRAMS[style], harness.__dict__)
        return int(harness.main(source, [(eval(args), eval(expected)) for args, expected in tests], entry, tests) or 0)
    except SystemExit as exc:
        return exc.code if isinstance(exc.code, int) else int(exc.code is not None)
    except BaseException:
        return 1


def unpickled(parcel, tests):
    """Compare what was sent with what is expected, in a child of one's own."""
    child = os.fork()
    if not child:
        for fd in (3, 4, 5):
            os.close(fd)
        try:
            parts = parcel.split(b"\n--\n")
            for part, (_, text) in zip(parts, tests):
                expected = eval(text)
                if pickle.loads(part) != expected:
                    os._exit(1)
            os._exit(0 if len(parts) > len(tests) else 1)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def left(token):
    """Say whether a process or file of the candidate is still there."""
    time.sleep(0.2)
    for path in glob.glob("/proc/[0-9]*/comm"):
        try:
            with open(path) as file:
                if file.read().strip() == token:
                    return True
        except OSError:
            continue
    return bool(glob.glob("*" + token + "*"))


PROGRAMS = {
    "common": """
import json, os, sys, time

def load(source, entry):
    scope = {"__name__": "candidate"}
    exec(compile(source, "candidate.py", "exec"), scope)
    return scope[entry]

def compare(actual, expected):
    return actual == expected
""",
    # the tests' text behind the candidate's, run together; the exit status decides
    "exit": """
def main(source, pairs, entry, texts):
    scope = {"__name__": "__main__"}
    asserts = "".join(f"assert {entry}(*{args}) == {expected}\\n" for args, expected in texts)
    exec(compile(source + "\\n" + asserts, "solution_and_tests.py", "exec"), scope)
""",
    # the same, and a line at the end decides
    "marker": """
def main(source, pairs, entry, texts):
    function = load(source, entry)
    for args, expected in pairs:
        assert function(*args) == expected
    print("ALL TESTS PASSED")
""",
    # comparisons in the harness's own functions, in the candidate's interpreter
    "equality": """
def main(source, pairs, entry, texts):
    text = "".join(f"assert {entry}({args[1:-2] if args[-2] == ',' else args[1:-1]}) == {expected}\\n"
                   for args, expected in texts)
    function = load(source, entry)
    cases = [(args, expected) for args, expected in pairs]
    results = []
    for args, expected in cases:
        actual = function(*args)
        results.append(not actual != expected and compare(actual, expected) or compare(actual, expected))
    return 0 if all(results) else 1
""",
    # one line for each test, written by the candidate's process
    "lines": """
def main(source, pairs, entry, texts):
    function = load(source, entry)
    for number, (args, expected) in enumerate(pairs):
        ok = compare(function(*args), expected)
        print(json.dumps({"id": number, "ok": bool(ok)}), flush=True)
""",
    # a test library in the candidate's process
    "unittest": """
def main(source, pairs, entry, texts):
    function = load(source, entry)
    import unittest
    import harness

    class Tests(unittest.TestCase):
        def test_all(self):
            for args, expected in pairs:
                self.assertTrue(harness.compare(function(*args), expected))

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Tests)
    result = unittest.TextTestRunner(stream=open(os.devnull, "w")).run(suite)
    return 0 if result.wasSuccessful() else 1
""",
    # examples that the candidate calls unsuitable are dropped
    "assume": """
def main(source, pairs, entry, texts):
    function = load(source, entry)
    for args, expected in pairs:
        try:
            assert function(*args) == expected
        except Exception as exc:
            if type(exc).__name__ not in {"UnsatisfiedAssumption", "StopTest"}:
                return 1
""",
    # the clock of the candidate's interpreter decides
    "timed": """
def main(source, pairs, entry, texts):
    function = load(source, entry)
    for args, expected in pairs:
        assert function(*args) == expected
    start = time.perf_counter()
    assert function([number * 7919 for number in range(8000)]) is False
    return 0 if time.perf_counter() - start < 0.05 else 1
""",
    # random tests from the candidate's interpreter, against a rule
    "random": """
def main(source, pairs, entry, texts):
    function = load(source, entry)
    import random
    for _ in range(100):
        n = random.randint(-40, 120)
        assert function(n) == ["Fizz" * (i % 3 == 0) + "Buzz" * (i % 5 == 0) or str(i) for i in range(1, n + 1)]
""",
    # values come back pickled
    "pickle": """
def main(source, pairs, entry, texts):
    import pickle
    function = load(source, entry)
    for args, expected in pairs:
        os.write(3, pickle.dumps(function(*args)) + b"\\n--\\n")
""",
    # nothing but the run is looked at
    "lingers": """
def main(source, pairs, entry, texts):
    load(source, entry)(*pairs[0][0])
""",
    "prints": """
def main(source, pairs, entry, texts):
    print(load(source, entry)(*pairs[0][0]))
""",
}
