"""Kinds of decision in the betting."""

from __future__ import annotations

CALLS = frozenset({"call"})
OPENINGS = frozenset({"bet", "bring-in"})
RAISES = frozenset({"raise", "complete"})
COMPLETIONS = frozenset({"complete"})
BROUGHT_IN = frozenset({"bring-in"})
WAGERS = CALLS | OPENINGS | RAISES
"""Decisions that put chips in."""
PASSES = frozenset({"fold", "check", "concede"})
"""Decisions that put no chips in."""
