"""Corrections by `check --fix`, which changes nothing else."""

# ruff: noqa: E501 - files as casinos write them

from __future__ import annotations

import os
import re
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from fairdeal.validator.forms.autofix import autofix
from tests.facade.commands import run
from tests.facade.demo import DEMO
from tests.facade.rules import Rulebook, list_documents
from tests.facade.text import decode_source

RULEBOOK = Rulebook()
HEAD = "submission: a # mine\nlicensee: {name: House}\ndocument: %s\neffective: 2026-01-01\n"
ID = "co-rule10-3card-shine"
SHINE = HEAD % ID
LAYOUT = f"layout: {{style: {ID}, areas: [%s]}}\n"


@cache
def example(document: str) -> str:
    return run("new", document, "--example").text


def fix_all(text: str, name: str = "house.yaml") -> tuple[str, list[str]]:
    after, done = autofix(decode_source(name, text.encode()), RULEBOOK)
    return after.data.decode(), [f"{fix.before} -> {fix.after}" for fix in done]


@pytest.mark.parametrize("document", list_documents())
def test_what_complies_is_left_as_it_is(document: str) -> None:
    assert fix_all(example(document)) == (example(document), [])
    blank = run("new", document).text
    assert fix_all(blank) == (blank, [])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("dealing: One at a time # ours\n", "dealing: one-at-a-time # ours\n"),
        ("deck: {cards: 'standard52', decks: 1}\n", "deck: {cards: 'standard-52', decks: 1}\n"),
        ("deck: {decks: 2} # two\n", "deck: {decks: 1} # two\n"),
        ("dekc:\n  decks: 1\n", "deck:\n  decks: 1\n"),
        ("equipment: {shufler: manual, shoe: nonee}\n", "equipment: {shuffler: manual, shoe: none}\n"),
        ("wagers:\n  - wager:   Ante\n", "wagers:\n  - wager:   ante\n"),
        ("wagers: [{wager: play, posted: [layuot]}]\n", "wagers: [{wager: play, posted: [layout]}]\n"),
        ("layout: {style: 3 Card Shine}\n", "layout: {style: co-rule10-3card-shine}\n"),
        ("layout: {style: caribbean-draw}\n", "layout: {style: co-rule10-3card-shine}\n"),
        ("layout:\n  style: >-\n    3 Card\n    Shine\n  shape: oval\n", f"layout:\n  style: {ID}\n  shape: oval\n"),
        ("hand-order: [three-acse, straight-flush]\n", "hand-order: [three-aces, straight-flush]\n"),
        ("layout: {style: x, areas: [{wager: plya, legend: Plya}]}\n", LAYOUT % "{wager: play, legend: Plya}"),
        ("layout: {style: x, areas: [{for: discard, legend: D}]}\n", LAYOUT % "{for: discards, legend: D}"),
        ("attestations: [{clause: ( 2 ), by: A}]\n", "attestations: [{clause: (2), by: A}]\n"),
    ],
)
def test_what_can_be_meant_in_one_way_only(text: str, after: str) -> None:
    found, done = fix_all(SHINE + text)
    assert found == SHINE + after
    assert done


