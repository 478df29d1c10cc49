"""Rules that contradict each other or lead nowhere, though every name in them is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pydantic import BaseModel

from validator.cards.models import Ranking
from validator.rulebook.asked import Problem, asked
from validator.rulebook.grain import grain_of_place
from validator.rulebook.language.conditions import Condition, EventHas, Holds, ReadingIs
from validator.rulebook.language.document import Document, ReadingFile
from validator.rulebook.language.game import Game
from validator.rulebook.language.requirement import Requirement, RequirementFile, SequenceStep
from validator.rulebook.money_sense import senseless_money
from validator.rulebook.regulation import Regulation
from validator.rulebook.sense_drawing import asked_by_drawing, check_problems, drawing_problems
from validator.text.diagnostics import Diagnostic
from validator.text.model import Closed, hyphenated
from validator.text.tree import Path, Tree
from validator.verdicts import Evidence

_EVIDENCE_OF_CHECK = {
    "submitted": Evidence.SUBMISSION,
    "pay-tables": Evidence.SUBMISSION,
    "attested": Evidence.ATTESTATION,
}


def nonsense(regulation: Regulation, files: Sequence[tuple[Tree, Closed]]) -> Iterator[Diagnostic]:
    """A diagnostic for everything in the files of a regulation that cannot be meant."""
    for tree, model in files:
        for path, message in _problems(regulation, model):
            yield tree.diagnostic(path, "no-sense", message)
        if isinstance(model, Game) and any(True for _ in _cycles(model)):
            return  # whatever asks for such a fact would never come to an end


def _problems(regulation: Regulation, model: Closed) -> Iterator[Problem]:
    yield from _readings(regulation, model, ())
    match model:
        case Document():
            yield from _document(regulation, model)
            yield from _lists(model)
        case ReadingFile():
            yield from _adopted(model)
        case Game():
            yield from _cycles(model)
            yield from _game(regulation, model)
        case RequirementFile():
            for index, requirement in enumerate(model.requirements):
                for path, message in _requirement(regulation, requirement):
                    yield ("requirements", index, *path), message


def _document(regulation: Regulation, document: Document) -> Iterator[Problem]:
    cited = {label: one for one in regulation.requirements for label in one.clauses}
    attested = {label for one in regulation.requirements if one.check.operator == "attested" for label in one.clauses}
    judged = {label for one in regulation.requirements if one.check.operator != "attested" for label in one.clauses}
    for label, count in Counter(clause.clause for clause in document.clauses).items():
        if count > 1:
            yield ("clauses",), f"clause {label} is listed {count} times"
    for index, clause in enumerate(document.clauses):
        here: Path = ("clauses", index, "status")
        if clause.status == "checked" and clause.clause not in judged:
            yield (
                here,
                f"clause {clause.clause} is said to be checked, but no requirement that can fail cites it",
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
        if reading.adopted not in [option.option for option in reading.options]:
            yield ("readings", index, "adopted"), f"`{reading.adopted}` is not one of the options"
    for name, count in Counter(reading.reading for reading in file.readings).items():
        if count > 1:
            yield ("readings",), f"reading {name} is listed {count} times"


def _cycles(game: Game) -> Iterator[Problem]:
    uses = {name: set(_facts_in(condition)) for name, condition in game.facts.items()}
    for name, used in uses.items():
        seen: set[str] = set()
        waiting = set(used)
        while waiting:
            fact = waiting.pop()
            if fact not in seen:
                seen.add(fact)
                waiting |= uses.get(fact, set())
        if name in seen:
            yield ("facts", name), f"fact {name} is defined by itself"
            return


def _facts_in(model: BaseModel) -> Iterator[str]:
    for _, found in _walk(model, ()):
        if isinstance(found, Condition) and found.operator == "fact":
            yield found.operand


def _game(regulation: Regulation, game: Game) -> Iterator[Problem]:
    if any(True for _ in _cycles(game)):
        return
    if game.game != regulation.id:
        yield ("game",), f"the game must bear the id of its document, {regulation.id}"
    yield from senseless_money(regulation, game)
    yield from _dealing(game)
    yield from _hands(regulation, game)
    for index, step in enumerate(game.procedure):
        yield from asked(step.when, "round" if step.each == "round" else "seat", game, ("procedure", index, "when"))
    for name, wager in game.wagers.items():
        yield from asked(wager.needs, "seat", game, ("wagers", name, "needs"))
        yield from asked(wager.tip, "seat", game, ("wagers", name, "tip"))
    for name, decision in game.decisions.items():
        yield from asked(decision.open_to, "seat", game, ("decisions", name, "open-to"))
    for condition, grain, place in asked_by_drawing(game):
        yield from asked(condition, grain, game, place)
    yield from drawing_problems(regulation, game)
    yield from _ranked(regulation, game, game)


def _dealing(game: Game) -> Iterator[Problem]:
    """Every way of dealing must come to the number of cards that each place is to hold."""
    dealt = game.deal.cards
    for place in game.deal.held:
        if place not in dealt:
            yield ("deal", "held", place), f"the {place} is dealt no cards"
    for name, way in game.deal.ways.items():
        here: Path = ("deal", "ways", name, "passes")
        for index, one in enumerate(way.passes):
            if one.kept is not None and max(one.kept) > one.each:
                yield (*here, index, "kept"), f"a packet of {one.each} has no card {max(one.kept)}"
            elif one.kept is not None and len(set(one.kept)) < len(one.kept):
                yield (*here, index, "kept"), "names a card twice"
        kept = way.kept()
        held: dict[str, int] = {place: count for place, count in dealt.items()}
        held["burn"] = kept.get("burn", 0)
        for served in dict.fromkeys([*held, *kept]):
            if kept.get(served, 0) != held.get(served, 0):
                yield here, f"comes to {kept.get(served, 0)} cards for the {served}, not to {held.get(served, 0)}"


def _hands(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Every hand must have enough cards for its rankings."""
    dealt = game.deal.cards
    for name, hand in game.hands.items():
        here: Path = ("hands", name)
        absent = [place for place in hand.from_ if place not in dealt]
        if absent:
            yield (*here, "from"), f"the {absent[0]} is dealt no cards"
            continue
        thinned = [
            place
            for place in hand.from_
            if any(way.dealt().get(place) != way.kept().get(place) for way in game.deal.ways.values())
        ]
        if hand.cards == "dealt" and thinned:
            yield (*here, "cards"), f"the {thinned[0]} discards when cards are dealt, so this hand is of cards `held`"
        full = {**dealt, **game.deal.held} if hand.cards == "held" else dealt
        held = sum(full[place] for place in hand.from_)
        for ranking in (hand.rank_by, *(other.rank_by for other in hand.otherwise)):
            fewest, most = regulation.vocabulary.rankings[ranking].sizes()
            if not fewest <= held <= most:
                wanted = fewest if held < fewest else most
                yield here, f"{ranking} ranks {wanted} cards, but this hand holds {held}"


