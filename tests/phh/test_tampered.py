"""Hands tampered with: errors that PokerKit refuses or settles otherwise are found, by the right requirement only."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.phh.audited import REAL, failures, get_names
from tests.phh.replay import pokerkit
from tests.phh.rewriting import REWRITTEN
from tests.phh.sites import Telling, site_hand
from tests.phh.tampering import (
    FOUND,
    LAWFUL,
    Hand,
    Tamper,
    card_twice,
    hands_in,
    winnings_a_chip_more,
    write_hand,
)

DIFFERENCES = {
    card_twice: "PokerKit warns of a card that turns up twice and plays on; here it is a deck that is not one deck.",
}
"""Kinds whose results may differ from PokerKit's, with the reason."""


def some_real() -> Iterator[Hand]:
    hands = [hand for path in sorted(REAL.rglob("*.phh*")) for hand in hands_in(path.read_text())]
    yield from random.Random(7).sample(hands, 15)


def some_made() -> Iterator[Hand]:
    """Yield hands in which nobody is all in with a blind.

    Otherwise only a submission would show the size of the blind, and little would be evidenced.
    """
    for seed in range(9_000, 9_048):
        made = site_hand(seed, telling=Telling.STACKS)
        if min(made.stacks) > 2 * made.big_blind:
            yield from hands_in(made.text)


SOURCES = [
    pytest.param(
        some_real, marks=pytest.mark.skipif(not REAL.is_dir(), reason="there are no recorded hands here"), id="recorded"
    ),
    pytest.param(some_made, id="made"),
]


def pokerkit_accepts(hand: Hand) -> bool:
    """Return whether PokerKit plays a hand to its end and arrives at the recorded stacks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            *_, (state, _) = pokerkit.HandHistory.loads(write_hand(hand), parse_value=Decimal).state_actions
        except (ValueError, IndexError, KeyError):
            return False
    told = [Decimal(stack) for stack in hand.get("finishing_stacks", state.stacks)]
    return not state.status and told == [Decimal(stack) for stack in state.stacks]


@pytest.mark.parametrize("source", SOURCES)
def test_each_kind_is_found_by_the_right_requirement(source: object, tmp_path: Path) -> None:
    assert callable(source)
    made: dict[str, tuple[Tamper, Hand, bool]] = {}
    for number, hand in enumerate(source()):
        sound = pokerkit_accepts(hand)
        for kind in (*FOUND, *LAWFUL):
            changed = kind(hand, random.Random(number))
            if changed is not None and changed != hand:
                made[f"{kind.__name__}-{number}"] = (kind, changed, sound)
    found, aside = failures({name: write_hand(hand) for name, (_, hand, _) in made.items()}, tmp_path)
    kinds = Counter[Tamper]()
    for name, (kind, hand, sound) in made.items():
        told = get_names(found.get(name, []))
        lawful = pokerkit_accepts(hand) if sound else not told
        if kind in LAWFUL:
            assert not told, name
            assert lawful or kind in DIFFERENCES, name
            continue
        kinds[kind] += 1
        if lawful and not told:
            # An amount that a later raise makes good is no other hand.
            continue
        assert not lawful or kind in DIFFERENCES or not sound, name
        assert told & FOUND[kind] or name in aside, (name, told)
    rare = {"uneven_split", "winnings_a_chip_more", "fixed_bet_a_chip_more"}
    assert {kind.__name__ for kind in FOUND} - rare <= {kind.__name__ for kind in kinds}


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_rewritten_is_found_by_the_right_requirement(source: object, tmp_path: Path) -> None:
    assert callable(source)
    made: dict[str, tuple[Tamper, Hand]] = {}
    for number, hand in enumerate(source()):
        for kind in REWRITTEN:
            changed = kind(hand, random.Random(number))
            if changed is not None and changed != hand:
                made[f"{kind.__name__}-{number}"] = (kind, changed)
    found, aside = failures({name: write_hand(hand) for name, (_, hand) in made.items()}, tmp_path)
    for name, (kind, _) in made.items():
        assert get_names(found.get(name, [])) & REWRITTEN[kind] or name in aside, name
    # Of a straddle that nobody answered the next raise may be to no more than that.
    assert {made[name][0].__name__ for name in aside} <= {"straddle_unanswered"}
    assert len({kind for kind, _ in made.values()}) > len(REWRITTEN) // 2


@pytest.mark.skipif(not REAL.is_dir(), reason="there are no recorded hands here")
def test_a_raked_hand_of_which_somebody_won_more(tmp_path: Path) -> None:
    hands = [hand for path in REAL.rglob("*.phhs") for hand in hands_in(path.read_text())]
    wrong = {
        str(number): write_hand(changed)
        for number, hand in enumerate(hands)
        if (changed := winnings_a_chip_more(hand, random.Random(number)))
    }
    found, _ = failures(wrong, tmp_path)
    assert len(wrong) == 8 and found.keys() == wrong.keys()
