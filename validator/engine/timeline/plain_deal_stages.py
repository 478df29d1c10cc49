"""Stages of the deal of one round, card by card: the rules by which dealt and exchanged cards belong to stages.

The log states what was dealt, but not the stage. Cards belong to the current stage until their place has all of it.
They also do until the seat that receives them has acted since the stage began. The next cards begin the next stage
that serves the place.

A packet is what is dealt until somebody acts or a card is burnt. A seat that gets more cards in a packet than any other
seat has a card too many, and the next stage has not begun. If a packet includes a seat that had all of the stage, its
first card begins the next stage.

A burnt card begins the next stage if that stage begins with a burn. A miscount in one stage therefore does not shift
later ones. If the next cards are what the stage still lacks and nobody has acted since, the card was burnt in the
middle of the stage.

Cards at no seat begin the next stage if somebody has acted since the previous card. If at least as many packets
follow as stages are left, cards dealt at once belong together.

An exchange of cards ends when a seat comes up again that has drawn, kept its cards, or acted in the betting since. The
seat begins the next exchange when it discards or keeps its cards. To discard no card is to stand pat. Cards dealt in
a later stage end the exchanges before it.

These rules are the specification. `deal_stages` assigns stages to rounds without any irregularity, many at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.rules.deal_model import Deal, DealingWay

_PLAYER = PLACES.index("player")
_DRAW = KIND_CODES["draw"]


def count_initial_burns(way: DealingWay) -> int:
    """Return how many cards are burnt before the first card of the stage."""
    first = way.passes[0] if way.passes else None
    return first.each if first is not None and first.to[0] == "burn" else 0


def burns_mid_stage(way: DealingWay) -> bool:
    """Return whether cards are burnt after some cards of the stage have been dealt."""
    if not way.passes:
        return False
    first, *others = way.passes
    return (
        "burn" in first.to[1:]
        or (first.times > 1 and "burn" in first.to)
        or any("burn" in pass_.to for pass_ in others)
    )


class DealStages(Struct, frozen=True, kw_only=True, dict=True):
    """Stages of the deal of a game. Places are codes of `PLACES`."""

    full: Sequence[Sequence[int]]
    """Number of cards of each place in each stage; 0 if the stage does not serve it."""
    has_initial_burn: Sequence[bool]
    """True for stages before which a card is burnt."""
    burns_inside: Sequence[bool]
    """True for stages in which a card may be burnt after their first cards."""
    is_by_rule: Sequence[bool]
    """True for stages whose cards come by a rule."""

    @classmethod
    def build(cls, deal: Deal) -> DealStages:
        """Build the stages of a deal."""
        ways = [list(stage.permitted_ways.values()) for stage in deal.stages]
        counts = [[way.count_dealt() for way in ways_of_stage] for ways_of_stage in ways]
        return cls(
            full=[[max((way.get(place, 0) for way in count), default=0) for place in PLACES] for count in counts],
            has_initial_burn=[all(map(count_initial_burns, ways_of_stage)) for ways_of_stage in ways],
            burns_inside=[any(map(burns_mid_stage, ways_of_stage)) for ways_of_stage in ways],
            is_by_rule=[stage.is_by_rule for stage in deal.stages],
        )

    @cached_property
    def serving(self) -> Sequence[Sequence[int]]:
        """Stages that serve each place."""
        return [[stage for stage, full in enumerate(self.full) if full[place]] for place in range(len(PLACES))]

    @cached_property
    def serve_seats_again(self) -> bool:
        """Return whether a later stage than the first serves seats, all of them with a fixed number of cards."""
        serving = self.serving[_PLAYER]
        return any(serving) and not any(self.is_by_rule[stage] for stage in serving)

    def find_next(self, stage: int, place: int) -> int:
        """Return the next stage that serves a place; ABSENT if there is none."""
        return next((later for later in self.serving[place] if later > stage), ABSENT)

    def find_next_after_burn(self, stage: int, place: int) -> int:
        """Return the next stage that serves a place and that a burnt card begins; ABSENT if there is none."""
        if self.burns_inside[stage]:
            return ABSENT
        serving = self.serving[place]
        return next((later for later in serving if later > stage and self.has_initial_burn[later]), ABSENT)

    def find_own(self, stage: int, place: int) -> int:
        """Return the stage up to a stage that served a place last; the first stage if there is none."""
        return max((earlier for earlier in self.serving[place] if earlier <= stage), default=0)

    def find_first(self, stage: int, place: int) -> int:
        """Return the stage of the first card of a place: no card comes by a rule before those that come in any case."""
        first = min(self.serving[place], default=stage)
        return first if first < stage and self.is_by_rule[stage] and not self.is_by_rule[first] else stage

    def may_all_follow(self, packets: int, stage: int, place: int) -> bool:
        """Return whether no more stages serve a place than packets follow.

        Before a stage that may not come, further packets do not show that a card is one too many.
        """
        serving = [later for later in self.serving[place] if later >= stage]
        if any(self.is_by_rule[later] for later in serving):
            return False
        return sum(later > stage for later in serving) <= packets


class DealtCards(NamedTuple):
    """Cards that one event deals to a seat or a place."""

    event: int
    receiver: int
    """Number of the seat or place."""
    place: int
    is_at_seat: bool
    size: int
    follows_burn: bool
    """True if the previous event of the deal burnt a card."""
    acts: int
    """Number of decisions before it, in the log."""
    bets: int
    """Number of decisions in the betting before it, in the log."""
    own_act: int
    """Event of the last decision in the betting of the seat before it; ABSENT if there is none."""


class RoundDeal:
    """Deal of one round, card by card.

    Args:
        stages: the stages of the game.
        cards: the cards in log order.
        acts: number of decisions before the end of the round, in the log.
        held: stage and number of cards of hands that were split off, by receiver.
    """

    def __init__(
        self, stages: DealStages, cards: Sequence[DealtCards], acts: int, held: Mapping[int, tuple[int, int]]
    ) -> None:
        self.stages = stages
        self.cards = cards
        self.acts = acts
        self.held = dict(held)
        """Last stage of each receiver, and its number of cards of it."""
        self.reached = ABSENT
        """Current stage; ABSENT before the first card."""
        self.began = 0
        """Event that began the current stage."""
        self.remainders: dict[int, Counter[tuple[int, int]]] = {}
        """Cards of each receiver and place in packets that may complete a stage, by the first card of the packet."""
        self.surplus: set[int] = set()
        """Cards at seats that already have as many of the packet as any other seat gets."""
        self.served_again: dict[int, int] = {}
        """Seat that was in the packet before as well, by the first card at a seat of each packet."""
        self.after_act: set[int] = set()
        """Cards at no seat before which somebody has acted since the previous card at the place."""
        self.later_packets: dict[int, int] = {}
        """Number of later packets at the place, by the cards at no seat."""
        self._find_remainders()
        self._compare_seats()
        self._part_places()

    def assign(self) -> Iterator[tuple[int, bool, int]]:
        """Yield the stage of each of the cards, whether the receiver already had all of it, and the current stage."""
        for number, card in enumerate(self.cards):
            current = max(self.reached, 0)
            onward = self._find_onward(number, card, current)
            if onward != ABSENT or self.reached == ABSENT:
                self.began = card.event
            self.reached = current if onward == ABSENT else onward
            stage = self.stages.find_own(current, card.place) if onward == ABSENT else onward
            if card.receiver not in self.held:
                stage = self.stages.find_first(stage, card.place)
            had = self._count_held(card.receiver, stage)
            yield stage, had >= self.stages.full[stage][card.place], self.reached
            self.held[card.receiver] = stage, had + card.size

    def _find_onward(self, number: int, card: DealtCards, current: int) -> int:
        """Return the stage that cards begin; ABSENT if they belong to the current one."""
        onward = ABSENT
        if card.follows_burn and self.reached != ABSENT and not self._is_remainder(number, current):
            onward = self.stages.find_next_after_burn(current, card.place)
        if onward == ABSENT and self._has_all(number, card, current):
            onward = self.stages.find_next(current, card.place)
        return onward

    def _has_all(self, number: int, card: DealtCards, current: int) -> bool:
        """Return whether the receiver has all of the current stage, or the stage is over for it."""
        full = self.stages.full[current]
        last, count = self.held.get(self.served_again.get(number, ABSENT), (ABSENT, 0))
        if last == current and count >= full[_PLAYER]:
            return True
        if number in self.surplus or self._is_surplus_on_board(number, card, current):
            return False
        had = self._count_held(card.receiver, current)
        has_acted = self.reached != ABSENT and self.stages.serve_seats_again and card.own_act > self.began
        return had >= full[card.place] or has_acted or (number in self.after_act and had > 0)

    def _is_surplus_on_board(self, number: int, card: DealtCards, current: int) -> bool:
        """Return whether cards at no seat are too many, because later packets begin all later stages."""
        if card.is_at_seat or not self.stages.full[current][card.place] or number in self.after_act:
            return False
        return self.stages.may_all_follow(self.later_packets[number], current, card.place)

    def _is_remainder(self, number: int, current: int) -> bool:
        """Return whether a packet begins that gives nobody more cards than the current stage has."""
        packet = self.remainders.get(number, Counter())
        return bool(packet) and all(
            self._count_held(receiver, current) + size <= self.stages.full[current][place]
            for (receiver, place), size in packet.items()
        )

    def _count_held(self, receiver: int, stage: int) -> int:
        """Return how many cards of a stage a receiver has."""
        last, count = self.held.get(receiver, (ABSENT, 0))
        return count if last == stage else 0

    def _split(self, count: Callable[[DealtCards], int]) -> list[list[int]]:
        """Return the packets of cards, which burnt cards and some decisions end."""
        packets: list[list[int]] = []
        for number, card in enumerate(self.cards):
            if not packets or card.follows_burn or count(card) != count(self.cards[number - 1]):
                packets.append([])
            packets[-1].append(number)
        return packets

    def _find_remainders(self) -> None:
        """Find the packets that may complete a stage although a card was burnt before them.

        Nobody has acted since the cards before the burn. For cards at no seat, somebody acts later.
        """
        for first, *others in self._split(lambda card: card.acts):
            card = self.cards[first]
            is_quiet = first > 0 and card.follows_burn and card.acts == self.cards[first - 1].acts
            if is_quiet and (card.is_at_seat or self.acts > card.acts):
                packet: Counter[tuple[int, int]] = Counter()
                for member in (card, *(self.cards[number] for number in others)):
                    packet[member.receiver, member.place] += member.size
                self.remainders[first] = packet

    def _compare_seats(self) -> None:
        """Compare the seats of each packet, if later stages serve seats again.

        If nobody can act any more and no card is burnt, several stages form one packet, in which all seats get more
        cards.
        """
        if not self.stages.serve_seats_again:
            return
        before: Counter[int] = Counter()
        for packet in self._split(lambda card: card.bets):
            seated = [number for number in packet if self.cards[number].is_at_seat]
            if not seated:
                continue
            total: Counter[int] = Counter()
            for number in seated:
                total[self.cards[number].receiver] += self.cards[number].size
            most = sorted(total.values())[-2:][0]
            received: Counter[int] = Counter()
            for number in seated:
                if received[self.cards[number].receiver] >= most:
                    self.surplus.add(number)
                received[self.cards[number].receiver] += self.cards[number].size
            if again := total.keys() & before.keys():
                self.served_again[seated[0]] = max(again)
            before = total

    def _part_places(self) -> None:
        """Part the cards of each place without a seat by decisions and burnt cards."""
        places: dict[int, list[int]] = {}
        for number, card in enumerate(self.cards):
            if not card.is_at_seat:
                places.setdefault(card.receiver, []).append(number)
        burns = [*accumulate(card.follows_burn for card in self.cards)]
        for numbers in places.values():
            packets = 0
            later: list[int] = []
            for before, number in zip([None, *numbers], numbers, strict=False):
                if before is not None and self.cards[before].acts != self.cards[number].acts:
                    self.after_act.add(number)
                packets += number in self.after_act or (before is not None and burns[before] != burns[number])
                later.append(packets)
            self.later_packets.update(zip(numbers, (packets - own for own in later), strict=True))


class ExchangeEvent(NamedTuple):
    """Event of an exchange of cards."""

    event: int
    receiver: int
    """Number of the seat or place."""
    place: int
    kind: int
    """A discard, a draw, or a decision about the exchange."""
    keeps: bool
    """True if the receiver keeps all cards: it decides to, or discards none."""
    own_act: int
    """Event of the last decision in the betting of the seat before it; ABSENT if there is none."""
    least: int
    """Number of exchanges that cards dealt in a later stage end."""

    def repeats(self, other: ExchangeEvent) -> bool:
        """Return whether two events mean the same: a decision to stand pat, and a discard of no cards."""
        return self.keeps and other.keeps and self.receiver == other.receiver and self.kind != other.kind


def assign_exchanges(exchanges: Sequence[Mapping[Place, int]], events: Sequence[ExchangeEvent]) -> Iterator[int]:
    """Yield the exchange of each event of a round, counted from 0.

    Args:
        exchanges: the places that exchange cards in each of them.
        events: the events, in log order.
    """
    current, began = ABSENT, 0
    opened: dict[int, int] = {}
    closed: dict[int, int] = {}
    for before, event in zip([None, *events], events, strict=False):
        opens = event.kind != _DRAW and not (before is not None and event.repeats(before))
        has_closed = closed.get(event.receiver, ABSENT) == current
        is_answer = not opens and not has_closed and opened.get(event.receiver, ABSENT) == current
        goes_on = current != ABSENT and not is_answer and ((opens and has_closed) or event.own_act > began)
        wanted = max(max(current, 0) + goes_on, event.least)
        ours = [number for number, places in enumerate(exchanges) if PLACES[event.place] in places]
        number = next((exchange for exchange in ours if exchange >= wanted), ours[-1])
        if number > current:
            current, began = number, event.event
        if opens:
            opened[event.receiver] = number
        if event.keeps or event.kind == _DRAW:
            closed[event.receiver] = number
        yield number
