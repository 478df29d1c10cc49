"""Semantic errors of a regulation: rules that contradict each other or lead nowhere, though every name is defined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pydantic import BaseModel

from fairdeal.validator.cards.ranking import find_impossible_marks
from fairdeal.validator.cards.ranking_models import Ranking, RankingsFile
from fairdeal.validator.engine.core.operator_interface import Problem
from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.language.name_references import PlacedModels, walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rulebook.lint.dependencies import find_check_grain_problems, list_grain_problems
from fairdeal.validator.rulebook.lint.milestone_problems import find_milestone_problems
from fairdeal.validator.rulebook.lint.money_problems import (
    find_betting_problems,
    find_payout_problems,
    find_pot_problems,
)
from fairdeal.validator.rulebook.lint.procedure_problems import (
    find_course_problems,
    find_dealing_problems,
    find_drawing_problems,
    find_drawn_by_problems,
    find_evident_in_must,
    find_hand_problems,
    find_phase_problems,
    find_step_problems,
)
from fairdeal.validator.rulebook.lint.requirement_problems import (
    find_fault_problems,
    find_previous_round_problems,
    find_session_problems,
)
from fairdeal.validator.rulebook.vocabulary.submission_places import find_place_problems
from fairdeal.validator.rules.document_model import Document, ReadingFile
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import STATED_ODDS_REQUIREMENT, Regulation
from fairdeal.validator.rules.requirement_model import Requirement, RequirementFile, SequenceStep
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument


def find_semantic_errors(
    regulation: Regulation, files: Sequence[tuple[PositionedDocument, ClosedModel]]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every semantic error in the files of a regulation."""
    for tree, model in files:
        for path, message in _check_model(regulation, model):
            yield tree.build_diagnostic(path, "semantic-error", message)
        if isinstance(model, Game) and any(True for _ in _find_cycles(model)):
            return  # evaluating such a fact would never end
        if isinstance(model, RankingsFile) and any(True for _ in _check_marks(model)):
            return  # such a ranking cannot be compiled


def _check_model(regulation: Regulation, model: ClosedModel) -> Iterator[Problem]:
    parts = list(walk_models(model, ()))
    yield from _check_options(regulation, parts)
    yield from find_place_problems(model, ())
    yield from find_previous_round_problems(parts)
    match model:
        case RankingsFile():
            yield from _check_marks(model)
        case Document():
            yield from _check_document(regulation, model)
            yield from _check_lists(model)
        case ReadingFile():
            yield from _check_adopted_readings(model)
        case Game():
            cycles = list(_find_cycles(model))
            yield from cycles
            if not cycles:
                yield from _check_game(regulation, model)
                yield from _check_operators(regulation, model, parts)
        case RequirementFile():
            for index, requirement in enumerate(model.requirements):
                for path, message in _check_requirement(regulation, requirement):
                    yield ("requirements", index, *path), message
            if regulation.game is not None:
                yield from _check_operators(regulation, regulation.game, parts)


def _check_marks(file: RankingsFile) -> Iterator[Problem]:
    for name, ranking in file.rankings.items():
        if isinstance(ranking, Ranking):
            for mark, why in find_impossible_marks(ranking).items():
                yield ("rankings", name, "marks", mark), why


def _check_document(regulation: Regulation, document: Document) -> Iterator[Problem]:
    cited = {label: requirement for requirement in regulation.requirements for label in requirement.clauses}
    attested = {
        label
        for requirement in regulation.requirements
        if requirement.check.operator == "attested"
        for label in requirement.clauses
    }
    judged = {
        label
        for requirement in regulation.requirements
        if requirement.check.operator != "attested"
        for label in requirement.clauses
    }
    for index, clause in enumerate(document.clauses):
        if len(clause.lines) > 2 or clause.lines[0] > clause.lines[-1]:
            yield ("clauses", index, "lines"), "must be the first and the last line of the clause, in this order"
        here: DataPath = ("clauses", index, "status")
        stated = "status" in clause.model_fields_set
        if clause.status == "checked" and clause.clause not in judged:
            phrase = "has the status" if stated else "has no status and so is"
            yield here, f"clause {clause.clause} {phrase} checked, but no requirement that can fail cites it"
        elif not stated and (clause.reason is not None or clause.used_by):
            yield (
                here,
                f"clause {clause.clause} has no status and so is checked, which has no `reason` and no `used-by`",
            )
        elif clause.status == "attested" and clause.clause not in attested:
            yield here, f"clause {clause.clause} has the status attested, but no attestation cites it"
        elif clause.status not in ("checked", "attested") and clause.reason is None:
            yield here, f"clause {clause.clause} is {clause.status}: `reason` must state why nothing checks it"
        elif clause.status in ("informative", "external") and clause.clause in cited:
            yield (
                here,
                f"clause {clause.clause} is {clause.status}, but {cited[clause.clause].requirement} cites it",
            )


def _check_lists(document: Document) -> Iterator[Problem]:
    for name, listed in document.lists.items():
        if listed.from_ is not None and listed.until is not None and listed.until < listed.from_:
            yield ("lists", name, "until"), f"the list {name} ends before it begins"
        for item, count in Counter(listed.items).items():
            if count > 1:
                yield ("lists", name, "items"), f"the list {name} has {item} {count} times"


