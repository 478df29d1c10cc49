"""`fairdeal odds`: its output for each game, and its options."""

from __future__ import annotations

import csv
import io
import shutil
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import blocks
from tests.facade.commands import run

RULES = Path(__file__).parents[2] / "rules_data"


def test_a_game_without_rules_of_play_has_no_odds_and_says_so() -> None:
    found = run("odds", "co-rule8-burnout", "-o", "json")
    assert found.code == 0
    assert found.results["wagers"] == []
    assert found.results["why"] == "the document has no rules of play"


def test_what_players_win_from_each_other_has_no_advantage() -> None:
    rows = run("odds", "poker-room", "-o", "json").results["wagers"]
    assert {row["wager"] for row in rows} >= {"small-blind", "big-blind", "bets"}
    for row in rows:
        assert row["house-advantage"] is None
        assert "from each other" in row["why"]


def test_colorado_holdem_is_worth_what_a_plain_enumeration_came_to() -> None:
    # Every three cards, every card that may be put aside, every board: 22,100 x 3 x 18,424, in plain NumPy.
    rows = {row["pay-table"]: row for row in run("odds", "s38", "-o", "json").results["wagers"]}
    assert {table: row["house-advantage"] for table, row in rows.items()} == {
        "main-required": "2858741/50896300",
        "main-permissible": "11099/363545",
        "bonus-required": "835607/2544815",
        "bonus-permissible": "493999/2908360",
    }
    assert list(rows) == ["main-required", "main-permissible", "bonus-required", "bonus-permissible"]
    assert rows["main-required"]["options"] == {"version": "required-bet"}
    assert rows["bonus-required"]["beside"] == ["ante"]


def test_flush_rush_is_counted_by_what_matters_of_its_cards() -> None:
    rows = run("odds", "co-rule10-flushes-gone-wild", "--wager", "flush-rush", "-o", "json").results["wagers"]
    assert [row["pay-table"] for row in rows] == ["fgw-01", "fgw-02", "fgw-03", "fgw-04"]
    found = {outcome["outcome"]: outcome["combinations"] for outcome in rows[0]["outcomes"]}
    assert rows[0]["deals"] == comb(52, 7)
    assert found["7-card-natural-flush"] == 4 * comb(12, 7)
    assert found["6-card-natural-flush"] == 4 * comb(12, 6) * 36
    assert found["5-card-natural-flush"] == 4 * comb(12, 5) * comb(36, 2)
    assert found["7-card-wild-flush"] == 4 * sum(comb(4, wild) * comb(12, 7 - wild) for wild in range(1, 5))


def test_a_progressive_hangs_on_its_meter() -> None:
    rows = run("odds", "caribbean-draw", "--wager", "progressive", "-o", "json").results["wagers"]
    assert [row["pay-table"] for row in rows] == ["progressive-by-percentage", "progressive-by-amount"]
    for row in rows:
        assert row["house-advantage"] is None
        assert "meter" in row["why"]
    told = run("odds", "caribbean-draw", "--wager", "progressive", "--meter", "progressive=50,000.00", "-o", "json")
    row = told.results["wagers"][1]
    won = 4 * (5_000_000 - 100) + 36 * 499_900 + 624 * 49_900 + 3_744 * 9_900 + 5_108 * 4_900 - 2_589_444 * 100
    assert row["exact"] is True
    assert Fraction(row["house-advantage"]) == Fraction(-won, comb(52, 5) * 100)
    assert Fraction(row["by-meter"]["per-unit"]) == Fraction(4, comb(52, 5) * 100)


def test_where_both_sides_draw_rounds_are_simulated_the_same_for_a_seed() -> None:
    command = ("odds", "caribbean-draw", "--wager", "ante", "--rounds", "20000", "--seed", "7", "-o", "json")
    found, again = run(*command), run(*command)
    assert found.out == again.out
    (row,) = found.results["wagers"]
    assert row["exact"] is False
    low, high = row["interval"]
    assert low < float(Fraction(row["house-advantage"])) < high
    assert high - low < 0.008
    # 5.5 million rounds dealt and settled one by one gave 0.0277, within 0.0027
    assert low < 0.0304
    assert high > 0.0250


