"""The deal judged: places in turn, cards burnt, and how many cards a place receives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.checks.marks import NO_EVENTS, Judged, Told, judged_from, place_of
from validator.evidence.columns import ABSENT
from validator.evidence.event_values import PLACES
from validator.play.conditions import holds_everywhere
from validator.play.dealt_numbers import Numbers, burnt, counted
from validator.play.scope import Scope
from validator.play.steps import kinds_recorded
from validator.play.turns import NOBODY, Turns, dealing, first_known, order_recorded
from validator.rulebook.language.deal import Deal
from validator.rulebook.language.requirement import DealtCheck

_ASKED = {
    "turn": "the cards as dealt, one event each",
    "burn": "the cards as dealt and burnt, one event each",
    "count": "the cards as dealt, one event each",
}


def dealt(scope: Scope, check: DealtCheck) -> Judged:
    """The deal as the game lays it down."""
    names = [stage.stage for stage in scope.prepared.game.deal.stages]
    stages = [names.index(name) for name in check.stages or names]
    found: Turns | Numbers
    match check.asks:
        case "turn":
            found = dealing(scope, stages)
        case "burn":
            found = burnt(scope, stages)
        case _:
            found = counted(scope, stages)
    recorded = np.logical_and.reduce(
        [kinds_recorded(scope, ("deal",), place) for place in _places(scope.prepared.game.deal, stages, check.asks)]
    )
    begun = np.ones(len(recorded), bool)
    if check.asks == "turn":
        recorded &= order_recorded(scope)
        begun = np.logical_and.reduce([first_known(scope, stage) for stage in stages])
    marks = judged_from(found.broke_at >= 0, holds_everywhere(scope, check.when, "round"), recorded & begun)

    def tell(round_: int) -> Told:
        event = int(found.broke_at[round_])
        expected, observed = (
            _turn_told(scope, found, round_, event) if isinstance(found, Turns) else _number_told(names, found, round_)
        )
        seat = int(scope.batch.events.seat[event]) if isinstance(found, Turns) else int(found.seat[round_])
        return Told(
            where=place_of(scope, round_, seat=seat, event=event),
            expected=expected,
            observed=observed,
        )

    return Judged(
        marks=marks,
        round=scope.round_of("round"),
        tell=tell,
        gap=lambda round_: Told(
            where=place_of(scope, round_),
            expected=_ASKED[check.asks],
            observed=NO_EVENTS if not recorded[round_] else "the log does not show which seat is served first",
        ),
    )


def _places(deal: Deal, stages: Sequence[int], asks: str) -> set[str]:
    """The places at which cards must be recorded to tell."""
    served = {place for stage in stages for way in deal.stages[stage].permitted.values() for place in way.dealt()}
    return served - {"burn"} if asks == "count" else served | {"burn"} if asks == "burn" else served


def _turn_told(scope: Scope, turns: Turns, round_: int, event: int) -> tuple[str, str]:
    events, numbers = scope.batch.events, scope.batch.seats.number

    def place(number: int) -> str:
        if number < len(numbers):
            return f"seat {int(numbers[number])}"
        return f"the {PLACES[number - len(numbers)]}"

    seat = int(events.seat[event])
    observed = seat if seat != ABSENT else len(numbers) + int(events.place[event])
    size = int(events.hands.count[events.cards_row[event]])
    due = int(turns.expected[round_])
    return (
        "no further card" if due == NOBODY else f"{_cards(int(turns.size[round_]))} to {place(due)}",
        f"{_cards(size)} to {place(observed)}",
    )


def _number_told(names: Sequence[str], numbers: Numbers, round_: int) -> tuple[str, str]:
    stage = names[int(numbers.stage[round_])].replace("-", " ")
    observed = _cards(int(numbers.number[round_]))
    if numbers.out[round_]:
        return f"no cards in the {stage} to a player who is out of the round", observed
    due = " or ".join(map(str, sorted(numbers.due[int(numbers.stage[round_])][int(numbers.place[round_])])))
    unit = "card" if due == "1" else "cards"
    where = f"burnt before the {stage}" if PLACES[int(numbers.place[round_])] == "burn" else f"in the {stage}"
    return f"{due} {unit} {where}", observed


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number or 'no'} cards"
