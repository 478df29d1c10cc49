"""`check --fix` takes what people write, and leaves alone what may mean two things."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.validator.forms.autofix import autofix
from tests.facade.commands import run
from tests.facade.rules import Rulebook
from tests.facade.text import InputError, decode_source, load_yaml

RULEBOOK = Rulebook()
SHINE = "submission: a # ours\nlicensee: {name: House}\ndocument: co-rule10-3card-shine\n"


def fix(text: str) -> str:
    try:
        return autofix(decode_source("house.yaml", text.encode()), RULEBOOK)[0].text
    except InputError:
        return text


WRITTEN = [
    ("effective: 11/20/2026", "effective: 2026-11-20"),
    ("effective: 20.11.2026", "effective: 2026-11-20"),
    ("effective: 20-11-2026", "effective: 2026-11-20"),
    ("effective: 03/03/2026", "effective: 2026-03-03"),
    ("effective: 2026/3/4", "effective: 2026-03-04"),
    ("effective: '11/20/2026'", "effective: '2026-11-20'"),
    ("effective: March 4, 2026", "effective: 2026-03-04"),
    ("effective: 4th Mar 2026 # first", "effective: 2026-03-04 # first"),
    ("hands-per-player: two", "hands-per-player: 2"),
    ("hands-per-player: '2'", "hands-per-player: 2"),
    ("deck: {decks: One}", "deck: {decks: 1}"),
    ("tables: T1, T2", "tables: [T1, T2]"),
    ("tables: T1", "tables: [T1]"),
    ("deck: {cover-card: {opaque: yes}}", "deck: {cover-card: {opaque: true}}"),
    ("wagers: [{wager: ante, tips: No}]", "wagers: [{wager: ante, tips: false}]"),
    ("wagers: [{wager: ante, posted: layout}]", "wagers: [{wager: ante, posted: [layout]}]"),
    ("wagers:\n- wager: ante\n  posted: layout, signage", "wagers:\n- wager: ante\n  posted: [layout, signage]"),
    ("wagers:\n- wager: ante\n  posted: Layout and signage", "wagers:\n- wager: ante\n  posted: [layout, signage]"),
    ("wagers: [{wager: ante, minimum: five}]", "wagers: [{wager: ante, minimum: 5}]"),
    ("currency: USD\nsmallest-chip: 5 dollars", "currency: USD\nsmallest-chip: 5"),
    ("currency: EUR\nsmallest-chip: 2.50 euros", 'currency: EUR\nsmallest-chip: "2.50"'),
]


@pytest.mark.parametrize(("before", "after"), WRITTEN, ids=[before for before, _ in WRITTEN])
def test_what_people_write_is_corrected(before: str, after: str) -> None:
    day = "" if before.startswith("effective") else "effective: 2026-01-01\n"
    assert fix(f"{SHINE}{day}{before}\n") == f"{SHINE}{day}{after}\n"


ODDS = [
    ("2-1", "2 to 1"),
    ("3 - 2", "3 to 2"),
    ("1,000-1", "1,000 to 1"),
    ("5to1", "5 to 1"),
    ("two to one", "2 to 1"),
    ("even money", "1 to 1"),
]


@pytest.mark.parametrize(("before", "after"), ODDS)
def test_odds_are_corrected_and_keep_their_ratio(before: str, after: str) -> None:
    text = f"{SHINE}effective: 2026-01-01\npay-tables:\n- pays: own\n  rows:\n  - hand: flush\n    odds: "
    assert fix(f"{text}{before}\n").replace("'", "") == f"{text}{after}\n"


def test_odds_with_a_colon_keep_their_wording() -> None:
    text = f"{SHINE}effective: 2026-01-01\npay-tables:\n- pays: own\n  rows:\n  - hand: flush\n    odds: "
    assert fix(f"{text}3:2\n") == f'{text}"3:2"\n'


LEFT_ALONE = [
    "effective: 03/04/2026",  # 4 March, or 3 April
    "effective: 11/20/26",
    "effective: 31/31/2026",
    "effective: soon",
    "hands-per-player: a few",
    "hands-per-player: 2 or 3",
    "smallest-chip: 5 dollars",  # of the United States, or of Canada
    "currency: CAD\nsmallest-chip: 5 dollars",
    "currency: JPY\nsmallest-chip: 5 dollars",
    "smallest-chip: 5,00",
    "smallest-chip: $5",  # read as it is
    "licensee: {name: yes}",
    "licensee: {name: 11/20/2026}",
    "layout: {style: co-rule10-3card-shine, signage: 3-2}",
    "layout: {style: co-rule10-3card-shine, areas: [{wager: ante, legend: 2-1}]}",
    "dealing: one",
    "tables: [T1, T2]",
    "options: {unknown: yes}",
    "deck: {cover-card: {opaque: perhaps}}",
]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_may_mean_two_things_is_left_alone(text: str) -> None:
    head = SHINE.replace("licensee: {name: House}\n", "") if text.startswith("licensee") else SHINE
    assert fix(f"{head}{text}\n") == f"{head}{text}\n"


def test_an_ambiguous_day_is_a_message_with_both_days(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(f"{SHINE}effective: 03/04/2026\ntables: T1, T2\n", "utf-8")
    done = run("check", "--fix", path)
    assert done.code == 3
    assert "`03/04/2026` may be two days: write 2026-03-04 or 2026-04-03" in done.err
    assert path.read_text("utf-8") == f"{SHINE}effective: 03/04/2026\ntables: [T1, T2]\n"


INDENTED = """submission: a # ours
licensee:
  name: House
  license: '1'
