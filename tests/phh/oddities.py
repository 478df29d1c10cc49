"""Lawful hands in unusual notation: each as a writer of hand histories may put it, in a style of its own.

They state the same as before, or less. Hands come from `site_hand` and `forced_hand`.
"""

from __future__ import annotations

import random
import tomllib
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tests.phh.replay import AUTOMATIONS, pokerkit
from tests.phh.sites import play, site_hand

Hand = dict[str, Any]

_REQUIRED = (
    *("variant", "ante_trimming_status", "antes", "blinds_or_straddles", "min_bet", "small_bet", "big_bet"),
    *("starting_stacks", "actions"),
)
_AMOUNTS = frozenset(
    (
        "antes",
        "blinds_or_straddles",
        "min_bet",
        "small_bet",
        "big_bet",
        "starting_stacks",
        "finishing_stacks",
        "winnings",
    )
)
_REMARKS = ("# a long pause", "# he said: 'call!'", "", "# p1 f", "#")
_NAMES = ("1", "H 1", "a.b", "x-y_z", "ünï", "[1]", "#7", " ", "variant", "it's")


def odd_hand(seed: int) -> Hand:
    """Build a lawful hand in an unusual notation."""
    chance = random.Random(seed)
    text = site_hand(seed).text if chance.random() < 0.6 else forced_hand(seed)
    hand: Hand = tomllib.loads(text, parse_float=Decimal)
    for change in chance.sample(_CHANGES, chance.randint(1, 5)):
        hand = change(dict(hand), chance)
    return hand


