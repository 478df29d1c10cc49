"""Models that map names of hand-history formats to names of a game."""

from typing import Annotated

from annotated_types import MaxLen, MinLen
from pydantic import Field

from validator.language.refs import DecisionName, WagerName
from validator.text.models.model import ClosedModel

VariantCode = Annotated[str, MinLen(1), MaxLen(20)]


class HistoryDecisions(ClosedModel):
    """The decision of the game for each act of a hand history."""

    fold: DecisionName
    """`f`: folds."""
    check: DecisionName
    """`cc` with nothing to call."""
    call: DecisionName
    """`cc` with a bet to call."""
    bet: DecisionName
    """`cbr` before any bet."""
    raise_: DecisionName
    """`cbr` after a bet."""
    concede: DecisionName
    """`sm` without cards: the hand is not shown."""
    bring_in: DecisionName | None = None
    """`pb`: posts the bring-in. Left out, hands with a bring-in are quarantined."""
    complete: DecisionName | None = None
    """`cbr` before any bet in the first betting round of a hand with a bring-in. Left out, `bet` or `raise`."""
    discard: DecisionName | None = None
    """`sd`: discards cards and draws others. Left out, hands with discards are quarantined."""
    stand_pat: DecisionName | None = None
    """`sd` without cards: keeps all cards. Left out, hands with such an act are quarantined."""


class PokerHandHistories(ClosedModel):
    """Names of the game for hands in the Poker Hand History format (PHH)."""

    variants: Annotated[list[VariantCode], MinLen(1)]
    """Codes of the variants that are this game. No other game of the rulebook may have them."""
    antes: WagerName | None = None
    """The wager for antes. Left out, hands with antes are quarantined. The same applies to the other wagers."""
    blinds: list[WagerName] = Field(default_factory=list)
    """The wagers that the first seats after the button post, in order."""
    straddle: WagerName | None = None
    """The wager that a later seat posts and that counts toward its bets."""
    dead: WagerName | None = None
    """The wager that is posted and does not count toward bets. The format writes it as a negative blind."""
    bets: WagerName
    """The line for bets, calls and raises."""
    decisions: HistoryDecisions
    """The decisions for its acts."""


class Histories(ClosedModel):
    """External formats in which rounds of the game may be recorded."""

    phh: PokerHandHistories | None = None
    """The Poker Hand History format."""
