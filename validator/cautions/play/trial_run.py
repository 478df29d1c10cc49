"""A trial run: rounds of a game played as its rules and its simulation say, written, read back and audited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct, field

from validator.audit.run.block_audit import LogEnd
from validator.audit.run.merge import results_of, unheard
from validator.audit.run.parts import JudgedPart, Part
from validator.audit.run.plan import AuditPlan
from validator.audit.run.submission_check import submission_from
from validator.engine.compiled.game import Prepared
from validator.evidence.columns.batch import Batch
from validator.evidence.jsonl.blocks import HeldLines
from validator.evidence.writers.jsonl import to_lines
from validator.results.findings import Finding
from validator.results.results import Quarantined, Results
from validator.results.statuses import Status
from validator.rulebook.lint.other_readings import asked_under
from validator.rulebook.loading.catalogue import plantable
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.simulation.simulation import Simulation
from validator.simulate.run import simulate
from validator.text.source import decoded

_NAME = "simulated rounds"
_ROUNDS = 400
_ALONE = 20
_SEED = 1


class TrialRun(Struct, frozen=True, kw_only=True):
    """What became of rounds in which nothing was planted, and of faults.

    `rounds` is how many were played without a fault. `refused` is the first record that could not be read back;
    `failed` has the first finding of each requirement that such a round breaks, by its full id. `unbroken` are the full
    ids of requirements whose faults were planted, and found in no round. `even` are wagers that were staked and never
    won or lost.
    """

    rounds: int = _ROUNDS
    refused: Quarantined | None = None
    failed: Mapping[str, Finding] = field(default_factory=dict)
    unbroken: frozenset[str] = frozenset()
    even: tuple[str, ...] = ()


def trial_run(rulebook: Rulebook, prepared: Prepared, simulation: Simulation) -> TrialRun:
    """Rounds without a fault first; where these are read back, every fault in turn, and those by themselves that are
    found nowhere. The same rules always come to the same. Raises ValueError, with a sentence for people, where no round
    can be played."""
    house = _House(rulebook, prepared, simulation)
    clean, _ = house.play(_ROUNDS)
    audited = house.audit(clean, ())
    if audited.quarantined:
        return TrialRun(refused=audited.quarantined[0])
    return TrialRun(failed=_first_failures(audited), unbroken=house.unbroken(), even=tuple(_even(prepared, clean)))


class _House:
    """Where rounds are played and audited."""

    def __init__(self, rulebook: Rulebook, prepared: Prepared, simulation: Simulation) -> None:
        stated = simulation.submission.model_dump_json(by_alias=True, exclude_unset=True).encode()
        self._plan = AuditPlan(rulebook, [submission_from(decoded(_NAME, stated), rulebook)])
        self._prepared, self._simulation = prepared, simulation

    def play(self, rounds: int, faults: Sequence[str] = ()) -> tuple[list[Batch], list[list[tuple[str, ...]]]]:
        """Rounds, with faults planted in every other one of them, and what was planted in each."""
        played = simulate(
            self._prepared,
            self._simulation,
            submission=self._simulation.submission,
            rounds=rounds,
            seed=_SEED,
            faults=faults,
            every=2,
        )
        batches, planted = [], []
        for batch, faulty in played:
            batches.append(batch)
            planted.append(faulty)
        return batches, planted

    def audit(self, batches: Sequence[Batch], planted: Sequence[Sequence[tuple[str, ...]]]) -> Results:
        """What an audit finds in the log of some rounds."""
        faulty = planted or [()] * len(batches)
        log = b"".join(to_lines(batch, names) for batch, names in zip(batches, faulty, strict=True))
        lines = HeldLines(name=_NAME, first_line=1, text=log, size=len(log))
        end = LogEnd(name=_NAME)
        part = Part(log=0, number=0, name=_NAME, block=lines, last=True, ends=(end,))

        def judge(by: AuditPlan) -> Iterator[JudgedPart]:
            yield JudgedPart(part=part, verdicts=by.verdicts(part))

        return results_of(self._plan, judge, program=_NAME, generated=_NAME, refused=unheard)

    def unbroken(self) -> frozenset[str]:
        """The requirements whose faults are planted and found nowhere."""
        regulation = self._prepared.regulation
        asked = [one for one in regulation.requirements if plantable(one) and not asked_under(regulation, one)]
        names = [one.requirement for one in asked]
        suspected = self._not_found(names, 2 * len(names)) if names else frozenset()
        return frozenset[str]().union(*(self._not_found([name], _ALONE) for name in sorted(suspected)))

    def _not_found(self, names: Sequence[str], rounds: int) -> frozenset[str]:
        batches, faulty = self.play(rounds, names)
        planted = {name for batch in faulty for one in batch for name in one}
        return frozenset(planted - {*_first_failures(self.audit(batches, faulty))})


def _first_failures(audited: Results) -> dict[str, Finding]:
    first: dict[str, Finding] = {}
    for finding in audited.findings:
        if finding.status is Status.FAIL:
            first.setdefault(finding.requirement, finding)
    return first


def _even(prepared: Prepared, batches: Sequence[Batch]) -> Iterator[str]:
    """The wagers that were staked, and neither paid nor taken in any round."""
    for name in prepared.game.wagers:
        staked = won = 0
        for batch in batches:
            stakes = batch.stakes
            there = (stakes.wager.codes == stakes.wager.code(name)) & (stakes.amount > 0)
            staked += int(np.count_nonzero(there))
            won += int(np.count_nonzero(there & ((stakes.paid > 0) | (stakes.taken > 0))))
        if staked and not won and name in prepared.game.settlement.order:
            yield name
