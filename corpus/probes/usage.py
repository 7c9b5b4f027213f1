"""Tries to use more than it is given. Everything is bounded."""

import os
import threading
import time


def probe_memory(mib):
    """Hold and touch so many MiB; tell how many were had."""
    held = []
    try:
        while len(held) < mib:
            held.append(b"x" * MIB)
    except MemoryError:
        return len(held)
    return len(held)


def probe_swap():
    """Read what the control group says, and how much swap there is at all."""
    v1, v2 = "/sys/fs/cgroup/memory/memory.", "/sys/fs/cgroup/memory."
    told = {
        "memory": text_of(v1 + "limit_in_bytes") or text_of(v2 + "max"),
        "memory and swap": text_of(v1 + "memsw.limit_in_bytes"),
        "swap": text_of(v2 + "swap.max"),
        "machine": "".join(line for line in text_of("/proc/meminfo").splitlines() if line.startswith("SwapTotal")),
    }
    return {name: text.strip() for name, text in told.items()}


def probe_threads(limit):
    """Start up to `limit` threads that wait; tell how many there were."""
    threading.stack_size(64 << 10)
    go, started = threading.Event(), []
    try:
        while len(started) < limit:
            thread = threading.Thread(target=go.wait, daemon=True)
            thread.start()
            started.append(thread)
    except (RuntimeError, MemoryError):
        pass
    go.set()
    for thread in started:
        thread.join()
    return len(started)


def spin(seconds):
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        pass


def probe_cores(processes, seconds):
    """Compute in several processes at once; tell the CPU time that they got, the time it took, and the quota."""
    start, before = time.monotonic(), os.times()
    children = []
    for _ in range(processes):
        pid = os.fork()
        if not pid:
            spin(seconds)
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"cpu": cpu, "wall": time.monotonic() - start, "quota": quota()}


def quota():
    """Return how many cores the control group allows, None where that can't be told."""
    words = text_of("/sys/fs/cgroup/cpu.max").split()
    if not words:
        places = ("/sys/fs/cgroup/cpu/cpu.cfs_", "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_")
        words = next((found for place in places if (found := cfs(place))), [])
    if len(words) != 2 or not words[1].isdigit():
        return None
    return int(words[0]) / int(words[1]) if words[0].isdigit() else float("inf")


def cfs(place):
    return [*text_of(place + "quota_us").split(), *text_of(place + "period_us").split()]


def probe_spin(seconds):
    stop = time.process_time() + seconds
    while time.process_time() < stop:
        pass
    return DONE


def probe_sleep(seconds):
    time.sleep(seconds)
    return DONE


def probe_print(count):
    """Write to standard output and error in turns."""
    for number in range(count // 8192):
        os.write(1 + number % 2, b"x" * 8192)
    return DONE


def probe_reply(count):
    return "x" * count


def probe_open_files(limit):
    held = []
    while len(held) < limit:
        try:
            held.append(os.dup(0))
        except OSError:
            break
    for fd in held:
        os.close(fd)
    return len(held)
