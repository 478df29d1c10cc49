"""Schedule of violations and restitution list: the same rows for HTML, XLSX and letters."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from msgspec import Struct

from fairdeal.validator.reports.report_wording import format_amount, format_day, short_id, split_clock
from fairdeal.validator.results.findings import Finding, Status
from fairdeal.validator.results.results import Results

HEADINGS = MappingProxyType(
    {
        "number": "No.",
        "day": "Date",
        "time": "Local time",
        "table": "Table",
        "dealer": "Dealer",
        "round": "Round",
        "seat": "Seat",
        "player": "Player",
        "wager": "Wager",
        "due": "Due",
        "done": "Done",
        "difference": "Difference",
        "clauses": "Clauses",
        "video": "Video",
    }
)
"""Headings of the columns of the schedule, in order."""


class ScheduleRow(Struct, frozen=True, kw_only=True):
    """Violation in the schedule."""

    number: int
    """Number in the schedule, from 1."""
    day: str | None
    """Day of the round."""
    time: str | None
    """Local time of day; with its date if that differs from the gaming day."""
    casino: str | None
    """Casino of the round."""
    table: str | None
    """Table of the round."""
    dealer: str | None
    """Dealer, from the notes of the log."""
    round: str | None
    """Id of the round."""
    seat: int | None
    """Seat of the player."""
    player: str | None
    """Player at the seat."""
    wager: str | None
    """Wager in question."""
    due: str
    """Text on what the rules require."""
    done: str
    """Text on what the evidence shows."""
    difference: int | None
    """Amount in minor units: below 0 if owed to the player, above 0 if overpaid; None if not about money."""
    currency: str | None
    """Currency of the difference."""
    clauses: str
    """Clauses, without the id of their document."""
    video: str | None
    """Reference to the video, from the notes of the log."""

    def texts(self) -> tuple[str, ...]:
        """Return the cells as people read them, in the order of `HEADINGS`; unknown ones are empty."""
        difference = ""
        if self.difference:
            sign = "-" if self.difference < 0 else "+"
            difference = f"{sign}{format_amount(abs(self.difference), self.currency)}"
        cells = {name: getattr(self, name) for name in HEADINGS}
        cells |= {"day": None if self.day is None else format_day(self.day), "difference": difference}
        return tuple("" if cell is None else str(cell) for cell in cells.values())


def list_schedule(results: Results) -> Iterator[ScheduleRow]:
    """Yield the violations that no waiver lifts, in the order of the findings."""
    violations = (finding for finding in results.findings if finding.status is Status.FAIL and finding.waived is None)
    for number, finding in enumerate(violations, 1):
        yield _make_row(number, finding, results)


def _make_row(number: int, finding: Finding, results: Results) -> ScheduleRow:
    where, notes = finding.where, finding.where.context or {}
    day, clock = split_clock(where)
    return ScheduleRow(
        number=number,
        day=day,
        time=(clock or "").removeprefix("T").strip() or None,
        casino=where.casino,
        table=where.table,
        dealer=notes.get("dealer"),
        round=where.round,
        seat=where.seat,
        player=where.player,
        wager=where.wager,
        due=finding.expected,
        done=finding.observed,
        difference=None if finding.owed is None else (finding.overpaid or 0) - finding.owed,
        currency=finding.currency or results.subject.currency,
        clauses=", ".join(short_id(finding.document, clause) for clause in finding.clauses),
        video=notes.get("video"),
    )


class RestitutionRow(Struct, frozen=True, kw_only=True):
    """Player who is owed money, or the sum for players whom the log does not name."""

    player: str | None
    """Player; None for all whom the log does not name."""
    casino: str | None
    """Casino of the player."""
    findings: int
    """Number of findings."""
    owed: int
    """Amount owed to the player, in minor units."""
    currency: str | None
    """Currency of the amount."""


def list_restitution(results: Results) -> Iterator[RestitutionRow]:
    """Yield the players who are owed money, the largest amount first, then the sum for unnamed players."""
    for money in () if results.money is None else results.money.by_currency:
        currency = money.currency or results.subject.currency
        players = [total for total in money.sums if total.by == "player"]
        for total in players:
            if total.owed:
                yield RestitutionRow(
                    player=total.name,
                    casino=total.casino,
                    findings=total.findings,
                    owed=total.owed,
                    currency=currency,
                )
        rest = money.owed - sum(total.owed for total in players)
        if rest > 0:
            findings = money.findings - sum(total.findings for total in players)
            yield RestitutionRow(player=None, casino=None, findings=findings, owed=rest, currency=currency)
