import random
import re

OWN = b"%09d" % random.SystemRandom().randrange(10**9)


def attempt():
    """Look for what an earlier worker had answered in the memory that was inherited."""
    pattern = re.compile(b"LE" + b"FT-([0-9]{9})")
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as mem:
        for line in maps:
            span, mode = line.split()[:2]
            start, stop = (int(part, 16) for part in span.split("-"))
            if mode.startswith("rw") and "[v" not in line and stop - start < 64 << 20:
                try:
                    mem.seek(start)
                    block = mem.read(stop - start)
                except OSError:
                    continue
                if any(found != OWN for found in pattern.findall(block)):
                    return "REACHED"
    return "held"


try:
    RESULT = attempt()
except OSError:
    RESULT = "held"


def fizzbuzz(n):
    return [RESULT, "LE" + "FT-" + OWN.decode()]
