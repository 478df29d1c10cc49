"""Checks of requirements: checks without effect or at odds with the game, and terms that no requirement checks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from fairdeal.validator.engine.core.decision_points import UnclearRound, list_decision_points
from fairdeal.validator.engine.core.propositions import Formula, conjoin, negate
from fairdeal.validator.language.grammar import ReadingIs, iterate_models, walk_models
from fairdeal.validator.language.round_conditions import Comparison, Condition, Quantity
from fairdeal.validator.language.submission_conditions import Every, Value
from fairdeal.validator.operators.event_operators import EventShows
from fairdeal.validator.operators.logic_operators import AnyOf
from fairdeal.validator.operators.number_operators import NumberIs
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.seat_operators import HasDecided
from fairdeal.validator.operators.wager_operators import JUDGED_STAKE, WagerIs
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rulebook.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.check_model import BoundedMilestone, RoundCheck, SequenceCheck, SequenceStep
from fairdeal.validator.rules.deal_model import DealtCheck
from fairdeal.validator.rules.game_model import Act, Game
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.positioned_document import DataPath


@warning(
    "missing-broken",
    "add `broken`, a sentence in the past tense that begins with who acted: `The dealer paid a hand that lost.`",
)
def find_missing_broken(context: DocumentContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a requirement on rounds that does not state what went wrong if it fails. Reports need the sentence."""
    if requirement.broken is None and requirement.evidence in (Evidence.ROUND, Evidence.SESSION):
        yield here, f"{requirement.requirement} does not state what went wrong if it fails"


@warning("reading-not-named")
def find_reading_not_named(context: DocumentContext, game: Game, here: DataPath) -> Mistakes:
    """Find a fact that depends on a reading which no requirement names. No finding would mention the reading."""
    named = {name for requirement in context.regulation.requirements for name in requirement.readings}
    for fact, condition in game.facts.items():
        for path, part in walk_models(condition, ("facts", fact)):
            if isinstance(part, ReadingIs) and part.name not in named:
                yield (
                    (*path, "name"),
                    f"this depends on the reading {part.name}, but no requirement names it, so no finding will",
                    f"add {part.name} to the `readings` of a requirement that depends on the fact",
                )
                break


@warning("missing-entry", "name it under `before` or `after` too, or at the milestone that bounds it")
def find_unbounded_act(context: DocumentContext, bounds: BoundedMilestone, here: DataPath) -> Mistakes:
    """Find an act that a milestone requires, but does not bound, although it bounds others."""
    bounded = [*bounds.before, *bounds.after]
    for index, name in enumerate(bounds.must_happen):
        if bounded and name not in (*bounded, *bounds.at.acts):
            yield (*here, "must-happen", index), f"{name} must happen, but this milestone does not bound it"


@warning("no-effect")
def find_line_without_table(context: GameContext, every: Every, here: DataPath) -> Mistakes:
    """Find a requirement on the pay table of a line that has none. It requires nothing of the line."""
    paid = {table.of for table in context.game.pay_tables.values()}
    for value in iterate_models(every) if every.in_ == "pay-tables" else ():
        lines = value.operand if isinstance(value, Value) and (value.at, value.operator) == (".pays", "one-of") else ()
        unpaid = [name for name in lines if name not in paid]
        if unpaid:
            yield (
                here,
                f"{unpaid[0]} has no pay table, so this requires nothing of it",
                f"name wagers and bonuses that have one: {', '.join(sorted(paid))}",
            )


