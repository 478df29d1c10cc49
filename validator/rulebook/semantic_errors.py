"""Semantic errors of a regulation and its requirements: rules that contradict each other or lead nowhere.

A regulation with such an error is not loaded. All of these checks have one code.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from pydantic import BaseModel

from fairdeal.validator.cards.ranking import find_impossible_marks
from fairdeal.validator.cards.ranking_models import Ranking
from fairdeal.validator.evidence.event_kinds import NO_DECISION
from fairdeal.validator.language.grammar import Grain, PlacedModels, ReadingIs, includes_grain, iterate_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rulebook import money_problems, pattern_instances, procedure_problems
from fairdeal.validator.rulebook.dependencies import find_grain_problems
from fairdeal.validator.rulebook.pattern_model import PatternsFile
from fairdeal.validator.rulebook.procedure_problems import find_milestone_problems
from fairdeal.validator.rulebook.rule_check import CheckContext, CheckedFile, Mistakes, error, list_checks, run_checks
from fairdeal.validator.rulebook.submission_places import find_place_problems
from fairdeal.validator.rules.check_model import EveryCheck, NeededCheck, SequenceStep, SuccessionCheck
from fairdeal.validator.rules.document_model import Clause, Document, Reading
from fairdeal.validator.rules.fault_model import EarlierFault, Fault
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import STATED_ODDS_REQUIREMENT, Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import DataPath

STAKE_EVENTS = ("wager", "collect", "pay", "return")
"""Events about one stake."""
PLACE_EVENTS = ("reveal", "collect-cards", "misdeal")
"""Events at a place: of every seat for the place `player`, otherwise of the round."""
EXCHANGE_EVENTS = ("discard", "draw")
"""Events in which cards of a place, or the rest of the deck, are put aside, or other cards replace them."""
CHIP_EVENTS = ("chips-in", "chips-out")
"""Events of chips that arrive at the table or leave it."""
SEAT_EVENTS = ("leave", "arrive", *CHIP_EVENTS)
"""Events about a seat only."""
ROUND_OR_SEAT_EVENTS = ("announce", "device", "fault", "remedy")
"""Events of the whole round, or of every seat in a step of each seat."""
POT_EVENTS = ("rake", "award", "drop")
"""Events about pots."""
ROUND_EVENTS = (*ROUND_OR_SEAT_EVENTS, "shuffle", "cut", "deck", "count", "outcome")
"""Events that may concern the whole round."""
SIMULATED_EVENTS = frozenset(
    (
        *STAKE_EVENTS,
        *PLACE_EVENTS,
        *EXCHANGE_EVENTS,
        *SEAT_EVENTS,
        *POT_EVENTS,
        *ROUND_EVENTS,
        "claim",
        "deal",
        "decide",
        "set",
        "split",
        "tuck",
    )
)
"""Kinds that may occur in regular play. Exposed cards occur only with irregularities."""
INSERTABLE_EVENTS = SIMULATED_EVENTS - {"deal", "draw", "set"}
"""Kinds that a fault may add on their own."""
NUMBERED_EVENTS = frozenset({"count"})
"""Kinds that always state a number."""


_SHOWN_ACTS = frozenset({"decision", "less", "more", "puts-in", "below-smallest", "more-than-stack"})
"""Faults of an action that a player can announce ahead: decisions and amounts."""


def find_fault_problems(game: Game, requirement: Requirement) -> Iterator[Problem]:
    """Yield problems with the fault of a requirement.

    A decision must be one of the game unless the fault is `other-decision`. Only an action of a player can be announced
    ahead.
    """
    fault = requirement.stated_fault
    if fault is None:
        return
    yield from _check_decision(game, fault, ("fault",))
    act = fault.act if fault.operator == "act" else None
    if act is not None and act.manner is not None and act.operator not in _SHOWN_ACTS:
        yield ("fault", "act", "manner"), "only a decision or a bet can be announced ahead"
    if fault.upon is not None:
        yield from _check_decision(game, fault.upon, ("fault", "upon"))


def _check_decision(game: Game, fault: Fault | EarlierFault, here: DataPath) -> Iterator[Problem]:
    if fault.operator == "decision" and fault.operand not in (*game.decisions, NO_DECISION):
        yield (
            (*here, "decision"),
            f"{fault.operand} is neither a decision of the game nor {NO_DECISION}; "
            "use `other-decision` for a decision that the game does not define",
        )
    elif fault.operator == "other-decision" and fault.operand in game.decisions:
        yield (*here, "other-decision"), f"{fault.operand} is a decision of the game"


def explain_unplantable(game: Game, fault: Fault | EarlierFault, *, settling: bool) -> str | None:
    """Return why no round of a game can have a fault, in a sentence; None if one can. `settling`: the check is on
    payments."""
    operand, events = fault.operand, {name: [*act.events] for name, act in game.all_acts.items()}
    grain: Grain = "event" if fault.operator == "act" else "seat"
    if fault.when is not None and not includes_grain(grain, OPERATORS.find_grain(fault.when, game)):
        return "`when` must refer to rounds or seats"
    match fault.operator:
        case "act" | "award" | "rake" | "between" | "stack" if game.betting is None:
            return "players do not bet against each other"
        case "pay" if not settling:
            return "it changes payments, which this requirement does not check"
        case "stake" | "withdraw" if operand.wager not in game.wagers:
            return f"`{operand.wager}` is not a wager"
        case "withdraw" if events[operand.step] != ["withdraw"]:
            return f"the step `{operand.step}` does not withdraw a wager"
        case "expose" if events[operand] != ["expose"]:
            return f"the step `{operand}` does not expose cards"
        case "insert" if not INSERTABLE_EVENTS.issuperset(events[operand.step]):
            return f"the step `{operand.step}` cannot be recorded on its own"
        case _:
            return None


def find_session_problems(
    game: Game, check: EveryCheck | SuccessionCheck | NeededCheck, here: DataPath
) -> Iterator[Problem]:
    """Yield the problems of a check across rounds that is located at `here`."""
    match check:
        case SuccessionCheck() if check.each == "player" and check.operator != "must":
            yield (*here, "each"), "`each: player` requires `must`"
        case SuccessionCheck() if check.operator == "copies-since" and (
            game.deck is None or game.deck.lasts == "one-round"
        ):
            yield (
                (*here, "copies-since"),
                "every round is dealt from all cards: state `lasts: until-shuffled` at `deck`",
            )
        case SuccessionCheck() if check.deck != "other" and (check.received or check.removed):
            name = "received" if check.received else "removed"
            yield (*here, name), "requires `deck: other`, which checks two decks in turn"
        case EveryCheck() if check.counts is not None and check.within.operator == "hours":
            yield (*here, "counts"), "hours pass in every round: only rounds can be counted selectively"
        case NeededCheck() if check.each == "round" and "table-opens" in check.occasions:
            yield (
                (*here, "since"),
                "a table opens outside rounds: use `each: table` or `each: deck`",
            )


def find_previous_round_problems(parts: PlacedModels) -> Iterator[Problem]:
    """Yield references to the previous round outside checks that compare rounds with it."""
    references = [
        path
        for path, part in parts
        if isinstance(part, Condition | Quantity) and OPERATORS.find(part).reads_previous_round
    ]
    allowed = set(_list_allowed_places(parts)) if references else set()
    for path in references:
        if path not in allowed:
            yield (
                path,
                "only `succession` with `must` can refer to the previous round, not facts, counts or totals",
            )


def _list_allowed_places(parts: PlacedModels) -> Iterator[DataPath]:
    """Yield the places of conditions and quantities that may refer to the previous round."""
    open_: list[DataPath] = []
    closed: list[DataPath] = []
    for path, part in parts:
        if isinstance(part, SuccessionCheck) and part.operator == "must":
            open_, closed = [(*path, "must"), (*path, "when")], []
        elif isinstance(part, Condition | Quantity) and _is_inside(path, open_) and not _is_inside(path, closed):
            yield path
            if not OPERATORS.find(part).parts_may_read_previous_round:
                closed.append(path)


def _is_inside(path: DataPath, places: Sequence[DataPath]) -> bool:
    return any(path[: len(place)] == place for place in places)


_CODE = "semantic-error"


def find_semantic_errors(regulation: Regulation, files: Sequence[CheckedFile]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every semantic error in the files of a regulation."""
    yield from run_checks(LOADING_CHECKS, CheckContext(regulation), files)


