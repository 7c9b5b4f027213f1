"""The reviewing model: what it is asked, the form of its answer, and how it is called and paid for."""
