"""What is done now and then beside the course of rounds: what goes wrong in them by chance, and is part of them, and
what is done from round to round once they stand in a row."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from validator.cards.cards import UNKNOWN
from validator.rules.simulation.simulation import Occurrence
from validator.simulate.procedure.step_context import event_of
from validator.simulate.table.chance import Luck
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Hand, Round, Seat, beside
from validator.simulate.table.view import View

_HOUR = 3600
_AHEAD = 1000
"""What comes after a step comes ahead of all acts of betting that do."""
_LAST_TURN = 1023
"""After all turns of the deal."""


def go_wrong(house: House, rounds: list[Round], rng: Luck, *, later: bool = False) -> None:
    """What goes wrong in some rounds, at most one thing in each: when cards are dealt or, where it hangs on bets,
    `later`, when all are made."""
    seldom = house.simulation.goes_wrong
    bounds = [*accumulate(mishap.chance for mishap in seldom)]
    for round_ in rounds if seldom and not later else ():
        at = bisect_right(bounds, rng.randrange(1000))
        round_.occurrence = seldom[at] if at < len(seldom) else None
    for wrong in seldom:
        if (None not in (wrong.after, wrong.when)) is later:
            view = View(house, [round_ for round_ in rounds if round_.occurrence is wrong])
            able, numbers = view.rounds_where(wrong.when), [None] * len(view.rounds)
            stated = numbers if wrong.states is None else view.numbers(wrong.states, "round")
            for round_, number in zip(view.rounds, stated, strict=True):
                if round_ in able:
                    round_.mishaps = _mishaps(house, round_, wrong, number, rng)


def _mishaps(house: House, one: Round, wrong: Occurrence, number: int | None, rng: Luck) -> list[Event]:
    """The events of what goes wrong in a round; none where nobody, or no card, is there for it."""
    seat = _bystander(house, one, rng) if wrong.of == "bystander" else rng.choice(one.seats)
    cards = one.unused(max(Counter(wrong.steps).values())) if wrong.of == "unused-card" else []
    if seat is None or cards is None:
        return []
    found = []
    for at, name in enumerate(wrong.steps):
        step = house.prepared.steps[name]
        about = [cards[wrong.steps[:at].count(name)]] if cards and step.each != "seat" else None
        event = event_of(house, step, amount=number, cards=about)
        event.seat = seat if step.each == "seat" else None
        found.append(event)
    return found


def _bystander(house: House, one: Round, rng: Luck) -> Seat | None:
    """One more seat, at the first free position clockwise from another, with cards that nobody is dealt; None where
    no position, or no card, is left for it."""
    taken, beside_it = {seat.number for seat in one.seats}, rng.choice(one.seats)
    around = ((beside_it.number + step) % house.positions + 1 for step in range(house.positions))
    number = next((position for position in around if position not in taken), None)
    cards = None if number is None else one.unused(len(beside_it.hand.cards or []))
    if number is None or cards is None:
        return None
    seat = Seat(number=number, player=number, playing=False, stack=house.stacks.least, hand=Hand(cards=cards))
    one.seats = sorted([*one.seats, seat], key=lambda other: other.number)
    return seat


def place_mishaps(house: House, one: Round, told: Sequence[Event], rng: Luck) -> list[Event]:
    """What goes wrong in a round, where it does: after its step, or in the deal, whose packets are `told`."""
    packets = sorted((event for event in told if event.kind == "deal"), key=lambda event: event.order)
    # A card of any packet may be shown; all else comes ahead of a packet that is not the first.
    of_a_packet = any(event.kind == "expose" and event.place != "burn" for event in one.mishaps)
    packet = rng.choice(packets[not of_a_packet :]) if len(packets) > 1 else None
    after = None if one.occurrence is None else one.occurrence.after
    shown = UNKNOWN if packet is None else rng.choice(packet.cards or [UNKNOWN])
    for turn, event in enumerate(one.mishaps):
        if after is not None:
            event.order = (2 * [step.step for step in house.course].index(after) + 1, turn - _AHEAD, 0, 0)
        elif event.kind == "count" or packet is None:
            event.order = (packets[-1].order[0] if packets else 0, _LAST_TURN, 0, 0)
        elif event.kind in ("expose", "turn-down") and event.place != "burn":
            event.order, event.seat, event.place, event.cards = packet.order, packet.seat, packet.place, [shown]
        else:
            event.order = (*packet.order[:3], -1)
            event.cards = (packet.cards or [])[:1] if event.kind == "draw" else event.cards
    return one.mishaps


class Before:
    """What held in the last round of each table, or deck of one, from batch to batch, for every purpose it is asked
    for."""

    def __init__(self) -> None:
        self._last: dict[tuple[object, int, str | None], tuple[bool, int]] = {}

    def __call__(
        self, purpose: object, held: set[Round], rounds: Sequence[Round], *, by_deck: bool = False
    ) -> set[Round]:
        """The rounds where it held in the round before at the same table (and, `by_deck`, of the same deck) since it
        opened. To be asked once a batch."""
        found = set()
        for round_ in rounds:
            key = (purpose, round_.table, round_.in_play if by_deck else None)
            before, number = self._last.get(key, (False, 0))
            if before and number < (round_.count or 0):
                found.add(round_)
            self._last[key] = round_ in held, round_.count or 0
        return found


def done_in(view: View, before: Before) -> list[set[Round]]:
    """When it is time for each thing that is done now and then."""
    return [
        before(("following", at), view.rounds_where(occasion.operand), view.rounds)
        if occasion.operator == "following"
        else {round_ for round_ in view.rounds if _is_due(view.house, occasion, round_.count or 0)}
        for at, occasion in enumerate(view.house.simulation.now_and_then)
    ]


def rounds_with_mishap(view: View, step: str) -> set[Round]:
    """The rounds in which a step was taken when something went wrong, before anything is told between rounds."""
    by_chance = any(step in mishap.steps for mishap in view.house.simulation.goes_wrong)
    return {*view.of_step(step)} if by_chance else set()


def _is_due(house: House, occurrence: Occurrence, number: int) -> bool:
    """Whether it is time for something in the round of a number."""
    match occurrence.operator:
        case "opening":
            return number == 1
        case "rounds":
            return bool(number % occurrence.operand == 0)
        case _:
            seconds, span = house.simulation.seconds, occurrence.operand * _HOUR
            elapsed = (number - 1) * seconds
            return bool(number > 1 and elapsed // span > (elapsed - seconds) // span)


def record_between(view: View, done: Sequence[set[Round]]) -> None:
    """The events of all that is done now and then: before all else unless they come beside a step. Steps that were
    taken when something went wrong are not taken again."""
    house, told = view.house, set[str]()
    named = {name: house.prepared.steps[name] for occasion in house.simulation.now_and_then for name in occasion.steps}
    usual = {name: view.rounds_where(house.habit(step).when) for name, step in named.items()}
    may = {name: rounds - rounds_with_mishap(view, name) for name, rounds in usual.items()}
    for occurrence, due in zip(house.simulation.now_and_then, done, strict=True):
        anchor = occurrence.before or occurrence.after
        if anchor in told:
            view, told = view.retold(), set()
        anchors = {} if anchor is None else view.of_step(anchor)
        decks = house.decks if occurrence.of == "each-deck" and house.decks else (None,)
        for round_ in view.rounds:
            steps = [named[name] for name in occurrence.steps if round_ in due and round_ in may[name]]
            place = (
                0 if anchor is None else beside(round_.events, anchors.get(round_, []), after=bool(occurrence.after))
            )
            if steps and place is not None:
                round_.events[place:place] = [event_of(house, step, deck=deck) for deck in decks for step in steps]
        told.update(occurrence.steps)
