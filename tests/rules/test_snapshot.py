"""`rules test` and the snapshot of a document: written completely or not at all, and compared with the examples."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.facade.commands import Finished, run
from tests.facade.rules import rules_folder

DOCUMENT = "co-rule8-burnout"
SNAPSHOT = "examples.snapshot.yaml"
GONE = "{requirement: x, expected: more, observed: less}"
UPDATE = f"  fairdeal rules test --update {DOCUMENT}\n"


class House:
    """A rules folder of one's own, with one shipped document."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("vocabulary", DOCUMENT):
            shutil.copytree(rules_folder() / name, root / name)
        self.snapshot = root / DOCUMENT / SNAPSHOT
        self.examples = root / DOCUMENT / "examples" / "equipment.yaml"
        self.shipped = self.snapshot.read_text("utf-8")

    def test(self, *options: str) -> Finished:
        return run("rules", "test", DOCUMENT, "--rules", self.root, *options)

    def change(self, file: Path, old: str, new: str) -> None:
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), "utf-8")


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_snapshot_that_is_right_is_not_written_again(house: House) -> None:
    before = house.snapshot.stat().st_mtime_ns
    done = house.test("--update")
    assert (done.code, done.text.splitlines()[-1]) == (0, f"{DOCUMENT}: {SNAPSHOT} is up to date")
    assert house.snapshot.stat().st_mtime_ns == before
    assert house.test().code == 0


@pytest.mark.parametrize(
    "before", [None, "", "findings: {", "unknown: 1\n", "requirements: {six-decks: {clauses: [x]}}\n"]
)
def test_an_update_writes_it_whole_whatever_was_there(house: House, before: str | None) -> None:
    if before is None:
        house.snapshot.unlink()
    else:
        house.snapshot.write_text(before, "utf-8")
    done = house.test("--update")
    assert (done.code, done.text.splitlines()[-1]) == (0, f"{DOCUMENT}: {SNAPSHOT} is updated")
    assert house.snapshot.read_text("utf-8") == house.shipped
    assert [path.name for path in house.snapshot.parent.glob(".*")] == []


def test_a_document_whose_examples_give_nothing_besides_needs_no_snapshot(house: House) -> None:
    name = "[{example: one, shows: It., about: [six-decks], submission: {base: six-decks-from-a-shoe}}]"
    house.examples.write_text(f"title: Decks\nexamples: {name}\n", "utf-8")
    house.snapshot.unlink()
    assert house.test().code == 0
    assert house.test("--update").code == 0
    assert house.snapshot.read_text("utf-8").splitlines()[1:] == ["findings: {}"]
    assert house.test().code == 0


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("requirement: two-or-six-decks, at", "requirement: six-decks, at", "missing:"),
        ("at: {pointer: /deck/decks}", "at: {pointer: /deck/cards}", "missing:"),
        ("at: {pointer: /deck/decks}}]", "at: {pointer: /deck/decks}, owed: 5}]", "missing:"),
        ("unproven: [two-or-six-decks]", "unproven: [layout-of-the-game]", "layout-of-the-game is expected to be"),
        ("about: [two-or-six-decks, ", "about: [six-decks, ", "six-decks is not proved: its status is not-in-force"),
    ],
)
def test_nothing_is_written_where_an_example_does_not_give_what_it_says(
    house: House, old: str, new: str, problem: str
) -> None:
    house.change(house.examples, old, new)
    house.snapshot.write_text("findings: {}\n", "utf-8")
    done = house.test("--update")
    assert (done.code, done.text.splitlines()[-1]) == (1, f"{DOCUMENT}: {SNAPSHOT} is not updated")
    assert problem in done.text
    assert house.snapshot.read_text("utf-8") == "findings: {}\n"


def test_other_words_are_shown_as_a_difference(house: House) -> None:
    house.change(house.snapshot, "observed: vending-machine", "observed: a machine")
    done = house.test()
    assert done.code == 1
    assert done.text == (
        f"{DOCUMENT}/dealt-in-some-other-way (equipment.yaml:115:3)\n"
        "  the snapshot has another wording of\n"
        '  - {requirement: delivery-is-stated, at: {pointer: "/dealing"}}\n'
        "    - observed: a machine\n"
        "    + observed: vending-machine\n"
        f"{DOCUMENT}: 29 of 30 examples are as stated\n"
        f"{DOCUMENT}: {SNAPSHOT} has other texts; if the new ones are right, update it:\n{UPDATE}"
    )


