"""Conditions on what the event that is judged shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Ints8, Ints32, Tri
from validator.cards.ranking import CompiledRanking
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import UNKNOWN, YES
from validator.engine.timeline.streets import stage_of_events
from validator.engine.turns.verbal_declarations import as_declared
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.evidence.handlog.events import KIND
from validator.language.events import EventHas
from validator.language.refs import DECLARED


def event_shows(scope: Scope, operand: EventHas) -> Tri:
    """Whether each event shows everything that is asked for; unknown where its record leaves something out."""
    events = scope.batch.events
    parts: list[Tri] = []
    for codes, choices, wanted in (
        (events.face, FACES, operand.face),
        (_doers(scope), ACTORS, operand.by),
        (events.place, PLACES, operand.place),
    ):
        if wanted is not None:
            parts.append(kleene.where_known(codes == choices.index(wanted), codes != ABSENT))
    if operand.in_ is not None:
        means = np.isin(events.means, [MEANS.index(one) for one in operand.in_])
        parts.append(kleene.where_known(means, events.means != ABSENT))
    if operand.positions is not None:
        spots = events.positions
        wanted_spots = "".join(str(spot) for spot in sorted(set(operand.positions)))
        parts.append(kleene.where_known(spots.codes == spots.code(wanted_spots), spots.codes != ABSENT))
    if operand.stage is not None:
        stages = [one.stage for one in scope.prepared.game.deal.stages]
        wanted_stages = [stages.index(name) for name in operand.stage]
        parts.append(kleene.known(np.isin(stage_of_events(scope), wanted_stages)))
    if operand.number is not None:
        parts.append(kleene.where_known(events.amount == operand.number, events.amount != ABSENT))
    if operand.decision is not None:
        parts.append(_decides(scope, operand.decision))
    if operand.deck is not None:
        parts.append(happened_to(scope, operand.deck))
    if operand.cards is not None or operand.arranged_as is not None:
        rows = events.cards_row
        shown = rows != ABSENT
        if operand.cards is not None:
            count = np.where(shown, _at(events.hands.count, rows), ABSENT)
            parts.append(kleene.where_known(count == operand.cards, shown))
        if operand.arranged_as is not None:
            parts.append(_arranged(scope, operand.arranged_as, rows, shown))
    return kleene.every(parts) if parts else kleene.constant(YES, scope.length("event"))


def _doers(scope: Scope) -> Ints8:
    """int8[events]: who did what each event tells, ABSENT where the log does not say; the dealer announces what nobody
    else is said to."""
    events = scope.batch.events
    return np.where((events.kind == KIND["announce"]) & (events.by == ABSENT), ACTORS.index("dealer"), events.by)


def _decides(scope: Scope, wanted: list[str]) -> Tri:
    """Whether the decision of each event is one of some, or the one declared."""
    decision = scope.batch.events.decision
    named = kleene.where_known(decision.among(set(wanted) - {DECLARED}), decision.codes != ABSENT)
    return kleene.some([named, as_declared(scope)]) if DECLARED in wanted else named


def happened_to(scope: Scope, deck: str) -> Tri:
    """Whether each event happened to the deck in play, or to another one."""
    events, played = scope.batch.events, scope.batch.deck
    by_name = {name: code for code, name in enumerate(played.names)}
    codes = np.array([*(by_name.get(name, len(by_name)) for name in events.deck.names), ABSENT], np.int64)
    named, in_play = codes[events.deck.codes], played.codes[events.round]
    silent = named == ABSENT
    fits = silent | (named == in_play)
    return kleene.where_known(fits if deck == "in-play" else ~fits, silent | (in_play != ABSENT))


def _at(values: NDArray[Any], rows: Ints32) -> NDArray[Any]:
    """Values picked by row, anything where the row is ABSENT."""
    return values[rows] if len(values) else np.zeros(len(rows), values.dtype)


def _arranged(scope: Scope, hand: str, rows: Ints32, shown: Flags) -> Tri:
    ranking = scope.prepared.hands[hand].ranking
    value = kleene.constant(UNKNOWN, scope.length("event"))
    if not isinstance(ranking, CompiledRanking):
        return value
    hands = scope.batch.events.hands
    # Only events that show a whole hand can be arranged; ranking every dealt card would be waste.
    full = np.flatnonzero(shown)
    full = full[hands.count[rows[full]] == ranking.size]
    cards = hands.cards[rows[full], : ranking.size]
    value[full] = kleene.where_known(ranking.arranged(cards), ranking.strength(cards) != ABSENT)
    return value
