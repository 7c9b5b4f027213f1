"""Which prompting and verification strategies catch which classes of AI-code failure?"""

from __future__ import annotations

__version__ = "0.1.0"
