"""Regulations that are kept: the same as loaded ones, until a file or the program changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec.structs import replace

from fairdeal.validator.disk_cache import CACHE_VARIABLE, store_entry
from fairdeal.validator.language.grammar import iterate_models, walk_models
from fairdeal.validator.rulebook import rule_loader, rulebook
from fairdeal.validator.rulebook.rulebook import load_cached_regulation
from fairdeal.validator.rules.regulation import MAX_DERIVED, cache_by_regulation
from fairdeal.validator.rules.rule_files import RuleFileCache
from tests.facade.reports import write_json
from tests.facade.rules import Regulation, Rulebook, list_documents, load_regulation, read_rule_files, rules_folder
from tests.facade.simulation import load_simulation
from tests.facade.submissions import check_submissions, file_submission
from tests.facade.text import InputError, decode_source

DOCUMENTS = list_documents()
PLAYED = next(name for name in DOCUMENTS if (rules_folder() / name / "simulation.yaml").exists())


@pytest.fixture
def read_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Regulation]:
    """Return a function that reads a document from the cache; loading it again is an error."""

    def read(document: str) -> Regulation:
        load_cached_regulation(document)
        monkeypatch.setattr(rule_loader, "load_regulation", _refuse_loading)
        return load_cached_regulation(document)

    return read


@cache
def load_from_files(document: str) -> Regulation:
    """Load a shipped document from its files, once for these tests."""
    return rule_loader.load_regulation(document)


def _refuse_loading(*_: object) -> NoReturn:
    raise AssertionError("it was kept, and need not be loaded")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_is_kept_is_what_was_loaded(document: str, read_kept: Callable[[str], Regulation]) -> None:
    loaded = load_from_files(document)
    found = read_kept(document)
    assert found == loaded
    for requirement, other in zip(found.requirements, loaded.requirements, strict=True):
        assert (requirement.check.operator, requirement.check.operand) == (other.check.operator, other.check.operand)
        assert requirement.model_fields_set == other.model_fields_set
        assert "readings" in requirement.__dict__  # computed before it was stored
        assert "identity" in requirement.check.__dict__
        assert (requirement.readings, requirement.check.identity) == (other.readings, other.check.identity)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_is_kept_is_written_out_the_same(document: str, read_kept: Callable[[str], Regulation]) -> None:
    loaded = load_from_files(document)
    found = read_kept(document)
    assert [requirement.model_dump_json() for requirement in found.requirements] == [
        requirement.model_dump_json() for requirement in loaded.requirements
    ]
    assert found.document.model_dump_json() == loaded.document.model_dump_json()
    assert (found.game and found.game.model_dump_json()) == (loaded.game and loaded.game.model_dump_json())


def audit_under(text: bytes) -> bytes:
    stream = BytesIO()
    write_json(
        check_submissions(Rulebook(), [file_submission(decode_source("file", text))], program="test", generated="now"),
        stream,
    )
    return stream.getvalue()


def test_results_are_the_same_with_and_without(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submission = load_simulation(load_regulation(PLAYED)).submission
    sound = submission.model_dump_json(by_alias=True, exclude_unset=True).encode()
    bare = submission.model_copy(update={"layout": None, "wagers": None, "deck": None})
    faulty = bare.model_dump_json(by_alias=True, exclude_none=True).encode()
    first = [audit_under(sound), audit_under(faulty)]
    second = [audit_under(sound), audit_under(faulty)]
    monkeypatch.setenv(CACHE_VARIABLE, "off")
    assert first == second == [audit_under(sound), audit_under(faulty)]
    assert len(list(folder.iterdir())) == 2


@pytest.fixture
def rules(tmp_path: Path, folder: Path) -> Path:
    """Return a rules folder that may be changed; its content is already cached."""
    root = tmp_path / "rules"
    for name in (PLAYED, "vocabulary"):
        shutil.copytree(rules_folder() / name, root / name)
    shutil.copy(rules_folder() / "rulebook.yaml", root)
    load_cached_regulation(PLAYED, root)
    assert len(list(folder.iterdir())) == 1
    return root


def test_the_same_files_elsewhere_are_the_same_regulation(rules: Path, folder: Path) -> None:
    assert load_cached_regulation(PLAYED, rules) == load_cached_regulation(PLAYED) == load_from_files(PLAYED)
    assert len(list(folder.iterdir())) == 1


def test_a_process_reads_the_same_files_once(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rulebook, "_load_shared", lru_cache(maxsize=1)(rulebook._load_shared))
    first = Rulebook().regulation(PLAYED)
    assert Rulebook(folder=rules).regulation(PLAYED) is first
    path = rules / PLAYED / "document.yaml"
    path.write_text(path.read_text("utf-8") + "# changed\n", "utf-8")
    changed = Rulebook(folder=rules).regulation(PLAYED)
    assert changed is not first and changed.sha256 != first.sha256
    assert Rulebook().regulation(PLAYED) is not first  # which gave way to the other
    path.write_text("a: 1\n", "utf-8")
    with pytest.raises(InputError):
        Rulebook(folder=rules).regulation(PLAYED)


def test_a_changed_file_is_read_again(rules: Path) -> None:
    path = rules / PLAYED / "document.yaml"
    title = load_regulation(PLAYED).document.title
    path.write_text(path.read_text("utf-8").replace(title, f"{title}, changed", 1), "utf-8")
    found = load_cached_regulation(PLAYED, rules)
    assert found.document.title == f"{title}, changed"
    assert found == load_regulation(PLAYED, rules)


def test_a_vocabulary_is_read_once_as_long_as_it_stays_as_it_is(rules: Path) -> None:
    trees = RuleFileCache()
    assert read_rule_files(PLAYED, rules, trees) == read_rule_files(PLAYED, rules)
    assert {path.parent.name for path in trees._files} & {PLAYED, "vocabulary"} == {PLAYED}
    path = rules / "vocabulary" / "decks.yaml"
    text = path.read_text("utf-8")
    path.write_text(f"{text}  tiny: {{suits: c, ranks: A}}\n", "utf-8")
    assert {*load_regulation(PLAYED, rules).vocabulary.decks} - {*load_from_files(PLAYED).vocabulary.decks} == {"tiny"}
    path.write_text("decks: [\n", "utf-8")
    for _ in range(2):
        with pytest.raises(InputError):
            load_regulation(PLAYED, rules)
    path.write_text(text, "utf-8")
    assert load_regulation(PLAYED, rules) == load_from_files(PLAYED)


def test_a_file_of_the_vocabulary_that_is_taken_away_is_the_shipped_one(rules: Path) -> None:
    (rules / "vocabulary" / "decks.yaml").unlink()
    assert load_cached_regulation(PLAYED, rules).vocabulary.decks == load_from_files(PLAYED).vocabulary.decks


def test_a_file_that_is_taken_away_is_missed(rules: Path) -> None:
    (rules / PLAYED / "readings.yaml").unlink()
    with pytest.raises(InputError) as told:
        load_cached_regulation(PLAYED, rules)
    assert [problem.code for problem in told.value.diagnostics] == ["not-found"]


@pytest.mark.parametrize("name", ["document.yaml", "requirements/broken.yaml"])
@pytest.mark.parametrize("data", [b"", b"a: 1\n", b"a: [\n", b"\xff"])
def test_problems_are_told_as_without(rules: Path, name: str, data: bytes) -> None:
    (rules / PLAYED / name).write_bytes(data)
    with pytest.raises(InputError) as told:
        load_cached_regulation(PLAYED, rules)
    with pytest.raises(InputError) as without:
        load_regulation(PLAYED, rules)
    assert told.value.diagnostics == without.value.diagnostics


@pytest.mark.parametrize("name", ["no-such", "vocabulary", f"x/../{PLAYED}", "..", "", "/etc"])
def test_an_unknown_document(name: str, folder: Path) -> None:
    with pytest.raises(InputError) as told:
        load_cached_regulation(name)
    assert told.value.diagnostics[0].code == "unknown-document"
    assert not folder.exists()


@pytest.mark.parametrize("other", [{"document": PLAYED}, 7], ids=["a mapping", "a number"])
def test_an_entry_that_is_no_regulation_is_made_again(rules: Path, folder: Path, other: object) -> None:
    [entry] = folder.iterdir()
    store_entry(entry.name, other)
    assert load_cached_regulation(PLAYED, rules) == load_from_files(PLAYED)
    assert len(list(folder.iterdir())) == 1


def test_an_entry_of_other_files_is_made_again(rules: Path, folder: Path) -> None:
    [entry] = folder.iterdir()
    another = load_regulation(next(name for name in DOCUMENTS if name != PLAYED))
    store_entry(entry.name, another)
    assert load_cached_regulation(PLAYED, rules).id == PLAYED


def test_what_is_derived_is_kept_for_a_regulation_itself_and_not_for_an_equal_one() -> None:
    derived: list[Regulation] = []

    @cache_by_regulation
    def number(regulation: Regulation) -> int:
        derived.append(regulation)
        return len(derived)

    first = load_from_files(PLAYED)
    others = [replace(first) for _ in range(MAX_DERIVED)]
    assert [number(regulation) for regulation in (first, first, *others[1:], first)] == [1, 1, *range(2, 17), 1]
    assert number(others[0]) == 17  # which takes the place of the one that is used least recently
    assert [number(regulation) for regulation in (first, others[2], others[1])] == [1, 3, 18]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_models_are_iterated_with_and_without_their_places_in_the_same_order(document: str) -> None:
    regulation = load_from_files(document)
    for model in (*(() if regulation.game is None else (regulation.game,)), *regulation.requirements):
        inner = [id(part) for part in iterate_models(model)]
        assert inner == [id(part) for _, part in walk_models(model, ())]