@pytest.mark.parametrize(
    "text",
    [
        "hands-per-player: 3\n",  # one or two: a choice
        "dealing: three-at-a-time\n",  # a way of its own
        "wagers: [{wager: super-7}]\n",
        "wagers: [{wager: ante, minimum: 5, maximum: 1}]\n",  # either may be wrong
        "equipment: {shoe: autonomous}\n",
        "dealing: three-card-packets\nequipment: {shuffler: manual}\n",  # either may be wrong
        "equipment: {shufler: manual, shuffeler: none}\n",  # two for one key
        "equipment: {shufler: manual, shuffler: none}\n",
        "deck: {decks: }\n",  # blank: the casino has said nothing
        "licensee-name: x\n",
        "tables: [ante, Ante]\nlayout: {style: co-rule10-3card-shine, signage: [Antee]}\n",
        # two tables differ from it by one row
        "pay-tables:\n- pays: pair-xxx\n  rows:\n  - {hand: straight-flush, odds: 40 to 1}\n  - {hand: three-of-a-kind, odds:"
        " 30 to 1}\n  - {hand: straight, odds: 6 to 1}\n  - {hand: flush, odds: 5 to 1}\n  - {hand: pair, odds: 1 to 1}\n",
        # two tables are named
        "pay-tables: [{pays: pair-xxx, name: Pair XXX a or b, rows: [{hand: pair, odds: 2 to 1}]}]\n",
        # nothing like any
        "pay-tables: [{pays: super-6, rows: [{hand: flush, odds: 2 to 1}]}]\n",
    ],
)
def test_what_is_a_choice_is_not_touched(text: str) -> None:
    assert fix_all(SHINE + text) == (SHINE + text, [])


