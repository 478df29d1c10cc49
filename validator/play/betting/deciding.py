"""What kind of act a decision is that events name."""

from __future__ import annotations

import numpy as np

from validator.play.betting.masks import Flags
from validator.play.scope import Scope

CALLS = frozenset({"call"})
OPENINGS = frozenset({"bet", "bring-in"})
RAISES = frozenset({"raise", "complete"})
COMPLETIONS = frozenset({"complete"})
BROUGHT_IN = frozenset({"bring-in"})
WAGERS = CALLS | OPENINGS | RAISES
"""The kinds of decision that put chips in."""


def kind_is(scope: Scope, kinds: frozenset[str]) -> Flags:
    """bool[events]: where the decision that an event names is of one of these kinds."""
    decisions, named = scope.prepared.game.decisions, scope.batch.events.decision
    fits = [name in decisions and decisions[name].kind in kinds for name in named.names]
    return np.array([*fits, False], bool)[named.codes]
