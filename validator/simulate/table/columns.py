"""Simulated rounds as a batch of columns, for the interpreter and for logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Ints
from validator.evidence.columns.batch import MOMENT, Batch, Coded, Events, Meters, Seats, Stakes
from validator.evidence.columns.from_values import Numbered, hands, relation
from validator.evidence.columns.tables import rows
from validator.evidence.handlog.event_fields import CHOICES
from validator.evidence.handlog.events import KINDS
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat

_DAY = 86_400 * 10**6
_LISTED = {"kind": KINDS, **CHOICES}


def batch_of(house: House, rounds: Sequence[Round], *, events: bool = True, held: bool = False) -> Batch:
    """Return simulated rounds as a batch.

    Args:
        house: the house.
        rounds: the rounds.
        events: whether the batch has all events; otherwise only the mishaps of the deal.
        held: whether seats have the cards after exchanges between betting rounds; otherwise those that were dealt.
    """
    count, seats = len(rounds), [seat for round_ in rounds for seat in round_.seats]
    index = {seat: at for at, seat in enumerate(seats)}
    recorded = [round_.events if events else round_.mishaps for round_ in rounds]
    time = np.array([round_.time for round_ in rounds], np.int64)
    return relation(
        Batch,
        count,
        {"deck": house.decks},
        file=Coded(codes=np.zeros(count, np.int32), names=("simulated",)),
        game=house.game.game,
        round=tuple([round_.name for round_ in rounds]),
        table=Coded(codes=np.array([round_.table for round_ in rounds], np.int32), names=house.tables),
        casino=Coded(codes=np.zeros(count, np.int32), names=(house.submission.licensee.name,)),
        day=(time // _DAY).astype(np.int32),
        time=time,
        dated=np.full(count, MOMENT, np.uint8),
        offset=np.zeros(count, np.int16),
        number=[round_.count for round_ in rounds],
        deck=[round_.in_play for round_ in rounds],
        complete=np.ones(count, np.bool_),
        dealer=[round_.dealer.cards for round_ in rounds],
        dealer_discarded=[round_.dealer.aside for round_ in rounds],
        dealer_drawn=[round_.dealer.drawn for round_ in rounds],
        community=[round_.community.cards for round_ in rounds],
        community_discarded=[round_.community.aside for round_ in rounds],
        meters=relation(
            Meters,
            sum(len(round_.meters) for round_ in rounds),
            meter=[name for round_ in rounds for name in round_.meters],
            **_tie_to_rounds([len(round_.meters) for round_ in rounds]),
            **_collect_fields(
                [reading for round_ in rounds for reading in round_.meters.values()], "opening", "shown", "closing"
            ),
        ),
        seats=relation(
            Seats,
            len(seats),
            player=[f"P{seat.player}" for seat in seats],
            hands=[seat.held if held else seat.hand.cards for seat in seats],
            discarded=[seat.hand.aside for seat in seats],
            drawn=[seat.hand.drawn for seat in seats],
            **_tie_to_rounds([len(round_.seats) for round_ in rounds]),
            **_collect_fields(seats, "number", "decision", "stack", "stack_after", "won", "playing"),
        ),
        stakes=_collect_stakes(house, seats),
        events=columns_of_events(
            [event for part in recorded for event in part],
            _tie_to_rounds([*map(len, recorded)])["round"],
            count,
            index,
            house,
        ),
        recorded=np.ones(count, np.bool_),
        unrecorded=np.zeros(count, np.uint64),
        **_collect_fields(rounds, "line", "button"),
    )


def _collect_fields(records: Sequence[object], *names: str) -> dict[str, list[Any]]:
    """Return fields of records, each with its values in all of them."""
    return {name: [*map(attrgetter(name), records)] for name in names}


def _collect_stakes(house: House, seats: Sequence[Seat]) -> Stakes:
    """Return the stakes of wagers and bonuses, by seat in the order of the game, tips after the seat's own."""
    bonuses, pooled = house.game.bonuses, house.game.pots is not None
    place = Numbered([(name, tip) for name in house.names for tip in (False, True)])
    entries = [
        (at, place[line], *line, stake)
        for at, seat in enumerate(seats)
        for line, stake in seat.stakes.items()
        if stake.amount > 0 or stake.paid > 0
    ]
    entries.sort()
    owner, _, wager, is_tip, stakes = [[*column] for column in zip(*entries, strict=True)] or [[], [], [], [], []]
    is_bonus = [name in bonuses for name in wager]
    return relation(
        Stakes,
        len(entries),
        {"wager": house.names},
        seat=owner,
        wager=wager,
        tip=is_tip,
        bonus=is_bonus,
        amount=[stake.amount for stake in stakes],
        paid=None if pooled else [stake.paid for stake in stakes],
        taken=None
        if pooled
        else [None if bonus else stake.taken for bonus, stake in zip(is_bonus, stakes, strict=True)],
        claimed=[
            None if tip else seats[at].claims.get(name) for at, name, tip in zip(owner, wager, is_tip, strict=True)
        ],
    )


_MANNER = (*_LISTED, "tip", "deck", "pot", "chips", "wager", "decision", "what", "positions")
_manner_of = attrgetter(*_MANNER)
"""Returns the fields that many events share: all but the seat, the amount and the cards."""


def columns_of_events(
    events: Sequence[Event], owner: Any, rounds: int, index: Mapping[Seat, int], house: House
) -> Events:
    """Return events as columns.

    Args:
        events: the events.
        owner: round of each event, ascending, int32[n].
        rounds: number of rounds.
        index: number of each seat.
        house: the house.
    """
    manners = Numbered()
    which = np.fromiter(map(manners.__getitem__, map(_manner_of, events)), np.int64, len(events))
    seats, cards = ([*map(attrgetter(name), events)] for name in ("seat", "cards"))
    with_cards = np.array([held is not None for held in cards], np.bool_)
    shared = relation(
        Events,
        len(manners.names),
        {**_LISTED, "deck": house.decks, "wager": house.names},
        **{name: [manner[at] for manner in manners.names] for at, name in enumerate(_MANNER)},
    )
    return rows(
        shared,
        which,
        offsets=np.searchsorted(owner, np.arange(rounds + 1)).astype(np.int64),
        round=owner,
        seat=np.array([ABSENT if seat is None else index[seat] for seat in seats], np.int32),
        amount=amounts_of(events),
        cards_row=np.where(with_cards, np.cumsum(with_cards) - 1, ABSENT).astype(np.int32),
        hands=hands([held for held in cards if held is not None]),
    )


def amounts_of(events: Sequence[Event]) -> Ints:
    """Return the amounts of events, ABSENT for an event without one."""
    amounts = map(attrgetter("amount"), events)
    return np.array([ABSENT if amount is None else amount for amount in amounts], np.int64)


def _tie_to_rounds(sizes: Sequence[int]) -> dict[str, Any]:
    """Return the columns that assign rows of a relation to rounds, from the number of rows of each round."""
    owners = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return {"offsets": np.cumsum([0, *sizes], dtype=np.int64), "round": owners}
