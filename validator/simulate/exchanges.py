"""Exchanges of cards between betting rounds: what seats that are still in put away, and what they draw."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.cards.cards import NO_CARD
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import ACTORS, FACES, PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND
from validator.rules.model.game import Game
from validator.simulate.dealing import chosen_of
from validator.simulate.exchanging import as_far_as_cards_go, draw, habits
from validator.simulate.house import House
from validator.simulate.parts import Part, order
from validator.simulate.rounds import Exchanged, Rounds
from validator.simulate.stage import Stage, ranks

_DRAWN = 512
"""Above every rank of a seat: cards are drawn when all have put theirs away."""
_AT_PLAYER = PLACES.index("player")


def exchange_in(house: House, rounds: Rounds, number: int, still_in: Flags, rng: np.random.Generator) -> Rounds:
    """The rounds with one more exchange, which is a stage of the deal, by its place in the game's list: of the seats
    that are `still_in`, bool[seats], each puts away what it tends to and draws as much."""
    stage, held = house.game.deal.stages[number], rounds.held
    most = (stage.exchanges or {}).get("player", 0)
    standing = replace(rounds, hands=held)
    gone = habits(house, standing, rng) & still_in[:, None]
    gone &= np.cumsum(gone, axis=1) <= most
    sequence = np.lexsort((ranks(house, rounds, stage.first), rounds.round))
    gone = as_far_as_cards_go(house, standing, gone, sequence)
    aside = chosen_of(held, gone)
    after = draw(rounds, "player", aside.count.astype(np.int64), sequence)
    exchanged = exchanged_in(number, np.flatnonzero(still_in), held, aside, after.drawn["player"])
    return replace(rounds, used=after.used, exchanges=(*rounds.exchanges, exchanged))


def exchanged_in(number: int, seat: Ints, held: Hands, aside: Hands, drawn: Hands) -> Exchanged:
    """An exchange in which seats put away some of what they `held` and drew others."""
    kept = chosen_of(held, ~(held.cards[:, :, None] == aside.cards[:, None, :]).any(axis=2))
    pool = np.concatenate([kept.cards, drawn.cards], axis=1)
    pool = np.take_along_axis(pool, np.argsort(pool == NO_CARD, axis=1, kind="stable"), axis=1)
    after = Hands(cards=pool[:, :WIDEST_HAND], count=(kept.count + drawn.count).astype(np.int16))
    return Exchanged(stage=number, seat=seat, aside=aside, drawn=drawn, after=after)


def stage_of(game: Game, name: str | None) -> int | None:
    """The stage of the deal with this name, by its place in the list; None unless cards are exchanged in it."""
    return next((number for number in game.deal.exchanging if game.deal.stages[number].stage == name), None)


def tell_exchanged(stage: Stage, kind: str, number: int) -> Iterator[Part]:
    """The events of a kind in the exchange that is this stage of the deal."""
    game = stage.house.game
    rank = ranks(stage.house, stage.rounds, game.deal.stages[number].first)
    for one in stage.rounds.exchanges:
        if one.stage != number:
            continue
        match kind:
            case "decide":
                yield from _words(stage, one, rank)
            case "discard":
                yield _cards(stage, kind, one.aside, order(stage.number, rank, stage.turn, 1))
            case "draw":
                yield _cards(stage, kind, one.drawn, order(stage.number, _DRAWN + rank, stage.turn))


def _words(stage: Stage, exchanged: Exchanged, rank: Ints) -> Iterator[Part]:
    """Who puts cards away says so, and so does who stands pat, as far as the game has words for it."""
    house, gone = stage.house, exchanged.aside.count > 0
    for kind in ("discard", "stand-pat"):
        names = [name for name, one in house.game.decisions.items() if one.kind == kind]
        seat = exchanged.seat[gone[exchanged.seat] == (kind == "discard")]
        if names:
            yield Part(
                kind=KIND["decide"],
                round=stage.rounds.round[seat],
                order=order(stage.number, rank[seat], stage.turn),
                seat=seat,
                decision=house.decisions.index(names[0]),
            )


def _cards(stage: Stage, kind: str, hands: Hands, place: Ints) -> Part:
    seat = np.flatnonzero(hands.count > 0)
    dealer = ACTORS.index("dealer") if stage.by == ABSENT else stage.by
    return Part(
        kind=KIND[kind],
        round=stage.rounds.round[seat],
        order=place[seat],
        seat=seat,
        place=_AT_PLAYER,
        face=FACES.index("down"),
        by=dealer if kind == "draw" else ABSENT,
        cards=Hands(cards=hands.cards[seat], count=hands.count[seat]),
    )
