"""Sentences that end with nested lists, and conditions as such sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition
from fairdeal.validator.operators.rule_renderer import read_condition
from fairdeal.validator.operators.submission.submission_operator_table import SUBMISSION_OPERATORS
from fairdeal.validator.rules.regulation import Regulation

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
