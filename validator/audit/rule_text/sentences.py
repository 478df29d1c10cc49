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
    whole, joint = demanded(prepared, condition), ""
    parts = [_DECIDED.get(whole, whole)]
    if condition.operator in _JOINTS and whole not in _DECIDED:
        joint, decided = _JOINTS[condition.operator]
        parts = [told for part in condition.operand if (told := demanded(prepared, part)) != decided]
    yield from listed(head, parts, joint)


_JOINTS = {"all": ("all of these", ANYTHING), "any": ("one of these at least", NOTHING)}
"""How parts go together, and in which words a part says that readings have decided it so that it does not matter."""
_DECIDED = {ANYTHING: "always", NOTHING: "never, as the text is read"}


def where(prepared: Prepared, condition: Condition | None) -> Iterator[Sentence]:
    """What a rule speaks of, where that is not all."""
    if condition is not None:
        yield from conditions(prepared, "Only where", condition)


def named(names: Sequence[str], joint: str = "and") -> str:
    """Names in a sentence: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} {joint} {last}" if others else last
