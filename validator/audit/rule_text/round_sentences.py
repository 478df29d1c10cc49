"""Sentences about checks of rounds and sessions, and definitions of the terms they use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.audit.rule_text.drawing_text import describe_drawn_by
from fairdeal.validator.audit.rule_text.sentences import (
    Sentence,
    describe_restriction,
    list_checked_cases,
    list_condition_sentences,
    list_earlier_cases,
    list_parts,
    list_pay_tables,
)
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.printed_pay_tables import find_ranking_name
from fairdeal.validator.language.grammar import iterate_references
from fairdeal.validator.language.phrases import join_names, replace_hyphens
from fairdeal.validator.operators.rule_renderer import read_condition
from fairdeal.validator.rules import requirement_model
from fairdeal.validator.rules.betting_model import InTurnCheck, Position, TurnsCheck
from fairdeal.validator.rules.deal_model import DealPass, DealtCheck, SameOrderCheck, Stage
from fairdeal.validator.rules.game_model import Act, Hand
from fairdeal.validator.rules.milestone_model import MilestoneCheck
from fairdeal.validator.rules.procedure_model import EveryCheck, NeededCheck, SuccessionCheck
from fairdeal.validator.rules.regulation import line_title

_EACH = {"round": "In every round", "seat": "At every seat", "stake": "For every stake"}
_TIMES = {
    "any": "any number of times",
    "optional": "at most once",
    "one": "once",
    "at-least-one": "at least once",
}
_DEALT = {
    "turn": "Places receive cards in turn",
    "burn": "Before each stage, the number of cards that the deal defines is burnt",
    "count": "Every place that receives cards receives the number that the deal defines",
}
_PLACES = {"player": "each player", "dealer": "the dealer", "community": "the community", "burn": "the burnt cards"}
_SIDES = {"dealer-left": "dealer's left", "dealer-right": "dealer's right"}


def _describe_rule(prepared: CompiledGame, check: requirement_model.RoundCheck) -> Iterator[Sentence]:
    if check.each == "event":
        of = "At every event" if check.of is None else f"Every time {_title(prepared, check.of)}"
        yield from list_condition_sentences(prepared, of, check.must)
    else:
        grain = prepared.find_grain(check.must)
        at = check.each if grain == check.each or check.when is not None or grain == "event" else grain
        yield from list_condition_sentences(prepared, _EACH[at], check.must)
    yield from describe_restriction(prepared, check.when)


def _describe_sequence_check(prepared: CompiledGame, check: requirement_model.SequenceCheck) -> Iterator[Sentence]:
    yield Sentence(f"{_EACH[check.per]} these steps come in this order, possibly with others in between:")
    yield from _describe_steps(prepared, check.steps, 1)
    yield from describe_restriction(prepared, check.when)


def _describe_steps(
    prepared: CompiledGame, steps: Sequence[requirement_model.SequenceStep | requirement_model.Repeat], depth: int
) -> Iterator[Sentence]:
    for part in steps:
        if isinstance(part, requirement_model.Repeat):
            yield Sentence("any number of times:", depth)
            yield from _describe_steps(prepared, part.repeat, depth + 1)
        else:
            yield Sentence(f"{_title(prepared, part.step)} ({_TIMES[part.times]})", depth)


def _describe_milestone(prepared: CompiledGame, check: MilestoneCheck) -> Iterator[Sentence]:
    for milestone in check.milestones:
        at = join_names([f"“{_title(prepared, act)}”" for act in milestone.at.acts], "or")
        for side, acts in (("before", milestone.before), ("after", milestone.after)):
            for act in acts:
                again = milestone.again_after if side == "before" else None
                ends = "" if again is None else f", or again after the {again.operator} of these"
                yield Sentence(
                    f"“{_title(prepared, act)}” comes only {side} the {milestone.at.operator} time that {at}{ends}"
                    f"{'.' if again is None else f': {_titles(prepared, again.acts)}.'}"
                )
        if milestone.must_happen:
            yield Sentence(f"{_EACH[check.each]} this must happen: {_titles(prepared, milestone.must_happen)}.")
    yield from describe_restriction(prepared, check.when)


def _describe_dealt(prepared: CompiledGame, check: DealtCheck) -> Iterator[Sentence]:
    stages = [stage for stage in prepared.game.deal.stages if not check.stages or stage.stage in check.stages]
    yield Sentence(f"{_DEALT[check.asks]}:")
    for stage in stages:
        cards = stage.exchanges if stage.cards is None else stage.cards
        verb = "exchanged, at most" if stage.exchanges is not None else "dealt"
        counts = ", ".join(f"{count} to {_name_place(prepared, place)}" for place, count in (cards or {}).items())
        counts = counts or ", ".join(f"one by one to {_name_place(prepared, place)}" for place in stage.takes or {})
        first = _SIDES.get(stage.first) or f"position {replace_hyphens(stage.first)}"
        if stage.first_by is not None:
            first = f"place that {prepared.outcomes[stage.first_by.outcome].title} decides"
        head = f"{replace_hyphens(stage.stage)}: {verb} {counts}, face {stage.face}, beginning at the {first}"
        passes_by_way = {
            name: "; then ".join(_describe_pass(prepared, pass_) for pass_ in way.passes)
            for name, way in stage.permitted_ways.items()
            if way.passes and stage.takes is None
        }
        yield from _describe_cards_by_rule(prepared, stage)
        if not stage.ways:
            yield Sentence(": ".join((head, *passes_by_way.values())), 1)
            continue
        yield Sentence(f"{head}, in one of these ways:", 1)
        yield from (Sentence(f"{replace_hyphens(name)}: {passes}", 2) for name, passes in passes_by_way.items())
    yield from describe_restriction(prepared, check.when)


def _name_place(prepared: CompiledGame, place: str) -> str:
    titles = {str(named): title for named, title in prepared.game.deal.titles.items()}
    return titles.get(place) or _PLACES[place]


def _describe_cards_by_rule(prepared: CompiledGame, stage: Stage) -> Iterator[Sentence]:
    """Yield when the cards of a stage come, if that depends on a rule or on decisions."""
    name = replace_hyphens(stage.stage)
    if stage.when is not None:
        yield from list_condition_sentences(prepared, f"{name}: only if", stage.when)
    for taking in (stage.takes or {}).values():
        if taking.after:
            titles = join_names([prepared.game.decisions[decision].title for decision in taking.after], "or")
            yield Sentence(f"{name}: one card after each decision to {titles}", 1)
        if taking.while_ is not None:
            yield from list_condition_sentences(prepared, f"{name}: a card only while", taking.while_)


def _describe_pass(prepared: CompiledGame, pass_: DealPass) -> str:
    cards = f"{pass_.each} card{'' if pass_.each == 1 else 's'}"
    if pass_.to == ["burn"]:
        handed = f"{cards} burnt"
    else:
        at_a_time = "" if pass_.each == 1 else " by and by" if pass_.parted else " at a time"
        handed = f"{cards}{at_a_time} to {', then '.join(_name_place(prepared, place) for place in pass_.to)}"
    kept = "" if pass_.kept is None else f"; the cards in the places {join_names(list(map(str, pass_.kept)))} are kept"
    face = "" if pass_.face is None or pass_.to == ["burn"] else f", face {pass_.face}"
    return f"{handed}{face}{kept}{'' if pass_.times == 1 else f', {pass_.times} times'}"


def _describe_same_order(prepared: CompiledGame, check: SameOrderCheck) -> Iterator[Sentence]:
    first, then = (_title(prepared, step) for step in (check.first, check.then))
    yield Sentence(f"Seats come for “{then}” in the order in which they came for “{first}”.")


def _describe_in_turn(prepared: CompiledGame, check: InTurnCheck) -> Iterator[Sentence]:
    side = check.from_
    for other in check.otherwise:
        if prepared.regulation.is_option_in_force(other.reading.name, other.reading.is_):
            side = other.from_
    yield Sentence(
        f"The seats come one after the other, beginning at the {_SIDES[side]}. At each seat these steps come in this "
        f"order, before the next seat: {_titles(prepared, check.steps)}."
    )
    yield from describe_restriction(prepared, check.when)


def _describe_turns(prepared: CompiledGame, check: TurnsCheck) -> Iterator[Sentence]:
    starting = check.starting
    for other in check.otherwise:
        if prepared.regulation.is_option_in_force(other.reading.name, other.reading.is_):
            starting = other.starting
    first = "; or, if no seat has it, at ".join(f"the position “{replace_hyphens(position)}”" for position in starting)
    yield Sentence(f"The seats come clockwise for “{_title(prepared, check.step)}”, beginning at {first}.")
    yield from describe_restriction(prepared, check.when)


def _title(prepared: CompiledGame, step: str) -> str:
    return prepared.steps[step].title


def _titles(prepared: CompiledGame, steps: Sequence[str]) -> str:
    return "; ".join(_title(prepared, step) for step in steps)


ROUND_SENTENCES: Mapping[str, Callable[[CompiledGame, Any], Iterator[Sentence]]] = {
    "rule": _describe_rule,
    "sequence": _describe_sequence_check,
    "order": _describe_milestone,
    "dealt": _describe_dealt,
    "same-order": _describe_same_order,
    "in-turn": _describe_in_turn,
    "turns": _describe_turns,
    "drawn-by": describe_drawn_by,
}
"""Functions that describe a check of rounds, by operator."""


_OCCASIONS = {"table-opens": "the table opens", "round-dealt": "the last card of a round is dealt"}
_PER = {"round": "in the round", "table": "at the table", "deck": "with the same deck"}


def _describe_every(prepared: CompiledGame, check: EveryCheck) -> Iterator[Sentence]:
    size, each = check.within.operand, ", for each deck" if check.of_each else ""
    often = {
        "hours": f"At least once in every {size} hours",
        "rounds": f"At least once in any {size} consecutive rounds",
        "blocks-of": f"At least once in each {size} rounds, counted from the opening of the table",
    }[check.within.operator]
    if check.operator == "step":
        yield Sentence(f"{often}{each}: {prepared.steps[check.step].title}")
    else:
        yield from list_condition_sentences(prepared, f"{often}{each}", check.happens)
    if check.counts is not None:
        yield from describe_restriction(prepared, check.counts, "Only these rounds count")
    yield from describe_restriction(prepared, check.when)


def _describe_succession(prepared: CompiledGame, check: SuccessionCheck) -> Iterator[Sentence]:
    match check.operator:
        case "deck":
            which = "The deck is the same as" if check.deck == "same" else "The deck is the other of two, not the one"
            yield Sentence(f"{which} in the round before at the table.")
            if check.deck == "other":
                yield Sentence(
                    "If one deck is withdrawn, the other is used alone; a third deck replaces one of the two."
                )
        case "copies-since":
            decks = prepared.game.decks
            often = "once" if decks == 1 else f"{decks} times"
            yield Sentence(
                f"No card comes more than {often} over all rounds since “{_title(prepared, check.operand)}”."
            )
        case _:
            whose = f"{'Every player' if check.each == 'player' else 'Every round'}, compared with the round before"
            yield from list_condition_sentences(prepared, whose, check.must)
    yield from describe_restriction(prepared, check.when)


def _describe_needed(prepared: CompiledGame, check: NeededCheck) -> Iterator[Sentence]:
    since = join_names(
        [_OCCASIONS.get(occasion) or prepared.steps[occasion].title for occasion in check.occasions], "or"
    )
    steps = ", then ".join(prepared.steps[step].title for step in check.steps)
    before = "” or “".join(prepared.steps[step].title for step in check.waiting)
    yield Sentence(f"Once {since}, “{before}” must not come {_PER[check.per]} before this was done: {steps}.")
    if check.grace:
        yield Sentence(f"It may still come {'once' if check.grace == 1 else f'{check.grace} times'} without this.")
    if check.until is not None:
        yield Sentence(f"The obligation ends with: {prepared.steps[check.until].title}.")
    yield from describe_restriction(prepared, check.when)


SESSION_SENTENCES: Mapping[str, Callable[[CompiledGame, Any], Iterator[Sentence]]] = {
    "every": _describe_every,
    "succession": _describe_succession,
    "needed": _describe_needed,
}
"""Functions that describe a check of sessions, by operator."""


class Term(Struct, frozen=True, kw_only=True):
    """Thing of the game that a requirement refers to."""

    kind: str
    """Kind of thing: `fact`, `step`, `hand` and so on."""
    name: str
    """Name in rule files."""
    meaning: tuple[Sentence, ...]
    """Definition."""


def collect_terms(
    prepared: CompiledGame, requirement: requirement_model.Requirement, asks: Sequence[Sentence]
) -> Iterator[Term]:
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
        return [game.facts[name]], list_condition_sentences(prepared, name.replace("-", " "), game.facts[name])
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
    parts = [f"recorded as {' or '.join(f'`{kind}`' for kind in step.events)}"]
    if step.of:
        parts.append(f"on {' or '.join(line_title(prepared.game, line) for line in step.of)}")
    if step.place:
        parts.append(f"at the place `{step.place}`")
    if step.decisions:
        parts.append(
            f"by the decision to {' or '.join(_decision_title(prepared, decision) for decision in step.decisions)}"
        )
    if step.said_again:
        parts.append("repeating the decision of the seat before it")
    things = [step.what] if step.what else step.what_is or []
    if things:
        parts.append(f"of {' or '.join(f'`{thing}`' for thing in things)}")
    if step.face:
        parts.append(f"face {step.face}")
    if step.deck:
        parts.append(f"of {'the deck in play' if step.deck == 'in-play' else 'a deck that is not in play'}")
    if step.unnamed_deck:
        parts.append("of any deck if the event names none")
    if step.stage:
        parts.append(f"in the stage {step.stage}")
    if step.pot:
        parts.append(f"of {'the main pot' if step.pot == 'main' else 'a side pot'}")
    if step.of_seats:
        parts.append(f"of {step.of_seats} seats")
    if step.by:
        parts.append(f"by the {step.by}")
    if step.stated is not None:
        parts.append(f"with a number stated: {_BOUNDS[step.stated.operator]}{step.stated.operand}")
    parts += [f"{side} “{prepared.steps[other].title}”" for side, other in _related_steps(step) if other]
    happened_step = _excluded_if_happened(step)
    if happened_step is not None:
        parts.append(f"but not “{prepared.steps[happened_step].title}”, which has happened as well")
    elif step.but:
        parts.append(f"but not {join_names([f'“{prepared.steps[other].title}”' for other in step.but], 'or')}")
    head = f"{step.title}: {', '.join(parts)}"
    sentences = None if happened_step is not None else [*describe_restriction(prepared, step.when, f"{head}, where")]
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


def _related_steps(step: Act) -> tuple[tuple[str, str | None], ...]:
    return ("turning down the cards of", step.covers), ("after", step.after), ("before", step.before)


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
