"""Reports for people, for pages and for machines."""

from __future__ import annotations

from codegen_eval.render.document import render_json, standing_to_json, to_json
from codegen_eval.render.markdown import render_markdown, tables_as_markdown
from codegen_eval.render.text import render_text, tables_as_text

__all__ = [
    "render_json",
    "render_markdown",
    "render_text",
    "standing_to_json",
    "tables_as_markdown",
    "tables_as_text",
    "to_json",
]