ROWS = """pay-tables:
- pays: ante-bonus # in lines
  rows:
    # the best
    - hand: straight-flush # five
      odds: 9 to 1

    # the rest
    - hand: straight
      odds: "1 to 1" # even
    # the end
- {pays: pair-xxx, name: Table D, rows: [{hand: flush, odds: '3 to 1'}, ]}
- {pays: super-6, name: super 6 B, rows: []}
# done
"""
ROWS_AFTER = """pay-tables:
- pays: ante-bonus # in lines
  rows:
    # the best
    - hand: straight-flush # five
      odds: 5 to 1
    - hand: three-of-a-kind
      odds: 4 to 1

    # the rest
    - hand: straight
      odds: "1 to 1" # even
    # the end
- {pays: pair-xxx, name: Table D, rows: [{hand: straight-flush, odds: 40 to 1}, \
{hand: three-of-a-kind, odds: 30 to 1}, {hand: straight, odds: 6 to 1}, {hand: flush, odds: '3 to 1'}, {hand: pair, odds: 1 to 1}, ]}
- {pays: super-6, name: super 6 B, rows: [{hand: royal-flush, odds: '2,000 to 1'}, \
{hand: straight-flush, odds: 200 to 1}, {hand: four-of-a-kind, odds: 50 to 1}, {hand: full-house, odds: 25 to 1}, {hand: flush, odds: 15 to 1}, \
{hand: straight, odds: 10 to 1}, {hand: three-of-a-kind, odds: 5 to 1}]}
# done
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_rows_of_the_table_that_is_meant(newline: str, mark: str) -> None:
    before, after = (
        mark + (SHINE + text).replace("Table D", "pair xxx d").replace("\n", newline) for text in (ROWS, ROWS_AFTER)
    )
    found, _ = fix_all(before)
    assert found == after
    assert fix_all(found) == (found, [])


@settings(max_examples=30, derandomize=True, deadline=None)
@given(st.data())
def test_a_slip_in_any_name_is_undone_to_the_byte(data: st.DataObject) -> None:
    """Names of four letters or more in which two neighbours are swapped; where two names are as near, it is left."""
    document = data.draw(st.sampled_from(list_documents()))
    text = example(document)
    names = list(re.finditer(r"(?:wager|hand|pays|for|dealing|style|cards): ([a-z0-9-]{4,})", text))
    names = [name for name in names if not text[text.rfind("\n", 0, name.start()) + 1 :].lstrip().startswith("#")]
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    at = data.draw(st.integers(name.start(1), name.end(1) - 2))
    one, other = text[at], text[at + 1]
    if one == other or not (one.isalpha() and other.isalpha()):
        return
    wrong = f"{text[:at]}{other}{one}{text[at + 2 :]}"
    found, done = fix_all(wrong)
    assert found in (text, wrong)
    assert (found == text) == bool(done)


@settings(max_examples=20, derandomize=True, deadline=None)
@given(st.data())
def test_a_wrong_row_of_a_named_table_is_undone_to_the_byte(data: st.DataObject) -> None:
    text = example("co-rule10-3card-shine")
    rows = list(re.finditer(r"  - \{hand: [a-z-]+, odds: ('?)([0-9,]+) to 1('?)\}\n", text))
    row = data.draw(st.sampled_from(rows))
    wrong = data.draw(st.sampled_from(["gone", "7777 to 1", "push"]))
    assume(
        wrong != "gone" or "three-aces" not in row[0]
    )  # without that row it is another printed table, which complies
    if wrong == "gone":
        before = text[: row.start()] + text[row.end() :]
    else:
        quote = row[1]
        before = text[: row.start(1)] + quote + wrong + quote + text[row.end(3) :]
    assert fix_all(before)[0] == text


def test_the_difference_is_shown_and_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    before = SHINE + "deck: {cards: standard-52, decks: 2} # two\nhands-per-player: 3\n"
    path.write_text(before, "utf-8")
    shown = run("check", "--diff", path)
    assert path.read_text("utf-8") == before
    done = run("check", "--fix", path)
    assert path.read_text("utf-8") == before.replace("decks: 2", "decks: 1")
    assert (shown.code, done.code) == (1, 1)
    assert shown.out == done.out
    assert "-deck: {cards: standard-52, decks: 2} # two\n+deck: {cards: standard-52, decks: 1} # two\n" in done.text
    assert "hands-allowed-per-player" in done.text
    assert "1 change written" in done.err
    assert "1 change shown, none written" in shown.err
    again = run("check", "--fix", path)
    assert "no unambiguous mistakes to correct" in again.err
    assert path.read_text("utf-8") == before.replace("decks: 2", "decks: 1")


def test_results_as_data_stay_readable(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(SHINE + "deck: {cards: standard-52, decks: 2}\n", "utf-8")
    done = run("check", "--fix", path, "-o", "json")
    assert done.results["verdict"] == "inconclusive"
    assert "+deck: {cards: standard-52, decks: 1}" in done.err


def test_only_files_in_yaml_are_put_right(tmp_path: Path) -> None:
    path = tmp_path / "house.json"
    path.write_text('{"submission": "a"}', "utf-8")
    done = run("check", "--fix", path)
    assert (done.code, path.read_text("utf-8")) == (3, '{"submission": "a"}')
    assert "only YAML can be corrected" in done.err
    assert run("check", "--fix", "-").code == 2
    broken = tmp_path / "house.yaml"
    broken.write_text("submission: [", "utf-8")
    assert run("check", "--fix", broken).code == 3
    assert broken.read_text("utf-8") == "submission: ["


OTHERS = [
    "document: s38\ntable: {players: 2}\ntitle: Rules\n",  # a rule file
    "submissions:\n  one: {document: s38}\n",
    "submission: {submission: a, licensee: {name: House}, document: s38, efective: 2026-01-01}\n",
    "document: of-another-house\nsubmission: a\ndekc: {decks: 1}\n",
    "dekc: {decks: 1}\n",
    "- dekc\n",
    "submission: a\ndocument: [s38]\ndekc: {decks: 1}\n",
]


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_submission_is_not_touched(text: str) -> None:
    assert fix_all(text) == (text, [])


def test_a_submission_is_told_by_keys_that_may_be_misspelt() -> None:
    text = "submision: 12\ndocumnet: s38\nlicensee: {name: House}\ndekc: {decks: 1}\n"
    found, _ = fix_all(text)
    assert found == text.replace("submision", "submission").replace("documnet", "document").replace("dekc", "deck")


def test_the_file_behind_a_link_is_put_right_and_stays_as_readable_as_it_was(tmp_path: Path) -> None:
    before = SHINE + "deck: {cards: standard-52, decks: 2}\n"
    path, link = tmp_path / "house.yaml", tmp_path / "link.yaml"
    path.write_text(before, "utf-8")
    path.chmod(0o640)
    link.symlink_to(path)
    assert "1 change written" in run("check", "--fix", link).err
    assert link.is_symlink()
    assert path.read_text("utf-8") == before.replace("decks: 2", "decks: 1")
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["house.yaml", "link.yaml"]


def test_what_cannot_be_written_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = SHINE + "deck: {cards: standard-52, decks: 2}\n"
    path = tmp_path / "house.yaml"
    path.write_text(before, "utf-8")
    monkeypatch.setattr(
        "fairdeal.validator.text.source.os.access", lambda *_: False
    )  # tests may run as who may write everything
    done = run("check", "--fix", path)
    assert done.code == 3
    assert "this output cannot be written: permission denied" in done.err
    assert path.read_text("utf-8") == before
    assert "changes written" not in done.err


def test_pipes_and_the_shipped_files_are_not_put_right(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run("check", "--fix", pipe)
    assert (done.code, "is not an ordinary file" in done.err) == (2, True)
    before = (DEMO / "submission.yaml").read_bytes()
    done = run("check", "--fix", DEMO / "submission.yaml")
    assert (done.code, "correct a copy" in done.err) == (2, True)
    assert (DEMO / "submission.yaml").read_bytes() == before
    assert "1 change shown, none written" in run("check", "--diff", DEMO / "submission.yaml").err


@pytest.mark.parametrize("limits", ["minimum: 10, maximum: 500", "maximum: 2.50"])
def test_a_sign_beside_other_limits_is_a_choice(limits: str) -> None:
    text = f"wagers: [{{wager: ante, minimum: 5, maximum: 100}}]\nlayout: {{style: {ID}, signage: [{{wager: ante, {limits}}}]}}\n"
    assert fix_all(SHINE + text) == (SHINE + text, [])


def test_names_on_signs_are_put_right() -> None:
    sign = "layout: {style: %s, signage: [Anet, {wager: %s, text: Anet, %s: 100}, {wager: ante-bonus, rows: [{hand: %s, odds: push}]}]}\n"
    found, _ = fix_all(SHINE + sign % (ID, "Ante", "minimun", "straigth"))
    assert found == SHINE + sign % (ID, "ante", "minimum", "straight")


STYLES = (
    "deck:   {cards: standard52}\n",
    "deck: { cards: standard52, decks: 1 }\n",
    "deck: {cards: standard52,decks: 1}\n",
    "deck: {cards: standard52,\n  decks: 1} # two lines\n",
    "'deck':\n    cards : standard52\n",
    "? deck\n: {cards: standard52}\n",
    "deck: {cards: standard52}\nwagers: [{wager: ante}, {wager: play}]\n",
    "deck: {cards: standard52}\nwagers:\n    - wager: ante\n      minimum: 0x64\n\n    - {wager: play}\n",
    'deck: {cards: standard52}\ntables: ["T\\u0031"]\ndealing: ~\nbuy-in: null\n',
    "deck: {cards: standard52}\nlayout:\n   style: >-\n       co-rule10-3card-shine\n   shape: oval\n...\n",
)
"""Files as people write them, of which a round trip through ruamel.yaml keeps the sense and not the looks."""


@pytest.mark.parametrize("text", STYLES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_how_a_file_is_written_stays(text: str, newline: str) -> None:
    before = (SHINE + text).replace("\n", newline)
    assert fix_all(before) == (before.replace("standard52", "standard-52"), ["standard52 -> standard-52"])
    assert round_trip(before) != before


@pytest.mark.parametrize("document", list_documents())
def test_what_new_writes_survives_a_round_trip(document: str) -> None:
    for text in (example(document), run("new", document).text):
        assert round_trip(text) == text


def round_trip(text: str) -> str:
    """Return a file as ruamel.yaml writes it again."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 10_000
    stream = StringIO()
    yaml.dump(yaml.load(text), stream)
    return stream.getvalue()
