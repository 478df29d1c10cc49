"""Semantic errors of a regulation: rules that contradict each other or lead nowhere, though every name is defined.

A regulation with such an error is not loaded. All of these checks have one code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pydantic import BaseModel

from fairdeal.validator.cards.ranking import find_impossible_marks
from fairdeal.validator.cards.ranking_models import Ranking, RankingsFile
from fairdeal.validator.engine.core.operator_interface import Problem
from fairdeal.validator.language.grammar import ReadingIs, walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rulebook.lint import money_problems, procedure_problems, requirement_problems, rule_check
from fairdeal.validator.rulebook.lint.dependencies import find_check_grain_problems, list_grain_problems
from fairdeal.validator.rulebook.lint.milestone_problems import find_milestone_problems
from fairdeal.validator.rulebook.vocabulary.pattern_model import PatternsFile
from fairdeal.validator.rulebook.vocabulary.submission_places import find_place_problems
from fairdeal.validator.rules.document_model import Clause, Document, Reading
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import STATED_ODDS_REQUIREMENT, Regulation
from fairdeal.validator.rules.requirement_model import Requirement, RequirementFile, SequenceStep
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import DataPath


def find_semantic_errors(regulation: Regulation, files: Sequence[rule_check.CheckedFile]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every semantic error in the files of a regulation."""
    yield from rule_check.run_checks(LOADING_CHECKS, rule_check.CheckContext(regulation), files)


class PatternError(rule_check.RuleCheck[PatternsFile, Any]):
    """A pattern misuses a parameter, contains a number of its own or makes no valid check.

    Every document can use a pattern, so it contains nothing that only one text states.
    """

    code = "semantic-error"
    shows_key = False
    on = PatternsFile

    def find(self, context: object, part: PatternsFile, here: DataPath) -> Iterator[rule_check.RuleMistake]:
        """Yield the problems of the patterns of a vocabulary, which needs no regulation."""
        for path, message in requirement_problems.find_pattern_problems(part):
            yield rule_check.RuleMistake(path=path, message=message)


class ImpossibleMark(rule_check.SemanticError[RankingsFile]):
    """A ranking names a hand by marks that no hand has. Such a ranking cannot be compiled."""

    on = RankingsFile
    is_guard = True

    def find_problems(self, regulation: Regulation, part: RankingsFile, here: DataPath) -> Iterator[Problem]:
        for name, ranking in part.rankings.items():
            if isinstance(ranking, Ranking):
                for mark, why in find_impossible_marks(ranking).items():
                    yield (*here, "rankings", name, "marks", mark), why


class DependencyCycle(rule_check.SemanticError[Game]):
    """A fact or step depends on itself, directly or through others. Its evaluation would never end."""

    on = Game
    is_guard = True

    def find_problems(self, regulation: Regulation, part: Game, here: DataPath) -> Iterator[Problem]:
        uses = {("facts", name): set(_list_dependencies(condition)) for name, condition in part.facts.items()}
        for step in part.procedure:
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
                    at = next(index for index, step in enumerate(part.procedure) if step.step == name)
                    yield ("procedure", at, "when"), f"step {name} is defined by itself"
                return


def _list_dependencies(model: BaseModel) -> Iterator[tuple[str, str]]:
    """Yield the facts and steps that a condition depends on, as section and name."""
    for _, part in walk_models(model, ()):
        if isinstance(part, Condition | Quantity):
            yield from (("facts", fact) for fact in OPERATORS.find(part).list_facts(part.operand))
            yield from (("procedure", step) for step in OPERATORS.find(part).list_steps(part.operand))


class UnknownOption(rule_check.SemanticError[ReadingIs]):
    """A condition depends on an option that its reading does not have."""

    on = ReadingIs

    def find_problems(self, regulation: Regulation, part: ReadingIs, here: DataPath) -> Iterator[Problem]:
        options = regulation.readings[part.name].options
        if part.is_ not in options:
            yield (*here, "is"), f"the reading {part.name} has no option {part.is_}, only {', '.join(options)}"


class UnsuitablePlace(rule_check.SemanticError[rule_check.CheckedFile]):
    """A condition on submissions compares a place with a value that the place never has."""

    on = rule_check.CheckedFile

    def find_problems(self, regulation: Regulation, part: rule_check.CheckedFile, here: DataPath) -> Iterator[Problem]:
        if part.model is not None:
            yield from find_place_problems(part.model, here)


class MisplacedPreviousRound(rule_check.SemanticError[rule_check.CheckedFile]):
    """A condition reads the previous round outside a check that compares rounds."""

    on = rule_check.CheckedFile

    def find_problems(self, regulation: Regulation, part: rule_check.CheckedFile, here: DataPath) -> Iterator[Problem]:
        if part.model is not None:
            yield from requirement_problems.find_previous_round_problems(list(walk_models(part.model, here)))


class UnsuitableOperand(rule_check.SemanticError[Condition | Quantity]):
    """An operator has an operand that cannot be meant. Each operator decides that itself."""

    on = (Condition, Quantity)
    needs_game = True

    def find_problems(self, regulation: Regulation, part: Condition | Quantity, here: DataPath) -> Iterator[Problem]:
        game, path = regulation.game, (*here, part.operator)
        if game is not None:
            yield from OPERATORS.find(part).find_problems(regulation, game, part.operand, path)


class WrongClauseStatus(rule_check.SemanticError[Document]):
    """The status of a clause contradicts the requirements that cite it, or its lines are not in order."""

    on = Document

    def find_problems(self, regulation: Regulation, part: Document, here: DataPath) -> Iterator[Problem]:
        cited: dict[str, str] = {}
        attested: set[str] = set()
        judged: set[str] = set()
        for requirement in regulation.requirements:
            cited |= dict.fromkeys(requirement.clauses, requirement.requirement)
            (attested if requirement.check.operator == "attested" else judged).update(requirement.clauses)
        for index, clause in enumerate(part.clauses):
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


