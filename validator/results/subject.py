"""Subject of a run: licensees, documents, tables and sessions; and the money of its failures."""

from __future__ import annotations

from validator.results.statuses import Recorded


class SessionGap(Recorded, frozen=True, kw_only=True):
    """Rounds of a session that the logs lack, or may lack."""

    after: str | None
    """Id of the round before the gap; None if the gap is before the first round that was read."""
    before: str
    """Id of the round after the gap."""
    missing: int | None
    """Number of missing rounds; None if it is unknown, or if it is unknown whether any are missing."""
    why: str
    """Reason for the gap."""


class Session(Recorded, frozen=True, kw_only=True):
    """Rounds of one game at one table, in the order of play."""

    document: str
    casino: str | None
    table: str
    first: str
    """Id of the first round."""
    begins: str | None
    """Time of the first round, by the clock of the log; None if the log states no day."""
    last: str
    """Id of the last round."""
    ends: str | None
    """Time of the last round, by the clock of the log; None if the log states no day."""
    rounds: int
    openings: int
    """Number of times that the table was opened, where rounds are numbered."""
    gaps: tuple[SessionGap, ...]
    """First gaps."""
    gaps_found: int
    """Number of gaps."""


class Law(Recorded, frozen=True, kw_only=True):
    """Document that the evidence was checked against."""

    document: str
    title: str
    citation: str
    regulator: str
    game: str | None
    """Title of its game; None if it has none."""


class LicenseeNamed(Recorded, frozen=True, kw_only=True):
    """Casino that handed in a submission."""

    name: str
    license: str | None


class TableRead(Recorded, frozen=True, kw_only=True):
    """Table whose rounds were checked."""

    document: str
    casino: str | None
    table: str
    rounds: int
    """Number of rounds."""
    first: str | None
    """First day; None if no day is stated."""
    last: str | None
    """Last day; None if no day is stated."""


class Subject(Recorded, frozen=True, kw_only=True):
    """Licensees, documents, tables and period of a run."""

    licensees: tuple[LicenseeNamed, ...]
    law: tuple[Law, ...]
    casinos: tuple[str, ...]
    tables: tuple[TableRead, ...]
    """First tables, by document, casino and name."""
    tables_read: int
    """Number of tables."""
    first: str | None
    """First day of the rounds or, without rounds, of the submissions."""
    last: str | None
    """Last day of the rounds or, without rounds, of the submissions."""
    currency: str | None
    """Currency code of all amounts; None if it is not stated, or if there are several (`currencies`)."""
    currencies: tuple[str, ...] = ()


class ClauseText(Recorded, frozen=True, kw_only=True):
    """Clause that requirements are based on."""

    clause: str
    document: str
    gist: str
    """Summary of the clause."""
    source: str
    """File with the text of the clause."""
    first_line: int
    """First line of the clause in the source."""
    last_line: int
    """Last line of the clause in the source."""


class Sum(Recorded, frozen=True, kw_only=True):
    """Money of the failures that have one value of what they are grouped by."""

    by: str
    """Property that failures are grouped by."""
    name: str | None
    """Value of that property; None for failures without one."""
    casino: str | None
    """Casino of a table."""
    findings: int
    owed: int
    """Money owed to players, in minor units."""
    overpaid: int
    """Money paid to players in excess, in minor units."""


class CurrencyMoney(Recorded, frozen=True, kw_only=True):
    """Money of all failures in one currency, in minor units, without waived failures."""

    findings: int
    owed: int
    overpaid: int
    sums: tuple[Sum, ...]
    currency: str | None = None
    """Currency code; None if it is not stated."""


class Money(CurrencyMoney, frozen=True, kw_only=True):
    """Money of all failures, in the first currency."""

    others: tuple[CurrencyMoney, ...] = ()
    """Money in other currencies."""

    @property
    def by_currency(self) -> tuple[CurrencyMoney, ...]:
        """Return the money of the failures in each currency."""
        return (self, *self.others)
