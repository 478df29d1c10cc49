"""The mutation test itself is no rubber stamp: it makes every change, and it sees what examples leave open."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from fairdeal.validator.language.round_conditions import Quantity
from tests.facade.cards import Category, DecksFile, RankingsFile
from tests.facade.rules import (
    Act,
    Document,
    Game,
    PatternsFile,
    ReadingFile,
    RequirementFile,
    RulebookEdition,
    Value,
    load_regulation,
)
from tests.facade.text import Data, OneOperatorModel, Payout, decode_source, load_yaml, to_key, validate
from tools.mutation.alternatives import (
    find_kind,
    find_neighbours,
    list_allowed_values,
    list_days_near,
    list_names_near,
    list_numbers_near,
    list_payouts_near,
)
from tools.mutation.changes import Mutant, replace_at
from tools.mutation.mutants import build_annotation
from tools.mutation.policy import AS_STATED, INSTEAD, KEPT, NEIGHBOURS, ORDERED, UNCHANGED, is_left_unchanged
from tools.mutation.run import Report, build_data, format_text
from tools.mutation.trial import Court, open_court

IN_WORDS = {
    "Band.from_",
    "Band.to",
    "JokerModel.completes",
    "Mark.category",
    "NameList.items",
    "OptionIs.is_",
    "OptionIs.name",
    "PayTable.meter",
    "PointsMark.category",
    "Reading.adopted_",
    "Selection.blocks",
    "ReadingIs.is_",
    "Act.what",
    "Act.what_is",
    "Value.equals",
    "Value.equals_list",
    "Value.includes",
    "Value.one_of",
    "Value.reads",
}
"""Fields of free text that `words_near` knows what to do with, or that are changed in a way of their own."""


def _language() -> dict[str, type[BaseModel]]:
    """Return every model of the rule language, by name."""
    found: dict[str, type[BaseModel]] = {}

    def add(annotation: Any) -> None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation.__name__ not in found:
            found[annotation.__name__] = annotation
            annotation.model_rebuild()  # so that no type is still only named
            for field, info in annotation.model_fields.items():
                if not is_left_unchanged(annotation.__name__, field):
                    add(info.annotation)
        for part in get_args(annotation):
            add(part)

    for root in (Game, RequirementFile, DecksFile, RankingsFile, PatternsFile, ReadingFile, Document, RulebookEdition):
        add(root)
    return found


MODELS = _language()


def _plain(annotation: Any) -> Iterator[type]:
    if isinstance(annotation, type):
        yield annotation
    for part in get_args(annotation):
        yield from _plain(part)


def test_every_field_is_changed_or_left_for_a_reason() -> None:
    changeable = (bool, int, Payout, date, BaseModel)
    forgotten = [
        f"{name}.{field}"
        for name, model in MODELS.items()
        for field, info in model.model_fields.items()
        if not is_left_unchanged(name, field)
        and f"{name}.{field}" not in IN_WORDS
        and not find_kind(build_annotation(info))
        and not list_allowed_values(info.annotation)
        and not any(issubclass(part, changeable) for part in _plain(info.annotation))
        and not any(_names(info.annotation))
    ]
    assert not forgotten, " ".join(forgotten)


def _names(annotation: Any) -> Iterator[str]:
    kind = find_kind(annotation)
    if kind is not None:
        yield kind
    for part in get_args(annotation):
        yield from _names(part)


def test_policy_speaks_of_fields_that_exist() -> None:
    fields = {f"{name}.{field}" for name, model in MODELS.items() for field in model.model_fields}
    fields |= {f"*.{field.split('.')[1]}" for field in fields}
    assert {*UNCHANGED, *AS_STATED, *KEPT, *ORDERED} - fields == set()
    for name, operators in INSTEAD.items():
        model = MODELS[name]
        assert issubclass(model, OneOperatorModel)
        known = {to_key(field) for field in model.model_fields} - {to_key(companion) for companion in model.COMPANIONS}
        assert {*operators, *(new for news in operators.values() for new in news)} <= known, name


@pytest.mark.parametrize(
    ("path", "beside"),
    [
        ("deck.decks", ["deck.cards", "deck.kept"]),
        (".legend", [".for", ".per"]),
        ("earlier.payout-limit.amount", ["earlier.payout-limit.posted"]),
        ("options.version", ["options.version-else"]),
        (".", []),
        ("earlier", []),
    ],
)
def test_places_beside_a_place(path: str, beside: list[str]) -> None:
    owner = validate(load_yaml(decode_source("value", f"{{at: {path}, equals: 1}}".encode())), Value)
    assert list_names_near("submission-path", path, owner, load_regulation("co-rule8-burnout")) == beside


@given(st.lists(st.text(min_size=1), min_size=2, unique=True), st.data())
def test_neighbours_are_the_closest_other_names(names: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(names) - 1))
    found = find_neighbours(names[at], names)
    assert len(found) == min(NEIGHBOURS, len(names) - 1)
    assert names[at] not in found
    furthest = max(abs(names.index(name) - at) for name in found)
    assert all(abs(names.index(name) - at) >= furthest for name in names if name not in (*found, names[at]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 to 1", ["4 to 1", "6 to 1"]),
        ("1 to 1", ["2 to 1"]),
        ("1,000 to 1", ["999 to 1", "1,001 to 1"]),
        ("3 to 2", ["1 to 1", "2 to 1"]),
        ("1 for 1", ["2 for 1"]),
        ("push", ["1 to 1"]),
        ("10% of meter", ["9% of meter", "11% of meter"]),
        ("$500", ["$499", "$501"]),
    ],
)
def test_payouts_of_one_less_and_one_more(text: str, expected: list[str]) -> None:
    assert list_payouts_near(text) == expected


def test_numbers_stay_within_the_schema() -> None:
    exactly = build_annotation(Quantity.model_fields["exactly"])
    assert list_numbers_near(0, exactly) == [1]
    assert list_numbers_near(10**12, exactly) == [10**12 - 1]
    assert list_numbers_near(7, exactly) == [6, 8]
    assert list_numbers_near(2, build_annotation(Category.model_fields["groups"])) == [3]
    assert list_days_near(date(2024, 3, 1)) == ["2024-02-29", "2024-03-02"]
    assert list_allowed_values(Act.model_fields["each"].annotation) == ("round", "seat")


def test_a_change_touches_nothing_else() -> None:
    data: Data = {"a": [{"b": 1}, {"b": 2}], "c": {"d": "e"}}
    assert replace_at(data, ("a", 1, "b"), 3) == {"a": [{"b": 1}, {"b": 3}], "c": {"d": "e"}}
    assert data == {"a": [{"b": 1}, {"b": 2}], "c": {"d": "e"}}
    assert replace_at(data, (), 5) == 5


# A document of one requirement, with just enough examples to leave some mutants standing.

DECKS = 'decks: {plain: {ranks: "23456789TJQKA", suits: "cdhs"}}\n'
RANKINGS = "rankings: {plain: {cards: 1, ace: high, categories: [{category: any}]}}\n"
DOCUMENT = """
document: sample
title: Sample
regulator: Nobody
source: {file: sample.txt, citation: Sample}
clauses:
- {clause: "(1)", lines: [1, 1], gist: Decks.}
- {clause: "(2)", lines: [2, 2], gist: Decks again.}
"""
REQUIREMENTS = """
title: Decks
requirements:
- requirement: decks
  title: At most two decks
  clauses: ["(1)", "(2)"]
  severity: minor
  message: Too many decks.
  each: submission
  must: {at: deck.decks, at-most: 2}
