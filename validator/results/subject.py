"""Whose evidence was judged, under which law, in which sessions, and what its failures come to in money."""

from __future__ import annotations

from validator.results.statuses import Recorded


class SessionGap(Recorded, frozen=True, kw_only=True):
    """Rounds of a session that the logs do not hold, or may not hold, and why.

    They lie between the rounds `after` (None: before the first one read) and `before`, by their ids. `missing` is
    how many there are, None where nobody can tell, or whether there are any.
    """

    after: str | None
    before: str
    missing: int | None
    why: str


class Session(Recorded, frozen=True, kw_only=True):
    """The rounds of one game that the logs hold of one table, in the order of play.

    `first` and `last` are ids of rounds, `begins` and `ends` their times by the clock of the log, None where no day is
    told. `openings` counts how often the table was opened, as far as rounds are numbered. `gaps` are the first of
    `gaps_found`.
    """

    document: str
    casino: str | None
    table: str
    first: str
    begins: str | None
    last: str
    ends: str | None
    rounds: int
    openings: int
    gaps: tuple[SessionGap, ...]
    gaps_found: int


class Law(Recorded, frozen=True, kw_only=True):
    """A document that evidence was held against; `game` is the title of its game, where it has one."""

    document: str
    title: str
    citation: str
    regulator: str
    game: str | None


class LicenseeNamed(Recorded, frozen=True, kw_only=True):
    """A casino that handed in a submission."""

    name: str
    license: str | None


class TableRead(Recorded, frozen=True, kw_only=True):
    """A table whose rounds were judged: how many, the first and the last day (None where no day is told)."""

    document: str
    casino: str | None
    table: str
    rounds: int
    first: str | None
    last: str | None


class Subject(Recorded, frozen=True, kw_only=True):
    """Whose evidence was judged, under which law, for which time.

    `first` and `last` are days: of rounds, and, where there are none, of the submissions. `tables` are the first of
    `tables_read`, by document, casino and name. `currency` is the code of the currency of all amounts, None where
    nobody says it, or where they are in several `currencies`.
    """

    licensees: tuple[LicenseeNamed, ...]
    law: tuple[Law, ...]
    casinos: tuple[str, ...]
    tables: tuple[TableRead, ...]
    tables_read: int
    first: str | None
    last: str | None
    currency: str | None
    currencies: tuple[str, ...] = ()


class ClauseText(Recorded, frozen=True, kw_only=True):
    """A clause that requirements rest on: what it says in short, and the lines of the source it stands on."""

    clause: str
    document: str
    gist: str
    source: str
    first_line: int
    last_line: int


class Sum(Recorded, frozen=True, kw_only=True):
    """What failures on money come to, in minor units, for one value (`name`) of what they are grouped `by`; None stands
    for those that do not say. Tables are told apart by casino."""

    by: str
    name: str | None
    casino: str | None
    findings: int
    owed: int
    overpaid: int


class CurrencyMoney(Recorded, frozen=True, kw_only=True):
    """What all failures on money in one currency come to, in minor units; what a waiver lifts is left out.

    `currency` is None where nobody says it.
    """

    findings: int
    owed: int
    overpaid: int
    sums: tuple[Sum, ...]
    currency: str | None = None


class Money(CurrencyMoney, frozen=True, kw_only=True):
    """What all failures on money come to; where amounts are in several currencies, `others` are all but the first."""

    others: tuple[CurrencyMoney, ...] = ()

    @property
    def by_currency(self) -> tuple[CurrencyMoney, ...]:
        """What failures in each currency come to."""
        return (self, *self.others)
