"""Pages of the rulebook, with requirements in sentences and odds, and of scenarios: one round set by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairdeal.cli.desk import desk_state
from fairdeal.cli.desk.desk_pages import find_run, get_desk, redirect, render
from fairdeal.cli.desk.desk_state import Desk
from fairdeal.cli.desk.desk_store import Run
from fairdeal.cli.desk.scenario_form import PAYMENTS, change_record, find_changed, list_parts, list_shown_events
from fairdeal.validator.audit.round_explanation import explain_round
from fairdeal.validator.audit.rule_review.example_evidence import load_samples
from fairdeal.validator.audit.rule_review.requirement_text import describe_rule, find_failing_examples
from fairdeal.validator.audit.submissions_in_force import AuditContext
from fairdeal.validator.audit.wording.terms import suggest_remedy
from fairdeal.validator.engine.core.house_terms import read_printed_table
from fairdeal.validator.evidence.jsonl.line_reader import decode_numbered_lines
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.forms.submission_form import find_compliant_submission
from fairdeal.validator.odds.odds_figures import DocumentOdds, WagerOdds, format_percentage
from fairdeal.validator.odds.odds_reports import describe_precision, format_wager, read_saved_odds
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.results.results import ExplanationPart
from fairdeal.validator.rulebook.rule_catalogue import search_entries
from fairdeal.validator.rulebook.simulation_file import load_simulation
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.simulate.game_simulation import simulate
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import read_source

MOST_RESULTS = 60
"""Limit of the results of a search that a page shows."""
ODDS = "odds.json"
"""Odds that a run worked out."""


def show_rulebook(request: Request) -> Response:
    """Show the documents, or what a search finds."""
    desk = get_desk(request)
    query = request.query_params.get("q", "").strip()
    found = search_entries(desk.rulebook.all(), query) if query else []
    return render(
        request,
        "rulebook.html.j2",
        regulations=desk.rulebook.all(),
        query=query,
        found=found[:MOST_RESULTS],
        more=max(0, len(found) - MOST_RESULTS),
        kinds=Counter(entry.kind for entry in found),
    )


def find_regulation(request: Request) -> tuple[Regulation, str]:
    """Return the regulation that an id in the query names, and the rest of the id. Raises HTTPException."""
    desk = get_desk(request)
    document, _, name = request.query_params.get("id", "").partition("/")
    if document not in desk.rulebook.documents:
        raise HTTPException(404, "the rulebook has no such document")
    return desk.rulebook.regulation(document), name


def show_document(request: Request) -> Response:
    """Show a document: its clauses, requirements, readings and pay tables, and the odds that were worked out."""
    desk = get_desk(request)
    regulation, _ = find_regulation(request)
    citing = Counter(label for requirement in regulation.requirements for label in requirement.clauses)
    game = regulation.game
    tables = [] if game is None else [(name, read_printed_table(regulation, game, name)) for name in game.pay_tables]
    return render(
        request,
        "document.html.j2",
        regulation=regulation,
        citing=citing,
        tables=tables,
        runs=[run for run in list_odds_runs(desk) if regulation.id in run.command],
        can_play=game is not None,
    )


def list_odds_runs(desk: Desk) -> list[Run]:
    """Return the runs that worked out odds, the last first."""
    return [run for run in desk.store.list_runs() if run.command[:1] == ("odds",)]


def show_clause(request: Request) -> Response:
    """Show a clause with its words, if the desk has them, and what encodes it."""
    regulation, name = find_regulation(request)
    clause = next((clause for clause in regulation.document.clauses if clause.clause == name), None)
    if clause is None:
        raise HTTPException(404, "the rulebook has no such clause")
    return render(
        request,
        "clause.html.j2",
        regulation=regulation,
        clause=clause,
        words=_quote(get_desk(request), regulation, name),
        requirements=[requirement for requirement in regulation.requirements if name in requirement.clauses],
        readings=[reading for reading in regulation.readings.values() if name in reading.clauses],
    )


def _quote(desk: Desk, regulation: Regulation, clause: str) -> str:
    """Return the words of a clause; empty if the desk does not have them."""
    return desk.quoted_texts.get(regulation.qualify(clause), "")


def show_requirement(request: Request) -> Response:
    """Show a requirement in sentences, with its clauses, readings, and an example that breaks it."""
    desk = get_desk(request)
    regulation, name = find_regulation(request)
    if name not in {requirement.requirement for requirement in regulation.requirements}:
        raise HTTPException(404, "the rulebook has no such requirement")
    requirement = regulation.find_requirement(name)
    text = describe_rule(regulation, requirement)
    breach = None
    if request.query_params.get("example") == "yes":
        with desk.evaluation:
            samples = load_samples(regulation, desk.rulebook.folder)
            breach = find_failing_examples(regulation, [requirement], samples).get(name)
    return render(
        request,
        "requirement.html.j2",
        regulation=regulation,
        requirement=requirement,
        text=text,
        breach=breach,
        with_example=request.query_params.get("example") == "yes",
        remedy=suggest_remedy(regulation, requirement),
        words={clause.clause: _quote(desk, regulation, clause.clause) for clause in text.clauses},
    )


def show_reading(request: Request) -> Response:
    """Show a reading: the question, its options, and what depends on it."""
    regulation, name = find_regulation(request)
    if name not in regulation.readings:
        raise HTTPException(404, "the rulebook has no such reading")
    return render(
        request,
        "reading.html.j2",
        regulation=regulation,
        reading=regulation.readings[name],
        chosen=regulation.choices[name],
        requirements=[requirement for requirement in regulation.requirements if name in requirement.readings],
        moves=list(_list_moves(get_desk(request), regulation.id, name)),
    )


def _list_moves(desk: Desk, document: str, reading: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield how the options of a reading move the house advantage, from the last odds with readings."""
    for run in list_odds_runs(desk):
        odds = load_odds(desk, run) if document in run.command else None
        if odds is None or odds.readings is None:
            continue
        for effect in odds.readings:
            if effect.reading.rpartition("/")[2] == reading:
                for change in effect.wagers:
                    before, after = (format_percentage(value) for value in (change.before, change.after))
                    name = " ".join(filter(None, (change.wager, change.pay_table)))
                    yield effect.option, name, before, after
        return


