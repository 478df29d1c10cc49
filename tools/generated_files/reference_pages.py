"""Generated parts of the documentation: tables of every model and pattern, and their insertion into pages.

The tables are written from the schemas, so a page says what an editor says. A value that is another model links to its
heading on the same page. Every operator has a short example, which a test reads with its model; the names in it belong
to no real game.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.cards.ranking_models import DecksFile, RankingsFile
from fairdeal.validator.evidence.submission_model import Submission, WaiversFile
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.rulebook.pattern_model import PARAMETER_KINDS, Parameter, Pattern, PatternsFile
from fairdeal.validator.rules import document_model, example_model
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.rules.rule_files import PATTERNS_FILE, rules_folder
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.schemas.rule_file_schemas import FILE_MODELS
from fairdeal.validator.text.closed_model import OneOperatorModel, to_key
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.source import read_source
from fairdeal.validator.text.yaml_document import load_yaml
from tools.generated_files import schema_builders

OPERATOR_SAMPLES: Mapping[str, Mapping[str, str]] = {
    "Quantity": {key: quantity.sample for key, quantity in OPERATORS.quantities.items()},
    "Comparison": {key: bound.sample for key, bound in OPERATORS.comparisons.items()},
    "Condition": {
        key: condition.sample for key, condition in (*OPERATORS.conditions.items(), *Condition.SHORT_FORMS.items())
    },
    "Position": {
        "at": "{when: {players: dealt-in, equals: 2}, at: button}",
        "after": "{after: button}",
        "first-with": "{when: {not: {some-seat: {placed: ante}}}, first-with: main}",
        "last-with": "{when: {some-seat: {placed: ante}}, last-with: ante}",
        "best-showing": "{best-showing: open-cards}",
        "worst-showing": "{worst-showing: door-card}",
        "last-bettor": "{last-bettor: last-betting-round}",
    },
    "LeastRaise": {
        "at-least": "{at-least: {minimum: main}}",
        "as-last": "{when: {reading: {smallest-raise: last-raise}}, as-last: true}",
    },
    "OddTo": {
        "after": "{after: button}",
    },
    "OutcomeIs": {
        "one-of": "{of: spin, one-of: [1-18]}",
        "is": "{of: spin, is: selected}",
    },
    "Holds": {
        "at-least": "{hand: dealer, at-least: queen-high}",
        "is": "{hand: player, is: pair}",
    },
    "NumberStated": {
        "equals": "{equals: 52}",
        "differs-from": "{differs-from: 52}",
        "at-least": "{at-least: 10}",
        "at-most": "{at-most: 10}",
    },
    "Due": {
        "outcome": "{outcome: returned}",
        "odds": "{odds: 1 to 1, commission: {percent: 5}, stays: true}",
        "loses": "{loses: 1 to 2}",
        "share": "{share: {of: main, percent: 50}, commission: {percent: 5}}",
        "pay-table": "{pay-table: {of: main, hand: player, match: at-least}}",
    },
    "Value": {key: value.sample for key, value in SUBMISSION_OPERATORS.values_by_key.items()},
    "Counted": {
        "equals": "{count: deck.backs, equals: 2}",
        "at-least": "{count: layout.areas, when: {given: .wager}, at-least: 1}",
        "at-most": "{count: pay-tables, at-most: 3}",
    },
    "SubmissionCondition": {
        key: condition.sample
        for key, condition in (*SUBMISSION_OPERATORS.conditions.items(), *SubmissionCondition.SHORT_FORMS.items())
    },
    "Area": {
        "wager": "{wager: main, legend: Main wager}",
        "for": "{for: discards, legend: Discards, per: table}",
    },
    "SubmittedWaiver": {
        "clause": '{clause: "(2)", reason: Trial of a new shoe, by: The Commission, until: 2026-06-30}',
        "clauses": '{clauses: ["(2)", "(3)"], reason: Trial of a new shoe, by: The Commission}',
    },
    "Check": {
        "submitted": "{each: submission, must: {at: deck.decks, equals: 1}}",
        "pay-tables": "{pay-tables: {of: side, match: exactly, one-of: [side-a, side-b]}}",
        "publications": "{publications: {of: [side, bonus]}}",
        "signs": "{signs: {show: odds, of: [side, bonus]}}",
        "rule": "{each: seat, when: {placed: raise}, must: {placed: main}}",
        "settled": "{settled: {cases: [player-higher]}}",
        "capped": "{capped: {cap: payout-limit}}",
        "awarded": "{awarded: {asks: shares, when: played-out}}",
        "sequence": "{sequence: {steps: [{step: shuffle, times: at-least-one}, {step: deal}]}}",
        "order": "{order: {milestones: [{at: {first: reveal}, before: [raise]}]}}",
        "dealt": "{dealt: {asks: turn}}",
        "same-order": "{same-order: {steps: [fold, collect]}}",
        "drawn-by": "{drawn-by: {drawing: dealer, rules: [one-pair, no-pair]}}",
        "in-turn": "{in-turn: {steps: [settle, rack], from: dealer-right}}",
        "turns": "{turns: {step: reveal, starting: [button]}}",
        "every": "{every: {step: count, within: {rounds: 5}}}",
        "succession": "{succession: {deck: other}}",
        "needed": "{needed: {each: deck, since: [table-opens, round-dealt], steps: [shuffle], before: deal}}",
        "alike": "{alike: {at: options.version}}",
        "attested": "{attested: {statement: Dealers are trained., by: general manager}}",
    },
    "Within": {
        "rounds": "{rounds: 5}",
        "blocks-of": "{blocks-of: 5}",
        "hours": "{hours: 8}",
    },
    "EveryCheck": {
        "must": "{must: {events: count, at-least: 1}, within: {blocks-of: 5}}",
        "step": "{step: count, within: {hours: 8}, each: deck, counts: regular, when: {offers: side}}",
    },
    "SuccessionCheck": {
        "deck": "{deck: other, received: opened, removed: taken-away, when: {option: {second-deck: true}}}",
        "copies-since": "{copies-since: shuffle}",
        "must": "{each: player, must: {stack: start, equals: {previous: {stack: after}}}}",
    },
    "StakeFault": {
        "more": "{wager: raise, more: 5}",
        "less": "{wager: raise, less: 5}",
        "above-maximum": "{wager: main, above-maximum: 1}",
        "removed": "{wager: main, removed: true}",
        "added": "{wager: side, added: 5}",
        "tipped": "{wager: side, tipped: 1}",
        "renamed": "{wager: side, renamed: unknown-wager}",
        "selected": "{wager: side, selected: 17 20}",
    },
    "Moment": {
        "first": "{first: reveal}",
        "last": "{last: [settle, rack]}",
    },
    "Move": {
        "before": "{step: reveal, before: decision}",
        "after": "{step: shuffle, after: deal}",
    },
    "Insert": {
        "before": "{step: misdeal, before: deal}",
        "after": "{step: misdeal, after: deal, times: 2}",
    },
    "Fault": {
        "pay": "{upon: {when: {decided: fold}, stake: {wager: raise, added: 5}}, pay: over}",
        "stake": "{stake: {wager: raise, more: 5}}",
        "stack": "{stack: 301}",
        "seats": "{seats: 1}",
        "hands-of-one": "{hands-of-one: 3}",
        "decision": "{when: {decided: fold}, decision: none}",
        "other-decision": "{other-decision: double}",
        "card": "{card: repeated}",
        "act": "{act: {out-of-turn: true}}",
        "award": "{award: wrong-seat}",
        "rake": "{rake: {more: 1}}",
        "miscount": "{miscount: {place: player, more: 1}}",
        "between": "{between: {button: stays}}",
        "dealt": "{dealt: otherwise}",
        "omit": "{following: {some-seat: {decided: fold}}, omit: shuffle}",
        "expose": "{expose: card-shown}",
        "insert": "{insert: {step: misdeal, after: deal}}",
        "move": "{move: {step: reveal, before: decision}}",
        "swap": "{swap: deal}",
        "alter": "{alter: {step: deal, face: turned}}",
        "discard": "{when: {placed: raise}, discard: {place: player, cards: 3}}",
        "draw": "{draw: {place: dealer, more: 1}}",
        "set": "{set: {place: dealer, how: otherwise}}",
        "meter": "{meter: {name: jackpot, more: 5}}",
        "deck": "{deck: same}",
        "withdraw": "{withdraw: {step: withdrawal, wager: main, amount: 5, after: deal}}",
    },
    "ActFault": {
        "omitted": "{omitted: true, rounds: [on-the-river]}",
        "added": "{added: true}",
        "folded": "{folded: true}",
        "dealt-on": "{dealt-on: true}",
        "out-of-turn": "{out-of-turn: true}",
        "decision": "{decision: fold, manner: {as: call, say: decision}}",
        "less": "{less: 1}",
        "more": "{more: 1, manner: {say: total}}",
        "passes-for": "{passes-for: check}",
        "puts-in": "{puts-in: 301}",
        "below-smallest": "{below-smallest: true}",
        "more-than-stack": "{more-than-stack: 1}",
    },
    "RakeFault": {
        "more": "{more: 1}",
        "less": "{less: 1}",
    },
    "BetweenFault": {
        "button": "{button: stays}",
        "missing": "{missing: 1}",
        "pocketed": "{pocketed: 1}",
        "buys": "{buys: 19}",
    },
    "MiscountFault": {
        "more": "{place: player, more: 1}",
        "less": "{place: community, stage: third-card, less: 1}",
    },
    "Size": {
        "times": "{of: {betting: last-raise}, times: [1, 4]}",
        "between": "{of: {betting: pot}, between: [300, 1000]}",
    },
    "EarlierFault": {
        "stake": "{when: {decided: fold}, stake: {wager: raise, added: 5}}",
        "stack": "{stack: 400}",
    },
    "WithdrawFault": {
        "after": "{step: withdrawal, wager: main, amount: 5, after: deal}",
    },
    "MeterFault": {
        "more": "{name: jackpot, more: 5}",
        "less": "{name: jackpot, at: shown, less: 5}",
    },
    "Discarding": {
        "drawing": "{drawing: house, when: {placed: raise}, chance: 800}",
        "cards": "{cards: 2}",
    },
    "Occurrence": {
        "chance": "{chance: 1, steps: [count], when: {not: void}, states: 51}",
        "opening": "{opening: true, steps: [deck-opened], of: each-deck, before: shuffle}",
        "rounds": "{rounds: 5, steps: [count], after: settle}",
        "hours": "{hours: 8, steps: [deck-opened]}",
        "following": "{following: {some-seat: {decided: fold}}, steps: [deck-opened]}",
        "shoe": "{shoe: 230, steps: [shuffle, cut], before: wagers}",
        "shoe-ends": "{shoe-ends: 230, steps: [cutting-card], after: settle}",
    },
}
"""Examples as flow YAML, by the name of the model and the operator as it is written."""


Schema = Mapping[str, Any]

_PATTERN_NAMES = {
    "^[a-z0-9]+(-[a-z0-9]+)*$": "identifier",
    "^(/.*)?$": "JSON Pointer",
    "^[2-9TJQKA]+$": "signs of ranks",
    "^[cdhs]+$": "signs of suits",
}


class ReferencePage(Struct, frozen=True, kw_only=True):
    """Renderer of the sections of a reference page."""

    definitions: Mapping[str, Schema]
    """Schemas of all models and enumerations, by class name."""
    linked: Collection[str]
    """Names of the classes that have a section on the page."""

    def render_section(self, model: type[BaseModel]) -> str:
        """Render the section of one model: heading, description, table of its keys."""
        schema = self.definitions[model.__name__]
        mapping = schema["anyOf"][-1] if "anyOf" in schema and "properties" not in schema else schema
        blocks = [f"#### {schema_builders.format_model_title(model.__name__)}", schema["description"]]
        if "$id" in schema:
            blocks.append(f"This is a whole file: {schema['title'][0].lower()}{schema['title'][1:]}.")
        if issubclass(model, OneOperatorModel):
            blocks += self._render_operators(model, mapping)
        elif "properties" in mapping:
            blocks.append(
                render_table(
                    ("key", "", "value", "meaning"), self._list_fields(mapping, getattr(model, "UNWRITTEN", ()))
                )
            )
        return "\n\n".join(blocks) + "\n"

    def describe_value(self, part: Schema) -> str:
        """Return a description of the values that a schema allows."""
        match part:
            case {"$ref": ref}:
                return self._describe_reference(ref.rpartition("/")[2])
            case {"anyOf": options} | {"oneOf": options}:
                return " or ".join(self.describe_value(option) for option in options if option != {"type": "null"})
            case {"const": value}:
                return _format_code(value)
            case {"enum": values}:
                return ", ".join(map(_format_code, values))
            case {"type": "array"}:
                return f"list{_describe_sizes(part, 'Items')}: {self.describe_value(part['items'])}"
            case {"type": "object"}:
                return self._describe_mapping(part)
            case {"type": "integer"}:
                return f"whole number{_describe_range(part)}"
            case {"type": ["number", "string"]}:
                return "amount of money"
            case {"type": "boolean"}:
                return "`true` or `false`"
            case {"type": "string"}:
                return _describe_text(part)
            case _:
                return "anything"

    def _describe_reference(self, name: str) -> str:
        if "enum" in self.definitions[name]:
            return self.describe_value(self.definitions[name])
        title = schema_builders.format_model_title(name).lower()
        return f"[{title}](#{title.replace(' ', '-')})" if name in self.linked else title

    def _describe_mapping(self, part: Schema) -> str:
        value = part.get("additionalProperties")
        if not isinstance(value, Mapping) or not value:
            return "mapping"
        keys = self.describe_value({"type": "string", **part.get("propertyNames", {})})
        return f"mapping{_describe_sizes(part, 'Properties')}: {keys} to {self.describe_value(value)}"

    def _render_operators(self, model: type[OneOperatorModel], mapping: Schema) -> Iterator[str]:
        around = schema_builders.list_companion_keys(model)
        unwritten = model.UNWRITTEN
        if around:
            yield render_table(("key", "", "value", "meaning"), self._list_fields(mapping, unwritten, only=around))
        yield f"Exactly one of these operators is required{' in addition' if around else ''}:"
        samples = OPERATOR_SAMPLES.get(model.__name__, {})
        rows = (
            (
                _format_key(key, unwritten),
                self.describe_value(part),
                part.get("description", ""),
                _format_sample(samples.get(key)),
            )
            for key, part in mapping["properties"].items()
            if key not in around
        )
        yield render_table(("operator", "operand", "meaning", "example"), rows)
        if model in schema_builders.BARE_OPERATORS:
            keys = " or ".join(f"`{to_key(name)}`" for name in schema_builders.BARE_OPERATORS[model])
            yield f"The operand of {keys} may be written alone, without key and mapping."

    def _list_fields(
        self, mapping: Schema, unwritten: Collection[str] = (), only: Collection[str] | None = None
    ) -> Iterator[tuple[str, str, str, str]]:
        for key, part in mapping["properties"].items():
            if only is None or key in only:
                yield (
                    _format_key(key, unwritten),
                    _describe_need(mapping, key, part),
                    self.describe_value(part),
                    part.get("description", ""),
                )


def _format_key(key: str, unwritten: Collection[str]) -> str:
    return "no key" if key in unwritten else f"`{key}`"


def _describe_need(mapping: Schema, key: str, part: Schema) -> str:
    if key in mapping.get("required", ()):
        return "required"
    return f"else {_format_code(part['default'])}" if "default" in part else ""


def _describe_text(part: Schema) -> str:
    match part:
        case {"x-names": "submission-path"}:
            return "path in a submission"
        case {"x-names": "clause"}:
            return "label of a clause"
        case {"x-names": kind}:
            return f"name of a {kind.replace('-', ' ')}"
        case {"examples": ["5 to 1", *_]}:
            return "odds"
        case {"format": "date"}:
            return "day"
        case {"pattern": pattern}:
            return _PATTERN_NAMES.get(pattern, "day and time" if pattern.startswith("^[0-9]{4}-") else "text")
        case _:
            return "text"


def _describe_range(part: Schema) -> str:
    least, most = part.get("minimum"), part.get("maximum")
    if least is not None and most is not None:
        return f" from {least:,} to {most:,}"
    return "" if least is None else f", {least:,} or more"


def _describe_sizes(part: Schema, what: str) -> str:
    least, most = part.get(f"min{what}"), part.get(f"max{what}")
    if least is not None and most is not None:
        return f" of {least:,}" if least == most else f" of {least:,} to {most:,}"
    if most is not None:
        return f" of at most {most:,}"
    return "" if least is None else f" of {least:,} or more"


def _format_code(value: Any) -> str:
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _format_sample(text: str | None) -> str:
    return "" if text is None else f"`{text}`"


def render_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Render a Markdown table, its head first."""
    cells = [tuple(head), *(tuple(row) for row in rows)]
    lines = ["| " + " | ".join(cell.replace("\n\n", " ").replace("|", "\\|") for cell in row) + " |" for row in cells]
    lines.insert(1, "| " + " | ".join("---" for _ in cells[0]) + " |")
    return "\n".join(lines)


