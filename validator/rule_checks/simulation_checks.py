"""Checks of simulations and faults: habits that never occur, and faults that break nothing or break too much."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from fairdeal.validator.audit.submissions import submission_requirements
from fairdeal.validator.audit.submissions.submission_summary import find_unknown_names
from fairdeal.validator.engine.core.propositions import Formula, conjoin, negate
from fairdeal.validator.language.grammar import Holds, walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.results.findings import Evidence, Status
from fairdeal.validator.rule_checks.check_context import GameContext
from fairdeal.validator.rule_checks.logic_checks import iterate_stakes
from fairdeal.validator.rulebook.dependencies import find_needed_readings
from fairdeal.validator.rulebook.rule_check import CheckedFile, Mistakes, error, warning
from fairdeal.validator.rules import check_model, requirement_model
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.deal_model import SIDES
from fairdeal.validator.rules.fault_model import AlterFault, Fault
from fairdeal.validator.rules.game_model import Act, Game
from fairdeal.validator.rules.simulation_model import Habit, Simulation
from fairdeal.validator.simulate.fault_planting import plan_faults
from fairdeal.validator.text.diagnostics import find_similar
from fairdeal.validator.text.plain_values import format_decimal
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

_SUBMISSION = "submission"
_ALWAYS = 1000


@warning("never-simulated", "chances are in thousandths; a seat follows the first habit that applies and is drawn")
def find_never_simulated(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a wager, tip or habit that never occurs in simulated rounds."""
    for name, chance in simulation.chances.wagers.items():
        if chance == 0:
            yield ("chances", "wagers", name), f"the wager {name} is never placed"
    offered = {wager.wager for wager in simulation.submission.wagers or ()}
    for name, decision in context.game.decisions.items() if offered else ():
        if decision.places not in (None, *offered):
            message = f"the house does not offer {decision.places}, so no seat takes the decision {name}"
            yield (_SUBMISSION, "wagers"), message, f"list the wager: `- {{wager: {decision.places}}}`"
    with_tips = {wager.wager for wager in simulation.submission.wagers or () if wager.tips}
    takes_tips = any(wager.tip is not None and name in with_tips for name, wager in context.game.wagers.items())
    if simulation.chances.tip and not takes_tips:
        yield ("chances", "tip"), "no wager of the house takes tips"
    yield from _find_idle_habits(context, simulation)


def _find_idle_habits(context: GameContext, simulation: Simulation) -> Mistakes:
    """Yield the habits that no seat follows, in the order in which a deciding seat tries them."""
    game, terms = context.game, context.terms
    # In a game with a single step of deciding, no seat has decided before.
    deciding = [act for act in game.acts.values() if "decide" in act.events]
    is_single = game.betting is None and len(deciding) == 1
    taken = [Condition.model_validate({"decided": name}) for name in game.decisions] if is_single else []
    undecided: Formula = conjoin([negate(terms.build_formula(decision)) for decision in taken])
    followed: list[tuple[str, Formula]] = []
    for index, habit in enumerate(simulation.habits):
        applies = conjoin(list(map(terms.build_formula, (habit.when, game.decisions[habit.decision].when))))
        here: DataPath = ("habits", index)
        # Seats take decisions of other steps at another time.
        rivals = [formula for name, formula in followed if _share_a_step(deciding, habit.decision, name)]
        remaining = conjoin([undecided, *map(negate, rivals)])
        if habit.chance == 0:
            yield (*here, "chance"), "this habit is never followed"
        elif (
            habit not in simulation.habits[:index]
            and terms.may_hold(applies)
            and not terms.may_hold(conjoin([remaining, applies]))
        ):
            if terms.may_hold(conjoin([undecided, applies])):
                yield here, "an earlier habit is always followed when this one applies"
            else:
                yield here, "this habit requires an earlier decision, but seats decide only once"
        if habit.chance == _ALWAYS and game.betting is None:
            followed.append((habit.decision, applies))


def _share_a_step(deciding: Sequence[Act], first: str, second: str) -> bool:
    """Return whether some act records two decisions, or no act names one of them."""
    steps = [act for act in deciding if not act.decisions or first in act.decisions]
    return not steps or any(not act.decisions or second in act.decisions for act in steps)


