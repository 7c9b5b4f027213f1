"""The lint layer: what is insecure in a solution's source, found without running it."""

from __future__ import annotations

from .batch import LintItem
from .layer import Lint, attach
from .rule import RULES, Rule
from .scanner import scan
from .tool import Tool, find_tools

__all__ = ["RULES", "Lint", "LintItem", "Rule", "Tool", "attach", "find_tools", "scan"]
