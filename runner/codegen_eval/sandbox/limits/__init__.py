"""The table of limits: what each sandbox promises, how it is tried on this machine, and what to do where it fails."""

from __future__ import annotations

from codegen_eval.sandbox.limit import Limit
from codegen_eval.sandbox.limits.file import FILES
from codegen_eval.sandbox.limits.kernel import KERNEL
from codegen_eval.sandbox.limits.reach import REACH
from codegen_eval.sandbox.limits.right import RIGHTS
from codegen_eval.sandbox.limits.usage import USAGE

LIMITS: tuple[Limit, ...] = (*REACH, *FILES, *USAGE, *RIGHTS, *KERNEL)