def load_odds(desk: Desk, run: Run) -> DocumentOdds | None:
    """Return the odds that a run worked out; None if it did not."""
    path = desk.settings.find_run_folder(run.run) / ODDS
    return read_saved_odds(read_source(str(path), limit=64 << 20)) if path.is_file() else None


def start_odds(request: Request) -> Response:
    """Queue the odds of a game, with how each reading moves them."""
    desk = get_desk(request)
    regulation, _ = find_regulation(request)
    number = desk.store.add_run()
    (desk.settings.find_run_folder(number) / desk_state.EVIDENCE).mkdir(parents=True)
    rules = [] if desk.settings.rules is None else [f"--rules={desk.settings.rules}"]
    readings = ["--readings"] if request.query_params.get("readings") == "yes" else []
    command = ["odds", "--no-config", *rules, *readings, f"--output=json:../{ODDS}", "--", regulation.id]
    desk.store.set_command(number, f"Odds of {regulation.document.title}", command)
    desk.queue.add(number)
    return redirect(f"/runs/{number}")


def show_odds(request: Request) -> Response:
    """Show the odds that a run worked out, with charts."""
    desk, run = get_desk(request), find_run(request)
    odds = load_odds(desk, run)
    if odds is None:
        raise HTTPException(404, "this run has no odds")
    wagers = [describe_wager(row) for row in odds.wagers]
    return render(request, "odds_page.html.j2", run=run, odds=odds, wagers=wagers, widest=_find_widest(wagers))


def describe_wager(row: WagerOdds) -> Mapping[str, Any]:
    """Return what the page shows of the odds of a wager."""
    advantage = None if row.house_advantage is None else float(Fraction(row.house_advantage))
    outcomes = [
        (outcome.outcome.replace("-", " "), float(Fraction(outcome.probability)), str(Fraction(outcome.pays)))
        for outcome in row.outcomes
    ]
    return {
        "name": format_wager(row),
        "advantage": advantage,
        "shown": format_percentage(row.house_advantage),
        "risk": format_percentage(row.element_of_risk),
        "how": describe_precision(row),
        "outcomes": outcomes,
    }


def _find_widest(wagers: list[Mapping[str, Any]]) -> float:
    return max((abs(wager["advantage"]) for wager in wagers if wager["advantage"] is not None), default=0) or 1.0


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
    Route("/rulebook", show_rulebook),
    Route("/rulebook/document", show_document),
    Route("/rulebook/clause", show_clause),
    Route("/rulebook/requirement", show_requirement),
    Route("/rulebook/reading", show_reading),
    Route("/rulebook/odds", start_odds, methods=["POST"]),
    Route("/runs/{run:int}/odds", show_odds),
    Route("/rulebook/scenario", show_scenario),
    Route("/try/scenario", try_scenario, methods=["POST"]),
)
"""Routes of these pages."""
