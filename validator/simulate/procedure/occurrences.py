"""Occasional events: mishaps by chance within a round, and steps between rounds."""

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
"""Offset of what comes after a step, ahead of all acts of betting after that step."""
_LAST_TURN = 1023
"""Turn after all turns of the deal."""


def go_wrong(house: House, rounds: list[Round], rng: Luck, *, later: bool = False) -> None:
    """Add at most one mishap to each round.

    Args:
        house: the house.
        rounds: the rounds.
        rng: source of random numbers.
        later: whether to add mishaps that depend on bets, after all are made; otherwise those of the deal.
    """
    seldom = house.simulation.goes_wrong
    bounds = [*accumulate(mishap.chance for mishap in seldom)]
    for round_ in rounds if seldom and not later else ():
        at = bisect_right(bounds, rng.randrange(1000))
        round_.occurrence = seldom[at] if at < len(seldom) else None
    for mishap_kind in seldom:
        if (None not in (mishap_kind.after, mishap_kind.when)) is later:
            view = View(house, [round_ for round_ in rounds if round_.occurrence is mishap_kind])
            suitable, numbers = view.rounds_where(mishap_kind.when), [None] * len(view.rounds)
            stated = numbers if mishap_kind.states is None else view.numbers(mishap_kind.states, "round")
            for round_, number in zip(view.rounds, stated, strict=True):
                if round_ in suitable:
                    round_.mishaps = _make_mishap(house, round_, mishap_kind, number, rng)


def _make_mishap(house: House, round_: Round, mishap: Occurrence, number: int | None, rng: Luck) -> list[Event]:
    """Return the events of a mishap; none if no seat or card is available for it."""
    seat = _add_bystander(house, round_, rng) if mishap.of == "bystander" else rng.choice(round_.seats)
    cards = round_.unused(max(Counter(mishap.steps).values())) if mishap.of == "unused-card" else []
    if seat is None or cards is None:
        return []
    events = []
    for at, name in enumerate(mishap.steps):
        step = house.prepared.steps[name]
        about = [cards[mishap.steps[:at].count(name)]] if cards and step.each != "seat" else None
        event = event_of(house, step, amount=number, cards=about)
        event.seat = seat if step.each == "seat" else None
        events.append(event)
    return events


def _add_bystander(house: House, round_: Round, rng: Luck) -> Seat | None:
    """Add a seat that does not play, at the first free position clockwise from another, with unused cards.

    Returns:
        The seat; None if no position or no card is left.
    """
    taken, neighbour = {seat.number for seat in round_.seats}, rng.choice(round_.seats)
    around = ((neighbour.number + step) % house.positions + 1 for step in range(house.positions))
    number = next((position for position in around if position not in taken), None)
    cards = None if number is None else round_.unused(len(neighbour.hand.cards or []))
    if number is None or cards is None:
        return None
    seat = Seat(number=number, player=number, playing=False, stack=house.stacks.least, hand=Hand(cards=cards))
    round_.seats = sorted([*round_.seats, seat], key=lambda other: other.number)
    return seat


def place_mishaps(house: House, round_: Round, events: Sequence[Event], rng: Luck) -> list[Event]:
    """Return the events of the mishap of a round, ordered after its step or among the packets of the deal."""
    packets = sorted((event for event in events if event.kind == "deal"), key=lambda event: event.order)
    # A card of any packet may be exposed; other mishaps precede a packet that is not the first.
    of_a_packet = any(event.kind == "expose" and event.place != "burn" for event in round_.mishaps)
    packet = rng.choice(packets[not of_a_packet :]) if len(packets) > 1 else None
    after = None if round_.occurrence is None else round_.occurrence.after
    shown = UNKNOWN if packet is None else rng.choice(packet.cards or [UNKNOWN])
    for turn, event in enumerate(round_.mishaps):
        if after is not None:
            event.order = (2 * [step.step for step in house.course].index(after) + 1, turn - _AHEAD, 0, 0)
        elif event.kind == "count" or packet is None:
            event.order = (packets[-1].order[0] if packets else 0, _LAST_TURN, 0, 0)
        elif event.kind in ("expose", "turn-down") and event.place != "burn":
            event.order, event.seat, event.place, event.cards = packet.order, packet.seat, packet.place, [shown]
        else:
            event.order = (*packet.order[:3], -1)
            event.cards = (packet.cards or [])[:1] if event.kind == "draw" else event.cards
    return round_.mishaps


class Before:
    """Conditions that held in the last round of each table or deck, kept from batch to batch for each purpose."""

    def __init__(self) -> None:
        self._last: dict[tuple[object, int, str | None], tuple[bool, int]] = {}

    def __call__(
        self, purpose: object, held: set[Round], rounds: Sequence[Round], *, by_deck: bool = False
    ) -> set[Round]:
        """Return the rounds whose previous round at the same table satisfied a condition. Call it once a batch.

        Args:
            purpose: key of the condition.
            held: rounds that satisfy the condition.
            rounds: all rounds of the batch.
            by_deck: whether the previous round must have the same deck.
        """
        following = set()
        for round_ in rounds:
            key = (purpose, round_.table, round_.in_play if by_deck else None)
            before, number = self._last.get(key, (False, 0))
            if before and number < (round_.count or 0):
                following.add(round_)
            self._last[key] = round_ in held, round_.count or 0
        return following


def done_in(view: View, before: Before) -> list[set[Round]]:
    """Return the rounds in which each occasional step is due."""
    return [
        before(("following", at), view.rounds_where(occasion.operand), view.rounds)
        if occasion.operator == "following"
        else {round_ for round_ in view.rounds if _is_due(view.house, occasion, round_.count or 0)}
        for at, occasion in enumerate(view.house.simulation.now_and_then)
    ]


def rounds_with_mishap(view: View, step: str) -> set[Round]:
    """Return the rounds in which a step was part of a mishap, before steps between rounds are recorded."""
    by_chance = any(step in mishap.steps for mishap in view.house.simulation.goes_wrong)
    return {*view.of_step(step)} if by_chance else set()


def _is_due(house: House, occurrence: Occurrence, number: int) -> bool:
    """Return whether an occasional step is due in the round with this number."""
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
    """Record the events of occasional steps: at the start of a round unless they come before or after another step.

    Steps that were part of a mishap are not repeated.
    """
    house, recorded = view.house, set[str]()
    named = {name: house.prepared.steps[name] for occasion in house.simulation.now_and_then for name in occasion.steps}
    usual = {name: view.rounds_where(house.habit(step).when) for name, step in named.items()}
    free_of_mishap = {name: rounds - rounds_with_mishap(view, name) for name, rounds in usual.items()}
    for occurrence, due in zip(house.simulation.now_and_then, done, strict=True):
        anchor = occurrence.before or occurrence.after
        if anchor in recorded:
            view, recorded = view.retold(), set()
        anchors = {} if anchor is None else view.of_step(anchor)
        decks = house.decks if occurrence.of == "each-deck" and house.decks else (None,)
        for round_ in view.rounds:
            steps = [named[name] for name in occurrence.steps if round_ in due and round_ in free_of_mishap[name]]
            place = (
                0 if anchor is None else beside(round_.events, anchors.get(round_, []), after=bool(occurrence.after))
            )
            if steps and place is not None:
                round_.events[place:place] = [event_of(house, step, deck=deck) for deck in decks for step in steps]
        recorded.update(occurrence.steps)
