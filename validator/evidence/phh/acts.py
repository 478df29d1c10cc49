"""Single actions of a hand history, cached by their text, since most texts are repeated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from validator.evidence.handlog.event_values import WIDEST_HAND
from validator.evidence.handlog.record import MOST_SEATS
from validator.evidence.phh.refusal import HandRefused
from validator.evidence.phh.values import said_amount
from validator.text.visible import quoted

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


class Act(NamedTuple):
    """Action of a hand history."""

    verb: Verb
    """Kind of the action."""
    player: int = 0
    """Player who acts or receives cards, from 0."""
    cards: str = ""
    """Cards of the action."""
    total: int = 0
    """Total of a bet or raise, in minor units."""


class Acts(dict[str, Act]):
    """Cache of actions by their text. Raises UnreadableHandError for an unreadable action."""

    def __missing__(self, action: str) -> Act:
        act = _parse_action(action)
        if len(self) >= _MOST_KNOWN:
            self.clear()
        if len(action) <= _LONGEST:
            self[action] = act
        return act


def _parse_action(action: str) -> Act:
    match action.partition("#")[0].split():
        case []:
            return Act(Verb.NOTHING)
        case [player, "f"]:
            return Act(Verb.FOLD, _parse_player(player, action))
        case [player, "cc"]:
            return Act(Verb.CHECK_OR_CALL, _parse_player(player, action))
        case [player, "pb"]:
            return Act(Verb.BRING_IN, _parse_player(player, action))
        case [player, "cbr", total]:
            return Act(Verb.BET_OR_RAISE, _parse_player(player, action), total=said_amount(total, action))
        case ["d", "db", cards]:
            return Act(Verb.DEAL_BOARD, cards=_parse_cards(cards, action))
        case ["d", "dh", player, cards]:
            return Act(Verb.DEAL_HOLE, _parse_player(player, action), _parse_cards(cards, action))
        case [player, "sd"]:
            return Act(Verb.DISCARD, _parse_player(player, action))
        case [player, "sd", cards]:
            return Act(Verb.DISCARD, _parse_player(player, action), _parse_cards(cards, action))
        case [player, "sm"]:
            return Act(Verb.MUCK, _parse_player(player, action))
        case [player, "sm", cards]:
            return Act(Verb.SHOW, _parse_player(player, action), "" if cards == "-" else _parse_cards(cards, action))
        case words:
            raise HandRefused(_describe_unknown(words), at=action)


def _describe_unknown(words: Sequence[str]) -> str:
    return f"unknown action {quoted(' '.join(words))}"


def _parse_player(label: str, action: str) -> int:
    try:
        return _PLAYERS[label]
    except KeyError:
        raise HandRefused(f"{quoted(label)} is not a player", at=action) from None


def _parse_cards(text: str, action: str) -> str:
    if _CARDS.fullmatch(text) is None:
        raise HandRefused(f"{quoted(text)} is not a list of cards", at=action)
    return text
