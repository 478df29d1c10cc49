"""Sentences about every kind of check, and definitions of the terms that they use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairdeal.validator.audit.wording import sentences
from fairdeal.validator.audit.wording.sentences import MONEY_SENTENCES, describe_rows
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.language.submission_conditions import (
    PayTablesCheck,
    PublicationsCheck,
    SignsCheck,
    SubmittedCheck,
    describe_place,
    join_names,
    replace_hyphens,
)
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rules import check_model
from fairdeal.validator.rules.betting_model import InTurnCheck, TurnsCheck
from fairdeal.validator.rules.check_model import (
    AlikeCheck,
    Attested,
    Check,
    EveryCheck,
    MilestoneCheck,
    NeededCheck,
    SuccessionCheck,
)
from fairdeal.validator.rules.deal_model import DealPass, DealtCheck, SameOrderCheck, Stage
from fairdeal.validator.rules.regulation import Regulation, line_title

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


def _describe_rule(prepared: CompiledGame, check: check_model.RoundCheck) -> Iterator[sentences.Sentence]:
    if check.each == "event":
        of = "At every event" if check.of is None else f"Every time {_title(prepared, check.of)}"
        yield from sentences.list_condition(prepared, of, check.must)
    else:
        grain = prepared.find_grain(check.must)
        at = check.each if grain == check.each or check.when is not None or grain == "event" else grain
        yield from sentences.list_condition(prepared, _EACH[at], check.must)


def _describe_sequence_check(prepared: CompiledGame, check: check_model.SequenceCheck) -> Iterator[sentences.Sentence]:
    yield sentences.Sentence(f"{_EACH[check.each]} these steps come in this order, possibly with others in between:")
    yield from _describe_steps(prepared, check.steps, 1)


def _describe_steps(
    prepared: CompiledGame, steps: Sequence[check_model.SequenceStep | check_model.Repeat], depth: int
) -> Iterator[sentences.Sentence]:
    for part in steps:
        if isinstance(part, check_model.Repeat):
            yield sentences.Sentence("any number of times:", depth)
            yield from _describe_steps(prepared, part.repeat, depth + 1)
        else:
            yield sentences.Sentence(f"{_title(prepared, part.step)} ({_TIMES[part.times]})", depth)


def _describe_milestone(prepared: CompiledGame, check: MilestoneCheck) -> Iterator[sentences.Sentence]:
    for milestone in check.milestones:
        at = join_names([f"“{_title(prepared, act)}”" for act in milestone.at.acts], "or")
        for side, acts in (("before", milestone.before), ("after", milestone.after)):
            for act in acts:
                again = milestone.again_after if side == "before" else None
                ends = "" if again is None else f", or again after the {again.operator} of these"
                yield sentences.Sentence(
                    f"“{_title(prepared, act)}” comes only {side} the {milestone.at.operator} time that {at}{ends}"
                    f"{'.' if again is None else f': {_titles(prepared, again.acts)}.'}"
                )
        if milestone.must_happen:
            yield sentences.Sentence(
                f"{_EACH[check.each]} this must happen: {_titles(prepared, milestone.must_happen)}."
            )


def _describe_dealt(prepared: CompiledGame, check: DealtCheck) -> Iterator[sentences.Sentence]:
    stages = [stage for stage in prepared.game.deal.stages if not check.stages or stage.stage in check.stages]
    yield sentences.Sentence(f"{_DEALT[check.asks]}:")
    for stage in stages:
        cards = stage.exchanges if stage.cards is None else stage.cards
        verb = "exchanged, at most" if stage.exchanges is not None else "dealt"
        counts = ", ".join(f"{count} to {_name_place(prepared, place)}" for place, count in (cards or {}).items())
        counts = counts or ", ".join(f"one by one to {_name_place(prepared, place)}" for place in stage.takes or {})
        first = sentences.SIDES.get(stage.first_seat) or f"position {replace_hyphens(stage.first_seat)}"
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
            yield sentences.Sentence(": ".join((head, *passes_by_way.values())), 1)
            continue
        yield sentences.Sentence(f"{head}, in one of these ways:", 1)
        yield from (
            sentences.Sentence(f"{replace_hyphens(name)}: {passes}", 2) for name, passes in passes_by_way.items()
        )


def _name_place(prepared: CompiledGame, place: str) -> str:
    name = prepared.game.deal.name_place(place)
    return {"the player": "each player", "the burn": "the burnt cards"}.get(name, name)


def _describe_cards_by_rule(prepared: CompiledGame, stage: Stage) -> Iterator[sentences.Sentence]:
    """Yield when the cards of a stage come, if that depends on a rule or on decisions."""
    name = replace_hyphens(stage.stage)
    if stage.when is not None:
        yield from sentences.list_condition(prepared, f"{name}: only if", stage.when)
    for taking in (stage.takes or {}).values():
        if taking.decisions:
            titles = join_names([prepared.game.decisions[decision].title for decision in taking.decisions], "or")
            yield sentences.Sentence(f"{name}: one card after each decision to {titles}", 1)
        if taking.while_ is not None:
            yield from sentences.list_condition(prepared, f"{name}: a card only while", taking.while_)


def _describe_pass(prepared: CompiledGame, pass_: DealPass) -> str:
    cards = f"{pass_.each} card{'' if pass_.each == 1 else 's'}"
    if pass_.to == ["burn"]:
        handed = f"{cards} burnt"
    else:
        at_a_time = "" if pass_.each == 1 else " in one packet or several" if pass_.parted else " at a time"
        handed = f"{cards}{at_a_time} to {', then '.join(_name_place(prepared, place) for place in pass_.to)}"
    kept = "" if pass_.kept is None else f"; the cards in the places {join_names(list(map(str, pass_.kept)))} are kept"
    face = "" if pass_.face is None or pass_.to == ["burn"] else f", face {pass_.face}"
    return f"{handed}{face}{kept}{'' if pass_.times == 1 else f', {pass_.times} times'}"


def _describe_same_order(prepared: CompiledGame, check: SameOrderCheck) -> Iterator[sentences.Sentence]:
    first, then = (_title(prepared, step) for step in check.steps)
    yield sentences.Sentence(f"Seats come for “{then}” in the order in which they came for “{first}”.")


def _describe_in_turn(prepared: CompiledGame, check: InTurnCheck) -> Iterator[sentences.Sentence]:
    side = sentences.SIDES[prepared.regulation.apply_otherwise(check).from_]
    yield sentences.Sentence(
        f"The seats come one after the other, beginning at the {side}. At each seat these steps come in this "
        f"order, before the next seat: {_titles(prepared, check.steps)}."
    )


def _describe_turns(prepared: CompiledGame, check: TurnsCheck) -> Iterator[sentences.Sentence]:
    starting = prepared.regulation.apply_otherwise(check).starting
    first = "; or, if no seat has it, at ".join(f"the position “{replace_hyphens(position)}”" for position in starting)
    yield sentences.Sentence(f"The seats come clockwise for “{_title(prepared, check.step)}”, beginning at {first}.")


def _title(prepared: CompiledGame, step: str) -> str:
    return prepared.steps[step].title


def _titles(prepared: CompiledGame, steps: Sequence[str]) -> str:
    return "; ".join(_title(prepared, step) for step in steps)


_PER = {"round": "in the round", "table": "at the table", "deck": "with the same deck"}


def _describe_every(prepared: CompiledGame, check: EveryCheck) -> Iterator[sentences.Sentence]:
    often = sentences.describe_interval(check).capitalize()
    if check.operator == "step":
        yield sentences.Sentence(f"{often}: {_title(prepared, check.step)}")
    else:
        yield from sentences.list_condition(prepared, often, check.must)
    if check.counts is not None:
        yield from sentences.list_restriction(prepared, check.counts, "Only these rounds count")


def _describe_succession(prepared: CompiledGame, check: SuccessionCheck) -> Iterator[sentences.Sentence]:
    match check.operator:
        case "deck":
            which = "The deck is the same as" if check.deck == "same" else "The deck is the other of two, not the one"
            yield sentences.Sentence(f"{which} in the round before at the table.")
            if check.deck == "other":
                yield sentences.Sentence(
                    "If one deck is withdrawn, the other is used alone; a third deck replaces one of the two."
                )
        case "copies-since":
            decks = prepared.game.decks
            often = "once" if decks == 1 else f"{decks} times"
            yield sentences.Sentence(
                f"No card comes more than {often} over all rounds since “{_title(prepared, check.operand)}”."
            )
        case _:
            whose = f"{'Every player' if check.each == 'player' else 'Every round'}, compared with the round before"
            yield from sentences.list_condition(prepared, whose, check.must)


def _describe_needed(prepared: CompiledGame, check: NeededCheck) -> Iterator[sentences.Sentence]:
    since = join_names([sentences.name_moment(prepared, occasion) for occasion in check.occasions], "or")
    steps = ", then ".join(_title(prepared, step) for step in check.steps)
    before = "” or “".join(_title(prepared, step) for step in check.waiting)
    yield sentences.Sentence(
        f"Once {since}, “{before}” must not come {_PER[check.each]} before this was done: {steps}."
    )
    if check.grace:
        yield sentences.Sentence(
            f"It may still come {'once' if check.grace == 1 else f'{check.grace} times'} without this."
        )
    if check.until is not None:
        yield sentences.Sentence(f"The obligation ends with: {prepared.steps[check.until].title}.")


ROUND_SENTENCES: Mapping[str, Callable[[CompiledGame, Any], Iterator[sentences.Sentence]]] = {
    "rule": _describe_rule,
    "sequence": _describe_sequence_check,
    "order": _describe_milestone,
    "dealt": _describe_dealt,
    "same-order": _describe_same_order,
    "in-turn": _describe_in_turn,
    "turns": _describe_turns,
    "drawn-by": sentences.describe_drawn_by,
    "every": _describe_every,
    "succession": _describe_succession,
    "needed": _describe_needed,
}
"""Functions that describe a check of rounds or sessions, by operator."""


_POSTED_TABLE_MATCH = {
    "exactly": "The posted pay table has exactly the rows and odds of one of these printed tables",
    "at-least": "The posted pay table has every row of one of these printed tables, and no row pays less than printed",
    "wording": "The odds of the posted pay table are worded as in one of these printed tables",
}
_SIGN_CONTENT = {
    "limits": "the minimum and the maximum",
    "odds": "rows of the pay table in use",
    "rake": "kind and levels",
}


def _describe_submitted(regulation: Regulation, check: SubmittedCheck) -> Iterator[sentences.Sentence]:
    yield from sentences.list_submission_condition(regulation, check.must, "The submission states")


def _describe_pay_tables(regulation: Regulation, check: PayTablesCheck) -> Iterator[sentences.Sentence]:
    rule = _POSTED_TABLE_MATCH[check.match]
    yield sentences.Sentence(f"{_line_titles(regulation, [check.of])}: {rule[0].lower()}{rule[1:]}:")
    if regulation.game is not None:
        for name in check.one_of:
            yield sentences.Sentence(f"{name}: {describe_rows(regulation.game.pay_tables[name])}", 1)


def _describe_publications(regulation: Regulation, check: PublicationsCheck) -> Iterator[sentences.Sentence]:
    yield sentences.Sentence(
        f"Pay tables in publications agree with the table in use: {_line_titles(regulation, check.of)}."
    )


def _describe_signs(regulation: Regulation, check: SignsCheck) -> Iterator[sentences.Sentence]:
    of = "the rake" if check.of is None else _line_titles(regulation, check.of)
    yield sentences.Sentence(f"Signs at the table agree with the submission on {of}: {_SIGN_CONTENT[check.show]}.")


def _describe_alike(regulation: Regulation, check: AlikeCheck) -> Iterator[sentences.Sentence]:
    yield sentences.Sentence(
        f"All submissions of a licensee that are in force together agree in {describe_place(check.at)}."
    )


def _describe_attested(regulation: Regulation, check: Attested) -> Iterator[sentences.Sentence]:
    yield sentences.Sentence(f"A person ({check.by}) must attest this: {check.statement}")


def _line_titles(regulation: Regulation, lines: Sequence[str]) -> str:
    game = regulation.game
    return join_names([line if game is None else line_title(game, line) for line in lines])


_GAME_SENTENCES = {**ROUND_SENTENCES, **MONEY_SENTENCES}
_SUBMISSION_SENTENCES: Mapping[str, Callable[[Regulation, Any], Iterator[sentences.Sentence]]] = {
    "submitted": _describe_submitted,
    "pay-tables": _describe_pay_tables,
    "publications": _describe_publications,
    "signs": _describe_signs,
    "alike": _describe_alike,
    "attested": _describe_attested,
}
DESCRIBED_OPERATORS = frozenset({*_SUBMISSION_SENTENCES, *_GAME_SENTENCES})
"""Operators of checks that can be described."""


def list_check_sentences(regulation: Regulation, check: Check) -> Iterator[sentences.Sentence]:
    """Yield the sentences of a check under the readings in use, and those of the condition that restricts it."""
    operand, when = check.operand, getattr(check.operand, "when", None)
    if check.operator in _SUBMISSION_SENTENCES:
        yield from _SUBMISSION_SENTENCES[check.operator](regulation, operand)
        yield from sentences.list_submission_condition(regulation, when)
    else:
        prepared = compile_game(regulation)
        yield from _GAME_SENTENCES[check.operator](prepared, operand)
        yield from sentences.list_restriction(prepared, when)
