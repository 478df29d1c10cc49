"""Cards that stay away from a pack in play, and orders of cards that come again.

A pack with a card missing looks like any other pack round by round. Only a span without the card shows it. Cards that
come in the order of another round were not shuffled. Both have a probability that chance alone explains them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import comb, exp, log, perm

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from fairdeal.validator.arrays import Flags, Identities, Indices, Ints, mix_numbers
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, format_cards
from fairdeal.validator.evidence.columns.round_batch import DAY, UNDATED, Batch

_INTERVAL = 15 * 60 * 1_000_000
"""Microseconds of an interval, the shortest span in which a card is looked for."""
_DAY = 24 * 60 * 60 * 1_000_000
NO_TIME = -(1 << 62)
"""Start of the interval of rounds without a day."""
_UNIT = 1e12
"""Units of an absence in one natural logarithm. Whole numbers have the same sum in any order."""
MOST_ORDERS = 100_000
"""Limit of the orders of cards that are kept of a table with a deck: those with the smallest hashes, so that two rounds
with the same order are kept or left out together."""
MOST_ORDERS_IN_ALL = 2_000_000
"""Limit of the orders that are kept of all decks. With many decks, fewer are kept of each."""
_HASH_COLLISION = 2.0**-58
"""Bound of the probability that two different orders have the same hash: a sum of cards times odd numbers, modulo
2**64, where two cards differ by at most 51."""


class CardSpans(Struct, frozen=True, kw_only=True):
    """Cards that came in each interval of time. Arrays are parallel and in the order of time."""

    start: Ints
    """Start of the interval in microseconds since 1970 by the clock of the log; `NO_TIME` without a day."""
    seen: Ints
    """Cards that came, a bit for each."""
    rounds: Ints
    """Number of rounds."""
    absence: Ints
    """Minus the logarithm of the probability that a given card does not come, in `_UNIT`."""

    @property
    def is_sound(self) -> bool:
        """True if the columns are of the same length and in the order of time."""
        return _are_parallel(self) and bool((np.diff(self.start) > 0).all())

    def add(self, other: CardSpans) -> CardSpans:
        """Return the spans of these rounds and of others."""
        columns = (np.concatenate([getattr(self, name), getattr(other, name)]) for name in CardSpans.__struct_fields__)
        return combine_intervals(*columns)


def combine_intervals(start: Ints, seen: Ints, rounds: Ints, absence: Ints) -> CardSpans:
    """Combine the rounds of each interval; arguments are as in `CardSpans`, in any order and repeated."""
    starts, place = np.unique(start, return_inverse=True)
    seen_in, rounds_in, absence_in = np.zeros((3, len(starts)), np.int64)
    np.bitwise_or.at(seen_in, place, seen)
    np.add.at(rounds_in, place, rounds)
    np.add.at(absence_in, place, absence)
    return CardSpans(start=starts, seen=seen_in, rounds=rounds_in, absence=absence_in)


class CardOrders(Struct, frozen=True, kw_only=True):
    """Order of the cards of each round. Arrays are parallel and sorted by all columns."""

    order: Ints
    """Hash of the cards in the order of places and seats."""
    cards: Ints
    """Number of cards."""
    time: Ints
    """Time of the round, as `CardSpans.start`."""
    number: Ints
    """Number of the round at its table, as in `Batch`."""

    @property
    def is_sound(self) -> bool:
        """True if the columns are of the same length."""
        return _are_parallel(self)

    def select_first(self, most: int) -> CardOrders:
        """Return at most some of the orders, those with the smallest hashes."""
        return CardOrders(**{name: column[:most] for name, column in asdict(self).items()})

    def add(self, other: CardOrders) -> CardOrders:
        """Return the orders of these rounds and of others, at most `MOST_ORDERS`."""
        return _keep_orders(np.concatenate([_stack(self), _stack(other)], axis=1))


def _are_parallel(columns: Struct) -> bool:
    return len({len(column) for column in asdict(columns).values()}) == 1


def _stack(orders: CardOrders) -> NDArray[np.int64]:
    return np.stack([orders.order, orders.cards, orders.time, orders.number])


def _keep_orders(columns: NDArray[np.int64]) -> CardOrders:
    columns = columns[:, np.lexsort(columns[::-1])][:, :MOST_ORDERS]
    return CardOrders(order=columns[0], cards=columns[1], time=columns[2], number=columns[3])


class RoundCards(Struct, frozen=True, kw_only=True):
    """Cards of the rounds of a batch whose cards are complete. Arrays have an entry for each round of the batch."""

    is_complete: Flags
    """Rounds with complete cards, bool[rounds]."""
    seen: Ints
    """Cards that came, a bit for each, int64[rounds]."""
    order: Ints
    """Hash of the order of cards, int64[rounds]."""
    dealt: Ints
    """Number of cards, int64[rounds]."""


def combine_places(rounds: int, places: Sequence[tuple[NDArray[np.uint8], Indices]], is_complete: Flags) -> RoundCards:
    """Combine the cards of several places.

    Args:
        rounds: number of rounds.
        places: of each place the cards, uint8[hands, k], and the round of each hand, int64[hands], in ascending order.
        is_complete: rounds with complete cards, bool[rounds].
    """
    seen, dealt, order = np.zeros(rounds, np.int64), np.zeros(rounds, np.int64), np.zeros(rounds, np.uint64)
    for number, (cards, of_round) in enumerate(places):
        rank = np.arange(len(of_round)) - np.searchsorted(of_round, of_round)
        for at in range(cards.shape[1]):
            weight = _hash_numbers((np.uint64(number) << np.uint64(40)) + (rank.astype(np.uint64) << np.uint64(8)), at)
            np.bitwise_or.at(seen, of_round, np.int64(1) << cards[:, at].astype(np.int64))
            np.add.at(order, of_round, (cards[:, at].astype(np.uint64) + np.uint64(1)) * weight)
        np.add.at(dealt, of_round, cards.shape[1])
    return RoundCards(is_complete=is_complete, seen=seen, order=order.view(np.int64), dealt=dealt)


def _hash_numbers(numbers: Identities, plus: int) -> Identities:
    """Return an odd pseudo-random number for each number."""
    with np.errstate(over="ignore"):
        result: Identities = mix_numbers((numbers + np.uint64(plus + 1)) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
    return result


def build_spans(
    batch: Batch, cards: RoundCards, cloth: Indices, cloths: int, copies: int, size: int
) -> Iterator[tuple[CardSpans, CardOrders]]:
    """Yield the spans and orders of each table with a deck.

    Args:
        batch: the batch.
        cards: cards of its rounds.
        cloth: table with deck of each round, int64[rounds].
        cloths: number of tables with a deck.
        copies: number of copies of each card in play.
        size: number of cards in play.
    """
    start = np.where(batch.dated == UNDATED, NO_TIME, batch.time)
    interval = np.where(batch.dated == UNDATED, NO_TIME, batch.time // _INTERVAL * _INTERVAL)
    interval = np.where(batch.dated == DAY, batch.time // _DAY * _DAY, interval)
    by_number = np.array(
        [_compute_absence(number, copies, size) for number in range(int(cards.dealt.max(initial=0)) + 1)]
    )
    is_first = np.ones(len(batch), bool) if batch.versions is None else batch.versions.number <= 1
    for number in range(cloths):
        chosen = np.flatnonzero((cloth == number) & cards.is_complete & is_first)
        absence = by_number[cards.dealt[chosen]]
        spans = combine_intervals(interval[chosen], cards.seen[chosen], np.ones_like(chosen), absence)
        columns = np.stack([cards.order[chosen], cards.dealt[chosen], start[chosen], batch.number[chosen]])
        yield spans, _keep_orders(columns)


def _compute_absence(dealt: int, copies: int, size: int) -> int:
    """Return minus the logarithm of the probability that a card does not come, in `_UNIT`; 0 if all cards come."""
    absent = comb(size - copies, dealt)
    return round((log(comb(size, dealt)) - log(absent)) * _UNIT) if absent else 0


def name_card(code: int) -> str:
    """Return a card as logs write it, such as `Ah`."""
    return format_cards([code])


def format_start(time: int) -> str | None:
    """Return a time to the second; None for `NO_TIME`."""
    if time == NO_TIME:
        return None
    return str(np.datetime_as_string(np.datetime64(time, "us"), unit="s")).replace("T", " ")


class AbsentSpan(Struct, frozen=True, kw_only=True):
    """Longest span without a card."""

    card: int
    """Code of the card."""
    first: int
    """Start of the first interval."""
    last: int
    """Start of the last interval."""
    rounds: int
    """Number of rounds."""
    chance: float
    """Bound of the probability that an honest deck has such a span for any card, beginning in any interval."""


def find_absent_cards(spans: CardSpans, codes: Sequence[int], left_out: int, most: float) -> Iterator[AbsentSpan]:
    """Yield the cards with a span that chance does not explain, with the least likely span of each.

    Rounds whose cards are not complete may lack a card more often than others. So the probability of each round is
    divided by the share of complete rounds.

    Args:
        spans: the spans.
        codes: codes of the cards of the deck.
        left_out: number of rounds whose cards are not complete.
        most: limit of the probability.
    """
    recorded = int(spans.rounds.sum())
    if not recorded:
        return
    selection = -log(recorded / (recorded + left_out))
    absence = np.cumsum(spans.absence / _UNIT - selection * spans.rounds)
    rounds = np.cumsum(spans.rounds)
    windows = len(codes) * len(spans.start)
    for code in codes:
        came = np.flatnonzero(spans.seen >> code & 1)
        before, after = np.append(-1, came), np.append(came, len(spans.start))
        lengths = _sum_between(absence, before, after)
        longest = int(np.argmax(lengths))
        chance = windows * exp(-max(float(lengths[longest]), 0.0))
        if chance <= most:
            first, end = int(before[longest]) + 1, int(after[longest])
            yield AbsentSpan(
                card=code,
                first=int(spans.start[first]),
                last=int(spans.start[end - 1]),
                rounds=int(rounds[end - 1] - (rounds[first - 1] if first else 0)),
                chance=chance,
            )


def _sum_between(sums: NDArray[np.float64], before: Ints, after: Ints) -> NDArray[np.float64]:
    """Return the sum of the entries between each two places, given running sums."""
    padded = np.append(0.0, sums)
    return padded[after] - padded[before + 1]


class SameOrder(Struct, frozen=True, kw_only=True):
    """Two rounds with the same cards in the same order."""

    cards: int
    """Number of cards."""
    first: tuple[int, int]
    """Time and number of the first round."""
    second: tuple[int, int]
    """Time and number of the second round."""
    chance: float
    """Bound of the probability that any two of the rounds have the same order."""


def find_same_orders(orders: CardOrders, copies: int, size: int, most: float) -> Iterator[SameOrder]:
    """Yield rounds that follow an order of cards seen before, where chance does not explain it.

    Args:
        orders: the orders.
        copies: number of copies of each card in play.
        size: number of cards in play.
        most: limit of the probability.
    """
    number, count = np.unique(orders.cards, return_counts=True)
    chances: Mapping[int, float] = {
        cards: rounds * (rounds - 1) / 2 * (_bound_order(cards, copies, size) + _HASH_COLLISION)
        for cards, rounds in zip(number.tolist(), count.tolist(), strict=True)
    }
    same = (np.diff(orders.order) == 0) & (np.diff(orders.cards) == 0)
    for place in np.flatnonzero(same).tolist():
        chance = chances[int(orders.cards[place])]
        if chance <= most:
            first, second = ((int(orders.time[at]), int(orders.number[at])) for at in (place, place + 1))
            yield SameOrder(cards=int(orders.cards[place]), first=first, second=second, chance=chance)


def _bound_order(cards: int, copies: int, size: int) -> float:
    """Return the largest probability of any order of some cards."""
    return reduce(lambda chance, _: chance * copies, range(cards), 1.0) / perm(size, cards)


assert KNOWN_CARDS <= 63, "the cards that came are the bits of a signed number"
