"""Actions of a hand history converted to events of a hand log.

A hand history states the total that a seat bets or raises *to*, and no amount for a call; the amounts put in are
calculated from the earlier bets. Nothing is corrected: an act that the rules do not allow is converted as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from itertools import groupby
from math import isnan, nan
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct

from fairdeal.validator.evidence.handlog.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.handlog.round_record import MOST_SEATS
from fairdeal.validator.evidence.phh import phh_fields
from fairdeal.validator.text.diagnostics import quote

_MOST_KNOWN = 1 << 16
"""Most texts cached at a time."""
_LONGEST = 200
_PLAYERS = {f"p{player + 1}": player for player in range(MOST_SEATS)}
_CARDS = re.compile(rf"(?:[2-9TJQKA][cdhs]|\?\?){{1,{WIDEST_HAND}}}")


class Verb(IntEnum):
    """Kind of an action."""

    FOLD = 0
    CHECK_OR_CALL = 1
    BET_OR_RAISE = 2
    DEAL_BOARD = 3
    DEAL_HOLE = 4
    SHOW = 5
    """Shows the named cards, or those dealt if none are named."""
    MUCK = 6
    NOTHING = 7
    """Remark."""
    BRING_IN = 8
    DISCARD = 9
    """Discards the named cards, or stands pat if none are named."""


class PhhAction(NamedTuple):
    """Action of a hand history."""

    verb: Verb
    """Kind of the action."""
    player: int = 0
    """Player who acts or receives cards, from 0."""
    cards: str = ""
    """Cards of the action."""
    total: int = 0
    """Total of a bet or raise, in minor units."""


class PhhActionCache(dict[str, PhhAction]):
    """Cache of actions by their text. Raises UnreadableHandError for an unreadable action."""

    def __missing__(self, action: str) -> PhhAction:
        act = _parse_action(action)
        if len(self) >= _MOST_KNOWN:
            self.clear()
        if len(action) <= _LONGEST:
            self[action] = act
        return act


def _parse_action(action: str) -> PhhAction:
    match action.partition("#")[0].split():
        case []:
            return PhhAction(Verb.NOTHING)
        case [player, "f"]:
            return PhhAction(Verb.FOLD, _parse_player(player, action))
        case [player, "cc"]:
            return PhhAction(Verb.CHECK_OR_CALL, _parse_player(player, action))
        case [player, "pb"]:
            return PhhAction(Verb.BRING_IN, _parse_player(player, action))
        case [player, "cbr", total]:
            return PhhAction(
                Verb.BET_OR_RAISE, _parse_player(player, action), total=phh_fields.parse_action_amount(total, action)
            )
        case ["d", "db", cards]:
            return PhhAction(Verb.DEAL_BOARD, cards=_parse_cards(cards, action))
        case ["d", "dh", player, cards]:
            return PhhAction(Verb.DEAL_HOLE, _parse_player(player, action), _parse_cards(cards, action))
        case [player, "sd"]:
            return PhhAction(Verb.DISCARD, _parse_player(player, action))
        case [player, "sd", cards]:
            return PhhAction(Verb.DISCARD, _parse_player(player, action), _parse_cards(cards, action))
        case [player, "sm"]:
            return PhhAction(Verb.MUCK, _parse_player(player, action))
        case [player, "sm", cards]:
            return PhhAction(
                Verb.SHOW, _parse_player(player, action), "" if cards == "-" else _parse_cards(cards, action)
            )
        case words:
            raise phh_fields.UnreadableHandError(_describe_unknown(words), at=action)


def _describe_unknown(words: Sequence[str]) -> str:
    return f"unknown action {quote(' '.join(words))}"


def _parse_player(label: str, action: str) -> int:
    try:
        return _PLAYERS[label]
    except KeyError:
        raise phh_fields.UnreadableHandError(f"{quote(label)} is not a player", at=action) from None


def _parse_cards(text: str, action: str) -> str:
    if _CARDS.fullmatch(text) is None:
        raise phh_fields.UnreadableHandError(f"{quote(text)} is not a list of cards", at=action)
    return text


class ParsedHand(Struct, frozen=True, kw_only=True):
    """Result of the actions of a hand."""

    events: list[str]
    """Events as JSON."""
    cards: list[str | None]
    """Known cards of each player; None if no cards were dealt."""
    bets: list[phh_fields.Amount]
    """Total bets of each player; a NaN if unknown."""
    board: str
    """Community cards."""
    over: bool
    """True if the actions show that the hand is over."""
    silent: list[int]
    """Players who had not folded and neither showed nor conceded, although others did."""


class HandConverter:
    """Converter of the actions of one hand, with the state of the hand. Amounts are in minor units."""

    __slots__ = ("_acted", "_all_in", "_bets", "_board", "_cards", "_completed", "_events", "_exchanged", "_folded",
                 "_least", "_level", "_put", "_seats", "_shown", "_shown_at", "_stacks", "_terms", "_top")  # fmt: skip

    def __init__(
        self,
        terms: phh_fields.PhhVocabulary,
        seats: Sequence[int],
        posted: phh_fields.PostedStakes,
        bring_in: int | None,
    ) -> None:
        """Start a hand after its antes and blinds.

        Args:
            terms: the vocabulary of the game.
            seats: the seat number of each player.
            posted: the posted stakes.
            bring_in: the amount of the bring-in, if the hand has one.
        """
        count = len(seats)
        self._least = bring_in
        self._completed = terms.complete is None or bring_in is None
        """True if no bet is left to complete: a bet was made, or the first betting round is over."""
        self._acted = False
        """True if a player has acted in this betting round."""
        self._terms = terms
        self._seats = seats
        self._stacks = posted.stacks
        self._put: list[phh_fields.Amount] = posted.put
        self._level = posted.level
        """Current bet, as posted or raised to."""
        self._top = max(self._put)
        """Most that a seat has put in: less than the current bet while a blind is posted short."""
        self._events = list(posted.events)
        self._cards: list[str | None] = [None] * count
        self._exchanged: dict[int, str] = {}
        """Cards of the players who have discarded or drawn."""
        self._shown: dict[int, str] = {}
        self._shown_at: dict[int, int] = {}
        self._bets: list[phh_fields.Amount] = [0] * count
        self._folded: set[int] = set()
        self._board = ""
        self._all_in = 0 in posted.stacks

    def convert(self, actions: Sequence[str], acts: PhhActionCache) -> ParsedHand:
        """Convert the actions of a hand, as read by `acts`. Raises UnreadableHandError."""
        count = len(self._seats)
        for action in actions:
            act = acts[action]
            if act.player >= count:
                raise phh_fields.UnreadableHandError(f"p{act.player + 1} is not a player of this hand", at=action)
            _HANDLERS[act.verb](self, act)
        return self._summarise()

    def _summarise(self) -> ParsedHand:
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

    def _fold(self, act: PhhAction) -> None:
        player = act.player
        self._folded.add(player)
        self._decide(player, self._terms.fold)

    def _check_or_call(self, act: PhhAction) -> None:
        player = act.player
        put, stack = self._put[player], self._stacks[player]
        owed = self._level - put
        amount = owed if owed <= stack else stack
        if self._top < self._level:
            least = max(self._top - put, 0)
            if (least if least <= stack else stack) != amount:
                # No action states whether a short blind is called at its actual or its full amount.
                amount = nan
        if owed <= 0:
            self._decide(player, self._terms.check)
            return
        self._pay(player, amount)
        self._decide(player, self._terms.call, amount)

    def _bet_or_raise(self, act: PhhAction) -> None:
        player, total = act.player, act.total
        amount = total - self._put[player]
        if amount <= 0:
            label = f"p{player + 1}"
            raise phh_fields.UnreadableHandError(
                f"{label} bets or raises to no more than it has already put in", at=f"{label} cbr"
            )
        word = self._terms.raise_ if self._level else self._terms.bet
        if not self._completed:
            word, self._completed = self._terms.complete or word, True
        self._pay(player, amount)
        self._level = self._top = total
        self._put[player] = total
        self._decide(player, word, amount)

    def _bring_in(self, act: PhhAction) -> None:
        player = act.player
        word, amount = self._terms.bring_in, self._least
        if word is None or amount is None:
            raise phh_fields.UnreadableHandError("the game, or the hand, has no bring-in", at=f"p{player + 1} pb")
        stack = self._stacks[player]
        paid = amount if amount <= stack else stack
        self._pay(player, paid)
        self._level = self._top = max(self._level, int(self._put[player]))
        self._decide(player, word, paid)

    def _pay(self, player: int, amount: phh_fields.Amount) -> None:
        self._put[player] += amount
        self._bets[player] += amount
        left = self._stacks[player] - amount
        self._stacks[player] = left if not left < 0 else 0
        if not left > 0:
            self._all_in = True

    def _decide(self, player: int, word: str, amount: phh_fields.Amount = nan) -> None:
        self._acted = True
        known = "" if isnan(amount) else f',"amount":{amount}'
        self._events.append(f'{{"event":"decide","seat":{self._seats[player]},"decision":"{word}"{known}}}')

    def _deal_hole(self, act: PhhAction) -> None:
        player, known, terms = act.player, self._cards[act.player] or "", self._terms
        if terms.exchanging is not None and len(known) >= 2 * terms.exchanging.full:
            self._exchanged[player] = self._exchanged.get(player, known) + act.cards
            self._add_card_event("draw", player, act.cards)
            return
        self._cards[player] = known + act.cards
        if terms.opens_cards:
            if self._acted:
                self._end_betting()
            self._add_deal(player, act.cards, len(known) // 2)

    def _add_deal(self, player: int, cards: str, before: int) -> None:
        """Add the dealt cards as events, one packet for each run of one face.

        `before` cards were dealt earlier. Cards beyond the regular number have the last face.
        """
        faces = self._terms.faces
        dealt = ((faces[min(before + at, len(faces) - 1)], cards[2 * at : 2 * at + 2]) for at in range(len(cards) // 2))
        for face, same in groupby(dealt, itemgetter(0)):
            packet = "".join(card for _, card in same)
            self._add_card_event("deal", player, packet, f',"face":"{face}"')

    def _discard(self, act: PhhAction) -> None:
        player, exchanging = act.player, self._terms.exchanging
        word = None if exchanging is None else exchanging.discard if act.cards else exchanging.stand_pat
        if word is None:
            done = "discards cards" if act.cards else "stands pat"
            raise phh_fields.UnreadableHandError(
                f"p{player + 1} {done}, but the game has no such decision", at=f"p{player + 1} sd"
            )
        self._end_betting()
        self._decide(player, word)
        if act.cards:
            known = self._exchanged.get(player, self._cards[player] or "")
            self._exchanged[player] = _remove_cards(known, act.cards)
            self._add_card_event("discard", player, act.cards)

    def _end_betting(self) -> None:
        """End a betting round: the next one begins without a bet."""
        self._put = [0] * len(self._put)
        self._level = self._top = 0
        self._acted, self._completed = False, True

    def _add_card_event(self, event: str, player: int, cards: str, more: str = "") -> None:
        seat = self._seats[player]
        self._events.append(f'{{"event":"{event}","place":"player","seat":{seat},"cards":"{cards}"{more}}}')

    def _deal_board(self, act: PhhAction) -> None:
        self._board += act.cards
        self._end_betting()
        self._events.append(f'{{"event":"deal","place":"community","cards":"{act.cards}","face":"up"}}')

    def _show(self, act: PhhAction) -> None:
        player = act.player
        self._forget_shown(player)
        hand = self._exchanged.get(player, self._cards[player] or "")
        cards = self._shown[player] = act.cards or hand
        self._add_card_event("reveal", player, cards)

    def _muck(self, act: PhhAction) -> None:
        self._forget_shown(act.player)
        self._decide(act.player, self._terms.concede)

    def _forget_shown(self, player: int) -> None:
        """Remove an earlier showing of a player, which is repeated now."""
        before = self._shown_at.get(player)
        if before is not None:
            self._events[before] = ""
            self._shown.pop(player, None)
        self._shown_at[player] = len(self._events)

    def _ignore(self, act: PhhAction) -> None:
        """Ignore a remark."""


def _remove_cards(hand: str, removed: str) -> str:
    """Return the cards of a hand without some cards. If a discarded card is unknown, the remaining cards are too."""
    remaining = [hand[at : at + 2] for at in range(0, len(hand), 2)]
    removed_cards = [removed[at : at + 2] for at in range(0, len(removed), 2)]
    for card in removed_cards:
        if card in remaining:
            remaining.remove(card)
        elif "??" in remaining:
            remaining.remove("??")
        elif remaining:
            remaining.pop()
    return "".join("??" for _ in remaining) if "??" in removed_cards else "".join(remaining)


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


_HANDLERS = (
    HandConverter._fold,
    HandConverter._check_or_call,
    HandConverter._bet_or_raise,
    HandConverter._deal_board,
    HandConverter._deal_hole,
    HandConverter._show,
    HandConverter._muck,
    HandConverter._ignore,
    HandConverter._bring_in,
    HandConverter._discard,
)
"""Method for each `Verb`, in the order of its values."""
