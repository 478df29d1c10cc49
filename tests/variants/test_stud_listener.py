"""Thousands of rounds of stud, lawful and not, held against a listener who counts cards and chips one by one."""

from __future__ import annotations

from functools import cache

from tests.variants.hands import GAMES
from tests.variants.stud_listener import BRING_IN, SMALL, Listener
from tests.variants.stud_rounds import Dealt, Event, dealt
from validator.checks.check import submission_from
from validator.checks.marks import STATUSES
from validator.checks.rounds import weigh_batch
from validator.evidence.records import batches_of_records
from validator.play.configuration import Configuration, configuration_of
from validator.play.prepared import Prepared, prepare
from validator.rulebook.load import load_regulation
from validator.text.source import decoded

HOUSE = (
    "submission: house\ndocument: stud\neffective: 1970-01-01\nlicensee: {name: nobody}\n"
    f"wagers: [{{wager: bring-in, minimum: {BRING_IN}}}, {{wager: bets, minimum: {SMALL}}}]\n"
)


@cache
def stud() -> tuple[Prepared, Configuration]:
    submission = submission_from(decoded("house.yaml", HOUSE.encode()))[0].submission
    return prepare(load_regulation("stud", GAMES)), configuration_of(submission)


def judged(records: list[Event]) -> list[dict[str, str]]:
    """Of each round, how each requirement came out."""
    prepared, house = stud()
    batches, bad = batches_of_records(records, file="log", games={"stud"})
    assert not bad, bad[0].reason
    found: list[dict[str, str]] = [{} for _ in records]
    for batch in batches:
        for weighed in weigh_batch(prepared, batch, house):
            for line, mark in zip(batch.line.tolist(), weighed.marks.tolist(), strict=True):
                found[line - 1][weighed.requirement.requirement] = str(STATUSES[mark])
    return found


def heard(one: Dealt) -> dict[str, set[str]]:
    return Listener(one.record, one.streets).hear()
