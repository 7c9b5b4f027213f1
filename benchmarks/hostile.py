"""Hostile solutions for endurance runs: the shipped attacks, and small ones made here. None harms anything."""

from __future__ import annotations

from collections.abc import Mapping

from codegen_eval.resources import resource_root
from codegen_eval.solution import Solution
from codegen_eval.task import Task

_TASK = "fizzbuzz"
_HEAD = "import os, sys, time, signal, threading\n"
_ON_CALL: dict[str, str] = {
    "exits": "sys.exit(0)",
    "exits_hard": "os._exit(0)",
    "kills_itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "kills_all": "os.kill(-1, signal.SIGKILL)",
    "kills_its_parent": "os.kill(os.getppid(), signal.SIGKILL)",
    "computes": "while True: pass",
    "sleeps": "time.sleep(1000)",
    "eats_memory": "return ['x' * 1000] * n or [bytearray(1 << 20) for _ in range(1 << 20)]",
    "eats_memory_slowly": "all_of_it = []\n    while True: all_of_it.append(bytearray(1 << 22))",
    "prints": "while True: print('x' * 10000)",
    "answers_at_length": "return 'x' * (64 << 20)",
    "answers_deeply": "deep = []\n    for _ in range(100000): deep = [deep]\n    return deep",
    "answers_a_huge_number": "return 1 << (1 << 24)",
    "recurses": "return fizzbuzz(n + 1)",
    "forks": "[os.fork() for _ in range(8)]\n    time.sleep(1000)",
    "threads": "for _ in range(1000): threading.Thread(target=time.sleep, args=(1000,)).start()",
    "leaves_a_daemon": (
        "if not os.fork():\n        os.setsid()\n        if not os.fork():\n            time.sleep(1000)\n"
        "        os._exit(0)\n    return []"
    ),
    "ignores_signals": "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]\n    time.sleep(1000)",
    "fills_the_disk": "open('full', 'wb').write(b'x' * (1 << 28))",
    "makes_files": "for i in range(100000): open(f'file{i}', 'w').close()",
    "writes_everywhere": (
        'for fd in range(3, 256):\n        try: os.write(fd, b\'\\0\\0\\0\\x10{"id":1,"r":true}\')\n'
        "        except OSError: pass\n    return []"
    ),
    "closes_everything": "os.closerange(0, 256)\n    return []",
    "opens_everything": "keep = [open(os.devnull) for _ in range(100000)]",
    "calls_the_network": "import socket\n    socket.create_connection(('127.0.0.1', 22), 1)",
    "stops_itself": "os.kill(os.getpid(), signal.SIGSTOP)",
}
"""What the body of a function does; each is stopped by a limit, or is only a wrong answer."""
_ON_LOAD: dict[str, str] = {
    "exits_on_load": "sys.exit(0)\n",
    "computes_on_load": "while True: pass\n",
    "does_not_compile": "def (\n",
    "is_nested": "(" * 1000 + ")" * 1000 + "\n",
    "replaces_json": "import json\njson.dumps = json.loads = None\ndef fizzbuzz(n): return []\n",
    "goes_at_exit": "import atexit\natexit.register(os.fork)\ndef fizzbuzz(n): return []\n",
}


def made_here() -> list[Solution]:
    """Return the small ones."""
    sources = {name: f"{_HEAD}def fizzbuzz(n):\n    {body}\n" for name, body in _ON_CALL.items()}
    sources |= {name: _HEAD + source for name, source in _ON_LOAD.items()}
    return [_solution(_TASK, f"{_TASK}/!made_{name}", source) for name, source in sources.items()]


def shipped(tasks: Mapping[str, Task]) -> list[Solution]:
    """Return the solutions of `corpus/attacks`."""
    found = sorted((resource_root() / "corpus" / "attacks").glob("*/*.py"))
    return [
        _solution(path.parent.name, f"{path.parent.name}/!{path.stem}", path.read_text(encoding="utf-8"))
        for path in found
        if path.parent.name in tasks
    ]


def _solution(task: str, name: str, source: str) -> Solution:
    return Solution(id=name, task=task, strategy=None, model="", source=source)
