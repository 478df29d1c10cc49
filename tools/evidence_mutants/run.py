"""A run over the mutants of complying rounds of a game, and what nothing noticed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Literal

import numpy as np
from msgspec import Struct

from tools.evidence_mutants.changes import Mutant, Record, label, mutants_of
from tools.evidence_mutants.freedoms import Freedom, freedoms_of
from validator.audit.applicability.waivers import NOTHING_PERMITTED
from validator.audit.operators.round_requirements import weigh_scope
from validator.audit.session_requirements.judge import judge_sessions
from validator.audit.session_requirements.summarise_rounds import rows_of
from validator.audit.sessions.rounds_in_order import gathered
from validator.audit.statuses.status_codes import ERROR, NOT_EVIDENCED
from validator.engine.compiled.game import Prepared, prepare
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration, configuration_of
from validator.evidence.handlog.events import KINDS
from validator.evidence.readers.from_records import batches_of_records
from validator.evidence.writers.jsonl import to_lines
from validator.rulebook.loading.rulebook import Rulebook
from validator.rulebook.loading.simulation_file import load_simulation
from validator.rules.core.acts import known_acts
from validator.simulate.run import simulate

PLAYED = 400
"""Complying rounds among which those are chosen that have something new."""
SEED = 15
_AT_A_TIME = 2048

Outcome = Literal["failed", "set aside", "open", "free", "unexplained"]
"""What became of a mutant: a requirement failed; the record contradicts itself; it is not evident any more whether the
round complies; nothing need notice it, by the clauses listed; nothing noticed it."""


class Report(Struct, frozen=True, kw_only=True):
    """What became of the mutants of a game's rounds: how many by change and outcome, the classes that are unexplained
    with how many mutants each, and what is listed as free though no mutant is of it (`stale`)."""

    document: str
    rounds: int
    outcomes: Counter[tuple[str, Outcome]]
    unexplained: Counter[str]
    stale: tuple[str, ...]

    @property
    def tried(self) -> int:
        """How many mutants there are."""
        return self.outcomes.total()

    @property
    def score(self) -> float:
        """The share of mutants that were noticed or are free: 0 to 1."""
        return 1 - self.count("unexplained") / self.tried if self.tried else 1.0

    def count(self, outcome: Outcome) -> int:
        """The mutants with an outcome."""
        return sum(number for (_, found), number in self.outcomes.items() if found == outcome)


def run(document: str, *, most: int | None = None, free: Sequence[Freedom] | None = None) -> Report:
    """Try the mutants of complying rounds of a document, all or `most` of them, evenly spread. Raises InputError where
    the document does not load, and ValueError where it cannot be simulated."""
    regulation = Rulebook(folder=None).regulation(document)
    prepared, simulation = prepare(regulation), load_simulation(regulation)
    configuration = configuration_of(simulation.submission)
    played = simulate(prepared, simulation, submission=simulation.submission, rounds=PLAYED, seed=SEED)
    rounds = list(_telling(json.loads(line) for batch, _ in played for line in to_lines(batch).splitlines()))
    known = {kind for step in prepared.steps.values() for kind in step.events}
    foreign = [kind for kind in KINDS if kind not in known]
    every = [mutant for record in rounds for mutant in mutants_of(record, foreign)]
    chosen = every if most is None else every[:: -(-len(every) // most)]
    return _report(document, prepared, configuration, len(rounds), chosen, free)


def _report(
    document: str,
    prepared: Prepared,
    configuration: Configuration,
    rounds: int,
    mutants: Sequence[Mutant],
    free: Sequence[Freedom] | None,
) -> Report:
    listed = freedoms_of(document) if free is None else free
    outcomes: Counter[tuple[str, Outcome]] = Counter()
    passed: list[Mutant] = []
    waiting = iter(mutants)
    while part := list(islice(waiting, _AT_A_TIME)):
        for mutant, outcome in zip(part, _judged(prepared, configuration, part), strict=True):
            if outcome == "unexplained":
                passed.append(mutant)
            else:
                outcomes[mutant.change, outcome] += 1
    met = {name for mutant in passed for name in mutant.classes}
    left_open = {name for name in met if any(one.covers(name) for one in listed)}
    unexplained: Counter[str] = Counter()
    alone = {mutant.classes[0] for mutant in passed if len(mutant.classes) == 1} - left_open
    for mutant in passed:
        left = [name for name in mutant.classes if name not in left_open]
        outcomes[mutant.change, "unexplained" if left else "free"] += 1
        # What passes when it is all that happened is why more than it passes.
        unexplained.update([name for name in left if name in alone] or left)
    stale = [name for one in listed for name in one.classes if not any(fnmatchcase(each, name) for each in met)]
    return Report(document=document, rounds=rounds, outcomes=outcomes, unexplained=unexplained, stale=tuple(stale))


def _telling(rounds: Iterator[Record]) -> Iterator[Record]:
    """The rounds in which something is told that was not told in those before."""
    seen: set[str] = set()
    for record in rounds:
        labels = {label(event) for event in record["events"]}
        if labels - seen:
            seen |= labels
            yield record


def _judged(prepared: Prepared, configuration: Configuration, mutants: Sequence[Mutant]) -> list[Outcome]:
    """What became of each mutant, held to what the game asks of rounds and of sessions: each is one of its own."""
    records = [{**mutant.record, "round": str(at), "table": str(at)} for at, mutant in enumerate(mutants)]
    batches, bad = batches_of_records(records, file="mutants", games={prepared.game.game: known_acts(prepared.game)})
    found: list[Outcome] = ["unexplained"] * len(mutants)
    for one in bad:
        found[(one.line or 1) - 1] = "set aside"
    for batch in batches:
        scope = Scope(batch, prepared, configuration)
        for weighed in weigh_scope(scope):
            for at in np.flatnonzero(weighed.marks == NOT_EVIDENCED).tolist():
                number = int(batch.round[at])
                found[number] = "failed" if found[number] == "failed" else "open"
            for at in np.flatnonzero(weighed.marks >= ERROR).tolist():
                found[int(batch.round[at])] = "failed"
        for verdict in judge_sessions(prepared, gathered([rows_of(scope, NOTHING_PERMITTED)])):
            for finding in verdict.findings:
                found[int(finding.where.round or 0)] = "failed"
    return found
