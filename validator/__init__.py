"""fairdeal: casino table-game regulation as data, and the checks that compare evidence with it."""

VERSION = "0.3.0"
"""Version of fairdeal, as in pyproject.toml."""
