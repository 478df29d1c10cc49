"""Rounds in the making as a batch of columns, for the interpreter to be asked about them and for logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Ints
from validator.cards.cards import NO_CARD
from validator.evidence.columns.batch import MOMENT, Batch, Coded, Events, Hands, Meters, Seats, Stakes
from validator.evidence.columns.empty import no_hands, no_names, no_numbers
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND
from validator.simulate.table.house import House
from validator.simulate.table.records import Cards, Event, Hand, Round, Seat

_DAY = 86_400 * 10**6
_EMPTY = bytes([NO_CARD])


def batch_of(house: House, rounds: Sequence[Round], *, events: bool = True, held: bool = False) -> Batch:
    """The rounds as a batch: with their events, or only with the mishaps of the deal as long as there are no others;
    with the cards that seats were dealt, or those they hold after exchanges between betting rounds."""
    count, seats = len(rounds), [seat for one in rounds for seat in one.seats]
    index = {seat: at for at, seat in enumerate(seats)}
    recorded = [one.events if events else one.mishaps for one in rounds]
    sizes = [len(part) for part in recorded]
    bonuses, pooled = house.game.bonuses, house.game.pots is not None
    lines = dict.fromkeys((name, tip) for name in house.names for tip in (False, True))
    lines |= dict.fromkeys(line for seat in seats for line in seat.stakes)
    place = {line: at for at, line in enumerate(lines)}
    stakes = [
        (at, *line, stake, ABSENT if line[1] else int(seat.claims.get(line[0], ABSENT)))
        for at, seat in enumerate(seats)
        for line in sorted(seat.stakes, key=place.__getitem__)
        if (stake := seat.stakes[line]).amount > 0 or stake.paid > 0
    ]
    readings = [(at, name, one) for at, round_ in enumerate(rounds) for name, one in round_.meters.items()]
    time = _ints([one.time for one in rounds])
    taken = [ABSENT if pooled or name in bonuses else stake.taken for _, name, _, stake, _ in stakes]
    return Batch(
        file=Coded(codes=np.zeros(count, np.int32), names=("simulated",)),
        game=house.game.game,
        round=tuple([one.name for one in rounds]),
        line=_ints([one.line for one in rounds]),
        table=Coded(codes=np.array([one.table for one in rounds], np.int32), names=house.tables),
        casino=Coded(codes=np.zeros(count, np.int32), names=(house.submission.licensee.name,)),
        day=(time // _DAY).astype(np.int32),
        time=time,
        dated=np.full(count, MOMENT, np.uint8),
        offset=np.zeros(count, np.int16),
        number=_small([one.count for one in rounds], np.int32),
        deck=Coded(codes=_small([one.in_play for one in rounds], np.int32), names=house.decks),
        button=_small([one.button for one in rounds], np.int8),
        small_bet=no_numbers(count),
        big_bet=no_numbers(count),
        after=no_names(count),
        complete=np.ones(count, np.bool_),
        **_hands_of("dealer", [one.dealer for one in rounds], ("dealer", "dealer_discarded", "dealer_drawn")),
        **_hands_of("community", [one.community for one in rounds], ("community", "community_discarded")),
        meters=Meters(
            offsets=_offsets([len(one.meters) for one in rounds]),
            round=np.array([at for at, _, _ in readings], np.int32),
            meter=_coded([name for _, name, _ in readings]),
            opening=_ints([one.opening for _, _, one in readings]),
            shown=_ints([one.shown for _, _, one in readings]),
            closing=_ints([one.closing for _, _, one in readings]),
        ),
        seats=Seats(
            offsets=_offsets([len(one.seats) for one in rounds]),
            round=_owners([len(one.seats) for one in rounds]),
            number=np.array([seat.number for seat in seats], np.int16),
            player=_coded([f"P{seat.player}" for seat in seats]),
            decision=_coded([seat.decision for seat in seats]),
            hands=hands([seat.held if held else seat.hand.cards for seat in seats]),
            discarded=hands([seat.hand.aside for seat in seats]),
            drawn=hands([seat.hand.drawn for seat in seats]),
            stack=_ints([seat.stack for seat in seats]),
            stack_after=_ints([seat.stack_after for seat in seats]),
            won=_ints([seat.won for seat in seats]),
            playing=np.array([seat.playing for seat in seats], np.bool_),
        ),
        stakes=Stakes(
            seat=np.array([at for at, *_ in stakes], np.int32),
            wager=_coded([name for _, name, *_ in stakes], house.names),
            tip=np.array([tip for _, _, tip, _, _ in stakes], np.bool_),
            bonus=np.array([name in bonuses for _, name, *_ in stakes], np.bool_),
            amount=_ints([stake.amount for *_, stake, _ in stakes]),
            paid=_ints([ABSENT if pooled else stake.paid for *_, stake, _ in stakes]),
            taken=_ints(taken),
            claimed=np.array([claimed for *_, claimed in stakes], np.int8),
        ),
        events=events_of([event for part in recorded for event in part], _owners(sizes), count, index, house),
        recorded=np.ones(count, np.bool_),
        unrecorded=np.zeros(count, np.uint64),
        currency=no_names(count),
        context=no_names(count),
    )


def events_of(events: Sequence[Event], owner: Any, rounds: int, index: Mapping[Seat, int], house: House) -> Events:
    """Events as columns: `owner` int32[n] are the rounds they belong to, rising, `index` the numbers of the seats."""
    shown = [event.cards for event in events if event.cards is not None]
    with_cards = np.array([event.cards is not None for event in events], np.bool_)
    return Events(
        offsets=np.searchsorted(owner, np.arange(rounds + 1)).astype(np.int64),
        round=owner,
        kind=np.array([KIND[event.kind] for event in events], np.uint8),
        seat=np.array([ABSENT if event.seat is None else index[event.seat] for event in events], np.int32),
        place=_coded([event.place for event in events], PLACES).codes.astype(np.int8),
        face=_coded([event.face for event in events], FACES).codes.astype(np.int8),
        by=_coded([event.by for event in events], ACTORS).codes.astype(np.int8),
        means=_coded([event.means for event in events], MEANS).codes.astype(np.int8),
        tip=np.array([event.tip for event in events], np.bool_),
        amount=_ints([event.amount for event in events]),
        deck=_coded([event.deck for event in events], house.decks),
        pot=_small([event.pot for event in events], np.int8),
        chips=_small([event.chips for event in events], np.int16),
        cards_row=np.where(with_cards, np.cumsum(with_cards) - 1, ABSENT).astype(np.int32),
        hands=hands(shown),
        wager=_coded([event.wager for event in events], house.names),
        decision=_coded([event.decision for event in events]),
        what=_coded([event.what for event in events]),
        positions=_coded([event.positions for event in events]),
    )


def hands(held: Sequence[Cards | None]) -> Hands:
    """Lists of cards as columns, not recorded where there is none."""
    if _nothing_in(held):
        return no_hands(len(held))
    text = b"".join([_EMPTY * WIDEST_HAND if not one else bytes(one).ljust(WIDEST_HAND, _EMPTY) for one in held])
    cards = np.frombuffer(text, np.uint8).reshape(len(held), WIDEST_HAND).copy()
    return Hands(cards=cards, count=np.array([ABSENT if one is None else len(one) for one in held], np.int16))


def _hands_of(place: str, held: Sequence[Hand], names: Sequence[str]) -> dict[str, Any]:
    """The columns of a place that has a hand in every round."""
    parts = ([one.cards for one in held], [one.aside for one in held], [one.drawn for one in held])
    return {name: hands(part) for name, part in zip(names, parts, strict=False)}


def _nothing_in(column: Sequence[object]) -> bool:
    return column.count(None) == len(column)


def _ints(column: Sequence[int | None]) -> Ints:
    if _nothing_in(column):  # as most columns of rounds in the making
        return no_numbers(len(column))
    return np.array([ABSENT if one is None else one for one in column], np.int64)


def _small(column: Sequence[int | None], dtype: Any) -> Any:
    return _ints(column).astype(dtype)


def _coded(column: Sequence[str | None], names: Sequence[str] = ()) -> Coded:
    """A column of text, whose names are these and what else stands in it."""
    if _nothing_in(column):
        return Coded(codes=np.full(len(column), ABSENT, np.int32), names=tuple(names))
    codes = _Codes(names)
    found = np.fromiter(map(codes.__getitem__, column), np.int32, len(column))
    return Coded(codes=found, names=tuple(codes)[1:])


class _Codes(dict[Any, int]):
    """Codes of names; another name has the next one."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        super().__init__({None: ABSENT} | {name: code for code, name in enumerate(names)})

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self) - 1
        return code


def _offsets(sizes: Sequence[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _owners(sizes: Sequence[int]) -> Any:
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
