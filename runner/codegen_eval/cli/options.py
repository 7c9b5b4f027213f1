"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Layers = Annotated[list[str] | None, typer.Option("--layers", help="Layers to run; all by default.")]
Sandbox = Annotated[str, typer.Option("--sandbox", help="auto, docker, bwrap or subprocess.")]
Runtime = Annotated[str | None, typer.Option("--runtime", help="OCI runtime of the engine, as runsc.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, max=64, help="Solutions at a time; one per core by default.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of properties and mutant sampling.")]
MaxMutants = Annotated[int, typer.Option("--max-mutants", min=1, max=1000, help="Most mutants of one solution.")]
Timeout = Annotated[
    float, typer.Option("--timeout", min=0.1, max=3600, help="Wall seconds for one call; CPU is 0.4 of it.")
]
Memory = Annotated[int, typer.Option("--memory", min=64, max=65536, help="MiB for one sandbox.")]
LogFormat = Annotated[str, typer.Option("--log-format", help="auto, json or console: events on stderr.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say more: a scorecard's 95 % intervals, an evaluation's problems.")
]
AllowUnsafe = Annotated[
    bool,
    typer.Option("--allow-unsafe-sandbox", help="Run untrusted code in the subprocess sandbox, which is no boundary."),
]
TasksDir = Annotated[
    Path | None,
    typer.Option("--tasks-dir", help="A folder of tasks of your own. Its Python files are trusted and run here."),
]
MODE_HELP = "Model provider: mock, claude, bedrock, openai, or one that a plugin brings."
Strategies = Annotated[
    list[str] | None, typer.Option("--strategies", help="bare, spec, test-first, self-review; all by default.")
]
Tasks = Annotated[
    list[str] | None, typer.Option("--tasks", help="Tasks, or problems of the set, to run; all by default.")
]
ProblemSet = Annotated[
    str | None,
    typer.Option("--dataset", help="NAME=PATH of a public problem set, as `humaneval=HumanEval.jsonl.gz`."),
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Run no more than the first tasks or problems.")]
Models = Annotated[
    list[str] | None, typer.Option("--model", help="The provider's names of one or more models, each a column.")
]
Samples = Annotated[
    int, typer.Option("--samples", min=1, max=1000, help="Independent answers to each task under each strategy.")
]
Temperature = Annotated[
    str, typer.Option("--temperature", help="0 makes runs comparable; `none` leaves it to the provider.")
]
MaxTokens = Annotated[
    int, typer.Option("--max-tokens", min=1, max=1_000_000, help="Of a reply; a cut one gets twice as much, once.")
]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, max=256, help="Calls of models at a time.")]
CallTimeout = Annotated[
    float, typer.Option("--call-timeout", min=1, max=3600, help="Seconds for one call of a model; then it is retried.")
]
BudgetUsd = Annotated[
    str | None,
    typer.Option(
        "--budget-usd",
        help="Stop before a call that could bring the run, resumes included, above this; a resume keeps it. `none`: no"
        " limit.",
    ),
]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Where the provider is, as http://localhost:11434/v1.")]
Prices = Annotated[Path | None, typer.Option("--prices", help="A price table of your own, as TOML.")]
Drafts = Annotated[
    bool | None,
    typer.Option("--drafts/--no-drafts", help="Judge first answers that are revised; default: of real models."),
]
Reviewer = Annotated[
    str | None,
    typer.Option(
        "--reviewer", help="MODE:MODEL of an independent model that reviews each solution; its claims are executed."
    ),
]
ReviewPolicy = Annotated[
    str,
    typer.Option(
        "--review-policy",
        help="Which claims fail a solution: confirmed, unrefuted (the unverifiable, too), any, or never (report only).",
    ),
]
ReviewerTemperature = Annotated[
    str, typer.Option("--reviewer-temperature", help="Of the reviewer; by default `none`, its provider's own.")
]
ReviewerBaseUrl = Annotated[
    str | None, typer.Option("--reviewer-base-url", help="Where the reviewer's provider is, if not at its usual place.")
]
