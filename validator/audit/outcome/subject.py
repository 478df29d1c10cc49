"""Whose evidence is judged, and for which time: gathered as rounds and submissions come in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import date, timedelta

from msgspec import Struct, field

from validator.evidence.submission.model import Submission
from validator.results.subject import Law, LicenseeNamed, Subject, TableRead
from validator.rules.core.regulation import Regulation

TABLES_LISTED = 1_000
"""Tables that results list one by one."""
_EPOCH = date(1970, 1, 1)

MOST_TABLES = 100_000
"""Tables that are told apart at all, so that memory is bounded."""
BEYOND = "…"
"""The name under which all others are counted."""

Tables = tuple[tuple[str | None, str, int, int, int], ...]
"""Tables of one game in a batch: casino, table, rounds, the first and the last day since 1970-01-01; where no day is
told, the first is `FAR` and the last is `-FAR`."""
FAR = 1 << 31


class About(Struct):
    """What is gathered of the subject of a run."""

    _tables: dict[tuple[str, str | None, str], list[int]] = field(default_factory=dict)
    _submissions: list[Submission] = field(default_factory=list)

    def add_tables(self, document: str, tables: Tables) -> None:
        """Rounds of a game that were judged."""
        for casino, table, rounds, first, last in tables:
            key = (document, casino, table)
            if key not in self._tables and len(self._tables) >= MOST_TABLES:
                key = (document, None, BEYOND)
            known = self._tables.setdefault(key, [0, first, last])
            known[0] += rounds
            known[1] = min(known[1], first)
            known[2] = max(known[2], last)

    def add_submission(self, submission: Submission) -> None:
        """A submission that was judged."""
        self._submissions.append(submission)

    def subject(self, regulations: Mapping[str, Regulation], currencies: Collection[str]) -> Subject:
        """The subject of everything that was added, where amounts are in these currencies."""
        read = [_table_read(key, counted) for key, counted in sorted(self._tables.items(), key=_by_name)]
        days = [day for table in read for day in (table.first, table.last) if day is not None]
        days = days or [one.effective.isoformat() for one in self._submissions]
        licensees = {one.licensee.name: one.licensee.license for one in self._submissions}
        casinos = {table.casino for table in read if table.casino is not None} | set(licensees)
        return Subject(
            licensees=tuple(LicenseeNamed(name=name, license=number) for name, number in licensees.items()),
            law=tuple(_laws(regulations)),
            casinos=tuple(sorted(casinos)),
            tables=tuple(read[:TABLES_LISTED]),
            tables_read=len(read),
            first=min(days, default=None),
            last=max(days, default=None),
            currency=next(iter(currencies)) if len(currencies) == 1 else None,
            currencies=tuple(sorted(currencies)) if len(currencies) > 1 else (),
        )


def _by_name(entry: tuple[tuple[str, str | None, str], list[int]]) -> tuple[str, str, str]:
    document, casino, table = entry[0]
    return document, casino or "", table


def _table_read(key: tuple[str, str | None, str], counted: list[int]) -> TableRead:
    document, casino, table = key
    rounds, first, last = counted
    return TableRead(document=document, casino=casino, table=table, rounds=rounds, first=_day(first), last=_day(last))


def _day(day: int) -> str | None:
    return None if abs(day) == FAR else (_EPOCH + timedelta(days=day)).isoformat()


def _laws(regulations: Mapping[str, Regulation]) -> Iterator[Law]:
    for name, regulation in sorted(regulations.items()):
        about = regulation.document
        yield Law(
            document=name,
            title=about.title,
            citation=about.source.citation,
            regulator=about.regulator,
            game=None if regulation.game is None else regulation.game.title,
        )
