"""Findings of a run as a list that can be filtered, from the database that the run wrote.

The list reads one page of rows, so it is as quick for 100,000 findings as for ten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct

from fairdeal.cli.desk.desk_store import ReviewState
from fairdeal.cli.desk.run_queue import open_results

PAGE = 50
"""Findings of one page."""
MOST_VALUES = 300
"""Limit of the values that a filter offers."""
COLUMNS: Mapping[str, str] = {
    "status": "findings.status",
    "requirement": "findings.requirement",
    "casino": "findings.casino",
    "table": "findings.table_name",
    "day": "findings.day",
    "seat": "findings.seat",
    "wager": "findings.wager",
    "change": "findings.state",
}
"""Filters on a column of a finding."""
REVIEWED: Mapping[str, str] = {
    "review": "coalesce(reviews.state, 'open')",
    "assignee": "coalesce(reviews.assignee, '')",
}
"""Filters on the review of a finding."""
CONTEXT = "context."
"""Start of the filters on the context of a round, such as its dealer."""

_ORDER = (
    "CASE findings.status WHEN 'fail' THEN 0 ELSE 1 END, "
    "CASE findings.severity WHEN 'critical' THEN 0 WHEN 'major' THEN 1 ELSE 2 END, findings.finding"
)
_SEARCHED = ("message", "observed", "expected", "broken", "round", "player", "id", "file")
_MOST_WORDS = 8
_MOST_NOTES = 20
"""Limit of the notes of rounds by which a list is filtered."""


class FindingFilter(Struct, frozen=True, kw_only=True):
    """Filter of the list, with the values that it offers."""

    name: str
    """Name of the field."""
    label: str
    values: tuple[str, ...]
    chosen: str


class FindingPage(Struct, frozen=True, kw_only=True):
    """Page of a filtered list."""

    rows: tuple[Mapping[str, Any], ...]
    """Findings of the page."""
    total: int
    """Number of findings that the filters leave."""
    page: int
    pages: int
    filters: tuple[FindingFilter, ...]
    search: str
    query: str
    """Query of the address without the page."""

    def link_page(self, page: int) -> str:
        """Return the query of the address of another page."""
        return f"?{self.query}{'&' if self.query else ''}page={page}"


@contextmanager
def open_with_reviews(results: Path, history: Path) -> Iterator[sqlite3.Connection]:
    """Open a database of results together with the reviews of findings, for reading."""
    with closing(open_results(results)) as database:
        database.execute("ATTACH ? AS history", (f"{history.resolve().as_uri()}?mode=ro",))
        yield database


def select_findings(results: Path, history: Path, parameters: Mapping[str, str]) -> FindingPage:
    """Return a page of the findings that filters leave.

    Args:
        results: database of the results.
        history: database of the desk.
        parameters: filters by name, `q` for words, `page`.
    """
    with open_with_reviews(results, history) as database:
        filters = tuple(_list_filters(database, parameters))
        search = parameters.get("q", "")[:200]
        where, values = _build_condition(filters, search)
        source = f"FROM findings LEFT JOIN history.reviews ON reviews.finding = findings.id {where}"
        total = database.execute(f"SELECT count(*) {source}", values).fetchone()[0]
        pages = max(1, -(-total // PAGE))
        asked_page = parameters.get("page", "1")
        page = min(pages, max(1, int(asked_page) if asked_page.isascii() and asked_page[:9].isdecimal() else 1))
        names = "findings.*, coalesce(reviews.state, 'open') AS review, coalesce(reviews.assignee, '') AS assignee"
        # Sorting whole rows of a long list takes four times as long as sorting their numbers.
        numbers = f"SELECT findings.finding {source} ORDER BY {_ORDER} LIMIT ? OFFSET ?"
        rows = database.execute(
            f"SELECT {names} FROM findings LEFT JOIN history.reviews ON reviews.finding = findings.id"
            f" WHERE findings.finding IN ({numbers}) ORDER BY {_ORDER}",
            (*values, PAGE, PAGE * (page - 1)),
        ).fetchall()
    return FindingPage(
        rows=tuple(map(dict, rows)),
        total=total,
        page=page,
        pages=pages,
        filters=filters,
        search=search,
        query=_build_query(filters, search),
    )


def _list_filters(database: sqlite3.Connection, parameters: Mapping[str, str]) -> Iterator[FindingFilter]:
    for name, column in COLUMNS.items():
        found = database.execute(
            f"SELECT DISTINCT {column} FROM findings WHERE {column} IS NOT NULL ORDER BY 1 LIMIT {MOST_VALUES}"
        ).fetchall()
        yield from _build_filter(name, name.capitalize(), [str(row[0]) for row in found], parameters)
    for (context,) in database.execute("SELECT DISTINCT name FROM context ORDER BY 1 LIMIT 20").fetchall():
        found = database.execute(
            f"SELECT DISTINCT value FROM context WHERE name = ? ORDER BY 1 LIMIT {MOST_VALUES}", (context,)
        ).fetchall()
        yield from _build_filter(
            f"{CONTEXT}{context}", context.capitalize(), [str(row[0]) for row in found], parameters
        )
    yield from _build_filter("review", "Review", list(ReviewState), parameters)
    found = database.execute("SELECT DISTINCT assignee FROM history.reviews WHERE assignee <> '' ORDER BY 1").fetchall()
    yield from _build_filter("assignee", "Assignee", [str(row[0]) for row in found], parameters)


def _build_filter(
    name: str, label: str, values: Sequence[str], parameters: Mapping[str, str]
) -> Iterator[FindingFilter]:
    """Yield a filter, unless it offers no choice and none was made."""
    chosen = parameters.get(name, "")
    if len(values) > 1 or chosen:
        yield FindingFilter(name=name, label=label, values=tuple(values), chosen=chosen)


def _build_condition(filters: Sequence[FindingFilter], search: str) -> tuple[str, list[str]]:
    """Return the condition of a query, and its values."""
    conditions: list[str] = []
    values: list[str] = []
    for entry in filters:
        if not entry.chosen:
            continue
        if entry.name.startswith(CONTEXT):
            conditions.append("findings.finding IN (SELECT finding FROM context WHERE name = ? AND value = ?)")
            values += [entry.name.removeprefix(CONTEXT), entry.chosen]
            continue
        column = {**COLUMNS, **REVIEWED}[entry.name]
        conditions.append(f"{column} = ?")
        values.append(entry.chosen)
    for word in search.split()[:_MOST_WORDS]:
        conditions.append(f"({' OR '.join(f'instr(lower(findings.{name}), lower(?)) > 0' for name in _SEARCHED)})")
        values += [word] * len(_SEARCHED)
    return (f"WHERE {' AND '.join(conditions)}" if conditions else ""), values


def list_requirement_groups(results: Path) -> list[Mapping[str, Any]]:
    """Return the requirements with findings: title, status, severity and number of findings, the worst first."""
    with closing(open_results(results)) as database:
        found = database.execute(
            "SELECT findings.requirement, requirements.title, findings.status, findings.severity, count(*) AS findings"
            " FROM findings JOIN requirements USING (requirement) GROUP BY 1, 3, 4"
            f" ORDER BY {_ORDER.rpartition(',')[0]}, count(*) DESC, 1"
        ).fetchall()
    return [dict(row) for row in found]


def read_meta(results: Path) -> dict[str, str | None]:
    """Return the facts of a run by name."""
    with closing(open_results(results)) as database:
        return {str(row[0]): row[1] for row in database.execute("SELECT name, value FROM meta")}


def find_neighbours(
    results: Path, history: Path, parameters: Mapping[str, str], number: int
) -> tuple[int | None, int | None, str]:
    """Return the findings before and after one in a filtered list, and the query of the list.

    The finding counts as one of the list, although its review may have changed.
    """
    known = {*COLUMNS, *REVIEWED}
    chosen = {name: value for name, value in parameters.items() if name in known}
    notes = ((name, value) for name, value in parameters.items() if name.startswith(CONTEXT))
    chosen |= dict(islice(notes, _MOST_NOTES))
    filters = [FindingFilter(name=name, label="", values=(), chosen=value) for name, value in chosen.items()]
    search = parameters.get("q", "")[:200]
    where, values = _build_condition(filters, search)
    with open_with_reviews(results, history) as database:
        where = f"{where} OR findings.finding = ?" if where else "WHERE findings.finding = findings.finding OR ?"
        row = database.execute(
            "SELECT before, after FROM (SELECT findings.finding, lag(findings.finding) OVER listed AS before,"
            " lead(findings.finding) OVER listed AS after FROM findings"
            f" LEFT JOIN history.reviews ON reviews.finding = findings.id {where} WINDOW listed AS (ORDER BY {_ORDER}))"
            " WHERE finding = ?",
            (*values, number, number),
        ).fetchone()
    return row["before"], row["after"], _build_query(filters, search)


def _build_query(filters: Sequence[FindingFilter], search: str) -> str:
    kept = {entry.name: entry.chosen for entry in filters if entry.chosen} | ({"q": search} if search else {})
    return urlencode(kept)


def find_finding(results: Path, number: int) -> dict[str, Any] | None:
    """Return a finding by its number in a run, with its clauses and the context of its round; None without one."""
    with closing(open_results(results)) as database:
        row = database.execute(
            "SELECT findings.*, requirements.title FROM findings JOIN requirements USING (requirement)"
            " WHERE finding = ?",
            (number,),
        ).fetchone()
        if row is None:
            return None
        clauses = database.execute(
            "SELECT clause, gist FROM requirement_clauses JOIN clauses USING (clause) WHERE requirement = ? ORDER BY 1",
            (row["requirement"],),
        ).fetchall()
        context = database.execute("SELECT name, value FROM context WHERE finding = ? ORDER BY 1", (number,)).fetchall()
    return {
        **dict(row),
        "clauses": [tuple(clause) for clause in clauses],
        "context": [tuple(entry) for entry in context],
    }
