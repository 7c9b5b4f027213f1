"""`python -m codegen_eval` is `evalrun`."""

from __future__ import annotations

from codegen_eval.cli.main import run

if __name__ == "__main__":
    run()
