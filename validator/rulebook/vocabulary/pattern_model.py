"""Models of patterns: requirements with parameters that documents share. Instances supply values and clauses."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from annotated_types import MinLen
from msgspec import Struct
from pydantic import Field, JsonValue

from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier, Prose

MARK = "parameter"
"""Key of a mapping that is replaced by the value of a parameter."""
REPEATED = "for-each"
"""Key of a list item that is repeated for each item of a parameter."""
ITEM = "put"
"""Key next to `for-each`: the repeated item, in which the parameter is a single item."""

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
"""Kind of a parameter."""
LeftOut = Literal["document", "deck", "decks", "lines", "lines-with-a-table", "ways-of-dealing"]
"""Part of a document that supplies the value of an omitted parameter."""
Body = Annotated[dict[str, JsonValue], MinLen(1)]


class Form(Struct, frozen=True, kw_only=True):
    """The form of values of a kind."""

    words: str
    """Description for messages and documentation."""
    sample: Any
    """A valid value."""
    made_of: type
    """Python type of the value."""
    items: type | None = None
    """Python type of the items of a list; None for other values."""
    sayable: bool = True
    """True if the value may be used in text."""


def _build_text_form(words: str, sample: str = "main") -> Form:
    return Form(words=words, sample=sample, made_of=str)


def _build_list_form(words: str, sample: Sequence[str] = ("main",)) -> Form:
    return Form(words=words, sample=list(sample), made_of=list, items=str)


KINDS: Mapping[str, Form] = {
    "wager": _build_text_form("the name of a wager or bonus"),
    "wagers": _build_list_form("a list of wagers and bonuses"),
    "pay-tables": _build_list_form("a list of pay tables"),
    "step": _build_text_form("the name of a step"),
    "steps": _build_list_form("a list of steps"),
    "decision": _build_text_form("the name of a decision"),
    "decisions": _build_list_form("a list of decisions"),
    "name": _build_text_form("a name"),
    "names": _build_list_form("a list of names"),
    "number": Form(words="a whole number", sample=1, made_of=int),
    "amount": Form(words="an amount in minor currency units", sample=1, made_of=int),
    "place": _build_text_form("a place in a submission", "layout.style"),
    "condition": Form(words="a condition", sample={"placed": "main"}, made_of=dict, sayable=False),
    "submission-condition": Form(
        words="a condition on a submission", sample={"given": "deck"}, made_of=dict, sayable=False
    ),
    "words": _build_text_form("a sentence", "Something is done."),
    "officer": _build_text_form("the title of an officer", "games manager"),
}
"""The form of values, by kind of parameter."""


class Parameter(Closed):
    """A parameter of a pattern."""

    kind: Kind
    """Kind of its value."""
    for_: Prose
    """Its purpose, in a few words."""
    such_as: JsonValue = None
    """A sample value; by default, the sample of its kind."""
    optional: Literal[True] | None = None
    """An instance may leave it out; then every part that contains it is left out too."""
    usually: JsonValue = None
    """Value if an instance leaves it out."""
    left_out: LeftOut | None = None
    """Value if an instance leaves it out, taken from the document or its game. `document`: the id of the document;
    `deck`: the cards of the deck; `decks`: the number of decks; `lines`: all wagers and bonuses; `lines-with-a-table`:
    the wagers and bonuses with a pay table; `ways-of-dealing`: the names of the ways of dealing."""

    @property
    def sample(self) -> Any:
        """A valid value."""
        known = [value for value in (self.such_as, self.usually) if value is not None]
        return known[0] if known else KINDS[self.kind].sample


class Pattern(Closed):
    """A requirement with parameters. It contains nothing that a text regulates: its instances supply clauses, severity
    and numbers other than 0 and 1."""

    title: Prose
    """Title of the requirement, in a phrase. Here and in the other texts, `{name}` is replaced by the value of a
    parameter, and wagers, steps and decisions by their titles."""
    message: Prose | None = None
    """Meaning of a failure, in a sentence; by default, the title."""
    broken: Prose | None = None
    """What went wrong where an instance failed, in a sentence in the past tense that begins with who acted."""
    remedy: Prose | None = None
    """Corrective action for a failure."""
    parameters: dict[Identifier, Parameter] = Field(default_factory=dict)
    """Its parameters."""
    check: Body
    """The check, as in a requirement. `{parameter: NAME}` is replaced by the value of a parameter. The item `{for-each:
    NAME, put: …}` of a list is repeated for every item of a parameter, each time with that item as the parameter."""
    fault: Body | None = None
    """The fault that breaks it in a simulated round, in the same form."""


class PatternsFile(Closed):
    """The patterns of the vocabulary."""

    patterns: dict[Identifier, Pattern]
    """The patterns, by name."""
