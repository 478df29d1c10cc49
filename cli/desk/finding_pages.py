"""Pages of findings: the list that can be filtered, and single findings with their round and review.

The list reads one page of rows, so it is as quick for 100,000 findings as for ten.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.cli.desk import desk_state
from fairdeal.cli.desk.desk_pages import find_run, get_desk, get_number, list_files, redirect, render
from fairdeal.cli.desk.desk_state import Desk, open_results
from fairdeal.cli.desk.desk_store import OutdatedError, Review, ReviewState, UploadKind, find_kind
from fairdeal.validator.audit.granted_waivers import read_waivers
from fairdeal.validator.audit.round_explanation import explain_round, find_round
from fairdeal.validator.audit.run.submission_check import read_submission
from fairdeal.validator.audit.submissions_in_force import AuditContext
from fairdeal.validator.evidence.hand_log import HandLog
from fairdeal.validator.results.results import ExplanationPart

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


MAX_NOTE = 10_000
"""Limit of the characters of a note."""
MAX_NAME = 120
"""Limit of the characters of an assignee."""


def show_finding(request: Request) -> Response:
    """Show a finding of a run with its review."""
    return _render_finding(request, *_find(request))


def _render_finding(
    request: Request, run: int, finding: dict[str, Any], *, problem: str = "", draft: str = "", status: int = 200
) -> Response:
    """Answer with the page of a finding, and with a note that was not saved and the reason."""
    desk = get_desk(request)
    path = desk.settings.find_run_folder(run) / desk_state.DATABASE
    before, after, query = find_neighbours(path, desk.settings.database, request.query_params, finding["finding"])
    return render(
        request,
        "finding.html.j2",
        status=status,
        run=run,
        finding=finding,
        before=before,
        after=after,
        query=f"?{query}" if query else "",
        review=desk.store.find_review(finding["id"]),
        notes=desk.store.list_notes(finding["id"]),
        states=list(ReviewState),
        steps=(),
        has_round=_has_round(desk, run, finding),
        problem=problem,
        draft=draft,
    )


def _find(request: Request) -> tuple[int, dict[str, Any]]:
    """Return the run and the finding that a path names. Raises HTTPException if there is none."""
    desk, run = get_desk(request), find_run(request)
    path = desk.settings.find_run_folder(run.run) / desk_state.DATABASE
    finding = find_finding(path, get_number(request, "finding")) if path.is_file() else None
    if finding is None:
        raise HTTPException(404, "this run has no such finding")
    return run.run, finding


def _has_round(desk: Desk, run: int, finding: dict[str, Any]) -> bool:
    return finding["round"] is not None and finding["file"] in _list_evidence(desk, run)


def _list_evidence(desk: Desk, run: int) -> list[str]:
    return [name for name, _ in list_files(desk.settings.find_run_folder(run) / desk_state.EVIDENCE)]


async def save_review(request: Request) -> Response:
    """Save the review of a finding, with a note."""
    async with request.form(max_files=0, max_fields=20) as form:
        fields = {name: str(value) for name, value in form.items()}
    return await run_in_threadpool(_save_review, request, fields)


def _save_review(request: Request, fields: dict[str, str]) -> Response:
    desk = get_desk(request)
    run, finding = _find(request)
    note = fields.get("note", "").strip()
    problem = find_review_problem(fields)
    if not problem:
        review = Review(
            finding=finding["id"],
            state=ReviewState(fields.get("state", "")),
            assignee=fields.get("assignee", "").strip(),
            deadline=fields.get("deadline", ""),
            version=int(fields.get("version", "0")),
        )
        try:
            desk.store.save_review(review, note)
        except OutdatedError:
            problem = "This finding was changed in another tab or run. Its current state is shown; your note is kept."
        else:
            query = f"?{request.url.query}" if request.url.query else ""
            return redirect(f"/runs/{run}/findings/{finding['finding']}{query}")
    return _render_finding(request, run, finding, problem=problem, draft=note, status=409)


def find_review_problem(fields: dict[str, str]) -> str:
    """Return what is wrong with the fields of a review; empty if nothing is."""
    if fields.get("state") not in list(ReviewState):
        return "Choose a state: open, answered or closed."
    if len(fields.get("assignee", "")) > MAX_NAME:
        return f"A name has at most {MAX_NAME} characters."
    if len(fields.get("note", "")) > MAX_NOTE:
        return f"A note has at most {MAX_NOTE:,} characters."
    version = fields.get("version", "")
    if not (version.isascii() and version.isdecimal() and len(version) < 10):
        return "Load this page again."
    deadline = fields.get("deadline", "")
    try:
        is_day = not deadline or date.fromisoformat(deadline).isoformat() == deadline
    except ValueError:
        is_day = False
    return "" if is_day else "Write the deadline as year-month-day, such as 2026-01-31."


def show_round(request: Request) -> Response:
    """Show the round of a finding step by step, as `fairdeal explain` does."""
    desk = get_desk(request)
    run, finding = _find(request)
    if not _has_round(desk, run, finding):
        raise HTTPException(404, "the log of this round is not among the files of the run")
    folder = desk.settings.find_run_folder(run) / desk_state.EVIDENCE
    with desk.evaluation:
        steps = explain_stored_round(
            desk,
            folder,
            finding["file"],
            finding["round"],
            casino=finding["casino"],
            table=finding["table_name"],
        )
    return render(request, "round.html.j2", run=run, finding=finding, steps=steps)


def explain_stored_round(
    desk: Desk, folder: Path, log: str, round_: str, *, casino: str | None, table: str | None
) -> Sequence[ExplanationPart]:
    """Return the chapters on a round in an uploaded log. Raises InputError, and HTTPException if it is not there."""
    files = [(path, find_kind(path)) for path in sorted(folder.iterdir())]
    context = AuditContext(
        rulebook=desk.rulebook,
        submissions=[
            read_submission(desk.rulebook, str(path))[0].submission
            for path, kind in files
            if kind is UploadKind.SUBMISSION
        ],
        as_of=None,
        grants=[
            grant
            for path, kind in files
            if kind is UploadKind.WAIVERS
            for grant in read_waivers(desk.rulebook, str(path))[0]
        ],
    )
    given = HandLog(str(folder / log), variants=context.load_variants)
    batch = find_round(given, round_, context, casino=casino, table=table)
    if batch is None:
        raise HTTPException(404, f"the log has no readable round {round_}")
    chapters = explain_round(context, batch, every_rule=False).chapters
    return [replace(part, lines=[line.replace(f"{folder}{os.sep}", "") for line in part.lines]) for part in chapters]


ROUTES = (
    Route("/runs/{run:int}/findings/{finding:int}", show_finding),
    Route("/runs/{run:int}/findings/{finding:int}/review", save_review, methods=["POST"]),
    Route("/runs/{run:int}/findings/{finding:int}/round", show_round),
)
"""Routes of these pages."""
