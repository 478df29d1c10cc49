"""What a game calls the things that formats of hand histories have names of their own for."""

from typing import Annotated

from annotated_types import MaxLen, MinLen
from pydantic import Field

from validator.language.refs import DecisionName, WagerName
from validator.text.models.model import Closed

VariantCode = Annotated[str, MinLen(1), MaxLen(20)]


class HistoryDecisions(Closed):
    """The decision that each act of a hand history is."""

    fold: DecisionName
    """Gives the hand up, `f`."""
    check: DecisionName
    """`cc` where there is nothing to call."""
    call: DecisionName
    """`cc` where there is."""
    bet: DecisionName
    """`cbr` where nobody has bet."""
    raise_: DecisionName
    """`cbr` where somebody has."""
    concede: DecisionName
    """`sm` without cards: the hand is not shown."""
    bring_in: DecisionName | None = None
    """`pb`: posts the bring-in; left out, hands with one are set aside."""
    complete: DecisionName | None = None
    """`cbr` in the first betting round of a hand with a bring-in, where nobody has bet; left out, `bet` or `raise`."""
    discard: DecisionName | None = None
    """`sd`: puts cards away, for which others are drawn; left out, hands in which somebody does are set aside."""
    stand_pat: DecisionName | None = None
    """`sd` without cards; left out, hands in which somebody keeps all cards are set aside."""


class PokerHandHistories(Closed):
    """How hands in the Poker Hand History format (PHH) are told in the words of the game."""

    variants: Annotated[list[VariantCode], MinLen(1)]
    """The codes of the variants that are this game. No other game of the rulebook may have them."""
    antes: WagerName | None = None
    """The wager that antes are; left out, hands with antes are set aside, and so for the others."""
    blinds: list[WagerName] = Field(default_factory=list)
    """The wagers that the first seats after the button post, in order."""
    straddle: WagerName | None = None
    """The wager that a later seat posts towards its bets."""
    dead: WagerName | None = None
    """The wager that is posted without counting towards bets, which the format writes as a negative blind."""
    bets: WagerName
    """The line that bets, calls and raises lie on."""
    decisions: HistoryDecisions
    """The decisions its acts are."""


class Histories(Closed):
    """Formats of other people in which rounds of the game may be recorded."""

    phh: PokerHandHistories | None = None
    """The Poker Hand History format."""