@error(_CODE)
def find_pattern_error(context: None, file: PatternsFile, here: DataPath) -> Mistakes:
    """Find a pattern that misuses a parameter, contains a number of its own or makes no valid check.

    Every document can use a pattern, so it contains nothing that only one text states.
    """
    yield from pattern_instances.find_pattern_problems(file)


@error(_CODE, is_guard=True)
def find_impossible_mark(context: CheckContext, ranking: Ranking, here: DataPath) -> Mistakes:
    """Find a ranking that names a hand by marks which no hand has. Such a ranking cannot be compiled."""
    for mark, reason in find_impossible_marks(ranking).items():
        yield (*here, "marks", mark), reason


@error(_CODE, is_guard=True)
def find_dependency_cycle(context: CheckContext, game: Game, here: DataPath) -> Mistakes:
    """Find a fact or step that depends on itself, directly or through others. Its evaluation would never end."""
    uses = {("facts", name): set(_list_dependencies(condition)) for name, condition in game.facts.items()}
    for name, act in game.all_acts.items():
        dependencies = set() if act.when is None else set(_list_dependencies(act.when))
        uses["acts", name] = dependencies | {("acts", other) for other in act.but}
    for (kind, name), used in uses.items():
        seen: set[tuple[str, str]] = set()
        pending = set(used)
        while pending:
            other = pending.pop()
            if other not in seen:
                seen.add(other)
                pending |= uses.get(other, set())
        if (kind, name) in seen:
            if kind == "facts":
                yield ("facts", name), f"fact {name} is defined by itself"
            else:
                yield (*game.locate_act(name), "when"), f"act {name} is defined by itself"
            return


