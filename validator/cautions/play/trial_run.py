"""Trial run: rounds of a game, played as its rules and simulation define, then written, read back and audited."""

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

_LOG_NAME = "simulated rounds"
_FAULTLESS_ROUNDS = 400
_SINGLE_FAULT_ROUNDS = 20
_SEED = 1
_COMMON_CONDITIONS = frozenset({"all", "any", "not", "fact", "placed", "decided", "compare", "some-seat", "every-seat"})
"""Operators of conditions that hold in some rounds out of a few, and fail in others."""
_STEP_FAULTS = frozenset({"omit", "move", "alter", "swap"})
"""Faults of a step of the round."""
_AMOUNT_QUANTITIES = frozenset({"amount", "exactly", "times", "sum"})
"""Quantities in comparisons of stakes that vary every few rounds."""
_MAX_SIZES = 100
"""Number of sizes of a stake up to which each size occurs."""


class Faults(Struct, frozen=True, kw_only=True):
    """Results of planting the faults of requirements, by full ids of the requirements."""

    unbroken: frozenset[str] = frozenset()
    """Requirements whose faults were planted and read back, but detected in no round."""
    unread: Mapping[str, Quarantined] = field(default_factory=dict)
    """Requirements whose faults make records that an audit quarantines, each with the first such record."""
    unplanted: frozenset[str] = frozenset()
    """Requirements whose faults fit no round, although they need only what occurs every few rounds."""
    unfit: Mapping[str, str] = field(default_factory=dict)
    """Requirements whose faults the simulated house cannot play, each with the reason in a sentence."""