_DEFAULT_TEXTS = {
    "document": "the document's id",
    "deck": "the cards of the game's deck",
    "decks": "how many decks the game has",
    "lines": "all wagers and bonuses of the game",
    "lines-with-a-table": "those that have a pay table",
    "ways-of-dealing": "the ways of dealing of the game",
    "deal": "the act of the game that deals cards",
}


def render_pattern_reference() -> str:
    """Render every shipped pattern: name, text of an instance, parameters, whether it has a fault."""
    source = read_source(str(rules_folder() / "vocabulary" / PATTERNS_FILE))
    patterns = validate(load_yaml(source), PatternsFile).patterns
    return render_table(
        ("pattern", "what an instance says", "parameters"), (_render_row(*item) for item in patterns.items())
    )


def _render_row(name: str, pattern: Pattern) -> Iterator[str]:
    yield f"`{name}`"
    texts = [pattern.title, *([] if pattern.message is None else [pattern.message])]
    yield ". ".join(text.rstrip(".") for text in texts) + "." + (" With a fault." if pattern.fault else "")
    yield "<br>".join(f"`{key}`: {_describe_parameter(parameter)}" for key, parameter in pattern.parameters.items())


def _describe_parameter(parameter: Parameter) -> str:
    if parameter.optional:
        rest = "; may be left out"
    elif parameter.document_part is not None:
        rest = f"; left out, {_DEFAULT_TEXTS[parameter.document_part]}"
    elif parameter.usually is not None:
        rest = f"; left out, `{parameter.usually}`"
    else:
        rest = f", such as `{parameter.such_as}`" if parameter.such_as is not None else ""
    return (
        f"{PARAMETER_KINDS[parameter.kind].description}: "
        f"{parameter.title[:1].lower()}{parameter.title[1:].rstrip('.')}{rest}"
    )