def _check_adopted_readings(file: ReadingFile) -> Iterator[Problem]:
    for index, reading in enumerate(file.readings):
        if reading.adopted in reading.alternatives:
            yield ("readings", index, "alternatives", reading.adopted), f"`{reading.adopted}` is the option adopted"


def _find_cycles(game: Game) -> Iterator[Problem]:
    """Yield facts and steps that depend on themselves, directly or through other facts and steps."""
    uses = {("facts", name): set(_list_dependencies(condition)) for name, condition in game.facts.items()}
    for step in game.procedure:
        dependencies = set() if step.when is None else set(_list_dependencies(step.when))
        uses["procedure", step.step] = dependencies | {("procedure", other) for other in step.but}
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
                at = next(index for index, step in enumerate(game.procedure) if step.step == name)
                yield ("procedure", at, "when"), f"step {name} is defined by itself"
            return


def _list_dependencies(model: BaseModel) -> Iterator[tuple[str, str]]:
    """Yield the facts and steps that a condition depends on, as section and name."""
    for _, part in walk_models(model, ()):
        if isinstance(part, Condition | Quantity):
            yield from (("facts", fact) for fact in OPERATORS.find(part).list_facts(part.operand))
            yield from (("procedure", step) for step in OPERATORS.find(part).list_steps(part.operand))


def _check_game(regulation: Regulation, game: Game) -> Iterator[Problem]:
    if game.game != regulation.id:
        yield ("game",), f"the game must have the id of its document, {regulation.id}"
    yield from find_payout_problems(regulation, game)
    yield from find_pot_problems(regulation, game)
    yield from find_dealing_problems(game)
    yield from find_step_problems(game)
    yield from find_hand_problems(regulation, game)
    yield from find_course_problems(regulation, game)
    if game.milestones and game.courses:
        yield ("courses",), "a game has milestones or courses, not both"
    yield from find_betting_problems(game)
    dealt = game.deal.cards.get("player", 0)
    for name, decision in game.decisions.items():
        if decision.discards is not None and decision.discards.most > dealt:
            yield ("decisions", name, "discards", "most"), f"no seat has more than {dealt} cards to discard"
    yield from list_grain_problems(game)
    yield from find_drawing_problems(regulation, game)


def _check_requirement(regulation: Regulation, requirement: Requirement) -> Iterator[Problem]:
    operator = requirement.check.operator
    if requirement.severity_ is None:
        yield (), "it has no severity: add `severity` here, or at the head of the file for all requirements"
    if requirement.evidence_ not in (None, requirement.evidence):
        yield ("evidence",), f"a check `{operator}` is not judged on {requirement.evidence_.value} evidence"
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
    yield from find_check_grain_problems(requirement.check, game)
    check = requirement.check.operand
    here: DataPath = ("check", operator)
    match operator:
        case "rule":
            yield from find_evident_in_must(check.must, (*here, "must"))
            if (check.of is not None) != (check.each == "event"):
                yield (
                    here,
                    "`of` names the step whose events are judged: it requires `each: event`",
                )
        case "sequence":
            yield from _check_sequence_order(game, check.steps, (*here, "steps"))
        case "order":
            yield from find_milestone_problems(regulation, game, requirement, here)
        case "phase":
            yield from find_phase_problems(regulation, game, check, here)
        case "awarded" if game.pots is None:
            yield here, "the game has no pots"
        case "drawn-by":
            yield from find_drawn_by_problems(game, check, here)
        case "every" | "succession" | "needed":
            yield from find_session_problems(game, check, here)
        case "pay-tables":
            for index, name in enumerate(check.one_of):
                if game.pay_tables[name].for_ != check.for_:
                    yield (*here, "one-of", index), f"{name} is no pay table of {check.for_}"
    yield from find_fault_problems(game, requirement)


def _check_sequence_order(game: Game, steps: Sequence[object], here: DataPath) -> Iterator[Problem]:
    """Yield steps of a sequence whose first occurrence contradicts the order of play."""
    course = [step.step for step in game.procedure if not step.aside]
    first: dict[str, int] = {}
    for index, step in enumerate(steps):
        if isinstance(step, SequenceStep) and step.step in course:
            first.setdefault(step.step, index)
    places = [(index, course.index(name)) for name, index in first.items()]
    for (_, before), (index, after) in pairwise(places):
        if after < before:
            yield (
                (*here, index),
                f"the game is played in the other order: {course[after]} before {course[before]}",
            )


def _check_operators(regulation: Regulation, game: Game, parts: PlacedModels) -> Iterator[Problem]:
    """Yield the problems that operators find in the conditions and quantities of a model."""
    for path, part in parts:
        if isinstance(part, Condition | Quantity):
            yield from OPERATORS.find(part).find_problems(regulation, game, part.operand, (*path, part.operator))


def _check_options(regulation: Regulation, parts: PlacedModels) -> Iterator[Problem]:
    for path, part in parts:
        if isinstance(part, ReadingIs):
            options = regulation.readings[part.name].options
            if part.is_ not in options:
                yield (
                    (*path, "is"),
                    f"the reading {part.name} has no option {part.is_}, only {', '.join(options)}",
                )