def test_a_submission_has_the_tables_it_has_chosen() -> None:
    submission = RULES / "co-rule10-3card-shine" / "demo" / "submission.yaml"
    rows = run("odds", "co-rule10-3card-shine", "--submission", submission, "-o", "json").results["wagers"]
    assert len(rows) == len({row["wager"] for row in rows})
    assert rows[0]["house-advantage"] == "686689/20358520"


def test_a_reading_moves_money(tmp_path: Path) -> None:
    profile = tmp_path / "best-row.yaml"
    profile.write_text(
        "profile: best-row\ntitle: Three aces by the best row\nchoices:\n"
        "- {document: co-rule10-3card-shine, reading: three-aces-without-a-row, is: as-best-listed-row}\n"
    )
    command = ("odds", "co-rule10-3card-shine", "--wager", "pair-xxx", "-o", "json")
    as_adopted, otherwise = (run(*command, *more).results["wagers"] for more in ((), ("--profile", profile)))
    moved = Fraction(as_adopted[0]["house-advantage"]) - Fraction(otherwise[0]["house-advantage"])
    assert moved == Fraction(4 * (40 - 30), 22_100)
    assert as_adopted[1] == otherwise[1]


def test_csv_has_a_line_for_each_outcome() -> None:
    found = run("odds", "co-rule10-3card-shine", "--wager", "pair-xxx", "-o", "csv")
    lines = list(csv.DictReader(io.StringIO(found.text, newline="")))
    assert len(lines) == 6 * 2 + 7 * 2 + 2
    by_table = [line for line in lines if line["pay-table"] == "pair-xxx-a"]
    assert -sum(Fraction(line["contribution"]) for line in by_table) == Fraction(128, 5525)


