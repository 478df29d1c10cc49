"""Fields of a poker hand history: values, the vocabulary of its game, and posted stakes.

Amounts are read exactly: as whole numbers or decimals, never as binary fractions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import inf
from typing import Any

from fairdeal.validator.evidence.event_kinds import MAX_AMOUNT
from fairdeal.validator.evidence.poker.hand_recorder import Amount, PokerVocabulary, PostedStakes, UnreadableHandError
from fairdeal.validator.text.diagnostics import quote

PHH_FIELDS = frozenset(
    (
        *("variant", "ante_trimming_status", "antes", "blinds_or_straddles", "bring_in", "small_bet", "big_bet"),
        *("min_bet", "starting_stacks", "actions", "author", "event", "url", "venue", "address", "city", "region"),
        *("postal_code", "country", "time", "time_zone", "time_zone_abbreviation", "day", "month", "year", "hand"),
        *("level", "seats", "seat_count", "table", "players", "finishing_stacks", "winnings", "currency"),
        *("currency_symbol", "time_limit", "time_banks"),
    )
)
USER_FIELD = "_"
"""Prefix of the writer's own fields."""


UNITS = 100
"""Minor units per unit of a hand history."""
_MOST_WHOLE = MAX_AMOUNT // UNITS
_LONGEST_AMOUNT = 40
_WHOLE = frozenset((int,))


def parse_minor_units(value: object, at: str, *, signed: bool = False) -> Amount:
    """Return an amount in minor units, `inf` if it is infinite.

    Raises UnreadableHandError unless it is an amount, a whole number of minor units, and not negative (unless
    `signed`).
    """
    if type(value) is int:
        amount: Amount = value * UNITS
    elif isinstance(value, Decimal):
        amount = _convert_exactly(value, at)
    else:
        raise UnreadableHandError(f"`{at}`: expected numbers", at=at)
    if amount < 0 and not signed:
        raise UnreadableHandError(f"`{at}`: an amount must not be negative", at=at)
    if amount != inf and not -MAX_AMOUNT <= amount <= MAX_AMOUNT:
        raise UnreadableHandError(f"`{at}`: an amount must be at most {_MOST_WHOLE}", at=at)
    return amount


def _convert_exactly(value: Decimal, at: str) -> Amount:
    if value.is_nan():
        raise UnreadableHandError(f"`{at}`: `nan` is not an amount", at=at)
    if value.is_infinite():
        return inf if value > 0 else -inf
    if not -_MOST_WHOLE <= value <= _MOST_WHOLE:
        raise UnreadableHandError(f"`{at}`: an amount must be at most {_MOST_WHOLE}", at=at)
    amount = int(value * UNITS)
    if value != Decimal(amount) / UNITS:  # both sides have few digits and are exact
        raise UnreadableHandError(f"`{at}`: {_shorten(value)} is not a whole number of minor units", at=at)
    return amount


def _shorten(value: Decimal) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_AMOUNT else f"{text[: _LONGEST_AMOUNT - 1]}…"


def parse_action_amount(text: str, action: str) -> int:
    """Return an amount in the text of an action, in minor units. Raises UnreadableHandError."""
    if text.isascii() and text.replace(".", "", 1).isdigit() and len(text) <= _LONGEST_AMOUNT:
        amount = parse_minor_units(int(text) if text.isdigit() else Decimal(text), "actions")
        if amount <= MAX_AMOUNT:
            return int(amount)
    raise UnreadableHandError(f"{quote(text)} is not an amount of chips", at=action)


def read_amounts(hand: Mapping[str, Any], field: str, count: int, *, signed: bool = False) -> list[Amount]:
    """Return an amount for each of `count` players. Raises UnreadableHandError."""
    values = read_list(hand, field, count)
    # Nearly all hands hold whole numbers, which are checked together.
    if _WHOLE.issuperset(map(type, values)):
        least = -_MOST_WHOLE if signed else 0
        if least <= min(values) and max(values) <= _MOST_WHOLE:
            return [value * UNITS for value in values]
    return [parse_minor_units(value, field, signed=signed) for value in values]


def read_finite_amounts(hand: Mapping[str, Any], field: str, count: int, *, signed: bool = False) -> list[int]:
    """Return amounts like `read_amounts`; none may be infinite."""
    values = read_amounts(hand, field, count, signed=signed)
    if not _WHOLE.issuperset(map(type, values)):
        raise UnreadableHandError(f"`{field}`: an amount must be finite", at=field)
    return check_entry_types(values, field, int, "whole numbers")


def read_finite_amount(hand: Mapping[str, Any], field: str) -> int:
    """Return the single amount of a field. Raises UnreadableHandError."""
    amount = parse_minor_units(hand[field], field)
    if amount == inf:
        raise UnreadableHandError(f"`{field}`: an amount must be finite", at=field)
    return int(amount)


def read_list(hand: Mapping[str, Any], field: str, count: int) -> list[Any]:
    """Return an entry for each of `count` players. Raises UnreadableHandError."""
    values = require_field(hand, field)
    if type(values) is not list or len(values) != count:
        raise UnreadableHandError(f"`{field}`: expected a list of {count} entries, one per player", at=field)
    return values


def read_texts(hand: Mapping[str, Any], field: str, count: int) -> list[str]:
    """Return a text for each of `count` players. Raises UnreadableHandError."""
    return check_entry_types(read_list(hand, field, count), field, str, "text")


def read_whole_numbers(hand: Mapping[str, Any], field: str, count: int) -> list[int]:
    """Return a whole number for each of `count` players. Raises UnreadableHandError."""
    return check_entry_types(read_list(hand, field, count), field, int, "whole numbers")


