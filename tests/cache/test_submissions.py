"""Submissions by a kept validator: taken and refused as they are without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairdeal.validator.disk_cache import build_key, load_entry, store_entry
from fairdeal.validator.evidence import submission_reader
from fairdeal.validator.evidence.submission_reader import parse_submission
from tests.facade.rules import load_regulation
from tests.facade.simulation import load_simulation
from tests.facade.submissions import Submission
from tests.facade.text import InputError, PositionedDocument, decode_source, load_json, validate

from .test_regulations import PLAYED

LEAST = {"submission": "s", "licensee": {"name": "n"}, "document": "d", "effective": "2026-01-01"}


def parse_tree(data: Any) -> PositionedDocument:
    return load_json(decode_source("file.json", json.dumps(data).encode()))


def read_outcome(read: Any, tree: PositionedDocument) -> Any:
    """Return the result of reading: the submission, or the problems."""
    try:
        return read(tree)
    except InputError as error:
        return error.diagnostics


@pytest.fixture
def stored_submission(folder: Path) -> Path:
    parse_submission(parse_tree(LEAST))
    assert load_entry(build_key("submission"), trusted=submission_reader._TRUSTED) is not None
    return folder


def test_a_kept_validator_is_used(stored_submission: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> NoReturn:
        raise AssertionError("the kept validator must do")

    monkeypatch.setattr(submission_reader, "validate", never)
    assert parse_submission(parse_tree(LEAST)).licensee.name == "n"


def test_a_full_submission_is_the_same(stored_submission: Path) -> None:
    submission = load_simulation(load_regulation(PLAYED)).submission
    tree = parse_tree(json.loads(submission.model_dump_json(by_alias=True, exclude_unset=True)))
    found = parse_submission(tree)
    assert found == submission == validate(tree, Submission)
    assert found.model_dump_json() == submission.model_dump_json()


WORD = st.sampled_from(["", "a", "a b", "A", "5 to 1", "1 for 2", "2026-02-30", "x" * 300, "tab\t"])
KEY = st.sampled_from(
    [
        *("submission", "licensee", "document", "effective", "tables", "options", "deck", "wagers", "wager", "rows"),
        *("pay-tables", "pay_tables", "pays", "hand", "odds", "name", "cards", "decks", "minimum", "layout", "waivers"),
    ]
)
DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2000), WORD),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEY, inner, max_size=4)),
    max_leaves=10,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(KEY, DATA, max_size=4), st.booleans())
def test_any_data_is_taken_or_refused_alike(stored_submission: Path, data: dict[str, Any], filled: bool) -> None:
    tree = parse_tree({**LEAST, **data} if filled else data)
    assert read_outcome(parse_submission, tree) == read_outcome(lambda one: validate(one, Submission), tree)


@pytest.mark.parametrize("spoiled", [{}, {"type": "no-such"}, {"type": "str"}, [], None])
def test_a_spoiled_entry_makes_no_difference(folder: Path, spoiled: object) -> None:
    store_entry(build_key("submission"), spoiled)
    assert parse_submission(parse_tree(LEAST)) == validate(parse_tree(LEAST), Submission)
    with pytest.raises(InputError):
        parse_submission(parse_tree({**LEAST, "deck": 1}))
