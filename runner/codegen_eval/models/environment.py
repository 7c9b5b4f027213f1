"""The environment that providers read, with what a `.env` in the working directory adds to it.

Only the names below are taken from that file, and only where the real environment has none: a checkout that somebody
else wrote can't set anything else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from codegen_eval.errors import InputError

NAMES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "BEDROCK_SMALL_MODEL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)
MAX_BYTES = 64 * 1024


def read_environment(directory: Path | None = None, *, environ: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the environment, and what `.env` in the directory (by default the working one) adds to it.

    Raises:
        InputError: the file can't be read, or needs a package that is not installed.
    """
    known = dict(os.environ if environ is None else environ)
    path = (directory or Path()) / ".env"
    try:
        if not path.exists():
            return known
        if not path.is_file():
            raise InputError(f"`{path}` can't be read: it is not a file", hint="move it away, or make it a file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise InputError(f"`{path}` is not UTF-8 text (byte {exc.start})", hint="save it as UTF-8") from exc
    except OSError as exc:
        raise InputError(f"`{path}` can't be read: {exc.strerror or exc}", hint="mend or remove it") from exc
    if len(content) > MAX_BYTES:
        raise InputError(f"`{path}` is larger than {MAX_BYTES >> 10} KiB", hint="`.env.example` shows what it may hold")
    return {**_parse(text), **{name: value for name, value in known.items() if value or name not in NAMES}}


def how_to_install(extra: str) -> str:
    """Return how what an extra brings is installed, from an index of packages or in a clone."""
    from_index, from_clone = (f'`pip install {what}[{extra}]"`' for what in ('"codegen-eval', '-e ".'))
    return f"install the extra `{extra}`: {from_index}, or {from_clone} in a clone"


def _parse(text: str) -> dict[str, str]:
    try:
        from dotenv import dotenv_values
    except ImportError as exc:
        raise InputError(
            "`.env` needs a package that is not installed",
            hint=f"{how_to_install('all')}; or export the variables",
        ) from exc
    from io import StringIO

    found = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name in NAMES if (value := found.get(name))}
