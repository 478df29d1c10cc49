"""fairdeal: casino table-game regulation as data, and the checks that hold evidence against it."""

VERSION = "0.2.0"
"""The version of fairdeal, as pyproject.toml has it."""
