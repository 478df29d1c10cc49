"""The actions of a hand history as events of a hand log.

A hand history says what a seat bets or raises *to*, and of a call nothing; what went in is worked out from the bets
before. Nothing is put right here: an act that the rules do not allow is told as it was done.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import isnan, nan
from operator import itemgetter

from msgspec import Struct

from validator.evidence.phh.acts import Act, Acts
from validator.evidence.phh.posting import Posted
from validator.evidence.phh.refusal import HandRefused
from validator.evidence.phh.terms import Terms
from validator.evidence.phh.values import Amount


class Told(Struct, frozen=True, kw_only=True):
    """What the actions of a hand tell: the events as JSON; by player the cards, as far as they are known (None: none
    were dealt), and the total of the bets (a NaN where it is not known); the board; whether the hand is over as far as
    the actions show; and `silent`, the players who had not folded and neither showed nor conceded, where others did."""

    events: list[str]
    cards: list[str | None]
    bets: list[Amount]
    board: str
    over: bool
    silent: list[int]


class Teller:
    """The state of a hand as its actions unfold. Amounts are minor units."""

    __slots__ = ("_acted", "_all_in", "_bets", "_board", "_cards", "_completed", "_events", "_exchanged", "_folded",
                 "_least", "_level", "_put", "_seats", "_shown", "_shown_at", "_stacks", "_terms", "_top")  # fmt: skip

    def __init__(self, terms: Terms, seats: Sequence[int], posted: Posted, bring_in: int | None) -> None:
        """`bring_in` is how much it is, where the hand has one."""
        count = len(seats)
        self._least = bring_in
        self._completed = terms.complete is None or bring_in is None
        """Whether nothing is there to be completed: a bet was made, or the first betting round is over."""
        self._acted = False
        """Whether somebody has acted in the betting round."""
        self._terms = terms
        self._seats = seats
        self._stacks = posted.stacks
        self._put: list[Amount] = posted.put
        self._level = posted.level
        """The bet to be met, as it was posted or raised to."""
        self._top = max(self._put)
        """What the seat that put in most has put in: less than the level while a blind is posted short."""
        self._events = list(posted.events)
        self._cards: list[str | None] = [None] * count
        self._exchanged: dict[int, str] = {}
        """What players hold who have put cards away or drawn some."""
        self._shown: dict[int, str] = {}
        self._shown_at: dict[int, int] = {}
        self._bets: list[Amount] = [0] * count
        self._folded: set[int] = set()
        self._board = ""
        self._all_in = 0 in posted.stacks

    def tell(self, actions: Sequence[str], acts: Acts) -> Told:
        """Go through the actions, which `acts` knows how to read. Raises HandRefused."""
        count = len(self._seats)
        for action in actions:
            act = acts[action]
            if act.player >= count:
                raise HandRefused(f"p{act.player + 1} is no player of this hand", at=action)
            _DONE[act.verb](self, act)
        return self._told()

    def _told(self) -> Told:
        dealt = list(self._cards)
        for player, cards in self._shown.items():
            known = dealt[player]
            if player in self._exchanged:  # shown is what the player drew as well
                continue
            if known is None:
                dealt[player] = cards
            elif "?" in known:
                dealt[player] = _turned_up(known, cards)
            elif len(cards) <= len(known):
                dealt[player] = known + _beyond(known, cards)
        left = len(self._seats) - len(self._folded)
        shown = len(self._shown_at.keys() - self._folded)
        quiet = [player for player in range(len(dealt)) if player not in self._folded and player not in self._shown_at]
        return Told(
            events=[event for event in self._events if event],
            cards=dealt,
            bets=self._bets,
            board=self._board,
            # Where a seat is all in, hands may be shown before the last cards of the board.
            over=left == 1 or (shown == left and not self._all_in),
            silent=quiet if shown else [],
        )

    def _fold(self, act: Act) -> None:
        player = act.player
        self._folded.add(player)
        self._decide(player, self._terms.fold)

    def _check_or_call(self, act: Act) -> None:
        player = act.player
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

    def _bet_or_raise(self, act: Act) -> None:
        player, total = act.player, act.total
        amount = total - self._put[player]
        if amount <= 0:
            label = f"p{player + 1}"
            raise HandRefused(f"{label} bets or raises to no more than it has put in already", at=f"{label} cbr")
        word = self._terms.raise_ if self._level else self._terms.bet
        if not self._completed:
            word, self._completed = self._terms.complete or word, True
        self._pay(player, amount)
        self._level = self._top = total
        self._put[player] = total
        self._decide(player, word, amount)

    def _bring_in(self, act: Act) -> None:
        player = act.player
        word, amount = self._terms.bring_in, self._least
        if word is None or amount is None:
            raise HandRefused("the game, or the hand, has no bring-in", at=f"p{player + 1} pb")
        stack = self._stacks[player]
        paid = amount if amount <= stack else stack
        self._pay(player, paid)
        self._level = self._top = max(self._level, int(self._put[player]))
        self._decide(player, word, paid)

    def _pay(self, player: int, amount: Amount) -> None:
        self._put[player] += amount
        self._bets[player] += amount
        left = self._stacks[player] - amount
        self._stacks[player] = left if not left < 0 else 0
        if not left > 0:
            self._all_in = True

    def _decide(self, player: int, word: str, amount: Amount = nan) -> None:
        self._acted = True
        known = "" if isnan(amount) else f',"amount":{amount}'
        self._events.append(f'{{"event":"decide","seat":{self._seats[player]},"decision":"{word}"{known}}}')

    def _deal_hole(self, act: Act) -> None:
        player, known, terms = act.player, self._cards[act.player] or "", self._terms
        if terms.exchanging is not None and len(known) >= 2 * terms.exchanging.full:
            self._exchanged[player] = self._exchanged.get(player, known) + act.cards
            self._happen("draw", player, act.cards)
            return
        self._cards[player] = known + act.cards
        if terms.opens_cards:
            if self._acted:
                self._end_betting()
            self._tell_faces(player, act.cards, len(known) // 2)

    def _tell_faces(self, player: int, cards: str, before: int) -> None:
        """The cards that lie alike, a packet each, where `before` were dealt ahead of them; those beyond all that a
        player is due lie as the last."""
        faces = self._terms.faces
        dealt = ((faces[min(before + at, len(faces) - 1)], cards[2 * at : 2 * at + 2]) for at in range(len(cards) // 2))
        for face, same in groupby(dealt, itemgetter(0)):
            packet = "".join(card for _, card in same)
            self._happen("deal", player, packet, f',"face":"{face}"')

    def _discard(self, act: Act) -> None:
        player, exchanging = act.player, self._terms.exchanging
        word = None if exchanging is None else exchanging.discard if act.cards else exchanging.stand_pat
        if word is None:
            done = "puts cards away" if act.cards else "stands pat"
            raise HandRefused(f"p{player + 1} {done}, for which the game has no decision", at=f"p{player + 1} sd")
        self._end_betting()
        self._decide(player, word)
        if act.cards:
            known = self._exchanged.get(player, self._cards[player] or "")
            self._exchanged[player] = _less(known, act.cards)
            self._happen("discard", player, act.cards)

    def _end_betting(self) -> None:
        """A betting round is over: the next begins without a bet."""
        self._put = [0] * len(self._put)
        self._level = self._top = 0
        self._acted, self._completed = False, True

    def _happen(self, event: str, player: int, cards: str, more: str = "") -> None:
        seat = self._seats[player]
        self._events.append(f'{{"event":"{event}","place":"player","seat":{seat},"cards":"{cards}"{more}}}')

    def _deal_board(self, act: Act) -> None:
        self._board += act.cards
        self._end_betting()
        self._events.append(f'{{"event":"deal","place":"community","cards":"{act.cards}","face":"up"}}')

    def _show(self, act: Act) -> None:
        player = act.player
        self._forget_shown(player)
        held = self._exchanged.get(player, self._cards[player] or "")
        cards = self._shown[player] = act.cards or held
        self._happen("reveal", player, cards)

    def _muck(self, act: Act) -> None:
        self._forget_shown(act.player)
        self._decide(act.player, self._terms.concede)

    def _forget_shown(self, player: int) -> None:
        """What a player has shown before is said anew."""
        before = self._shown_at.get(player)
        if before is not None:
            self._events[before] = ""
            self._shown.pop(player, None)
        self._shown_at[player] = len(self._events)

    def _nothing(self, act: Act) -> None:
        """A remark changes nothing."""


def _less(held: str, gone: str) -> str:
    """The cards of a hand that are left of it. Where a card goes that nobody saw, it may have been any."""
    left = [held[at : at + 2] for at in range(0, len(held), 2)]
    away = [gone[at : at + 2] for at in range(0, len(gone), 2)]
    for card in away:
        if card in left:
            left.remove(card)
        elif "??" in left:
            left.remove("??")
        elif left:
            left.pop()
    return "".join("??" for _ in left) if "??" in away else "".join(left)


def _turned_up(dealt: str, shown: str) -> str:
    """The cards of a hand that holds some that were dealt unseen, once cards of it are shown: these are among them;
    what is shown beyond is in the hand as well."""
    seen = iter([card for at in range(0, len(shown), 2) if (card := shown[at : at + 2]) not in dealt])
    known = (dealt[at : at + 2] for at in range(0, len(dealt), 2))
    held = "".join(next(seen, card) if card == "??" else card for card in known) + "".join(seen)
    return held + "??" * ((len(shown) - len(held)) // 2)


def _beyond(dealt: str, shown: str) -> str:
    """The cards that are shown and were not dealt: the hand is seen to hold them as well."""
    had = {dealt[at : at + 2] for at in range(0, len(dealt), 2)} | {"??"}
    return "".join(card for at in range(0, len(shown), 2) if (card := shown[at : at + 2]) not in had)


_DONE = (
    Teller._fold,
    Teller._check_or_call,
    Teller._bet_or_raise,
    Teller._deal_board,
    Teller._deal_hole,
    Teller._show,
    Teller._muck,
    Teller._nothing,
    Teller._bring_in,
    Teller._discard,
)
"""What is done for each `Verb`, in its order."""
