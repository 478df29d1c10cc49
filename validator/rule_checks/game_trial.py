"""A trial run of a game: simulated rounds without faults, then rounds with every fault of its requirements."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct, field
from pydantic import BaseModel

from fairdeal.validator.arrays import Flags
from fairdeal.validator.audit.run.audit_merge import build_results, ignore
from fairdeal.validator.audit.run.audit_plan import AuditPlan, build_audit_plan
from fairdeal.validator.audit.run.log_parts import CheckedPart, LogEnd, LogPart
from fairdeal.validator.audit.run.submission_check import file_submission
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration, build_configuration
from fairdeal.validator.engine.core.kleene import YES
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.evidence.jsonl.line_blocks import HeldLines
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.language.grammar import iterate_models, iterate_references
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.results.findings import EvidencePlace, Finding, Status
from fairdeal.validator.results.results import Quarantined, Results, make_place_key
from fairdeal.validator.rulebook.dependencies import find_needed_readings
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import PayTable
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.simulate.game_simulation import simulate
from fairdeal.validator.text.source import decode_source

_MIN_HANDS = 20
"""Number of hands from which on a missing payment is no coincidence."""


def find_undecided_wagers(game: Game, batches: Sequence[Batch]) -> Iterator[str]:
    """Yield the wagers that were staked, but neither paid nor taken in any round."""
    for name in game.wagers:
        staked = decided = 0
        for batch in batches:
            staked_rows, stakes = _select_line(batch, name) & (batch.stakes.amount > 0), batch.stakes
            staked += int(np.count_nonzero(staked_rows))
            decided += int(np.count_nonzero(staked_rows & ((stakes.paid > 0) | (stakes.taken > 0))))
        if staked and not decided and name in game.settlement.order:
            yield name


def count_rarely_paid_hands(
    prepared: CompiledGame, batches: Sequence[Batch], configuration: LicenseeConfiguration
) -> Mapping[str, tuple[int, int]]:
    """Return the lines whose pay table applied to many staked hands, of which hardly one was paid.

    Returns:
        For each line, the number of hands that held a row, and the number that were paid.
    """
    game, rarely_paid = prepared.game, dict[str, tuple[int, int]]()
    tables = {
        table.of: table for table in game.pay_tables.values() if table.by is None and len(table.lookup_names) == 1
    }
    for line, table in tables.items():
        holding = paid = 0
        for batch in batches:
            holds = (
                EvaluationContext(batch, prepared, configuration).evaluate(_build_row_condition(table), "seat") == YES
            )
            base = game.bonuses[line].of if line in game.bonuses else line
            holding += int(
                np.count_nonzero(holds[batch.stakes.seat[_select_line(batch, base) & (batch.stakes.amount > 0)]])
            )
            paid += int(np.count_nonzero(_select_line(batch, line) & (batch.stakes.paid > 0)))
        if holding >= _MIN_HANDS and paid * 10 < holding:
            rarely_paid[line] = holding, paid
    return rarely_paid


def _select_line(batch: Batch, line: str) -> Flags:
    """Return whether each stake is on a line.

    Returns:
        bool[stakes]
    """
    return batch.stakes.wager.codes == batch.stakes.wager.code(line)


def _build_row_condition(table: PayTable) -> Condition:
    """Build the condition that a hand holds some row of a table."""
    rows = [{"holds": {"hand": table.lookup_names[0], "is": row}} for row in table.rows]
    return Condition.model_validate({"any": rows} if len(rows) > 1 else rows[0])


_LOG_NAME = "simulated rounds"
_FAULTLESS_ROUNDS = 400
_SINGLE_FAULT_ROUNDS = 20
_SEED = 1
_COMMON_CONDITIONS = frozenset({"all", "any", "not", "fact", "placed", "decided", "compare", "some-seat", "every-seat"})
"""Operators of conditions that hold in some rounds out of a few, and fail in others."""
_STEP_FAULTS = frozenset({"omit", "move", "alter", "swap"})
"""Faults of a step of the round."""
_AMOUNT_QUANTITIES = frozenset({"amount", "exactly", "money", "times", "sum"})
"""Quantities in comparisons of stakes that vary every few rounds."""
_MAX_SIZES = 100
"""Number of sizes of a stake up to which each size occurs."""


class FaultTrial(Struct, frozen=True, kw_only=True):
    """Results of planting the faults of requirements, by full ids of the requirements."""

    undetected: frozenset[str] = frozenset()
    """Requirements whose faults were planted and read back, but detected in no round."""
    quarantined: Mapping[str, Quarantined] = field(default_factory=dict)
    """Requirements whose faults make records that an audit quarantines, each with the first such record."""
    never_planted: frozenset[str] = frozenset()
    """Requirements whose faults fit no round, although they need only what occurs every few rounds."""
    unplayable: Mapping[str, str] = field(default_factory=dict)
    """Requirements whose faults the simulated house cannot play, each with the reason in a sentence."""


class TrialRun(Struct, frozen=True, kw_only=True):
    """Results of a trial run. Requirements are named by their full ids."""

    unplayable: str | None = None
    """Why no round can be played, in a sentence; None if rounds can be."""
    round_count: int = _FAULTLESS_ROUNDS
    """Number of rounds played without a fault."""
    first_quarantined: Quarantined | None = None
    """The first record without a fault that could not be read back."""
    first_failures: Mapping[str, Finding] = field(default_factory=dict)
    """The first finding of each requirement that a round without a fault breaks."""
    faults: FaultTrial = field(default_factory=FaultTrial)
    """Results of the planted faults."""
    undecided_wagers: tuple[str, ...] = ()
    """Wagers that were staked and never won or lost."""
    rarely_paid: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Lines whose pay table was hardly ever paid: number of hands that held a row, number that were paid."""


