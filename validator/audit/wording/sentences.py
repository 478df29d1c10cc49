"""Sentences that end with nested lists, phrases about checks, and rules of drawing in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.language.phrases import join_names, replace_hyphens
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition
from fairdeal.validator.operators.rule_renderer import read_condition
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rules.deal_model import DrawingRule, DrawnByCheck
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import EveryCheck

SIDES = {"dealer-left": "dealer's left", "dealer-right": "dealer's right"}
"""Sides of the table in words."""
_OCCASIONS = {"table-opens": "the table opens", "round-dealt": "the last card of a round is dealt"}


def name_moment(prepared: CompiledGame, name: str) -> str:
    """Return the title of a step or occasion."""
    return _OCCASIONS.get(name) or prepared.steps[name].title


def describe_interval(check: EveryCheck) -> str:
    """Describe how often something must happen: `at least once in every 8 hours, for each deck`."""
    size, each = check.within.operand, ", for each deck" if check.each else ""
    period = {
        "hours": f"every {format_count(size, 'hour')}",
        "rounds": f"any {format_count(size, 'consecutive round')}",
        "blocks-of": f"each {format_count(size, 'round')}, counted from the opening of the table",
    }[check.within.operator]
    return f"at least once in {period}{each}"


def describe_due_steps(prepared: CompiledGame, steps: Sequence[str], before: Sequence[str]) -> str:
    """Describe that steps must come in order before others: `the deck is cut before the cards are dealt`."""
    due = "; then ".join(name_moment(prepared, step) for step in steps)
    waiting = " or ".join(name_moment(prepared, step) for step in before)
    return f"{due}{'; all of it' if len(steps) > 1 else ''} before {waiting}"


def describe_missing_steps(steps: Sequence[str]) -> str:
    """Describe the steps that were not done. Later steps do not count before the first missing one."""
    return "without the first of these" if len(steps) > 1 else "without this"


_JOINTS = {"all": "all of these", "any": "at least one of these"}
_DECIDED = {True: "always", False: "never, under the readings in use"}
_MAX_LENGTH = 100
"""Maximum length in characters of joined parts on one line."""


class Sentence(Struct, frozen=True):
    """Sentence, or item of a list that a sentence ends with."""

    text: str
    depth: int = 0
    """Nesting depth; 0 is a sentence of its own."""


def indent(sentences: Iterable[Sentence], depth: int = 1) -> Iterator[Sentence]:
    """Indent sentences."""
    return (Sentence(sentence.text, sentence.depth + depth) for sentence in sentences)


def list_parts(head: str, parts: Sequence[str], joint: str) -> Iterator[Sentence]:
    """Yield parts after a head: one part on the same line, several as a list; `joint` says how they are combined."""
    if len(parts) == 1:
        yield Sentence(f"{head}: {parts[0]}")
        return
    yield Sentence(f"{head}, {joint}:")
    yield from (Sentence(part, 1) for part in parts)


def list_condition(prepared: CompiledGame, head: str, condition: Condition) -> Iterator[Sentence]:
    """Describe a condition after a head; joined parts become a list, without those that the readings have decided."""
    return _list_condition(head, condition, lambda part: read_condition(prepared, part))


def list_restriction(prepared: CompiledGame, condition: Condition | None, head: str = "Only if") -> Iterator[Sentence]:
    """Describe the condition of a rule, unless it always or never holds under the readings in use."""
    if condition is not None and isinstance(read_condition(prepared, condition), str):
        yield from list_condition(prepared, head, condition)


def list_submission_condition(
    regulation: Regulation, condition: SubmissionCondition | None, head: str = "Only if"
) -> Iterator[Sentence]:
    """Describe a condition on a submission after a head, unless the readings in use decide it."""
    read = condition is None or SUBMISSION_OPERATORS.apply_readings(condition, regulation)
    if not isinstance(read, bool):
        yield from _list_condition(head, read, SUBMISSION_OPERATORS.describe)


def _list_condition(
    head: str, condition: Condition | SubmissionCondition, read: Callable[[Any], str | bool]
) -> Iterator[Sentence]:
    """Describe a condition of either kind as a sentence, or as a list if it joins parts.

    Args:
        head: text before the condition; empty within a list, where short parts stay on one line.
        condition: the condition.
        read: describes a condition, or decides it by the readings in use.
    """
    whole, operand = read(condition), condition.operand
    if isinstance(whole, bool):
        yield Sentence(f"{head}: {_DECIDED[whole]}")
        return
    if condition.operator == "evident":
        yield from _list_condition(head, operand, read)
        return
    parts = [part for part in operand if isinstance(read(part), str)] if condition.operator in _JOINTS else []
    before = f"{head}: " if head else ""
    if len(parts) == 1:
        yield from _list_condition(head, parts[0], read)
    elif parts and (head or len(whole) > _MAX_LENGTH):
        yield Sentence(f"{head}, {_JOINTS[condition.operator]}:" if head else f"{_JOINTS[condition.operator]}:")
        for part in parts:
            yield from indent(_list_condition("", part, read))
    elif condition.operator == "every" and len(whole) > _MAX_LENGTH:
        yield Sentence(f"{before}{whole.removesuffix(str(read(operand.must))).rstrip()}")
        yield from indent(_list_condition("", operand.must, read))
    else:
        yield Sentence(f"{before}{whole}")


def describe_drawn_by(prepared: CompiledGame, check: DrawnByCheck) -> Iterator[Sentence]:
    """Yield the sentences of a check by rules of drawing."""
    drawing = prepared.game.drawing[check.drawing]
    yield Sentence(
        f"{drawing.title[:1].upper()}{drawing.title[1:]}: the first rule that covers a hand, and that the hand can "
        + (
            "follow, determines how the cards are set. Other cards go where the Low Hand is as high as possible. "
            if drawing.sets_cards
            else "follow, determines the cards to keep; the others are discarded. "
        )
        + "Rules checked here:"
    )
    earlier_rules: list[str] = []  # rules that take precedence
    for rule in drawing.rules:
        condition = read_condition(prepared, rule.when)
        if check.checks_rule(rule.rule) and condition is not False:
            earlier = ", ".join(map(replace_hyphens, earlier_rules))
            hand = (
                condition
                if isinstance(condition, str)
                else f"any hand not covered by {earlier}"
                if earlier_rules
                else "any hand"
            )
            yield Sentence(
                f"{replace_hyphens(rule.rule)} ({', '.join(rule.clauses)}): {hand}: {_describe_drawing_rule(rule)}", 1
            )
        if isinstance(condition, str):
            earlier_rules.append(rule.rule)


_PREFERRED = {"best-completed": "those that make the best hand", "highest-cards": "the highest of them"}


def _describe_drawing_rule(rule: DrawingRule) -> str:
    if rule.set_ is None:
        return f"keep {_describe_kept(rule.keep)}"
    parts = []
    for group in rule.set_.groups or ():
        ranks = f" ({join_names(group.ranks, 'or')})" if group.ranks else ""
        low = f"{group.low} in the Low Hand" if group.low else ""
        high = f"{group.cards - group.low} in the High Hand" if group.cards > group.low else ""
        parts.append(f"of {group.cards} of one rank{ranks}, {join_names([part for part in (low, high) if part])}")
    if rule.set_.complete:
        parts.append(f"a High Hand that is a {join_names([*map(replace_hyphens, rule.set_.complete)], 'or')}")
    return "; ".join(parts)


def _describe_kept(keep: Any) -> str:
    if keep == "all":
        return "all cards"
    if hasattr(keep, "toward"):
        by = f", if at least {keep.completed_by} ranks would complete it" if keep.completed_by else ""
        best = f", {_PREFERRED[keep.prefer]}" if keep.prefer else ""
        return f"{keep.cards} cards to a {keep.toward.replace('-', ' ')}{by}{best}"
    groups = ["the cards of its groups"] if keep.groups else []
    number, which = (keep.lowest, "lowest") if keep.lowest else (keep.highest, "highest")
    what = ("other" if groups else "card") + ("" if number == 1 else "s")
    others = [f"the {'' if number == 1 else f'{number} '}{which} {what}"] if number else []
    return " and ".join(groups + others)