document: co-rule10-3card-shine
effective: 2026-01-01
deck:
  cards: standard-52
  decks: 1
wagers:
- wager: ante
  minimum: 5
  maximum: 25
- wager: play
  minimum: 5
"""


def test_the_file_of_the_indents_is_readable() -> None:
    assert fix(INDENTED) == INDENTED


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("  license", "   license"),
        ("  decks", "\tdecks"),
        ("  decks", "    decks"),
        ("  maximum", "    maximum"),
        ("  maximum", "   maximum"),
        ("- wager: play\n  minimum", " - wager: play\n   minimum"),
        ("- wager: play\n  minimum", "  - wager: play\n    minimum"),
        ("document", " document"),
    ],
)
def test_an_indent_that_cannot_be_read_is_corrected(right: str, wrong: str) -> None:
    text = INDENTED.replace(right, wrong, 1)
    with pytest.raises(InputError):
        load_yaml(decode_source("house.yaml", text.encode()))
    assert fix(text) == INDENTED


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_correction_changes_nothing_but_indents(data: st.DataObject) -> None:
    lines = INDENTED.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at] = " " * data.draw(st.integers(0, 6)) + lines[at].lstrip()
    text = "\n".join(lines) + "\n"
    words = [line.split("#")[0].split() for line in text.splitlines()]
    try:
        load_yaml(decode_source("house.yaml", text.encode()))
    except InputError:
        assert [line.split("#")[0].split() for line in fix(text).splitlines()] == words


def test_a_repaired_file_shows_its_changes(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(INDENTED.replace("  decks", "   decks").replace("2026-01-01", "01/31/2026"), "utf-8")
    done = run("check", "--fix", path)
    assert "house.yaml:9: decks: 1 ->   decks: 1: indent" in done.err
    assert "house.yaml:6: 01/31/2026 -> 2026-01-31: another form of the same value" in done.err
    assert path.read_text("utf-8") == INDENTED.replace("2026-01-01", "2026-01-31")


def test_all_kinds_of_problems_are_shown_in_one_pass_in_the_order_of_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(
        f"{SHINE}effective: soon\ntables: T1\ndekc: {{decks: 1}}\ndealing: One at a time\n"
        "wagers: [{wager: anet, minimum: ten, tips: yes, posted: [layuot]}]\n",
        "utf-8",
    )
    err = run("check", path).err
    codes = [line[6 : line.index("]")] for line in err.splitlines() if line.startswith("error[")]
    assert codes == [
        "invalid-value",
        "wrong-type",
        "unknown-key",
        "unknown-name",
        "unknown-name",
        "invalid-value",
        "ambiguous-word",
        "unknown-value",
    ]
