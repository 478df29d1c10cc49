"""Terms of a game that a check uses, with their definitions, and the corrective actions for failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.audit.wording.sentences import (
    Sentence,
    list_checked_cases,
    list_condition,
    list_earlier_cases,
    list_parts,
    list_pay_tables,
    list_restriction,
)
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.house_terms import find_ranking_name
from fairdeal.validator.language.grammar import iterate_references
from fairdeal.validator.language.submission_conditions import fill_templates, join_names, replace_hyphens
from fairdeal.validator.operators.operator_table import is_about_money
from fairdeal.validator.operators.rule_renderer import read_condition
from fairdeal.validator.rules.betting_model import Position
from fairdeal.validator.rules.check_model import Repeat, RoundCheck, SequenceCheck
from fairdeal.validator.rules.game_model import Act, Game, Hand
from fairdeal.validator.rules.regulation import Regulation, SelfDeclaredRequirement, line_title
from fairdeal.validator.rules.requirement_model import Requirement


class Term(Struct, frozen=True, kw_only=True):
    """Thing of the game that a requirement refers to."""

    kind: str
    """Kind of thing: `fact`, `step`, `hand` and so on."""
    name: str
    """Name in rule files."""
    meaning: tuple[Sentence, ...]
    """Definition."""


def collect_terms(prepared: CompiledGame, requirement: Requirement, asks: Sequence[Sentence]) -> Iterator[Term]:
    """Yield the things of the game that a check refers to, directly or through others, in the order of their mention.

    Only things that occur in the sentences `asks`, or in the definition of another thing, are included.
    """
    text = " ".join(sentence.text for sentence in asks)
    seen: set[tuple[str, str]] = set()
    check = requirement.check
    waiting: list[BaseModel] = [check]
    if check.operator == "settled":
        cases = list_checked_cases(prepared, check.operand)
        waiting = [
            *cases,
            *(earlier for case in cases for earlier in list_earlier_cases(prepared, case)),
            *list_pay_tables(prepared, cases),
        ]
    while waiting:
        for _, kind, name in iterate_references(_without_requirements(waiting.pop(0)), ()):
            if (kind, name) in seen or _name_in_sentences(prepared, kind, name) not in text:
                continue
            seen.add((kind, name))
            definition = _define(prepared, kind, name)
            if definition is not None:
                models, lines = definition
                meaning = tuple(lines)
                waiting += models
                text = " ".join((text, *(sentence.text for sentence in meaning)))
                yield Term(kind=kind, name=name, meaning=meaning)


def _name_in_sentences(prepared: CompiledGame, kind: str, name: str) -> str:
    """Return the name of a thing of the game in sentences; empty if they do not name it."""
    if kind in ("fact", "position"):
        return replace_hyphens(name)
    if kind == "step" and name in prepared.steps:
        return prepared.steps[name].title
    return prepared.game.hands[name].title if kind == "hand" and name in prepared.game.hands else ""


def _without_requirements(model: BaseModel) -> BaseModel:
    """Return a thing of the game without the requirements stated with it."""
    return model.model_copy(update={"requirements": []}) if isinstance(model, Act) else model


def _define(prepared: CompiledGame, kind: str, name: str) -> tuple[Sequence[BaseModel], Iterator[Sentence]] | None:
    """Return the models behind a name of the game and its definition in sentences; None if it has no such name."""
    game = prepared.game
    if kind == "fact" and name in game.facts:
        return [game.facts[name]], list_condition(prepared, replace_hyphens(name), game.facts[name])
    if kind == "step" and name in prepared.steps:
        return [prepared.steps[name]], _define_step(prepared, prepared.steps[name])
    if kind == "hand" and name in game.hands:
        return [game.hands[name]], _define_hand(prepared, game.hands[name])
    if kind == "position" and game.table is not None and name in game.table.positions:
        cases = game.table.positions[name]
        return cases, _define_position(prepared, name, cases)
    if kind == "case":
        return next(([case], iter(())) for case in game.settlement.cases if case.case == name)
    return None


def _define_step(prepared: CompiledGame, step: Act) -> Iterator[Sentence]:
    game, titles, happened = prepared.game, prepared.steps, _excluded_if_happened(step)
    decks = {None: "", "in-play": "the deck in play"}
    parts = fill_templates(
        ("recorded as {}", [f"`{kind}`" for kind in step.events]),
        ("on {}", [line_title(game, line) for line in step.of or ()]),
        ("at the place `{}`", step.place),
        ("by the decision to {}", [_decision_title(prepared, decision) for decision in step.decisions or ()]),
        ("repeating the decision of the seat before it", step.said_again),
        ("of {}", [f"`{thing}`" for thing in step.words]),
        ("face {}", step.face),
        ("of {}", decks.get(step.deck, "a deck that is not in play")),
        ("of any deck if the event names none", step.unnamed_deck),
        ("in the stage {}", step.stage),
        ("of {}", step.pot and {"main": "the main pot"}.get(step.pot, "a side pot")),
        ("of {} seats", step.of_seats),
        ("by the {}", step.by),
        ("with a number stated: {}", step.stated and f"{_BOUNDS[step.stated.operator]}{step.stated.operand}"),
        ("turning down the cards of “{}”", step.covers and titles[step.covers].title),
        ("after “{}”", step.after and titles[step.after].title),
        ("before “{}”", step.before and titles[step.before].title),
        ("but not “{}”, which has happened as well", happened and titles[happened].title),
        ("but not {}", [] if happened else [f"“{titles[other].title}”" for other in step.but]),
    )
    head = f"{step.title}: {', '.join(parts)}"
    sentences = [] if happened else [*list_restriction(prepared, step.when, f"{head}, where")]
    yield from sentences or [Sentence(head)]


def _decision_title(prepared: CompiledGame, name: str) -> str:
    known = prepared.game.decisions.get(name)
    return name if known is None else known.title


def _excluded_if_happened(step: Act) -> str | None:
    """Return the step that a step excludes by having happened, if that is its only condition."""
    when = step.when
    if when is None or when.operator != "number" or len(step.but) != 1:
        return None
    of, bound = when.operand.of, (when.operand.operator, when.operand.operand)
    happened = of.operator == "events" and of.operand == step.but[0]
    at_all = bound[0] == "at-least" and bound[1].operator == "exactly" and bound[1].operand == 1
    return step.but[0] if happened and at_all else None


def _define_position(prepared: CompiledGame, name: str, cases: Sequence[Position]) -> Iterator[Sentence]:
    seats = [(_describe_position(prepared, case), read_condition(prepared, case.when)) for case in cases]
    parts = [f"{seat}, where {when}" if isinstance(when, str) else seat for seat, when in seats if when is not False]
    yield from list_parts(f"the position “{replace_hyphens(name)}”", parts, "the first of these that exists")


def _describe_position(prepared: CompiledGame, case_: Position) -> str:
    """Describe the seat of a case of a position."""
    match case_.operator:
        case "at":
            return f"the seat of “{replace_hyphens(case_.at)}”"
        case "after":
            return f"the next seat clockwise from “{replace_hyphens(case_.after)}”"
        case "first-with" | "last-with":
            return f"the {case_.operator[:-5]} seat with a wager on {line_title(prepared.game, case_.operand)}"
        case "best-showing" | "worst-showing":
            return f"the seat whose open cards make the {case_.operator[:-8]} hand"
        case _:
            when = "the last betting round" if case_.operand == "last-betting-round" else "the whole round of play"
            return f"the last seat that bet or raised in {when}"


_BOUNDS = {"equals": "", "differs-from": "other than ", "at-least": "at least ", "at-most": "at most "}


def _define_hand(prepared: CompiledGame, hand: Hand) -> Iterator[Sentence]:
    cards = {
        "dealt": "as dealt",
        "held": "as held in the end",
        "open": "only those that lie open",
        "set-high": "set into the High Hand",
        "set-low": "set into the Low Hand",
    }[hand.cards]
    uses = ", ".join(f"{count} of the {place}" for place, count in (hand.uses or {}).items())
    of = f"exactly {uses}" if uses else f"the best of {hand.best_of}" if hand.best_of else "all of them"
    places = join_names([f"the {place}" for place in hand.from_])
    name = find_ranking_name(prepared.regulation, hand)
    yield Sentence(f"{hand.title}: cards of {places}, {cards}; {of}, ranked by “{replace_hyphens(name)}”")
    ranking = prepared.regulation.vocabulary.rankings[name]
    best = "best first" if getattr(ranking, "wins", "highest") == "highest" else "best last"
    yield Sentence(
        f"“{replace_hyphens(name)}”, {best}: "
        f"{', '.join(replace_hyphens(category.category) for category in ranking.categories)}",
        1,
    )


_FOLLOW_RULE = "Correct what can still be corrected, and follow the rule from now on."
_FIXED = {
    "submitted": "Provide at the table what is required, and state it in the submission.",
    "publications": "Correct the publications to show every row of the pay table in use.",
    "signs": "Correct the signs at the table to show what is submitted.",
    "alike": "Submit the same value for all tables.",
    "settled": "Correct the settlement.",
    "capped": "Correct the settlement: pay up to the limit and no more.",
    "drawn-by": "Keep the cards that the drawing rule requires, and exchange the others.",
}
"""Remedies by operator of the check, for checks with a single remedy."""
_AWARD = {
    "shares": "Correct the award: give every winner the required share.",
    "uncalled": "Return the uncalled bet, no more and no less.",
    "refunds": "Return to every seat the amount that it put in, no more and no less.",
}
_DEAL = {
    "turn": "Deal to the places in turn.",
    "burn": "Burn the number of cards that the rules require before the cards are dealt.",
    "count": "Deal the number of cards that the rules require, no more and no fewer.",
}
_SUCCESSION = {
    "copies-since": "Check the shoe, and take it out of play if a card is in it too often.",
    "must": "Compare with the previous round at the table, and correct what can still be corrected.",
}


def suggest_remedy(regulation: Regulation, requirement: Requirement | SelfDeclaredRequirement) -> str:
    """Return the corrective action for a failure: the requirement's own remedy or one by its check."""
    if requirement.remedy or isinstance(requirement, SelfDeclaredRequirement):
        return requirement.remedy or ""
    check, operand = requirement.check, requirement.check.operand
    if check.operator in _FIXED:
        return _FIXED[check.operator]
    if check.operator in _BY_REGULATION:
        return _BY_REGULATION[check.operator](regulation, operand)
    if regulation.game is None:
        return _FOLLOW_RULE
    if isinstance(operand, RoundCheck) and operand.of is None:
        return "Correct the amount." if is_about_money(requirement) else _FOLLOW_RULE
    return _BY_GAME[check.operator](regulation.game, operand)


