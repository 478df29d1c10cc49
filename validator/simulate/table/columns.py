"""Rounds in the making as a batch of columns, for the interpreter to be asked about them and for logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from msgspec.structs import replace

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
    readings = [(at, name, one) for at, round_ in enumerate(rounds) for name, one in round_.meters.items()]
    time = _ints([one.time for one in rounds])
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
        stakes=_stakes_of(house, seats),
        events=events_of([event for part in recorded for event in part], _owners(sizes), count, index, house),
        recorded=np.ones(count, np.bool_),
        unrecorded=np.zeros(count, np.uint64),
        currency=no_names(count),
        context=no_names(count),
    )


def _stakes_of(house: House, seats: Sequence[Seat]) -> Stakes:
    """What lies on wagers and bonuses, seat by seat in the order of the game's, those for the dealer after the own."""
    bonuses, pooled = house.game.bonuses, house.game.pots is not None
    place = _Codes([(name, tip) for name in house.names for tip in (False, True)])
    found = [
        (at, place[line], *line, stake)
        for at, seat in enumerate(seats)
        for line, stake in seat.stakes.items()
        if stake.amount > 0 or stake.paid > 0
    ]
    found.sort()
    owner, _, names, tips, stakes = zip(*found, strict=True) if found else ((),) * 5
    claims = [seats[at].claims for at in owner]
    return Stakes(
        seat=np.array(owner, np.int32),
        wager=_coded(names, house.names),
        tip=np.array(tips, np.bool_),
        bonus=np.array([name in bonuses for name in names], np.bool_),
        amount=_ints([one.amount for one in stakes]),
        paid=_ints([None if pooled else one.paid for one in stakes]),
        taken=_ints(
            [None if pooled or name in bonuses else one.taken for name, one in zip(names, stakes, strict=True)]
        ),
        claimed=np.array(
            [ABSENT if tip else one.get(name, ABSENT) for name, tip, one in zip(names, tips, claims, strict=True)],
            np.int8,
        ),
    )


_MANNER = (
    "kind",
    "place",
    "face",
    "by",
    "means",
    "tip",
    "deck",
    "pot",
    "chips",
    "wager",
    "decision",
    "what",
    "positions",
)
_manner_of = attrgetter(*_MANNER)
"""What many events have in common: all but the seat, the amount and the cards."""


def events_of(events: Sequence[Event], owner: Any, rounds: int, index: Mapping[Seat, int], house: House) -> Events:
    """Events as columns: `owner` int32[n] are the rounds they belong to, rising, `index` the numbers of the seats."""
    cards = [event.cards for event in events]
    with_cards = np.array([one is not None for one in cards], np.bool_)
    manners = _Codes()
    which = np.fromiter(map(manners.__getitem__, map(_manner_of, events)), np.int32, len(events))
    of = dict(zip(_MANNER, zip(*manners.names, strict=True) if events else ((),) * len(_MANNER), strict=True))

    def text(name: str, names: Sequence[str] = ()) -> Coded:
        coded = _coded(of[name], names)
        return replace(coded, codes=coded.codes[which])

    return Events(
        offsets=np.searchsorted(owner, np.arange(rounds + 1)).astype(np.int64),
        round=owner,
        kind=np.array([KIND[kind] for kind in of["kind"]], np.uint8)[which],
        seat=np.array([ABSENT if event.seat is None else index[event.seat] for event in events], np.int32),
        place=text("place", PLACES).codes.astype(np.int8),
        face=text("face", FACES).codes.astype(np.int8),
        by=text("by", ACTORS).codes.astype(np.int8),
        means=text("means", MEANS).codes.astype(np.int8),
        tip=np.array(of["tip"], np.bool_)[which],
        amount=_ints([event.amount for event in events]),
        deck=text("deck", house.decks),
        pot=_small(of["pot"], np.int8)[which],
        chips=_small(of["chips"], np.int16)[which],
        cards_row=np.where(with_cards, np.cumsum(with_cards) - 1, ABSENT).astype(np.int32),
        hands=hands([one for one in cards if one is not None]),
        wager=text("wager", house.names),
        decision=text("decision"),
        what=text("what"),
        positions=text("positions"),
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
    return Coded(codes=found, names=codes.names)


class _Codes(dict[Any, int]):
    """Codes of names; another name has the next one."""

    def __init__(self, names: Sequence[Any] = ()) -> None:
        super().__init__({None: ABSENT} | {name: code for code, name in enumerate(names)})

    def __missing__(self, name: Any) -> int:
        code = self[name] = len(self) - 1
        return code

    @property
    def names(self) -> tuple[Any, ...]:
        """The names in the order of their codes."""
        return tuple(self)[1:]


def _offsets(sizes: Sequence[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _owners(sizes: Sequence[int]) -> Any:
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
