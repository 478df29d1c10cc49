"""Round of poker as a line of a hand log: the record that every format of hand histories becomes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec

from fairdeal.validator.evidence.columns.recorded_events import DEAL_ORDER, KINDS_OF_PLAY
from fairdeal.validator.evidence.handlog.log_events import KINDS
from fairdeal.validator.evidence.poker.poker_vocabulary import Amount, PokerVocabulary

_ENCODE = msgspec.json.Encoder().encode


class PokerStake(msgspec.Struct, frozen=True, gc=False):
    """Stake of a seat, in minor units."""

    wager: str
    amount: Amount


class PokerSeat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="kebab"):
    """Seat that takes part in a round. Amounts are in minor units; None is not recorded."""

    seat: int
    wagers: list[PokerStake]
    player: str | None = None
    cards: str | None = None
    stack: Amount | None = None
    stack_after: Amount | None = None
    won: Amount | None = None

    def has_won(self) -> bool:
        """Return whether the seat is known to have won chips."""
        if self.stack is not None and self.stack_after is not None:
            return bool(self.stack_after > self.stack - sum(stake.amount for stake in self.wagers))
        return bool((self.won or 0) > 0)


class PokerRound(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="kebab"):
    """Round of poker. Amounts are in minor units; None is not recorded."""

    round: str
    table: str
    time: str
    game: str
    currency: str | None = None
    button: int
    seats: list[PokerSeat]
    community: str
    unrecorded: msgspec.Raw
    """Kinds of event that the source does not record, as JSON."""
    small_bet: int | None = None
    big_bet: int | None = None
    complete: bool | None = None
    """False if the record stops before the end of the round."""
    context: dict[str, str] | None = None


@cache
def list_unrecorded(
    terms: PokerVocabulary, *, showing: bool, rake: bool = False, returned: bool = False
) -> msgspec.Raw:
    """List, as JSON, the kinds of event that hands of a game do not record.

    Args:
        terms: the vocabulary of the game.
        showing: True if the hand records every showing of cards.
        rake: True if the hand states its rake.
        returned: True if the hand states what went back of a bet that nobody met.
    """
    # The formats have no void hands: a recorded hand was played.
    recorded = {"misdeal", *KINDS_OF_PLAY}
    if terms.exchanging is None:
        recorded -= {"discard", "draw"}
    recorded |= {"rake"} if rake else set()
    recorded |= {"return"} if returned else set()
    kinds = [kind for kind in KINDS if kind not in recorded]
    dealt = ["deal/dealer", "deal/burn", DEAL_ORDER if terms.opens_cards else "deal/player"]
    return msgspec.Raw(_ENCODE(kinds + dealt + ([] if showing else ["reveal"])))


def encode_round(record: PokerRound, events: Sequence[str]) -> bytes:
    """Encode a round with its events, each as JSON, as a line of a hand log."""
    return b'%b,"events":[%b]}' % (_ENCODE(record)[:-1], ",".join(events).encode())
