"""Boards that are run several times, against PokerKit: each board wins its part of each pot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.phh.audited import failures, get_names
from tests.phh.runs import RunHand, run_hand

HANDS = 60
WIDEST = 12
"""Most community cards that a record holds."""


@pytest.fixture(scope="module", params=[2, 3])
def hands(request: pytest.FixtureRequest) -> dict[str, RunHand]:
    played = {str(seed): run_hand(seed, runs=request.param) for seed in range(HANDS)}
    found = {name: hand for name, hand in played.items() if hand is not None and hand.community <= WIDEST}
    assert len(found) > HANDS // 8
    return found


def test_no_lawful_hand_fails(hands: dict[str, RunHand], tmp_path: Path) -> None:
    found, aside = failures({name: hand.text() for name, hand in hands.items()}, tmp_path)
    assert not aside
    assert {name: get_names(findings) for name, findings in found.items()} == {}


def test_by_the_text_the_board_is_dealt_once_and_that_is_told_once(hands: dict[str, RunHand], tmp_path: Path) -> None:
    found, _ = failures({name: hand.text() for name, hand in hands.items()}, tmp_path, profile=None)
    for name in hands:
        told = [finding.requirement for finding in found[name]]
        assert told.count("poker-room/number-of-community-cards") == 1
        assert not get_names(found[name]) & {
            "board-complete-at-the-showdown",
            "pots-to-the-winners",
            "betting-completed",
        }


def test_a_share_that_goes_to_another_is_found(hands: dict[str, RunHand], tmp_path: Path) -> None:
    wrong = {}
    for name, hand in hands.items():
        first, second = sorted(range(len(hand.stacks)), key=lambda player: -hand.stacks[player])[:2]
        stacks = list(hand.stacks)
        stacks[first], stacks[second] = stacks[second], stacks[first]
        start = hand.fields["starting_stacks"]
        assert isinstance(start, list)
        if len({stacks[player] - start[player] for player in (first, second)}) > 1 and stacks != hand.stacks:
            wrong[name] = hand.text(stacks=stacks)
    found, _ = failures(wrong, tmp_path)
    assert len(wrong) > len(hands) // 2
    missed = [
        name for name in wrong if not get_names(found.get(name, [])) & {"pots-to-the-winners", "chips-accounted-for"}
    ]
    assert missed == []
