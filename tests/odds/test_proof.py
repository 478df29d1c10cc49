"""A count of all deals proves that a rulebook is complete, or shows a deal for which it is not."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run

RULES = Path(__file__).parents[2] / "rules_data"
GAME = "co-rule10-3card-shine"
TIED = "{compare: {hand: player, is: equal, to: dealer}}, due: returned"


def settlements(wager: str, rules: Path = RULES) -> list[dict[str, Any]]:
    """Return the proof about a wager, for each of its tables."""
    rows = run("odds", GAME, "--wager", wager, "--rules", rules, "-o", "json").results["wagers"]
    return [row["settlement"] for row in rows]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Return a rulebook that a test may spoil."""
    for name in (GAME, "vocabulary"):
        shutil.copytree(RULES / name, tmp_path / name)
    return tmp_path


def spoil(rules: Path, was: str, is_: str) -> None:
    path = rules / GAME / "game.yaml"
    text = path.read_text()
    assert text.count(was) == 1
    path.write_text(text.replace(was, is_))


@pytest.mark.parametrize("wager", ["ante", "pair-xxx", "super-6"])
def test_every_deal_settles_every_stake_by_exactly_one_case(wager: str) -> None:
    for settlement in settlements(wager):
        assert settlement["whole"]
        assert settlement["undecided"] == settlement["never"] == []


def test_cases_whose_order_matters_are_told_with_a_deal() -> None:
    (found,) = settlements("ante")
    order = {(pair["line"], pair["case"], pair["other"]): pair["deal"] for pair in found["order"]}
    # A fold loses the Ante that the same cards would win, and a dealer who does not qualify leaves it as it is.
    assert order["ante", "folded-ante", "player-higher"]["decision"] == "fold"
    dealer = order["play", "not-qualified-play", "player-higher"]["cards"]["dealer"]
    assert not {"Q", "K", "A"} & set(dealer[::2])
    assert ("ante", "tied", "player-higher") not in order


def test_a_deal_that_no_case_decides_is_shown(rules: Path) -> None:
    pairs = TIED.replace("{compare", "[{holds: {hand: player, at-least: pair}}, {compare")
    spoil(rules, TIED, pairs.replace("dealer}}", "dealer}}]"))
    found = run("odds", GAME, "--wager", "ante", "--rules", rules, "-o", "json")
    (row,) = found.results["wagers"]
    assert row["house-advantage"] is None
    assert row["why"].startswith("no case settles play in some deal: ")
    assert not row["settlement"]["whole"]
    (gap,) = row["settlement"]["undecided"]
    own, dealer = gap["deal"]["cards"]["player"], gap["deal"]["cards"]["dealer"]
    assert sorted(own[::2]) == sorted(dealer[::2])
    assert len(set(own[::2])) == 3  # a tie of less than a pair
    assert {"Q", "K", "A"} & set(dealer[::2])  # against a dealer who plays
    text = run("odds", GAME, "--wager", "ante", "--rules", rules).text
    assert f"no case settles play (player {own}; dealer {dealer}; play)" in text


def test_a_case_that_no_deal_comes_to_is_told(rules: Path) -> None:
    # Two hands of three alike are never of one rank, and nothing but the cards shows it.
    more = """  - case: tied-with-three
    lines: [play, ante]
    when: [{compare: {hand: player, is: equal, to: dealer}}, {holds: {hand: player, is: three-of-a-kind}}]
    due: returned
    clauses: ["(14)(B)(i)"]
"""
    spoil(rules, "  - {case: tied,", f"{more}  - {{case: tied,")
    (found,) = settlements("ante", rules)
    assert found["whole"]
    assert found["never"] == [{"line": "play", "case": "tied-with-three"}, {"line": "ante", "case": "tied-with-three"}]


def test_a_row_that_no_deal_hits_is_told(rules: Path) -> None:
    more = """  - case: three-alike-returned
    lines: [pair-xxx]
    when: {holds: {hand: player, is: three-of-a-kind}}
    due: returned
    clauses: ["(16)"]
"""
    spoil(rules, "  - {case: pair-by-table,", f"{more}  - {{case: pair-by-table,")
    rows = run("odds", GAME, "--wager", "pair-xxx", "--rules", rules, "-o", "json").results["wagers"]
    assert [row["never"] for row in rows] == [["three-of-a-kind"]] * 4


def test_a_page_tells_what_is_proved() -> None:
    page = run("odds", GAME, "--wager", "super-6", "-o", "html").text
    assert "exactly one case settles every stake in every deal, whatever the player decides" in page