"""
BASES = """
submissions:
  two:
    submission: two
    licensee: {name: House}
    document: sample
    effective: 2024-01-01
    deck: {cards: plain, decks: 2}
"""
COMPLIES = """
title: Decks
examples:
- example: two-decks
  shows: Two decks are allowed.
  about: [decks]
  submission: {base: two}
"""
BREAKS = """
- example: three-decks
  shows: Three decks are too many.
  submission: {base: two, set: {/deck/decks: 3}}
  findings: [{requirement: decks, at: {pointer: /deck/decks}}]
"""
SNAPSHOT = """
requirements:
  decks: {clauses: ["(1)", "(2)"]}
findings:
  three-decks: [{requirement: decks, expected: "“decks” of “deck”: at most 2", observed: "3"}]
"""
ONE_DECK = """
- example: one-deck
  shows: One deck is allowed.
  about: [decks]
  submission: {base: two, set: {/deck/decks: 1}}
"""


def _court(root: Path, examples: str, snapshot: str = SNAPSHOT) -> Court:
    texts = {
        "vocabulary/decks.yaml": DECKS,
        "vocabulary/rankings.yaml": RANKINGS,
        "sample/document.yaml": DOCUMENT,
        "sample/readings.yaml": "readings: []\n",
        "sample/requirements/decks.yaml": REQUIREMENTS,
        "sample/examples/bases.yaml": BASES,
        "sample/examples/decks.yaml": examples,
        "sample/examples.snapshot.yaml": snapshot,
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return open_court("sample", root)


def _try_mutants(court: Court) -> dict[str, str]:
    mutants = court.mutants
    return {f"{mutant.place.rsplit('/', 1)[-1]}: {mutant.change}": court.outcome(mutant) for mutant in mutants}


def test_mutants_that_no_example_notices_survive(tmp_path: Path) -> None:
    assert _try_mutants(_court(tmp_path, COMPLIES)) == {
        "(1): removed": "refused",  # a clause that is said to be checked must be cited
        "(2): removed": "refused",
        "at: deck.decks -> deck.cards": "refused",  # text has no more or less
        "at: deck.decks -> deck.kept": "noticed",
        "at-most: at-most -> equals": "survived",
        "at-most: at-most -> at-least": "survived",
        "at-most: 2 -> 1": "noticed",
        "at-most: 2 -> 3": "survived",
    }


def test_examples_on_both_sides_of_a_bound_leave_none(tmp_path: Path) -> None:
    tried = _try_mutants(_court(tmp_path, COMPLIES + BREAKS + ONE_DECK))
    assert [name for name, outcome in tried.items() if outcome == "survived"] == []


@pytest.mark.parametrize(
    ("breaks", "snapshot"),
    [
        (BREAKS.replace("/deck/decks}}]", "/deck/cards}}]"), SNAPSHOT),
        (BREAKS, SNAPSHOT.replace("at most 2", "at most 7")),
        (BREAKS, SNAPSHOT.replace(', "(2)"', "")),
        (BREAKS, "findings: {}\n"),
    ],
)
def test_an_example_that_is_wrong_has_no_say(tmp_path: Path, breaks: str, snapshot: str) -> None:
    court = _court(tmp_path, COMPLIES + breaks, snapshot)
    assert court.wrong == ("three-decks",)
    assert _try_mutants(court)["at-most: 2 -> 3"] == "survived"


def _mutant(name: str) -> Mutant:
    return Mutant(file="a.yaml", place=name, change="removed", line=3, column=5, target=(), value=None)


def test_a_report_tells_survivors_equivalents_and_what_is_stale() -> None:
    one, two, three = _mutant("one"), _mutant("two"), _mutant("three")
    report = Report(
        document="sample",
        tried=((one, "survived"), (two, "survived"), (three, "noticed")),
        known=frozenset(mutant.name for mutant in (one, two, three, _mutant("five"))),
        equivalent={
            two.name: "it says the same",
            three.name: "so it seemed",
            "a.yaml four: removed": "it is gone",
            "a.yaml five: removed": "not tried",
        },
        wrong=("bad",),
        otherwise_alone=("odd",),
        seconds=1.0,
    )
    assert report.survivors == (one,)
    assert report.stale == (three.name, "a.yaml four: removed")
    assert report.score == 0.5
    told = format_text(report)
    assert "survived: a.yaml:3:5: one: removed" in told
    assert "stale: a.yaml three: removed" in told
    assert "wrong: example bad" in told
    assert "wrong: requirement odd" in told
    assert build_data(report)["survivors"] == [
        {"file": "a.yaml", "line": 3, "column": 5, "place": "one", "change": "removed"}
    ]
