"""Rounds of a batch as they would be with one event corrected: moved, left out, added, or with other values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Ints
from validator.cards.cards import NO_CARD, UNKNOWN
from validator.evidence.columns.batch import Batch, Coded, Events, Hands, Stakes
from validator.evidence.columns.tables import rows
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND

Value = int | str
_DECIDED, _AWARDED, _DEALT = KIND["decide"], KIND["award"], KIND["deal"]
_STAKES = {KIND["wager"]: 1, KIND["withdraw"]: -1, _DECIDED: 1}
"""What the amount of an event adds to a stake, by its kind."""
_TO_STACKS = {KIND["wager"]: -1, _DECIDED: -1, _AWARDED: 1, KIND["return"]: 1}
"""What the amount of an event adds to the chips of its seat, by its kind."""
_AT_PLAYER, _AT_COMMUNITY = PLACES.index("player"), PLACES.index("community")


class Correction(Struct, frozen=True, kw_only=True):
    """A round with one event corrected.

    An event that is added copies another of the round, with values of its own.
    """

    round: int
    order: tuple[int, ...]
    """The events of the batch that the round then consists of, in their order; one that is copied occurs twice."""
    changed: int
    """The place in `order` of the event that has other values; ABSENT where none has."""
    values: Mapping[str, Value]
    """The other values of that event, by their columns; text for columns of text."""
    event: int
    """The event of the batch that the correction is about, or that the added event stands ahead of."""
    seat: int
    """The seat of the batch that the correction is about; ABSENT where it is about none."""
    hides_cards: bool = False
    """Whether the face of the cards of the changed event is taken as not recorded."""
    stacks_follow: bool = False
    """Whether what seats have in the end differs from the record as their chips do."""


def corrected_rounds(batch: Batch, corrections: Sequence[Correction], bets: str) -> Batch:
    """Return a batch with a round for each correction. What a seat staked and won follows the events.

    Args:
        bets: the wager that chips of decisions lie on.
    """
    rounds = np.array([item.round for item in corrections], np.int64)
    seat_rows, seat_offsets = _runs(batch.seats.offsets, rounds)
    first_seat = seat_offsets[:-1] - batch.seats.offsets[rounds]
    owners = np.repeat(np.arange(len(rounds)), np.diff(seat_offsets))
    order = np.array([event for item in corrections for event in item.order], np.int64)
    lengths = [len(item.order) for item in corrections]
    offsets = np.array([0, *accumulate(lengths)], np.int64)
    of_round = np.repeat(np.arange(len(rounds)), lengths)
    changed = [(item, int(start) + item.changed) for item, start in zip(corrections, offsets, strict=False)]

    seat = batch.events.seat[order].astype(np.int64)
    seat = np.where(seat == ABSENT, ABSENT, seat + first_seat[of_round]).astype(np.int32)
    events = _with_values(_events_at(batch.events, order, offsets, of_round, seat), changed, first_seat)
    seats = rows(batch.seats, seat_rows, offsets=seat_offsets, round=owners.astype(np.int32))
    stake_offsets = np.searchsorted(batch.stakes.seat, batch.seats.offsets)
    stake_rows, _ = _runs(stake_offsets, rounds)
    per_round = np.diff(stake_offsets)[rounds]
    stakes = rows(
        batch.stakes,
        stake_rows,
        seat=(batch.stakes.seat[stake_rows] + np.repeat(first_seat, per_round)).astype(np.int32),
    )
    meter_rows, meter_offsets = _runs(batch.meters.offsets, rounds)
    meters = rows(
        batch.meters,
        meter_rows,
        offsets=meter_offsets,
        round=np.repeat(np.arange(len(rounds), dtype=np.int32), np.diff(meter_offsets)),
    )
    found = rows(batch, rounds, seats=seats, stakes=stakes, events=events, meters=meters)
    return _with_summaries(batch, found, changed, first_seat, bets)


def _runs(offsets: Ints, rounds: Ints) -> tuple[Ints, Ints]:
    """Return the rows of some rounds one after the other, and where those of each then start."""
    lengths = np.diff(offsets)[rounds]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return np.arange(starts[-1]) + np.repeat(offsets[rounds] - starts[:-1], lengths), starts


def _events_at(events: Events, order: Ints, offsets: Ints, of_round: Ints, seat: Ints) -> Events:
    row = events.cards_row[order]
    carrying = row >= 0
    return rows(
        events,
        order,
        offsets=offsets,
        round=of_round.astype(np.int32),
        seat=seat,
        cards_row=np.where(carrying, np.cumsum(carrying) - 1, ABSENT).astype(np.int32),
        hands=rows(events.hands, row[carrying].astype(np.int64)),
    )


def _with_values(events: Events, changed: Sequence[tuple[Correction, int]], first_seat: Ints) -> Events:
    """Return events with the values that corrections give them."""
    columns = {
        name: column
        for name in events.__struct_fields__
        if name not in {"offsets", "round", "hands"} and (column := getattr(events, name)) is not None
    }
    new: dict[str, object] = {}
    cards = events.hands.cards.copy()
    for number, (item, place) in enumerate(changed):
        if item.changed == ABSENT:
            continue
        if item.hides_cards and events.cards_row[place] >= 0:
            row = cards[events.cards_row[place]]
            row[row != NO_CARD] = UNKNOWN
        for name, value in item.values.items():
            column = new.get(name, columns[name])
            if isinstance(column, Coded):
                new[name] = _recoded(column, place, str(value))
                continue
            assert isinstance(column, np.ndarray)
            if name not in new:
                new[name] = column = column.copy()
            column[place] = int(value) + int(first_seat[number]) if name == "seat" and value != ABSENT else value
    return replace(events, **new, hands=Hands(cards=cards, count=events.hands.count))


def _recoded(column: Coded, place: int, text: str) -> Coded:
    codes, names = column.codes.copy(), column.names
    if text and text not in names:
        names = (*names, text)
    codes[place] = names.index(text) if text else ABSENT
    return Coded(codes=codes, names=names)


def _with_summaries(
    batch: Batch, found: Batch, changed: Sequence[tuple[Correction, int]], first_seat: Ints, bets: str
) -> Batch:
    """Return corrected rounds whose summaries differ from the record as their events do."""
    staked: dict[tuple[int, str], int] = {}
    won, after = found.seats.won.copy(), found.seats.stack_after.copy()
    dealt: list[tuple[int, int, list[int], int]] = []
    for number, (item, place) in enumerate(changed):
        old, new = _differing(batch, item, place)
        for events, at, sign in ((batch.events, old, -1), (found.events, new, 1)):
            if at == ABSENT:
                continue
            seat = int(events.seat[at])
            if sign < 0 and seat != ABSENT:
                seat += int(first_seat[number])
            kind, amount = int(events.kind[at]), sign * max(int(events.amount[at]), 0)
            if item.stacks_follow and kind in _TO_STACKS and seat != ABSENT and after[seat] != ABSENT:
                after[seat] = max(after[seat] + _TO_STACKS[kind] * amount, 0)
            if kind == _AWARDED and won[seat] != ABSENT:
                won[seat] = max(won[seat] + amount, 0)
            elif kind in _STAKES and seat != ABSENT and not events.tip[at]:
                key = seat, bets if kind == _DECIDED else events.wager.text(at) or ""
                staked[key] = staked.get(key, 0) + _STAKES[kind] * amount
            elif kind == _DEALT and events.cards_row[at] >= 0:
                row = int(events.cards_row[at])
                cards = events.hands.cards[row, : events.hands.count[row]].tolist()
                dealt.append((int(events.place[at]), number if seat == ABSENT else seat, cards, sign))
    seats = replace(found.seats, won=won, stack_after=after)
    return _with_cards(replace(found, seats=seats, stakes=_restaked(found, staked)), dealt)


def _differing(batch: Batch, item: Correction, place: int) -> tuple[int, int]:
    """Return the event of the batch that a correction takes away or changes, and its place in the corrected events."""
    first, end = batch.events.offsets[item.round : item.round + 2].tolist()
    if len(item.order) < end - first:
        return next(iter({*range(first, end)}.difference(item.order))), ABSENT
    if item.changed == ABSENT:
        return ABSENT, ABSENT
    return ABSENT if len(item.order) > end - first else item.order[item.changed], place


def _restaked(batch: Batch, change: Mapping[tuple[int, str], int]) -> Stakes:
    stakes = batch.stakes
    amount, names = stakes.amount.copy(), stakes.wager.names
    own = ~stakes.tip & ~stakes.bonus
    rows_of = {(int(stakes.seat[row]), stakes.wager.text(row)): row for row in np.flatnonzero(own).tolist()}
    added: list[tuple[int, str, int]] = []
    for (seat, wager), more in change.items():
        row = rows_of.get((seat, wager))
        if row is not None:
            amount[row] += more
        elif more > 0:
            added.append((seat, wager, more))
    keep = np.flatnonzero(stakes.bonus | (amount > 0) | (stakes.amount == amount))
    names = (*names, *dict.fromkeys(wager for _, wager, _ in added if wager not in names))
    kept = rows(replace(stakes, amount=np.maximum(amount, 0)), keep)
    if not added:
        return kept
    count = len(added)
    new_seats = np.array([seat for seat, _, _ in added], np.int32)
    owners = np.concatenate([kept.seat, new_seats])
    sorted_by_seat = np.argsort(owners, kind="stable")
    absent = np.full(count, ABSENT, np.int64)
    joined = Stakes(
        seat=owners,
        wager=Coded(
            codes=np.concatenate([kept.wager.codes, np.array([names.index(name) for _, name, _ in added], np.int32)]),
            names=names,
        ),
        tip=np.concatenate([kept.tip, np.zeros(count, bool)]),
        bonus=np.concatenate([kept.bonus, np.zeros(count, bool)]),
        amount=np.concatenate([kept.amount, np.array([more for _, _, more in added], np.int64)]),
        paid=np.concatenate([kept.paid, absent]),
        taken=np.concatenate([kept.taken, absent]),
        claimed=np.concatenate([kept.claimed, absent.astype(np.int8)]),
    )
    return rows(joined, sorted_by_seat)


def _with_cards(batch: Batch, dealt: Sequence[tuple[int, int, list[int], int]]) -> Batch:
    """Return rounds in which places hold other cards: of each the place, its row, cards, and a sign: 1 to add them."""
    if not dealt:
        return batch
    hands = {_AT_PLAYER: batch.seats.hands, _AT_COMMUNITY: batch.community}
    made = {place: Hands(cards=hand.cards.copy(), count=hand.count.copy()) for place, hand in hands.items()}
    for place, row, packet, sign in dealt:
        if place not in made or made[place].count[row] < 0:
            continue
        cards, count = made[place].cards, made[place].count
        held = cards[row, : count[row]].tolist()
        if sign > 0:
            held = [*held, *packet][: cards.shape[1]]
        for card in packet if sign < 0 else ():
            if card in held:
                del held[len(held) - 1 - held[::-1].index(card)]
        cards[row] = NO_CARD
        cards[row, : len(held)] = held
        count[row] = len(held)
    return replace(batch, seats=replace(batch.seats, hands=made[_AT_PLAYER]), community=made[_AT_COMMUNITY])
