"""Findings as examples write them down: to be compared whole, and printed so that they can be put into the file."""

from __future__ import annotations

import json
from typing import NamedTuple

from validator.results.findings import Finding
from validator.results.statuses import Status
from validator.rules.core.regulation import Regulation
from validator.rules.model.example import ExpectedFinding


class Entry(NamedTuple):
    """All that an example says of a finding; requirements, clauses and readings by full ids."""

    requirement: str
    status: str
    clauses: tuple[str, ...]
    round: str | None
    pointer: str | None
    seat: int | None
    wager: str | None
    event: int | None
    expected: str
    observed: str
    readings: tuple[str, ...]
    waived: bool

    def written(self, document: str) -> str:
        """The entry under `findings` in an example of a document, several lines of YAML."""

        def text(value: str) -> str:
            return json.dumps(value, ensure_ascii=False)  # every JSON text is one of YAML

        def named(ids: tuple[str, ...]) -> list[str]:
            return [one.removeprefix(f"{document}/") for one in ids]

        place = [
            *(f"{key}: {text(value)}" for key, value in (("round", self.round), ("pointer", self.pointer)) if value),
            *(f"{key}: {value}" for key, value in (("seat", self.seat), ("wager", self.wager)) if value is not None),
            *([] if self.event is None else [f"event: {self.event}"]),
        ]
        lines = [
            f"requirement: {named((self.requirement,))[0]}",
            *([] if self.status == Status.FAIL.value else [f"status: {self.status}"]),
            f"clauses: [{', '.join(map(text, named(self.clauses)))}]",
            *([f"at: {{{', '.join(place)}}}"] if place else []),
            f"expected: {text(self.expected)}",
            f"observed: {text(self.observed)}",
            *([f"readings: [{', '.join(named(self.readings))}]"] if self.readings else []),
            *(["waived: true"] if self.waived else []),
        ]
        return "- " + "\n  ".join(lines)


def as_expected(regulation: Regulation, finding: ExpectedFinding) -> Entry:
    """What an example says must be found."""
    return Entry(
        requirement=regulation.full_id(finding.requirement),
        status=finding.status,
        clauses=regulation.clause_ids(finding.clauses),
        round=finding.at.round_,
        pointer=finding.at.pointer,
        seat=finding.at.seat,
        wager=finding.at.wager,
        event=finding.at.event,
        expected=finding.expected,
        observed=finding.observed,
        readings=tuple(regulation.full_id(name) for name in finding.readings),
        waived=finding.waived,
    )


def as_found(finding: Finding, *, in_session: bool) -> Entry:
    """What was found, as an example would say it; only one of a session names the round."""
    where = finding.where
    return Entry(
        requirement=finding.requirement,
        status=finding.status.value,
        clauses=finding.clauses,
        round=where.round if in_session else None,
        pointer=where.pointer,
        seat=where.seat,
        wager=where.wager,
        event=where.event,
        expected=finding.expected,
        observed=finding.observed,
        readings=finding.reading,
        waived=finding.waived is not None,
    )
