"""Rules that contradict each other or lead nowhere, though every name in them is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pydantic import BaseModel

from validator.cards.model import Ranking, RankingsFile
from validator.cards.ranking import marks_without_a_hand
from validator.language.conditions import Condition, Problem, Quantity
from validator.language.operands import ReadingIs
from validator.results.statuses import Evidence
from validator.rulebook.lint.betting import betting_problems
from validator.rulebook.lint.courses import course_problems, phase_problems
from validator.rulebook.lint.dealing import (
    dealing_problems,
    hand_problems,
    step_problems,
    taken_for_granted,
)
from validator.rulebook.lint.faults import fault_problems
from validator.rulebook.lint.grains_asked import check_grain_problems, grain_problems
from validator.rulebook.lint.keep_rules import check_problems, drawing_problems
from validator.rulebook.lint.payouts import senseless_money
from validator.rulebook.lint.pots import pot_problems
from validator.rulebook.lint.sessions import looking_back, spanning_problems
from validator.rulebook.vocabulary.submission_places import misfits
from validator.rules.core.own_word import STATED_ODDS
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import Parts, walk
from validator.rules.model.document import Document, ReadingFile
from validator.rules.model.game import Game
from validator.rules.model.requirement import Requirement, RequirementFile, SequenceStep
from validator.text.diagnostics import Diagnostic
from validator.text.models.model import Closed
from validator.text.trees.tree import Path, Tree


def nonsense(regulation: Regulation, files: Sequence[tuple[Tree, Closed]]) -> Iterator[Diagnostic]:
    """A diagnostic for everything in the files of a regulation that cannot be meant."""
    for tree, model in files:
        for path, message in _problems(regulation, model):
            yield tree.diagnostic(path, "semantic-error", message)
        if isinstance(model, Game) and any(True for _ in _cycles(model)):
            return  # whatever asks for such a fact would never come to an end
        if isinstance(model, RankingsFile) and any(True for _ in _marks(model)):
            return  # such a ranking cannot be made ready for what looks into it


def _problems(regulation: Regulation, model: Closed) -> Iterator[Problem]:
    parts = list(walk(model, ()))
    yield from _readings(regulation, parts)
    yield from misfits(model, ())
    yield from looking_back(parts)
    match model:
        case RankingsFile():
            yield from _marks(model)
        case Document():
            yield from _document(regulation, model)
            yield from _lists(model)
        case ReadingFile():
            yield from _adopted(model)
        case Game():
            circles = list(_cycles(model))
            yield from circles
            if not circles:
                yield from _game(regulation, model)
                yield from _operators(regulation, model, parts)
        case RequirementFile():
            for index, requirement in enumerate(model.requirements):
                for path, message in _requirement(regulation, requirement):
                    yield ("requirements", index, *path), message
            if regulation.game is not None:
                yield from _operators(regulation, regulation.game, parts)


def _marks(file: RankingsFile) -> Iterator[Problem]:
    for name, ranking in file.rankings.items():
        if isinstance(ranking, Ranking):
            for mark, why in marks_without_a_hand(ranking).items():
                yield ("rankings", name, "marks", mark), why


def _document(regulation: Regulation, document: Document) -> Iterator[Problem]:
    cited = {label: one for one in regulation.requirements for label in one.clauses}
    attested = {label for one in regulation.requirements if one.check.operator == "attested" for label in one.clauses}
    judged = {label for one in regulation.requirements if one.check.operator != "attested" for label in one.clauses}
    for index, clause in enumerate(document.clauses):
        if len(clause.lines) > 2 or clause.lines[0] > clause.lines[-1]:
            yield ("clauses", index, "lines"), "these are the first line of the clause and the last, in this order"
        here: Path = ("clauses", index, "status")
        stated = "status" in clause.model_fields_set
        if clause.status == "checked" and clause.clause not in judged:
            says = "is said to be" if stated else "has no status and so is"
            yield here, f"clause {clause.clause} {says} checked, but no requirement that can fail cites it"
        elif not stated and (clause.reason is not None or clause.used_by):
            yield (
                here,
                f"clause {clause.clause} has no status and so is checked, which has no `reason` and no `used-by`",
            )
        elif clause.status == "attested" and clause.clause not in attested:
            yield here, f"clause {clause.clause} is said to be attested, but no requirement asks for it"
        elif clause.status not in ("checked", "attested") and clause.reason is None:
            yield here, f"clause {clause.clause} is {clause.status}: a reason must say why nothing checks it"
        elif clause.status in ("informative", "external") and clause.clause in cited:
            yield (
                here,
                f"clause {clause.clause} is {clause.status}, but {cited[clause.clause].requirement} cites it",
            )


def _lists(document: Document) -> Iterator[Problem]:
    for name, listed in document.lists.items():
        if listed.from_ is not None and listed.until is not None and listed.until < listed.from_:
            yield ("lists", name, "until"), f"the list {name} ends before it begins"
        for item, count in Counter(listed.items).items():
            if count > 1:
                yield ("lists", name, "items"), f"the list {name} has {item} {count} times"


def _adopted(file: ReadingFile) -> Iterator[Problem]:
    for index, reading in enumerate(file.readings):
        if reading.adopted in reading.alternatives:
            yield ("readings", index, "alternatives", reading.adopted), f"`{reading.adopted}` is the option adopted"


def _cycles(game: Game) -> Iterator[Problem]:
    """A fact or a step that hangs on itself, by its condition or by others that the condition asks for."""
    uses = {("facts", name): set(_asked(condition)) for name, condition in game.facts.items()}
    for step in game.procedure:
        asked = set() if step.when is None else set(_asked(step.when))
        uses["procedure", step.step] = asked | {("procedure", other) for other in step.but}
    for (kind, name), used in uses.items():
        seen: set[tuple[str, str]] = set()
        waiting = set(used)
        while waiting:
            other = waiting.pop()
            if other not in seen:
                seen.add(other)
                waiting |= uses.get(other, set())
        if (kind, name) in seen:
            if kind == "facts":
                yield ("facts", name), f"fact {name} is defined by itself"
            else:
                at = next(index for index, step in enumerate(game.procedure) if step.step == name)
                yield ("procedure", at, "when"), f"step {name} is defined by itself"
            return


def _asked(model: BaseModel) -> Iterator[tuple[str, str]]:
    """The facts that a condition asks for, and the steps whose events it looks at."""
    for _, found in walk(model, ()):
        if isinstance(found, Condition | Quantity):
            yield from (("facts", fact) for fact in found.meaning.facts(found.operand))
            yield from (("procedure", step) for step in found.meaning.steps(found.operand))


def _game(regulation: Regulation, game: Game) -> Iterator[Problem]:
    if game.game != regulation.id:
        yield ("game",), f"the game must bear the id of its document, {regulation.id}"
    yield from senseless_money(regulation, game)
    yield from pot_problems(regulation, game)
    yield from dealing_problems(game)
    yield from step_problems(game)
    yield from hand_problems(regulation, game)
    yield from course_problems(regulation, game)
    yield from betting_problems(game)
    dealt = game.deal.cards.get("player", 0)
    for name, decision in game.decisions.items():
        if decision.discards is not None and decision.discards.most > dealt:
            yield ("decisions", name, "discards", "most"), f"no seat has more than {dealt} cards to put aside"
    yield from grain_problems(game)
    yield from drawing_problems(regulation, game)


def _requirement(regulation: Regulation, requirement: Requirement) -> Iterator[Problem]:
    operator = requirement.check.operator
    if requirement.severity_ is None:
        yield (), "it has no severity: say `severity` here or, for all that stand together, at their head"
    if requirement.evidence_ not in (None, requirement.evidence):
        yield ("evidence",), f"a check `{operator}` is not judged on {requirement.evidence_.value} evidence"
    if [one.requirement for one in regulation.requirements].count(requirement.requirement) > 1:
        yield ("requirement",), f"requirement {requirement.requirement} is listed more than once"
    if requirement.requirement == STATED_ODDS:
        yield ("requirement",), f"{STATED_ODDS} is what submissions are held to by what they state: take another name"
    game = regulation.game
    if game is None:
        if requirement.evidence in (Evidence.ROUND, Evidence.SESSION):
            yield ("check",), "rounds can only be judged where the document has a game"
        return
    yield from check_grain_problems(requirement.check, game)
    check = requirement.check.operand
    here: Path = ("check", operator)
    match operator:
        case "rule":
            yield from taken_for_granted(check.must, (*here, "must"))
            if (check.of is not None) != (check.each == "event"):
                yield (
                    here,
                    "`of` names the step whose events are judged: it goes with `each: event` and nothing else",
                )
        case "sequence":
            yield from _course(game, check.steps, (*here, "steps"))
        case "phase":
            yield from phase_problems(regulation, game, check, here)
        case "awarded" if game.pots is None:
            yield here, "the game has no pots"
        case "drawn-by":
            yield from check_problems(game, check, here)
        case "every" | "succession" | "needed":
            yield from spanning_problems(game, check, here)
        case "pay-tables":
            for index, name in enumerate(check.one_of):
                if game.pay_tables[name].for_ != check.for_:
                    yield (*here, "one-of", index), f"{name} is no pay table of {check.for_}"
    yield from fault_problems(game, requirement)


def _course(game: Game, steps: Sequence[object], here: Path) -> Iterator[Problem]:
    """Steps of a sequence must stand, where each comes up first, in the order in which the game is played."""
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
                f"the game is played the other way round: {course[after]} before {course[before]}",
            )


def _operators(regulation: Regulation, game: Game, parts: Parts) -> Iterator[Problem]:
    """What the conditions and quantities of a model cannot mean."""
    for path, found in parts:
        if isinstance(found, Condition | Quantity):
            yield from found.meaning.problems(regulation, game, found.operand, (*path, found.operator))


def _readings(regulation: Regulation, parts: Parts) -> Iterator[Problem]:
    for path, found in parts:
        if isinstance(found, ReadingIs):
            options = regulation.readings[found.name].options
            if found.is_ not in options:
                yield (
                    (*path, "is"),
                    f"the reading {found.name} has no option {found.is_}, only {', '.join(options)}",
                )
