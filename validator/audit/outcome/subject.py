"""Builder of the subject of a run: licensees, tables and period, from rounds and submissions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta

from msgspec import Struct, field

from validator.evidence.submission.model import Submission
from validator.results.subject import Law, LicenseeNamed, Subject, TableRead
from validator.rules.core.regulation import Regulation

TABLES_LISTED = 1_000
"""Maximum number of tables that results list."""
_EPOCH = date(1970, 1, 1)

MOST_TABLES = 100_000
"""Maximum number of tables that are distinguished, which bounds memory."""
BEYOND = "…"
"""Name under which all further tables are counted."""

Tables = tuple[tuple[str | None, str, int, int, int], ...]
"""Tables of one game in a batch: casino, table, rounds, first and last day since 1970-01-01.

Without a day, the first is `DAY_NOT_KNOWN` and the last is `-DAY_NOT_KNOWN`.
"""
FAR = 1 << 31
"""Placeholder for a day that is not known."""


class About(Struct):
    """Builder of the subject of a run."""

    _tables: dict[tuple[str, str | None, str], list[int]] = field(default_factory=dict)
    _submissions: list[Submission] = field(default_factory=list)

    def add_tables(self, document: str, tables: Tables) -> None:
        """Add the tables of rounds of a game."""
        for casino, table, rounds, first, last in tables:
            key = (document, casino, table)
            if key not in self._tables and len(self._tables) >= MOST_TABLES:
                key = (document, None, BEYOND)
            counts = self._tables.setdefault(key, [0, first, last])
            counts[0] += rounds
            counts[1] = min(counts[1], first)
            counts[2] = max(counts[2], last)

    def add_submission(self, submission: Submission) -> None:
        """Add a submission."""
        self._submissions.append(submission)

    def subject(self, regulations: Mapping[str, Regulation], currencies: Collection[str]) -> Subject:
        """Build the subject of everything added.

        Args:
            currencies: currencies of the amounts.
        """
        read = [_table_read(key, counted) for key, counted in sorted(self._tables.items(), key=_table_sort_key)]
        days = [day for table in read for day in (table.first, table.last) if day is not None]
        days = days or [submission.effective.isoformat() for submission in self._submissions]
        licensees = {submission.licensee.name: submission.licensee.license for submission in self._submissions}
        casinos = {table.casino for table in read if table.casino is not None} | set(licensees)
        return Subject(
            licensees=tuple(LicenseeNamed(name=name, license=number) for name, number in licensees.items()),
            law=tuple(_list_laws(regulations)),
            casinos=tuple(sorted(casinos)),
            tables=tuple(read[:TABLES_LISTED]),
            tables_read=len(read),
            first=min(days, default=None),
            last=max(days, default=None),
            currency=next(iter(currencies)) if len(currencies) == 1 else None,
            currencies=tuple(sorted(currencies)) if len(currencies) > 1 else (),
        )


def _table_sort_key(entry: tuple[tuple[str, str | None, str], list[int]]) -> tuple[str, str, str]:
    document, casino, table = entry[0]
    return document, casino or "", table


def _table_read(key: tuple[str, str | None, str], counted: list[int]) -> TableRead:
    document, casino, table = key
    rounds, first, last = counted
    return TableRead(
        document=document, casino=casino, table=table, rounds=rounds, first=_format_day(first), last=_format_day(last)
    )


def _format_day(day: int) -> str | None:
    return None if abs(day) == FAR else (_EPOCH + timedelta(days=day)).isoformat()


def _list_laws(regulations: Mapping[str, Regulation]) -> Iterator[Law]:
    for name, regulation in sorted(regulations.items()):
        document = regulation.document
        yield Law(
            document=name,
            title=document.title,
            citation=document.source.citation,
            regulator=document.regulator,
            game=None if regulation.game is None else regulation.game.title,
        )
