"""Nested sentences that describe a condition as a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from validator.engine.compiled.game import Prepared
from validator.language.conditions import ANYTHING, NOTHING, Condition
from validator.language.wording import demanded


class Sentence(Struct, frozen=True):
    """Sentence, or item of a list that a sentence ends with."""

    text: str
    depth: int = 0
    """Nesting depth; 0 is a sentence of its own."""


def within(sentences: Iterable[Sentence], depth: int = 1) -> Iterator[Sentence]:
    """Indent sentences."""
    return (Sentence(sentence.text, sentence.depth + depth) for sentence in sentences)


def listed(head: str, parts: Sequence[str], joint: str) -> Iterator[Sentence]:
    """Yield parts after a head: one part on the same line, several as a list; `joint` says how they are combined."""
    if len(parts) == 1:
        yield Sentence(f"{head}: {parts[0]}")
        return
    yield Sentence(f"{head}, {joint}:")
    yield from (Sentence(part, 1) for part in parts)


def conditions(prepared: Prepared, head: str, condition: Condition) -> Iterator[Sentence]:
    """Describe a condition after a head; a conjunction or disjunction becomes a list.

    Parts that the readings in use have decided are left out.
    """
    if condition.operator == "evident":
        condition = condition.operand
    whole = demanded(prepared, condition)
    if condition.operator not in _JOINTS or whole in _DECIDED:
        yield Sentence(f"{head}: {_DECIDED.get(whole, whole)}")
        return
    joint, decided = _JOINTS[condition.operator]
    parts = [part for part in condition.operand if demanded(prepared, part) != decided]
    if len(parts) == 1:
        yield from conditions(prepared, head, parts[0])
        return
    yield Sentence(f"{head}, {joint}:")
    for part in parts:
        text = demanded(prepared, part)
        if len(text) > _MAX_PART_LENGTH and part.operator in _JOINTS:
            inner = list(conditions(prepared, "", part))
            yield from within(Sentence(sentence.text.removeprefix(", "), sentence.depth) for sentence in inner)
        else:
            yield Sentence(text, 1)


_JOINTS = {"all": ("all of these", ANYTHING), "any": ("at least one of these", NOTHING)}
"""Words that combine parts, and the text of a part that readings have decided so that it has no effect."""
_DECIDED = {ANYTHING: "always", NOTHING: "never, under the readings in use"}
_MAX_PART_LENGTH = 100
"""Maximum length in characters of combined parts on one line."""


def where(prepared: Prepared, condition: Condition | None, head: str = "Only if") -> Iterator[Sentence]:
    """Describe the condition of a rule, unless it always or never holds under the readings in use."""
    if condition is not None and demanded(prepared, condition) not in _DECIDED:
        yield from conditions(prepared, head, condition)
