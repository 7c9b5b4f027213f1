"""What the program under measurement logs: warnings only, and never among the figures."""

from __future__ import annotations

import logging
import sys

import structlog


def log_warnings_only() -> None:
    """Send the program's warnings to standard error, and drop the rest."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
