"""Statements of submissions matter to rounds only where a rule on rounds refers to them."""

from __future__ import annotations

from typing import Any

import pytest

from fairdeal.validator.engine.core.house_terms import find_required_file_keys
from tests.play.table import regulation


@pytest.mark.parametrize(
    ("condition", "asked"),
    [
        ({"submitted": {"at": "licensee.name", "equals": "House"}}, {"licensee"}),
        ({"submitted": {"given": "tables"}}, {"tables"}),
        ({"submitted": {"some": "attestations", "when": {"given": ".by"}}}, {"attestations"}),
        ({"submitted": {"at": "deck.decks", "equals": 1}}, set()),
        ({"placed": "main"}, set()),
    ],
)
def test_what_a_rule_on_rounds_asks_of_the_file_is_known(condition: Any, asked: set[str]) -> None:
    check = {"each": "seat", "must": condition}
    assert find_required_file_keys(regulation(checks=[check])) == asked
