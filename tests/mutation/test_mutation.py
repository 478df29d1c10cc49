"""The rulebook's examples are complete: whatever in it is changed, some example notices."""

from __future__ import annotations

import pytest

from tests.facade.courts import open_shipped_court
from tests.facade.rules import Game, build_regulation
from tests.facade.text import InputError
from tools.mutation.run import format_text, list_proved_documents, run
from tools.mutation.trial import Court, mutate_file

COMPLETE = (
    "caribbean-draw",
    "co-rule10-3card-shine",
    "co-rule10-flushes-gone-wild",
    "co-rule8-burnout",
    "poker-room",
    "s38",
)
"""Documents of which no mutant survives."""
MOST = 2
"""Mutants of a document that are tried here, of those that an example must notice; `make mutants` tries all."""
EVERY = 23
"""Mutants among which one is also loaded in full."""


@pytest.mark.parametrize("document", COMPLETE)
def test_every_change_is_noticed(document: str) -> None:
    report = run(document, most=MOST, court=open_shipped_court(document))
    print(format_text(report))
    assert report.tried
    assert report.wrong == ()
    assert [mutant.name for mutant in report.survivors] == []
    assert report.stale == ()


@pytest.mark.parametrize("document", list_proved_documents())
def test_the_short_way_to_load_a_mutant_comes_to_the_same(document: str) -> None:
    court = open_shipped_court(document)
    for mutant in court.mutants[:: max(EVERY, len(court.mutants) // 4)]:
        try:
            whole = build_regulation([mutate_file(file, mutant) for file in court.files])
        except InputError:
            with pytest.raises(InputError):
                court.load_regulation(mutant)
        else:
            assert court.load_regulation(mutant) == whole, mutant.name


def list_game_changes(court: Court) -> set[str]:
    """Return the places of a document's game that mutants change."""
    (file,) = [file for file in court.files if isinstance(file.model, Game)]
    return {mutant.place for mutant in court.mutants if mutant.file == file.name}


def test_no_requirement_comes_to_something_else_by_itself() -> None:
    # A mutant is checked by one requirement at a time; s38 has most that examine the same events. `make mutants`
    # examines every requirement of every document.
    assert open_shipped_court("s38").otherwise_alone(step=6) == ()


def test_what_only_simulated_rounds_are_made_by_is_left_alone() -> None:
    court = open_shipped_court("s38")
    places = list_game_changes(court)
    assert "other-events/settle-in-play" in places  # a sequence names it
    assert not any(place.startswith("other-events/rack-in-either-version") for place in places)


def test_clauses_are_told_by_cases_and_limits() -> None:
    court = open_shipped_court("s38")
    judged = [place for place in list_game_changes(court) if "settlement/ca" in place]
    assert any(place.endswith("/clauses") or "/clauses/" in place for place in judged)
    assert not any("/requirements/" in place and "/clauses" in place for place in judged)
