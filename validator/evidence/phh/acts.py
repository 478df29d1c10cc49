"""Single actions of a hand history: what each text says, remembered, since few are written only once."""

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
"""Texts remembered at a time."""
_LONGEST = 200
_PLAYERS = {f"p{player + 1}": player for player in range(MOST_SEATS)}
_CARDS = re.compile(rf"(?:[2-9TJQKA][cdhs]|\?\?){{1,{WIDEST_HAND}}}")


class Verb(IntEnum):
    """What an action does."""

    FOLD = 0
    CHECK_OR_CALL = 1
    BET_OR_RAISE = 2
    DEAL_BOARD = 3
    DEAL_HOLE = 4
    SHOW = 5
    """Shows the cards named, or those dealt where none are."""
    MUCK = 6
    NOTHING = 7
    """A remark."""
    BRING_IN = 8
    DISCARD = 9
    """Puts the cards named away, or stands pat where none are."""


class Act(NamedTuple):
    """An action: what is done, by or to which player (from 0), with which cards, or to what total in minor units."""

    verb: Verb
    player: int = 0
    cards: str = ""
    total: int = 0


class Acts(dict[str, Act]):
    """Actions by their text. Raises HandRefused for one that cannot be read."""

    def __missing__(self, action: str) -> Act:
        act = _read(action)
        if len(self) >= _MOST_KNOWN:
            self.clear()
        if len(action) <= _LONGEST:
            self[action] = act
        return act


def _read(action: str) -> Act:
    match action.partition("#")[0].split():
        case []:
            return Act(Verb.NOTHING)
        case [player, "f"]:
            return Act(Verb.FOLD, _player(player, action))
        case [player, "cc"]:
            return Act(Verb.CHECK_OR_CALL, _player(player, action))
        case [player, "pb"]:
            return Act(Verb.BRING_IN, _player(player, action))
        case [player, "cbr", total]:
            return Act(Verb.BET_OR_RAISE, _player(player, action), total=said_amount(total, action))
        case ["d", "db", cards]:
            return Act(Verb.DEAL_BOARD, cards=_cards(cards, action))
        case ["d", "dh", player, cards]:
            return Act(Verb.DEAL_HOLE, _player(player, action), _cards(cards, action))
        case [player, "sd"]:
            return Act(Verb.DISCARD, _player(player, action))
        case [player, "sd", cards]:
            return Act(Verb.DISCARD, _player(player, action), _cards(cards, action))
        case [player, "sm"]:
            return Act(Verb.MUCK, _player(player, action))
        case [player, "sm", cards]:
            return Act(Verb.SHOW, _player(player, action), "" if cards == "-" else _cards(cards, action))
        case words:
            raise HandRefused(_unknown(words), at=action)


def _unknown(words: Sequence[str]) -> str:
    return f"the action {quoted(' '.join(words))} is not known here"


def _player(label: str, action: str) -> int:
    try:
        return _PLAYERS[label]
    except KeyError:
        raise HandRefused(f"{quoted(label)} is no player", at=action) from None


def _cards(text: str, action: str) -> str:
    if _CARDS.fullmatch(text) is None:
        raise HandRefused(f"{quoted(text)} are no cards", at=action)
    return text