def test_text_sets_wagers_side_by_side() -> None:
    text = run("odds", "co-rule10-3card-shine", "--wager", "pair-xxx").text
    said = "Pair XXX: best for the player pair-xxx-a (2.3167 %), worst pair-xxx-d (7.2760 %)"
    assert said in text.splitlines()
    text = run("odds", "co-rule10-3card-shine", "--wager", "ante").text
    assert "Ante, table ante-bonus         3.3730 %         2.0147 %" in text
    assert "play: queen high: queen, six, four or better (14,900 of 22,100 hands)" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("co-rule10-3card-shin",), "did you mean `co-rule10-3card-shine`?"),
        (("s38", "--wager", "bonuss"), "did you mean `bonus`?"),
        (("s38", "--meter", "progressive"), "is not a meter reading"),
        (("s38", "--output", "jsn"), "did you mean `json`?"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(arguments: tuple[str, ...], said: str) -> None:
    found = run("odds", *arguments)
    assert found.code == 2
    assert said in found.err


def test_a_stated_figure_that_is_not_so_is_told_where_it_stands(tmp_path: Path) -> None:
    submission = RULES / "co-rule10-3card-shine" / "demo" / "submission.yaml"
    path = tmp_path / "stated.yaml"
    stated = (
        "stated-odds:\n- {wager: ante, house-advantage: 3.37%, element-of-risk: 2.0147%}\n"
        "- {wager: super-6, house-advantage: 12816/149695}\n"
    )
    path.write_text(submission.read_text() + stated)
    found = run("odds", "co-rule10-3card-shine", "-s", path, "-o", "json")
    assert found.code == 0
    assert [statement["holds"] for statement in found.results["stated"]] == [True, True, True]
    path.write_text(submission.read_text() + stated.replace("3.37%", "3.38%").replace("12816", "12817"))
    found = run("odds", "co-rule10-3card-shine", "-s", path, "-o", "json")
    assert found.code == 1
    assert [statement["holds"] for statement in found.results["stated"]] == [False, True, False]
    assert "the house advantage of ante is stated as 3.38%" in found.err
    assert "expected: 3.3730 % (686689/20358520)" in found.err


def test_a_table_that_is_not_permitted_is_reckoned_with_as_posted() -> None:
    submission = RULES / "co-rule10-3card-shine" / "demo" / "submission.yaml"
    rows = run("odds", "co-rule10-3card-shine", "-s", submission, "--wager", "pair-xxx", "-o", "json").results["wagers"]
    (row,) = rows
    assert row["pay-table"] is None
    pays = {outcome["outcome"]: Fraction(outcome["pays"]) for outcome in row["outcomes"]}
    hits = {
        "three-aces": 4,
        "straight-flush": 48,
        "three-of-a-kind": 48,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
    }
    won = sum(pays[name] * number for name, number in hits.items()) - 16_440
    assert Fraction(row["house-advantage"]) == -won / 22_100


def test_readings_are_worth_what_they_move() -> None:
    found = run("odds", "co-rule10-3card-shine", "--wager", "pair-xxx", "--readings", "-o", "json").results["readings"]
    moved = {(result["reading"], result["option"]): result["wagers"] for result in found}
    (three_aces, of_d) = moved["three-aces-without-a-row", "as-best-listed-row"]
    assert (three_aces["pay-table"], of_d["pay-table"]) == ("pair-xxx-a", "pair-xxx-d")
    assert Fraction(three_aces["moved"]) == Fraction(-4 * 10, 22_100)
    assert moved["pair-xxx-after-fold", "by-table"] == []
    assert len(moved["straight-with-an-ace", "high-only"]) == 4


def test_what_moved_between_two_runs_is_told_in_money(tmp_path: Path) -> None:
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    profile = tmp_path / "best-row.yaml"
    profile.write_text(
        "profile: best-row\ntitle: Three aces by the best row\nchoices:\n"
        "- {document: co-rule10-3card-shine, reading: three-aces-without-a-row, is: as-best-listed-row}\n"
    )
    command = ("odds", "co-rule10-3card-shine", "--wager", "pair-xxx")
    run(*command, "-o", f"json:{before}")
    run(*command, "--profile", profile, "-o", f"json:{after}")
    found = run("odds", "diff", before, after, "--handle", "22,100")
    assert found.code == 0
    assert "pair-xxx, table pair-xxx-a: 2.3167 % -> 2.1357 % (-0.1810 %), -40.00 on 22,100.00" in found.text
    assert "pair-xxx-b" not in found.text
    same = tmp_path / "same.json"
    same.write_text(before.read_text())
    assert run("odds", "diff", before, same).text.endswith("No house advantage changed.\n")
    after.write_text(after.read_text().replace('"128/5525"', '"1/0"').replace('"118/5525"', '"1/0"'))
    assert run("odds", "diff", before, after).code == 3


def test_each_side_has_a_profile_of_its_own(tmp_path: Path) -> None:
    profile = tmp_path / "best-row.yaml"
    profile.write_text(
        "profile: best-row\ntitle: Three aces by the best row\nchoices:\n"
        "- {document: co-rule10-3card-shine, reading: three-aces-without-a-row, is: as-best-listed-row}\n"
    )
    game, only = "co-rule10-3card-shine", ("--wager", "pair-xxx", "--handle", "22,100")
    found = run("odds", "diff", game, "--after-profile", profile, *only)
    assert found.text.startswith(f"3 Card Shine ({game}): {game} -> {game}, profile {profile}\n")
    assert "pair-xxx, table pair-xxx-a: 2.3167 % -> 2.1357 % (-0.1810 %), -40.00 on 22,100.00" in found.text
    back = run("odds", "diff", game, game, "--before-profile", profile, *only).text
    assert "pair-xxx, table pair-xxx-a: 2.1357 % -> 2.3167 % (+0.1810 %), 40.00 on 22,100.00" in back
    both = run("odds", "diff", game, game, "--profile", profile, *only).text
    assert both.endswith("No house advantage changed.\n")


def test_a_day_chooses_among_submissions(tmp_path: Path) -> None:
    text = run("new", "co-rule10-3card-shine", "--example").text
    submission = yaml.safe_load(text)
    for name, day, printed in (("spring", "2026-03-01", "pair-xxx-a"), ("summer", "2026-06-01", "pair-xxx-d")):
        table = next(pay_table for pay_table in submission["pay-tables"] if pay_table["pays"] == "pair-xxx")
        table.pop("rows", None)
        table["printed"] = printed
        changed = {**submission, "submission": name, "effective": day}
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(changed))
    found = run(
        *("odds", "diff", tmp_path, "--before-date", "2026-05-31", "--after-date", "2026-06-01"), "--wager", "pair-xxx"
    )
    assert found.text.startswith(f"3 Card Shine (co-rule10-3card-shine): {tmp_path}, on 2026-05-31 -> ")
    assert "2.3167 % -> 7.2760 % (+4.9593 %), 4,959.28 on 100,000.00" in found.text
    for more in (("--after-date", "2026-06-01"), ("--before-date", "2026-02-01", "--after-date", "2026-06-01"), ()):
        assert run("odds", "diff", tmp_path, *more).code == 2