@warning("unstated-payout", "name a row of a pay table, or add the row to the table that the text prints")
def find_unstated_row(context: GameContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a row of posted pay tables that a requirement permits, but that no pay table of the game has.

    The settlement would not pay the row, or another row was meant. A requirement that names a reading may permit more
    rows than the text prints.
    """
    rows = {row for table in context.game.pay_tables.values() for row in table.rows}
    rows |= {unlisted.category for unlisted in context.game.settlement.unlisted}
    for path, part in () if requirement.readings else walk_models(requirement.check, (*here, "check")):
        if not (isinstance(part, Every) and part.in_ in (".rows", "rows") and part.when is None):
            continue
        for at, value in walk_models(part.must, (*path, "must")):
            if isinstance(value, Value) and value.at == ".hand" and value.operator == "one-of":
                for index, name in enumerate(value.operand):
                    if name not in rows:
                        yield (*at, "one-of", index), f"no pay table of the game has the row {name}"


@error("no-effect", "name the steps before or after it, or state with `times` how often it occurs")
def find_idle_sequence(context: DocumentContext, check: SequenceCheck, here: DataPath) -> Mistakes:
    """Find a sequence of a single step that may occur any number of times. It is always in order."""
    if len(check.steps) == 1 and isinstance(check.steps[0], SequenceStep) and check.steps[0].times == "any":
        yield (*here, "steps"), "a single step, any number of times, is always in order"


@error("duplicate-entry", "list it once, and state with `times` how often it may occur")
def find_step_in_a_row(context: DocumentContext, check: SequenceCheck, here: DataPath) -> Mistakes:
    """Find a sequence that lists a step twice in a row. Another may be missing."""
    for index, (earlier, later) in enumerate(pairwise(check.steps), 1):
        if isinstance(earlier, SequenceStep) and isinstance(later, SequenceStep) and earlier.step == later.step:
            yield (*here, "steps", index), f"the step {later.step} is listed twice in a row"


@warning("multiple-mismatch", "compare both with the text")
def find_multiple_mismatch(context: GameContext, check: RoundCheck, here: DataPath) -> Mistakes:
    """Find a requirement that states another multiple of a wager than the game."""
    stated = _read_multiple(check.must.operand) if isinstance(OPERATORS.find(check.must), NumberIs) else None
    wager = None if stated is None else context.game.wagers.get(stated[0])
    if stated is None or wager is None or wager.of is None:
        return
    if stated[1] not in wager.factors or stated[2] != wager.of:
        factors = " or ".join(map(str, wager.factors))
        yield (
            (*here, "must"),
            f"{stated[0]} must be {stated[2]} times {stated[1]} here, but {wager.of} times {factors} in the game",
        )


def _read_multiple(comparison: Comparison) -> tuple[str, int, str] | None:
    """Return wager, factor and base wager if a comparison states a multiple; otherwise None."""
    if comparison.operator != "equals" or comparison.of.operator != "amount":
        return None
    other, factor = comparison.operand, 1
    if other.operator == "times":
        other, factor = other.operand.of, other.operand.by
    return (comparison.of.operand, factor, other.operand) if other.operator == "amount" else None


@warning("face-mismatch", "compare both with the text: this, and `face` of the deal in game.yaml")
def find_face_mismatch(context: GameContext, check: RoundCheck, here: DataPath) -> Mistakes:
    """Find a requirement that dealt cards lie on another side than the game deals them."""
    if check.each != "event" or not isinstance(OPERATORS.find(check.must), EventShows):
        return
    step = context.game.all_acts.get(check.of or "")
    face = check.must.operand.face
    faces = set() if step is None or face is None else collect_dealt_faces(context.game, step)
    if faces and not {None, face} & faces:
        yield (*here, "must"), f"cards must lie face {face} here, but the game deals none of them face {face}"


def collect_dealt_faces(game: Game, step: Act) -> set[str | None]:
    """Return the faces of the cards that a step deals, None for a card whose face is not stated.

    A step that deals a single stage, or that does not deal, has none.
    """
    if step.events != ("deal",) or step.stage is not None:
        return set()
    return {
        deal_pass.face or stage.face
        for stage in game.deal.stages
        for way in stage.permitted_ways.values()
        for deal_pass in way.passes
    }


@warning("missing-entry")
def find_decision_forbidden(context: GameContext, check: RoundCheck, here: DataPath) -> Mistakes:
    """Find a decision that is open to all seats of a requirement, although a seat that takes it breaks the requirement.

    Games with betting are not examined.
    """
    terms = context.terms
    if check.each != "seat" or check.when is None or terms.game.betting is not None:
        return
    conditions = check.must.operand if isinstance(OPERATORS.find(check.must), AnyOf) else [check.must]
    named = [alternative.operand for alternative in conditions if isinstance(OPERATORS.find(alternative), HasDecided)]
    if len(named) < len(conditions):
        return
    alternatives = _list_alternative_decisions(context, named)
    for name, decision in terms.game.decisions.items():
        if name not in alternatives or name in named:
            continue
        closed_to = negate(terms.build_formula(decision.when))
        if not terms.may_hold(conjoin([terms.build_formula(check.when), closed_to])):
            yield (
                (*here, "must"),
                f"{name} is open to all of these seats, but a seat that takes it breaks the requirement",
                f"name {name} too, or compare `when` of {name} with the text",
            )


def _list_alternative_decisions(context: GameContext, named: Sequence[str]) -> set[str]:
    """Return the decisions that a seat may take at the same point of a round as the named ones."""
    try:
        points = list_decision_points(context.terms.prepared)
    except UnclearRound:
        return set(context.game.decisions)
    return {name for point in points if not {*named}.isdisjoint(point.decisions) for name in point.decisions}


_CODE = "unenforced"


@warning(_CODE, "add `requirements` to the wager, with an instance of `wager-beside-another` or one of your own")
def find_unenforced_need(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager for which no requirement fails if it is placed without what it needs.

    A stake that stays may lie without that, so a requirement must distinguish what was brought.
    """
    distinguished = _list_checked_wagers(context, {"brought"})
    for name, wager in game.wagers.items():
        if name in game.staying_wagers and name in distinguished:
            continue
        if wager.when is not None:
            placed = context.terms.build_formula(Condition.model_validate({"placed": name}))
            if not _is_enforced(context, conjoin([placed, negate(context.terms.build_formula(wager.when))])):
                yield ("wagers", name, "when"), f"no requirement fails if {name} is placed without what it needs"


def _is_enforced(context: GameContext, violation: Formula) -> bool:
    """Return whether some requirement applies to a violation and fails for it."""
    terms = context.terms
    for requirement in context.regulation.requirements:
        check = requirement.check.operand
        if isinstance(check, RoundCheck):
            applying = conjoin([violation, terms.build_formula(check.when)])
            if terms.may_hold(applying) and not terms.may_hold(conjoin([applying, terms.build_formula(check.must)])):
                return True
    return False


@warning(_CODE, "add `requirements` to the wager, with an instance of `multiple-of-a-wager` or one of your own")
def find_unenforced_multiple(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager that must be a multiple of another, or lie behind it, although no requirement checks that."""
    amounts, behind = (_list_checked_wagers(context, {quantity}) for quantity in ("amount", "behind"))
    for name, wager in game.wagers.items():
        if wager.behind is not None and name not in behind:
            yield ("wagers", name, "behind"), f"no requirement checks that {name} lies behind {wager.behind}"
        if wager.of is not None and name not in amounts:
            message = f"no requirement checks the amount of {name}, which must be a multiple of {wager.of}"
            yield ("wagers", name, "amount"), message


@warning(_CODE, "add a requirement with the check `dealt: {asks: turn}`")
def find_unenforced_turn_of_deal(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a game in which no requirement checks the order in which cards are dealt."""
    requirements = context.regulation.requirements
    if game.deal.stages and not any(isinstance(requirement.check.operand, DealtCheck) for requirement in requirements):
        yield ("deal", "stages", 0), "no requirement checks the order in which cards are dealt"


@warning(_CODE, "add a requirement that is an instance of `lies-face`")
def find_unenforced_face(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a stage whose cards lie on a side that no requirement checks."""
    checked = {
        condition.operand.face
        for parts in context.check_parts.values()
        for condition in parts
        if isinstance(condition, Condition) and isinstance(OPERATORS.find(condition), EventShows)
    }
    for index, stage in enumerate(game.deal.stages):
        if stage.face is not None and stage.face not in checked:
            yield ("deal", "stages", index, "face"), f"no requirement checks that cards are dealt face {stage.face}"


@warning(_CODE, "name it in the requirement that checks the limits of other wagers")
def find_unenforced_limits(context: GameContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager whose limits must be posted, although no requirement checks stakes on it, as for other wagers."""
    posted, checked = _list_posted_wagers(context), _list_checked_wagers(context, {"minimum", "maximum"})
    for name, wager in game.wagers.items():
        if checked & posted and wager.of is None and name in posted - checked:
            yield ("wagers", name), f"limits must be posted for {name}, but no requirement checks stakes on it"


def _list_posted_wagers(context: GameContext) -> set[str]:
    """Return the wagers for which some requirement requires posted limits."""
    posted = set[str]()
    for parts in context.check_parts.values():
        for part in parts:
            if isinstance(part, Every) and part.in_ == "wagers":
                values = [value for value in iterate_models(part) if isinstance(value, Value)]
                if {".minimum", ".maximum"} & {value.at for value in values}:
                    named = [value for value in values if value.at == ".wager" and value.operator == "one-of"]
                    posted |= {name for value in named for name in value.operand}
    return posted


def _list_checked_wagers(context: GameContext, quantities: Collection[str]) -> set[str]:
    """Return the wagers for which requirements use one of some quantities, by name or as the judged stake."""
    wagers = set[str]()
    for parts in context.check_parts.values():
        conditions = [
            part for part in parts if isinstance(part, Condition) and isinstance(OPERATORS.find(part), WagerIs)
        ]
        named = {name for condition in conditions for name in condition.operand}
        for part in parts:
            if isinstance(part, Quantity) and part.operator in quantities:
                wagers |= (named or {*context.game.wagers}) if part.operand == JUDGED_STAKE else {part.operand}
    return wagers
