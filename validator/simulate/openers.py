"""Who opens each betting round of simulated play, where the cards that lie open may decide it."""

from __future__ import annotations

import numpy as np

from validator.arrays import Bits32, Flags
from validator.cards.cards import NO_CARD
from validator.engine.betting.actions_recorded import betting_in
from validator.engine.betting.opens_by_upcards import Served, take_as_served
from validator.engine.betting.replay import opener
from validator.engine.cards.upcards import lay_open
from validator.engine.seats.seat_order import seating
from validator.engine.seats.seat_sets import bit_of, several
from validator.evidence.columns.batch import Hands
from validator.simulate.house import House
from validator.simulate.rounds import Rounds, scope_of


class Openers:
    """The openers of rounds whose cards lie ready to be dealt."""

    def __init__(self, house: House, rounds: Rounds) -> None:
        self._house, self._rounds = house, rounds
        self._scope = scope_of(house, rounds)
        self._faces = np.array([face == "up" for face in house.game.deal.faces("player")], bool)
        self._dealt = 0

    def row_before(self, street: int, players: Bits32, dealt: int) -> Bits32:
        """uint32[rounds]: the row before the one that opens a betting round, `dealt` stages of the deal having come,
        the last of them to `players`, uint32[rounds], those still in."""
        for stage in range(self._dealt, dealt):
            self._deal(stage, players)
        self._dealt = dealt
        row, _ = opener(self._scope, betting_in(self._house.game).rounds[street])
        return row

    def _deal(self, stage: int, players: Bits32) -> None:
        """Lay the cards of a stage on the table."""
        still_in = (players[self._rounds.round] & bit_of(seating(self._scope).row)) != 0
        came = several(players)
        take_as_served(self._scope, stage, Served(came=came, still_in=still_in, told=np.ones_like(came)))
        stages = self._house.game.deal.stages[: stage + 1]
        cards = sum((one.cards or {}).get("player", 0) for one in stages)
        lay_open(self._scope, stage, _open_ones(self._rounds.hands, self._faces[:cards], still_in))


def _open_ones(hands: Hands, faces: Flags, still_in: Flags) -> Hands:
    """Of the first cards of each hand, as many as there are faces, those that lie open."""
    cards = np.where(still_in[:, None], hands.cards[:, : len(faces)][:, faces], np.uint8(NO_CARD))
    return Hands(cards=cards, count=np.where(still_in, cards.shape[1], 0).astype(np.int16))
