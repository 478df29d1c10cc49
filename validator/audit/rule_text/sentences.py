"""Sentences, one within the other: how a condition is said where there is room for a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from validator.engine.compiled.game import Prepared
from validator.language.conditions import ANYTHING, NOTHING, Condition
from validator.language.wording import demanded


class Sentence(Struct, frozen=True):
    """A sentence, or an item of the list that a sentence ends with: `depth` says how deep it stands within others."""

    text: str
    depth: int = 0


def within(sentences: Iterable[Sentence], depth: int = 1) -> Iterator[Sentence]:
    """Sentences set deeper."""
    return (Sentence(one.text, one.depth + depth) for one in sentences)


def listed(head: str, parts: Sequence[str], joint: str) -> Iterator[Sentence]:
    """Parts after their head: one behind it, several below it, `joint` saying how they go together."""
    if len(parts) == 1:
        yield Sentence(f"{head}: {parts[0]}")
        return
    yield Sentence(f"{head}, {joint}:")
    yield from (Sentence(part, 1) for part in parts)


def conditions(prepared: Prepared, head: str, condition: Condition) -> Iterator[Sentence]:
    """A condition after its head: what must all hold, or one of what may, as a list. Parts that readings of the text
    have decided already are left out."""
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
        told = demanded(prepared, part)
        if len(told) > _LONG and part.operator in _JOINTS:
            inner = list(conditions(prepared, "", part))
            yield from within(Sentence(one.text.removeprefix(", "), one.depth) for one in inner)
        else:
            yield Sentence(told, 1)


_JOINTS = {"all": ("all of these", ANYTHING), "any": ("one of these at least", NOTHING)}
"""How parts go together, and in which words a part says that readings have decided it so that it does not matter."""
_DECIDED = {ANYTHING: "always", NOTHING: "never, as the text is read"}
_LONG = 100
"""More characters than this of parts joined are a list of their own."""


def where(prepared: Prepared, condition: Condition | None, head: str = "Only where") -> Iterator[Sentence]:
    """What a rule speaks of, where that is not all, nor nothing, as the text is read."""
    if condition is not None and demanded(prepared, condition) not in _DECIDED:
        yield from conditions(prepared, head, condition)
