"""Hands rewritten to tell a different outcome: cards, chips and acts that do not fit together."""

from __future__ import annotations

import random

from tests.phh.tampering import CARDS, Act, Hand, Tamper, Tampered, acts_of


def _gains(hand: Hand) -> list[int]:
    return [after - before for after, before in zip(hand["finishing_stacks"], hand["starting_stacks"], strict=True)]


def _winner(hand: Hand) -> int | None:
    winners = [player for player, gain in enumerate(_gains(hand)) if gain > 0]
    return winners[0] if len(winners) == 1 else None


def _list_folded(hand: Hand) -> set[int]:
    return {act.player for act in acts_of(hand) if act.verb == "f"}


def _move_chips(hand: Hand, amount: int, from_: int, to: int) -> Hand:
    after = list(hand["finishing_stacks"])
    after[from_] -= amount
    after[to] += amount
    return {**hand, "finishing_stacks": after}


def _replace_action(hand: Hand, at: int, *actions: str) -> Hand:
    return {**hand, "actions": [*hand["actions"][:at], *actions, *hand["actions"][at + 1 :]]}


def _boards(hand: Hand) -> list[int]:
    return [at for at, action in enumerate(hand["actions"]) if action.startswith("d db")]


def _draw_unused(hand: Hand, chance: random.Random, count: int = 1) -> str:
    text = " ".join(hand["actions"])
    return "".join(chance.sample([card for card in CARDS if card not in text], count))


def winnings_to_who_folded(hand: Hand, chance: random.Random) -> Tampered:
    winner = _winner(hand)
    folded = sorted(_list_folded(hand) - {winner})
    if winner is None or not folded:
        return None
    return _move_chips(hand, _gains(hand)[winner], winner, chance.choice(folded))


def a_chip_to_another(hand: Hand, chance: random.Random) -> Tampered:
    winner = _winner(hand)
    others = [player for player in range(len(hand["starting_stacks"])) if player != winner]
    return None if winner is None else _move_chips(hand, 1, winner, chance.choice(others))


def losses_swapped(hand: Hand, chance: random.Random) -> Tampered:
    """Swap the final stacks of two losers."""
    after = hand["finishing_stacks"]
    losers = [player for player, gain in enumerate(_gains(hand)) if gain <= 0]
    pairs = [(loser, two) for loser in losers for two in losers if after[loser] > after[two]]
    if not pairs:
        return None
    one, two = chance.choice(pairs)
    return _move_chips(hand, after[one] - after[two], one, two)


def uncalled_bet_to_another(hand: Hand, chance: random.Random) -> Tampered:
    bet: Act | None = next((act for act in reversed(acts_of(hand)) if act.verb == "cbr"), None)
    if bet is None or any(act.at > bet.at and act.verb == "cc" for act in acts_of(hand)):
        return None
    others = [player for player in range(len(hand["starting_stacks"])) if player != bet.player]
    return _move_chips(hand, int(bet.total - bet.level), bet.player, chance.choice(others))


def blinds_swapped(hand: Hand, chance: random.Random) -> Tampered:
    del chance
    small, big, *others = hand["blinds_or_straddles"]
    if min(small, big) <= 0:
        return None
    return {**hand, "blinds_or_straddles": [big, small, *others]}


def no_blinds(hand: Hand, chance: random.Random) -> Tampered:
    del chance
    return {**hand, "blinds_or_straddles": [0] * len(hand["blinds_or_straddles"])}


def straddle_unanswered(hand: Hand, chance: random.Random) -> Tampered:
    """Record a straddle of the third player, who nevertheless acts first."""
    del chance
    blinds = list(hand["blinds_or_straddles"])
    if len(blinds) < 4 or min(blinds[:2]) <= 0 or blinds[2] or hand["starting_stacks"][2] <= 2 * blinds[1]:
        return None
    blinds[2] = 2 * blinds[1]
    return {**hand, "blinds_or_straddles": blinds}


def raise_a_chip_short(hand: Hand, chance: random.Random) -> Tampered:
    raises = [act for act in acts_of(hand) if act.verb == "cbr" and act.level > 0 and act.last_raise > 1]
    raises = [act for act in raises if act.level + act.last_raise - 1 - act.put < act.behind]
    if not raises:
        return None
    act = chance.choice(raises)
    return _replace_action(hand, act.at, f"p{act.player + 1} cbr {act.level + act.last_raise - 1}")


def small_blind_first(hand: Hand, chance: random.Random) -> Tampered:
    del chance
    acts = acts_of(hand)
    small = next((act for act in acts if act.player == 0 and act.street == 0), None)
    if small is None or len(hand["starting_stacks"]) < 4 or acts[0] is small:
        return None
    actions = list(hand["actions"])
    actions.insert(acts[0].at, actions.pop(small.at))
    return {**hand, "actions": actions}


def acted_twice(hand: Hand, chance: random.Random) -> Tampered:
    act = chance.choice(acts_of(hand))
    return _replace_action(hand, act.at, hand["actions"][act.at], f"p{act.player + 1} cc")


