"""Recorder of one hand of poker: the vocabulary of its game, the events of its round, and the chips of its players.

Formats of hand histories differ in how they state an act; the recorder is the same for all. Nothing is corrected: an
act that the rules do not allow is recorded as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from math import isnan, nan
from operator import itemgetter
from typing import Literal

from msgspec import Struct, field

from fairdeal.validator.evidence.event_kinds import MAX_AMOUNT

Amount = int | float
"""Amount in minor units: a whole number, `inf` for a stack of unknown size, or a NaN for an amount that cannot be
known."""


class UnreadableHandError(Exception):
    """Hand that cannot be read. The message is the reason."""

    def __init__(self, reason: str, *, at: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
        """Text in the hand at which the fault is; empty if unknown."""


class DrawVocabulary(Struct, frozen=True, kw_only=True):
    """Vocabulary of a draw game. A decision that the game lacks is None: hands with it are quarantined."""

    full: int
    """Number of cards of a hand; further cards are drawn."""
    discard: str | None
    """Decision to discard."""
    stand_pat: str | None
    """Decision to keep all cards."""


class PokerVocabulary(Struct, frozen=True, kw_only=True):
    """Vocabulary of one game. A wager that the game lacks is None: hands in which it is posted are quarantined."""

    game: str
    """Document that governs the game."""
    antes: str | None
    """Wager of an ante."""
    blinds: tuple[str, ...]
    """Wagers of the first seats after the button, in order."""
    straddle: str | None
    """Wager of a later seat that posts towards its bets."""
    dead: str | None
    """Wager of a seat that posts without credit towards its bets."""
    bets: str
    """Wager that bets, calls and raises belong to."""
    fold: str
    """Decision to fold."""
    check: str
    """Decision to check."""
    call: str
    """Decision to call."""
    bet: str
    """Decision to bet."""
    raise_: str
    """Decision to raise."""
    concede: str
    """Decision to give up the hand at the showdown without showing it."""
    bring_in: str | None = None
    """Decision to post the bring-in."""
    complete: str | None = None
    """Decision to complete the bet after a bring-in."""
    faces: tuple[Literal["down", "up"], ...] = ()
    """Face of each card dealt to a player, in order."""
    exchanging: DrawVocabulary | None = None
    """Vocabulary of the draw; None if no cards are exchanged."""

    @property
    def opens_cards(self) -> bool:
        """True if some cards of players are dealt face up, so that the log records when they were dealt."""
        return "up" in self.faces


Variants = Mapping[str, PokerVocabulary]
"""Vocabularies by the variant code of hand histories."""


_NOISE = Decimal("0.000001")
"""Most of a minor unit that is left over by programs that compute in binary fractions, such as 0.30000000000000004."""


def convert_to_minor(amount: Decimal, decimals: int) -> int:
    """Return an amount in minor units.

    Raises UnreadableHandError unless it is finite, not negative and a whole number of minor units.
    """
    if not amount.is_finite() or not 0 <= amount <= MAX_AMOUNT:
        raise UnreadableHandError(f"an amount is not from 0 to {MAX_AMOUNT}")
    minor = amount.scaleb(decimals)
    whole = int(minor + Decimal("0.5"))
    if abs(minor - whole) > _NOISE:
        raise UnreadableHandError(f"{str(amount)[:40]} is not a whole number of minor units")
    if whole > MAX_AMOUNT:
        raise UnreadableHandError(f"an amount is not from 0 to {MAX_AMOUNT} minor units")
    return whole


class PostedStakes(Struct, kw_only=True):
    """Posted stakes of all players, in minor units."""

    stacks: list[Amount]
    """Remaining stack of each player."""
    put: list[Amount]
    """Amount of each player that counts towards the bet."""
    level: int = 0
    """Current bet."""
    stakes: list[dict[str, Amount]]
    """Stakes of each player, by wager."""
    events: list[str] = field(default_factory=list)
    """Events as JSON."""

    def post(self, player: int, seat: int, wager: str, amount: int, *, towards: int) -> None:
        """Post an amount for a player, or the whole stack if that is less.

        Args:
            player: the player, from 0.
            seat: the number of the seat.
            wager: the name of the wager.
            amount: the amount due.
            towards: 1 if the amount counts towards the bet, otherwise 0.
        """
        paid = min(amount, self.stacks[player])
        self.level = max(self.level, amount * towards)
        if not paid and not towards:
            return
        self.stacks[player] -= paid
        self.put[player] += paid * towards
        self.stakes[player][wager] = self.stakes[player].get(wager, 0) + paid
        self.events.append(f'{{"event":"wager","seat":{seat},"wager":"{wager}","amount":{paid}}}')


class ParsedHand(Struct, frozen=True, kw_only=True):
    """Result of the actions of a hand."""

    events: list[str]
    """Events as JSON."""
    cards: list[str | None]
    """Known cards of each player; None if no cards were dealt."""
    bets: list[Amount]
    """Total bets of each player; a NaN if unknown."""
    board: str
    """Community cards."""
    over: bool
    """True if the actions show that the hand is over."""
    silent: list[int]
    """Players who had not folded and neither showed nor conceded, although others did."""


class HandRecorder:
    """Recorder of the acts of one hand, with the state of the hand. Amounts are in minor units."""

    __slots__ = ("_all_in", "_bets", "_board", "_cards", "_events", "_exchanged", "_folded", "_put", "_seats", "_shown",
                 "_shown_at", "_stacks", "_terms")  # fmt: skip

    def __init__(self, terms: PokerVocabulary, seats: Sequence[int], posted: PostedStakes) -> None:
        """Start a hand after its antes and blinds.

        Args:
            terms: the vocabulary of the game.
            seats: the seat number of each player.
            posted: the posted stakes.
        """
        count = len(seats)
        self._terms = terms
        self._seats = seats
        self._stacks = posted.stacks
        self._put: list[Amount] = posted.put
        """Amount of each player in this betting round that counts towards the bet."""
        self._events = list(posted.events)
        self._cards: list[str | None] = [None] * count
        self._exchanged: dict[int, str] = {}
        """Cards of the players who have discarded or drawn."""
        self._shown: dict[int, str] = {}
        self._shown_at: dict[int, int] = {}
        self._bets: list[Amount] = [0] * count
        self._folded: set[int] = set()
        self._board = ""
        self._all_in = 0 in posted.stacks

    def summarise(self) -> ParsedHand:
        """Return the result of the acts."""
        dealt = list(self._cards)
        for player, cards in self._shown.items():
            known = dealt[player]
            if player in self._exchanged:  # the shown cards include drawn ones
                continue
            if known is None:
                dealt[player] = cards
            elif "?" in known:
                dealt[player] = _fill_unseen(known, cards)
            elif len(cards) <= len(known):
                dealt[player] = known + _list_undealt(known, cards)
        left = len(self._seats) - len(self._folded)
        shown = len(self._shown_at.keys() - self._folded)
        quiet = [player for player in range(len(dealt)) if player not in self._folded and player not in self._shown_at]
        return ParsedHand(
            events=[event for event in self._events if event],
            cards=dealt,
            bets=self._bets,
            board=self._board,
            # If a seat is all in, hands may be shown before the last community cards.
            over=left == 1 or (shown == left and not self._all_in),
            silent=quiet if shown else [],
        )

    def fold(self, player: int) -> None:
        """Record a fold."""
        self._folded.add(player)
        self.decide(player, self._terms.fold)

    def pay(self, player: int, amount: Amount) -> None:
        """Put chips of a player into the pot."""
        self._put[player] += amount
        self._bets[player] += amount
        left = self._stacks[player] - amount
        self._stacks[player] = left if not left < 0 else 0
        if not left > 0:
            self._all_in = True

    def decide(self, player: int, word: str, amount: Amount = nan) -> None:
        """Record a decision, with what was put in unless it is not known."""
        known = "" if isnan(amount) else f',"amount":{amount}'
        self._events.append(f'{{"event":"decide","seat":{self._seats[player]},"decision":"{word}"{known}}}')

    def hold(self, player: int, cards: str) -> None:
        """Add cards to the hand of a player."""
        self._cards[player] = (self._cards[player] or "") + cards

    def add_deal(self, player: int, cards: str, before: int) -> None:
        """Add the dealt cards as events, one packet for each run of one face.

        `before` cards were dealt earlier. Cards beyond the regular number have the last face.
        """
        faces = self._terms.faces
        dealt = ((faces[min(before + at, len(faces) - 1)], cards[2 * at : 2 * at + 2]) for at in range(len(cards) // 2))
        for face, same in groupby(dealt, itemgetter(0)):
            packet = "".join(card for _, card in same)
            self.add_card_event("deal", player, packet, f',"face":"{face}"')

    def add_card_event(self, event: str, player: int, cards: str, more: str = "") -> None:
        """Record an event about cards of a player."""
        seat = self._seats[player]
        self._events.append(f'{{"event":"{event}","place":"player","seat":{seat},"cards":"{cards}"{more}}}')

    def deal_board(self, cards: str) -> None:
        """Record community cards, which end a betting round."""
        self._board += cards
        self.end_betting()
        self._events.append(f'{{"event":"deal","place":"community","cards":"{cards}","face":"up"}}')

    def end_betting(self) -> None:
        """End a betting round: the next one begins without a bet."""
        self._put = [0] * len(self._put)

    def show(self, player: int, cards: str) -> None:
        """Record that a player shows cards; if none are named, all."""
        self._forget_shown(player)
        hand = self._exchanged.get(player, self._cards[player] or "")
        shown = self._shown[player] = cards or hand
        self.add_card_event("reveal", player, shown)

    def concede(self, player: int) -> None:
        """Record that a player gives up the hand at the showdown."""
        self._forget_shown(player)
        self.decide(player, self._terms.concede)

    def _forget_shown(self, player: int) -> None:
        """Remove an earlier showing of a player, which is repeated now."""
        before = self._shown_at.get(player)
        if before is not None:
            self._events[before] = ""
            self._shown.pop(player, None)
        self._shown_at[player] = len(self._events)


def _fill_unseen(dealt: str, shown: str) -> str:
    """Return a hand that was dealt partly unseen, after some of its cards are shown. Additional shown cards belong to
    it too."""
    seen = iter([card for at in range(0, len(shown), 2) if (card := shown[at : at + 2]) not in dealt])
    known = (dealt[at : at + 2] for at in range(0, len(dealt), 2))
    filled = "".join(next(seen, card) if card == "??" else card for card in known) + "".join(seen)
    return filled + "??" * ((len(shown) - len(filled)) // 2)


def _list_undealt(dealt: str, shown: str) -> str:
    """Return the shown cards that were not dealt: the hand holds them as well."""
    had = {dealt[at : at + 2] for at in range(0, len(dealt), 2)} | {"??"}
    return "".join(card for at in range(0, len(shown), 2) if (card := shown[at : at + 2]) not in had)
