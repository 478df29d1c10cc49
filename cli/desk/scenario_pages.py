"""Editor of one round: cards, decisions and stakes set by hand, and what is due on each wager and why."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.cli.desk.desk_pages import get_desk, render
from fairdeal.cli.desk.desk_state import Desk
from fairdeal.cli.desk.scenario_form import PAYMENTS, change_record, find_changed, list_parts, list_shown_events
from fairdeal.validator.audit.round_explanation import explain_round
from fairdeal.validator.audit.submissions_in_force import AuditContext
from fairdeal.validator.evidence.jsonl.line_reader import decode_numbered_lines
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.forms.submission_form import find_compliant_submission
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.results.results import ExplanationPart
from fairdeal.validator.rulebook.simulation_file import load_simulation
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.simulate.game_simulation import simulate
from fairdeal.validator.text.diagnostics import Diagnostic, InputError

MAX_RECORD = 200_000
"""Limit of the characters of a record."""
MAX_SEED = 10**6
"""Limit of the seed of a first round."""
_NOT_SHOWN = frozenset({"paid", "taken", "claimed", "in", "won", "stack-after", "bonuses"})
"""Keys of seats and stakes that the page leaves out: it shows what is due, not what was paid."""


def show_scenario(request: Request) -> Response:
    """Show a round of a game to change, with what is due in it."""
    desk = get_desk(request)
    game = request.query_params.get("game", "")
    seed = request.query_params.get("seed", "1")
    number = int(seed) if seed.isascii() and seed.isdecimal() and len(seed) < 7 else 1
    regulation = find_game(desk, game)
    record = make_round(desk, regulation, number)
    return _show(request, regulation, record, number)


def find_game(desk: Desk, game: str) -> Regulation:
    """Return the regulation of a game. Raises HTTPException if there is none."""
    if game not in desk.rulebook.documents or desk.rulebook.regulation(game).game is None:
        raise HTTPException(404, "the rulebook has no such game")
    return desk.rulebook.regulation(game)


def make_round(desk: Desk, regulation: Regulation, seed: int) -> dict[str, Any]:
    """Return a simulated round without payments, as a record of a hand log."""
    simulation = load_simulation(regulation, desk.rulebook.folder)
    with desk.evaluation:
        batches = simulate(
            compile_game(regulation), simulation, submission=simulation.submission, rounds=1, seed=seed, jobs=1
        )
        batch, _ = next(iter(batches))
    record: dict[str, Any] = json.loads(to_lines(batch))
    assert regulation.game is not None
    kinds = {event["event"] for event in record["events"]} - PAYMENTS
    kept = kinds if regulation.game.deck is None else kinds & list_shown_events(regulation.game)
    record["events"] = [event for event in record["events"] if event["event"] in kept]
    record["unrecorded"] = sorted({*record.get("unrecorded", ()), *(kinds - kept), *PAYMENTS})
    if "decide" in list_shown_events(regulation.game):
        for seat in record["seats"]:
            seat.pop("decision", None)
    record["seats"] = [_leave_out(seat) for seat in record["seats"]]
    for seat in record["seats"]:
        seat["wagers"] = [_leave_out(stake) for stake in seat["wagers"]]
    return record


def _leave_out(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key not in _NOT_SHOWN}


async def try_scenario(request: Request) -> Response:
    """Answer with what is due in a round that was changed."""
    async with request.form(max_files=0, max_fields=2_000) as form:
        return await run_in_threadpool(_try, request, form)


def _try(request: Request, form: FormData) -> Response:
    desk = get_desk(request)
    regulation = find_game(desk, str(form.get("game", "")))
    text = str(form.get("record", ""))[:MAX_RECORD]
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _show(request, regulation, {}, 1, problem=f"This record is not JSON: {error}", text=text)
    if not isinstance(record, dict):
        return _show(request, regulation, {}, 1, problem="A record is a JSON object.", text=text)
    assert regulation.game is not None
    wrong = list(change_record(record, form, regulation.game))
    return _show(request, regulation, record, 1, problem=" ".join(wrong), changed=find_changed(record, form))


def _show(
    request: Request,
    regulation: Regulation,
    record: dict[str, Any],
    seed: int,
    *,
    problem: str = "",
    text: str | None = None,
    changed: str = "",
) -> Response:
    desk = get_desk(request)
    assert regulation.game is not None
    steps: Sequence[ExplanationPart] = ()
    if record and not problem:
        try:
            steps = explain_record(desk, regulation, record)
        except InputError as error:
            problem = "; ".join(wrong.message for wrong in error.diagnostics)
    return render(
        request,
        "scenario.html.j2",
        regulation=regulation,
        parts=list_parts(record, regulation.game),
        record=json.dumps(record, ensure_ascii=False) if text is None else text,
        shown=json.dumps(record, ensure_ascii=False, indent=1) if text is None else text,
        steps=steps,
        seed=seed,
        problem=problem,
        changed=changed,
    )


def explain_record(desk: Desk, regulation: Regulation, record: Mapping[str, Any]) -> Sequence[ExplanationPart]:
    """Return the chapters on a record under the example submission of its game.

    Raises:
        InputError: if the record cannot be read.
    """
    line = json.dumps(record).encode()
    with desk.evaluation:
        block = decode_numbered_lines([line], [1], file="scenario", known_games=desk.rulebook.known_games)
        if not block.batches:
            reasons = [entry.reason for entry in block.quarantined] or ["this record has no round"]
            raise InputError(tuple(Diagnostic(code="unreadable-round", message=reason) for reason in reasons))
        context = AuditContext(rulebook=desk.rulebook, submissions=[_find_terms(desk, regulation)], as_of=None)
        return explain_round(context, block.batches[0], every_rule=False).chapters


def _find_terms(desk: Desk, regulation: Regulation) -> Submission:
    return find_compliant_submission(regulation, desk.rulebook.folder)


ROUTES = (
    Route("/rulebook/scenario", show_scenario),
    Route("/try/scenario", try_scenario, methods=["POST"]),
)
"""Routes of these pages."""
