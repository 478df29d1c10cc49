"""Which deck each event happened to: the one in play, or another that is kept at the table."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.evidence.handlog.event_values import ACTORS


def happened_to(scope: Scope, deck: str, chosen: Ints, *, unnamed: str | None = None) -> Tri:
    """uint8[m]: whether each of some events happened to the deck in play, or to another one; `unnamed` as in a step."""
    named, in_play = _named(scope).take(chosen), _in_play(scope).take(chosen)
    silent = named == ABSENT
    fits = silent | (named == in_play)
    result = kleene.where_known(fits if deck == "in-play" else ~fits, silent | (in_play != ABSENT))
    return result if unnamed is None else kleene.unknown_where(of_any_deck(scope).take(chosen), result)


@fact
def of_any_deck(scope: Scope) -> Flags:
    """Return whether each event names no deck at a table that may have several, and is not done by the dealer, who has
    the deck in play in hand. A table may have several where the submission puts or keeps some there, an event of the
    round names another than the one in play, or nothing is submitted and decks have names."""
    named, in_play, round_ = _named(scope), _in_play(scope), scope.batch.events.round
    stated = {} if scope.configuration is None else scope.configuration.data.get("deck") or {}
    numbers = [stated[name] for name in ("decks", "kept") if stated.get(name) is not None]
    several = np.full(len(scope.batch), any(number > 1 for number in numbers))
    several[round_[(named != ABSENT) & (named != in_play)]] = True
    if not numbers:
        several |= scope.batch.deck.codes != ABSENT
    return (named == ABSENT) & several[round_] & (scope.batch.events.by != ACTORS.index("dealer"))


@fact
def _named(scope: Scope) -> Ints:
    """int64[events]: the deck each event names, by the codes of decks in play, ABSENT where it names none."""
    named, played = scope.batch.events.deck, scope.batch.deck
    by_name = {name: code for code, name in enumerate(played.names)}
    return np.array([*(by_name.get(name, len(by_name)) for name in named.names), ABSENT], np.int64)[named.codes]


@fact
def _in_play(scope: Scope) -> Ints:
    """int64[events]: the deck in play of the round of each, ABSENT where that is not told."""
    return scope.batch.deck.codes.take(scope.batch.events.round).astype(np.int64)
