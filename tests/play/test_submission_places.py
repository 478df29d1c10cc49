"""Conditions on a value that a submission place cannot hold are refused when rules are loaded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.facade.text import InputError
from tests.play.table import Data, room


def value(at: str, **operator: Any) -> Data:
    return {"at": at, **operator}


GOOD: list[Data] = [
    value("deck.decks", **{"at-least": 1}),
    value("dealing", equals="singly"),
    value("equipment.shuffler", **{"one-of": ["none", "manual"]}),
    value("options.version", equals="second"),
    value("options.version", equals=True),
    value("hand-order", **{"equals": ["flush", "pair"]}),
    value("hand-order", includes="flush"),
    value("effective", equals="2024-01-01"),
    {"some": "notices", "when": value(".given", **{"at-most": {"at": "effective"}})},
    value("earlier.deck.decks", **{"at-most": {"at": "deck.decks"}}),
    {"given": "layout"},
    {"every": "wagers", "when": {"given": ".tips"}, "must": value(".minimum", **{"at-most": {"at": ".maximum"}})},
    {"every": "pay-tables", "must": {"some": "wagers", "when": value(".wager", **{"equals": {"at": "..pays"}})}},
    {"every": "wagers", "must": value(".posted", includes="layout")},
    {"distinct": "pay-tables", "at": ".pays"},
    {"distinct": "deck.backs", "at": "."},
    {"every": "deck.backs", "must": value(".", equals="red")},
    {"count": "deck.backs", "equals": {"at": "deck.decks"}},
    {"count": "pay-tables", "when": value(".name", reads="x"), "at-least": 1},
    value("deck.backs", **{"includes": {"at": "deck.cards"}}),
]

BAD: list[tuple[Data, str]] = [
    (value("dealing", **{"at-least": 1}), "`dealing` is a text, but a number is required"),
    (value("deck.decks", includes="red"), "`deck.decks` is a number, but a list is required"),
    (value("deck.decks", equals="one"), '`deck.decks` is a number, not "one"'),
    (value("deck.decks", equals=True), "`deck.decks` is a number, not true"),
    (value("dealing", **{"one-of": ["singly", 3]}), "`dealing` is a text, not 3"),
    (value("equipment.shuffler", equals="mechancal"), 'none, not "mechancal"; did you mean `mechanical`?'),
    (value("hand-order", **{"equals": [1]}), "is a text, not 1"),
    (value("deck", reads="x"), "`deck` is a mapping, but a text is required"),
    (value("dealing", worded=["to"]), "`dealing` is a text, but odds is required"),
    (value("effective", **{"at-most": {"at": "deck.decks"}}), "`deck.decks` is a number, but a day is required"),
    (value("deck.decks", **{"equals": {"at": "dealing"}}), "`dealing` is a text, not a number"),
    (value("deck.decks", **{"at-most": {"at": "dealing"}}), "`dealing` is a text, but a number is required"),
    (value("deck.backs", **{"includes": {"at": "deck.decks"}}), "`deck.decks` is a number, not a text"),
    (value(".wager", equals="side"), "`.wager` is not a place of a submission"),
    ({"given": ".wager"}, "`.wager` is not a place"),
    ({"some": "deck.decks", "when": {"given": ".wager"}}, "`deck.decks` is a number, but a list"),
    ({"every": "deck", "must": {"given": ".wager"}}, "`deck` is a mapping, but a list"),
    ({"every": "wagers", "must": {"given": ".rows"}}, "`.rows` is not a place"),
    ({"every": "wagers", "must": {"given": "..wager"}}, "is not a place of a submission; did you mean `.wager`?"),
    ({"every": "wagers", "must": value(".minimum", equals={"at": ".minimum"})}, "`.minimum` is compared with itself"),
    (value("deck.decks", **{"at-most": {"at": "deck.decks"}}), "`deck.decks` is compared with itself"),
    (
        {"every": "wagers", "must": value(".posted", includes="wall")},
        "is one of layout, publication, signage",
    ),
    ({"distinct": "dealing", "at": ".pays"}, "`dealing` is a text, but a list"),
    ({"distinct": "pay-tables", "at": ".wager"}, "`.wager` is not a place"),
    ({"count": "deck.backs", "equals": {"at": "dealing"}}, "`dealing` is a text, but a number"),
    ({"not": [{"any": [value("dealing", **{"at-most": 1})]}]}, "but a number is required"),
]


@pytest.mark.parametrize("condition", GOOD, ids=str)
def test_what_may_stand_there_may_be_asked(condition: Data) -> None:
    assert room(checks=[{"each": "submission", "must": condition}])


@pytest.mark.parametrize(("condition", "problem"), BAD, ids=str)
@pytest.mark.parametrize("where", ["must", "when", "round"])
def test_what_never_stands_there_is_refused(where: str, condition: Data, problem: str) -> None:
    given = {"given": "deck"}
    checks = {
        "must": {"each": "submission", "must": condition},
        "when": {"each": "submission", "when": condition, "must": given},
        "round": {"each": "round", "when": {"submitted": condition}, "must": {"submitted": given}},
    }
    with pytest.raises(InputError) as caught:
        room(checks=[checks[where]])
    assert [problem in diagnostic.message for diagnostic in caught.value.diagnostics] == [True]


@pytest.mark.parametrize("path", ["dealing", "deck", "deck.backs", "equipment.shuffler-counts"])
def test_a_quantity_is_read_off_a_number(path: str) -> None:
    with pytest.raises(InputError, match="but a number is required"):
        room(facts={"x": {"submitted": path, "equals": 1}})