def _post_pay_table(regulation: Regulation, check: Any) -> str:
    line = check.of if regulation.game is None else line_title(regulation.game, check.of)
    table = "the printed pay table" if len(check.one_of) == 1 else "one of the printed pay tables in full"
    return f"Post {table} for {line}, and submit it."


_BY_REGULATION: Mapping[str, Callable[[Regulation, Any], str]] = {
    "pay-tables": _post_pay_table,
    "attested": lambda _, check: f"Obtain an attestation by the {check.by}.",
}


def _titles(game: Game, steps: Sequence[str], joint: str = "; then ") -> str:
    return joint.join(game.all_acts[name].title for name in steps)


def _follow_sequence(game: Game, check: SequenceCheck) -> str:
    steps = [part.step for part in check.steps if not isinstance(part, Repeat)]
    if len(steps) < len(check.steps):
        return "Take the steps in the required order."
    return f"Follow this order: {_titles(game, steps)}."


_BY_GAME: Mapping[str, Callable[[Game, Any], str]] = {
    "rule": lambda game, check: (
        f"Correct what can still be corrected, and follow the rule every time {_titles(game, [check.of])}."
    ),
    "awarded": lambda _, check: _AWARD[check.asks],
    "sequence": _follow_sequence,
    "order": lambda game, check: f"Keep this order: {'; '.join(map(game.describe_milestone, check.milestones))}.",
    "dealt": lambda _, check: _DEAL[check.asks],
    "same-order": lambda game, check: f"Follow the order of seats of this step: {_titles(game, check.steps[:1])}.",
    "in-turn": lambda game, check: f"Proceed around the table seat by seat: {_titles(game, check.steps)}.",
    "turns": lambda game, check: (
        f"Proceed clockwise around the table, from the first seat: {_titles(game, [check.step])}."
    ),
    "every": lambda game, check: (
        f"Ensure in time that {_titles(game, [check.step])}." if check.operator == "step" else "Do it in time."
    ),
    "needed": lambda game, check: (
        f"Ensure this before {_titles(game, check.waiting, ' or ')}: {_titles(game, check.steps)}."
    ),
    "succession": lambda _, check: (
        _SUCCESSION.get(check.operator)
        or f"Continue with {'the same deck as' if check.deck == 'same' else 'another deck than'} in the previous round."
    ),
}
