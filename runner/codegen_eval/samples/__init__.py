"""Samples of other people's models, read one by one from the formats that tools write, and made into programs."""

from __future__ import annotations

from .assembly import AssemblyRule, Program, assemble, default_rule, other_programs
from .reader import SampleStream, read_samples
from .sample import Coverage, Sample, SampleKind

__all__ = [
    "AssemblyRule",
    "Coverage",
    "Program",
    "Sample",
    "SampleKind",
    "SampleStream",
    "assemble",
    "default_rule",
    "other_programs",
    "read_samples",
]
