"""The events of the deal: packets in the turn of the game, and cards shown on the way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.cards.cards import NO_CARD, UNKNOWN
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import ACTORS, FACES, PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND
from validator.language.terms import Place
from validator.rules.model.deal import Deal, Pass, Way
from validator.rules.model.game import Exposure
from validator.simulate.draws import happens, one_of_each
from validator.simulate.parts import Part, order
from validator.simulate.stage import Stage

_MOST_HANDS = 128
_ANY_CARD = 27720  # a multiple of every number of cards up to the widest packet: each card is as likely


def tell_deal(stage: Stage, rng: np.random.Generator) -> list[Part]:
    """The deal of every round by its way of dealing, with the cards that came to light."""
    dealt = [
        part for number, way in enumerate(stage.house.ways) for part in _by_way(stage, way, stage.rounds.way == number)
    ]
    shown = [
        part for exposure in stage.house.game.irregularities.exposures for part in _shown(stage, dealt, exposure, rng)
    ]
    return dealt + shown


def _by_way(stage: Stage, way: Way, chosen: Flags) -> Iterator[Part]:
    wanted = np.zeros(len(stage.rounds), np.bool_)
    wanted[stage.whole_rounds()] = True
    wanted &= chosen
    dealt: dict[str, int] = {}
    for number, (of_stage, one) in enumerate(_turns(stage.house.game.deal, way)):
        for index, place in enumerate(one.to):
            position = index * _MOST_HANDS
            packet = slice(dealt.get(place, 0), dealt.get(place, 0) + one.each)
            dealt[place] = packet.stop
            if not _tells(stage, of_stage, place):
                continue
            came = wanted & _came(stage, of_stage)
            if place == "burn":
                yield _burnt(stage, way, np.flatnonzero(came), one.each, order(stage.number, number, position))
                continue
            rows = np.flatnonzero(came[stage.rounds.round] if place == "player" else came)
            yield _packets(stage, way, one, place, rows, packet, number, position)


def _turns(deal: Deal, way: Way) -> list[tuple[int, Pass]]:
    """The passes of a way of dealing, each as often as it is gone through, with the number of its stage."""
    name = next(name for name, one in deal.ways.items() if one is way)
    return [
        (number, one.model_copy(update={"face": one.face or stage.face}))
        for number, (stage, part) in enumerate(deal.in_stages(name))
        for one in part.passes
        for _ in range(one.times)
    ]


def _tells(stage: Stage, number: int, place: str) -> bool:
    """Whether a step is about the cards that a place gets in a stage of the deal."""
    step, stages = stage.step, stage.house.game.deal.stages
    if len(stages) == 1:
        return True
    return step.place in (None, place) and step.stage in (None, stages[number].stage)


def _came(stage: Stage, number: int) -> Flags:
    """bool[rounds]: the rounds that got as far as a stage of the deal."""
    bets = stage.rounds.bets
    return np.ones(len(stage.rounds), np.bool_) if bets is None else bets.stages > number


def _burnt(stage: Stage, way: Way, rows: Ints, count: int, place_in_course: int) -> Part:
    """Cards that nobody gets and nobody sees, once a round."""
    cards = np.full((len(rows), WIDEST_HAND), NO_CARD, np.uint8)
    cards[:, :count] = UNKNOWN
    return Part(
        kind=KIND["deal"],
        round=rows.astype(np.int32),
        order=np.full(len(rows), place_in_course),
        place=PLACES.index("burn"),
        face=FACES.index("down"),
        by=ABSENT if way.by is None else ACTORS.index(way.by),
        cards=Hands(cards=cards, count=np.full(len(rows), count, np.int16)),
    )


def _packets(
    stage: Stage, way: Way, one: Pass, place: Place, rows: Ints, packet: slice, number: int, position: int
) -> Part:
    """What the places of one kind receive in one turn: these of their cards. In the last turn they receive all
    that is left: a card too many comes with the last packet, for a card too few that packet is smaller or left
    out."""
    hands = stage.scope.hands_at(place)
    start, each = packet.start, packet.stop - packet.start
    left = np.maximum(hands.count[rows] - start, 0)
    size = left if packet.stop >= way.dealt()[place] else np.minimum(left, each)
    rows, size = rows[size > 0], size[size > 0]
    cards = np.full((len(rows), WIDEST_HAND), NO_CARD, np.uint8)
    width = min(each + 1, WIDEST_HAND - start)
    cards[:, :width] = hands.cards[rows, start : start + width]
    cards[np.arange(WIDEST_HAND) >= size[:, None]] = NO_CARD
    at_seats = place == "player"
    return Part(
        kind=KIND["deal"],
        round=stage.rounds.round[rows] if at_seats else rows.astype(np.int32),
        order=order(stage.number, number, (stage.rank[rows] if at_seats else np.zeros(len(rows), np.int64)) + position),
        seat=rows if at_seats else ABSENT,
        place=PLACES.index(place),
        face=FACES.index(one.face or "down"),
        by=ABSENT if way.by is None else ACTORS.index(way.by),
        cards=Hands(cards=cards, count=size.astype(np.int16)),
    )


def _shown(stage: Stage, dealt: list[Part], exposure: Exposure, rng: np.random.Generator) -> Iterator[Part]:
    """In some rounds one card of one packet is shown right after it is dealt, and turned over again."""
    if not dealt:
        return
    happening = happens(rng, len(stage.rounds), stage.house.simulation.chances.exposure)
    owner = np.concatenate([part.round for part in dealt])
    candidates = np.flatnonzero(happening[owner])
    chosen = one_of_each(rng, candidates, owner[candidates])
    which = rng.integers(0, _ANY_CARD, len(chosen))
    bounds = np.cumsum([0, *(len(part.round) for part in dealt)])
    steps = stage.house.prepared.steps
    for begin, part in zip(bounds[:-1].tolist(), dealt, strict=True):
        ours = (chosen >= begin) & (chosen < begin + len(part.round))
        at = chosen[ours] - begin
        if not len(at) or part.cards is None:
            continue
        card = which[ours] % part.cards.count[at]
        cards = np.full((len(at), WIDEST_HAND), NO_CARD, np.uint8)
        cards[:, 0] = part.cards.cards[at, card]
        for detail, step in enumerate((steps[exposure.shown], steps[exposure.covered]), start=1):
            kind = step.events[0]
            yield Part(
                kind=KIND[kind],
                round=part.round[at],
                order=part.order[at] + detail,
                seat=part.seat[at] if isinstance(part.seat, np.ndarray) else ABSENT,
                place=part.place,
                by=ACTORS.index(step.by or "dealer") if kind == "expose" else ABSENT,
                cards=Hands(cards=cards, count=np.ones(len(at), np.int16)),
            )
