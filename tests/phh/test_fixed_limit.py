"""Hands of fixed limit: sizes in a hand history are binding, and an all-in of half a bet counts as a whole one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.phh.audited import failures, get_names
from tests.phh.games import record
from tests.phh.samples import SOUND

SIZES = "fixed-limit-sizes"
HAND = """\
variant = "FT"
antes = [0, 0, 0, 0]
blinds_or_straddles = [2, 4, 0, 0]
small_bet = 4
big_bet = 8
starting_stacks = [100, {short}, 100, 100]
actions = [
  "d dh p1 AhKd", "d dh p2 QsQd", "d dh p3 JsJd", "d dh p4 TsTd", "p3 f", "p4 cc", "p1 cc", "p2 cc", "d db 2c3d7h",
  "p1 cc", "p2 cc", "p4 cc", "d db 8s", {turn}
]
"""


def fail(hand: str, folder: Path, *, custom: bool = True) -> set[str]:
    found, aside = failures({"it": hand}, folder) if custom else failures({"it": hand}, folder, profile=None)
    assert not aside
    return get_names(found["it"])


def test_the_sizes_of_a_hand_history_are_in_the_record() -> None:
    found = record(SOUND["fixed-limit"])
    assert (found["small-bet"], found["big-bet"]) == (400, 800)
    assert not {"small-bet", "big-bet"} & record(SOUND["no-limit"]).keys()


def test_a_hand_that_keeps_to_its_sizes(tmp_path: Path) -> None:
    assert SIZES not in fail(SOUND["fixed-limit"], tmp_path, custom=False)


@pytest.mark.parametrize(
    ("told", "instead"), [("p2 cbr 12", "p2 cbr 13"), ("p2 cbr 4", "p2 cbr 8"), ("p2 cbr 8", "p2 cbr 4")]
)
def test_a_hand_that_does_not(told: str, instead: str, tmp_path: Path) -> None:
    hand = SOUND["fixed-limit"].replace(told, instead)
    assert hand != SOUND["fixed-limit"]
    assert SIZES in fail(hand, tmp_path)
    assert SIZES in fail(hand, tmp_path, custom=False)
    unstated = hand.replace("small_bet = 4\n", "").replace("big_bet = 8\n", "")
    assert SIZES not in fail(unstated, tmp_path)


@pytest.mark.parametrize(
    ("all_in", "raised", "custom", "adopted"),
    [
        ("4", "16", True, True),  # half a bet is a whole one
        ("4", "12", True, False),  # or the raise goes by the size
        ("4", "8", False, False),
        ("3.99", "8", True, True),  # less is completed
        ("3.99", "16", False, False),
        ("7.50", "16", True, True),
    ],
)
def test_the_raise_after_a_short_bet(all_in: str, raised: str, custom: bool, adopted: bool, tmp_path: Path) -> None:
    turn = f'"p1 cc", "p2 cbr {all_in}", "p4 cbr {raised}", "p1 f"'
    hand = HAND.format(short=f"{4 + float(all_in):.2f}", turn=turn)
    assert (SIZES in fail(hand, tmp_path)) is not custom
    assert (SIZES in fail(hand, tmp_path, custom=False)) is not adopted


@pytest.mark.parametrize(("to", "opens"), [("12", True), ("11.99", False)])
def test_half_a_raise_opens_the_betting_again(to: str, opens: bool, tmp_path: Path) -> None:
    turn = f'"p1 cbr 8", "p2 cbr {to}", "p4 cc", "p1 cbr {"24" if opens else "16"}", "p4 f"'
    hand = HAND.format(short=f"{4 + float(to):.2f}", turn=turn)
    assert fail(hand, tmp_path) & {SIZES, "raise-is-open"} == (set() if opens else {"raise-is-open"})
    assert not fail(hand, tmp_path, custom=False) & {SIZES, "raise-is-open"}
