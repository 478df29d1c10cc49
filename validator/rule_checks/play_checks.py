"""Checks of a game in play: a trial run, and the mistakes that its rounds, planted faults and odds show."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

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
from fairdeal.validator.rule_checks.check_context import GameContext
from fairdeal.validator.rulebook.dependencies import find_needed_readings
from fairdeal.validator.rulebook.rule_check import Mistakes, error, warning
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import PayTable
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.simulate.game_simulation import simulate
from fairdeal.validator.text.positioned_document import DataPath
from fairdeal.validator.text.source import decode_source

if TYPE_CHECKING:
    from fairdeal.validator.odds.odds_figures import WagerOdds

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


_SAMPLED_ROUNDS = 20_000
"""Rounds that are simulated if there are too many deals to enumerate. They need only show which side has the advantage.
"""
_CODE = "ineffective-fault"


class PlayContext(GameContext):
    """A loaded document without errors, with the results of playing it."""

    @cached_property
    def trial(self) -> TrialRun:
        """The trial run of the simulated house; an empty one if no round can be played."""
        from fairdeal.validator.rule_checks.play_checks import (  # noqa: PLC0415 - playing needs NumPy
            TrialRun,
            run_trial,
        )

        simulations = [file.model for file in self.files if isinstance(file.model, Simulation)]
        if not simulations:
            return TrialRun()
        try:
            return run_trial(self.rulebook, self.terms.prepared, simulations[0])
        except ValueError as error:
            return TrialRun(unplayable=str(error))

    @cached_property
    def odds(self) -> Sequence[WagerOdds]:
        """The odds of every wager with each of its pay tables."""
        from fairdeal.validator.odds.hand_counts import HandCounts  # noqa: PLC0415 - playing needs NumPy
        from fairdeal.validator.odds.wager_odds import work_out_odds  # noqa: PLC0415

        counts = HandCounts(self.terms.prepared, is_quick=True)
        return work_out_odds(self.regulation, rounds=_SAMPLED_ROUNDS, counted=counts).wagers


@error(
    "never-simulated", "check for wagers that need each other, and for wagers that the simulated house does not offer"
)
def find_no_round_simulated(context: PlayContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a game of which no round can be simulated."""
    if context.trial.unplayable is not None:
        yield here, f"no round can be simulated: {context.trial.unplayable}"


@error("simulation-rejected")
def find_rounds_rejected(context: PlayContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find simulated rounds that are rejected as evidence."""
    rejected, game = context.trial.first_quarantined, context.regulation.id
    if rejected is not None:
        yield (
            here,
            f"the simulated rounds are rejected as evidence: {rejected.reason}",
            f"simulate the game with this seed and examine the record: `fairdeal simulate {game} --rounds 20 --seed 1`",
        )


@warning("never-paid")
def find_rarely_paid_table(context: PlayContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a pay table with rows that hands hold, although hardly one of them is paid."""
    for name, (holding, paid) in context.trial.rarely_paid.items():
        yield (
            here,
            f"in {context.trial.round_count} simulated rounds {holding} hands held a row of the pay table of {name}, "
            f"but {paid} were paid",
            f"check the cases of {name} for a wrong decision that includes seats which play on",
        )


@warning("never-decided", "check for a fact that treats every hand as void, and for the case that all its stakes reach")
def find_undecided_wager(context: PlayContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a wager on which nobody wins or loses anything."""
    for name in context.trial.undecided_wagers:
        yield here, f"in {context.trial.round_count} simulated rounds nobody won or lost anything on {name}"


@warning("fails-in-simulation", "compare the requirement, its steps and cases, and the simulated house with the text")
def find_fails_in_simulation(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a requirement that a round without a fault breaks. Failures of the house have a check of their own."""
    finding = context.trial.first_failures.get(context.regulation.qualify(requirement.requirement))
    if finding is not None and finding.where.round is not None:
        yield (
            here,
            f"the simulated game breaks {requirement.requirement}, although no fault is planted: expected "
            f"{finding.expected}; found {finding.observed} (round {finding.where.round})",
        )


@warning(_CODE, "compare its `when`, or the scope of the requirement, with what seats place and decide")
def find_fault_never_fits(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault whose condition no round meets, although it needs only what happens often."""
    if context.regulation.qualify(requirement.requirement) in context.trial.faults.never_planted:
        yield (*here, "fault"), f"no round ever meets the condition of the fault of {requirement.requirement}"


@warning(_CODE, "plant what the house can play, or simulate a house that can")
def find_fault_unplayable(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault with which the simulated house cannot play a round."""
    reason = context.trial.faults.unplayable.get(context.regulation.qualify(requirement.requirement))
    if reason is not None:
        name = requirement.requirement
        yield (*here, "fault"), f"the simulated house has no round for the fault of {name}: {reason}"


@warning("simulation-rejected", "plant something that a log can record: its summary and its events must agree")
def find_fault_rejected(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault whose rounds are rejected as evidence."""
    rejected = context.trial.faults.quarantined.get(context.regulation.qualify(requirement.requirement))
    if rejected is not None:
        name = requirement.requirement
        yield (*here, "fault"), f"rounds with the fault of {name} are rejected as evidence: {rejected.reason}"


@warning(_CODE, "alter what the requirement checks, in rounds to which it applies")
def find_fault_undetected(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault whose rounds do not break its requirement."""
    if context.regulation.qualify(requirement.requirement) not in context.trial.faults.undetected:
        return
    name = requirement.requirement
    if requirement.stated_fault is not None:
        yield (*here, "fault"), f"rounds with this fault do not break {name}"
    else:
        yield (
            here,
            f"rounds that were altered to break {name} do not break it",
            "compare its check with the text, and state a `fault` that breaks it, or `fault: none`",
        )


@warning(
    "negative-house-advantage",
    "check for reversed cases, cases without a wager, and payouts that are too high; `fairdeal odds` shows the value "
    "of each",
)
def find_negative_house_advantage(context: PlayContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager that players who decide well win from the house. A case may be reversed, or a payout too high."""
    for row in context.odds:
        is_certain = row.exact or (row.interval is not None and row.interval[1] < 0)
        if row.house_advantage is not None and Fraction(row.house_advantage) < 0 and is_certain:
            advantage = f"{100 * float(Fraction(row.house_advantage)):.1f} %"
            message = f"players who decide well win {row.wager} from the house: its advantage is {advantage}"
            yield ("wagers" if row.wager in game.wagers else "bonuses", row.wager), message
