"""Mutants of a rule file: one walk over its model and the data from which it was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Annotated, Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fairdeal.validator.evidence.submission_reader import find_money_keys
from fairdeal.validator.language.grammar import NamedChoice, find_short_form
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import SubmissionCondition, Value, find_last_path_key
from fairdeal.validator.rulebook.game_requirements import RuleFile
from fairdeal.validator.rules.document_model import Reading
from fairdeal.validator.rules.fault_model import StatementRequirement
from fairdeal.validator.rules.game_model import Act
from fairdeal.validator.rules.payment_model import ByTable, Case, Due, PayTable, PayTableRequirement
from fairdeal.validator.rules.regulation import Regulation, cache_by_regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.closed_model import AbbreviatedModel, ClosedModel, OneOperatorModel, to_key
from fairdeal.validator.text.plain_values import Payout, write_money
from fairdeal.validator.text.positioned_document import Data, DataPath
from tools.mutation.alternatives import (
    find_item_types,
    find_kind,
    is_money,
    list_allowed_values,
    list_days_near,
    list_names_near,
    list_numbers_near,
    list_others,
    list_payouts_near,
    list_words_near,
)
from tools.mutation.changes import Mutant, make_mutant
from tools.mutation.policy import AS_STATED, CITATIONS, INSTEAD, KEPT, NAMED, ORDERED, is_left_unchanged

_SHORT_FORMS = {"Condition": Condition.SHORT_FORMS, "SubmissionCondition": SubmissionCondition.SHORT_FORMS}
"""The short forms of models, by their names."""


def list_mutants(file: RuleFile, regulation: Regulation) -> list[Mutant]:
    """List every mutant of a file of a regulation, in the order of the file's model.

    Raises TypeError for a field that is neither changed nor listed with the reason why it is not.
    """
    walk = _Walk(file=file, regulation=regulation, judged=_judged_names(regulation), words=_words(regulation))
    return list(walk.model(file.model, ()))


def build_annotation(info: FieldInfo) -> Any:
    """Return the whole annotation of a field: pydantic keeps the outermost notes apart from the type."""
    return Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """Walk through a file. Places are paths into its data; `owner` and `field` name the owner of a value."""

    file: RuleFile
    regulation: Regulation
    judged: frozenset[tuple[str, str]]
    words: frozenset[str]

    def model(self, model: BaseModel, here: DataPath, main: tuple[str, str] | None = None) -> Iterator[Mutant]:
        """Yield the mutants of a mapping, key by key; absent keys as well.

        `main` is the key of the main part of an operand, and the operator under which a file writes that part.
        """
        if self.is_unjudged_step(model):
            return
        if not isinstance(self.get_data(here), dict):
            yield from self.shorthand(model, here)
            return
        short = find_short_form(_SHORT_FORMS.get(type(model).__name__, {}), self.get_data(here))
        if short is not None:  # the long form is changed through its operand
            field = short.replace("-", "_")
            annotation = build_annotation(type(model).model_fields[field])
            yield from self.value(self.get_data(here)[short], annotation, (*here, short), model, field)
            return
        if isinstance(model, NamedChoice):
            yield from self.choice(model, here)
            return
        if isinstance(model, OneOperatorModel):
            yield from self.operator(model, here)
        unwritten = type(model).UNWRITTEN if isinstance(model, ClosedModel) else ()
        main_parts = type(model).MAIN_PARTS if isinstance(model, AbbreviatedModel) else {}
        for field, info in type(model).model_fields.items():
            if is_left_unchanged(type(model).__name__, field) or (field == "clauses" and _cites_elsewhere(model)):
                continue
            key = to_key(field)
            if field in model.model_fields_set and key in main_parts:
                yield from self.model(getattr(model, field), here, (main_parts[key], key))
            elif main is not None and key == main[0]:
                yield from self.value(getattr(model, field), build_annotation(info), (*here, main[1]), model, field)
            elif field in model.model_fields_set and key in unwritten:
                yield from self.value(getattr(model, field), build_annotation(info), here, model, field)
            elif field in model.model_fields_set:
                place = (*here, key)
                if _may_go(model, field, info) and self.is_named(model, field):
                    yield self.take_out(place)
                yield from self.value(getattr(model, field), build_annotation(info), place, model, field)
            elif _has_default(info):
                yield from self.default(model, field, info, here)

    def is_unjudged_step(self, value: Any) -> bool:
        """Return whether a value is a step that no requirement judges; see `policy.UNCHANGED_STEP`."""
        return isinstance(value, Act) and ("step", value.name) not in self.judged

    def is_named(self, model: BaseModel, field: str) -> bool:
        """Return whether the document names anything of a field of the vocabulary; true of any other field."""
        return f"{type(model).__name__}.{field}" not in NAMED or not self.words.isdisjoint(getattr(model, field))

    def shorthand(self, model: BaseModel, here: DataPath) -> Iterator[Mutant]:
        """Yield the mutants of a model written as a bare number or text."""
        match model:
            case Condition(all_=list(parts)) | SubmissionCondition(all_=list(parts)):
                if len(parts) > 1:
                    value = {"any": self.get_data(here)}
                    yield self.make_mutant(here, "all -> any", target=here, value=value)
                annotation = build_annotation(type(model).model_fields["all_"])
                yield from self.list(parts, annotation, here, model, "all_")
            case Condition(fact=str(name)):
                yield from self.replace_value(here, list_names_near("fact", name, model, self.regulation))
            case Quantity(operator="exactly", operand=int(number)):
                yield from self.replace_value(
                    here, list_numbers_near(number, build_annotation(Quantity.model_fields["exactly"]))
                )
            case Quantity(operator="money", operand=int(amount)):
                yield from self.replace_value(here, [f"${write_money(near)}" for near in (amount - 1, amount + 1)])
            case Due(outcome=str(outcome)):
                yield from self.replace_value(
                    here, list_others(outcome, list_allowed_values(Due.model_fields["outcome"].annotation))
                )
            case ByTable(of=str(line)):
                yield from self.replace_value(here, list_names_near("line", line, model, self.regulation))
            case Due(odds=Payout()):
                yield from self.replace_value(here, list_payouts_near(self.get_data(here)))
            case StatementRequirement():
                return  # a name: what refers to it is changed instead
            case _:
                raise TypeError(f"no mutant is made of {type(model).__name__} in short")

    def choice(self, model: NamedChoice, here: DataPath) -> Iterator[Mutant]:
        """Yield another name for a choice, and another choice for the name."""
        (name,) = self.get_data(here)
        fields = type(model).model_fields
        _, chosen = fields
        names = self.list_alternatives(name, build_annotation(fields["name"]), here, model, "name")
        yield from self.rename_key(here, name, list(map(str, names)))
        yield from self.value(getattr(model, chosen), build_annotation(fields[chosen]), (*here, name), model, chosen)

    def operator(self, model: OneOperatorModel, here: DataPath) -> Iterator[Mutant]:
        """Yield another operator over the same operand, and a negation dropped."""
        data, old = self.get_data(here), model.operator
        alone = isinstance(model.operand, list) and len(model.operand) == 1
        if isinstance(model, Condition | SubmissionCondition) and old == "any" and not alone:
            yield self.make_mutant((*here, old), "any -> all", target=here, value=data["any"])
        unordered = isinstance(model, Value) and old == "equals" and type(model.operand) is not int
        if not alone and not unordered:
            key = old.removesuffix("-value")
            for new in INSTEAD.get(type(model).__name__, {}).get(key, ()):
                if key != old and new == "at-least":
                    continue  # no value at another place may be its bound
                renamed = {new if given == key else given: item for given, item in data.items()}
                yield self.make_mutant((*here, key), f"{key} -> {new}", target=here, value=renamed)
        if isinstance(model, Condition | SubmissionCondition) and old == "not":
            yield self.make_mutant((*here, old), "negation dropped", target=here, value=data["not"])

    def default(self, model: BaseModel, field: str, info: FieldInfo, here: DataPath) -> Iterator[Mutant]:
        """Yield other values in place of a default: omitted keys are law as well."""
        if f"{type(model).__name__}.{field}" in AS_STATED:
            return
        options = (
            [not info.default]
            if isinstance(info.default, bool)
            else self.other_listed_values(model, field, info.default, info)
        )
        for option in options:
            value = {**self.get_data(here), to_key(field): option}
            yield self.make_mutant(here, f"{to_key(field)}: {_format_value(option)} added", target=here, value=value)

    def other_listed_values(self, model: BaseModel, field: str, value: Any, info: FieldInfo) -> Sequence[Data]:
        """Return other values of a closed list; see `policy.UNCHANGED_EACH` for steps."""
        if isinstance(model, Act) and field == "each":
            return [] if model.when is None else ["seat"] if value == "round" else ["round"]
        return list_others(value, list_allowed_values(info.annotation))

    def value(self, value: Any, annotation: Any, here: DataPath, owner: BaseModel, field: str) -> Iterator[Mutant]:
        match value:
            case BaseModel():
                yield from self.model(value, here)
            case list():
                yield from self.list(value, annotation, here, owner, field)
            case dict() if isinstance(owner, Reading):
                yield from self.change_reading(owner, here)
            case dict():
                yield from self.mapping(value, annotation, here, owner, field)
            case _:
                yield from self.replace_value(here, self.list_alternatives(value, annotation, here, owner, field))

    def list(
        self, values: Sequence[Any], annotation: Any, here: DataPath, owner: BaseModel, field: str
    ) -> Iterator[Mutant]:
        """Yield a list with items taken away, exchanged if their order counts, and changed one by one."""
        owned = f"{type(owner).__name__}.{field}"
        if len(values) > 1 and owned not in KEPT:
            yield from (
                self.take_out((*here, index)) for index, item in enumerate(values) if not self.is_unjudged_step(item)
            )
        if owned == "Settlement.cases":
            yield from (self.swap_items(here, value, other) for value, other in _competing(values))
        if owned in ORDERED:
            yield from (self.swap_items(here, index, index + 1) for index in range(len(values) - 1))
        if field in CITATIONS and len(values) > 1 and isinstance(values[0], str):
            return
        (item_type,) = find_item_types(annotation, list)
        taken = self.get_data(here)
        for index, item in enumerate(values):
            place = (*here, index)
            yield from (
                change
                for change in self.value(item, item_type, place, owner, field)
                if change.target != place or change.value not in taken
            )

    def mapping(
        self, values: Mapping[str, Any], annotation: Any, here: DataPath, owner: BaseModel, field: str
    ) -> Iterator[Mutant]:
        """Yield a mapping with entries taken away, their keys renamed if they are names, and changed one by one."""
        owned = f"{type(owner).__name__}.{field}"
        if owned in NAMED:
            values = {key: item for key, item in values.items() if key in self.words}
        if len(values) > 1 and owned not in KEPT:
            yield from (self.take_out((*here, key)) for key in values)
        if isinstance(owner, PayTable):
            yield from self.exchange_odds(here)
        key_type, item_type = find_item_types(annotation, dict)
        kind = find_kind(key_type)
        for key, item in values.items():
            if owned == "RankingsFile.rankings" and key not in _rankings_in_use(self.regulation):
                continue
            if owned == "Game.facts" and ("fact", key) not in self.judged:
                continue
            if kind is not None:
                yield from self.rename_key(here, key, list_names_near(kind, key, owner, self.regulation))
            yield from self.value(item, item_type, (*here, key), owner, field)

    def list_alternatives(
        self, value: Any, annotation: Any, here: DataPath, owner: BaseModel, field: str
    ) -> Sequence[Data]:
        """Return the possible replacements of a plain value."""
        kind, values = find_kind(annotation), list_allowed_values(annotation)
        match value:
            case str() if kind is not None:
                names = list_names_near(kind, value, owner, self.regulation)
                return names[:1] if field in CITATIONS else names
            case True if values == (True,):
                return ()  # it says that something is so, and could say nothing else
            case bool():
                return [not value]
            case str() if values:
                return self.other_listed_values(owner, field, value, type(owner).model_fields[field])
            case int():
                near = list_numbers_near(value, annotation)
                is_amount = isinstance(owner, Value) and find_last_path_key(owner.at) in find_money_keys()
                return [write_money(number) for number in near] if is_amount or is_money(annotation) else near
            case Payout():
                return list_payouts_near(self.get_data(here))
            case date():
                return list_days_near(value)
            case str():
                return list_words_near(value, owner, field, self.regulation)
        raise TypeError(f"no mutant is made of {type(owner).__name__}.{field}")

    # The changes themselves

    def get_data(self, place: DataPath) -> Any:
        """Return the data at a place."""
        return self.file.tree.get_value(place)

    def make_mutant(self, place: DataPath, change: str, *, target: DataPath, value: Data) -> Mutant:
        """Build a mutant of this file."""
        return make_mutant(self.file.name, self.file.tree, place, change, target=target, value=value)

    def replace_value(self, place: DataPath, options: Sequence[Data]) -> Iterator[Mutant]:
        """Yield each option in place of the value."""
        old = self.get_data(place)
        for option in options:
            yield self.make_mutant(
                place, f"{_format_value(old)} -> {_format_value(option)}", target=place, value=option
            )

    def take_out(self, place: DataPath) -> Mutant:
        """Take the value at a place out of the list or mapping around it."""
        around = self.get_data(place[:-1])
        rest: Data
        if isinstance(around, list):
            rest = [item for index, item in enumerate(around) if index != place[-1]]
        else:
            rest = {key: item for key, item in around.items() if key != place[-1]}
        return self.make_mutant(place, "removed", target=place[:-1], value=rest)

    def swap_items(self, here: DataPath, one: int, other: int) -> Mutant:
        """Exchange two items of a list."""
        items = list(self.get_data(here))
        items[one], items[other] = items[other], items[one]
        apart = "next" if other == one + 1 else f"{other - one} further on"
        return self.make_mutant((*here, one), f"swapped with the {apart}", target=here, value=items)

    def exchange_odds(self, here: DataPath) -> Iterator[Mutant]:
        """Yield neighbouring rows of a pay table, each at the odds of the other."""
        rows = self.get_data(here)
        for row, other in pairwise(rows):
            if rows[row] != rows[other]:
                value = {**rows, row: rows[other], other: rows[row]}
                yield self.make_mutant((*here, row), f"odds exchanged with {other}", target=here, value=value)

    def change_reading(self, reading: Reading, here: DataPath) -> Iterator[Mutant]:
        """Yield each alternative as the adopted option, and the adopted option as an alternative."""
        for name, says in reading.alternatives.items():
            others = {option: reading.options[option] for option in reading.options if option != name}
            value = {**self.get_data(here[:-1]), "adopted": {name: says}, "alternatives": others}
            yield self.make_mutant(here, f"{reading.adopted} -> {name}", target=here[:-1], value=value)

    def rename_key(self, here: DataPath, key: str, names: Sequence[str]) -> Iterator[Mutant]:
        """Yield a key that is a name, replaced by another name that has no entry yet."""
        data = self.get_data(here)
        for name in names:
            if name not in data:
                value = {name if old == key else old: item for old, item in data.items()}
                yield self.make_mutant((*here, key), f"renamed {name}", target=here, value=value)


def _format_value(value: Data) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _has_default(info: FieldInfo) -> bool:
    """Return whether a key that is left out has a value, which is not empty."""
    return not info.is_required() and info.default_factory is None and info.default not in (None, [], {})


def _may_go(model: BaseModel, field: str, info: FieldInfo) -> bool:
    """Return whether a key can be left out, with another effect than the changes of its value."""
    if info.is_required() or (isinstance(model, OneOperatorModel) and field not in type(model).COMPANIONS):
        return False
    if _has_default(info):
        return False
    return field not in CITATIONS or len(getattr(model, field)) == 1


def _cites_elsewhere(model: BaseModel) -> bool:
    """Return whether findings cite other clauses; see `policy.UNCHANGED_CITATIONS`."""
    if isinstance(model, Requirement):
        return model.check.operator in ("settled", "capped", "drawn-by")
    return isinstance(model, StatementRequirement) and not isinstance(model, PayTableRequirement)


def _competing(cases: Sequence[Case]) -> list[tuple[int, int]]:
    """Return places of cases that follow each other in the settlement of some line."""
    pairs: set[tuple[int, int]] = set()
    for line in {line for case in cases for line in case.lines}:
        pairs.update(pairwise(index for index, case in enumerate(cases) if line in case.lines))
    return sorted(pairs)


def _rankings_in_use(regulation: Regulation) -> frozenset[str]:
    hands = [] if regulation.game is None else regulation.game.hands.values()
    return frozenset(
        name for hand in hands for name in (hand.rank_by, *(alternative.rank_by for alternative in hand.otherwise))
    )


@cache_by_regulation
def _words(regulation: Regulation) -> frozenset[str]:
    """Return every text in the game or in a requirement, including names of rows and the ends of named bands."""
    rankings = [regulation.vocabulary.rankings[name] for name in _rankings_in_use(regulation)]
    found = _collect_texts([regulation.game, *regulation.requirements])
    for ranking in rankings:
        found.update(end for name, band in ranking.bands.items() if name in found for end in (band.from_, band.to))
    return frozenset(found)


def _collect_texts(value: object) -> set[str]:
    """Return every text in a model, with the keys of its mappings."""
    texts: set[str] = set()
    waiting = [value]
    while waiting:
        match waiting.pop():
            case BaseModel() as model:
                waiting.extend(model.__dict__.values())
            case list() as items:
                waiting.extend(items)
            case dict() as entries:
                waiting.extend((*entries, *entries.values()))
            case str() as text:
                texts.add(text)
    return texts


@cache_by_regulation
def _judged_names(regulation: Regulation) -> frozenset[tuple[str, str]]:
    """Return kind and name of all that requirements, settlement and decisions refer to, also through facts and steps;
    see `policy.UNCHANGED_STEP`."""
    game = regulation.game
    waiting: list[BaseModel] = [requirement.check for requirement in regulation.requirements]
    if game is not None:
        waiting += [
            formula for case in game.settlement.cases for formula in (case.when, case.due) if formula is not None
        ]
        waiting += game.decisions.values()
        waiting += [part for part in (game.table, game.betting, game.pots) if part is not None]
    found: set[tuple[str, str]] = set()
    while waiting:
        for kind, name in set(_names_in(waiting.pop(), None)) - found:
            found.add((kind, name))
            if game is not None and kind == "fact":
                waiting.append(game.facts[name])
            elif game is not None and kind == "step":
                waiting.append(game.all_acts[name])
    return frozenset(found)


def _names_in(value: object, annotation: Any) -> Iterator[tuple[str, str]]:
    """Yield kind and name of everything that a model names in a field of its own or a list."""
    match value:
        case BaseModel():
            for name, info in type(value).model_fields.items():
                if name != "fault":  # it says what simulated rounds are made by
                    yield from _names_in(getattr(value, name), build_annotation(info))
        case list():
            for item in value:
                yield from _names_in(item, find_item_types(annotation, list)[0])
        case str():
            kind = find_kind(annotation)
            if kind is not None:
                yield kind, value