def _requirement(regulation: Regulation, requirement: Requirement) -> Iterator[Problem]:
    operator = requirement.check.operator
    if requirement.evidence is not _EVIDENCE_OF_CHECK.get(operator, Evidence.ROUND):
        yield ("evidence",), f"a check `{operator}` is not judged on {requirement.evidence.value} evidence"
    if [one.requirement for one in regulation.requirements].count(requirement.requirement) > 1:
        yield ("requirement",), f"requirement {requirement.requirement} is listed more than once"
    game = regulation.game
    if game is None:
        if requirement.evidence is Evidence.ROUND:
            yield ("check",), "rounds can only be judged where the document has a game"
        return
    check = requirement.check.operand
    here: Path = ("check", operator)
    match operator:
        case "rule":
            yield from asked(check.when, check.each, game, (*here, "when"))
            yield from asked(check.must, check.each, game, (*here, "must"))
            if (check.of is not None) != (check.each == "event"):
                yield (
                    here,
                    "`of` names the step whose events are judged: it goes with `each: event` and nothing else",
                )
        case "sequence":
            yield from asked(check.when, check.per, game, (*here, "when"))
            yield from _course(game, check.steps, (*here, "steps"))
        case "drawn-by":
            yield from asked(check.when, grain_of_place(game.drawing[check.drawing].place), game, (*here, "when"))
            yield from check_problems(game, check, here)
        case "dealt" | "in-turn":
            yield from asked(check.when, "round", game, (*here, "when"))
        case "pay-tables":
            for index, name in enumerate(check.one_of):
                if game.pay_tables[name].for_ != check.for_:
                    yield (*here, "one-of", index), f"{name} is no pay table of {check.for_}"
    yield from _ranked(regulation, game, requirement)


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


def _ranked(regulation: Regulation, game: Game, model: BaseModel) -> Iterator[Problem]:
    """What is asked of hands must be something that their rankings can say."""
    for path, found in _walk(model, ()):
        if isinstance(found, Holds):
            yield from _category(regulation, game, found, path)
        elif isinstance(found, EventHas) and found.arranged_as is not None:
            hand = game.hands[found.arranged_as]
            for name in (hand.rank_by, *(other.rank_by for other in hand.otherwise)):
                if not isinstance(regulation.vocabulary.rankings[name], Ranking):
                    yield (*path, "arranged-as"), f"{name}, which ranks {found.arranged_as}, lays down no arrangement"


def _category(regulation: Regulation, game: Game, holds: Holds, here: Path) -> Iterator[Problem]:
    hand = game.hands[holds.hand]
    for name in (hand.rank_by, *(other.rank_by for other in hand.otherwise)):
        if holds.operand not in regulation.vocabulary.rankings[name].names():
            yield here, f"{holds.operand} is not a category of {name}, which ranks {holds.hand}"


def _readings(regulation: Regulation, model: BaseModel, here: Path) -> Iterator[Problem]:
    for path, found in _walk(model, here):
        if isinstance(found, ReadingIs):
            options = [option.option for option in regulation.readings[found.name].options]
            if found.is_ not in options:
                yield (
                    (*path, "is"),
                    f"the reading {found.name} has no option {found.is_}, only {', '.join(options)}",
                )


def _walk(model: BaseModel, here: Path) -> Iterator[tuple[Path, BaseModel]]:
    """A model and every model within it, each with its place in the file."""
    yield here, model
    for field in type(model).model_fields:
        if field in model.model_fields_set:
            yield from _walk_value(getattr(model, field), (*here, hyphenated(field)))


def _walk_value(value: object, here: Path) -> Iterator[tuple[Path, BaseModel]]:
    if isinstance(value, BaseModel):
        yield from _walk(value, here)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk_value(item, (*here, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _walk_value(item, (*here, key))
