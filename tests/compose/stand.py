"""`compose.yaml` on this machine: with the images that it names, or stand-ins where `EVALRUN_BASE_IMAGE` is set."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
_UNPRIVILEGED = "unable to apply caps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """A project of compose: a name that nobody else has, its settings, and a folder of results."""

    command: tuple[str, ...]
    project: str
    environment: dict[str, str]
    results: Path

    def compose(self, *words: str, stdin: int | None = None, fine: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command of compose to its end."""
        done = subprocess.run(
            [*self.command, *words],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        assert not fine or done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def evalrun(self, *words: str, fine: bool = True) -> subprocess.CompletedProcess[str]:
        """Run `evalrun` in its service; without words, what the service does unasked."""
        return self.compose("run", "--rm", "-T", "evalrun", *words, fine=fine)

    def left(self, kind: str) -> list[str]:
        """Return the containers, volumes or networks of this project."""
        everything = ["--all"] if kind == "container" else []
        label = f"label=com.docker.compose.project={self.project}"
        return docker(kind, "ls", "--quiet", *everything, "--filter", label).split()


def docker(*words: str) -> str:
    """Run a command of the machine's own engine; return what it prints."""
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


@contextmanager
def make_stand(folder: Path) -> Iterator[Stand]:
    """Give a stand, and take down all that it was made of."""
    name = f"codegen-eval-test-{secrets.token_hex(4)}"
    (folder / "results").mkdir()
    environment = os.environ | {
        "EVALRUN_IMAGE": f"{name}-evalrun",
        "EVALRUN_RESULTS": str(folder / "results"),
        "COMPOSE_ANSI": "never",
    }
    files = ["compose.yaml"]
    base = os.environ.get("EVALRUN_BASE_IMAGE")
    if base:
        files.append("tests/compose/offline.yaml")
        environment |= {"EVALRUN_ENGINE_IMAGE": f"{name}-engine", "EVALRUN_PYTHON_IMAGE": f"{name}-python"}
        if not _may_be_privileged(base):
            files.append("tests/compose/bounded.yaml")
    chosen = (*_find_compose(), *(word for file in files for word in ("--file", file)), "--project-name", name)
    stand = Stand(command=chosen, project=name, environment=environment, results=folder / "results")
    try:
        if base:
            _build(f"{name}-engine", "engine.Dockerfile", HERE, base)
            _build(f"{name}-python", "python.Dockerfile", _with_wheels(folder / "python", base), base)
        stand.compose("build", "evalrun")
        if base:
            _load(base, stand)
        yield stand
    finally:
        stand.compose("down", "--volumes", "--timeout", "5", fine=False)
        for image in ("evalrun", "engine", "python"):
            subprocess.run(["docker", "image", "rm", f"{name}-{image}"], capture_output=True, timeout=60, check=False)


def _find_compose() -> tuple[str, ...]:
    """Return the command: Docker's plugin, or Debian's program."""
    for command in (("docker", "compose"), ("docker-compose",)):
        if shutil.which(command[0]) and subprocess.run([*command, "version"], capture_output=True).returncode == 0:  # noqa: PLW1510 - looked at
            return command
    if os.environ.get("CI"):
        pytest.fail("CI needs compose")
    pytest.skip("there is no compose")


def _may_be_privileged(base: str) -> bool:
    """Say whether the machine's engine can start what is `privileged`: it may lack a capability itself."""
    words = ["docker", "run", "--rm", "--privileged", "--network", "none", base, "true"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 or _UNPRIVILEGED in done.stderr, done.stderr
    return done.returncode == 0


def _build(tag: str, file: str, context: Path, base: str) -> None:
    words = ["--network", "host", "--build-arg", f"BASE_IMAGE={base}", "--file", str(HERE / file), "--tag", tag]
    docker("build", "--quiet", *words, str(context))


def _with_wheels(folder: Path, base: str) -> Path:
    """Fill a folder with the packages that `evalrun` needs on the base image's Python, in the versions used here."""
    python = docker(
        "run", "--rm", "--network", "none", base, "python3", "-c", "import sys; print(*sys.version_info[:2])"
    )
    folder.mkdir()
    here = folder / "constraints.txt"
    here.write_text("".join(f"{d.name}=={d.version}\n" for d in distributions() if d.name != "codegen-eval"))
    # our own metadata can't be had for another Python without building, so its requirements are named one by one
    words = ["--quiet", "--quiet", "--dest", str(folder / "wheels"), "--python-version", python]
    words += ["--only-binary", ":all:", "--constraint", str(here)]
    subprocess.run([sys.executable, "-m", "pip", "download", *words, *_requirements()], check=True, timeout=280)
    return folder


def _requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras: dict[str, list[str]] = project["project"]["optional-dependencies"]
    wanted = [need for name, needs in extras.items() if name not in {"dev", "all"} for need in needs]
    return [*project["build-system"]["requires"], *project["project"]["dependencies"], *wanted]


def _load(base: str, stand: Stand) -> None:
    """Give the inner engine the image that sandboxes are made from."""
    stand.evalrun("--version")  # when this returns the engine is up
    with subprocess.Popen(["docker", "save", base], stdout=subprocess.PIPE) as saved:
        assert saved.stdout is not None
        stand.compose("exec", "-T", "engine", "docker", "load", stdin=saved.stdout.fileno())
