"""The kinds of decision that mean something in a round of betting."""

from __future__ import annotations

CALLS = frozenset({"call"})
OPENINGS = frozenset({"bet", "bring-in"})
RAISES = frozenset({"raise", "complete"})
COMPLETIONS = frozenset({"complete"})
BROUGHT_IN = frozenset({"bring-in"})
WAGERS = CALLS | OPENINGS | RAISES
"""Those that put chips in."""
PASSES = frozenset({"fold", "check", "concede"})
"""Those that put none in."""
