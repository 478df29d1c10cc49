"""Models of patterns: requirements with parameters that documents share, and the texts that the parameters fill."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, Self, get_args

from annotated_types import MinLen
from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import JsonValue, model_validator

from fairdeal.validator.language.submission_conditions import join_names, replace_hyphens
from fairdeal.validator.rules.game_model import find_usual_grain
from fairdeal.validator.rules.payment_model import VOID_FOR_A_CAUSE, VOID_KEY
from fairdeal.validator.text.closed_model import ClosedModel, Identifier, Prose
from fairdeal.validator.text.plain_values import format_money, parse_money
from fairdeal.validator.text.positioned_document import Data, DataPath

PARAMETER_KEY = "parameter"
"""Key of a mapping that is replaced by the value of a parameter."""
FOR_EACH_KEY = "for-each"
"""Key of a list item that is repeated for each item of a parameter."""
ITEM_KEY = "put"
"""Key next to `for-each`: the repeated item, in which the parameter is a single item."""

ParameterKind = Literal[
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
ParameterDefault = Literal["document", "deck", "decks", "lines", "lines-with-a-table", "ways-of-dealing", "deal"]
"""Part of a document that supplies the value of an omitted parameter."""
_DEAL: Final = "deal"
"""Kind of event of the deal, and the usual name of its act."""
PatternBody = Annotated[dict[str, JsonValue], MinLen(1)]


class ValueForm(Struct, frozen=True, kw_only=True):
    """The form of values of a kind."""

    description: str
    """Description for messages and documentation."""
    sample: Any
    """A valid value."""
    python_type: type | tuple[type, ...]
    """Python type of the value, or several."""
    item_type: type | None = None
    """Python type of the items of a list; None for other values."""
    may_be_in_text: bool = True
    """True if the value may be used in text."""


def _build_text_form(words: str, sample: str = "main") -> ValueForm:
    return ValueForm(description=words, sample=sample, python_type=str)


def _build_list_form(words: str, sample: Sequence[str] = ("main",)) -> ValueForm:
    return ValueForm(description=words, sample=list(sample), python_type=list, item_type=str)


PARAMETER_KINDS: Mapping[str, ValueForm] = {
    "wager": _build_text_form("the name of a wager or bonus"),
    "wagers": _build_list_form("a list of wagers and bonuses"),
    "pay-tables": _build_list_form("a list of pay tables"),
    "step": _build_text_form("the name of a step"),
    "steps": _build_list_form("a list of steps"),
    "decision": _build_text_form("the name of a decision"),
    "decisions": _build_list_form("a list of decisions"),
    "name": _build_text_form("a name"),
    "names": _build_list_form("a list of names"),
    "number": ValueForm(description="a whole number", sample=1, python_type=int),
    "amount": ValueForm(description="an amount of money", sample=1, python_type=(int, str, Decimal, float)),
    "place": _build_text_form("a place in a submission", "layout.style"),
    "condition": ValueForm(
        description="a condition", sample={"placed": "main"}, python_type=(dict, list, str), may_be_in_text=False
    ),
    "submission-condition": ValueForm(
        description="a condition on a submission",
        sample={"given": "deck"},
        python_type=(dict, list),
        may_be_in_text=False,
    ),
    "words": _build_text_form("a sentence", "Something is done."),
    "officer": _build_text_form("the title of an officer", "games manager"),
}
"""The form of values, by kind of parameter."""


class Parameter(ClosedModel):
    """A parameter of a pattern."""

    kind: ParameterKind
    """Kind of its value."""
    title: Prose
    """Its purpose, in a few words."""
    such_as: JsonValue = None
    """A sample value; by default, the sample of its kind."""
    optional: Literal[True] | None = None
    """An instance may leave it out; then every part that contains it is left out too."""
    usually: JsonValue = None
    """Value if an instance leaves it out. `{parameter: NAME}` takes it from the document or its game. `document`: the
    id of the document; `deck`: the cards of the deck; `decks`: the number of decks; `lines`: all wagers and bonuses;
    `lines-with-a-table`: the wagers and bonuses with a pay table; `ways-of-dealing`: the names of the ways of dealing;
    `deal`: the act of the deal."""

    @property
    def document_part(self) -> ParameterDefault | None:
        """The part of a document that supplies the value if an instance leaves it out; None if none does."""
        if not isinstance(self.usually, dict) or self.usually.keys() != {PARAMETER_KEY}:
            return None
        return next((part for part in get_args(ParameterDefault) if part == self.usually[PARAMETER_KEY]), None)

    @model_validator(mode="after")
    def _require_known_part(self) -> Self:
        if isinstance(self.usually, dict) and PARAMETER_KEY in self.usually and self.document_part is None:
            parts = ", ".join(get_args(ParameterDefault))
            raise ValueError(f"a document supplies one of these, as `{{{PARAMETER_KEY}: NAME}}`: {parts}")
        return self

    @property
    def sample(self) -> Any:
        """A valid value."""
        stated = None if self.document_part else self.usually
        known = [value for value in (self.such_as, stated) if value is not None]
        return known[0] if known else PARAMETER_KINDS[self.kind].sample


class Pattern(ClosedModel):
    """A requirement with parameters. It contains nothing that a text regulates: its instances supply clauses, severity
    and numbers other than 0 and 1."""

    title: Prose
    """Title of the requirement, in a phrase. Here and in the other texts, `{name}` is replaced by the value of a
    parameter, and wagers, steps and decisions by their titles."""
    message: Prose | None = None
    """Meaning of a failure, in a sentence; by default, the title."""
    broken: Prose | None = None
    """Sentence on what went wrong if an instance failed, in the past tense, beginning with who acted."""
    remedy: Prose | None = None
    """Corrective action for a failure."""
    parameters: dict[Identifier, Parameter] = {}
    """Its parameters."""
    check: PatternBody
    """The check, as in a requirement. `{parameter: NAME}` is replaced by the value of a parameter. The item `{for-each:
    NAME, put: …}` of a list is repeated for every item of a parameter, each time with that item as the parameter."""
    fault: PatternBody | None = None
    """The fault that breaks it in a simulated round, in the same form."""


class PatternsFile(ClosedModel):
    """The patterns of the vocabulary."""

    patterns: dict[Identifier, Pattern]
    """The patterns, by name."""


PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
"""Placeholder in a text for the value of a parameter."""

_ACT_SECTIONS = ("acts", "other-events")
_TITLED_SECTIONS = {
    **dict.fromkeys(("wager", "wagers"), ("wagers", "bonuses")),
    **dict.fromkeys(("decision", "decisions"), ("decisions",)),
    **dict.fromkeys(("step", "steps"), _ACT_SECTIONS),
}
_SECTION_KINDS = {"wagers": "wager", "decisions": "decision", "acts": "step", "other-events": "step"}
_STATEMENT_KEYS = {
    "wagers": {"of": "of", "times": "amount"},
    "decisions": {"when": "when", "wager": "places"},
    **{section: {"each": "each", "when": "when", "by": "by", "face": "face"} for section in _ACT_SECTIONS},
    "milestones": {"when": "when"},
}
"""Parameters of patterns, and the keys of wagers, decisions, acts and milestones that supply them."""
_NUMBER_WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_ALTERNATIVES = ("names", "decisions")


class PatternContext(Struct, frozen=True, kw_only=True):
    """The parts of a document that supply values of parameters."""

    document: str
    """Id of the document."""
    game: Mapping[str, Data] = field(default_factory=dict)
    """Game of the document as in its file; empty if it has none."""
    own_values: Mapping[str, Data] = field(default_factory=dict)
    """Values that the statement next to the requirement supplies, by parameter."""

    def at_statement(self, place: DataPath) -> PatternContext:
        """Return the context with the values of the statement of the game that contains a place."""
        section, name = place[:2]
        if section == VOID_KEY:
            return replace(self, own_values=_get_void_values(self._get_section(VOID_KEY), place))
        section_data = self.game.get(str(section))
        statement = (
            section_data.get(str(name))
            if isinstance(section_data, dict)
            else section_data[int(name)]
            if isinstance(section_data, list)
            else None
        )
        if not isinstance(statement, dict):
            return self
        own = {key: statement.get(word) for key, word in _STATEMENT_KEYS.get(str(section), {}).items()}
        if section in _ACT_SECTIONS and own["each"] is None:
            kinds = statement.get("event")
            own["each"] = find_usual_grain(
                list(map(str, kinds if isinstance(kinds, list) else [kinds])), str(statement.get("place"))
            )
        if section == "wagers" and isinstance(needs := statement.get("when"), dict) and set(needs) == {"placed"}:
            own["beside"] = needs["placed"]
        kind = _SECTION_KINDS.get(str(section))
        own |= {} if kind is None else {kind: name, f"{kind}s": [name]}
        return replace(self, own_values={key: value for key, value in own.items() if value is not None})

    def collect_titles(self, kind: str) -> dict[str, str]:
        """Return the titles of wagers and bonuses, decisions or steps by name, for a kind of parameter."""
        titles: dict[str, Data] = {}
        for section in _TITLED_SECTIONS.get(kind, ()):
            titles |= {
                name: entry.get("title")
                for name, entry in self._get_section(section).items()
                if isinstance(entry, dict)
            }
        return {name: title for name, title in titles.items() if isinstance(title, str)}

    def get_default(self, what: str) -> Data:
        """Return the value of an omitted parameter; None if the game does not supply one."""
        match what:
            case "document":
                return self.document
            case "deck":
                return self._get_section("deck").get("cards")
            case "decks":
                return self._get_section("deck").get("decks")
            case "lines":
                return [*self._get_section("wagers"), *self._get_section("bonuses")] or None
            case "lines-with-a-table":
                tables = [table for table in self._get_section("pay-tables").values() if isinstance(table, dict)]
                return list(dict.fromkeys(str(table.get("of")) for table in tables)) or None
            case "deal":
                return self._find_deal()
            case _:
                stages = self._get_section("deal").get("stages")
                stage_data = [stage for stage in stages if isinstance(stage, dict)] if isinstance(stages, list) else []
                ways = [stage.get("ways") for stage in stage_data]
                names = (name for ways_of_stage in ways if isinstance(ways_of_stage, dict) for name in ways_of_stage)
                return list(dict.fromkeys(names)) or None

    def _find_deal(self) -> str | None:
        """Return the act `deal`, or else the first act that only deals cards; None if there is none."""
        acts = self._get_section("acts")
        dealing = (name for name, act in acts.items() if isinstance(act, dict) and act.get("event") in (_DEAL, [_DEAL]))
        return _DEAL if _DEAL in acts else next(dealing, None)

    def _get_section(self, key: str) -> dict[str, Data]:
        section = self.game.get(key)
        return section if isinstance(section, dict) else {}


def _get_void_values(void: Mapping[str, Any], place: DataPath) -> dict[str, Data]:
    """Return the values that `void`, or the cause that contains a place in it, supplies to a requirement."""
    match place:
        case (_, "causes", int(number), *_):
            causes = [void["causes"][number]]
        case (_, "without-a-cause", *_):
            causes = [void["without-a-cause"]]
        case _:
            causes = void["causes"]
    first = {} if causes is void["causes"] else causes[0]
    others: list[Data] = []
    miscounts: list[Data] = []
    for cause in sorted(causes, key=_voids_seat):
        holds: Data = cause["cause"]
        if _voids_seat(cause):
            holds = [{"event": {"place": "player"}}, holds]
        (miscounts if cause.get("miscounts") else others).append(holds)
    if miscounts:
        others.append([{"any": miscounts}, {"not": {"dealt-in-turn": "broken-off"}}])
    repeated = [cause for cause in causes if not _voids_seat(cause)] or causes
    values: dict[str, Data] = {
        "again": _get_declaration(void, repeated[0]),
        "again-where": {"any": [cause["cause"] for cause in repeated]},
        "step": _get_declaration(void, first),
        "after": [_get_declaration(void, first)],
        "causes": [cause["title"] for cause in causes],
        "cases": [cause["cause"] for cause in causes],
        "where": first.get("cause", VOID_FOR_A_CAUSE),
        "each": first.get("voids", "round"),
        "what": ("hand" if _voids_seat(first) else "round") if first else "hand or round",
        "justified": others[0] if len(others) == 1 else {"any": others},
        "round-steps": _list_declarations(void, [cause for cause in causes if not _voids_seat(cause)]),
        "seat-steps": _list_declarations(void, [cause for cause in causes if _voids_seat(cause)]),
    }
    return {key: value for key, value in values.items() if value is not None}


def _voids_seat(cause: Mapping[str, Any]) -> bool:
    return cause.get("voids") == "seat"


def _get_declaration(void: Mapping[str, Any], cause: Mapping[str, Any]) -> Data:
    """Return the step in which a cause is declared."""
    return cause.get("declared") or void["declared"]


def _list_declarations(void: Mapping[str, Any], causes: Sequence[Mapping[str, Any]]) -> Data:
    """Return the steps in which causes are declared; None without a cause."""
    return list(dict.fromkeys(_get_declaration(void, cause) for cause in causes)) or None


def fill_text(text: str, pattern: Pattern, values: Mapping[str, Data], stated: PatternContext) -> str:
    """Fill the placeholders of a text with values; wagers, steps and decisions appear by their titles."""

    def replace_placeholder(match: re.Match[str]) -> str:
        name = match[1]
        return _format_value(pattern.parameters[name].kind, values[name], stated) if name in values else match[0]

    filled = PLACEHOLDER.sub(replace_placeholder, text)
    return filled[:1].upper() + filled[1:]


def _format_value(kind: str, value: Data, stated: PatternContext) -> str:
    match kind:
        case "amount":
            return format_money(parse_money(value))
        case "number" if isinstance(value, int) and 0 <= value < len(_NUMBER_WORDS):
            return _NUMBER_WORDS[value]
        case "words" | "officer":
            return str(value).rstrip(".")
    titles, names = stated.collect_titles(kind), value if isinstance(value, list) else [value]
    named = [titles.get(str(item), replace_hyphens(str(item))) for item in names]
    return join_names(named, "or" if kind in _ALTERNATIVES else "and")
