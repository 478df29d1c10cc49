"""Tests that documents are found by their titles, and entries of the rulebook by words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairdeal.validator.rulebook.rule_catalogue import find_documents, search_entries, split_words
from fairdeal.validator.rulebook.rulebook import Rulebook
from tests.facade.commands import run

SHINE = "co-rule10-3card-shine"


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        ("s38", ("s38",)),
        ("shine", (SHINE,)),
        ("3 Card Shine", (SHINE,)),
        ("3 card shine (rule 10, 30-1099.52)", (SHINE,)),
        ("Colorado Hold'em", ("s38",)),
        ("COLORADO HOLD\u2019EM POKER", ("s38",)),
        ("texas hold em", ("poker-room",)),
        ("Texas Holdem", ("poker-room",)),
        ("caribbean", ("caribbean-draw",)),
        ("burnout", ("co-rule8-burnout",)),
        ("Rule 10", (SHINE, "co-rule10-flushes-gone-wild")),
        ("shine flushes", ()),
        ("", ()),
        ("!?", ()),
        ("x" * 100_000, ()),
    ],
)
def test_a_document_is_found_by_its_title(name: str, documents: tuple[str, ...]) -> None:
    assert find_documents(Rulebook(), name) == documents


def test_words_have_no_case_and_no_accents() -> None:
    assert split_words("Hold 'Em, Café 47.1-x_y") == ["hold", "em", "cafe", "47", "1", "x", "y"]


@pytest.mark.parametrize(
    "arguments",
    [["new", "Shine"], ["rules", "list", "shine"], ["rules", "check", "burnout"], ["rules", "coverage", "Shine"]],
)
def test_commands_take_titles(arguments: list[str]) -> None:
    named = run(*arguments)
    by_id = run(*arguments[:-1], {"shine": SHINE, "burnout": "co-rule8-burnout"}[arguments[-1].casefold()])
    assert (named.code, named.text) == (by_id.code, by_id.text)
    assert named.code == 0


def test_simulated_rounds_are_those_of_the_id(tmp_path: Path) -> None:
    by_title, by_id = tmp_path / "title.jsonl", tmp_path / "id.jsonl"
    for game, file in (("3 Card Shine", by_title), (SHINE, by_id)):
        assert run("simulate", game, "--rounds", "3", "--seed", "1", "-o", str(file)).code == 0
    assert by_title.read_bytes() == by_id.read_bytes()


def test_several_documents_are_listed_with_their_titles() -> None:
    several = run("new", "rule 10")
    assert several.code == 2
    assert f"{SHINE}        3 Card Shine" in several.err
    assert "co-rule10-flushes-gone-wild  Flushes Gone Wild" in several.err
    assert "s38" not in several.err


def test_without_a_game_titles_are_listed() -> None:
    listed = run("new")
    assert listed.code == 0
    assert "s38                          Colorado Hold'em Poker" in listed.text


def test_entries_with_all_words_are_found() -> None:
    found = search_entries(Rulebook().all(), "queen high dealer")
    assert f"{SHINE}/(12)" in [result.id for result in found if result.kind == "clause"]
    assert all(result.id.count("/") or result.kind == "document" for result in found)


def test_words_in_titles_come_first() -> None:
    found = [split_words(f"{result.id} {result.text}") for result in search_entries(Rulebook().all(), "play ante")]
    in_title = [all(any(word.startswith(part) for word in words) for part in ("play", "ante")) for words in found]
    assert in_title == sorted(in_title, reverse=True)
    assert {True, False} == set(in_title)


def test_a_search_is_printed_and_has_a_json_form() -> None:
    text = run("rules", "search", "pair", "xxx")
    assert text.code == 0
    assert f"wager {SHINE}/pair-xxx\n  Pair XXX\n" in text.text
    entries = json.loads(run("rules", "search", "pair", "xxx", "-o", "json").text)
    assert {"kind": "wager", "id": f"{SHINE}/pair-xxx", "text": "Pair XXX"} in entries
    assert run("rules", "search", "xyzzy").text == "0 results\n"
    assert run("rules", "search").code == 2


def test_words_with_another_ending_are_found_if_nothing_else_is() -> None:
    found = search_entries(Rulebook().all(), "dealer qualifies")
    assert any("qualified" in split_words(result.text) for result in found)