def _list_dependencies(model: BaseModel) -> Iterator[tuple[str, str]]:
    """Yield the facts and steps that a condition depends on, as section and name."""
    for part in iterate_models(model):
        if isinstance(part, Condition | Quantity):
            yield from (("facts", fact) for fact in OPERATORS.find(part).list_facts(part.operand))
            yield from (("acts", step) for step in OPERATORS.find(part).list_steps(part.operand))


@error(_CODE)
def find_unknown_option(context: CheckContext, condition: ReadingIs, here: DataPath) -> Mistakes:
    """Find a condition that depends on an option which its reading does not have."""
    options = context.regulation.readings[condition.name].options
    if condition.is_ not in options:
        message = f"the reading {condition.name} has no option {condition.is_}, only {', '.join(options)}"
        yield (*here, "is"), message


@error(_CODE)
def find_unsuitable_place(context: CheckContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find a condition on submissions that compares a place with a value which the place never has."""
    if file.model is not None:
        yield from find_place_problems(file.model, here)


@error(_CODE)
def find_misplaced_previous_round(context: CheckContext, file: CheckedFile, here: DataPath) -> Mistakes:
    """Find a condition that reads the previous round outside a check that compares rounds."""
    yield from find_previous_round_problems(file.parts)


@error(_CODE)
def find_unsuitable_operand(context: CheckContext, part: Condition | Quantity, here: DataPath) -> Mistakes:
    """Find an operator with an operand that cannot be meant. Each operator decides that itself."""
    game = context.regulation.game
    if game is not None:
        path = (*here, part.operator)
        yield from OPERATORS.find(part).find_problems(context.regulation, game, part.operand, path)


@error(_CODE)
def find_wrong_clause_status(context: CheckContext, document: Document, here: DataPath) -> Mistakes:
    """Find a clause whose status contradicts the requirements that cite it, or whose lines are not in order."""
    cited: dict[str, str] = {}
    attested: set[str] = set()
    judged: set[str] = set()
    for requirement in context.regulation.requirements:
        cited |= dict.fromkeys(requirement.clauses, requirement.requirement)
        (attested if requirement.check.operator == "attested" else judged).update(requirement.clauses)
    for index, clause in enumerate(document.clauses):
        if len(clause.lines) > 2 or clause.lines[0] > clause.lines[-1]:
            yield ("clauses", index, "lines"), "must be the first and the last line of the clause, in this order"
        message = _explain_wrong_status(clause, cited, attested, judged)
        if message is not None:
            yield ("clauses", index, "status"), f"clause {clause.clause} {message}"


def _explain_wrong_status(
    clause: Clause, cited: Mapping[str, str], attested: Collection[str], judged: Collection[str]
) -> str | None:
    """Return why the status of a clause is wrong, as the rest of a sentence; None if it is right."""
    stated = "status" in clause.model_fields_set
    if clause.status == "checked" and clause.clause not in judged:
        phrase = "has the status" if stated else "has no status and so is"
        return f"{phrase} checked, but no requirement that can fail cites it"
    if not stated and (clause.reason is not None or clause.used_by):
        return "has no status and so is checked, which has no `reason` and no `used-by`"
    if clause.status == "attested" and clause.clause not in attested:
        return "has the status attested, but no attestation cites it"
    if clause.status not in ("checked", "attested") and clause.reason is None:
        return f"is {clause.status}: `reason` must state why nothing checks it"
    if clause.status in ("informative", "external") and clause.clause in cited:
        return f"is {clause.status}, but {cited[clause.clause]} cites it"
    return None


@error(_CODE)
def find_wrong_list(context: CheckContext, document: Document, here: DataPath) -> Mistakes:
    """Find a list of names that ends before it begins, or has a name twice."""
    for name, listed in document.lists.items():
        if listed.from_ is not None and listed.until is not None and listed.until < listed.from_:
            yield ("lists", name, "until"), f"the list {name} ends before it begins"
        for item, count in Counter(listed.items).items():
            if count > 1:
                yield ("lists", name, "items"), f"the list {name} has {item} {count} times"


@error(_CODE)
def find_adopted_alternative(context: CheckContext, reading: Reading, here: DataPath) -> Mistakes:
    """Find a reading that lists the adopted option as an alternative too."""
    if reading.adopted in reading.alternatives:
        yield (*here, "alternatives", reading.adopted), f"`{reading.adopted}` is the option adopted"


@error(_CODE)
def find_foreign_game(context: CheckContext, game: Game, here: DataPath) -> Mistakes:
    """Find a game with another id than its document."""
    if game.game != context.regulation.id:
        yield ("game",), f"the game must have the id of its document, {context.regulation.id}"


@error(_CODE)
def find_payment_error(context: CheckContext, game: Game, here: DataPath) -> Mistakes:
    """Find settlement, pay tables, scales or pots that contradict each other or leave something open."""
    yield from money_problems.find_payout_problems(context.regulation, game)
    yield from money_problems.find_pot_problems(context.regulation, game)


@error(_CODE)
def find_dealing_error(context: CheckContext, game: Game, here: DataPath) -> Mistakes:
    """Find a deal that gives a place another number of cards than its hands, drawings or discards need."""
    yield from procedure_problems.find_dealing_problems(game)
    yield from procedure_problems.find_hand_problems(context.regulation, game)
    dealt = game.deal.cards.get("player", 0)
    for name, decision in game.decisions.items():
        if decision.discards is not None and decision.discards.at_most > dealt:
            yield ("decisions", name, "discards", "at-most"), f"no seat has more than {dealt} cards to discard"
    yield from procedure_problems.find_drawing_problems(context.regulation, game)


@error(_CODE)
def find_procedure_error(context: CheckContext, game: Game, here: DataPath) -> Mistakes:
    """Find steps of a round that contradict each other."""
    yield from procedure_problems.find_step_problems(game)


@error(_CODE)
def find_betting_error(context: CheckContext, game: Game, here: DataPath) -> Mistakes:
    """Find positions, betting rounds and decisions that contradict each other, or depend on their own result."""
    yield from money_problems.find_betting_problems(game)


@error(_CODE)
def find_wrong_grain(context: CheckContext, part: ClosedModel, here: DataPath) -> Mistakes:
    """Find a condition about each seat, stake or event that something coarser uses."""
    if context.regulation.game is not None:
        remedy = "change `each`, or write a condition on seats inside `some-seat` or `every-seat`"
        for path, message in find_grain_problems(context.regulation.game, part, here):
            yield path, message, remedy


@error(_CODE)
def find_requirement_error(context: CheckContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a requirement that lacks a severity, has a reserved or repeated name, or does not fit its game."""
    for path, message in _check_requirement(context.regulation, requirement):
        yield (*here, *path), message


def _check_requirement(regulation: Regulation, requirement: Requirement) -> Iterator[Problem]:
    operator = requirement.check.operator
    if requirement.severity_ is None:
        yield (), "it has no severity: add `severity` here, or at the head of the file for all requirements"
    if [other.requirement for other in regulation.requirements].count(requirement.requirement) > 1:
        yield ("requirement",), f"requirement {requirement.requirement} is listed more than once"
    if requirement.requirement == STATED_ODDS_REQUIREMENT:
        yield (
            ("requirement",),
            f"{STATED_ODDS_REQUIREMENT} is reserved for the odds that submissions state: use another name",
        )
    game = regulation.game
    if game is None:
        if requirement.evidence in (Evidence.ROUND, Evidence.SESSION):
            yield ("check",), "rounds can only be judged if the document has a game"
        return
    check = requirement.check.operand
    here: DataPath = ("check", operator)
    match operator:
        case "rule":
            yield from procedure_problems.find_evident_in_must(check.must, (*here, "must"))
            if check.of is not None and check.each != "event":
                yield (*here, "each"), "`of` names the step whose events are judged: it requires `each: event`"
            if check.of is None and check.each == "event":
                yield (*here, "each"), "`each: event` requires `of`: the name of the step whose events are judged"
        case "sequence":
            yield from _check_sequence_order(game, check.steps, (*here, "steps"))
        case "order":
            yield from find_milestone_problems(regulation, game, requirement, here)
        case "awarded" if game.pots is None:
            yield here, "the game has no pots"
        case "drawn-by":
            yield from procedure_problems.find_drawn_by_problems(game, check, here)
        case "every" | "succession" | "needed":
            yield from find_session_problems(game, check, here)
        case "pay-tables":
            for index, name in enumerate(check.one_of):
                if game.pay_tables[name].of != check.of:
                    yield (*here, "one-of", index), f"{name} is no pay table of {check.of}"
    yield from find_fault_problems(game, requirement)


def _check_sequence_order(game: Game, steps: Sequence[object], here: DataPath) -> Iterator[Problem]:
    """Yield steps of a sequence whose first occurrence contradicts the order of play."""
    acts = list(game.acts)
    first: dict[str, int] = {}
    for index, step in enumerate(steps):
        if isinstance(step, SequenceStep) and step.step in acts:
            first.setdefault(step.step, index)
    places = [(index, acts.index(name)) for name, index in first.items()]
    for (_, before), (index, after) in pairwise(places):
        if after < before:
            yield (
                (*here, index),
                f"the game is played in the other order: {acts[after]} before {acts[before]}",
            )


LOADING_CHECKS = list_checks(sys.modules[__name__])
"""Checks that a regulation must pass before anything can use it, and that of the vocabulary, which documents share."""
