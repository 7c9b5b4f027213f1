"""`evalrun datasets`: read public problem sets and say what they hold."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True)

Spec = Annotated[str, typer.Argument(help="NAME=PATH, as `humaneval=HumanEval.jsonl.gz`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command("list", help="List the problem sets whose files can be read.")
def list_sets() -> int:
    """Print the names."""
    from codegen_eval.datasets import FORMATS

    sys.stdout.writelines(f"{name}\n" for name in FORMATS)
    return 0


@app.command("check", help="Read a problem set and say what is in it: exit 1 where a line gives no problem.")
def check(spec: Spec, *, as_json: AsJson = False) -> int:
    """Print counts, known bad problems and faults."""
    import json

    from codegen_eval.datasets import read_dataset

    with read_dataset(spec) as dataset:
        problems = dataset.problems.values()
        known_bad = {problem.id: problem.known_bad for problem in problems if problem.known_bad}
        forms = sorted({problem.test_form for problem in problems})
        count = sum(problem.test_count for problem in problems)
        faults = dataset.faults
        if as_json:
            found = {
                "dataset": dataset.spec.name,
                "path": str(dataset.spec.path),
                "sha256": dataset.digest,
                "problems": len(dataset),
                "tests": count,
                "forms": forms,
                "known_bad": known_bad,
                "fault_count": len(faults),
                "faults": [fault.model_dump() for fault in faults],
            }
            sys.stdout.write(json.dumps(found, indent=1) + "\n")
        else:
            sys.stdout.write(f"{len(dataset)} problems with {count} tests of the form {', '.join(forms)}\n")
            sys.stdout.writelines(f"known to be bad: {name}: {reason}\n" for name, reason in known_bad.items())
            sys.stdout.writelines(f"{fault}\n" for fault in faults)
            if len(faults) > len(faults.kept):
                sys.stdout.write(f"and {len(faults) - len(faults.kept)} more\n")
    return 1 if faults else 0


@app.command("show", help="Show one problem of a set.")
def show(
    spec: Spec, problem: Annotated[str, typer.Argument(help="The problem's id.")], *, as_json: AsJson = False
) -> int:
    """Print prompt, canonical solution and tests."""
    import json

    from codegen_eval.datasets import read_dataset
    from codegen_eval.errors import DatasetError
    from codegen_eval.samples.directory import IdDirectory

    with read_dataset(spec) as dataset:
        directory = IdDirectory(dataset.problems)
        name = directory.find(problem)
        if name is None:
            raise DatasetError(f"there is no problem `{problem}` in `{spec}`", hint=directory.hint(problem))
        found, tests = dataset.problems[name], dataset.tests(name)
    if as_json:
        shown = {"problem": found.model_dump(mode="json"), "tests": tests.model_dump(mode="json")}
        sys.stdout.write(json.dumps(shown, indent=1) + "\n")
        return 0
    parts = {"prompt": found.prompt, "helpers": found.preamble, "canonical solution": found.canonical or ""}
    for title, text in parts.items():
        if text.strip():
            sys.stdout.write(f"--- {title}\n{_shown(text)}\n")
    sys.stdout.write(f"--- tests ({found.test_form})\n{_shown(tests.model_dump_json(indent=1, exclude={'form'}))}\n")
    if found.known_bad:
        sys.stdout.write(f"--- known to be bad\n{found.known_bad}\n")
    return 0


def _shown(text: str) -> str:
    """Return a text whose control characters can't reach a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text.strip("\n"))
