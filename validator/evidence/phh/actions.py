"""The actions of a hand history as events of a hand log.

A hand history says what a seat bets or raises *to*, and of a call nothing; what went in is worked out from the bets
before. Nothing is put right here: an act that the rules do not allow is told as it was done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

from validator.evidence.events import WIDEST_HAND
from validator.evidence.handlog import MOST_SEATS
from validator.evidence.phh.posting import Posted
from validator.evidence.phh.refused import HandRefused
from validator.evidence.phh.terms import Terms
from validator.evidence.phh.values import Amount, said_amount
from validator.text.visible import quoted

_LABELS = tuple({f"p{player + 1}": player for player in range(count)} for count in range(MOST_SEATS + 1))
_CARDS = re.compile(rf"(?:[2-9TJQKA][cdhs]|\?\?){{1,{WIDEST_HAND}}}")
_DEALER = "d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the actions of a hand tell: the events as JSON; by player the cards, as far as they are known (None: none
    were dealt), and the total of the bets (a NaN where it is not known); the board; and whether the hand is over as
    far as the actions show."""

    events: list[str]
    cards: list[str | None]
    bets: list[Amount]
    board: str
    over: bool


class Teller:
    """The state of a hand as its actions unfold. Amounts are minor units."""

    __slots__ = ("_all_in", "_bets", "_board", "_cards", "_events", "_folded",
                 "_labels", "_level", "_put", "_seats", "_shown", "_shown_at", "_stacks", "_terms", "_top")  # fmt: skip

    def __init__(self, terms: Terms, seats: Sequence[int], posted: Posted) -> None:
        count = len(seats)
        self._terms = terms
        self._seats = seats
        self._labels = _LABELS[count]
        self._stacks = posted.stacks
        self._put: list[Amount] = posted.put
        self._level = posted.level
        """The bet to be met, as it was posted or raised to."""
        self._top = max(self._put)
        """What the seat that put in most has put in: less than the level while a blind is posted short."""
        self._events = list(posted.events)
        self._cards: list[str | None] = [None] * count
        self._shown: dict[int, str] = {}
        self._shown_at: dict[int, int] = {}
        self._bets: list[Amount] = [0] * count
        self._folded: set[int] = set()
        self._board = ""
        self._all_in = False

    def tell(self, actions: Sequence[str]) -> Told:
        """Go through the actions. Raises HandRefused."""
        acts = {"f": self._fold, "cc": self._check_or_call}
        for action in actions:
            words = (action.partition("#")[0] if "#" in action else action).split()
            count = len(words)
            if count == 2 and words[1] in acts:
                acts[words[1]](self._player(words[0], action))
            elif count == 3 and words[1] == "cbr":
                self._bet_or_raise(self._player(words[0], action), said_amount(words[2], action))
            elif count:
                self._rest(words, action)
        return self._told()

    def _told(self) -> Told:
        dealt = list(self._cards)
        for player, cards in self._shown.items():
            if "?" in (dealt[player] or "?"):
                dealt[player] = cards
        left = len(self._seats) - len(self._folded)
        shown = len(self._shown_at.keys() - self._folded)
        return Told(
            events=[event for event in self._events if event],
            cards=dealt,
            bets=self._bets,
            board=self._board,
            # Where a seat is all in, hands may be shown before the last cards of the board.
            over=left == 1 or (shown == left and not self._all_in),
        )

    def _player(self, label: str, action: str) -> int:
        try:
            return self._labels[label]
        except KeyError:
            raise HandRefused(f"the action {quoted(action)} is of no player of this hand", at=action) from None

    def _fold(self, player: int) -> None:
        self._folded.add(player)
        self._decide(player, self._terms.fold)

    def _check_or_call(self, player: int) -> None:
        put, stack = self._put[player], self._stacks[player]
        owed = self._level - put
        amount = owed if owed <= stack else stack
        if self._top < self._level:
            least = max(self._top - put, 0)
            if (least if least <= stack else stack) != amount:
                # No action says whether a blind that is posted short is called for what it is or what it should be.
                amount = nan
        if owed <= 0:
            self._decide(player, self._terms.check)
            return
        self._pay(player, amount)
        self._decide(player, self._terms.call, amount)

    def _bet_or_raise(self, player: int, total: int) -> None:
        amount = total - self._put[player]
        if amount <= 0:
            label = f"p{player + 1}"
            raise HandRefused(f"{label} bets or raises to no more than it has put in already", at=f"{label} cbr")
        word = self._terms.raise_ if self._level else self._terms.bet
        self._pay(player, amount)
        self._level = self._top = total
        self._put[player] = total
        self._decide(player, word, amount)

    def _pay(self, player: int, amount: Amount) -> None:
        self._put[player] += amount
        self._bets[player] += amount
        left = self._stacks[player] - amount
        self._stacks[player] = left if not left < 0 else 0
        if not left > 0:
            self._all_in = True

    def _decide(self, player: int, word: str, amount: Amount = nan) -> None:
        known = "" if isnan(amount) else f',"amount":{amount}'
        self._events.append(f'{{"event":"decide","seat":{self._seats[player]},"decision":"{word}"{known}}}')

    def _rest(self, words: Sequence[str], action: str) -> None:
        """An action that is neither a fold, a check, a call, a bet nor a raise."""
        rest = words[2:]
        if words[0] == _DEALER and words[1:2] == ["db"] and len(rest) == 1:
            self._deal_board(_cards(rest[0], action))
        elif words[0] == _DEALER and words[1:2] == ["dh"] and len(rest) == 2:
            player = self._player(rest[0], action)
            self._cards[player] = (self._cards[player] or "") + _cards(rest[1], action)
        elif words[1:2] == ["sm"] and len(rest) <= 1:
            self._show_or_concede(self._player(words[0], action), rest, action)
        else:
            raise HandRefused(f"the action {quoted(action)} is not known here", at=action)

    def _deal_board(self, cards: str) -> None:
        self._board += cards
        self._put = [0] * len(self._put)
        self._level = self._top = 0
        self._events.append(f'{{"event":"deal","place":"community","cards":"{cards}","face":"up"}}')

    def _show_or_concede(self, player: int, rest: Sequence[str], action: str) -> None:
        before = self._shown_at.get(player)
        if before is not None:  # what was said before is said anew
            self._events[before] = ""
            self._shown.pop(player, None)
        self._shown_at[player] = len(self._events)
        if not rest:
            self._decide(player, self._terms.concede)
            return
        cards = (self._cards[player] or "") if rest[0] == "-" else _cards(rest[0], action)
        self._shown[player] = cards
        seat = self._seats[player]
        self._events.append(f'{{"event":"reveal","place":"player","seat":{seat},"cards":"{cards}"}}')


def _cards(text: str, action: str) -> str:
    if _CARDS.fullmatch(text) is None:
        raise HandRefused(f"{quoted(text)} are no cards", at=action)
    return text
