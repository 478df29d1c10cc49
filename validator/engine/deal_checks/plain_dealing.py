"""Dealing of one round, packet by packet: the order in which a way of dealing serves places, and how cards broke it.

These rules are the specification. `dealing_order` finds the rounds that follow a way of dealing, many at once.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from msgspec import Struct

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.engine.timeline.plain_deal_stages import burns_mid_stage
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.rules.deal_model import DealingWay

NEVER = 1 << 62
"""Event that no log has: no packet is out of turn."""

Slot = tuple[int, int]
"""Receiver and number of cards of a packet."""


class DealtPacket(NamedTuple):
    """Packet that a receiver was dealt."""

    event: int
    """First event of the packet."""
    receiver: int
    """Seat; or number of all seats, plus code of the place."""
    place: int
    size: int

    @property
    def slot(self) -> Slot:
        """Return the receiver and the number of cards."""
        return self.receiver, self.size


class WayComparison(NamedTuple):
    """Comparison of the packets of a round with a way of dealing."""

    broke_at: int = NEVER
    """First event out of turn."""
    expected: int = ABSENT
    """Receiver that was due; ABSENT if none was."""
    size: int = 0
    """Number of cards that the receiver was due."""
    reached: int = NEVER
    """Measure of how far the way is followed.

    A packet out of turn that the place receives at another time counts for more than one it never receives.
    """
    begun: bool = True
    """True if the first packet is one that the way gives its place."""


class RoundDealing(Struct, frozen=True, kw_only=True):
    """Packets of a stage in one round, and the order of its receivers."""

    packets: Sequence[DealtPacket]
    """Packets in log order, not yet joined."""
    seats: Sequence[int]
    """Playing seats, in turn."""
    first_place: int
    """Number of all seats: the receiver of the place with code 0."""
    ranks: Mapping[int, int]
    """Rank of each receiver round the table, if an outcome decides who is first; else empty."""

    def find_receiver(self, place: str) -> int:
        """Return the receiver that is a place without seats."""
        return self.first_place + PLACES.index(place)

    def list_due(self, way: DealingWay, receivers: Collection[int]) -> list[Slot]:
        """Return the packets that a way gives some receivers, in order."""
        due: list[Slot] = []
        for pass_ in way.passes:
            served = [
                receiver
                for place in pass_.to
                for receiver in (self.seats if place == "player" else [self.find_receiver(place)])
                if receiver in receivers
            ]
            served.sort(key=lambda receiver: self.ranks.get(receiver, 0))
            due += [(receiver, pass_.each) for receiver in served] * pass_.times
        return due

    def find_right_counts(self, way: DealingWay) -> set[int]:
        """Return the receivers that a way serves and that have the right number of cards.

        Another check counts the cards burnt before a stage.
        """
        dealt = way.count_dealt()
        got = Counter[int]()
        for packet in self.packets:
            got[packet.receiver] += packet.size
        right = {seat for seat in self.seats if got[seat] == dealt.get("player")}
        for place, full in dealt.items():
            if place != "player" and (
                got[self.find_receiver(place)] == full or (place == "burn" and burns_mid_stage(way))
            ):
                right.add(self.find_receiver(place))
        return right

    def compare_with_way(self, way: DealingWay, misplaced: Collection[int] = ()) -> WayComparison:
        """Compare the packets with a way of dealing.

        Places with a wrong number of cards at the end are ignored, so that a miscount neither hides nor causes cards
        out of turn.

        Args:
            way: the way of dealing.
            misplaced: events that count as dealt when they were due.
        """
        counted = self.find_right_counts(way)
        came = join_packets(way, [packet for packet in self.packets if packet.receiver in counted])
        due = self.list_due(way, counted)
        came = [
            came[number]
            for number in order_as_due(
                [packet.slot for packet in came], due, [packet.event in misplaced for packet in came]
            )
        ]
        given = {(PLACES.index(place), pass_.each) for pass_ in way.passes for place in pass_.to}
        begun = not came or (came[0].place, came[0].size) in given
        for number, packet in enumerate(came):
            expected, size = due[number] if number < len(due) else (ABSENT, 0)
            if packet.slot != (expected, size):
                reached = 2 * packet.event + ((packet.place, packet.size) in given)
                return WayComparison(packet.event, expected, size, reached, begun)
        return WayComparison(begun=begun)

    def compare_draws(self) -> WayComparison:
        """Compare draws, from each seat's first packet on, with the order of the seats."""
        first: dict[int, DealtPacket] = {}
        cards = Counter[int]()
        for packet in self.packets:
            first.setdefault(packet.receiver, packet)
            cards[packet.receiver] += packet.size
        came = [packet for packet in first.values() if packet.receiver in self.seats]
        for packet, due in zip(came, (seat for seat in self.seats if seat in first), strict=True):
            if packet.receiver != due:
                return WayComparison(packet.event, due, cards[due], packet.event)
        return WayComparison()

    def list_packets(self, way: DealingWay, seats: Collection[int]) -> tuple[list[Slot], list[Slot]]:
        """Return the packets dealt, without burnt cards, and the packets due to some seats and all other places."""
        burn = self.find_receiver("burn")
        places = {self.find_receiver(place) for place in way.count_dealt() if place not in ("player", "burn")}
        came = join_packets(way, [packet for packet in self.packets if packet.receiver != burn])
        return [packet.slot for packet in came], self.list_due(way, places.union(seats))

    def is_beginning(self, way: DealingWay, seats: Collection[int]) -> bool:
        """Return whether the packets are a way of dealing to some seats, or the beginning of it."""
        dealt, due = self.list_packets(way, seats)
        return dealt == due[: len(dealt)]

    def is_incomplete_beginning(self, way: DealingWay, seats: Collection[int]) -> bool:
        """Return whether the packets are an incomplete beginning.

        The deal may be complete if only the last packet of a place that has cards is missing.
        """
        dealt, due = self.list_packets(way, seats)
        missing = len(due) - len(dealt)
        in_part = any(receiver == due[-1][0] for receiver, _ in dealt) if due else False
        return dealt == due[: len(dealt)] and missing > 0 and not (missing == 1 and in_part)


