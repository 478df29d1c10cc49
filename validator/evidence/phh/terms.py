"""What a game calls the things that a poker hand history tells of: data of the game, which the reader is handed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct


class Exchanging(Struct, frozen=True, kw_only=True):
    """The words of a game in which players put cards away and draw others. A decision that it does not have is None:
    hands in which it is taken are set aside."""

    full: int
    """Of how many cards a hand is: what is dealt beyond is drawn."""
    discard: str | None
    stand_pat: str | None


class Terms(Struct, frozen=True, kw_only=True):
    """The words of one game. A wager that it does not have is None: hands in which one is posted are set aside."""

    game: str
    """The document the game is played under."""
    antes: str | None
    blinds: tuple[str, ...]
    """The wagers of the first seats after the button, in order."""
    straddle: str | None
    """The wager of any later seat that posts, towards its bets."""
    dead: str | None
    """The wager of a seat that posts without it counting towards its bets."""
    bets: str
    """The line that bets, calls and raises lie on."""
    fold: str
    check: str
    call: str
    bet: str
    raise_: str
    concede: str
    """The decision of a player who gives the hand up at the showdown without showing it."""
    bring_in: str | None = None
    complete: str | None = None
    """The decision of a player who makes a full bet where there was none but the bring-in."""
    faces: tuple[Literal["down", "up"], ...] = ()
    """How the cards of a player are dealt, one after the other."""
    exchanging: Exchanging | None = None
    """None where no cards are exchanged."""

    @property
    def opens_cards(self) -> bool:
        """Whether some cards of players lie open, so that it is told in the log when they were dealt."""
        return "up" in self.faces


Variants = Mapping[str, Terms]
"""Terms by the code that hand histories give the variant."""
