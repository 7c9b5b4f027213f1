"""Public problem sets, read from their plain files: one module for each format. Nothing of theirs is run here."""

from __future__ import annotations

from .dataset import Dataset, DatasetSpec
from .problem import Problem, PromptForm, Tests
from .reader import FORMATS, parse_spec, read_dataset

__all__ = ["FORMATS", "Dataset", "DatasetSpec", "Problem", "PromptForm", "Tests", "parse_spec", "read_dataset"]