@warning("duplicate", "increase the chance of the first if that is meant, or change the second")
def find_duplicate_habit(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a habit that is listed twice. A seat that does not follow it the first time gets a second chance."""
    for index, habit in enumerate(simulation.habits):
        if habit.chance and habit in simulation.habits[:index]:
            yield (
                ("habits", index),
                "this habit is listed twice: a seat that does not follow it the first time gets a second chance",
            )


@warning("hidden-cards", "name a hand that the player sees")
def find_hidden_cards(context: GameContext, habit: Habit, here: DataPath) -> Mistakes:
    """Find a habit by cards of the dealer that all lie face down. Players cannot decide by them."""
    game = context.game
    for path, holds in walk_models(habit, here):
        if isinstance(holds, Holds):
            hand = game.hands[holds.hand]
            if all(place == "dealer" and not game.deal.count_open_cards(place, None) for place in hand.from_):
                yield path, f"players decide here by {hand.title}, but all of its cards are face down"


@warning("direction-mismatch")
def find_wrong_direction(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a simulated house that goes round the table in another direction than a requirement demands."""
    game = context.game
    sides = {name: habit.from_ for name, habit in simulation.steps.items() if isinstance(habit.from_, str)}
    for requirement in context.regulation.requirements:
        check = requirement.check.operand
        if not isinstance(check, InTurnCheck) or check.when is not None:
            continue
        turns = {game.all_acts[name].turn for name in check.steps} - {None}
        steps = [act for act in game.all_acts.values() if act.name in check.steps or act.turn in turns]
        name = next((act.name for act in steps if act.name in game.acts and act.grain != "round"), None)
        usual = game.deal.stages[0].first_seat if game.deal.stages else SIDES[0]
        side = next((sides[act.name] for act in steps if act.name in sides), usual)
        if name is not None and side in ("dealer-left", "dealer-right") and side != check.from_:
            yield (
                ("steps",),
                f"the simulated house takes {name} from {side}, but {requirement.requirement} requires {check.from_}",
                f"write `steps: {{{name}: {{from: {check.from_}}}}}`, or compare the requirement with the text",
            )


def _select_submission(tree: PositionedDocument) -> PositionedDocument:
    """Return the submission of the simulated house as a document of its own."""
    return PositionedDocument(
        data=tree.get_value((_SUBMISSION,)),
        source_name=tree.source_name,
        lines=tree.lines,
        positions={path[1:]: place for path, place in tree.positions.items() if path[:1] == (_SUBMISSION,)},
    )


@error("unknown-name")
def find_unknown_offer(context: GameContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find a name that the simulated house states, but that the rulebook does not define."""
    if not isinstance(file.model, Simulation):
        return
    for unknown in find_unknown_names(_select_submission(file.tree), context.rulebook):
        near = find_similar(unknown.word, unknown.names)
        remedy = f"did you mean `{unknown.names[near]}`?" if near else "use the rulebook's own name"
        yield (_SUBMISSION, *unknown.path), f"{unknown.message} `{unknown.word}`", remedy


@warning("house-not-compliant")
def find_house_not_compliant(context: GameContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find a simulated house that does not comply with the requirements on submissions."""
    if not isinstance(file.model, Simulation):
        return
    submission, tree = file.model.submission, _select_submission(file.tree)
    filed = submission_requirements.FiledSubmission(submission=submission, tree=tree)
    for verdict in submission_requirements.evaluate_submission(
        context.regulation, filed, others=submission_requirements.RelatedSubmissions([submission])
    ):
        for finding in verdict.findings:
            if finding.status is not Status.PASS:
                yield (
                    (_SUBMISSION, *_find_place(tree, finding.where.pointer or "")),
                    f"the simulated house does not comply with {verdict.requirement}: expected {finding.expected}; "
                    f"found {finding.observed}",
                    f"{finding.remedy or 'Correct the simulated house.'} If it follows the text, compare the "
                    "requirement and its evidence with the text",
                )


def _find_place(tree: PositionedDocument, pointer: str) -> DataPath:
    """Return the place of a JSON Pointer, or its nearest ancestor that exists."""
    while pointer:
        with suppress(KeyError):
            return tree.resolve_pointer(pointer)
        pointer = pointer.rpartition("/")[0]
    return ()


@error("reversed", "exchange them")
def find_reversed_limits(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a wager whose maximum is below its minimum."""
    for index, wager in enumerate(simulation.submission.wagers or ()):
        if wager.minimum is not None and wager.maximum is not None and wager.minimum > wager.maximum:
            yield (_SUBMISSION, "wagers", index, "maximum"), f"the maximum of {wager.wager} is below its minimum"


@warning("unit-mismatch", "raise them, or reduce `units: {wager: ...}`")
def find_limits_below_unit(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find limits of a wager that are below the unit of wagers. Only the minimum would be staked."""
    unit = simulation.units.wager
    for index, wager in enumerate(simulation.submission.wagers or ()):
        if wager.minimum is not None and wager.maximum is not None and wager.minimum < wager.maximum < unit:
            yield (
                (_SUBMISSION, "wagers", index, "maximum"),
                f"the limits of {wager.wager} are below {format_decimal(unit)}, the unit of wagers: "
                "only the minimum is staked",
            )


@warning("limits-not-stated")
def find_limits_not_stated(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find limits of a wager that rules refer to, but that the house does not post."""
    used = {
        quantity.operator
        for parts in context.check_parts.values()
        for quantity in parts
        if isinstance(quantity, Quantity)
    }
    stated = {wager.wager: (index, wager) for index, wager in enumerate(simulation.submission.wagers or ())}
    for name, wager in () if context.game.betting is not None else context.game.wagers.items():
        if not wager.is_opening or wager.of is not None or simulation.chances.wagers.get(name) == 0:
            continue
        index, offer = stated.get(name, (0, None))
        for key in ("minimum", "maximum"):
            if key in used and (offer is None or getattr(offer, key) is None):
                yield (
                    (_SUBMISSION, "wagers") if offer is None else (_SUBMISSION, "wagers", index),
                    f"the house posts no {key} for {name}, so rules about it lack evidence",
                    f"state the `{key}` of {name}",
                )


@error("deck-mismatch", "compare both with the text, and state the same here and under `deck` of game.yaml")
def find_deck_mismatch(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a simulated house that plays with another deck than the game."""
    deck, stated = context.game.deck, simulation.submission.deck
    if deck is None:
        return
    if stated is not None and stated.cards is not None and stated.cards != deck.cards:
        yield (_SUBMISSION, "deck", "cards"), f"the house plays with {stated.cards}, but the game with {deck.cards}"
    if stated is not None and stated.decks is not None and (not stated.decks or stated.decks % deck.decks):
        message = f"the house plays with {stated.decks} decks, but a round of the game takes {deck.decks}"
        yield (_SUBMISSION, "deck", "decks"), message


@warning("too-many-seats", "seat fewer, or state more positions")
def find_too_many_seats(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find more played seats than the layout of the house has positions."""
    layout = simulation.submission.layout
    positions, seats = None if layout is None else layout.positions, simulation.seats.at_most
    if positions is not None and seats > positions:
        message = f"{seats} seats are played, but the layout of the house has {positions} positions"
        yield ("seats", "at-most"), message


@error("too-many-cards", "seat fewer, or compare the `deck` of the game with the text")
def find_too_many_cards_simulated(context: GameContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find simulated seats that are dealt more cards than there are in play."""
    cards, in_play = context.game.deal.cards, context.regulation.cards_in_play
    per_seat, seats = cards.get("player", 0), simulation.seats.at_most
    needed = per_seat * seats + sum(cards.values()) - per_seat
    if needed > in_play:
        message = f"{seats} seats are dealt {needed} cards, but there are only {in_play} in play"
        yield ("seats", "at-most"), message


_EVENT_FAULTS = frozenset({"omit", "move", "alter", "swap"})
"""Faults that change only events, which conditions of a rule seldom refer to."""
_CODE = "ineffective-fault"
_ALTER = "alter what the requirement checks"


@error(_CODE, "remove the fault, and show by examples what submissions break")
def find_fault_without_rounds(
    context: GameContext, requirement: requirement_model.Requirement, here: DataPath
) -> Mistakes:
    """Find a fault of a requirement that no round can break."""
    if requirement.stated_fault is not None and requirement.evidence not in (Evidence.ROUND, Evidence.SESSION):
        evidence = requirement.evidence.value
        yield (*here, "fault"), f"no round can break a requirement that is judged on {evidence} evidence"


@error(_CODE, _ALTER)
def find_impossible_fault(context: GameContext, requirement: requirement_model.Requirement, here: DataPath) -> Mistakes:
    """Find a fault that no round of the game can have."""
    reason = None if _get_fault(requirement) is None else _explain_impossible(context, requirement)
    if reason is not None:
        yield (*here, "fault"), reason


def _get_fault(requirement: requirement_model.Requirement) -> Fault | None:
    """Return the fault that is stated for a requirement that rounds can break."""
    return requirement.stated_fault if requirement.evidence in (Evidence.ROUND, Evidence.SESSION) else None


def _explain_impossible(context: GameContext, requirement: requirement_model.Requirement) -> str | None:
    """Return why no round of the game can have the fault of a requirement; None if one can."""
    if find_needed_readings(context.regulation, requirement):
        return None
    try:
        plan_faults(context.terms.prepared, [requirement.requirement])
    except ValueError as error:
        return str(error)
    return None


@error(_CODE, _ALTER)
def find_fault_without_change(
    context: GameContext, requirement: requirement_model.Requirement, here: DataPath
) -> Mistakes:
    """Find a fault that leaves the round as it is."""
    fault, game = _get_fault(requirement), context.game
    if fault is None or _explain_impossible(context, requirement) is not None:
        return
    at, operand = (*here, "fault"), fault.operand
    steps = game.all_acts
    if fault.operator == "pay" and operand == "under" and _is_unpaid(game, requirement.check):
        yield (*at, "pay"), "nothing is paid in any of these cases, so no payment can fall short"
    elif fault.operator == "swap" and steps[operand].grain == "round" and "deal" not in steps[operand].events:
        yield (*at, "swap"), f"the step {operand} is not a step of each seat, so no two seats can be swapped"
    elif fault.operator == "move":
        reason = _explain_same_place(game, operand.step, operand.operator, operand.operand)
        if reason is not None:
            yield (*at, "move", operand.operator), reason
    elif isinstance(operand, AlterFault):
        yield from _find_unaltered(game, operand, (*at, "alter"))


def _is_unpaid(game: Game, check: check_model.Check) -> bool:
    """Return whether a check is on cases in which nothing is paid."""
    names = check.operand.cases if check.operator == "settled" else ()
    judged = [case for case in game.settlement.cases if case.case in names]
    return bool(judged) and all(
        case.due.operand == "lost" or (case.due.operand == "nothing" and {*case.lines} <= game.bonuses.keys())
        for case in judged
    )


def _explain_same_place(game: Game, step: str, side: str, other: str) -> str | None:
    if step == other:
        return f"the step {step} cannot come before or after itself"
    if game.betting is not None:
        return None  # the steps of betting come several times
    played = list(game.acts)
    neighbours = (other, step) if side == "after" else (step, other)
    return f"the step {step} already comes immediately {side} {other}" if neighbours in pairwise(played) else None


def _find_unaltered(game: Game, fault: AlterFault, here: DataPath) -> Mistakes:
    changed = {key: value for key, value in fault if key != "step" and value is not None}
    step = game.all_acts[fault.step]
    if not changed:
        yield here, "the fault alters nothing of the step"
    elif fault.by is not None and step.by == fault.by:
        yield (*here, "by"), f"the act {step.name} already has `by: {fault.by}`"


@error(_CODE, _ALTER)
def find_harmless_fault(context: GameContext, requirement: requirement_model.Requirement, here: DataPath) -> Mistakes:
    """Find a fault that omits or swaps steps whose omission or order the requirement does not check."""
    fault, check, game = _get_fault(requirement), requirement.check.operand, context.game
    if fault is None:
        return
    at, step = (*here, "fault", fault.operator), fault.operand
    if fault.operator == "swap" and isinstance(check, InTurnCheck):
        swapped = {*game.all_acts[step].events}
        checked = {kind for name in check.steps for kind in game.all_acts[name].events}
        if not swapped & checked:
            yield at, f"the requirement does not check {step}"
    elif fault.operator == "omit" and isinstance(step, str) and _checks_only_order(check):
        yield at, f"omitting {step} does not break the requirement: it checks only the order"


def _checks_only_order(check: object) -> bool:
    match check:
        case InTurnCheck():
            return True
        case check_model.MilestoneCheck():
            return not any(bounds.must_happen for bounds in check.milestones)
        case check_model.SequenceCheck():
            return all(
                isinstance(item, check_model.SequenceStep) and item.times in ("any", "optional") for item in check.steps
            )
        case _:
            return False


@error(_CODE, _ALTER)
def find_fault_outside_rule(
    context: GameContext, requirement: requirement_model.Requirement, here: DataPath
) -> Mistakes:
    """Find a fault that is planted where its requirement does not apply."""
    fault, check, terms = _get_fault(requirement), requirement.check.operand, context.terms
    if fault is None or fault.when is None or fault.operator not in _EVENT_FAULTS:
        return
    if not isinstance(check, check_model.RoundCheck) or check.each not in ("round", "seat"):
        return
    if OPERATORS.find_grain(fault.when, terms.game) not in ("round", check.each):
        return
    if not terms.may_hold(conjoin([terms.build_formula(fault.when), terms.build_formula(check.when)])):
        yield (*here, "fault", "when"), "the requirement does not apply where this holds"


@error(_CODE, _ALTER)
def find_fault_outside_cases(
    context: GameContext, requirement: requirement_model.Requirement, here: DataPath
) -> Mistakes:
    """Find a fault of payment that is planted on seats which reach no case that the requirement judges."""
    fault, check, terms = _get_fault(requirement), requirement.check, context.terms
    if fault is None or fault.when is None or fault.operator != "pay" or check.operator != "settled":
        return
    formula = terms.build_formula(fault.when)
    if not any(terms.may_hold(conjoin([formula, reached])) for reached in _list_reached(terms, check.operand.cases)):
        yield (*here, "fault", "when"), "no seat for which this holds reaches a case that the requirement judges"


def _list_reached(terms: PropositionBuilder, cases: Collection[str]) -> Iterator[Formula]:
    """Yield, line by line, the formula of the stakes that reach some cases of settlement."""
    for line in terms.game.settlement.order:
        for _, case, remaining, condition in iterate_stakes(terms, line):
            if case.case in cases:
                yield conjoin([remaining, condition])
