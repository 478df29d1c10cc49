"""Findings as examples put them down, and what they say in words, which the snapshot keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from validator.results.findings import Finding
from validator.rules.core.regulation import Regulation
from validator.rules.model.example import ExpectedFinding


class Entry(NamedTuple):
    """All that an example says of a finding: the requirement by its full id, the place, and the amount of money."""

    requirement: str
    round: str | None
    pointer: str | None
    seat: int | None
    wager: str | None
    event: int | None
    owed: int | None
    overpaid: int | None

    def written(self, document: str) -> str:
        """The entry under `findings` in an example of a document, a line of YAML."""
        named = (("round", self.round), ("pointer", self.pointer))
        place = [
            *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in named if value is not None),
            *(f"{key}: {value}" for key, value in (("seat", self.seat), ("wager", self.wager)) if value is not None),
            *([] if self.event is None else [f"event: {self.event}"]),
        ]
        parts = [
            f"requirement: {self.requirement.removeprefix(f'{document}/')}",
            *([f"at: {{{', '.join(place)}}}"] if place else []),
            *(f"{key}: {value}" for key, value in (("owed", self.owed), ("overpaid", self.overpaid)) if value),
        ]
        return f"- {{{', '.join(parts)}}}"


class Words(NamedTuple):
    """What a finding says besides: clauses and readings by full ids."""

    requirement: str
    status: str
    clauses: tuple[str, ...]
    readings: tuple[str, ...]
    waived: bool
    expected: str
    observed: str

    def lines(self, document: str) -> Iterator[str]:
        """A line for each thing that is said of a finding of a document."""

        def named(ids: tuple[str, ...]) -> str:
            return ", ".join(one.removeprefix(f"{document}/") for one in ids)

        yield f"expected: {self.expected}"
        yield f"observed: {self.observed}"
        yield f"clauses: {named(self.clauses)}"
        if self.readings:
            yield f"readings: {named(self.readings)}"
        if self.status != "fail":
            yield f"status: {self.status}"
        if self.waived:
            yield "waived"


def as_expected(regulation: Regulation, finding: ExpectedFinding) -> Entry:
    """What an example says must be found."""
    return Entry(
        requirement=regulation.full_id(finding.requirement),
        round=finding.at.round_,
        pointer=finding.at.pointer,
        seat=finding.at.seat,
        wager=finding.at.wager,
        event=finding.at.event,
        owed=finding.owed,
        overpaid=finding.overpaid,
    )


def as_found(finding: Finding, *, in_session: bool) -> Entry:
    """What was found, as an example would say it; only one of a session names the round."""
    where = finding.where
    return Entry(
        requirement=finding.requirement,
        round=where.round if in_session else None,
        pointer=where.pointer,
        seat=where.seat,
        wager=where.wager,
        event=where.event,
        owed=finding.owed or None,
        overpaid=finding.overpaid or None,
    )


def words_of(finding: Finding) -> Words:
    """What a finding says besides its place and amount."""
    return Words(
        requirement=finding.requirement,
        status=finding.status.value,
        clauses=finding.clauses,
        readings=finding.reading,
        waived=finding.waived is not None,
        expected=finding.expected,
        observed=finding.observed,
    )
