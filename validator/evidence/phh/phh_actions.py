"""Actions of a hand history converted to events of a hand log.

A hand history states the total that a seat bets or raises *to*, and no amount for a call; the amounts put in are
calculated from the earlier bets. Nothing is corrected: an act that the rules do not allow is converted as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from math import nan
from typing import NamedTuple

from fairdeal.validator.evidence.handlog.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.handlog.round_record import MOST_SEATS
from fairdeal.validator.evidence.phh import phh_fields
from fairdeal.validator.evidence.poker.hand_recorder import HandRecorder, ParsedHand, PostedStakes
from fairdeal.validator.evidence.poker.poker_vocabulary import Amount, PokerVocabulary, UnreadableHandError
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
            raise UnreadableHandError(_describe_unknown(words), at=action)


def _describe_unknown(words: Sequence[str]) -> str:
    return f"unknown action {quote(' '.join(words))}"


def _parse_player(label: str, action: str) -> int:
    try:
        return _PLAYERS[label]
    except KeyError:
        raise UnreadableHandError(f"{quote(label)} is not a player", at=action) from None


def _parse_cards(text: str, action: str) -> str:
    if _CARDS.fullmatch(text) is None:
        raise UnreadableHandError(f"{quote(text)} is not a list of cards", at=action)
    return text


class HandConverter(HandRecorder):
    """Converter of the actions of one hand, with the state of the hand. Amounts are in minor units."""

    __slots__ = ("_acted", "_completed", "_least", "_level", "_top")

    def __init__(
        self,
        terms: PokerVocabulary,
        seats: Sequence[int],
        posted: PostedStakes,
        bring_in: int | None,
    ) -> None:
        """Start a hand after its antes and blinds.

        Args:
            terms: the vocabulary of the game.
            seats: the seat number of each player.
            posted: the posted stakes.
            bring_in: the amount of the bring-in, if the hand has one.
        """
        super().__init__(terms, seats, posted)
        self._least = bring_in
        self._completed = terms.complete is None or bring_in is None
        """True if no bet is left to complete: a bet was made, or the first betting round is over."""
        self._acted = False
        """True if a player has acted in this betting round."""
        self._level = posted.level
        """Current bet, as posted or raised to."""
        self._top = max(self._put)
        """Most that a seat has put in: less than the current bet while a blind is posted short."""

    def convert(self, actions: Sequence[str], acts: PhhActionCache) -> ParsedHand:
        """Convert the actions of a hand, as read by `acts`. Raises UnreadableHandError."""
        count = len(self._seats)
        for action in actions:
            act = acts[action]
            if act.player >= count:
                raise UnreadableHandError(f"p{act.player + 1} is not a player of this hand", at=action)
            _HANDLERS[act.verb](self, act)
        return self.summarise()

    def decide(self, player: int, word: str, amount: Amount = nan) -> None:
        """Record a decision in this betting round."""
        self._acted = True
        super().decide(player, word, amount)

    def end_betting(self) -> None:
        """End a betting round: the next one begins without a bet."""
        super().end_betting()
        self._level = self._top = 0
        self._acted, self._completed = False, True

    def _fold(self, act: PhhAction) -> None:
        self.fold(act.player)

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
            self.decide(player, self._terms.check)
            return
        self.pay(player, amount)
        self.decide(player, self._terms.call, amount)

    def _bet_or_raise(self, act: PhhAction) -> None:
        player, total = act.player, act.total
        amount = total - self._put[player]
        if amount <= 0:
            label = f"p{player + 1}"
            raise UnreadableHandError(
                f"{label} bets or raises to no more than it has already put in", at=f"{label} cbr"
            )
        word = self._terms.raise_ if self._level else self._terms.bet
        if not self._completed:
            word, self._completed = self._terms.complete or word, True
        self.pay(player, amount)
        self._level = self._top = total
        self._put[player] = total
        self.decide(player, word, amount)

    def _bring_in(self, act: PhhAction) -> None:
        player = act.player
        word, amount = self._terms.bring_in, self._least
        if word is None or amount is None:
            raise UnreadableHandError("the game, or the hand, has no bring-in", at=f"p{player + 1} pb")
        stack = self._stacks[player]
        paid = amount if amount <= stack else stack
        self.pay(player, paid)
        self._level = self._top = max(self._level, int(self._put[player]))
        self.decide(player, word, paid)

    def _deal_hole(self, act: PhhAction) -> None:
        player, known, terms = act.player, self._cards[act.player] or "", self._terms
        if terms.exchanging is not None and len(known) >= 2 * terms.exchanging.full:
            self._exchanged[player] = self._exchanged.get(player, known) + act.cards
            self.add_card_event("draw", player, act.cards)
            return
        self._cards[player] = known + act.cards
        if terms.opens_cards:
            if self._acted:
                self.end_betting()
            self.add_deal(player, act.cards, len(known) // 2)

    def _discard(self, act: PhhAction) -> None:
        player, exchanging = act.player, self._terms.exchanging
        word = None if exchanging is None else exchanging.discard if act.cards else exchanging.stand_pat
        if word is None:
            done = "discards cards" if act.cards else "stands pat"
            raise UnreadableHandError(
                f"p{player + 1} {done}, but the game has no such decision", at=f"p{player + 1} sd"
            )
        self.end_betting()
        self.decide(player, word)
        if act.cards:
            known = self._exchanged.get(player, self._cards[player] or "")
            self._exchanged[player] = remove_cards(known, act.cards)
            self.add_card_event("discard", player, act.cards)

    def _deal_board(self, act: PhhAction) -> None:
        self.deal_board(act.cards)

    def _show(self, act: PhhAction) -> None:
        self.show(act.player, act.cards)

    def _muck(self, act: PhhAction) -> None:
        self.concede(act.player)

    def _ignore(self, act: PhhAction) -> None:
        """Ignore a remark."""


def remove_cards(hand: str, removed: str) -> str:
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
