"""What the words of a requirement mean: the facts, steps and hands of the game that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from pydantic import BaseModel

from validator.audit.rule_text.money import cases_asked, decided_before, tables_of
from validator.audit.rule_text.sentences import Sentence, conditions, named
from validator.engine.compiled.game import Prepared
from validator.engine.compiled.ladders import ranking_of
from validator.language.wording import spaced
from validator.rules.core.references import references
from validator.rules.core.titles import title_of
from validator.rules.model.course import Course
from validator.rules.model.game import Hand, Step
from validator.rules.model.requirement import Requirement


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
                model, lines = found
                meaning = tuple(lines)
                waiting.append(model)
                told = " ".join((told, *(one.text for one in meaning)))
                yield Term(kind=kind, name=name, meaning=meaning)


def _called(prepared: Prepared, kind: str, name: str) -> str:
    """What sentences call a thing of the game; nothing, where they do not name it."""
    if kind == "fact":
        return spaced(name)
    if kind == "step" and name in prepared.steps:
        return prepared.steps[name].title
    return prepared.game.hands[name].title if kind == "hand" and name in prepared.game.hands else ""


def _told_of(model: BaseModel) -> BaseModel:
    """A thing of the game as it is told: without requirements that are stated with it."""
    return model.model_copy(update={"requirements": []}) if isinstance(model, (Step, Course)) else model


def _meaning(prepared: Prepared, kind: str, name: str) -> tuple[BaseModel, Iterator[Sentence]] | None:
    game = prepared.game
    if kind == "fact" and name in game.facts:
        return game.facts[name], conditions(prepared, name.replace("-", " "), game.facts[name])
    if kind == "step" and name in prepared.steps:
        return prepared.steps[name], _step(prepared, prepared.steps[name])
    if kind == "hand" and name in game.hands:
        return game.hands[name], _hand(prepared, game.hands[name])
    if kind == "case":
        return next((one, iter(())) for one in game.settlement.cases if one.case == name)
    if kind == "course":
        return game.courses[name], iter(())
    return None


def _step(prepared: Prepared, step: Step) -> Iterator[Sentence]:
    told = [f"recorded as {' or '.join(f'`{kind}`' for kind in step.events)}"]
    if step.of:
        told.append(f"on {' or '.join(title_of(prepared.game, line) for line in step.of)}")
    if step.place:
        told.append(f"at the place `{step.place}`")
    if step.decisions:
        told.append(f"by the decision {' or '.join(step.decisions)}")
    if step.said_again:
        told.append("as the decision of the seat before it")
    what = [step.what] if step.what else step.what_is or []
    if what:
        told.append(f"of {' or '.join(f'`{one}`' for one in what)}")
    if step.face:
        told.append(f"face {step.face}")
    if step.deck:
        told.append(f"of {'the deck in play' if step.deck == 'in-play' else 'a deck that is not in play'}")
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
        told.append(f"once this has happened, that itself left out: “{prepared.steps[once].title}”")
    elif step.but:
        told.append(f"but not what is {named([f'“{prepared.steps[one].title}”' for one in step.but], 'or')}")
    head = f"{step.title}: {', '.join(told)}"
    if step.when is None or once is not None:
        yield Sentence(head)
    else:
        yield from conditions(prepared, f"{head}, where", step.when)


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


_BOUNDS = {"equals": "", "differs-from": "other than ", "at-least": "at least ", "at-most": "at most "}


def _hand(prepared: Prepared, hand: Hand) -> Iterator[Sentence]:
    cards = {"dealt": "as dealt", "held": "as held in the end", "open": "as far as they lie open"}[hand.cards]
    uses = ", ".join(f"{count} of {place}" for place, count in (hand.uses or {}).items())
    of = f"exactly {uses}" if uses else f"the best of {hand.best_of}" if hand.best_of else "all of them"
    places = " and ".join(hand.from_)
    name = ranking_of(prepared.regulation, hand)
    yield Sentence(f"{hand.title}: cards of {places}, {cards}; {of}, ranked by {spaced(name)}")
    ranking = prepared.regulation.vocabulary.rankings[name]
    best = "best first" if getattr(ranking, "wins", "highest") == "highest" else "best last"
    yield Sentence(f"{spaced(name)}, {best}: {', '.join(spaced(one.category) for one in ranking.categories)}", 1)
