"""Rounds of a table written by hand, and a rulebook with requirements that span rounds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from msgspec.structs import replace

from fairdeal.validator.audit.operators.session_evaluation import SESSION_OPERATORS
from fairdeal.validator.audit.run.log_parts import check_rounds
from tests.facade.evidence import HandLog
from tests.facade.results import Finding, RequirementResult, Results
from tests.facade.rounds import LocalEngine, audit_logs, build_audit_plan
from tests.facade.rules import Game, Regulation, Requirement, Rulebook, load_regulation
from tests.facade.text import InputError, decode_source, load_yaml, validate

GAME = "co-rule10-3card-shine"
EVENTS = """
opened: {title: a deck is opened, event: deck, what: opened}
gone: {title: a deck is taken from the table, event: deck, what: removed}
washed: {title: the cards are washed, event: deck, what: washed}
counted: {title: the stub is counted, event: count, what: stub}
by-hand: {title: the dealer shuffles, event: shuffle, by: dealer}
by-machine: {title: the device shuffles, event: shuffle, by: machine}
taken-away: {title: the device is taken away, event: device, what: removed}
mixed: {title: the cards are mixed, event: shuffle}
dealing: {title: the cards are dealt, event: deal}
"""

__all__ = ["GAME", "SESSION_OPERATORS", "check_rounds"]


class _Rules(Rulebook, kw_only=True):
    """The shipped rulebook, with requirements of our own in place of those of one document."""

    own: Regulation

    @property
    def documents(self) -> tuple[str, ...]:
        return (GAME,)

    def regulation(self, document: str) -> Regulation:
        assert document == GAME
        return self.own


@cache
def _load_shipped() -> Regulation:
    shipped = load_regulation(GAME)
    assert shipped.game is not None
    events = load_yaml(decode_source("events", EVENTS.encode())).data
    assert isinstance(events, dict)
    game = shipped.game.model_dump(by_alias=True, exclude_unset=True)
    game["other-events"] = {**game["other-events"], **events}
    return replace(shipped, game=Game.model_validate(game))


def requirement(check: str, *, name: str = "asked", **more: str) -> Requirement:
    """Build a requirement whose check is a text."""
    about = {"requirement": name, "title": "Asked", "clauses": '["lead"]', "severity": "major"}
    about |= {"message": "It must be so.", **more}
    whole = f"{{{', '.join(f'{key}: {value}' for key, value in about.items())}, {check.strip()[1:]}"
    return validate(load_yaml(decode_source("requirement", whole.encode())), Requirement)


def regulation(*requirements: Requirement) -> Regulation:
    """Return the shipped game with other requirements and some additional steps."""
    return replace(_load_shipped(), requirements=requirements)


def round_(number: int | None, *events: dict[str, Any], minute: int | None = None, **more: Any) -> dict[str, Any]:
    """Build a round of table T1; without `minute`, it is played as many minutes after noon as its number."""
    at = minute if minute is not None else number or 0
    record: dict[str, Any] = {
        "round": f"R{at}",
        "table": "T1",
        "time": f"2026-03-{1 + at // 1440:02d}T{at // 60 % 24:02d}:{at % 60:02d}:00Z",
        "game": GAME,
        "seats": [],
        "events": list(events),
        **more,
    }
    if number is not None:
        record["number"] = number
    return record


def shuffle(**more: Any) -> dict[str, Any]:
    return {"event": "shuffle", **more}


def deal(**more: Any) -> dict[str, Any]:
    return {"event": "deal", "place": "dealer", "cards": "??", **more}


def open_deck(**more: Any) -> dict[str, Any]:
    return {"event": "deck", "what": "opened", **more}


def count_stub(**more: Any) -> dict[str, Any]:
    return {"event": "count", "what": "stub", "number": 30, **more}


def write_log(path: Path, rounds: Sequence[dict[str, Any]]) -> str:
    """Write a log of rounds and return its name."""
    path.write_text("".join(json.dumps(record) + "\n" for record in rounds), encoding="utf-8")
    return str(path)


def run_audit(requirements: Sequence[Requirement], *logs: str, block_bytes: int = 1 << 20, jobs: int = 1) -> Results:
    """Return the results of an audit of logs."""
    plan = build_audit_plan(_Rules(own=regulation(*requirements)), [])
    given = (HandLog(log, block_bytes=block_bytes) for log in logs)
    return audit_logs(LocalEngine(jobs=jobs), plan, given, program="test", generated="never", refused=_raise)


def _raise(error: InputError) -> NoReturn:
    raise error


def judge(
    folder: Path, check: str, rounds: Sequence[dict[str, Any]], **more: str
) -> tuple[RequirementResult, list[Finding]]:
    """Return the result of one requirement over a log of rounds, and its findings."""
    results = run_audit([requirement(check, **more)], write_log(folder / "log.jsonl", rounds))
    return results.requirements[0], list(results.findings)


def totals(result: RequirementResult) -> dict[str, int]:
    """Return the totals of a requirement by status."""
    return {status.value: count for status, count in result.totals.items()}