class TrialRun(Struct, frozen=True, kw_only=True):
    """Results of a trial run. Requirements are named by their full ids."""

    rounds: int = _FAULTLESS_ROUNDS
    """Number of rounds played without a fault."""
    refused: Quarantined | None = None
    """The first record without a fault that could not be read back."""
    failed: Mapping[str, Finding] = field(default_factory=dict)
    """The first finding of each requirement that a round without a fault breaks."""
    faults: Faults = field(default_factory=Faults)
    """Results of the planted faults."""
    even: tuple[str, ...] = ()
    """Wagers that were staked and never won or lost."""
    unpaid: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Lines whose pay table was hardly ever paid: number of hands that held a row, number that were paid."""


def trial_run(rulebook: Rulebook, prepared: Prepared, simulation: Simulation) -> TrialRun:
    """Play and audit a game: rounds without a fault, then every fault in turn, then undetected faults one by one.

    Faults are planted only if the rounds without a fault can be read back. The result depends only on the rules.

    Raises ValueError, with a sentence for people, if no round can be played.
    """
    house = _TrialHouse(rulebook, prepared, simulation)
    faultless, _ = house.play(_FAULTLESS_ROUNDS)
    audited = house.audit(faultless, ())
    if audited.quarantined:
        return TrialRun(refused=audited.quarantined[0])
    return TrialRun(
        failed=_first_failures(audited),
        faults=house.faults(),
        even=tuple(even(prepared.game, faultless)),
        unpaid=unpaid(prepared, faultless, configuration_of(simulation.submission)),
    )


class _TrialHouse:
    """A house that plays rounds and audits them."""

    def __init__(self, rulebook: Rulebook, prepared: Prepared, simulation: Simulation) -> None:
        stated = json.dumps(simulation.submission.as_written()).encode()
        self._plan = AuditPlan(rulebook, [submission_from(decoded(_LOG_NAME, stated), rulebook)])
        self._prepared, self._simulation = prepared, simulation

    def play(self, rounds: int, faults: Sequence[str] = ()) -> tuple[list[Batch], list[list[tuple[str, ...]]]]:
        """Return rounds with faults planted in every other one, and the faults of each round."""
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
        """Return the results of an audit of rounds written as a log."""
        faulty = planted or [()] * len(batches)
        log = b"".join(to_lines(batch, names) for batch, names in zip(batches, faulty, strict=True))
        lines = HeldLines(name=_LOG_NAME, first_line=1, text=log, size=len(log))
        end = LogEnd(name=_LOG_NAME)
        part = Part(log=0, number=0, name=_LOG_NAME, block=lines, last=True, ends=(end,))

        def judge(by: AuditPlan) -> Iterator[JudgedPart]:
            yield JudgedPart(part=part, verdicts=by.verdicts(part))

        return results_of(self._plan, judge, program=_LOG_NAME, generated=_LOG_NAME, refused=unheard)

    def faults(self) -> Faults:
        """Plant all faults in turn, and those that no audit detects one by one."""
        regulation = self._prepared.regulation
        asked, unfit = list[Requirement](), dict[str, str]()
        for requirement in regulation.requirements:
            if plantable(requirement) and not asked_under(regulation, requirement):
                why = self._explain_unplayable(requirement)
                if why is None:
                    asked.append(requirement)
                else:
                    unfit[regulation.full_id(requirement.requirement)] = why
        if not asked:
            return Faults(unfit=unfit)
        batches, planted = self.play(2 * len(asked), [requirement.requirement for requirement in asked])
        tried = {name for batch in planted for names in batch for name in names}
        # A round with another fault may break the requirement too; that does not show that its own fault is detected.
        own = {
            (name, batch.round[at])
            for batch, faulty in zip(batches, planted, strict=True)
            for at, names in enumerate(faulty)
            for name in names
        }
        failed = {
            (failure.requirement, failure.where.round) for failure in _list_failures(self.audit(batches, planted))
        }
        suspected = tried - {name for name, _ in own & failed}
        never = {
            regulation.full_id(requirement.requirement) for requirement in asked if self._is_common(requirement)
        } - tried
        unread, unbroken = dict[str, Quarantined](), set[str]()
        for name in sorted(suspected):
            alone, where = self.play(_SINGLE_FAULT_ROUNDS, [name])
            found = self.audit(alone, where)
            if not any(map(any, where)) or name in _first_failures(found):
                continue
            if found.quarantined:
                unread[name] = found.quarantined[0]
            else:
                unbroken.add(name)
        return Faults(unbroken=frozenset(unbroken), unread=unread, unplanted=frozenset(never), unfit=unfit)

    def _explain_unplayable(self, requirement: Requirement) -> str | None:
        """Return why no round of the house can have the fault of a requirement; None if one may have it."""
        game, fault = self._prepared.game, requirement.fault
        if fault is not None and fault.operator == "dealt" and len(game.deal.ways) < 2:
            return "there is one way of dealing, and so no other"
        if fault is not None and fault.operator in _STEP_FAULTS and game.betting is None:
            name = fault.operand if isinstance(fault.operand, str) else fault.operand.step
            if self._simulated_kinds.isdisjoint(self._prepared.steps[name].events):
                return f"the step {name} comes in no round that is simulated"
        try:
            self.play(0, [requirement.requirement])
        except ValueError as error:
            return str(error)
        return None

    @cached_property
    def _simulated_kinds(self) -> frozenset[str]:
        """Kinds of event in rounds without a fault: of regular steps, irregularities and occasional steps."""
        game = self._prepared.game
        seldom = (*references(self._simulation, ()), *references(game.irregularities, ()))
        named = {name for _, kind, name in seldom if kind == "step"}
        steps = (step for step in game.procedure if not step.aside or step.step in named)
        return frozenset(kind for step in steps for kind in step.events)

    def _is_common(self, requirement: Requirement) -> bool:
        """Return whether the rounds that a fault needs occur every few rounds at this house."""
        fault, game = requirement.fault, self._prepared.game
        offered = {wager.wager for wager in self._simulation.submission.wagers or ()}
        offered -= {name for name, chance in self._simulation.chances.wagers.items() if not chance}
        waiting: list[BaseModel] = [] if fault is None or fault.where is None else [fault.where]
        ordinary = bool(waiting)
        if fault is not None and fault.where is None and fault.operator == "stake":
            return fault.operand.wager in offered
        while waiting and ordinary:
            for _, part in walk(waiting.pop(), ()):
                if isinstance(part, Quantity):
                    ordinary &= part.operator in _AMOUNT_QUANTITIES
                    ordinary &= part.operator != "amount" or part.operand in self._list_wagers_of_few_sizes()
                elif isinstance(part, Condition):
                    ordinary &= part.operator in _COMMON_CONDITIONS or part.operator == "number"
                    ordinary &= part.operator != "placed" or part.operand in offered
                    waiting += [game.facts[name] for name in part.meaning.facts(part.operand)]
        return ordinary

    def _list_wagers_of_few_sizes(self) -> set[str]:
        """Return the wagers whose stakes have few sizes, and the wagers that are multiples of them."""
        unit, few = self._simulation.units.wager, set[str]()
        for wager in self._simulation.submission.wagers or ():
            low, high = wager.minimum, wager.maximum
            if low is not None and high is not None and (high - low) // unit < _MAX_SIZES:
                few.add(wager.wager)
        return few | {name for name, wager in self._prepared.game.wagers.items() if wager.of in few}


def _first_failures(audited: Results) -> dict[str, Finding]:
    first: dict[str, Finding] = {}
    for finding in _list_failures(audited):
        first.setdefault(finding.requirement, finding)
    return first


def _list_failures(audited: Results) -> Iterator[Finding]:
    return (finding for finding in audited.findings if finding.status is Status.FAIL)