_TOPICS: Mapping[str, tuple[type[BaseModel], ...]] = {
    "Documents, readings and profiles": (
        document_model.RulebookEdition,
        document_model.Document,
        document_model.ReadingFile,
        document_model.Profile,
    ),
    "Decks and hand rankings": (DecksFile, RankingsFile),
    "Conditions and quantities": (Condition,),
    "Games": (Game,),
    "Requirements and faults": (RequirementFile,),
    "Patterns": (PatternsFile,),
    "Examples, their bases and their snapshot": (
        example_model.ExampleFile,
        example_model.BasesFile,
        example_model.Snapshot,
    ),
    "Simulations": (Simulation,),
}
"""Headings of the rule reference with their models; each heading shows models and parts that were not shown before."""


_POKER = "Betting, pots and hand histories"
"""Heading of the models of games in which players bet against each other, the last."""


def render_rule_reference() -> str:
    """Render every model of the rule files, by topic. Submissions have a page of their own."""
    elsewhere = set(schema_builders.collect_models(Submission))
    shown: list[type[BaseModel]] = []
    topics: dict[str, list[type[BaseModel]]] = {}
    for heading, roots in _TOPICS.items():
        found = dict.fromkeys(model for root in roots for model in schema_builders.collect_models(root))
        new = [model for model in found if model not in elsewhere and model not in shown]
        topics[heading] = [model for model in new if not schema_builders.belongs_to_poker(model)]
        topics[_POKER] = [*topics.pop(_POKER, []), *(model for model in new if model not in topics[heading])]
        shown += new
    reference = ReferencePage(definitions=_collect_definitions(), linked={model.__name__ for model in shown})
    blocks: list[str] = []
    for heading, models in topics.items():
        blocks += [f"### {heading}\n", *map(reference.render_section, models)]
    return "\n".join(blocks).rstrip("\n")


