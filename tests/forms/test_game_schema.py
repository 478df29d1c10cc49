"""`fairdeal schema submission --game`: a second opinion on submissions for a game, in addition to `check`."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fairdeal.validator.audit.submissions.submission_summary import list_name_places
from fairdeal.validator.schemas.schema_validation import build_validator, to_plain_data
from tests.facade.commands import run
from tests.facade.rules import Rulebook, list_documents, load_bundle, rules_folder
from tests.facade.simulation import load_simulation
from tests.facade.submissions import check_submissions, file_submission
from tests.facade.text import InputError, decode_source, load_yaml, read_source

RULEBOOK = Rulebook()
OWN = "zebra-of-the-house"
Place = tuple[str | int, ...]


@cache
def schema(document: str) -> dict[str, Any]:
    done = run("schema", "submission", "--game", document)
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.text)
    return found


@cache
def validator(document: str) -> Any:
    return build_validator(schema(document))


def is_accepted(document: str, data: Any) -> bool:
    return bool(validator(document).is_valid(to_plain_data(data)))


def load_text(text: bytes) -> Any:
    return load_yaml(decode_source("submission.yaml", text)).data


@cache
def example(document: str) -> Any:
    return load_text(run("new", document, "--example").out)


def list_shipped(document: str) -> Iterator[tuple[str, Any]]:
    home = rules_folder() / document
    bases = load_yaml(read_source(str(home / "examples" / "bases.yaml"))).data
    assert isinstance(bases, dict)
    named = bases["submissions"]
    assert isinstance(named, dict)
    yield from named.items()
    if (home / "demo").exists():
        yield "demo", load_text((home / "demo" / "submission.yaml").read_bytes())
    if (home / "simulation.yaml").exists():
        simulated = load_simulation(RULEBOOK.regulation(document)).submission
        yield "simulated", simulated.model_dump(mode="json", by_alias=True, exclude_unset=True)


@pytest.mark.parametrize("document", list_documents())
def test_it_is_a_sound_schema_of_its_own_address(document: str) -> None:
    Draft202012Validator.check_schema(schema(document))
    assert schema(document)["$id"] == f"https://fairdeal.example/schemas/submission/{document}.json"
    assert list(schema(document))[:3] == ["$schema", "$id", "title"]
    text = json.dumps(schema(document))
    assert {name for name in schema(document)["$defs"] if f'"#/$defs/{name}"' not in text} == set()


def test_its_bytes_are_the_same_each_time() -> None:
    program = [sys.executable, "-m", "fairdeal.cli.main", "schema", "submission", "--game", "poker-room"]
    done = subprocess.run(program, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": "1"})
    assert done.stdout == run("schema", "submission", "--game", "poker-room").out


@pytest.mark.parametrize("document", list_documents())
def test_it_accepts_what_is_shipped(document: str) -> None:
    judged = {
        name: [error.message for error in validator(document).iter_errors(to_plain_data(data))]
        for name, data in list_shipped(document)
    }
    assert judged
    assert not any(judged.values()), judged


@pytest.mark.parametrize("document", list_documents())
def test_it_accepts_what_new_writes(document: str) -> None:
    assert is_accepted(document, example(document))
    assert is_accepted(document, load_text(run("new", document, "--effective", "2026-02-01").out))


@pytest.mark.parametrize("document", list_documents())
def test_it_is_of_one_document_alone(document: str) -> None:
    other = next(document_ for document_ in list_documents() if document_ != document)
    assert not is_accepted(document, example(other))
    assert not is_accepted(document, {**example(document), "layuot": {}})


def complaint(data: Any) -> set[Any] | None:
    """Return the fault that `check` finds in a submission; None if it cannot read it."""
    try:
        filed = file_submission(decode_source("house.json", json.dumps(data).encode()), RULEBOOK)
    except InputError:
        return None
    found = check_submissions(RULEBOOK, [filed], program="test", generated="2026-01-01T00:00:00Z").findings
    return {(finding.requirement, finding.where.pointer) for finding in found}


def with_a_slip(word: str) -> str:
    middle = len(word) // 2
    return f"{word[:middle]}{'q' if word[middle] != 'q' else 'x'}{word[middle + 1 :]}"


def find_values(data: Any, keys: tuple[str, ...], path: Place = ()) -> Iterator[tuple[Place, Any]]:
    if not keys:
        yield path, data
    elif keys[0] == "*":
        for index, item in enumerate(data if isinstance(data, list) else ()):
            yield from find_values(item, keys[1:], (*path, index))
    elif isinstance(data, dict) and keys[0] in data:
        yield from find_values(data[keys[0]], keys[1:], (*path, keys[0]))


def replace_value(data: Any, path: Place, value: Any) -> Any:
    found = copy.deepcopy(data)
    inside = found
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return found


MISSED = "what is missed is the name that stood there; another one beside it would be the house's own"
SLIP = "a schema cannot tell a slip from a name of the house's own"
HANGS = "which words may stand there hangs on an option, or on the day it takes effect"
ONLY_CHECK_COMPLAINS = {
    ("caribbean-draw", "layout.areas.*.wager"): {"slip": SLIP, "own": MISSED},
    ("caribbean-draw", "layout.areas.*.for"): {"slip": SLIP, "own": MISSED},
    ("caribbean-draw", "meters.*.fed-by"): {"slip": SLIP, "own": MISSED},
    ("co-rule10-3card-shine", "layout.areas.*.wager"): {"slip": SLIP, "own": MISSED},
    ("co-rule10-flushes-gone-wild", "layout.areas.*.wager"): {"slip": SLIP, "own": MISSED},
    ("co-rule10-flushes-gone-wild", "meters.*.fed-by"): {"slip": SLIP},
    ("co-rule10-flushes-gone-wild", "pay-tables.*.rows.*.hand"): {"slip": SLIP, "own": HANGS},
    ("co-rule8-burnout", "deck.cards"): {"slip": SLIP, "own": HANGS},
    ("poker-room", "layout.style"): {"slip": SLIP},
    ("poker-room", "wagers.*.wager"): {"slip": SLIP, "own": MISSED},
    ("s38", "layout.areas.*.wager"): {"slip": SLIP, "own": MISSED},
    ("s38", "layout.areas.*.for"): {"slip": SLIP},
    ("s38", "pay-tables.*.rows.*.hand"): {"slip": SLIP, "own": HANGS},
}
"""Names that `check` rejects and the schema accepts, each with the reason. The schema rejects nothing that `check`
accepts."""


@pytest.mark.parametrize("document", list_documents())
def test_it_refuses_a_wrong_name_where_check_complains_of_it(document: str) -> None:
    complies = example(document)
    sound = complaint(complies)
    assert sound is not None
    differ: set[tuple[str, str]] = set()
    tried = 0
    for place in list_name_places(RULEBOOK, RULEBOOK.regulation(document)):
        for path, word in find_values(complies, place.keys):
            for kind, other in (("slip", with_a_slip(word)), ("own", OWN)) if isinstance(word, str) else ():
                data = replace_value(complies, path, other)
                found = complaint(data)
                complains = found is None or bool(found - sound)
                assert complains or is_accepted(document, data), (path, other)  # never refused by the schema alone
                if complains and is_accepted(document, data):
                    differ.add((".".join(place.keys), kind))
                tried += 1
    assert tried
    listed = {(keys, kind) for (of, keys), kinds in ONLY_CHECK_COMPLAINS.items() if of == document for kind in kinds}
    assert differ == listed


@pytest.mark.parametrize(
    ("document", "path", "value"),
    [
        ("co-rule10-3card-shine", ("wagers", 0, "wager"), "anre"),
        ("co-rule10-3card-shine", ("wagers", 0, "wager"), "insurance"),
        ("co-rule10-3card-shine", ("dealing",), "two-at-a-time"),
        ("co-rule10-3card-shine", ("pay-tables", 0, "rows", 0, "hand"), "royal-flush"),  # of another table
        ("co-rule10-3card-shine", ("pay-tables", 0, "pays"), "play"),
        ("co-rule10-3card-shine", ("layout", "style"), "s38"),
        ("co-rule10-3card-shine", ("attestations", 0, "clause"), "(99)"),
        ("co-rule10-3card-shine", ("options",), {"version": "required-bet"}),  # of another game
        ("s38", ("options", "version"), "required"),
        ("s38", ("options", "version"), True),
        ("s38", ("dealing",), "by-hand"),
        ("poker-room", ("options", "format"), True),
        ("poker-room", ("options", "format"), "five-ten"),
        ("poker-room", ("rake", "kind"), "by-time"),
        ("poker-room", ("rake", "from"), "preflop"),
        ("poker-room", ("document",), "s38"),
    ],
)
def test_both_refuse(document: str, path: Place, value: Any) -> None:
    data = replace_value(example(document), path, value)
    found = complaint(data)
    assert found is None or found - (complaint(example(document)) or set())
    assert not is_accepted(document, data)


@pytest.mark.parametrize(
    ("document", "path", "value"),
    [
        ("poker-room", ("wagers", 0, "wager"), "straddle"),
        ("poker-room", ("layout", "style"), "house-oval"),
        ("co-rule10-3card-shine", ("tables",), ["Ante", "anywhere"]),
        ("co-rule10-3card-shine", ("notices",), ["new carpet", {"of": "new carpet"}]),
        ("co-rule10-3card-shine", ("pay-tables", 0, "name"), "Ours"),
        ("co-rule10-3card-shine", ("attestations", 0, "clause"), "co-rule10-3card-shine/(2)"),
        ("co-rule10-3card-shine", ("dealing",), "three-card-packets"),
    ],
)
def test_both_read(document: str, path: Place, value: Any) -> None:
    data = replace_value(example(document), path, value)
    assert complaint(data) is not None
    assert is_accepted(document, data)


@pytest.mark.parametrize("document", list_documents())
def test_nothing_is_accepted_that_is_no_submission(document: str) -> None:
    every = Draft202012Validator(load_bundle("submission"))
    for key in example(document):
        others: list[Any] = [None, True, 1, -1, "text", [], {}, [{}], [[]], ["text"], {"text": 1}]
        for other in others:
            data = {**example(document), key: other}
            assert not is_accepted(document, data) or every.is_valid(data)


def test_a_profile_decides_between_readings() -> None:
    other = replace_value(example("poker-room"), ("options", "format"), "five-ten")
    assert not is_accepted("poker-room", other)
    done = run("schema", "submission", "--game", "poker-room", "--profile", "card-room-custom")
    assert build_validator(json.loads(done.text)).is_valid(other)


def test_a_rules_folder_of_ones_own_has_its_own_games(tmp_path: Path) -> None:
    for name in ("co-rule8-burnout", "vocabulary"):
        shutil.copytree(rules_folder() / name, tmp_path / name)
    done = run("schema", "submission", "--game", "co-rule8-burnout", "--rules", tmp_path)
    assert json.loads(done.text) == {**schema("co-rule8-burnout"), "properties": json.loads(done.text)["properties"]}
    assert run("schema", "submission", "--game", "s38", "--rules", tmp_path).code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["game", "--game", "s38"], "--game needs the schema `submission`"),
        (["--game", "s38"], "--game needs the schema `submission`"),
        (["submission", "--game", "s39"], "there is no document `s39`; did you mean `s38`?"),
        (["submision", "--game", "s38"], "there is no schema `submision`; did you mean `submission`?"),
    ],
)
def test_wrong_usage_is_said(arguments: list[str], said: str) -> None:
    done = run("schema", *arguments)
    assert (done.code, done.text) == (2, "")
    assert said in done.err
