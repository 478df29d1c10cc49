"""Events that occur at times: mishaps by chance within a round, and steps between rounds."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Any

from msgspec import Struct, field

from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.evidence.columns.recorded_events import FIELD_RULES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.rulebook.semantic_errors import EXCHANGE_EVENTS
from fairdeal.validator.rules.deal_model import SIDES
from fairdeal.validator.rules.game_model import Act
from fairdeal.validator.rules.simulation_model import Occurrence, StepHabit
from fairdeal.validator.simulate import round_records
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse, find_step_place

RoundEvents = Iterator[tuple[round_records.SimulatedRound, round_records.SimulatedEvent]]
"""Events, each with its round."""
Outcomes = dict[tuple[str, str], dict[tuple[round_records.SimulatedSeat, bool, str | None], int]]
"""Amounts that still need an event, by kind of event and name, then by seat, tip and selection."""


class StepContext(Struct, frozen=True, kw_only=True):
    """Act that is being recorded."""

    view: RoundView
    """The rounds."""
    step: Act
    number: int
    """Number of the act in the game, or of the first act that shares its turns."""
    turn: int
    """Place of the step among those that share its turns."""
    rank: dict[round_records.SimulatedSeat, int]
    """Rank of each seat in its round."""
    outcomes: Outcomes
    """Amounts that still need an event."""
    everywhere: bool = False
    """True to record the step whatever its conditions are."""

    @property
    def house(self) -> SimulatedHouse:
        """Return the house."""
        return self.view.house

    @property
    def habit(self) -> StepHabit:
        """Return the habit of the house for the step."""
        return self.house.find_habit(self.step)

    @property
    def done_by(self) -> str | None:
        """Return who does it by the rules, or by the habit of the house; None if neither states it."""
        return self.step.by or self.habit.by

    @property
    def _conditions(self) -> list[Condition | None]:
        """Return the conditions of the step: of the rules, and of the habit of the house."""
        return [] if self.everywhere else [self.step.when, self.habit.when]

    def is_unchanging(self, kind: str) -> bool:
        """Return whether no later stage changes the events of a kind.

        This is true for the deal and the acts between players. A round is recorded several times until its pots are
        divided.
        """
        of_play = kind == "deal" or (kind == "decide" and find_exchange_stage(self.house, self.step) is None)
        return of_play and self.house.game.pots is not None and not self.everywhere and not any(self._conditions)

    @property
    def is_after_exchange(self) -> bool:
        """Return whether the cards of its place are exchanged before it in a round, and not after."""
        acts, place = self.house.acts, find_step_place(self.step)
        exchanging = {
            step.name for step in acts if {*EXCHANGE_EVENTS} & {*step.events} and find_step_place(step) == place
        }
        earlier = takewhile(lambda step: step is not self.step, acts if self.step in acts else ())
        return bool(exchanging) and exchanging.issubset(step.name for step in earlier)

    def list_seats(self) -> list[round_records.SimulatedSeat]:
        """Return the seats that take part and to which the step applies."""
        return [seat for seat in self.view.list_seats_where(*self._conditions) if seat.playing]

    def list_rounds(self) -> list[round_records.SimulatedRound]:
        """Return the rounds to which the step applies."""
        if not any(self._conditions) or self.step.grain == "round":
            return self.view.list_rounds_where(*self._conditions)
        return [*dict.fromkeys(self.view.round_of[seat] for seat in self.list_seats())]

    def make_event(
        self,
        kind: str,
        about: round_records.SimulatedSeat | round_records.SimulatedRound,
        detail: int = 0,
        **fields: Any,
    ) -> tuple[round_records.SimulatedRound, round_records.SimulatedEvent]:
        """Return an event of a seat or of a round."""
        if isinstance(about, round_records.SimulatedRound):
            return about, round_records.SimulatedEvent(kind, (self.number, 0, self.turn, detail), **fields)
        place = (self.number, self.rank[about], self.turn, detail)
        return self.view.round_of[about], round_records.SimulatedEvent(kind, place, about, **fields)


def make_step_event(house: SimulatedHouse, step: Act, **fields: Any) -> round_records.SimulatedEvent:
    """Return an event of a separate step, from the rules, the habits of the house, and given fields.

    Fields that its kind does not have are left out.
    """
    kind = step.events[0]
    values = {"place": step.place, "by": step.by or house.find_habit(step).by, "what": step.word, "face": step.face}
    return round_records.SimulatedEvent(
        kind, **{name: value for name, value in (values | fields).items() if has_field(kind, name)}
    )


def has_field(kind: str, name: str) -> bool:
    """Return whether events of a kind have a field."""
    return bool(FIELD_RULES[name].has[KIND_CODES[kind]])


def find_starting_side(house: SimulatedHouse, steps: Sequence[Act]) -> str:
    """Return the side of the dealer at which steps with common turns begin."""
    sides = (side for step in steps if isinstance(side := house.find_habit(step).from_, str))
    stages = house.game.deal.stages
    return next(sides, stages[find_exchange_stage(house, steps[0]) or 0].first_seat if stages else SIDES[0])


def find_exchange_stage(house: SimulatedHouse, step: Act) -> int | None:
    """Return the stage of the deal in which a step exchanges cards, as an index; None if it does not."""
    stages = house.game.deal.stages
    return next((number for number in house.game.deal.exchanging_stages if stages[number].stage == step.stage), None)


_HOUR = 3600
_AHEAD = 1000
"""Offset of what comes after a step, ahead of all acts of betting after that step."""
_LAST_TURN = 1023
"""Turn after all turns of the deal."""


def add_mishaps(
    house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream, *, later: bool = False
) -> None:
    """Add a mishap to some rounds; where the house has second irregularities, at most two.

    Args:
        house: the house.
        rounds: the rounds.
        rng: source of random numbers.
        later: whether to add mishaps that depend on bets, after all are made; otherwise those of the deal.
    """
    seldom = house.simulation.irregular_occurrences
    bounds = [*accumulate(mishap.chance for mishap in seldom)]
    for round_ in rounds if seldom and not later else ():
        at = bisect_right(bounds, rng.randrange(1000))
        chosen = {at} - {len(seldom)}
        if chosen and house.second_irregularity and rng.happens(house.second_irregularity):
            chosen.add(rng.randrange(len(seldom)))
        round_.irregularities = {number: [] for number in sorted(chosen)}
    for kind, mishap_kind in enumerate(seldom):
        if (None not in (mishap_kind.after, mishap_kind.when)) is later:
            view = RoundView(house, [round_ for round_ in rounds if kind in round_.irregularities])
            suitable, numbers = view.rounds_where(mishap_kind.when), [None] * len(view.rounds)
            stated = numbers if mishap_kind.states is None else view.evaluate_quantity(mishap_kind.states, "round")
            for round_, number in zip(view.rounds, stated, strict=True):
                if round_ in suitable:
                    round_.irregularities[kind] = _make_mishap(house, round_, mishap_kind, number, rng)


def _make_mishap(
    house: SimulatedHouse,
    round_: round_records.SimulatedRound,
    mishap: Occurrence,
    number: int | None,
    rng: RandomStream,
) -> list[round_records.SimulatedEvent]:
    """Return the events of a mishap; none if no seat or card is available for it."""
    seat = _add_bystander(house, round_, rng) if mishap.of == "bystander" else rng.choice(round_.seats)
    cards = round_.remove_unused_cards(max(Counter(mishap.steps).values())) if mishap.of == "unused-card" else []
    if seat is None or cards is None:
        return []
    events = []
    for at, name in enumerate(mishap.steps):
        step = house.prepared.steps[name]
        about = [cards[mishap.steps[:at].count(name)]] if cards and step.grain != "seat" else None
        event = make_step_event(house, step, amount=number, cards=about)
        event.seat = seat if step.grain == "seat" else None
        events.append(event)
    return events


def _add_bystander(
    house: SimulatedHouse, round_: round_records.SimulatedRound, rng: RandomStream
) -> round_records.SimulatedSeat | None:
    """Add a seat that does not play, at the first free position clockwise from another, with unused cards.

    Returns:
        The seat; None if no position or no card is left.
    """
    taken, neighbour = {seat.number for seat in round_.seats}, rng.choice(round_.seats)
    around = ((neighbour.number + step) % house.positions + 1 for step in range(house.positions))
    number = next((position for position in around if position not in taken), None)
    cards = None if number is None else round_.remove_unused_cards(len(neighbour.hand.cards or []))
    if number is None or cards is None:
        return None
    seat = round_records.SimulatedSeat(
        number=number,
        player=number,
        playing=False,
        stack=house.stacks.at_least,
        hand=round_records.SimulatedHand(cards=cards),
    )
    round_.seats = sorted([*round_.seats, seat], key=lambda other: other.number)
    return seat


def place_mishaps(
    house: SimulatedHouse,
    round_: round_records.SimulatedRound,
    events: Sequence[round_records.SimulatedEvent],
    rng: RandomStream,
) -> list[round_records.SimulatedEvent]:
    """Return the events of the mishaps of a round, each ordered after its step or among the packets of the deal."""
    packets, placed = sorted((event for event in events if event.kind == "deal"), key=lambda event: event.order), 0
    for kind, mishap in round_.irregularities.items():
        # A card of any packet may be exposed; other mishaps precede a packet that is not the first.
        of_a_packet = any(event.kind == "expose" and event.place != "burn" for event in mishap)
        packet = rng.choice(packets[not of_a_packet :]) if len(packets) > 1 and mishap else None
        after = house.simulation.irregular_occurrences[kind].after
        shown = UNKNOWN if packet is None else rng.choice(packet.cards or [UNKNOWN])
        for turn, event in enumerate(mishap, start=placed):
            if after is not None:
                event.order = (2 * [step.name for step in house.acts].index(after) + 1, turn - _AHEAD, 0, 0)
            elif event.kind == "count" or packet is None:
                event.order = (packets[-1].order[0] if packets else 0, _LAST_TURN, 0, 0)
            elif event.kind in ("expose", "turn-down") and event.place != "burn":
                event.order, event.seat, event.place, event.cards = packet.order, packet.seat, packet.place, [shown]
            else:
                event.order = (*packet.order[:3], -1)
                event.cards = (packet.cards or [])[:1] if event.kind == "draw" else event.cards
        placed += len(mishap)
    return round_.mishaps


class PreviousRounds:
    """Conditions that held in the last round of each table or deck, kept from batch to batch for each purpose."""

    def __init__(self) -> None:
        self._last: dict[tuple[object, int, str | None], tuple[bool, int]] = {}

    def __call__(
        self,
        purpose: object,
        held: set[round_records.SimulatedRound],
        rounds: Sequence[round_records.SimulatedRound],
        *,
        by_deck: bool = False,
    ) -> set[round_records.SimulatedRound]:
        """Return the rounds whose previous round at the same table satisfied a condition. Call it once a batch.

        Args:
            purpose: key of the condition.
            held: rounds that satisfy the condition.
            rounds: all rounds of the batch.
            by_deck: whether the previous round must have the same deck.
        """
        following = set()
        for round_ in rounds:
            key = (purpose, round_.table, round_.deck_in_play if by_deck else None)
            before, number = self._last.get(key, (False, 0))
            if before and number < (round_.count or 0):
                following.add(round_)
            self._last[key] = round_ in held, round_.count or 0
        return following


class SimulatedShoes(Struct):
    """Cards that have left the shoe of each table, from batch to batch."""

    dealt: dict[tuple[int, int], Counter[int]] = field(default_factory=dict)
    """Number of copies of each card, by occurrence and table."""

    def find_ends(
        self,
        house: SimulatedHouse,
        occurrence: Occurrence,
        number: int,
        rounds: Sequence[round_records.SimulatedRound],
    ) -> set[round_records.SimulatedRound]:
        """Return the rounds before which the shoe is shuffled or, for `shoe-ends`, the rounds before these.

        Args:
            house: the house.
            occurrence: the occasional steps.
            number: number of the occurrence, which distinguishes it from others.
            rounds: the rounds of a batch.
        """
        ends, decks = set[round_records.SimulatedRound](), house.game.decks
        previous: dict[int, round_records.SimulatedRound] = {}
        for round_ in rounds:
            before = previous.get(round_.table)
            previous[round_.table] = round_
            hands = [hand for place in house.game.deal.cards for hand in round_.list_hands(place)]
            cards = Counter(card for hand in hands for card in (*(hand.cards or ()), *(hand.drawn or ())))
            left = self.dealt.get((number, round_.table), Counter()) if round_.count != 1 else Counter[int]()
            both = left + cards
            if left and (both.total() > occurrence.operand or max(both.values()) > decks):
                if occurrence.operator == "shoe":
                    ends.add(round_)
                elif before is not None:
                    ends.add(before)
                left = Counter()
            if not left:  # the last card of the deck may be turned up and burnt after a shuffle
                both = cards + Counter(round_.deck[-1:])
            self.dealt[number, round_.table] = both
        return ends


def find_due_rounds(
    view: RoundView, before: PreviousRounds, shoes: SimulatedShoes
) -> list[set[round_records.SimulatedRound]]:
    """Return the rounds in which each occasional step is due."""
    return [
        before(("following", at), view.rounds_where(occasion.operand), view.rounds)
        if occasion.operator == "following"
        else shoes.find_ends(view.house, occasion, at, view.rounds)
        if occasion.operator in ("shoe", "shoe-ends")
        else {round_ for round_ in view.rounds if _is_due(view.house, occasion, round_.count or 0)}
        for at, occasion in enumerate(view.house.simulation.regular_occurrences)
    ]


def find_mishap_rounds(view: RoundView, step: str) -> set[round_records.SimulatedRound]:
    """Return the rounds in which a step was part of a mishap, before steps between rounds are recorded."""
    by_chance = any(step in mishap.steps for mishap in view.house.simulation.irregular_occurrences)
    return {*view.find_step_events(step)} if by_chance else set()


def _is_due(house: SimulatedHouse, occurrence: Occurrence, number: int) -> bool:
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


def _choose_burnt_cards(view: RoundView, round_: round_records.SimulatedRound, step: Act) -> dict[str, Any]:
    """Return the cards that a step burns between rounds: the last card of the deck, or as many as its habit states.

    Cards that are burnt face down are unknown.
    """
    if step.events != ("deal",) or step.place != "burn":
        return {}
    if step.face == "up":
        return {"cards": round_.remove_unused_cards(1)}
    states = view.house.find_habit(step).states
    numbers = [1] * len(view.rounds) if states is None else view.evaluate_quantity(states, "round")
    return {"cards": [UNKNOWN] * (numbers[view.rounds.index(round_)] or 0)}


def record_occasional_steps(view: RoundView, done: Sequence[set[round_records.SimulatedRound]]) -> None:
    """Record the events of occasional steps: at the start of a round unless they come before or after another step.

    Steps that were part of a mishap are not repeated.
    """
    house, recorded = view.house, set[str]()
    named = {
        name: house.prepared.steps[name] for occasion in house.simulation.regular_occurrences for name in occasion.steps
    }
    usual = {name: view.rounds_where(house.find_habit(step).when) for name, step in named.items()}
    free_of_mishap = {name: rounds - find_mishap_rounds(view, name) for name, rounds in usual.items()}
    for occurrence, due in zip(house.simulation.regular_occurrences, done, strict=True):
        anchor = occurrence.before or occurrence.after
        if anchor in recorded:
            view, recorded = view.reopen_with_events(), set()
        anchors = {} if anchor is None else view.find_step_events(anchor)
        decks = house.decks if occurrence.of == "each-deck" and house.decks else (None,)
        for round_ in (round_ for round_ in view.rounds if round_ in due):
            steps = [named[name] for name in occurrence.steps if round_ in free_of_mishap[name]]
            place = (
                0
                if anchor is None
                else round_records.find_insertion_index(
                    round_.events, anchors.get(round_, []), after=bool(occurrence.after)
                )
            )
            if steps and place is not None:
                round_.events[place:place] = [
                    make_step_event(house, step, deck=deck, **_choose_burnt_cards(view, round_, step))
                    for deck in decks
                    for step in steps
                ]
        recorded.update(occurrence.steps)
