"""Hands of draw games tampered with, one change at a time; each kind states the requirements that may name it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.phh.tampering import CARDS

Hand = dict[str, Any]
Tampered = Hand | None
"""Hand after a change; None where the change does not apply to it."""


def _words(action: str) -> list[str]:
    return action.partition("#")[0].split()


def _acting(hand: Hand, actions: Sequence[str]) -> Hand:
    return {**hand, "actions": list(actions)}


def _draws(hand: Hand) -> list[list[int]]:
    """Return the indices of the words of each draw: runs of `sd`."""
    found: list[list[int]] = []
    for at, action in enumerate(hand["actions"]):
        if _words(action)[1:2] == ["sd"]:
            if found and found[-1][-1] == at - 1:
                found[-1].append(at)
            else:
                found.append([at])
    return found


def _find_drawn(hand: Hand) -> list[int]:
    """Return the indices of drawn cards."""
    first = next((at for at, action in enumerate(hand["actions"]) if " sd" in action), len(hand["actions"]))
    return [at for at, action in enumerate(hand["actions"]) if at > first and action.startswith("d dh")]


def _draw_unused(hand: Hand, chance: random.Random) -> str:
    return chance.choice([card for card in CARDS if not any(card in action for action in hand["actions"])])


def _swap(actions: Sequence[str], one: int, other: int) -> list[str]:
    found = list(actions)
    found[one], found[other] = found[other], found[one]
    return found


def _pick(chance: random.Random, listed: Sequence[Any]) -> Any:
    return chance.choice(listed) if listed else None


def words_out_of_turn(hand: Hand, chance: random.Random) -> Tampered:
    draw = _pick(chance, [draw for draw in _draws(hand) if len(draw) > 1])
    return None if draw is None else _acting(hand, _swap(hand["actions"], draw[0], draw[1]))


def cards_out_of_turn(hand: Hand, chance: random.Random) -> Tampered:
    drawn = set(_find_drawn(hand))
    at = _pick(chance, [at for at in drawn if at + 1 in drawn])
    return None if at is None else _acting(hand, _swap(hand["actions"], at, at + 1))


def a_card_more(hand: Hand, chance: random.Random) -> Tampered:
    at = _pick(chance, _find_drawn(hand))
    if at is None:
        return None
    actions = list(hand["actions"])
    actions[at] += _draw_unused(hand, chance)
    return _acting(hand, actions)


def cards_not_drawn(hand: Hand, chance: random.Random) -> Tampered:
    at = _pick(chance, _find_drawn(hand))
    if at is None:
        return None
    _, _, player, cards = _words(hand["actions"][at])
    later = hand["actions"][at + 1 :]
    for card in (cards[place : place + 2] for place in range(0, len(cards), 2)):
        if any(f"{player} sd" in action and card in action for action in later):
            return None  # a card that the player never had cannot be put away
        later = [action.replace(card, "") if f"{player} sm" in action else action for action in later]
    return _acting(hand, [*hand["actions"][:at], *later])


def draw_again(hand: Hand, chance: random.Random) -> Tampered:
    """Discard one of the cards again right after the draw."""
    at = _pick(chance, [at for at in _find_drawn(hand) if at + 1 not in _find_drawn(hand)])
    if at is None:
        return None
    _, _, player, cards = _words(hand["actions"][at])
    new = _draw_unused(hand, chance)
    more = [f"{player} sd {cards[:2]}", f"d dh {player} {new}"]
    later = [
        action.replace(cards[:2], new) if action.startswith(player) else action for action in hand["actions"][at + 1 :]
    ]
    return _acting(hand, [*hand["actions"][: at + 1], *more, *later])


def act_before_the_draw_is_over(hand: Hand, chance: random.Random) -> Tampered:
    draw = _pick(chance, [draw for draw in _draws(hand) if len(draw) > 1])
    if draw is None:
        return None
    player = _words(hand["actions"][draw[0]])[0]
    return _acting(hand, [*hand["actions"][: draw[1]], f"{player} cc", *hand["actions"][draw[1] :]])


def drawn_after_folding(hand: Hand, chance: random.Random) -> Tampered:
    draw = _pick(chance, _draws(hand))
    if draw is None:
        return None
    gone = [_words(action)[0] for action in hand["actions"][: draw[0]] if _words(action)[1:] == ["f"]]
    player = _pick(chance, gone)
    if player is None:
        return None
    return _acting(hand, [*hand["actions"][: draw[0]], f"{player} sd", *hand["actions"][draw[0] :]])


def passed_over(hand: Hand, chance: random.Random) -> Tampered:
    """Remove the words of a player who stood pat."""
    places = [at for draw in _draws(hand) if len(draw) > 1 for at in draw if len(_words(hand["actions"][at])) == 2]
    at = _pick(chance, places)
    return None if at is None else _acting(hand, [*hand["actions"][:at], *hand["actions"][at + 1 :]])


def draw_before_the_last_act(hand: Hand, chance: random.Random) -> Tampered:
    draw = _pick(chance, [draw for draw in _draws(hand) if _words(hand["actions"][draw[0] - 1])[1:] == ["cc"]])
    if draw is None:
        return None
    return _acting(hand, _swap(hand["actions"], draw[0] - 1, draw[0]))


def card_twice(hand: Hand, chance: random.Random) -> Tampered:
    """Give a player who folded before the first draw a card that another player was dealt as well."""
    draws = _draws(hand)
    before = hand["actions"][: draws[0][0]] if draws else hand["actions"]
    dealt = {
        _words(earlier)[2]: at for at, earlier in enumerate(before) if earlier.startswith("d dh") and "?" not in earlier
    }
    gone = [_words(earlier)[0] for earlier in before if _words(earlier)[1:] == ["f"] and _words(earlier)[0] in dealt]
    player = _pick(chance, gone)
    if player is None or len(dealt) < 2:
        return None
    other = chance.choice([card for card in dealt if card != player])
    actions = list(hand["actions"])
    actions[dealt[player]] = actions[dealt[player]][:-2] + actions[dealt[other]][-2:]
    return _acting(hand, actions)


def wrong_winner(hand: Hand, chance: random.Random) -> Tampered:
    """Swap the gains of two players at the showdown, one of whom gained more."""
    del chance
    before, after = hand["starting_stacks"], list(hand["finishing_stacks"])
    shown = [
        int(_words(action)[0][1:]) - 1
        for action in hand["actions"]
        if _words(action)[1:2] == ["sm"] and len(action) > 6
    ]
    if len(shown) != 2 or "sm -" in str(hand["actions"]):
        return None
    won, lost = sorted(shown, key=lambda player: before[player] - after[player])
    if after[won] <= before[won] or after[lost] >= before[lost]:
        return None
    over = after[won] - before[won]
    after[won], after[lost] = after[won] - over, after[lost] + over
    return {**hand, "finishing_stacks": after}


Tamper = Callable[[Hand, random.Random], Tampered]

_NUMBER = frozenset({"as-many-as-put-away", "no-more-than-may-be"})
_ONCE = frozenset({"once", "once-a-draw", "betting-complete-before-a-draw", "betting-complete-before-the-draw"})
_ACTS = frozenset({"no-act-after-the-end", "acts-in-turn", "only-players-act"})
_WORDS = frozenset(
    {
        "words-in-turn",
        "words-of-the-first-draw-in-turn",
        "words-of-the-second-draw-in-turn",
        "words-of-the-third-draw-in-turn",
    }
)
_LEFT_OUT = frozenset(
    {
        "everybody-draws-or-stands-pat",
        "everybody-in-the-first-draw",
        "everybody-in-the-second-draw",
        "everybody-in-the-third-draw",
        "a-draw-before-the-showdown",
        "three-draws-before-the-showdown",
    }
)

FOUND: dict[Tamper, frozenset[str]] = {
    words_out_of_turn: _WORDS,
    cards_out_of_turn: frozenset({"drawn-in-turn"}),
    a_card_more: _NUMBER,
    cards_not_drawn: _NUMBER,
    draw_again: _ONCE,
    act_before_the_draw_is_over: _ACTS,
    drawn_after_folding: frozenset({"only-players-draw"}),
    passed_over: _LEFT_OUT,
    draw_before_the_last_act: _ONCE,
    card_twice: frozenset({"one-deck"}),
    wrong_winner: frozenset({"pots-to-the-winners", "uncalled-bet-returned"}),
}
"""Requirements that may be found for each kind. At least one of them must fail."""


def tamper_all(hand: Hand, chance: random.Random) -> Iterator[tuple[Tamper, Hand]]:
    """Yield the hand tampered with in every applicable way."""
    for kind in FOUND:
        changed = kind(hand, chance)
        if changed is not None:
            yield kind, changed