def _render_reference(root: type[BaseModel]) -> str:
    """Render every model of a file."""
    found = schema_builders.collect_models(root)
    reference = ReferencePage(definitions=_collect_definitions(), linked={model.__name__ for model in found})
    return "\n".join(map(reference.render_section, found)).rstrip("\n")


GENERATED_PARTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "rule-language.md": {"reference": render_rule_reference},
    "patterns.md": {"patterns": render_pattern_reference},
    "formats.md": {
        "submission": partial(_render_reference, Submission),
        "waivers": partial(_render_reference, WaiversFile),
    },
}
"""Generators of the parts of each page in `docs/`, by name of the part."""


def fill_page(page: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Return a page with new parts between `<!-- generated: NAME -->` and `<!-- end: NAME -->`.

    Raises ValueError if the page does not have the markers of a part exactly once.
    """
    for name, make in parts.items():
        before, opening, rest = page.partition(f"<!-- generated: {name} -->\n")
        _, closing, after = rest.partition(f"<!-- end: {name} -->")
        if not closing or opening in after or closing in after:
            raise ValueError(f"the page does not have the markers of the part `{name}` exactly once")
        page = f"{before}{opening}\n{make()}\n\n{closing}{after}"
    return page


def _collect_definitions() -> dict[str, Any]:
    """Return the schemas of all models of the files that people write, by class name."""
    definitions: dict[str, Any] = {}
    for name, (model, title) in FILE_MODELS.items():
        schema = schema_builders.build_schema(model, name=name, title=title, as_written=False)
        definitions |= {**schema.get("$defs", {}), model.__name__: schema}
    return definitions
