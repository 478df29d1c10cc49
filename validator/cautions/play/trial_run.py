"""A trial run: rounds of a game played as its rules and its simulation say, written, read back and audited."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from pydantic import BaseModel

from validator.audit.run.block_audit import LogEnd
from validator.audit.run.merge import results_of, unheard
from validator.audit.run.parts import JudgedPart, Part
from validator.audit.run.plan import AuditPlan
from validator.audit.run.submission_check import submission_from
from validator.cautions.play.outcomes import even, unpaid
from validator.engine.compiled.game import Prepared
from validator.engine.core.house_rules import configuration_of
from validator.evidence.columns.batch import Batch
from validator.evidence.jsonl.blocks import HeldLines
from validator.evidence.writers.jsonl import to_lines
from validator.language.conditions import Condition, Quantity
from validator.results.findings import Finding
from validator.results.results import Quarantined, Results
from validator.results.statuses import Status
from validator.rulebook.lint.other_readings import asked_under
from validator.rulebook.loading.catalogue import plantable
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.references import references
from validator.rules.core.visitor import walk
from validator.rules.model.requirement import Requirement
from validator.rules.simulation.simulation import Simulation
from validator.simulate.run import simulate
from validator.text.source import decoded

_NAME = "simulated rounds"
_ROUNDS = 400
_ALONE = 20
_SEED = 1
_ORDINARY = frozenset({"all", "any", "not", "fact", "placed", "decided", "compare", "some-seat", "every-seat"})
"""What conditions ask for that hold, and do not, every few rounds."""
_OF_A_STEP = frozenset({"omit", "move", "alter", "swap"})
"""The faults of a step that comes in the round."""
_OF_AMOUNTS = frozenset({"amount", "exactly", "times", "sum"})
"""What comparisons of stakes are made of, which come up every few rounds too."""
_FEW_SIZES = 100
"""Up to this number of sizes of a stake, each of them comes up."""


class Faults(Struct, frozen=True, kw_only=True):
    """Results of planting the faults of requirements, which go by their full ids."""

    unbroken: frozenset[str] = frozenset()
    """The requirements whose faults were planted, read back, and found in no round."""
    unread: Mapping[str, Quarantined] = field(default_factory=dict)
    """The requirements whose faults were found in no round, as an audit refuses records with them: the first one."""
    unplanted: frozenset[str] = frozenset()
    """The requirements whose faults fit no round, though they ask only for what comes every few rounds."""
    unfit: Mapping[str, str] = field(default_factory=dict)
    """The requirements whose faults the simulated house cannot play at all, with the reason in a sentence."""


class TrialRun(Struct, frozen=True, kw_only=True):
    """What became of rounds in which nothing was planted, and of faults.

    Requirements go by their full ids.
    """

    rounds: int = _ROUNDS
    """How many rounds were played without a fault."""
    refused: Quarantined | None = None
    """The first record without a fault that could not be read back."""
    failed: Mapping[str, Finding] = field(default_factory=dict)
    """The first finding of each requirement that a round without a fault breaks."""
    faults: Faults = field(default_factory=Faults)
    """What became of faults."""
    even: tuple[str, ...] = ()
    """The wagers that were staked and never won or lost."""
    unpaid: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The lines of which hardly a hand of a row of their pay table was paid: how many held one, how many were paid."""


def trial_run(rulebook: Rulebook, prepared: Prepared, simulation: Simulation) -> TrialRun:
    """Rounds without a fault first; where these are read back, every fault in turn, and those by themselves that are
    found nowhere. The same rules always come to the same. Raises ValueError, with a sentence for people, where no round
    can be played."""
    house = _House(rulebook, prepared, simulation)
    clean, _ = house.play(_ROUNDS)
    audited = house.audit(clean, ())
    if audited.quarantined:
        return TrialRun(refused=audited.quarantined[0])
    return TrialRun(
        failed=_first_failures(audited),
        faults=house.faults(),
        even=tuple(even(prepared.game, clean)),
        unpaid=unpaid(prepared, clean, configuration_of(simulation.submission)),
    )


