"""Deck of each event: the one in play, or another that is kept at the table."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, Truths
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.evidence.handlog.event_values import ACTORS


def concerns_deck(scope: EvaluationContext, deck: str, chosen: Ints, *, unnamed: str | None = None) -> Truths:
    """Return whether events concern the deck in play, or another one.

    Args:
        deck: the deck, as in a step.
        unnamed: as in a step.

    Returns:
        uint8[m].
    """
    named, in_play = _named_decks(scope).take(chosen), _decks_in_play(scope).take(chosen)
    silent = named == ABSENT
    fits = silent | (named == in_play)
    result = kleene.where_known(fits if deck == "in-play" else ~fits, silent | (in_play != ABSENT))
    return result if unnamed is None else kleene.unknown_where(may_concern_any_deck(scope).take(chosen), result)


@cached_fact
def may_concern_any_deck(scope: EvaluationContext) -> Flags:
    """Return whether each event may concern any of several decks: it names none, and the dealer does not do it.

    A table may have several decks if the submission states so. It may as well if an event of the round names another
    deck than the one in play. Without a submission, it may if decks have names.

    Returns:
        bool[events].
    """
    named, in_play, round_ = _named_decks(scope), _decks_in_play(scope), scope.batch.events.round
    stated = {} if scope.configuration is None else scope.configuration.data.get("deck") or {}
    numbers = [stated[name] for name in ("decks", "kept") if stated.get(name) is not None]
    several = np.full(len(scope.batch), any(number > 1 for number in numbers))
    several[round_[(named != ABSENT) & (named != in_play)]] = True
    if not numbers:
        several |= scope.batch.deck.codes != ABSENT
    return (named == ABSENT) & several[round_] & (scope.batch.events.by != ACTORS.index("dealer"))


@cached_fact
def _named_decks(scope: EvaluationContext) -> Ints:
    """Return the deck that each event names, by the codes of decks in play; ABSENT if it names none."""
    named, played = scope.batch.events.deck, scope.batch.deck
    by_name = {name: code for code, name in enumerate(played.names)}
    return np.array([*(by_name.get(name, len(by_name)) for name in named.names), ABSENT], np.int64)[named.codes]


@cached_fact
def _decks_in_play(scope: EvaluationContext) -> Ints:
    """Return the deck in play in the round of each event; ABSENT if it is unknown."""
    return scope.batch.deck.codes.take(scope.batch.events.round).astype(np.int64)