class WrongList(rule_check.SemanticError[Document]):
    """A list of names ends before it begins, or has a name twice."""

    on = Document

    def find_problems(self, regulation: Regulation, part: Document, here: DataPath) -> Iterator[Problem]:
        for name, listed in part.lists.items():
            if listed.from_ is not None and listed.until is not None and listed.until < listed.from_:
                yield ("lists", name, "until"), f"the list {name} ends before it begins"
            for item, count in Counter(listed.items).items():
                if count > 1:
                    yield ("lists", name, "items"), f"the list {name} has {item} {count} times"


class AdoptedAlternative(rule_check.SemanticError[Reading]):
    """A reading lists the adopted option as an alternative too."""

    on = Reading

    def find_problems(self, regulation: Regulation, part: Reading, here: DataPath) -> Iterator[Problem]:
        if part.adopted in part.alternatives:
            yield (*here, "alternatives", part.adopted), f"`{part.adopted}` is the option adopted"


class ForeignGame(rule_check.SemanticError[Game]):
    """The game has another id than its document."""

    on = Game

    def find_problems(self, regulation: Regulation, part: Game, here: DataPath) -> Iterator[Problem]:
        if part.game != regulation.id:
            yield ("game",), f"the game must have the id of its document, {regulation.id}"


class PaymentError(rule_check.SemanticError[Game]):
    """Settlement, pay tables, scales or pots contradict each other or leave something open."""

    on = Game

    def find_problems(self, regulation: Regulation, part: Game, here: DataPath) -> Iterator[Problem]:
        yield from money_problems.find_payout_problems(regulation, part)
        yield from money_problems.find_pot_problems(regulation, part)


class DealingError(rule_check.SemanticError[Game]):
    """The deal gives a place another number of cards than its hands, drawings or discards need."""

    on = Game

    def find_problems(self, regulation: Regulation, part: Game, here: DataPath) -> Iterator[Problem]:
        yield from procedure_problems.find_dealing_problems(part)
        yield from procedure_problems.find_hand_problems(regulation, part)
        dealt = part.deal.cards.get("player", 0)
        for name, decision in part.decisions.items():
            if decision.discards is not None and decision.discards.most > dealt:
                yield ("decisions", name, "discards", "most"), f"no seat has more than {dealt} cards to discard"
        yield from procedure_problems.find_drawing_problems(regulation, part)


class ProcedureError(rule_check.SemanticError[Game]):
    """Steps and courses of a round contradict each other, or no requirement checks their order."""

    on = Game

    def find_problems(self, regulation: Regulation, part: Game, here: DataPath) -> Iterator[Problem]:
        yield from procedure_problems.find_step_problems(part)
        yield from procedure_problems.find_course_problems(regulation, part)
        if part.milestones and part.courses:
            yield ("courses",), "a game has milestones or courses, not both"


class BettingError(rule_check.SemanticError[Game]):
    """Positions, betting rounds and decisions contradict each other, or depend on their own result."""

    on = Game

    def find_problems(self, regulation: Regulation, part: Game, here: DataPath) -> Iterator[Problem]:
        yield from money_problems.find_betting_problems(part)


class WrongGrain(rule_check.SemanticError[Game]):
    """A condition of the game is about each seat, stake or event, but something coarser uses it."""

    on = Game

    def find_problems(self, regulation: Regulation, part: Game, here: DataPath) -> Iterator[Problem]:
        yield from list_grain_problems(part)


class RequirementError(rule_check.SemanticError[RequirementFile]):
    """A requirement lacks a severity, has a reserved or repeated name, or does not fit its game."""

    on = RequirementFile

    def find_problems(self, regulation: Regulation, part: RequirementFile, here: DataPath) -> Iterator[Problem]:
        for index, requirement in enumerate(part.requirements):
            for path, message in _check_requirement(regulation, requirement):
                yield (*here, "requirements", index, *path), message


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
            yield from procedure_problems.find_evident_in_must(check.must, (*here, "must"))
            if (check.of is not None) != (check.each == "event"):
                yield (
                    here,
                    "`of` names the step whose events are judged: it requires `each: event`",
                )
        case "sequence":
            yield from _check_sequence_order(game, check.steps, (*here, "steps"))
        case "order":
            yield from find_milestone_problems(regulation, game, requirement, here)
        case "order":
            yield from find_milestone_problems(regulation, game, requirement, here)
        case "phase":
            yield from procedure_problems.find_phase_problems(regulation, game, check, here)
        case "awarded" if game.pots is None:
            yield here, "the game has no pots"
        case "drawn-by":
            yield from procedure_problems.find_drawn_by_problems(game, check, here)
        case "every" | "succession" | "needed":
            yield from requirement_problems.find_session_problems(game, check, here)
        case "pay-tables":
            for index, name in enumerate(check.one_of):
                if game.pay_tables[name].for_ != check.for_:
                    yield (*here, "one-of", index), f"{name} is no pay table of {check.for_}"
    yield from requirement_problems.find_fault_problems(game, requirement)


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


VOCABULARY_CHECKS = (PatternError,)
"""Checks of the vocabulary, which documents share."""
LOADING_CHECKS = (
    ImpossibleMark,
    DependencyCycle,
    UnknownOption,
    UnsuitablePlace,
    MisplacedPreviousRound,
    UnsuitableOperand,
    WrongClauseStatus,
    WrongList,
    AdoptedAlternative,
    ForeignGame,
    PaymentError,
    DealingError,
    ProcedureError,
    BettingError,
    WrongGrain,
    RequirementError,
)
"""Checks that a regulation must pass before anything can use it."""
