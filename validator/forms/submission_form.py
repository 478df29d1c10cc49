"""Forms of submissions for a game, and the JSON Schema of its submissions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from datetime import date
from pathlib import Path as FilePath
from types import NoneType
from typing import Any, TypeAlias, get_args

from msgspec.structs import replace
from pydantic import BaseModel

from fairdeal.validator.audit.rule_review.example_evidence import BASES_FILE
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission, evaluate_submission
from fairdeal.validator.audit.submissions.submission_summary import list_name_places
from fairdeal.validator.evidence.submission_model import TO_BE_FILLED_IN, Submission
from fairdeal.validator.forms import form_entries
from fairdeal.validator.results.findings import UNPROVEN, Status
from fairdeal.validator.rulebook import submission_places
from fairdeal.validator.rulebook.rule_catalogue import collect_option_values
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.simulation_file import SIMULATION_FILE, load_simulation
from fairdeal.validator.rulebook.submission_places import SubmissionPlace, place_from_annotation
from fairdeal.validator.rules.example_model import BasesFile
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.rules.rule_files import load_bundle, rules_folder
from fairdeal.validator.text.closed_model import read_attribute_docs, to_key
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.plain_values import written_in
from fairdeal.validator.text.source import read_source
from fairdeal.validator.text.yaml_document import load_yaml

Schema: TypeAlias = dict[str, Any]

_REF_PREFIX = "#/$defs/"


def build_game_schema(rulebook: Rulebook, document: str) -> Schema:
    """Build the schema of submissions for a document. Raises InputError if the document cannot be loaded."""
    regulation = rulebook.regulation(document)
    schema = load_bundle("submission")
    parts: dict[str, Schema] = schema["$defs"]
    _resolve_reference(schema, parts)
    permitted = submission_places.collect_permitted_words(regulation)
    for place in list_name_places(rulebook, regulation):
        names = tuple(dict.fromkeys(place.names().values()))
        words = permitted.get(place.keys)
        for node in _list_nodes(schema, place.keys, parts):
            _insert_names(node, names if words is None else words, only=words is not None or not place.allows_own_names)
    _insert_rows(next(_list_nodes(schema, ("pay-tables", submission_places.EACH_ITEM), parts)), regulation)
    schema["properties"]["options"] = _build_options_schema(schema["properties"]["options"], parts, regulation)
    schema["properties"]["document"] |= {"const": document}
    game = regulation.game
    schema["$id"] = schema["$id"].replace("submission.json", f"submission/{document}.json")
    schema["title"] = f"A submission for {regulation.document.title if game is None else game.title}"
    schema["$defs"] = {name: part for name, part in parts.items() if name in _collect_used_parts(schema)}
    return schema


def _list_nodes(node: Schema, keys: submission_places.PlaceKeys, parts: dict[str, Schema]) -> Iterator[Schema]:
    """Yield the schemas of the values at a place.

    Shared schemas on the way are copied, so that the place can be changed on its own.
    """
    _resolve_reference(node, parts)
    if "anyOf" in node:
        for option in node["anyOf"]:
            if option.get("type") != "null":
                yield from _list_nodes(option, keys, parts)
    elif not keys:
        yield node
    elif keys[0] == submission_places.EACH_ITEM:
        if "items" in node:
            yield from _list_nodes(node["items"], keys[1:], parts)
    elif keys[0] in node.get("properties", {}):
        yield from _list_nodes(node["properties"][keys[0]], keys[1:], parts)


def _resolve_reference(node: Schema, parts: dict[str, Schema]) -> None:
    """Replace a reference by a copy of what it refers to."""
    if "$ref" in node:
        part = deepcopy(parts[node.pop("$ref").removeprefix(_REF_PREFIX)])
        node.update({**part, **node})


def _insert_names(node: Schema, names: Iterable[Any], *, only: bool) -> None:
    """Insert names into the schema of a text: as the only values, or as suggestions."""
    kinds = node.get("type", ())
    if "string" not in ([kinds] if isinstance(kinds, str) else kinds) or not names:
        return
    named = {"enum": [*names, *([None] if "null" in kinds else ())]}
    if only:
        for key in ("pattern", "minLength", "maxLength"):
            node.pop(key, None)
        node.update(named)
    else:
        text = {key: node.pop(key) for key in list(node) if key != "description"}
        node["anyOf"] = [named, text]


def _insert_rows(table: Schema, regulation: Regulation) -> None:
    """Restrict the rows of pay tables for each line."""
    lines = submission_places.collect_permitted_rows(regulation)
    if lines:
        table["allOf"] = [
            {
                "if": {"properties": {"pays": {"const": line}}, "required": ["pays"]},
                "then": {"properties": {"rows": {"items": {"properties": {"hand": {"enum": list(rows)}}}}}},
            }
            for line, rows in lines.items()
        ]


def _build_options_schema(options: Schema, parts: dict[str, Schema], regulation: Regulation) -> Schema:
    """Return the schema of the options that rules test, with the possible values."""
    permitted = submission_places.collect_permitted_words(regulation)
    known = {}
    _resolve_reference(options, parts)
    for option in options["additionalProperties"]["anyOf"]:
        _resolve_reference(option, parts)
    for name, values in collect_option_values(regulation).items():
        value = deepcopy(options["additionalProperties"])
        has_truth_values = any(isinstance(expected, bool) for expected in values)
        texts = [expected for expected in values if isinstance(expected, str)]
        kinds = {"boolean": has_truth_values or not values, "string": bool(texts) or not values, "null": True}
        value["anyOf"] = [option for option in value["anyOf"] if kinds[option["type"]]]
        words = permitted.get(("options", name))
        for option in value["anyOf"]:
            _insert_names(option, texts if words is None else words, only=words is not None)
        known[name] = value
    rest = {key: value for key, value in options.items() if key != "propertyNames"}
    return {**rest, "properties": known, "additionalProperties": False}


def _collect_used_parts(schema: Schema) -> set[str]:
    """Return the parts that a schema refers to, directly or through other parts."""
    used: set[str] = set()
    parts = schema["$defs"]
    pending = [{key: part for key, part in schema.items() if key != "$defs"}]
    while pending:
        new = {name for name in _list_references(pending.pop()) if name not in used}
        used |= new
        pending += [parts[name] for name in sorted(new)]
    return used


def _list_references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix(_REF_PREFIX)
        for part in node.values():
            yield from _list_references(part)
    elif isinstance(node, list):
        for part in node:
            yield from _list_references(part)


def find_compliant_submission(regulation: Regulation, folder: FilePath | None = None) -> Submission:
    """Return a submission that complies with a regulation. Raises InputError if its folder contains none."""
    submission = next(_list_compliant(regulation, folder), None)
    if submission is None:
        message = f"neither the simulation nor the examples of {regulation.id} have a submission that complies"
        raise InputError((Diagnostic(code="no-example", message=message),))
    return submission


def _list_compliant(regulation: Regulation, folder: FilePath | None) -> Iterator[Submission]:
    home = (folder or rules_folder()) / regulation.id
    if (home / SIMULATION_FILE).exists():
        yield load_simulation(regulation, folder).submission
    if not (home / "examples" / BASES_FILE).exists():
        return
    tree = load_yaml(read_source(str(home / "examples" / BASES_FILE)))
    bases: list[Submission] = []
    for name in validate(tree, BasesFile).submissions:
        with suppress(InputError):
            bases.append(validate(tree, Submission, at=("submissions", name)))
    for submission in sorted(bases, key=lambda submission: submission.effective, reverse=True):
        verdicts = evaluate_submission(regulation, FiledSubmission(submission=submission, tree=tree))
        if not {verdict.status for verdict in verdicts} & {Status.FAIL, *UNPROVEN}:
            yield submission


_REQUIRED_KEYS = frozenset({"submission", "licensee", "document", "effective", "tables", "currency", "layout"})
_SUGGESTED_VALUES = {"tables": ["T1", "T2"]}
_EXCLUDED_KEYS = frozenset({"waivers"})
"""Keys that a new submission does not contain."""


def build_blank_form(
    regulation: Regulation, *, example: Submission, licensee: str | None, effective: date, currency: str | None = None
) -> form_entries.SubmissionForm:
    """Build the form of a submission, blank except for values that the rules fix.

    Args:
        regulation: The regulation.
        example: A submission that complies; its keys appear on the form.
        licensee: Name of the licensee, if known.
        effective: Day on which the submission takes effect.
        currency: Currency of the amounts, if known.
    """
    data = {
        "submission": f"{regulation.id}-1",
        "licensee": {"name": licensee or TO_BE_FILLED_IN},
        "document": regulation.id,
        "effective": effective.isoformat(),
        **({} if currency is None else {"currency": currency}),
        "layout": {"style": regulation.id},
        **({} if regulation.game is None else {"wagers": []}),
    }
    with written_in(currency):
        return _build_form(regulation, data, example, filled=False)


def build_example_form(regulation: Regulation, example: Submission) -> form_entries.SubmissionForm:
    """Build the form of a submission filled with an example."""
    return _build_form(regulation, example.to_file_data(), example, filled=True)


def _dump_submission(submission: Submission) -> dict[str, Any]:
    return submission.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _build_form(
    regulation: Regulation, data: dict[str, Any], example: Submission, *, filled: bool
) -> form_entries.SubmissionForm:
    day = date.fromisoformat(data["effective"])
    asked = submission_places.collect_required_places(regulation, day)
    draft = form_entries.FormDraft(
        regulation=regulation,
        day=day,
        required_places=asked,
        sole_values=tuple(submission_places.find_sole_values(regulation, day)),
        example_places=frozenset(_list_places(_dump_submission(example), ())),
        data=data,
        is_example=filled,
    )
    fields = tuple(_build_fields(draft, Submission, (), data))
    left = [to_key(name) for name in Submission.model_fields]
    left = [key for key in left if key not in {field.key for field in fields}]
    return form_entries.SubmissionForm(
        header=_build_head(regulation, filled=filled),
        fields=fields,
        other_keys=() if filled else tuple(left),
        is_blank=not filled,
    )


def _list_places(data: object, here: submission_places.PlaceKeys) -> Iterator[submission_places.PlaceKeys]:
    yield here
    if isinstance(data, dict):
        for key, part in data.items():
            yield from _list_places(part, (*here, key))
    elif isinstance(data, list):
        for part in data:
            yield from _list_places(part, (*here, submission_places.EACH_ITEM))


def _build_fields(
    draft: form_entries.FormDraft, model: type[BaseModel], here: submission_places.PlaceKeys, data: Any
) -> Iterator[form_entries.FormField]:
    documented = read_attribute_docs(model)
    for name, info in model.model_fields.items():
        key = to_key(name)
        place = (*here, key)
        stated = data.get(key) if isinstance(data, dict) else None
        if here == () and (
            key in _EXCLUDED_KEYS or not (draft.is_on_form(place) or (key in _REQUIRED_KEYS and not draft.is_example))
        ):
            continue
        if here and not draft.is_on_form(place):
            continue
        kind = place_from_annotation(info.annotation)
        field = form_entries.FormField(
            key=key,
            comments=(documented[name],),
            permitted=_find_permitted(draft, place, kind),
            requirements=tuple(_list_requirements(draft, place)),
        )
        yield _fill_field(draft, field, place, kind, stated, blank=NoneType in get_args(info.annotation))


def _fill_field(
    draft: form_entries.FormDraft,
    field: form_entries.FormField,
    place: submission_places.PlaceKeys,
    kind: SubmissionPlace,
    stated: Any,
    *,
    blank: bool,
) -> form_entries.FormField:
    """Return a field with its stated or suggested value; `blank` is whether it may stay blank."""
    only = draft.find_sole_value(place)
    if kind.fields is not None and "list" not in kind.kinds:
        fields = tuple(_build_fields(draft, kind.fields, place, stated))
        required = [name for name, info in kind.fields.model_fields.items() if info.is_required()]
        values = {inner_field.key: inner_field for inner_field in fields}
        is_incomplete = any(to_key(name) not in values or values[to_key(name)].value is None for name in required)
        return replace(field, fields=fields, is_chosen=stated is not None or not is_incomplete)
    if place == ("options",):
        return replace(field, fields=tuple(_build_option_fields(draft, stated)))
    items = form_entries.list_entries(draft, place, stated)
    if items is not None:
        return replace(field, entry_keys=tuple(_explain_entry_keys(draft, place, kind, items)), items=tuple(items))
    if stated is not None:
        return replace(field, value=stated)
    if only is not None:
        return replace(field, value=only.value, is_chosen=not only.only_if_stated)
    if not blank:
        return replace(field, value=_SUGGESTED_VALUES.get(field.key), is_chosen=False)
    return field


def _explain_entry_keys(
    draft: form_entries.FormDraft,
    place: submission_places.PlaceKeys,
    kind: SubmissionPlace,
    items: list[form_entries.FormEntry],
) -> Iterator[form_entries.EntryKey]:
    """Yield explanations of the keys of the entries of a list."""
    item = kind.get_item()
    if item is None or item.fields is None:
        return
    documented = read_attribute_docs(item.fields)
    keys = list(dict.fromkeys(field.key for entry in items for field in entry.fields))
    for name, info in item.fields.model_fields.items():
        key = to_key(name)
        if key in keys:
            permitted = _find_permitted(
                draft, (*place, submission_places.EACH_ITEM, key), place_from_annotation(info.annotation)
            )
            yield form_entries.EntryKey(key=key, meaning=documented[name], permitted=permitted)


def _build_option_fields(draft: form_entries.FormDraft, stated: Any) -> Iterator[form_entries.FormField]:
    """Yield fields for the options that rules test."""
    names = sorted(
        {place[1] for place in draft.required_places.places if place[:1] == ("options",) and len(place) == 2}
    )
    for name in names if not draft.is_example else stated:
        place = ("options", name)
        values = tuple(draft.required_places.values.get(place, ()))
        is_truth = bool(values) and all(isinstance(value, bool) for value in values)
        only = draft.find_sole_value(place)
        yield form_entries.FormField(
            key=name,
            permitted=form_entries.PermittedValues(kind="truth" if is_truth else "known", values=values)
            if values
            else None,
            requirements=tuple(_list_requirements(draft, place)),
            value=stated[name] if isinstance(stated, dict) else None if only is None else only.value,
            is_chosen=isinstance(stated, dict) or only is None,
        )


def _find_permitted(
    draft: form_entries.FormDraft, place: submission_places.PlaceKeys, kind: SubmissionPlace
) -> form_entries.PermittedValues | None:
    """Return the values that a place may have, if there are only a few."""
    only = draft.find_sole_value(place)
    if only is not None:
        return form_entries.PermittedValues(kind="only", values=(only.value,))
    words = draft.required_places.values.get(place, ())
    if place == ("dealing",) and draft.regulation.game is not None:
        ways = [name for stage in draft.regulation.game.deal.stages for name in stage.ways]
        return form_entries.PermittedValues(kind="one", values=tuple(dict.fromkeys((*words, *ways))))
    item = kind.get_item()
    choices = kind.choices if item is None else item.choices
    if choices is not None:
        return form_entries.PermittedValues(kind="one" if item is None else "several", values=tuple(sorted(choices)))
    if kind.kinds == {"yes or no"}:
        return form_entries.PermittedValues(kind="truth")
    if words and submission_places.EACH_ITEM not in place and kind.fields is None and item is None:
        return form_entries.PermittedValues(kind="known", values=tuple(words))
    is_plain_list = item is not None and item.fields is None
    return form_entries.PermittedValues(kind="list") if is_plain_list else None


def _list_requirements(draft: form_entries.FormDraft, place: submission_places.PlaceKeys) -> Iterator[Requirement]:
    """Yield the requirements on a place, each at the nearest key that is on the form."""
    for subject, requirement in draft.required_places.requirements_by_key.get(place[0], ()):
        nearest = subject
        while len(nearest) > 1 and not draft.is_on_form(nearest):
            nearest = nearest[:-1]
        if nearest == place:
            yield requirement


def _build_head(regulation: Regulation, *, filled: bool) -> tuple[str, ...]:
    document, game = regulation.document, regulation.game
    title = document.title if game is None else game.title
    purpose = "an example that complies" if filled else "to be filled in"
    return (
        f"Submission for {title}: {purpose}.",
        f"The rules: {document.title}; {document.source.citation}. Their id is {document.document}.",
    )
