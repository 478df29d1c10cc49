"""A run over the mutants of complying rounds of a game, and what nothing noticed."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Literal

import numpy as np
from msgspec import Struct

from fairdeal.validator.audit.granted_waivers import NO_WAIVERS
from fairdeal.validator.audit.operators.round_requirements import evaluate_context
from fairdeal.validator.audit.operators.session_evaluation import build_session_rows, evaluate_sessions
from fairdeal.validator.audit.sessions.ordered_rounds import order_rounds
from fairdeal.validator.audit.status_codes import ERROR, NOT_EVIDENCED
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration, build_configuration
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.evidence.jsonl.line_reader import decode_records
from fairdeal.validator.evidence.log_events import KINDS
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.simulation_file import load_simulation
from fairdeal.validator.rules.regulation import build_known_games
from fairdeal.validator.simulate.game_simulation import simulate
from tools.evidence_mutants.changes import Mutant, Record, label_event, list_mutants
from tools.evidence_mutants.freedoms import Freedom, load_freedoms

PLAYED = 400
"""Complying rounds among which those are chosen that have something new."""
SEED = 15
_AT_A_TIME = 2048

Outcome = Literal["failed", "set aside", "open", "free", "unexplained"]
"""Outcome of a mutant: a requirement failed; the record contradicts itself; compliance is not evident any more; nothing
need notice it, by the clauses listed; nothing noticed it."""


class Report(Struct, frozen=True, kw_only=True):
    """Outcomes of the mutants of a game's rounds, counted by change and outcome. `found_by` counts the failed ones by
    the number of requirements. Unexplained classes have the number of their mutants; `stale` lists freedoms without a
    mutant."""

    document: str
    rounds: int
    outcomes: Counter[tuple[str, Outcome]]
    found_by: Counter[int]
    unexplained: Counter[str]
    stale: tuple[str, ...]

    @property
    def tried(self) -> int:
        """Number of mutants."""
        return self.outcomes.total()

    @property
    def score(self) -> float:
        """The share of mutants that were noticed or are free: 0 to 1."""
        return 1 - self.count("unexplained") / self.tried if self.tried else 1.0

    @property
    def found_once(self) -> float:
        """The share of mutants that failed by one requirement alone, one lapse being one finding: 0 to 1."""
        return self.found_by[1] / self.found_by.total() if self.found_by else 1.0

    def count(self, outcome: Outcome) -> int:
        """Count the mutants with an outcome."""
        return sum(number for (_, result), number in self.outcomes.items() if result == outcome)


def run(document: str, *, most: int | None = None, free: Sequence[Freedom] | None = None) -> Report:
    """Try the mutants of complying rounds of a document, all or `most` of them, evenly spread. Raises InputError where
    the document does not load, and ValueError where it cannot be simulated or its rounds do not comply."""
    regulation = Rulebook(folder=None).regulation(document)
    prepared, simulation = compile_game(regulation), load_simulation(regulation)
    configuration = build_configuration(simulation.submission)
    played = simulate(prepared, simulation, submission=simulation.submission, rounds=PLAYED, seed=SEED)
    records = _number_rounds(json.loads(line) for batch, _ in played for line in to_lines(batch).splitlines())
    rounds = list(_choose_novel_rounds(records))
    known = {kind for step in prepared.steps.values() for kind in step.events}
    foreign = [kind for kind in KINDS if kind not in known]
    every = [mutant for record in rounds for mutant in list_mutants(record, foreign)]
    chosen = every if most is None else every[:: -(-len(every) // most)]
    trial = _Trial(prepared=prepared, configuration=configuration, beside=_find_neighbours(records))
    as_played, _ = _judge_mutants(trial, [Mutant(change="none", event="", record=record) for record in rounds])
    if not {*as_played} <= {"open", "unexplained"}:
        raise ValueError(f"{document}: rounds fail as they were played")
    return _report(document, trial, len(rounds), chosen, free)


class _Trial(Struct, frozen=True, kw_only=True):
    """Trial of mutants: the rules of their game under a submission, and the neighbours of each round at its table
    (`beside`, by its id)."""

    prepared: CompiledGame
    configuration: LicenseeConfiguration
    beside: Mapping[str, Sequence[Record]]

    def scope(self, batch: Batch) -> EvaluationContext:
        """Build the context of a batch under the rules."""
        return EvaluationContext(batch, self.prepared, self.configuration)


def _report(
    document: str, trial: _Trial, rounds: int, mutants: Sequence[Mutant], free: Sequence[Freedom] | None
) -> Report:
    listed = load_freedoms(document) if free is None else free
    outcomes: Counter[tuple[str, Outcome]] = Counter()
    found_by: Counter[int] = Counter()
    passed: list[Mutant] = []
    waiting = iter(mutants)
    while part := list(islice(waiting, _AT_A_TIME)):
        found, failed = _judge_mutants(trial, part)
        found_by.update(len(names) for names in failed.values())
        for mutant, outcome in zip(part, found, strict=True):
            if outcome == "unexplained":
                passed.append(mutant)
            else:
                outcomes[mutant.change, outcome] += 1
    met = {name for mutant in passed for name in mutant.classes}
    left_open = {name for name in met if any(item.covers(name) for item in listed)}
    unexplained: Counter[str] = Counter()
    alone = {mutant.classes[0] for mutant in passed if len(mutant.classes) == 1} - left_open
    for mutant in passed:
        left = [name for name in mutant.classes if name not in left_open]
        outcomes[mutant.change, "unexplained" if left else "free"] += 1
        # What passes when it is all that happened is why more than it passes.
        unexplained.update([name for name in left if name in alone] or left)
    stale = [name for item in listed for name in item.classes if not any(fnmatchcase(each, name) for each in met)]
    return Report(
        document=document,
        rounds=rounds,
        outcomes=outcomes,
        found_by=found_by,
        unexplained=unexplained,
        stale=tuple(stale),
    )


def _choose_novel_rounds(rounds: Iterable[Record]) -> Iterator[Record]:
    """Yield the rounds that record something new."""
    seen: set[str] = set()
    for record in rounds:
        labels = {label_event(event) for event in record["events"]}
        if labels - seen:
            seen |= labels
            yield record


def _number_rounds(rounds: Iterator[Record]) -> list[Record]:
    """Return rounds with the number that each has at its table, counted from 1 if it is not recorded."""
    count = Counter[str]()
    found = []
    for record in rounds:
        count[record["table"]] += 1
        found.append({"number": count[record["table"]], **record})
    return found


def _find_neighbours(records: Sequence[Record]) -> dict[str, list[Record]]:
    """Return the rounds just before and after each at its table, by its id."""
    tables = defaultdict[str, list[Record]](list)
    for record in records:
        tables[record["table"]].append(record)
    return {
        row["round"]: [*table[max(at - 1, 0) : at], *table[at + 1 : at + 2]]
        for table in tables.values()
        for at, row in enumerate(table)
    }


def _judge_mutants(trial: _Trial, mutants: Sequence[Mutant]) -> tuple[list[Outcome], Mapping[int, set[str]]]:
    """Judge each mutant by the requirements on rounds and sessions, at a table of its own between its original
    neighbours. Return the outcomes, and the requirements that failed, by the mutant's number."""
    found: list[Outcome] = ["unexplained"] * len(mutants)
    failed = defaultdict[int, set[str]](set)
    batches, bad = _read(
        trial, [{**mutant.record, "round": str(at), "table": str(at)} for at, mutant in enumerate(mutants)]
    )
    for entry in bad:
        found[(entry.line or 1) - 1] = "set aside"
    around = [
        {**record, "round": f"{at} beside {record['round']}", "table": str(at)}
        for at, mutant in enumerate(mutants)
        if found[at] != "set aside"
        for record in trial.beside[mutant.record["round"]]
    ]
    rows = [build_session_rows(trial.scope(batch), NO_WAIVERS) for batch in _read(trial, around)[0]]
    for batch in batches:
        scope = trial.scope(batch)
        for weighed in evaluate_context(scope):
            for at in np.flatnonzero(weighed.status_codes == NOT_EVIDENCED).tolist():
                found[int(batch.round[at])] = "open"
            for at in np.flatnonzero(weighed.status_codes >= ERROR).tolist():
                failed[int(batch.round[at])].add(weighed.requirement.requirement)
        rows.append(build_session_rows(scope, NO_WAIVERS))
    for verdict in evaluate_sessions(trial.prepared, order_rounds(rows)) if rows else ():
        for finding in verdict.findings:
            failed[int(finding.where.table or 0)].add(verdict.requirement)
    for number in failed:
        found[number] = "failed"
    return found, failed


def _read(trial: _Trial, records: Sequence[Record]) -> tuple[list[Batch], Sequence[Quarantined]]:
    batches, bad = decode_records(records, file="mutants", games=build_known_games(trial.prepared.regulation))
    return list(batches), bad
