"""Judges: processes that hold cases, properties and expected values, and compare. They never run a solution."""
