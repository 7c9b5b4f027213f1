"""The prompt templates of the package: `prompts/*.j2`."""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined


def prompt_templates() -> Environment:
    """Return the templates. What is filled in is never read as a template itself."""
    folder = files("codegen_eval").joinpath("prompts")
    return Environment(
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text("utf-8")),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  what comes out is plain text for a model; `&lt;` would be a wrong prompt
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
