"""Two decks in turn: the decks of a table, when one remains alone, and when a third may come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sessions.tables import judge, round_, shuffle, totals

IN_TURN = "{succession: {deck: other, received: opened, removed: gone}}"


def open_decks(*decks: str) -> list[dict[str, Any]]:
    return [{"event": "deck", "what": "opened", "deck": deck} for deck in decks]


def remove(*decks: str) -> list[dict[str, Any]]:
    return [{"event": "deck", "what": "removed", "deck": deck} for deck in decks]


def session(rounds: str, between: dict[int, list[dict[str, Any]]], *, first: int, **more: Any) -> list[dict[str, Any]]:
    """Return rounds by the first letters of their decks, and events before some.

    `-` is a missing round, `?` a round that names no deck.
    """
    found = [(at, deck) for at, deck in enumerate(rounds, first) if deck != "-"]
    named: list[dict[str, Any]] = [({} if deck == "?" else {"deck": deck}) for _, deck in found]
    return [round_(at, *between.get(at, []), **deck, **more) for (at, _), deck in zip(found, named, strict=True)]


@pytest.mark.parametrize(
    ("rounds", "between", "failing", "open_"),
    [
        ("brbr", {1: open_decks("b", "r")}, [], []),
        ("brrb", {1: open_decks("b", "r")}, [3], []),
        ("bb", {1: open_decks("b", "r")}, [2], []),
        # One is left, or there never was another.
        ("brrr", {1: open_decks("b", "r"), 3: remove("b")}, [], []),
        ("brrr", {1: open_decks("b", "r"), 3: remove("r")}, [3, 4], []),
        ("brbb", {1: open_decks("b", "r"), 3: remove("r")}, [], []),
        ("bbb", {1: open_decks("b")}, [], []),
        ("bbrr", {1: open_decks("b"), 3: open_decks("r")}, [4], []),
        ("brrrr", {1: open_decks("b", "r"), 3: remove("b"), 4: open_decks("g")}, [5], []),
        ("brrgr", {1: open_decks("b", "r"), 3: remove("b"), 4: open_decks("g")}, [], []),
        # A third, in turn with two or in place of one.
        ("brgb", {1: open_decks("b", "r", "g")}, [3, 4], []),
        ("brgrg", {1: open_decks("b", "r"), 3: [*remove("b"), *open_decks("g")]}, [], []),
        ("brgrg", {1: open_decks("b", "r"), 3: open_decks("g")}, [], []),
        ("brgyg", {1: open_decks("b", "r"), 3: open_decks("g", "y")}, [], []),
        ("brgbr", {1: open_decks("b", "r"), 3: open_decks("g")}, [4, 5], []),
        # Unrecorded facts.
        ("bb", {}, [], [2]),
        ("brr", {}, [3], []),
        ("br-rr", {1: open_decks("b", "r")}, [], [4, 5]),
        ("br-rbb", {1: open_decks("b", "r")}, [6], [4]),
        # A round that does not name its deck may be played with either.
        ("?rb", {1: open_decks("b", "r")}, [], [2]),
        ("?rbb", {1: open_decks("b", "r")}, [4], [2]),
        ("b?b", {1: open_decks("b", "r")}, [], [2, 3]),
        ("b?rb", {1: open_decks("b", "r")}, [], [2, 3]),
        ("br?br", {1: open_decks("b", "r")}, [], [3, 4]),
        ("br??", {1: open_decks("b", "r")}, [], [3, 4]),
        ("br?gb", {1: open_decks("b", "r"), 4: open_decks("g")}, [], [3, 4]),
    ],
)
def test_two_decks_in_turn(
    tmp_path: Path, rounds: str, between: dict[int, list[dict[str, Any]]], failing: list[int], open_: list[int]
) -> None:
    result, findings = judge(tmp_path, IN_TURN, session(rounds, between, first=1))
    assert [finding.where.round for finding in findings if finding.status == "fail"] == [f"R{at}" for at in failing]
    assert totals(result).get("not-evidenced", 0) == len(open_)


def test_a_log_that_does_not_record_decks_shows_only_that_they_change(tmp_path: Path) -> None:
    rounds = session("brrgb", {}, first=1, unrecorded=["deck"])
    result, (gap,) = judge(tmp_path, IN_TURN, rounds)
    assert totals(result) == {"pass": 3, "not-evidenced": 1, "not-applicable": 1}
    assert gap.observed == "the evidence does not show: the deck in play, and the other decks at the table"


def test_a_third_deck_is_told(tmp_path: Path) -> None:
    _, (finding,) = judge(tmp_path, IN_TURN, session("brg", {1: open_decks("b", "r", "g")}, first=1))
    assert finding.expected == "the deck that was in turn with that of round R2 (00:02), r"
    assert finding.observed == "a third deck, g"


@pytest.mark.parametrize(
    ("number", "deck", "before", "status"),
    [(2, "b", "b", "pass"), (2, "b", "r", "fail"), (3, "b", "b", "not-evidenced"), (2, "b", None, "not-evidenced")],
)
def test_the_deck_of_the_round_before(tmp_path: Path, number: int, deck: str, before: str | None, status: str) -> None:
    check = "{succession: {when: {events: mixed, at-least: 1}, must: {deck-as-before: true}}}"
    first = round_(1) if before is None else round_(1, deck=before)
    result, _ = judge(tmp_path, check, [first, round_(number, shuffle(), deck=deck)])
    assert totals(result)[status] == 1
