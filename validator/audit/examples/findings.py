"""Findings as examples list them, and their wording, which the snapshot records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from validator.results.findings import Finding
from validator.rules.core.regulation import Regulation
from validator.rules.model.example import ExpectedFinding


class Entry(NamedTuple):
    """Finding as an example lists it."""

    requirement: str
    """Full id of the requirement."""
    round: str | None
    """Id of the round, in a session."""
    pointer: str | None
    """JSON pointer into a submission."""
    seat: int | None
    wager: str | None
    event: int | None
    """Position of the event in the round."""
    owed: int | None
    """Amount underpaid, in the smallest unit."""
    overpaid: int | None
    """Amount overpaid, in the smallest unit."""

    def written(self, document: str) -> str:
        """Return the entry as a line of YAML under `findings` of an example."""
        short_ids = (("round", self.round), ("pointer", self.pointer))
        place = [
            *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in short_ids if value is not None),
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
    """Wording and references of a finding."""

    requirement: str
    status: str
    clauses: tuple[str, ...]
    """Full ids of the clauses."""
    readings: tuple[str, ...]
    """Full ids of the readings."""
    waived: bool
    expected: str
    observed: str

    def lines(self, document: str) -> Iterator[str]:
        """Yield one line for each property of a finding of a document."""

        def short_ids(ids: tuple[str, ...]) -> str:
            return ", ".join(full_id.removeprefix(f"{document}/") for full_id in ids)

        yield f"expected: {self.expected}"
        yield f"observed: {self.observed}"
        yield f"clauses: {short_ids(self.clauses)}"
        if self.readings:
            yield f"readings: {short_ids(self.readings)}"
        if self.status != "fail":
            yield f"status: {self.status}"
        if self.waived:
            yield "waived"


def as_expected(regulation: Regulation, finding: ExpectedFinding) -> Entry:
    """Build the entry of a finding that an example expects."""
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
    """Build the entry of a finding of the audit. The entry names the round only in a session."""
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
    """Build the wording of a finding."""
    return Words(
        requirement=finding.requirement,
        status=finding.status.value,
        clauses=finding.clauses,
        readings=finding.reading,
        waived=finding.waived is not None,
        expected=finding.expected,
        observed=finding.observed,
    )