def test_another_clause_and_another_reading_are_differences(house: House) -> None:
    house.change(
        house.snapshot,
        'six-decks: {clauses: ["(1)"], readings: [amendment-replaces, date-of-the-amendment]}',
        'six-decks: {clauses: ["(2)"], readings: [date-of-the-amendment]}',
    )
    done = house.test()
    assert done.code == 1
    for line in ("- clauses: (2)", "+ clauses: (1)", "- readings: date-of-the-amendment"):
        assert f"    {line}\n" in done.text


def test_a_missing_entry_says_what_to_run(house: House) -> None:
    at = house.shipped.index("  no-deck:\n")
    house.snapshot.write_text(house.shipped[:at] + house.shipped[house.shipped.index("  one-deck:\n") :], "utf-8")
    done = house.test()
    assert done.code == 1
    example = f"{DOCUMENT}/no-deck (equipment.yaml:39:3)"
    assert f"{example}\n  the snapshot has no wording of\n  - {{requirement: two-or-six-decks" in done.text
    assert done.text.endswith(UPDATE)


def test_what_is_unproven_and_not_kept_says_what_to_run(house: House) -> None:
    house.change(house.snapshot, "    decks-not-stated: {besides: [two-or-six-decks]}\n", "")
    done = house.test()
    assert done.code == 1
    assert "  two-or-six-decks has status not-evidenced, which the snapshot does not record\n" in done.text
    assert done.text.endswith(UPDATE)


def test_a_missing_file_says_what_to_run(house: House) -> None:
    house.snapshot.unlink()
    done = house.test()
    assert done.code == 1
    assert done.text == (
        f"{DOCUMENT} ({SNAPSHOT})\n"
        f"  there is no {SNAPSHOT}, which records the results of the examples\n"
        f"{DOCUMENT}: 30 of 30 examples are as stated\n"
        f"{DOCUMENT}: {SNAPSHOT} has other texts; if the new ones are right, update it:\n{UPDATE}"
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("findings:\n", f"findings:\n  gone: [{GONE}]\n", "gone, and there is no such example"),
        ("  examples:\n", "  examples:\n    gone: {besides: [x]}\n", "gone, and there is no such example"),
        ("requirements:\n", "requirements:\n  gone: {clauses: [x]}\n", "the requirement gone, and no example needs it"),
        ("unproven:\n", "unproven:\n  rounds: {gone: [x]}\n", "rounds on the base gone, and no example needs it"),
    ],
)
def test_what_is_kept_of_what_is_gone_is_an_error(house: House, old: str, new: str, problem: str) -> None:
    house.change(house.snapshot, old, new)
    done = house.test()
    assert done.code == 1
    assert f"  the snapshot has an entry for {problem}\n" in done.text
    assert done.text.endswith(UPDATE)
    told = json.loads(house.test("--output", "json").text)[-1]
    assert (told["example"], told["file"], told["holds"]) == (None, SNAPSHOT, False)


def test_a_new_example_is_told_without_a_word_in_the_snapshot_only_where_it_gives_nothing(house: House) -> None:
    with house.examples.open("a", encoding="utf-8") as file:
        file.write(
            "- example: two-decks-again\n  shows: It.\n  about: [two-or-six-decks]\n"
            "  submission: {like: two-decks-by-hand}\n"
        )
    assert house.test().code == 0
    house.change(house.examples, "example: two-decks-again", "example: two-decks-again-in-truth")
    assert house.test().code == 0


def test_a_snapshot_that_cannot_be_read_is_no_finding(house: House) -> None:
    house.change(house.snapshot, "findings:", "finding:")
    done = house.test()
    assert done.code == 3
    assert f"{SNAPSHOT}:" in done.err and "`finding`" in done.err
    assert run("rules", "check", DOCUMENT, "--rules", house.root).code == 3


def test_a_snapshot_that_cannot_be_written_is_told(house: House) -> None:
    house.snapshot.unlink()
    house.snapshot.mkdir()
    done = house.test("--update")
    assert done.code == 3
    assert "cannot be written" in done.err


def test_update_of_all_documents_writes_those_that_are_right(house: House) -> None:
    house.snapshot.unlink()
    second = house.root / "co-rule10-3card-shine"
    shutil.copytree(rules_folder() / second.name, second, ignore=shutil.ignore_patterns("demo", SNAPSHOT))
    house.change(second / "examples" / "folds.yaml", "overpaid: 1000}", "overpaid: 1001}")
    done = run("rules", "test", "--update", "--rules", house.root)
    assert done.code == 1
    assert house.snapshot.read_text("utf-8") == house.shipped
    assert not (second / SNAPSHOT).exists()