def flop_of_two(hand: Hand, chance: random.Random) -> Tampered:
    del chance
    boards = _boards(hand)
    return _replace_action(hand, boards[0], hand["actions"][boards[0]][:-2]) if boards else None


def turn_before_the_flop(hand: Hand, chance: random.Random) -> Tampered:
    del chance
    boards = _boards(hand)
    if len(boards) < 2:
        return None
    actions = list(hand["actions"])
    actions[boards[0]], actions[boards[1]] = actions[boards[1]], actions[boards[0]]
    return {**hand, "actions": actions}


def board_for_one(hand: Hand, chance: random.Random) -> Tampered:
    """Deal more of the board after all others have folded."""
    boards = len(_boards(hand))
    if len(hand["starting_stacks"]) - len(_list_folded(hand)) != 1 or boards > 2:
        return None
    return {**hand, "actions": [*hand["actions"], f"d db {_draw_unused(hand, chance, 1 if boards else 3)}"]}


def bet_when_alone(hand: Hand, chance: random.Random) -> Tampered:
    del chance
    left = set(range(len(hand["starting_stacks"]))) - _list_folded(hand)
    if len(left) != 1:
        return None
    last = acts_of(hand)[-1]
    raised = f"p{min(left) + 1} cbr {2 * last.level + 2 * hand['blinds_or_straddles'][1]}"
    return _replace_action(hand, last.at, hand["actions"][last.at], raised)


def another_card_shown(hand: Hand, chance: random.Random) -> Tampered:
    known = {action.split()[2] for action in hand["actions"] if action.startswith("d dh") and "?" not in action}
    shown = [at for at, action in enumerate(hand["actions"])
             if " sm " in action and action.split()[0] in known and action.split()[2] != "-"]  # fmt: skip
    if not shown:
        return None
    at = chance.choice(shown)
    return _replace_action(hand, at, hand["actions"][at][:-2] + _draw_unused(hand, chance))


def card_of_another(hand: Hand, chance: random.Random) -> Tampered:
    dealt = [at for at, action in enumerate(hand["actions"]) if action.startswith("d dh") and "?" not in action]
    if len(dealt) < 2:
        return None
    one, two = chance.sample(dealt, 2)
    return _replace_action(hand, one, hand["actions"][one][:-2] + hand["actions"][two][-2:])


def winner_conceded(hand: Hand, chance: random.Random) -> Tampered:
    """Let the winner of a showdown concede before another player did."""
    del chance
    winner = _winner(hand)
    left = set(range(len(hand["starting_stacks"]))) - _list_folded(hand)
    shown = [
        at
        for at, action in enumerate(hand["actions"])
        if winner is not None and action.startswith(f"p{winner + 1} sm ")
    ]
    if len(shown) != 1 or len(left) < 2 or len(_boards(hand)) < 3:
        return None
    actions = [action for at, action in enumerate(hand["actions"]) if at != shown[0]]
    return {
        **hand,
        "actions": [*actions[: _boards(hand)[2] + 1], f"p{(winner or 0) + 1} sm", *actions[_boards(hand)[2] + 1 :]],
    }


def no_showdown(hand: Hand, chance: random.Random) -> Tampered:
    del chance
    told = [action for action in hand["actions"] if action.split()[1:2] != ["sm"]]
    if len(hand["actions"]) - len(told) < 2 or ("venue" in hand and "event" not in hand):
        return None
    return {**hand, "actions": told}


_SHARES = frozenset({"pots-to-the-winners", "uncalled-bet-returned"})

REWRITTEN: dict[Tamper, frozenset[str]] = {
    winnings_to_who_folded: _SHARES,
    a_chip_to_another: _SHARES,
    losses_swapped: _SHARES,
    uncalled_bet_to_another: _SHARES,
    blinds_swapped: frozenset({"big-blind-is-larger"}),
    no_blinds: frozenset({"a-blind-posted", "in-turn"}),
    straddle_unanswered: frozenset({"in-turn"}),
    raise_a_chip_short: frozenset({"raise-exceeds-the-bet", "fixed-limit-sizes"}),
    small_blind_first: frozenset({"in-turn"}),
    acted_twice: frozenset({"in-turn", "only-players-act", "no-act-after-the-end"}),
    flop_of_two: frozenset({"number-of-community-cards", "no-act-after-the-end", "board-complete-at-the-showdown"}),
    turn_before_the_flop: frozenset({"number-of-community-cards"}),
    board_for_one: frozenset({"no-board-after-the-last-fold"}),
    bet_when_alone: frozenset({"no-act-after-the-end"}),
    another_card_shown: frozenset({"two-hole-cards"}),
    card_of_another: frozenset({"one-deck-in-the-round"}),
    winner_conceded: frozenset({"pots-to-the-winners", "no-act-after-the-end"}),
    no_showdown: frozenset({"showdown-held"}),
}
"""Requirements that may be found for each kind by card room custom. At least one of them must fail."""
