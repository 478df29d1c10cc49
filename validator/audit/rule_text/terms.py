"""What the words of a requirement mean: the facts, steps and hands of the game that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from pydantic import BaseModel

from validator.audit.rule_text.money import cases_asked, decided_before, tables_of
from validator.audit.rule_text.sentences import Sentence, conditions, listed, where
from validator.engine.compiled.game import Prepared
from validator.engine.compiled.ladders import ranking_of
from validator.language.conditions import ANYTHING, NOTHING
from validator.language.wording import demanded, named, spaced
from validator.rules.core.references import references
from validator.rules.core.titles import title_of
from validator.rules.model.course import Course
from validator.rules.model.game import Hand, Step
from validator.rules.model.requirement import Requirement
from validator.rules.model.table import Position


class Term(Struct, frozen=True, kw_only=True):
    """A thing of the game that a requirement names: of which kind, its name in rule files, and what it means."""

    kind: str
    name: str
    meaning: tuple[Sentence, ...]


def terms_of(prepared: Prepared, requirement: Requirement, asks: Sequence[Sentence]) -> Iterator[Term]:
    """Things of the game that a check names, itself or by way of others, in the order in which they come up, as far as
    what it `asks`, or the meaning of another, speaks of them."""
    told = " ".join(one.text for one in asks)
    seen: set[tuple[str, str]] = set()
    check = requirement.check
    waiting: list[BaseModel] = [check]
    if check.operator == "settled":
        asked = cases_asked(prepared, check.operand)
        waiting = [
            *asked,
            *(two for one in asked for two in decided_before(prepared, one)),
            *tables_of(prepared, asked),
        ]
    of_few_steps = check.operator == "phase" and check.operand.of  # the other phases are told, and not all in them
    while waiting:
        for _, kind, name in references(_told_of(waiting.pop(0)), ()):
            if (kind, name) in seen or (kind == "course" and of_few_steps) or _called(prepared, kind, name) not in told:
                continue
            seen.add((kind, name))
            found = _meaning(prepared, kind, name)
            if found is not None:
                models, lines = found
                meaning = tuple(lines)
                waiting += models
                told = " ".join((told, *(one.text for one in meaning)))
                yield Term(kind=kind, name=name, meaning=meaning)


def _called(prepared: Prepared, kind: str, name: str) -> str:
    """What sentences call a thing of the game; nothing, where they do not name it."""
    if kind in ("fact", "position"):
        return spaced(name)
    if kind == "step" and name in prepared.steps:
        return prepared.steps[name].title
    return prepared.game.hands[name].title if kind == "hand" and name in prepared.game.hands else ""


def _told_of(model: BaseModel) -> BaseModel:
    """A thing of the game as it is told: without requirements that are stated with it."""
    return model.model_copy(update={"requirements": []}) if isinstance(model, (Step, Course)) else model


def _meaning(prepared: Prepared, kind: str, name: str) -> tuple[Sequence[BaseModel], Iterator[Sentence]] | None:
    game = prepared.game
    if kind == "fact" and name in game.facts:
        return [game.facts[name]], conditions(prepared, name.replace("-", " "), game.facts[name])
    if kind == "step" and name in prepared.steps:
        return [prepared.steps[name]], _step(prepared, prepared.steps[name])
    if kind == "hand" and name in game.hands:
        return [game.hands[name]], _hand(prepared, game.hands[name])
    if kind == "position" and game.table is not None and name in game.table.positions:
        cases = game.table.positions[name]
        return cases, _position(prepared, name, cases)
    if kind == "case":
        return next(([one], iter(())) for one in game.settlement.cases if one.case == name)
    if kind == "course":
        return [game.courses[name]], iter(())
    return None


def _step(prepared: Prepared, step: Step) -> Iterator[Sentence]:
    told = [f"recorded as {' or '.join(f'`{kind}`' for kind in step.events)}"]
    if step.of:
        told.append(f"on {' or '.join(title_of(prepared.game, line) for line in step.of)}")
    if step.place:
        told.append(f"at the place `{step.place}`")
    if step.decisions:
        told.append(f"by the decision to {' or '.join(_decision(prepared, one) for one in step.decisions)}")
    if step.said_again:
        told.append("as the decision of the seat before it")
    what = [step.what] if step.what else step.what_is or []
    if what:
        told.append(f"of {' or '.join(f'`{one}`' for one in what)}")
    if step.face:
        told.append(f"face {step.face}")
    if step.deck:
        told.append(f"of {'the deck in play' if step.deck == 'in-play' else 'a deck that is not in play'}")
    if step.unnamed_deck:
        told.append("of any deck of several where it names none")
    if step.stage:
        told.append(f"in the stage {step.stage}")
    if step.pot:
        told.append(f"of {'the main pot' if step.pot == 'main' else 'a side pot'}")
    if step.of_seats:
        told.append(f"of {step.of_seats} seats")
    if step.by:
        told.append(f"by the {step.by}")
    if step.stated is not None:
        told.append(f"with a number stated: {_BOUNDS[step.stated.operator]}{step.stated.operand}")
    told += [f"{side} “{prepared.steps[other].title}”" for side, other in _beside(step) if other]
    once = _only_happened(step)
    if once is not None:
        told.append(f"but not what is “{prepared.steps[once].title}”, which has happened as well")
    elif step.but:
        told.append(f"but not what is {named([f'“{prepared.steps[one].title}”' for one in step.but], 'or')}")
    head = f"{step.title}: {', '.join(told)}"
    asked = None if once is not None else [*where(prepared, step.when, f"{head}, where")]
    yield from asked or [Sentence(head)]


def _decision(prepared: Prepared, name: str) -> str:
    known = prepared.game.decisions.get(name)
    return name if known is None else known.title


def _only_happened(step: Step) -> str | None:
    """The step that one is told apart from by having happened, where that is all that is asked of it."""
    when = step.when
    if when is None or when.operator != "number" or len(step.but) != 1:
        return None
    of, bound = when.operand.of, (when.operand.operator, when.operand.operand)
    happened = of.operator == "events" and of.operand == step.but[0]
    at_all = bound[0] == "at-least" and bound[1].operator == "exactly" and bound[1].operand == 1
    return step.but[0] if happened and at_all else None


def _beside(step: Step) -> tuple[tuple[str, str | None], ...]:
    return ("turning down the cards of", step.covers), ("after", step.after), ("before", step.before)


def _position(prepared: Prepared, name: str, cases: Sequence[Position]) -> Iterator[Sentence]:
    asked = [(one, ANYTHING if one.when is None else demanded(prepared, one.when)) for one in cases]
    told = [(_seat(prepared, one), when) for one, when in asked if when != NOTHING]
    parts = [seat if when == ANYTHING else f"{seat}, where {when}" for seat, when in told]
    yield from listed(f"the position “{spaced(name)}”", parts, "the first of these that there is")


def _seat(prepared: Prepared, one: Position) -> str:
    """Where a case of a position says that it is."""
    match one.operator:
        case "at":
            return f"the seat of “{spaced(one.at)}”"
        case "after":
            return f"the next seat clockwise from “{spaced(one.after)}”"
        case "first-with" | "last-with":
            return f"the {one.operator[:-5]} seat with a wager on {title_of(prepared.game, one.operand)}"
        case "best-showing" | "worst-showing":
            return f"the seat whose open cards make the {one.operator[:-8]} hand"
        case _:
            when = "the last betting round" if one.operand == "last-betting-round" else "the whole round of play"
            return f"the last seat that bet or raised in {when}"


_BOUNDS = {"equals": "", "differs-from": "other than ", "at-least": "at least ", "at-most": "at most "}


def _hand(prepared: Prepared, hand: Hand) -> Iterator[Sentence]:
    cards = {"dealt": "as dealt", "held": "as held in the end", "open": "as far as they lie open"}[hand.cards]
    uses = ", ".join(f"{count} of the {place}" for place, count in (hand.uses or {}).items())
    of = f"exactly {uses}" if uses else f"the best of {hand.best_of}" if hand.best_of else "all of them"
    places = named([f"the {place}" for place in hand.from_])
    name = ranking_of(prepared.regulation, hand)
    yield Sentence(f"{hand.title}: cards of {places}, {cards}; {of}, ranked by “{spaced(name)}”")
    ranking = prepared.regulation.vocabulary.rankings[name]
    best = "best first" if getattr(ranking, "wins", "highest") == "highest" else "best last"
    yield Sentence(f"“{spaced(name)}”, {best}: {', '.join(spaced(one.category) for one in ranking.categories)}", 1)
