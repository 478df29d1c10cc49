"""Requirements with holes, which documents share: each instance says what stands in the holes, and rests on clauses of
its own."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from annotated_types import MinLen
from msgspec import Struct
from pydantic import Field, JsonValue

from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier, Prose

MARK = "parameter"
"""The key of a mapping that stands for the value of a parameter, whole."""
REPEATED = "for-each"
"""The key that makes an item of a list stand there once for each item of a parameter."""
ITEM = "put"
"""The key beside `for-each`: what stands there, with the parameter for a mark of the single item."""

Kind = Literal[
    "wager",
    "wagers",
    "pay-tables",
    "step",
    "steps",
    "decision",
    "decisions",
    "name",
    "names",
    "number",
    "amount",
    "place",
    "condition",
    "submission-condition",
    "words",
    "officer",
]
LeftOut = Literal["document", "deck", "decks", "lines", "lines-with-a-table", "ways-of-dealing"]
Body = Annotated[dict[str, JsonValue], MinLen(1)]


class Form(Struct, frozen=True, kw_only=True):
    """What values of a kind look like: in `words`, of what types (`made_of`, and `items` of a list), and a `sample`."""

    words: str
    sample: Any
    made_of: type
    items: type | None = None
    sayable: bool = True


def _text(words: str, sample: str = "main") -> Form:
    return Form(words=words, sample=sample, made_of=str)


def _texts(words: str, sample: Sequence[str] = ("main",)) -> Form:
    return Form(words=words, sample=list(sample), made_of=list, items=str)


KINDS: Mapping[str, Form] = {
    "wager": _text("the name of a wager or bonus"),
    "wagers": _texts("a list of wagers and bonuses"),
    "pay-tables": _texts("a list of pay tables"),
    "step": _text("the name of a step"),
    "steps": _texts("a list of steps"),
    "decision": _text("the name of a decision"),
    "decisions": _texts("a list of decisions"),
    "name": _text("a name"),
    "names": _texts("a list of names"),
    "number": Form(words="a whole number", sample=1, made_of=int),
    "amount": Form(words="an amount in minor currency units", sample=1, made_of=int),
    "place": _text("a place in a submission", "layout.style"),
    "condition": Form(words="a condition", sample={"placed": "main"}, made_of=dict, sayable=False),
    "submission-condition": Form(
        words="a condition on a submission", sample={"given": "deck"}, made_of=dict, sayable=False
    ),
    "words": _text("a sentence", "Something is done."),
    "officer": _text("the title of an officer", "games manager"),
}
"""The kinds of parameters; `sayable` ones may be named in words."""


class Parameter(Closed):
    """A hole of a pattern."""

    kind: Kind
    """What may stand there."""
    for_: Prose
    """What it is for, in a few words."""
    such_as: JsonValue = None
    """A value that may stand there; left out, any of its kind may."""
    optional: Literal[True] | None = None
    """An instance may leave it out; then whatever it stands for is left out too."""
    usually: JsonValue = None
    """What it is where an instance leaves it out."""
    left_out: LeftOut | None = None
    """What it is where an instance leaves it out, as the document or its game says: the document's id (`document`), the
    cards of the deck (`deck`), how many decks (`decks`), all wagers and bonuses (`lines`), those of them that have a
    pay table (`lines-with-a-table`), the names of the ways of dealing (`ways-of-dealing`)."""

    @property
    def sample(self) -> Any:
        """A value that may stand there."""
        known = [one for one in (self.such_as, self.usually) if one is not None]
        return known[0] if known else KINDS[self.kind].sample


class Pattern(Closed):
    """A requirement with holes. It names nothing that a text lays down: clauses, severity, numbers other than 0 and 1
    are those of its instances."""

    title: Prose
    """What it asks for, in a phrase. In this and in the other words `{name}` stands for the value of a parameter, with
    wagers, steps and decisions by their titles."""
    message: Prose | None = None
    """What a failure means, in a sentence; left out, what the title says."""
    broken: Prose | None = None
    """What went wrong where an instance failed, in a sentence in the past tense that begins with who acted."""
    remedy: Prose | None = None
    """What to do about a failure."""
    parameters: dict[Identifier, Parameter] = Field(default_factory=dict)
    """Its holes."""
    check: Body
    """How it is judged, as in a requirement. `{parameter: NAME}` stands for the value of a parameter, whole; the item
    `{for-each: NAME, put: …}` of a list for as many as the parameter has, each with one of them in the parameter's
    place."""
    fault: Body | None = None
    """How a simulated round can break it, in the same way."""


class PatternsFile(Closed):
    """The patterns of the vocabulary."""

    patterns: dict[Identifier, Pattern]
    """The patterns, by name."""