def check_entry_types(values: list[Any], field: str, type_: type, words: str) -> list[Any]:
    """Return a list whose entries are all of one type. Raises UnreadableHandError."""
    if not {type_}.issuperset(map(type, values)):
        raise UnreadableHandError(f"`{field}`: expected {words}", at=field)
    return values


def require_field(hand: Mapping[str, Any], field: str) -> Any:
    """Return the value of a required field. Raises UnreadableHandError."""
    try:
        return hand[field]
    except KeyError:
        raise UnreadableHandError(f"the field `{field}` is missing") from None


_HEADS_UP = 2
_DOUBLE = 2
_BLINDS = "blinds_or_straddles"


def post_stakes(
    hand: Mapping[str, Any], terms: PokerVocabulary, seats: Sequence[int], stacks: Sequence[Amount]
) -> PostedStakes:
    """Post the antes and then the blinds, in order. Raises UnreadableHandError.

    - A short stack posts all it has.
    - For two players the lists are reversed: the first entry is that of the last player, who has the button.
    - A blind that one of the first seats posts alone is the big blind, if it is at least the smallest bet: the seat
      that owed the small blind is empty.
    - A later seat posts a straddle.
    - A negative blind is the late post of a player who was away. The part up to the current bet counts towards the bet,
      and the rest is dead; a smaller post is dead altogether. Writers of hand histories follow this, and final stacks
      confirm it.
    """
    count = len(seats)
    result = PostedStakes(stacks=list(stacks), put=[0] * count, stakes=[{} for _ in seats])
    reversed_ = count == _HEADS_UP
    antes = read_finite_amounts(hand, "antes", count)
    for place in filter(antes.__getitem__, range(count)):
        player = 1 - place if reversed_ else place
        result.post(player, seats[player], _require_wager(terms.antes, "antes", player), antes[place], towards=0)
    if not terms.blinds and _BLINDS not in hand:
        return result
    blinds = read_finite_amounts(hand, _BLINDS, count, signed=True)
    if not terms.blinds and terms.straddle is None and any(blinds):
        raise UnreadableHandError(f"`{_BLINDS}`: the game has no blinds", at=_BLINDS)
    first = len(terms.blinds)
    names = _name_blinds(hand, blinds[:first], terms)
    for place in filter(blinds.__getitem__, range(count)):
        player, blind = 1 - place if reversed_ else place, blinds[place]
        if blind < 0:
            _post_late(result, player, seats[player], -blind, _find_big_blind(blinds[:first], result, -blind), terms)
        elif place < first:
            result.post(player, seats[player], names[place], blind, towards=1)
        else:
            _post_straddle(result, player, seats[player], blind, terms, after_post=blinds[place - 1] > 0)
    return result


def _name_blinds(hand: Mapping[str, Any], blinds: Sequence[int], terms: PokerVocabulary) -> tuple[str, ...]:
    """Return the wager of each of the first seats, which post `blinds`."""
    alone = [blind for blind in blinds if blind > 0]
    if len(alone) == 1 and alone[0] >= _least_bet(hand):
        return (terms.blinds[-1],) * len(terms.blinds)
    return terms.blinds


def _least_bet(hand: Mapping[str, Any]) -> Amount:
    """Return the smallest bet stated by the hand, 0 if none; the big blind is as much."""
    for name in ("min_bet", "small_bet"):
        if name in hand:
            return parse_minor_units(hand[name], name)
    return 0


def _post_straddle(
    result: PostedStakes, player: int, seat: int, amount: int, terms: PokerVocabulary, *, after_post: bool
) -> None:
    """Post a straddle. It must be a raise: after a short one, the order of turns is unclear unless the previous seat
    posted too (`after_post`)."""
    wager = _require_wager(terms.straddle, _BLINDS, player)
    if amount <= result.level or (result.stacks[player] <= result.level and not after_post):
        raise UnreadableHandError(
            f"`{_BLINDS}`: what p{player + 1} posts there is not above the current bet", at=_BLINDS
        )
    # Nobody has to call more than the actual amount.
    result.post(player, seat, wager, int(min(amount, result.stacks[player])), towards=1)


def _find_big_blind(blinds: Sequence[int], result: PostedStakes, late_post: int) -> int:
    """Return the big blind, given the blinds of the first seats and the late post of a player who was away."""
    posters = [player for player, blind in enumerate(blinds) if blind > 0]
    biggest = max((blinds[player] for player in posters), default=0)
    # A single post may be the small blind, and a seat that is all in may have posted less than it owed.
    small = len(posters) < len(blinds) and late_post >= _DOUBLE * biggest
    short = any(result.stacks[player] == 0 and result.put[player] == blinds[player] for player in posters[-1:])
    if late_post > biggest and (small or short):
        raise UnreadableHandError(f"`{_BLINDS}`: the hand does not state the size of the big blind", at=_BLINDS)
    return biggest


def _post_late(result: PostedStakes, player: int, seat: int, amount: int, biggest: int, terms: PokerVocabulary) -> None:
    """Post for a player who was away, given the big blind `biggest`."""
    live = biggest if amount >= biggest else 0
    short, all_ = result.stacks[player] < amount, result.stacks[player] == amount
    if (short and amount != live) or (all_ and not live):
        reason = "a player posts a whole stack, and the hand does not state whether it counts towards the bet"
        raise UnreadableHandError(f"`{_BLINDS}`: {reason}", at=_BLINDS)
    if amount > live:
        result.post(player, seat, _require_wager(terms.dead, _BLINDS, player), amount - live, towards=0)
    if live:
        result.post(player, seat, terms.blinds[-1], live, towards=1)


def _require_wager(wager: str | None, field_: str, player: int) -> str:
    if wager is None:
        raise UnreadableHandError(f"`{field_}`: the game has no wager for what p{player + 1} posts there", at=field_)
    return wager
