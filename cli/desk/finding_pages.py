"""Pages of single findings: the evidence, the round step by step, and the review with notes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.cli.desk import run_queue
from fairdeal.cli.desk.audit_pages import find_run, list_files
from fairdeal.cli.desk.desk_pages import get_desk, get_number, redirect, render
from fairdeal.cli.desk.desk_state import Desk
from fairdeal.cli.desk.desk_store import OutdatedError, Review, ReviewState
from fairdeal.cli.desk.finding_list import find_finding, find_neighbours
from fairdeal.cli.desk.uploads import UploadKind, find_kind
from fairdeal.validator.audit.applicability.granted_waivers import read_waivers
from fairdeal.validator.audit.applicability.submissions_in_force import AuditContext
from fairdeal.validator.audit.round_explanation import explain_round, find_round
from fairdeal.validator.audit.run.submission_check import read_submission
from fairdeal.validator.evidence.hand_log import HandLog
from fairdeal.validator.results.results import ExplanationPart

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
    path = desk.settings.find_run_folder(run) / run_queue.DATABASE
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
    path = desk.settings.find_run_folder(run.run) / run_queue.DATABASE
    finding = find_finding(path, get_number(request, "finding")) if path.is_file() else None
    if finding is None:
        raise HTTPException(404, "this run has no such finding")
    return run.run, finding


def _has_round(desk: Desk, run: int, finding: dict[str, Any]) -> bool:
    return finding["round"] is not None and finding["file"] in _list_evidence(desk, run)


def _list_evidence(desk: Desk, run: int) -> list[str]:
    return [name for name, _ in list_files(desk.settings.find_run_folder(run) / run_queue.EVIDENCE)]


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
    folder = desk.settings.find_run_folder(run) / run_queue.EVIDENCE
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
