"""Editor of one round: cards, decisions and stakes set by hand, and what is due on each wager and why."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.cli.desk.desk_pages import get_desk, render
from fairdeal.cli.desk.desk_state import Desk
from fairdeal.validator.audit.applicability.submissions_in_force import AuditContext
from fairdeal.validator.audit.round_explanation import explain_round
from fairdeal.validator.evidence.jsonl.line_reader import decode_numbered_lines
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.forms.submission_form import find_compliant_submission
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.results.results import ExplanationPart
from fairdeal.validator.rulebook.loading.simulation_file import load_simulation
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.simulate.game_simulation import simulate
from fairdeal.validator.text.diagnostics import Diagnostic, InputError

MAX_RECORD = 200_000
"""Limit of the characters of a record."""
MAX_SEED = 10**6
"""Limit of the seed of a first round."""
_FIXED = frozenset({"round", "casino", "table", "time", "game", "number", "events", "seats", "meters", "annotations"})
_LEFT_OUT = frozenset({"paid", "taken", "claimed", "in"})
"""Keys of a stake that the page leaves out: it shows what is due, not what was paid."""


class ScenarioField(Struct, frozen=True, kw_only=True):
    """Input of a round."""

    name: str
    label: str
    value: str


class ScenarioPart(Struct, frozen=True, kw_only=True):
    """Seat of a round, or the parts of the round that belong to no seat."""

    title: str
    fields: tuple[ScenarioField, ...]


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
    if has_form(regulation):
        record.pop("events", None)
        for seat in record["seats"]:
            seat.pop("bonuses", None)
            seat["wagers"] = [
                {key: value for key, value in stake.items() if key not in _LEFT_OUT} for stake in seat["wagers"]
            ]
    return record


def has_form(regulation: Regulation) -> bool:
    """Return whether rounds of a game are shown as a form; betting needs the order of events, so it is text."""
    return regulation.game is not None and regulation.game.betting is None


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
    wrong = list(change_record(record, form)) if has_form(regulation) else []
    return _show(request, regulation, record, 1, problem=" ".join(wrong))


def _show(
    request: Request,
    regulation: Regulation,
    record: dict[str, Any],
    seed: int,
    *,
    problem: str = "",
    text: str | None = None,
) -> Response:
    desk = get_desk(request)
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
        parts=list(list_parts(record)) if has_form(regulation) else [],
        record=json.dumps(record, ensure_ascii=False) if text is None else text,
        steps=steps,
        seed=seed,
        problem=problem,
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


def list_parts(record: Mapping[str, Any]) -> Iterator[ScenarioPart]:
    """Yield the inputs of a round: those of the table first, then those of each seat."""
    shared = [
        ScenarioField(name=f"/{key}", label=_label(key), value=str(value))
        for key, value in record.items()
        if key not in _FIXED and isinstance(value, (str, int))
    ]
    if shared:
        yield ScenarioPart(title="Table", fields=tuple(shared))
    seats = record.get("seats")
    for at, seat in enumerate(seats if isinstance(seats, list) else ()):
        if isinstance(seat, dict):
            yield ScenarioPart(title=f"Seat {seat.get('seat')}", fields=tuple(_list_seat_fields(at, seat)))


def _list_seat_fields(at: int, seat: Mapping[str, Any]) -> Iterator[ScenarioField]:
    for key, value in seat.items():
        if key not in ("seat", "player") and isinstance(value, (str, int)):
            yield ScenarioField(name=f"/seats/{at}/{key}", label=_label(key), value=str(value))
    stakes = seat.get("wagers")
    for number, stake in enumerate(stakes if isinstance(stakes, list) else ()):
        if isinstance(stake, dict) and isinstance(stake.get("amount"), int):
            yield ScenarioField(
                name=f"/seats/{at}/wagers/{number}",
                label=f"{_label(str(stake.get('wager')))}, amount",
                value=f"{Decimal(stake['amount']) / 100:.2f}",
            )


def _label(key: str) -> str:
    return key.replace("-", " ").capitalize()


_BLANKS = re.compile(r"[\s,]+")
_CARDS = re.compile(r"(?:[2-9TJQKA][cdhs]|Jk)*")


def change_record(record: dict[str, Any], form: FormData) -> Iterator[str]:
    """Change a record by the inputs of a form, and yield what is wrong with them.

    A blank input removes its key, or its cards.
    """
    for part in list(list_parts(record)):
        for field in part.fields:
            if field.name not in form or str(form[field.name]) == field.value:
                continue
            typed = str(form[field.name]).strip()
            *path, key = field.name.split("/")[1:]
            holder: Any = record
            for step in path:
                holder = holder[int(step) if step.isdigit() else step]
            if path[-1:] == ["wagers"]:
                amount = read_amount(typed)
                if amount is None:
                    yield f"{part.title}, {field.label}: write an amount such as 5.00."
                else:
                    holder[int(key)]["amount"] = amount
            elif typed or _CARDS.fullmatch(field.value):  # without cards, the record states that there are none
                holder[key] = _BLANKS.sub("", typed)
            else:
                del holder[key]


def read_amount(typed: str) -> int | None:
    """Return an amount with two decimals in minor units; None if a text is no amount."""
    try:
        minor = Decimal(typed) * 100
        return int(minor) if minor == minor.to_integral_value() and 0 <= minor < 10**15 else None
    except (InvalidOperation, ValueError):
        return None


ROUTES = (
    Route("/rulebook/scenario", show_scenario),
    Route("/try/scenario", try_scenario, methods=["POST"]),
)
"""Routes of these pages."""
