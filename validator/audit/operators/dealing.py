"""The deal judged: places in turn, cards burnt, and how many cards a place receives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Flags
from validator.audit.statuses.status_codes import NO_EVENTS, NOT_APPLICABLE, Judged, Told, judged_from, place_of
from validator.engine.core.context import Scope
from validator.engine.deal_checks.broken_deals import FIRST, merely_miscounted
from validator.engine.deal_checks.card_counts import Numbers, burnt, counted
from validator.engine.deal_checks.dealing_order import Turns, dealing, first_known, order_recorded
from validator.engine.timeline.course import misplaced
from validator.engine.timeline.step_events import kinds_recorded
from validator.engine.timeline.streets import stage_of_events
from validator.engine.turns.left_open import told_by_the_betting
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.language.wording import seats_named
from validator.rules.model.deal import Deal, DealtCheck

_ASKED = {
    "turn": "the cards as dealt, one event each",
    "burn": "the cards as dealt and burnt, one event each",
    "count": "the cards as dealt, one event each",
}


_LACKING = {
    "turn": "the log does not show which seat is served first",
    "burn": "an event does not tell of how many cards it is",
    "count": "the log does not tell of how many cards an event is, or who is out of the round",
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
    recorded = _recorded(scope, stages, check.asks)
    begun = np.ones(len(recorded), bool)
    if check.asks == "turn":
        recorded &= order_recorded(scope)
        begun = np.logical_and.reduce([first_known(scope, stage) for stage in stages])
    told = np.ones(len(recorded), bool) if isinstance(found, Turns) else found.told | (found.broke_at >= 0)
    broken, arose = found.broke_at >= 0, _arose(scope, stages, check.asks)
    if check.asks == "turn":
        in_first = np.append(stage_of_events(scope) == FIRST, False)[found.broke_at]
        broken &= ~merely_miscounted(scope, broken & in_first)
    if check.asks == "burn":  # cards that come too soon come ahead of the card that is burnt for them
        broken &= ~np.append(told_by_the_betting(scope) | misplaced(scope), False)[found.broke_at]
    marks = judged_from(broken, scope.truth(check.when, "round"), recorded & begun & told, arose)
    marks[recorded & ~arose & ~broken] = NOT_APPLICABLE  # whoever would have been served first

    def tell(round_: int) -> Told:
        event = int(found.broke_at[round_])
        expected, observed = (
            _turn_told(scope, found, round_, event) if isinstance(found, Turns) else _number_told(scope, found, round_)
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
            observed=NO_EVENTS if not recorded[round_] else _LACKING[check.asks],
        ),
    )


def _arose(scope: Scope, stages: Sequence[int], asks: str) -> Flags:
    """bool[rounds]: whether one of the stages came. In what order cards are drawn is a question between seats."""
    events, found = scope.batch.events, np.zeros(len(scope.batch), bool)
    stage_of, exchanging = stage_of_events(scope), scope.prepared.game.deal.exchanging
    for stage in stages:
        ours = np.flatnonzero((stage_of == stage) & (events.place != PLACES.index("burn")))
        if asks == "turn" and stage in exchanging:
            ours = ours[(events.kind[ours] == KIND["draw"]) & (events.seat[ours] != ABSENT)]
            several = events.seat[ours][1:] != events.seat[ours][:-1]
            ours = ours[1:][several & (events.round[ours][1:] == events.round[ours][:-1])]
        elif asks == "burn":
            ours = ours[np.isin(events.kind[ours], (KIND["deal"], KIND["draw"]))]
        found[events.round[ours]] = True
    return found


def _recorded(scope: Scope, stages: Sequence[int], asks: str) -> Flags:
    """bool[rounds]: whether the log records what tells."""
    deal = scope.prepared.game.deal
    recorded = [kinds_recorded(scope, ("deal",), place) for place in _places(deal, stages, asks)]
    for stage in stages:
        kinds = ("discard", "draw", "decide") if len(deal.exchanging) > 1 else ("discard", "draw")
        recorded += [kinds_recorded(scope, kinds, place) for place in deal.stages[stage].exchanges or ()]
    return np.logical_and.reduce(recorded)


def _places(deal: Deal, stages: Sequence[int], asks: str) -> set[str]:
    """The places at which cards must be recorded to tell."""
    asked = [deal.stages[stage] for stage in stages if asks == "burn" or deal.stages[stage].exchanges is None]
    served = {place for stage in asked for way in stage.permitted.values() for place in way.dealt()}
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
    served = PLACES[int(events.place[event])] in scope.prepared.game.deal.serves
    spare = "no further card" if served else f"no card to {place(observed)}"
    return (
        f"{_cards(int(turns.size[round_]))} to {place(due)}" if due != ABSENT else spare,
        f"{_cards(size)} to {place(observed)}",
    )


def _number_told(scope: Scope, numbers: Numbers, round_: int) -> tuple[str, str]:
    of = scope.prepared.game.deal.stages[int(numbers.stage[round_])]
    stage, exchanging = of.stage.replace("-", " "), of.exchanges is not None
    due = sorted(numbers.due[int(numbers.stage[round_])][int(numbers.place[round_])])
    where = f"burnt before the {stage}" if PLACES[int(numbers.place[round_])] == "burn" else f"in the {stage}"
    number, others = _cards(int(numbers.number[round_])), _others(scope, numbers, round_)
    if numbers.answering[round_] != ABSENT:
        if not exchanging:
            return f"no cards {where} to a player who is out of the round", number + others
        return f"{_cards(int(numbers.answering[round_]))} drawn {where}, as many as put away", f"{number} drawn{others}"
    if exchanging and PLACES[int(numbers.place[round_])] != "burn":
        return f"{_cards(due[-1])} put away {where} at the most", f"{number} put away{others}"
    several = " or ".join(map(str, due))
    return f"{several} {'card' if several == '1' else 'cards'} {where}", number + others


def _others(scope: Scope, numbers: Numbers, round_: int) -> str:
    """The seats besides the first that have a wrong number in the same stage."""
    others = [seat for seat in numbers.seats(round_) if seat != numbers.seat[round_]]
    return f"; a wrong number at {seats_named(scope.batch.seats.number[others].tolist())} as well" if others else ""


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number or 'no'} cards"
