"""The `evalrun` command."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from codegen_eval import __version__
from codegen_eval.allocator import keep_memory_flat
from codegen_eval.cli import (
    adjudicate,
    check,
    clean,
    corpus,
    datasets,
    doctor,
    evaluate,
    extract,
    plan,
    report,
    samples,
    selftest,
    storage,
    tasks,
)
from codegen_eval.cli import run as run_command
from codegen_eval.cli.words import gather_lists
from codegen_eval.errors import CodegenEvalError

_INTERRUPTED = 130
_HEELS_SECONDS = 1.0

app = typer.Typer(
    name="evalrun",
    help="Which prompting and verification strategies catch which classes of AI-code failure?"
    " `evalrun --mock` runs the canned corpus.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run", help="Run a model, or the canned corpus, through the battery and print the scorecard.")(
    run_command.run
)
app.command("plan", help="Say what a run of a model would come to, before anything is spent.")(plan.plan)
app.command("report", help="Render a finished run or evaluation again, or beside an earlier one.")(report.report)
app.command("adjudicate", help="Judge flagged solutions, and a sample of the others, in the terminal or by CSV.")(
    adjudicate.adjudicate
)
app.command("extract", help="Extract the code of a finished run again, offline, and say what changed.")(extract.extract)
app.command("check", help="Run the battery on solution files of your own.")(check.check)
app.command("evaluate", help="Judge somebody's samples on a public problem set.")(evaluate.evaluate)
app.command("selftest", help="Run the shipped attacks against the sandbox of this machine.")(selftest.selftest)
app.command("doctor", help="Say what is installed and which sandbox would be used, and why.")(doctor.doctor)
app.command("push", help="Store a finished run in an S3-compatible store.")(storage.push)
app.command("pull", help="Fetch a stored run.")(storage.pull)
app.command("clean", help="Remove what crashed runs left behind.")(clean.clean)
app.add_typer(tasks.app, name="tasks", help="List, show and validate tasks.")
app.add_typer(datasets.app, name="datasets", help="Read public problem sets.")
app.add_typer(samples.app, name="samples", help="Read other people's samples.")
app.add_typer(corpus.app, name="corpus", help="Validate the canned corpus.")


def _version(wanted: bool) -> None:  # noqa: FBT001 - Typer's callback
    if wanted:
        typer.echo(f"codegen-eval {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Evaluate AI-generated code: which strategies catch which classes of failure."""


def run_argv(argv: list[str]) -> int:  # noqa: C901 - one branch for each way to end
    """Run one command line; return its exit code. Errors become messages, never tracebacks."""
    if sys.platform == "win32":
        sys.stderr.write("error: codegen-eval runs on Linux and macOS\n\nhint: on Windows, use it inside WSL\n")
        return 3
    debug = "--debug" in argv
    argv = [word for word in argv if word != "--debug"]
    if "--mock" in argv and (not argv or argv[0].startswith("-")):
        argv = ["run", *argv]
    try:
        result = app(gather_lists(argv), prog_name="evalrun", standalone_mode=False)
    except CodegenEvalError as exc:
        if debug:
            raise
        _complain(exc.message, exc.hint)
        return exc.exit_code
    except (typer.Abort, KeyboardInterrupt):
        result = _INTERRUPTED
    except BrokenPipeError:
        return 0
    except OSError as exc:
        if debug:
            raise
        _complain(f"`{exc.filename or 'the output'}`: {exc.strerror or exc}", None)
        return 3
    except Exception as exc:
        show = getattr(exc, "show", None)
        if callable(show):  # a usage error of the command-line library
            show()
            return int(getattr(exc, "exit_code", 2))
        if debug:
            raise
        _complain(f"{type(exc).__name__}: {exc}", "this is a fault of the program; `--debug` shows where")
        return 3
    if result == _INTERRUPTED:  # the command-line library turns an interrupt into this code
        _complain("interrupted", None)
    return result if isinstance(result, int) else 0


def _complain(message: str, hint: str | None) -> None:
    sys.stderr.write(f"error: {message}\n")
    if hint:
        sys.stderr.write(f"\nhint: {hint}\n")


class _Interrupts:
    """Makes an interrupt of signals. One that comes on the heels of another, as to a process and its group, is none."""

    def __init__(self) -> None:
        self._last = -_HEELS_SECONDS

    def __call__(self, _number: int, _frame: object) -> None:
        now = time.monotonic()
        if now - self._last >= _HEELS_SECONDS:
            self._last = now
            raise KeyboardInterrupt

    def listen(self) -> None:
        """Hear the signals that end a process, but for one that was ignored when it began."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN or number is signal.SIGTERM:
                signal.signal(number, self)

    @staticmethod
    def stop_listening() -> None:
        """Hear them no more: what is left to do is short, and says that we were interrupted."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)


def _open_streams() -> None:
    """Have streams that were closed lead nowhere, and let no work fail because nobody can be told of it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # and so that no file of ours gets the number
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as we live
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    told = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    try:
        told.write("")
        os.write(2, b"")
    except OSError:
        told = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = told


def run() -> None:
    """Run the command line of this process."""
    keep_memory_flat()
    interrupts = _Interrupts()
    interrupts.listen()
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that can't show a letter still shows the rest
    code = run_argv(sys.argv[1:])
    interrupts.stop_listening()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader had enough
    except OSError as exc:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _complain(f"the output can't be written: {exc.strerror}", None)
        code = 3
    sys.exit(code)