def test_one_version_of_the_rules_is_held_against_another(tmp_path: Path) -> None:
    for name in ("co-rule10-3card-shine", "vocabulary"):
        shutil.copytree(RULES / name, tmp_path / name)
    path = tmp_path / "co-rule10-3card-shine" / "game.yaml"
    path.write_text(path.read_text().replace("straight: [6 to 1, 6 to 1, 5 to 1", "straight: [5 to 1, 6 to 1, 5 to 1"))
    found = run(
        "odds", "diff", "co-rule10-3card-shine", "--before-rules", tmp_path, "--wager", "pair-xxx", "-o", "json"
    )
    (one,) = found.results["wagers"]
    assert Fraction(one["moved"]) == Fraction(-720, 22_100)


@pytest.mark.parametrize(
    "command",
    [
        ("co-rule10-3card-shine", "--after-profile", "own.yaml"),
        ("diff",),
        ("diff", "s38"),
        ("diff", "s38", "s38", "s38"),
        ("diff", "s38", "co-rule10-3card-shine"),
        ("diff", "s38", "--after-date", "2026-01-01"),
        ("diff", "s38", "s38", "--readings"),
    ],
)
def test_what_a_difference_cannot_be_made_of_is_a_matter_of_usage(command: tuple[str, ...]) -> None:
    assert run("odds", *command).code == 2


def test_a_page_of_odds_escapes_what_it_is_told() -> None:
    text = run("odds", "co-rule10-3card-shine", "--wager", "ante", "-o", "html").text
    assert '<td class="n">3.3730 %</td>' in text
    assert "<script" not in text
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text


def test_two_hands_that_share_cards_are_counted_through() -> None:
    found = run("odds", "co-rule10-flushes-gone-wild", "--wager", "ante", "-o", "json")
    (row,) = found.results["wagers"]
    assert row["exact"] is True
    assert row["with"] == ["play", "blind"]
    assert row["deals"] == comb(52, 5) * comb(47, 2) * comb(45, 5)
    # The same counts, settled by hand: 3 and what Blind pays for the margin, 0, or -4; or -2 for a fold.
    assert row["house-advantage"] == "231128793029/3178242865798"
    assert {choice["decision"]: choice["hands"] for choice in row["strategy"]} == {"play": 1_919_480, "fold": 679_480}
    paid = {Fraction(outcome["pays"]) for outcome in row["outcomes"]}
    assert paid == {203, 28, 8, 6, 3, 0, -2, -4}


def test_a_game_that_a_reader_writes_has_odds(tmp_path: Path) -> None:
    shutil.copytree(RULES / "vocabulary", tmp_path / "vocabulary")
    for block in blocks("encode-a-game.md"):
        if "file" in block.options:
            path = tmp_path / block.options["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text() + "\n" if path.exists() else ""
            path.write_text(text + block.text)
    (row,) = run("odds", "high-card-duel", "--rules", tmp_path, "-o", "json").results["wagers"]
    assert row["house-advantage"] == "0/1"
    chances = {outcome["outcome"]: outcome["probability"] for outcome in row["outcomes"]}
    assert chances == {"player-higher": "8/17", "same-rank-returned": "1/17", "dealer-higher": "8/17"}


def test_a_row_that_is_never_hit_is_told(tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    text = run("new", "co-rule10-3card-shine", "--example").text
    submission = yaml.safe_load(text)
    table = next(pay_table for pay_table in submission["pay-tables"] if pay_table["pays"] == "pair-xxx")
    table["rows"].append({"hand": "queen-high", "odds": "1 to 1"})
    table["rows"].insert(0, {"hand": "high-card", "odds": "1 to 1"})
    path.write_text(yaml.safe_dump(submission))
    (row,) = run("odds", "co-rule10-3card-shine", "-s", path, "--wager", "pair-xxx", "-o", "json").results["wagers"]
    assert row["never"] == ["queen-high"]  # the row before it takes in all of its hands


@pytest.mark.parametrize("game", ["co-rule10-3card-shine", "s38", "caribbean-draw"])
def test_what_a_new_submission_offers_has_odds(game: str, tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    path.write_bytes(run("new", game, "--example").out)
    side = [row["wager"] for row in run("odds", game, "--rounds", "1000", "-s", path, "-o", "json").results["wagers"]]
    assert len(side) == len(set(side))
