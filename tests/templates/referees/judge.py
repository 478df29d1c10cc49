"""Judgement of records by the rules of a template, in process, through the public interface."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import fairdeal
from tests.facade.results import skip_explanations
from tests.lawful.judge import Judgement
from tests.lawful.record import Record, Submission, write_log, write_submissions
from tests.templates.referees.core import Case, Referee

RULES = Path(__file__).parents[3] / "rules_data"
GAMES = (
    *("roulette-european", "roulette-american", "sic-bo", "punto-banco", "punto-banco-commission-free", "casino-war"),
    *(
        "three-card-poker",
        "let-it-ride",
        "mississippi-stud",
        "ultimate-texas-holdem",
        "craps",
        "blackjack",
        "pai-gow-poker",
    ),
)


def has_rules(game: str) -> bool:
    return (RULES / "templates" / game / "game.yaml").exists()


def load_referee(game: str) -> Referee:
    referee: Referee = importlib.import_module(f"tests.templates.referees.{game.replace('-', '_')}").REFEREE
    return referee


@cache
def load_template(game: str) -> fairdeal.Rulebook:
    """Return a rulebook of a template alone."""
    folder = Path(tempfile.mkdtemp(prefix="template-"))
    shutil.copytree(RULES / "templates" / game, folder / game)
    shutil.copy(RULES / "rulebook.yaml", folder)
    return fairdeal.load_rulebook(folder)


def judge(game: str, records: Sequence[Record], submissions: Iterable[Submission]) -> Judgement:
    """Audit records under submissions, and return what fails and what is quarantined, by round id."""
    with tempfile.TemporaryDirectory(prefix="referee-") as name:
        folder = Path(name)
        log = write_log(folder / "log.jsonl", records)
        filed = write_submissions(folder, list(submissions))
        with skip_explanations():
            results = fairdeal.audit(load_template(game), log, submissions=filed)
    judgement = Judgement(passed=sum(item.status == fairdeal.Status.PASS for item in results.requirements))
    for finding in results.findings:
        if finding.status not in {fairdeal.Status.FAIL, fairdeal.Status.ERROR}:
            continue
        if finding.where.round is None:
            judgement.submission_failures.append(finding)
        else:
            judgement.failures[finding.where.round].append(finding)
    for item in results.quarantined:
        judgement.quarantined[records[item.line - 1]["round"]].append(item.reason)
    return judgement


def build_cases(referee: Referee, seed: int = 1) -> dict[str, Case]:
    """Return a case of each violation, by its name."""
    return {violation.name: violation.build(referee, seed) for violation in referee.violations}


def find_misses(game: str, cases: dict[str, Case]) -> tuple[set[str], Judgement]:
    """Return names of violations that are not found, and the judgement of the same sessions without them.

    Neither a quarantined record nor what is found without the violation counts as found.
    """
    submissions = [case.submission for case in cases.values()]
    wrong = judge(game, [record for case in cases.values() for record in case.records], submissions)
    right = judge(game, [record for case in cases.values() for record in case.controls], submissions)

    def describe(judgement: Judgement, case: Case) -> set[tuple[object, ...]]:
        return {
            (finding.requirement, finding.where.round, finding.where.seat, finding.observed)
            for record in case.records
            for finding in judgement.failures.get(record["round"], ())
        }

    misses = {
        name
        for name, case in cases.items()
        if not describe(wrong, case) - describe(right, case)
        or any(record["round"] in wrong.quarantined for record in case.records)
    }
    return misses, right
