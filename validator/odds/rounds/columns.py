"""Sample rounds for the interpreter: one seat each, with given cards, stakes and decisions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import Codes, Flags, Ints32
from validator.cards.cards import CARDS, NO_CARD
from validator.cards.cards import UNKNOWN as NOT_KNOWN
from validator.engine.compiled.game import Prepared
from validator.evidence.columns.batch import UNDATED, Batch, Coded, Events, Hands, Meters, Seats, Stakes
from validator.evidence.columns.from_values import relation
from validator.evidence.columns.recorded_kinds import mask_at
from validator.evidence.handlog.event_values import WIDEST_HAND
from validator.evidence.handlog.events import KIND
from validator.language.terms import Place


class MadeUp(Struct, frozen=True, kw_only=True):
    """Sample rounds of one seat, with the same stakes and decisions. Rows of cards are padded with NO_CARD."""

    dealt: Mapping[Place, Codes]
    """Cards of each place, uint8[n, k]."""
    stakes: Mapping[str, int]
    """Stakes of the seat on each wager, in minor units."""
    decisions: tuple[str, ...] = ()
    """Decisions of the seat, in order."""
    discarded: Mapping[Place, Codes] = field(default_factory=dict)
    """Cards discarded at each place; a missing place discards none."""
    drawn: Mapping[Place, Codes] = field(default_factory=dict)
    """Cards drawn at each place."""
    meters: Mapping[str, int] = field(default_factory=dict)
    """Readings of the meters when awards are made, in minor units."""


def cards_not_known(prepared: Prepared) -> dict[Place, Codes]:
    """Return a regular deal with unknown cards. A condition that is certain for it is certain for every deal."""
    return {place: np.full((1, count), NOT_KNOWN, np.uint8) for place, count in prepared.game.deal.cards.items()}


def batch_of(prepared: Prepared, rounds: MadeUp, dealing: str | None = None, unrecorded: int = 0) -> Batch:
    """Return sample rounds as a batch of regular rounds.

    Seats that may declare a win have declared it. The batch has no events, except for several decisions of a seat.

    Args:
        prepared: the game.
        rounds: the sample rounds.
        dealing: way of dealing; None for the first of the game.
        unrecorded: mask of the kinds of event whose absence proves nothing.
    """
    rounds = _add_set_aside(prepared, rounds, dealing)
    count = len(next(iter(rounds.dealt.values())))
    stakes, meters = list(rounds.stakes.items()), list(rounds.meters.items())
    every = np.arange(count, dtype=np.int32)
    return relation(
        Batch,
        count,
        file=_repeat("odds", count),
        game=prepared.game.game,
        round=("",) * count,
        line=np.arange(1, count + 1),
        day=np.zeros(count, np.int32),
        time=np.zeros(count, np.int64),
        dated=np.full(count, UNDATED, np.uint8),
        offset=np.zeros(count, np.int16),
        complete=np.ones(count, np.bool_),
        dealer=_make_hands(rounds.dealt.get("dealer")),
        dealer_discarded=_make_exchanged(rounds.discarded.get("dealer"), count),
        dealer_drawn=None
        if unrecorded & mask_at(["draw"], "dealer")
        else _make_exchanged(rounds.drawn.get("dealer"), count),
        community=_make_hands(rounds.dealt.get("community")),
        community_discarded=_make_exchanged(rounds.discarded.get("community"), count),
        meters=relation(
            Meters,
            count * len(meters),
            offsets=np.arange(count + 1) * len(meters),
            round=np.repeat(every, len(meters)),
            meter=Coded(
                codes=np.tile(np.arange(len(meters), dtype=np.int32), count), names=tuple(name for name, _ in meters)
            ),
            shown=np.tile(np.array([reads for _, reads in meters], np.int64), count),
        ),
        seats=relation(
            Seats,
            count,
            offsets=np.arange(count + 1),
            round=every,
            number=np.ones(count, np.int16),
            player=_repeat("player", count),
            decision=_repeat(rounds.decisions[0], count) if len(rounds.decisions) == 1 else None,
            hands=_make_hands(rounds.dealt.get("player")),
            discarded=_make_exchanged(rounds.discarded.get("player"), count),
            drawn=_make_drawn(rounds, "player", unrecorded),
            playing=np.ones(count, np.bool_),
        ),
        stakes=_make_stakes(every, stakes),
        events=_record_decisions(every, rounds.decisions),
        recorded=np.ones(count, np.bool_),
        unrecorded=np.full(count, unrecorded, np.uint64),
    )


def _add_set_aside(prepared: Prepared, rounds: MadeUp, dealing: str | None) -> MadeUp:
    """Return the rounds with the cards that the way of dealing sets aside, dealt and discarded."""
    ways = prepared.game.deal.ways
    way = ways.get(dealing or "", next(iter(ways.values())))
    dealt, aside, used = dict(rounds.dealt), dict(rounds.discarded), [*rounds.dealt.values(), *rounds.drawn.values()]
    for place in rounds.dealt:
        set_aside = way.set_aside.get(place, [])
        if not set_aside:
            continue
        others = _take_other_cards(used, len(set_aside))
        cards = np.full((len(others), way.dealt()[place]), NO_CARD, np.uint8)
        stays = [at for at in range(cards.shape[1]) if at not in set_aside]
        cards[:, stays[: rounds.dealt[place].shape[1]]] = rounds.dealt[place][:, : len(stays)]
        cards[:, set_aside] = others
        dealt[place], aside[place] = cards, others
        used.append(others)
    return replace(rounds, dealt=dealt, discarded=aside)


def _take_other_cards(used: list[Codes], number: int) -> Codes:
    """Return cards of the deck that no place has, a row for each deal; unknown cards if some are unknown."""
    cards = np.concatenate(used, axis=1)
    known = ((cards < CARDS) | (cards == NO_CARD)).all(axis=1)
    free = np.ones((len(cards), CARDS + 1), np.bool_)
    np.put_along_axis(free, np.minimum(cards, CARDS).astype(np.int64), False, axis=1)
    rest = np.argsort(~free[:, :CARDS], axis=1, kind="stable")[:, :number].astype(np.uint8)
    return np.where(known[:, None], rest, np.uint8(NOT_KNOWN))


def _record_decisions(every: Ints32, decisions: tuple[str, ...]) -> Events:
    """Return an event for each decision if there are several, as a summary names only one."""
    number, rounds = len(decisions) if len(decisions) > 1 else 0, len(every)
    if not number:
        return relation(Events, 0, offsets=np.zeros(rounds + 1, np.int64))
    names = tuple(dict.fromkeys(decisions))
    return relation(
        Events,
        number * rounds,
        offsets=np.arange(rounds + 1) * number,
        round=np.repeat(every, number),
        seat=np.repeat(every, number),
        kind=np.full(number * rounds, KIND["decide"], np.uint8),
        decision=Coded(codes=np.tile(np.array([*map(names.index, decisions)], np.int32), rounds), names=names),
    )


def _make_stakes(every: Ints32, stakes: list[tuple[str, int]]) -> Stakes:
    number, rows = len(stakes), len(every) * len(stakes)
    no: Flags = np.zeros(rows, np.bool_)
    return relation(
        Stakes,
        rows,
        seat=np.repeat(every, number),
        wager=Coded(
            codes=np.tile(np.arange(number, dtype=np.int32), len(every)), names=tuple(name for name, _ in stakes)
        ),
        tip=no,
        bonus=no,
        amount=np.tile(np.array([amount for _, amount in stakes], np.int64), len(every)),
        claimed=np.ones(rows, np.int8),
    )


def _make_hands(cards: Codes | None) -> Hands | None:
    """Return cards of a place as columns; None if the place has no cards."""
    return None if cards is None else _pad_hands(cards)


def _make_exchanged(cards: Codes | None, count: int) -> Hands:
    return _pad_hands(np.zeros((count, 0), np.uint8) if cards is None else cards)


def _make_drawn(rounds: MadeUp, place: Place, unrecorded: int) -> Hands | None:
    count = len(next(iter(rounds.dealt.values())))
    return None if unrecorded & mask_at(["draw"], place) else _make_exchanged(rounds.drawn.get(place), count)


def _pad_hands(cards: Codes) -> Hands:
    count, width = cards.shape
    wide = np.full((count, max(WIDEST_HAND, width)), NO_CARD, np.uint8)
    wide[:, :width] = cards
    return Hands(cards=wide, count=(cards != NO_CARD).sum(axis=1).astype(np.int16))


def _repeat(text: str, count: int) -> Coded:
    return Coded(codes=np.zeros(count, np.int32), names=(text,))