def forced_hand(seed: int) -> str:
    """Play out a hand with straddles, antes of all kinds, or posts of players who were away."""
    chance = random.Random(seed)
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(3, 10)
    blinds, antes, even = [5, 10] + [0] * (count - 2), [0] * count, True
    match chance.choice(["straddle", "two straddles", "button", "antes", "late", "big blind ante", "button ante"]):
        case "straddle":
            blinds[2] = chance.choice([15, 20, 25])
            antes = [chance.choice([0, 2])] * count
        case "two straddles" if count > 3:
            blinds[2:4] = [20, 40]
        case "button":
            blinds[-1] = 20
        case "antes":
            blinds, antes = [0] * count, [10] * count
        case "late" if count > 3:
            blinds[chance.randrange(2, count)] = -10
        case "big blind ante":
            antes[1], even = 10, False
        case _:
            antes[-1], even = 10, False
    stacks = [chance.choice([chance.randint(11, 60), chance.randint(40, 400), 1000]) for _ in range(count)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game = pokerkit.NoLimitTexasHoldem(AUTOMATIONS, even, antes, blinds, 10)
        state = game(stacks, count)
        play(state, chance, 0.25)
        history = pokerkit.HandHistory.from_game_state(game, state, finishing_stacks=list(state.stacks))
    text: str = history.dumps()
    return text


def _drop_optional(hand: Hand, chance: random.Random) -> Hand:
    """Drop optional fields."""
    return {name: value for name, value in hand.items() if name in _REQUIRED or chance.random() < 0.5}


def _add_fields(hand: Hand, chance: random.Random) -> Hand:
    """Add fields of the writer's own, and unused standard ones."""
    more = {"_note": {"a": [1, {"b": 2.5}]}, "author": "N. N.", "currency": "EUR", "level": 7, "time_limit": 30,
            "time_banks": [30] * len(hand["starting_stacks"]), "city": "Reno", "seat_count": 10,
            "time_zone": "America/Toronto"}  # fmt: skip
    return hand | {name: more[name] for name in chance.sample(sorted(more), 3)}


def _shuffle_fields(hand: Hand, chance: random.Random) -> Hand:
    return dict(chance.sample(sorted(hand.items()), len(hand)))


def _remarks(hand: Hand, chance: random.Random) -> Hand:
    actions = [
        f"{action} # so" if action and "#" not in action and chance.random() < 0.3 else action
        for action in hand["actions"]
    ]
    for _ in range(3):
        actions.insert(chance.randrange(len(actions) + 1), chance.choice(_REMARKS))
    return hand | {"actions": actions}


def _unseen(hand: Hand, chance: random.Random) -> Hand:
    """Hide cards, dealt or shown, that nobody wrote down."""
    del chance
    actions = [f"{action.split('#')[0].rsplit(maxsplit=1)[0]} ????" if action.startswith("d dh") else action
               for action in hand["actions"]]  # fmt: skip
    return hand | {"actions": actions}


def _half_seen(hand: Hand, chance: random.Random) -> Hand:
    actions = [
        f"{action[:-4]}??{action[-2:]}"
        if action.startswith("d dh") and "#" not in action and chance.random() < 0.5
        else action
        for action in hand["actions"]
    ]
    return hand | {"actions": actions}


def _shown_twice(hand: Hand, chance: random.Random) -> Hand:
    """Show a shown hand again at the end."""
    del chance
    shown = [action.split("#")[0].strip() for action in hand["actions"] if " sm " in action.split("#")[0]]
    return hand | {"actions": hand["actions"] + shown[:1]}


def _shown_as_dealt(hand: Hand, chance: random.Random) -> Hand:
    del chance
    known = {action.split()[2] for action in hand["actions"] if action.startswith("d dh") and "?" not in action}
    actions = [f"{action.split()[0]} sm -" if " sm " in action and action.split()[0] in known else action
               for action in hand["actions"]]  # fmt: skip
    return hand | {"actions": actions}


def _ended_early(hand: Hand, chance: random.Random) -> Hand:
    """Break the record off before the hand ends."""
    for name in ("finishing_stacks", "winnings"):
        hand.pop(name, None)
    dealt = sum(action.startswith("d dh") for action in hand["actions"])
    return hand | {"actions": hand["actions"][: chance.randint(min(dealt, len(hand["actions"])), len(hand["actions"]))]}


def _stacks_unknown(hand: Hand, chance: random.Random) -> Hand:
    """Leave stacks unknown where no player was all in."""
    deep = max(hand["starting_stacks"])
    if any(stack != deep for stack in hand["starting_stacks"]) or "finishing_stacks" in hand:
        return hand
    if sum(Decimal(action.split()[2]) for action in hand["actions"] if " cbr " in action) >= deep:
        return hand
    return hand | {"starting_stacks": [float("inf")] * len(hand["starting_stacks"])}


def _seats(hand: Hand, chance: random.Random) -> Hand:
    count = len(hand["starting_stacks"])
    chosen = sorted(chance.sample(range(1, 24), count))
    first = chance.randrange(count)
    return hand | {"seats": chosen[first:] + chosen[:first], "table": chance.choice(["", *_NAMES]) or 9}


def _dates(hand: Hand, chance: random.Random) -> Hand:
    nobody = [""] * len(hand["starting_stacks"])
    return hand | chance.choice([
        {"year": 2009}, {"day": 1, "month": 7, "year": 2009}, {"event": "2023 WSOP Event #43"}, {"players": nobody},
        {"hand": chance.choice([-1, 0, 10**15, "R5-1681968-996", "#"])},
    ])  # fmt: skip


_CHANGES: tuple[Callable[[Hand, random.Random], Hand], ...] = (
    _drop_optional, _add_fields, _shuffle_fields, _remarks, _unseen, _half_seen, _shown_twice, _shown_as_dealt,
    _ended_early, _stacks_unknown, _seats, _dates,
)  # fmt: skip


def write_log(hands: dict[str, Hand], seed: int) -> bytes:
    """Write hands as one log in a random style: line ends, a byte order mark, remarks, names, forms of amounts."""
    chance = random.Random(seed)
    text = chance.choice(["", "\n\n", "# hands\n\n", "#\n" * 5])
    for number, hand in enumerate(hands.values()):
        name = chance.choice([f"{number}", f'"{number}"', f"'{number} {chance.choice(_NAMES[1:5])}'"])
        text += f"[{name}]{chance.choice(['', '  # so', ' '])}\n"
        style = _Style(chance)
        for field, value in hand.items():
            said = style.value(value, amounts=field in _AMOUNTS)
            text += f"{field}{chance.choice(['=', ' = ', '   =  '])}{said}{chance.choice(['', ' # so'])}\n"
        text += "\n" * chance.randrange(3)
    if chance.random() < 0.5:
        text = text.replace("\n", "\r\n")
    return chance.choice([b"", b"\xef\xbb\xbf"]) + text.encode()


class _Style:
    """Style in which a writer notes values."""

    def __init__(self, chance: random.Random) -> None:
        self._quote = chance.choice(["'", '"', '"""'])
        self._comma = chance.choice([",", ", ", " , ", ",\n  "])
        self._last = chance.choice(["", ",", ", "])
        self._amount = chance.choice([_plain, _with_fraction, _with_underscores])

    def value(self, value: Any, *, amounts: bool) -> str:
        """Write a value as TOML."""
        match value:
            case bool():
                return str(value).lower()
            case str():
                quote = '"' if "'" in value else self._quote
                return f"{quote}{value}{quote}"
            case list():
                parts = [self.value(item, amounts=amounts) for item in value]
                return f"[{self._comma.join(parts)}{self._last if value else ''}]"
            case dict():
                return (
                    "{" + ", ".join(f"{name} = {self.value(item, amounts=False)}" for name, item in value.items()) + "}"
                )
            case int() | Decimal() if amounts:
                return self._amount(value)
            case _:
                return str(value)


def _plain(value: int | Decimal) -> str:
    return str(value)


def _with_fraction(value: int | Decimal) -> str:
    return f"{value:.2f}"


def _with_underscores(value: int | Decimal) -> str:
    return f"{value:,}".replace(",", "_")