def run_trial(rulebook: Rulebook, prepared: CompiledGame, simulation: Simulation) -> TrialRun:
    """Play and audit a game: rounds without a fault, then every fault in turn, then undetected faults one by one.

    Faults are planted only if the rounds without a fault can be read back. The result depends only on the rules.

    Raises ValueError, with a sentence for people, if no round can be played.
    """
    house = _TrialHouse(rulebook, prepared, simulation)
    faultless, _ = house.play(_FAULTLESS_ROUNDS)
    audited = house.audit(faultless, ())
    if audited.quarantined:
        return TrialRun(first_quarantined=audited.quarantined[0])
    return TrialRun(
        first_failures=_first_failures(audited),
        faults=house.faults(),
        undecided_wagers=tuple(find_undecided_wagers(prepared.game, faultless)),
        rarely_paid=count_rarely_paid_hands(prepared, faultless, build_configuration(simulation.submission)),
    )


class _TrialHouse:
    """A house that plays rounds and audits them."""

    def __init__(self, rulebook: Rulebook, prepared: CompiledGame, simulation: Simulation) -> None:
        stated = json.dumps(simulation.submission.to_file_data()).encode()
        self._plan = build_audit_plan(rulebook, [file_submission(decode_source(_LOG_NAME, stated), rulebook)])
        self._prepared, self._simulation = prepared, simulation
        # Nobody reads explanations, so each requirement counts as explained at a place before all rounds.
        names = (prepared.regulation.qualify(each.requirement) for each in prepared.regulation.requirements)
        self._explained = dict.fromkeys(names, make_place_key(EvidencePlace()))

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
        part = LogPart(log=0, number=0, name=_LOG_NAME, block=lines, last=True, ends=(end,))

        def judge(by: AuditPlan) -> Iterator[CheckedPart]:
            yield CheckedPart(part=part, verdicts=by.check_part(part, explained=dict(self._explained)))

        return build_results(self._plan, judge, program=_LOG_NAME, generated=_LOG_NAME, refused=ignore)

    def faults(self) -> FaultTrial:
        """Plant all faults in turn, and those that no audit detects one by one."""
        regulation = self._prepared.regulation
        asked, unfit = list[Requirement](), dict[str, str]()
        for requirement in regulation.requirements:
            if requirement.fault is not None and not find_needed_readings(regulation, requirement):
                why = self._explain_unplayable(requirement)
                if why is None:
                    asked.append(requirement)
                elif requirement.stated_fault is not None:
                    unfit[regulation.qualify(requirement.requirement)] = why
        if not asked:
            return FaultTrial(unplayable=unfit)
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
            regulation.qualify(requirement.requirement)
            for requirement in asked
            if requirement.stated_fault is not None and self._is_common(requirement)
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
        return FaultTrial(
            undetected=frozenset(unbroken), quarantined=unread, never_planted=frozenset(never), unplayable=unfit
        )

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
        named = {name for _, kind, name in iterate_references(self._simulation, ()) if kind == "step"}
        named |= {miscount.declared for miscount in game.miscounts}
        acts = (act for name, act in game.all_acts.items() if name in game.acts or name in named)
        return frozenset(kind for act in acts for kind in act.events)

    def _is_common(self, requirement: Requirement) -> bool:
        """Return whether the rounds that a fault needs occur every few rounds at this house."""
        fault, game = requirement.fault, self._prepared.game
        offered = {wager.wager for wager in self._simulation.submission.wagers or ()}
        offered -= {name for name, chance in self._simulation.chances.wagers.items() if not chance}
        waiting: list[BaseModel] = [] if fault is None or fault.when is None else [fault.when]
        ordinary = bool(waiting)
        if fault is not None and fault.when is None and fault.operator == "stake":
            return fault.operand.wager in offered
        while waiting and ordinary:
            for part in iterate_models(waiting.pop()):
                if isinstance(part, Quantity):
                    ordinary &= part.operator in _AMOUNT_QUANTITIES
                    ordinary &= part.operator != "amount" or part.operand in self._list_wagers_of_few_sizes()
                elif isinstance(part, Condition):
                    ordinary &= part.operator in _COMMON_CONDITIONS or part.operator == "number"
                    ordinary &= part.operator != "placed" or part.operand in offered
                    waiting += [game.facts[name] for name in OPERATORS.find(part).list_facts(part.operand)]
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
