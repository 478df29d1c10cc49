"""Hands tampered with, one change at a time; each kind states the requirements that may name it."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any

Hand = dict[str, Any]
Tampered = Hand | None
"""Hand after a change; None where the change does not apply to it."""

CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


@dataclass(slots=True, kw_only=True)
class Act:
    """Act of a player in an untouched hand."""

    at: int
    player: int
    verb: str
    street: int
    owed: Decimal
    put: Decimal
    level: Decimal
    last_raise: Decimal
    behind: Decimal
    total: Decimal = field(default_factory=Decimal)


def acts_of(hand: Hand) -> list[Act]:
    """Return the acts of a hand, derived from its actions."""
    count = len(hand["starting_stacks"])
    flip = count == 2
    antes, blinds = list(hand["antes"]), list(hand["blinds_or_straddles"])
    if flip:
        antes.reverse()
        blinds.reverse()
    stacks = [Decimal(stack) for stack in hand["starting_stacks"]]
    put = [Decimal(0)] * count
    for player in range(count):
        stacks[player] -= min(Decimal(antes[player]), stacks[player])
        paid = min(abs(Decimal(blinds[player])), stacks[player])
        stacks[player] -= paid
        put[player] = paid if blinds[player] > 0 else Decimal(0)
    level = last_raise = max(Decimal(blind) for blind in blinds)
    first, street, found = level, 0, []
    for at, action in enumerate(hand["actions"]):
        words = action.split("#")[0].split()
        if words[:2] == ["d", "db"]:
            street += 1
            put, level, last_raise = [Decimal(0)] * count, Decimal(0), first
        if len(words) < 2 or words[1] not in ("f", "cc", "cbr"):
            continue
        player = int(words[0][1:]) - 1
        act = Act(at=at, player=player, verb=words[1], street=street, owed=min(level - put[player], stacks[player]),
                  put=put[player], level=level, last_raise=last_raise, behind=stacks[player])  # fmt: skip
        if act.verb == "cc":
            stacks[player] -= act.owed
            put[player] += act.owed
        elif act.verb == "cbr":
            act.total = Decimal(words[2])
            stacks[player] -= act.total - put[player]
            last_raise = max(last_raise, act.total - level)
            put[player] = level = act.total
        found.append(act)
    return found


def _with(hand: Hand, **fields: Any) -> Hand:
    return {**hand, **fields}


def _acting(hand: Hand, actions: list[str]) -> Hand:
    return _with(hand, actions=actions)


def _replace_action(hand: Hand, at: int, *actions: str) -> Hand:
    return _acting(hand, [*hand["actions"][:at], *actions, *hand["actions"][at + 1 :]])


def _one_more(hand: Hand, field_: str, player: int, more: int) -> Hand:
    amounts = list(hand[field_])
    amounts[player] += more
    return _with(hand, **{field_: amounts})


def _pick(chance: random.Random, listed: list[Any]) -> Any:
    return chance.choice(listed) if listed else None


def bet_a_chip_more(hand: Hand, chance: random.Random) -> Tampered:
    act = _pick(chance, [act for act in acts_of(hand) if act.verb == "cbr" and act.total - act.put < act.behind])
    if act is None or "finishing_stacks" not in hand:
        return None
    answered = any(later.street == act.street and later.verb == "cc" and later.owed > 0
                   for later in acts_of(hand) if later.at > act.at)  # fmt: skip
    # A bet that is not answered is returned, a chip more or less.
    return _replace_action(hand, act.at, f"p{act.player + 1} cbr {act.total + 1}") if answered else None


def bet_unanswered_a_chip_more(hand: Hand, chance: random.Random) -> Tampered:
    return None if "small_bet" in hand else _unanswered_a_chip_more(hand, chance)


def fixed_bet_a_chip_more(hand: Hand, chance: random.Random) -> Tampered:
    return _unanswered_a_chip_more(hand, chance) if "small_bet" in hand else None


def _unanswered_a_chip_more(hand: Hand, chance: random.Random) -> Tampered:
    acts = acts_of(hand)
    act = _pick(chance, [act for act in acts if act.verb == "cbr" and act.total - act.put < act.behind])
    if act is None or any(later.at > act.at and later.verb != "f" for later in acts):
        return None
    return _replace_action(hand, act.at, f"p{act.player + 1} cbr {act.total + 1}")


def stack_a_chip_more(hand: Hand, chance: random.Random) -> Tampered:
    if "finishing_stacks" not in hand:
        return None
    idle = [
        player
        for player, (before, after) in enumerate(zip(hand["starting_stacks"], hand["finishing_stacks"], strict=True))
        if 0 < after <= before
    ]
    player = _pick(chance, idle)
    return None if player is None else _one_more(hand, "starting_stacks", player, 1)


def finishing_stack_a_chip_more(hand: Hand, chance: random.Random) -> Tampered:
    if "finishing_stacks" not in hand:
        return None
    return _one_more(hand, "finishing_stacks", chance.randrange(len(hand["starting_stacks"])), 1)


def loser_a_chip_less(hand: Hand, chance: random.Random) -> Tampered:
    if "finishing_stacks" not in hand:
        return None
    lost = [
        player
        for player, (before, after) in enumerate(zip(hand["starting_stacks"], hand["finishing_stacks"], strict=True))
        if 0 < after <= before
    ]
    player = _pick(chance, lost)
    return None if player is None else _one_more(hand, "finishing_stacks", player, -1)


def winnings_a_chip_more(hand: Hand, chance: random.Random) -> Tampered:
    if not any(hand.get("winnings", ())):
        return None
    return _one_more(hand, "winnings", chance.randrange(len(hand["winnings"])), 1)


def out_of_turn(hand: Hand, chance: random.Random) -> Tampered:
    acts = acts_of(hand)
    pairs = [
        (act, two)
        for act, two in pairwise(acts)
        if two.at == act.at + 1 and act.player != two.player and act.street == two.street
    ]
    pair = _pick(chance, pairs)
    if pair is None:
        return None
    actions = list(hand["actions"])
    at = pair[0].at
    actions[at], actions[at + 1] = actions[at + 1], actions[at]
    return _acting(hand, actions)


def missing_call(hand: Hand, chance: random.Random) -> Tampered:
    act = _pick(chance, [act for act in acts_of(hand) if act.verb == "cc" and act.owed > 0])
    return None if act is None else _replace_action(hand, act.at)


def act_after_the_end(hand: Hand, chance: random.Random) -> Tampered:
    acts = acts_of(hand)
    streets = [at for at, action in enumerate(hand["actions"]) if action.startswith("d db")]
    at = _pick(chance, [street for street in streets if any(act.at == street - 1 for act in acts)])
    if at is None:
        return None
    act = next(act for act in acts if act.at == at - 1)
    if act.verb == "f":
        return None
    return _acting(hand, [*hand["actions"][:at], f"p{act.player + 1} cc", *hand["actions"][at:]])


def act_after_folding(hand: Hand, chance: random.Random) -> Tampered:
    folded = _pick(chance, [act for act in acts_of(hand) if act.verb == "f"])
    later = [act for act in acts_of(hand) if folded and act.at > folded.at and act.street > folded.street]
    act = _pick(chance, later)
    if act is None:
        return None
    return _acting(hand, [*hand["actions"][: act.at], f"p{folded.player + 1} cc", *hand["actions"][act.at :]])


def _cards_at(hand: Hand) -> list[tuple[int, int, str]]:
    """Return the known cards: index of the action, position in it, card. Shown hands count with the dealt cards."""
    found = []
    for at, action in enumerate(hand["actions"]):
        words = action.split()
        if words[:2] in (["d", "db"], ["d", "dh"]):
            start = action.rindex(words[-1])
            found += [(at, start + place, words[-1][place : place + 2]) for place in range(0, len(words[-1]), 2)]
    return [place for place in found if "?" not in place[2]]


def _put_card(hand: Hand, at: int, place: int, card: str) -> Hand:
    action = hand["actions"][at]
    return _replace_action(hand, at, action[:place] + card + action[place + 2 :])


def card_twice(hand: Hand, chance: random.Random) -> Tampered:
    cards = _cards_at(hand)
    board = [card for card in cards if hand["actions"][card[0]].startswith("d db")]
    one = _pick(chance, board)
    other = _pick(chance, [two for two in cards if one and two[2] != one[2]])
    return None if other is None else _put_card(hand, one[0], one[1], other[2])


def wrong_winner(hand: Hand, chance: random.Random) -> Tampered:
    """Award the pot to a hand that was shown and lost, or that folded where only one hand was shown."""
    if "finishing_stacks" not in hand:
        return None
    before, after = hand["starting_stacks"], list(hand["finishing_stacks"])
    winners = [player for player in range(len(after)) if after[player] > before[player]]
    losers = [player for player in range(len(after)) if after[player] < before[player]]
    if len(winners) != 1 or not losers:
        return None
    gain = after[winners[0]] - before[winners[0]]
    loser = chance.choice(losers)
    after[winners[0]] -= gain
    after[loser] += gain
    return _with(hand, finishing_stacks=after)


def uneven_split(hand: Hand, chance: random.Random) -> Tampered:
    if "finishing_stacks" not in hand:
        return None
    before, after = hand["starting_stacks"], list(hand["finishing_stacks"])
    shown = {int(action[1:].split()[0]) - 1 for action in hand["actions"] if " sm " in action}
    acts = acts_of(hand)
    folded = {act.player for act in acts if act.verb == "f"}
    winners = [player for player in range(len(after)) if after[player] >= before[player] and player in shown - folded]
    if len(winners) < 2:
        return None
    after[winners[0]] -= 3
    after[winners[1]] += 3
    return _with(hand, finishing_stacks=after)


def raise_too_small(hand: Hand, chance: random.Random) -> Tampered:
    """Lower a raise, and drop the result of the hand, which would contradict it."""
    raises = [
        act
        for act in acts_of(hand)
        if act.verb == "cbr" and act.level > 0 and act.last_raise > 1 and act.behind > act.level + 1 - act.put
    ]
    act = _pick(chance, raises)
    return None if act is None else _replace_action(hand, act.at, f"p{act.player + 1} cbr {act.level + 1}")


def bet_above_the_stack(hand: Hand, chance: random.Random) -> Tampered:
    act = _pick(chance, [act for act in acts_of(hand) if act.verb == "cbr"])
    return None if act is None else _replace_action(hand, act.at, f"p{act.player + 1} cbr {act.put + act.behind + 1}")


def _boards(hand: Hand) -> list[int]:
    return [at for at, action in enumerate(hand["actions"]) if action.startswith("d db")]


def missing_flop(hand: Hand, chance: random.Random) -> Tampered:
    """Remove the flop and the betting after it.

    A lone turn is not missed if nobody bet on it and no river follows.
    """
    del chance
    boards = _boards(hand)
    if len(boards) < 2:
        return None
    return _acting(hand, hand["actions"][: boards[0]] + hand["actions"][boards[1] :])


def missing_turn(hand: Hand, chance: random.Random) -> Tampered:
    """Remove only the turn card: later acts then appear to be on the flop."""
    del chance
    boards = _boards(hand)
    return _acting(hand, hand["actions"][: boards[1]] + hand["actions"][boards[1] + 1 :]) if len(boards) > 1 else None


def showdown_without_the_river(hand: Hand, chance: random.Random) -> Tampered:
    """Remove the river and the betting after it."""
    del chance
    boards = _boards(hand)
    if len(boards) < 3 or not any(" sm " in action for action in hand["actions"]):
        return None
    after = [action for action in hand["actions"][boards[2] + 1 :] if action.split()[1] == "sm"]
    return _acting(hand, hand["actions"][: boards[2]] + after)


def _draw_unused(hand: Hand, chance: random.Random) -> str:
    text = " ".join(hand["actions"])
    return chance.choice([card for card in CARDS if card not in text])


def two_cards_on_the_turn(hand: Hand, chance: random.Random) -> Tampered:
    boards = _boards(hand)
    if len(boards) < 2:
        return None
    return _replace_action(hand, boards[1], hand["actions"][boards[1]] + _draw_unused(hand, chance))


def three_hole_cards(hand: Hand, chance: random.Random) -> Tampered:
    dealt = [at for at, action in enumerate(hand["actions"]) if action.startswith("d dh") and "?" not in action]
    at = _pick(chance, dealt)
    return None if at is None else _replace_action(hand, at, hand["actions"][at] + _draw_unused(hand, chance))


# Lawful all the same:


def other_suits(hand: Hand, chance: random.Random) -> Tampered:
    suits = "cdhs"
    turned = dict(zip(suits, chance.sample(suits, 4), strict=True))
    actions = list(hand["actions"])
    for at, action in enumerate(actions):
        words = action.split("#")[0].split()
        if len(words) > 2 and (words[0] == "d" or words[1] == "sm"):
            cards = words[-1]
            actions[at] = " ".join([*words[:-1], "".join(
                cards[place] + turned.get(cards[place + 1], cards[place + 1]) for place in range(0, len(cards), 2)
            )])  # fmt: skip
    return _acting(hand, actions)


def folded_cards_changed(hand: Hand, chance: random.Random) -> Tampered:
    folded = {act.player for act in acts_of(hand) if act.verb == "f"}
    dealt = [
        at
        for at, action in enumerate(hand["actions"])
        if action.startswith("d dh") and "?" not in action and int(action.split()[2][1:]) - 1 in folded
    ]
    at = _pick(chance, dealt)
    if at is None:
        return None
    return _replace_action(hand, at, hand["actions"][at][:-2] + _draw_unused(hand, chance))


def all_doubled(hand: Hand, chance: random.Random) -> Tampered:
    del chance
    found = dict(hand)
    for name in ("antes", "blinds_or_straddles", "starting_stacks", "finishing_stacks", "winnings"):
        if name in hand:
            found[name] = [2 * amount for amount in hand[name]]
    for name in ("min_bet", "small_bet", "big_bet"):
        if name in hand:
            found[name] = 2 * hand[name]
    actions = [
        f"{action.split()[0]} cbr {2 * Decimal(action.split()[2])}" if " cbr " in action else action
        for action in hand["actions"]
    ]
    return _acting(found, actions)


Tamper = Callable[[Hand, random.Random], Tampered]

_MONEY = frozenset({"pots-to-the-winners", "pots-add-up", "uncalled-bet-returned"})
_STACKS = _MONEY | {"chips-accounted-for"}
_TURNS = frozenset(
    {
        "in-turn",
        "no-act-after-the-end",
        "only-players-act",
        "betting-completed",
        "betting-completed-at-the-award",
        "blinds-may-raise",
    }
)

FOUND: dict[Tamper, frozenset[str]] = {
    bet_a_chip_more: _STACKS | {"table-stakes", "raise-exceeds-the-bet"},
    stack_a_chip_more: _STACKS,
    finishing_stack_a_chip_more: _STACKS,
    loser_a_chip_less: _STACKS,
    winnings_a_chip_more: _MONEY,
    out_of_turn: frozenset({"in-turn"}),
    missing_call: _TURNS,
    act_after_the_end: frozenset({"no-act-after-the-end"}),
    act_after_folding: frozenset({"only-players-act"}),
    card_twice: frozenset({"one-deck-in-the-round"}),
    wrong_winner: _MONEY,  # where another player gets only the uncalled bet, the record is as if that was so
    uneven_split: frozenset({"pots-to-the-winners"}),
    raise_too_small: frozenset({"raise-exceeds-the-bet", "fixed-limit-sizes"}),
    fixed_bet_a_chip_more: frozenset({"fixed-limit-sizes"}),
    bet_above_the_stack: frozenset({"table-stakes"}),
    missing_flop: frozenset({"number-of-community-cards"}),
    missing_turn: _TURNS | {"board-complete-at-the-showdown", "number-of-community-cards"},
    showdown_without_the_river: frozenset({"board-complete-at-the-showdown"}),
    two_cards_on_the_turn: frozenset({"number-of-community-cards"}),
    three_hole_cards: frozenset({"two-hole-cards"}),
}
"""Requirements that may be found for each kind. At least one of them must fail."""

LAWFUL: tuple[Tamper, ...] = (other_suits, folded_cards_changed, all_doubled, bet_unanswered_a_chip_more)
"""Changes that leave a hand lawful."""


def hands_in(text: str) -> Iterator[Hand]:
    """Yield the hands of a text whose variant these tests read, with fractions as decimals."""
    found = tomllib.loads(text, parse_float=Decimal)
    for hand in [found] if "variant" in found else found.values():
        if hand["variant"] in ("NT", "FT"):
            yield hand


def write_hand(hand: Hand) -> str:
    """Write a hand as TOML."""
    return "".join(f"{name} = {_value(value)}\n" for name, value in hand.items())


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value)