def join_packets(way: DealingWay, packets: Sequence[DealtPacket]) -> list[DealtPacket]:
    """Join consecutive cards to a place if the way permits the packet to be split."""
    parted = {PLACES.index(place) for pass_ in way.passes if pass_.parted for place in pass_.to}
    joined: list[DealtPacket] = []
    for packet in packets:
        if joined and packet.place in parted and joined[-1].receiver == packet.receiver:
            joined[-1] = joined[-1]._replace(size=joined[-1].size + packet.size)
        else:
            joined.append(packet)
    return joined


def order_as_due(packets: Sequence[Slot], due: Sequence[Slot], misplaced: Sequence[bool]) -> list[int]:
    """Return the indices of packets in an order in which misplaced ones are where they were due.

    Misplaced packets that were never due are last.
    """
    stay = deque(number for number, lost in enumerate(misplaced) if not lost)
    lost = [number for number, removed in enumerate(misplaced) if removed]
    order: list[int] = []
    for slot in due if lost else ():
        if stay and packets[stay[0]] == slot:
            order.append(stay.popleft())
            continue
        fitting = next((number for number in lost if packets[number] == slot), None)
        if fitting is None:
            break
        order.append(fitting)
        lost.remove(fitting)
    return [*order, *stay, *lost]


def is_miscount(dealt: Sequence[Slot], due: Sequence[Slot], *, stops: bool) -> bool:
    """Return whether packets are in turn except for one or two places with a wrong number of cards so far.

    In the middle of a deal, a packet of a size that the place is never due is a miscount as well. If the record `stops`
    in the deal, a place with a card too many may still receive the card that it is due. A place that was passed over
    may end with too few.
    """
    places = sorted({place for place, _ in due})
    groups = [group for size in (1, 2) for group in combinations(places, size)]
    if any(_are_miscounted(group, dealt, due, stops=stops) for group in groups):
        return True
    return stops and _is_one_too_many(dealt, due)


def _is_one_too_many(dealt: Sequence[Slot], due: Sequence[Slot]) -> bool:
    """Return whether packets begin a way of dealing, except for one that is too large or that came twice."""
    wrong = next((at for at, pair in enumerate(zip(dealt, due, strict=False)) if pair[0] != pair[1]), len(due))
    if wrong >= len(dealt):
        return False
    (place, size), rest = dealt[wrong], dealt[wrong + 1 :]
    is_too_large = wrong < len(due) and place == due[wrong][0] and size > due[wrong][1]
    at = wrong + 1 if is_too_large else wrong
    came_twice = wrong > 0 and place == dealt[wrong - 1][0]
    return (is_too_large or came_twice) and rest == due[at : at + len(rest)]


def _are_miscounted(group: tuple[int, ...], dealt: Sequence[Slot], due: Sequence[Slot], *, stops: bool) -> bool:
    """Return whether the packets of all other places are in turn, and each of these places is miscounted so far."""
    others = [packet for packet in dealt if packet[0] not in group]
    others_due = [at for at, packet in enumerate(due) if packet[0] not in group]
    if len(others) > len(others_due) or others != [due[at] for at in others_due[: len(others)]]:
        return False
    last = others_due[len(others) - 1] if others else 0
    goes_on = len(others) < len(others_due)
    following = others_due[len(others)] if goes_on else len(due)
    passed = max((at for at, packet in enumerate(dealt) if packet[0] not in group), default=0)
    for place in group:
        least, most = (sum(size for at, size in due[:end] if at == place) for end in (last, following))
        received = [size for at, size in dealt if at == place]
        sizes = {size for at, size in due if at == place}
        if least <= sum(received) <= most and not (goes_on and not sizes.issuperset(received)):
            before = [size for at, size in dealt[:passed] if at == place]
            then_due = [size for at, size in due[last:following] if at == place]
            is_in_turn = received[len(before) :] == then_due[: len(received) - len(before)]
            is_out_of_step = sum(before) < least or _is_doubled(place, dealt, max(sizes))
            if not (stops and is_in_turn and is_out_of_step):
                return False
    return True


def _is_doubled(place: int, dealt: Sequence[Slot], most: int) -> bool:
    """Return whether a place received a packet that is too large, or two packets in succession."""
    is_too_large = any(at == place and size > most for at, size in dealt)
    return is_too_large or any(first[0] == second[0] == place for first, second in pairwise(dealt))