class _House:
    """Where rounds are played and audited."""

    def __init__(self, rulebook: Rulebook, prepared: Prepared, simulation: Simulation) -> None:
        stated = json.dumps(simulation.submission.as_written()).encode()
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

    def faults(self) -> Faults:
        """Plant all faults in turn, and those by themselves that no audit finds."""
        regulation = self._prepared.regulation
        asked, unfit = list[Requirement](), dict[str, str]()
        for requirement in regulation.requirements:
            if plantable(requirement) and not asked_under(regulation, requirement):
                why = self._why_unfit(requirement)
                if why is None:
                    asked.append(requirement)
                else:
                    unfit[regulation.full_id(requirement.requirement)] = why
        if not asked:
            return Faults(unfit=unfit)
        batches, planted = self.play(2 * len(asked), [one.requirement for one in asked])
        tried = {name for batch in planted for names in batch for name in names}
        # A round in which something else was planted may break a requirement too, and shows nothing of its own fault.
        own = {
            (name, batch.round[at])
            for batch, faulty in zip(batches, planted, strict=True)
            for at, names in enumerate(faulty)
            for name in names
        }
        failed = {(one.requirement, one.where.round) for one in _failures(self.audit(batches, planted))}
        suspected = tried - {name for name, _ in own & failed}
        never = {regulation.full_id(one.requirement) for one in asked if self._is_ordinary(one)} - tried
        unread, unbroken = dict[str, Quarantined](), set[str]()
        for name in sorted(suspected):
            alone, where = self.play(_ALONE, [name])
            found = self.audit(alone, where)
            if not any(map(any, where)) or name in _first_failures(found):
                continue
            if found.quarantined:
                unread[name] = found.quarantined[0]
            else:
                unbroken.add(name)
        return Faults(unbroken=frozenset(unbroken), unread=unread, unplanted=frozenset(never), unfit=unfit)

    def _why_unfit(self, requirement: Requirement) -> str | None:
        """Return why no round of the house can have the fault of a requirement, None where one may have it."""
        game, fault = self._prepared.game, requirement.fault
        if fault is not None and fault.operator == "dealt" and len(game.deal.ways) < 2:
            return "there is one way of dealing, and so no other"
        if fault is not None and fault.operator in _OF_A_STEP and game.betting is None:
            name = fault.operand if isinstance(fault.operand, str) else fault.operand.step
            if self._kinds.isdisjoint(self._prepared.steps[name].events):
                return f"the step {name} comes in no round that is simulated"
        try:
            self.play(0, [requirement.requirement])
        except ValueError as error:
            return str(error)
        return None

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The kinds of event that rounds without a fault may have: of steps in their course, of what goes wrong or is
        done now and then."""
        game = self._prepared.game
        seldom = (*references(self._simulation, ()), *references(game.irregularities, ()))
        named = {name for _, kind, name in seldom if kind == "step"}
        steps = (step for step in game.procedure if not step.aside or step.step in named)
        return frozenset(kind for step in steps for kind in step.events)

    def _is_ordinary(self, requirement: Requirement) -> bool:
        """Whether the rounds of a fault are told by what comes every few rounds at this house."""
        fault, game = requirement.fault, self._prepared.game
        offered = {one.wager for one in self._simulation.submission.wagers or ()}
        offered -= {name for name, chance in self._simulation.chances.wagers.items() if not chance}
        waiting: list[BaseModel] = [] if fault is None or fault.where is None else [fault.where]
        ordinary = bool(waiting)
        if fault is not None and fault.where is None and fault.operator == "stake":
            return fault.operand.wager in offered
        while waiting and ordinary:
            for _, part in walk(waiting.pop(), ()):
                if isinstance(part, Quantity):
                    ordinary &= part.operator in _OF_AMOUNTS
                    ordinary &= part.operator != "amount" or part.operand in self._of_few_sizes()
                elif isinstance(part, Condition):
                    ordinary &= part.operator in _ORDINARY or part.operator == "number"
                    ordinary &= part.operator != "placed" or part.operand in offered
                    waiting += [game.facts[name] for name in part.meaning.facts(part.operand)]
        return ordinary

    def _of_few_sizes(self) -> set[str]:
        """Return the wagers on which few sizes of stakes are played, and those that are a multiple of them."""
        unit, few = self._simulation.units.wager, set[str]()
        for wager in self._simulation.submission.wagers or ():
            low, high = wager.minimum, wager.maximum
            if low is not None and high is not None and (high - low) // unit < _FEW_SIZES:
                few.add(wager.wager)
        return few | {name for name, wager in self._prepared.game.wagers.items() if wager.of in few}


def _first_failures(audited: Results) -> dict[str, Finding]:
    first: dict[str, Finding] = {}
    for finding in _failures(audited):
        first.setdefault(finding.requirement, finding)
    return first


def _failures(audited: Results) -> Iterator[Finding]:
    return (finding for finding in audited.findings if finding.status is Status.FAIL)
