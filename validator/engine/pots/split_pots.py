"""Hands at showdown, and pots that are split among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Bits32, Bits64, Codes, Flags, Ints, Ints32, find_true, has_any
from fairdeal.validator.cards.card_codes import CARDS, NO_CARD, UNKNOWN
from fairdeal.validator.engine.betting.betting_replay import Contributions
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.facts.final_hands import collect_hand_cards
from fairdeal.validator.engine.pots.side_pots import LayeredPots, expand_masks
from fairdeal.validator.engine.timeline.deal_stages import count_cards
from fairdeal.validator.engine.timeline.event_cards import card_bits
from fairdeal.validator.engine.timeline.recorded_acts import betting_decisions
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.evidence.event_kinds import AT_PLAYER, PLACES

MOST_BOARDS = 4
"""Largest number of times that a board is run."""
_COMMUNITY = PLACES.index("community")


class CommunityBoards(Struct, frozen=True, kw_only=True):
    """Composition of boards: some community cards are common to all boards, the others belong to one board each."""

    count: Ints
    """Number of boards, int64[rounds]; 1 if the board is run once."""
    common_count: Ints
    """Number of cards that all boards share, int64[rounds]."""
    size: int
    """Number of cards of a board."""
    community_cards: Hands
    """Community cards of each round."""

    @property
    def most_boards(self) -> int:
        """Return the largest number of boards of a round."""
        return int(self.count.max(initial=1))

    def collect_board(self, number: int) -> Hands:
        """Return the cards of a board, counted from 0; for a round with fewer boards, all its community cards."""
        rounds = find_true((self.count > 1) & (self.count > number))
        if not len(rounds):
            return self.community_cards
        cards: Codes = np.full(
            (len(self.count), max(self.community_cards.cards.shape[1], self.size)), UNKNOWN, np.uint8
        )
        cards[:, : self.community_cards.cards.shape[1]] = self.community_cards.cards
        place = np.arange(self.size)
        common = self.common_count[rounds, None]
        own = place + np.where(place >= common, number * (self.size - common), 0)
        cards[rounds[:, None], place] = cards[rounds[:, None], own]
        count = self.community_cards.count.copy()
        count[rounds] = self.size
        return Hands(cards=cards, count=count)


def possible_boards(scope: EvaluationContext) -> tuple[CommunityBoards, ...]:
    """Return the possible compositions of the boards, the most likely one first."""
    return tuple(_iter_boards(scope))


@cached_fact
def most_likely_boards(scope: EvaluationContext) -> CommunityBoards:
    """Return the most likely composition of the boards: the one with the fewest boards."""
    return possible_boards(scope)[0]


def _iter_boards(scope: EvaluationContext) -> Iterator[CommunityBoards]:
    held, rounds = scope.dealt_hands("community"), len(scope.batch)
    size, cards = _find_board_size(scope), held.count.astype(np.int64)
    once = CommunityBoards(
        count=np.ones(rounds, np.int64), common_count=np.zeros(rounds, np.int64), size=size, community_cards=held
    )
    reading = scope.compiled_game.pots.several_boards
    if (
        reading is None
        or not scope.compiled_game.regulation.is_option_in_force(reading.name, reading.is_)
        or not has_any(cards > size)
    ):
        yield once
        return
    dealt = _count_dealt_before_last_bet(scope)
    counts = np.ones((MOST_BOARDS + 1, rounds), np.int64)
    commons = np.zeros_like(counts)
    result = np.zeros(rounds, np.int64)
    for common in sorted(_find_common_counts(scope, size)):
        own = size - common
        boards = (cards - common) // own
        fits = (boards * own + common == cards) & (boards >= 2) & (boards <= MOST_BOARDS) & (common >= dealt)
        at = find_true(fits)
        counts[result[at], at], commons[result[at], at] = boards[at], common
        result[at] += 1
    for which in range(max(int(result.max(initial=0)), 1)):
        # A round with fewer possible compositions keeps its last one.
        way = np.minimum(which, np.maximum(result - 1, 0)), np.arange(rounds)
        yield CommunityBoards(count=counts[way], common_count=commons[way], size=size, community_cards=held)


def _find_board_size(scope: EvaluationContext) -> int:
    hands = (scope.compiled_game.hands[share.hand] for share in scope.compiled_game.pots.shares)
    result = (hand.sizes[hand.places.index("community")] for hand in hands if "community" in hand.places)
    return max(result, default=0)


def _find_common_counts(scope: EvaluationContext, size: int) -> set[int]:
    """Return how many community cards there may be before the board is run again: those of whole stages."""
    stages = scope.compiled_game.game.deal.stages
    ways = [[way.count_dealt().get("community", 0) for way in stage.permitted_ways.values()] for stage in stages]
    dealt = np.cumsum([max(numbers, default=0) for numbers in ways])
    return {0, *(int(number) for number in dealt if number < size)}


def _count_dealt_before_last_bet(scope: EvaluationContext) -> Ints:
    """Return how many community cards each round had at the last betting action."""
    events, rounds = scope.batch.events, len(scope.batch)
    last = np.full(rounds, ABSENT, np.int64)
    acts = betting_decisions(scope)
    np.maximum.at(last, events.round[acts], acts)
    dealt = events_of_kinds(scope, ("deal",))
    before: Flags = (events.place[dealt] == _COMMUNITY) & (dealt < last[events.round[dealt]])
    dealt = dealt[before]
    result = np.zeros(rounds, np.int64)
    np.add.at(result, events.round[dealt], count_cards(scope, dealt))
    return result


_ONE_CARD = np.uint64(1)


@cached_fact
def collect_shown_faces(scope: EvaluationContext) -> Bits64:
    """Return the cards of each seat that were shown face up, as sets.

    Returns:
        uint64[seats].
    """
    seat, cards = _collect_shown(scope)
    result = np.zeros(scope.count_items("seat"), np.uint64)
    np.bitwise_or.at(result, seat, card_bits(cards))
    return result


def count_shown_cards(scope: EvaluationContext) -> tuple[Ints, Ints, Flags]:
    """Count the different cards of each seat that were shown.

    Returns:
        int64[seats], the least number; int64[seats], how many more there may be because of unknown faces; bool[seats],
        whether shows are recorded.
    """
    recorded = are_kinds_recorded(scope, ("reveal",), "player")[scope.batch.seats.round]
    seat, cards = _collect_shown(scope)
    hidden = np.bincount(seat, (cards == UNKNOWN).sum(axis=1), scope.count_items("seat")).astype(np.int64)
    return np.bitwise_count(collect_shown_faces(scope)).astype(np.int64), hidden, recorded


def _collect_shown(scope: EvaluationContext) -> tuple[Ints32, Codes]:
    """Return the seat of each shown hand, and its cards."""
    events = scope.batch.events
    chosen = events_of_kinds(scope, ("reveal",))
    chosen = chosen[(events.place[chosen] == AT_PLAYER) & (events.seat[chosen] != ABSENT)]
    return events.seat[chosen], events.hands.cards[events.cards_row[chosen]]


def collect_player_cards(scope: EvaluationContext, hand: str, size: int, seats: Ints32) -> Codes:
    """Return the cards of some seats that make up a hand, UNKNOWN if a face is unknown.

    Cards that the record of a hand omits are filled in from the cards that were shown.

    Returns:
        uint8[n, size].
    """
    dealt = collect_hand_cards(scope, hand, "player")
    cards, count = dealt.cards[seats], dealt.count[seats]
    if cards.shape[1] < size:
        cards = np.pad(cards, ((0, 0), (0, size - cards.shape[1])), constant_values=NO_CARD)
    doubtful = find_true((count != size) | (cards[:, :size] >= CARDS).any(axis=1))
    result = cards[:, :size].copy()
    if len(doubtful):
        result[doubtful] = UNKNOWN
        fits = (count[doubtful] == size) | (count[doubtful] == ABSENT)
        faces = card_bits(cards[doubtful]) | collect_shown_faces(scope)[seats[doubtful]]
        whole = fits & (np.bitwise_count(faces) == size)
        result[doubtful[whole]] = _list_cards(faces[whole], size)
    return result


def _list_cards(faces: Bits64, size: int) -> Codes:
    """Return the cards of sets of `size` cards, lowest code first."""
    left = faces.copy()
    cards = np.empty((len(faces), size), np.uint8)
    for place in range(size):
        lowest = left & (~left + _ONE_CARD)
        cards[:, place] = np.bitwise_count(lowest - _ONE_CARD)
        left ^= lowest
    return cards


def find_contested_rows(pots: LayeredPots) -> Bits32:
    """Return the rows that can win a pot which another row can win as well, as masks.

    Returns:
        uint32[H].
    """
    result = np.zeros(len(pots.count), np.uint32)
    several = find_true(pots.eligible & (pots.eligible - np.uint32(1)))
    np.bitwise_or.at(result, pots.round[several], pots.eligible[several])
    return result


def compute_strengths(scope: EvaluationContext, hand: str, put: Contributions, rows: Bits32, board: Hands) -> Ints32:
    """Return the strength of a hand on a board, for some rows.

    It is ABSENT for all other rows, and if a card is unknown or a place does not hold the full number of cards.

    Args:
        rows: uint32[H], the rows to evaluate, as masks.

    Returns:
        int32[S, H].
    """
    prepared = scope.compiled_game.hands[hand]
    result = np.full(put.seats.shape, ABSENT, np.int32)
    at, round_ = np.nonzero(expand_masks(rows, len(put.seats)) & (put.seats >= 0))
    if not len(at):
        return result
    seats = put.seats[at, round_]
    parts: list[Codes] = []
    for place, wanted in zip(prepared.places, prepared.sizes, strict=True):
        if place == "player":
            parts.append(collect_player_cards(scope, hand, wanted, seats))
        else:
            held = board if place == "community" else collect_hand_cards(scope, hand, place)
            cards = held.cards[round_, :wanted]
            if cards.shape[1] < wanted:
                cards = np.pad(cards, ((0, 0), (0, wanted - cards.shape[1])), constant_values=NO_CARD)
            parts.append(np.where((held.count[round_] == wanted)[:, None], cards, np.uint8(UNKNOWN)))
    result[at, round_] = prepared.strength(np.concatenate(parts, axis=1))
    return result


class Contest(Struct, frozen=True, kw_only=True):
    """Contest for a share of the pots."""

    strength: Ints32
    """Strength of each hand, int32[S, H]; -1 if unknown."""
    lowest_winning: int
    """Lowest strength that can win."""


class NetPots(Struct, frozen=True, kw_only=True):
    """Pots after the rake, int64[P]."""

    least: Ints
    """Least possible amount."""
    most: Ints
    """Largest possible amount."""
    by_rule: Ints
    """Amount if the rake is taken by the rule of the game."""
    is_rake_known: Flags
    """True if the rake is known, bool[P]."""


class ChipUnit(Struct, frozen=True, kw_only=True):
    """Smallest chip in the division of pots."""

    unit: int | None
    """Minor units; None if the chip, or the seat that gets odd chips, is unknown."""
    largest: Ints
    """Largest possible chip, a multiple of the chip, int64[H]."""
    left_over: Literal["each", "all", "any"] = "each"
    """Odd chips: equal hands get one chip `each`, one of them may get `all`, or `any` of them may get the remainder.

    With `any`, they share in chips of exactly the largest possible size.
    """


class PotDue(Struct, frozen=True, kw_only=True):
    """Amount of all pots that each seat is due, int64[S, H] in minor units."""

    least: Ints
    """Least amount due."""
    most: Ints
    """Largest amount due."""
    by_rule: Ints
    """Amount by the game's rule for odd chips; -1 if unknown or there is no rule."""
    equal_split: Ints
    """Amount of an exactly equal split; -1 if unknown or impossible."""

    @classmethod
    def allocate(cls, shape: tuple[int, ...]) -> PotDue:
        """Allocate the columns, with nothing due."""
        least, most, by_rule, equal_split = np.zeros((4, *shape), np.int64)
        return cls(least=least, most=most, by_rule=by_rule, equal_split=equal_split)

    def list_columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the columns in the order of the fields."""
        return self.least, self.most, self.by_rule, self.equal_split


def share_pots(pots: LayeredPots, net: NetPots, contests: Sequence[Contest], chips: ChipUnit) -> PotDue:
    """Divide the pots among the seats.

    Every contest that somebody can win gets an equal part of a pot, the first one also the remainder. Equal hands share
    evenly.
    """
    shape = contests[0].strength.shape
    result, is_unknown = PotDue.allocate(shape), np.zeros((2, *shape), bool)
    for number in range(int(pots.count.max(initial=0))):
        chosen = find_true(pots.number == number)
        hand = pots.round[chosen]
        due = share_one_pot(pots, net, contests, chips, chosen)
        for total, part in zip(result.list_columns(), due.list_columns(), strict=True):
            total[:, hand] += np.maximum(part, 0)
        is_unknown[:, :, hand] |= np.stack([due.by_rule, due.equal_split]) < 0
    return replace(
        result,
        by_rule=np.where(is_unknown[0], -1, result.by_rule),
        equal_split=np.where(is_unknown[1], -1, result.equal_split),
    )


def find_most_due_of_each(pots: LayeredPots, net: NetPots, contests: Sequence[Contest], chips: ChipUnit) -> Ints:
    """Return the most that each row is due of each pot.

    Returns:
        int64[S, P].
    """
    result = np.zeros((len(contests[0].strength), len(pots.amount)), np.int64)
    for number in range(int(pots.count.max(initial=0))):
        chosen = find_true(pots.number == number)
        result[:, chosen] = share_one_pot(pots, net, contests, chips, chosen).most
    return result


def take_board_part(net: NetPots, chips: ChipUnit, boards: Ints, number: int, hand: Ints) -> NetPots:
    """Return the part of each pot that one of several boards wins.

    Args:
        boards: int64[P], number of boards of the round of each pot; a board beyond it wins nothing.
        number: the board, counted from 0.
        hand: int64[P], the round of each pot.
    """
    several, there = boards > 1, boards > number
    if chips.unit is None:
        chip = chips.largest[hand]
        ruled, recorded = net.by_rule // boards, net.is_rake_known & (net.by_rule % (boards * chip) == 0)
        # An indivisible remainder may all go to one board.
        low = net.least // boards // chip * chip
        high = net.most - (boards - 1) * low
    else:
        ruled, recorded = _take_part(net.by_rule, boards, np.full(len(boards), number), chips.unit), net.is_rake_known
        low = net.least // boards // chips.unit * chips.unit
        high = np.minimum(net.most, -(-net.most // boards) + chips.unit)
    low, high = np.where(recorded, ruled, low), np.where(recorded, ruled, high)
    return NetPots(
        least=np.where(there, np.where(several, low, net.least), 0),
        most=np.where(there, np.where(several, high, net.most), 0),
        by_rule=np.where(there, np.where(several, ruled, net.by_rule), 0),
        is_rake_known=np.where(several & there, recorded, net.is_rake_known | ~there),
    )


def add_dues(parts: Sequence[PotDue]) -> PotDue:
    """Add what each seat is due from several boards."""
    if len(parts) == 1:
        return parts[0]
    ruled, equal = np.array([part.by_rule for part in parts]), np.array([part.equal_split for part in parts])
    return PotDue(
        least=np.sum([part.least for part in parts], axis=0),
        most=np.sum([part.most for part in parts], axis=0),
        by_rule=np.where((ruled < 0).any(axis=0), -1, ruled.sum(axis=0)),
        equal_split=np.where((equal < 0).any(axis=0), -1, equal.sum(axis=0)),
    )


def share_one_pot(
    pots: LayeredPots, net: NetPots, contests: Sequence[Contest], chips: ChipUnit, chosen: Ints
) -> PotDue:
    """Divide one pot of each round among its rows, [S, n]."""
    rows = len(contests[0].strength)
    eligible = expand_masks(pots.eligible[chosen], rows)
    contested = eligible.sum(axis=0) > 1
    least, most = net.least[chosen], net.most[chosen]
    ruled = np.where(net.is_rake_known[chosen], net.by_rule[chosen], -1)
    due = PotDue(
        least=np.where(eligible, least, 0),
        most=np.where(eligible, most, 0),
        by_rule=np.where(eligible, ruled, 0),
        equal_split=np.where(eligible, ruled, 0),
    )
    at = find_true(contested)
    if len(at):
        of = pots.round[chosen[at]]
        among = [_find_winners(contest, eligible[:, at], of) for contest in contests]
        shared = _share_contested(among, least[at], most[at], ruled[at], chips, of)
        for whole, part in zip(due.list_columns(), shared.list_columns(), strict=True):
            whole[:, at] = part
    return due


class _Winners(Struct, frozen=True, kw_only=True):
    """Winners of a contest for each pot."""

    rows: Flags
    """Rows that win, or may win if unknown, bool[S, n]."""
    known: Flags
    """True if the winners are known, bool[n]."""


def _find_winners(contest: Contest, eligible: Flags, hand: Ints) -> _Winners:
    strength = contest.strength[:, hand]
    unknown = eligible & (strength < 0)
    best = np.where(eligible, strength, -1).max(axis=0)
    top = eligible & (strength == best) & (best >= max(contest.lowest_winning, 0))
    return _Winners(rows=top | unknown, known=np.logical_not(unknown.any(axis=0)))


def _share_contested(
    among: Sequence[_Winners], least: Ints, most: Ints, ruled: Ints, chips: ChipUnit, hand: Ints
) -> PotDue:
    """Divide contested pots among the winners of each contest."""
    known = np.logical_and.reduce([winners.known for winners in among])
    possible = np.logical_or.reduce([winners.rows for winners in among])
    parts = np.maximum(sum(winners.rows.any(axis=0).astype(np.int64) for winners in among), 1)
    result = PotDue.allocate(possible.shape)
    before, is_unknown = np.zeros(len(least), np.int64), np.zeros((2, len(least)), bool)
    for winners in among:
        share = _share_evenly(winners.rows, before, parts, (least, most, ruled), chips, hand)
        for total, part in zip(result.list_columns(), share.list_columns(), strict=True):
            np.add(total, np.maximum(part, 0), out=total)
        is_unknown |= (np.stack([share.by_rule, share.equal_split]) < 0).any(axis=1)
        before += winners.rows.any(axis=0)
    is_rule_unknown, is_equal_unknown = is_unknown | ~known
    return PotDue(
        least=np.where(known, result.least, 0),
        # A seat that wins several parts of a pot wins at most the pot.
        most=np.where(known, np.minimum(result.most, most), np.where(possible, most, 0)),
        by_rule=np.where(possible & is_rule_unknown, -1, np.where(known, result.by_rule, 0)),
        equal_split=np.where(possible & is_equal_unknown, -1, np.where(known, result.equal_split, 0)),
    )


def _share_evenly(
    winners: Flags, before: Ints, parts: Ints, net: tuple[Ints, Ints, Ints], chips: ChipUnit, hand: Ints
) -> PotDue:
    """Divide one of several equal parts of each pot among its winners."""
    least, most, ruled = net
    heads = np.maximum(winners.sum(axis=0), 1)
    order = np.cumsum(winners, axis=0) - 1
    divided = (parts > 1) | (heads > 1)
    # Two even shares differ by the smallest chip, and by amounts below one chip.
    apart = np.where(divided, chips.largest[hand] if chips.unit is None else 2 * chips.unit - 1, 0)
    if chips.unit is None and chips.left_over == "each":
        # An amount that divides evenly by the largest possible chip leaves no odd chip.
        even = (least == most) & (least % (parts * heads * chips.largest[hand]) == 0)
        apart = np.where(even, 0, apart)
    if chips.left_over == "all":
        apart *= np.maximum(heads - 1, 1)
    loose = np.where(parts > 1, apart, 0)
    low = -(-(least // parts - loose - apart * (heads - 1)) // heads)
    high = (-(-most // parts) + loose + apart * (heads - 1)) // heads
    equal = np.where((ruled >= 0) & (ruled % (parts * heads) == 0), ruled // (parts * heads), -1)
    if chips.left_over == "any":
        exact, chip = equal, chips.largest[hand]
        low = least // (parts * heads) // chip * chip
        even = most // (parts * heads) // chip * chip
        high = most - even * (parts * heads - 1)
    elif chips.unit is None:
        exact = equal
    else:
        part = _take_part(ruled, parts, before, chips.unit)
        exact = np.where(ruled >= 0, _take_part(part, heads, order, chips.unit), -1)
        settled = (least == most) & (ruled >= 0)
        either = np.where(equal >= 0, equal, exact)
        low = np.where(settled, np.minimum(exact, either), low)
        high = np.where(settled, np.maximum(exact, either), high)
    return PotDue(
        least=np.where(winners, np.maximum(low, 0), 0),
        most=np.where(winners, np.minimum(high, most), 0),
        by_rule=np.where(winners, exact, 0),
        equal_split=np.where(winners, np.where(equal >= 0, equal, exact), 0),
    )


def _take_part(amount: Ints, parts: Ints, order: Ints, unit: int) -> Ints:
    """Return the part of an amount for each position in the order.

    Parts are whole chips. Odd chips go one each to the first positions, and an amount below one chip to the first.
    """
    even = amount // parts // unit * unit
    over = amount - even * parts
    return even + unit * (order < over // unit) + np.where(order == 0, over % unit, 0)
