"""Forms of submissions for a document, blank or filled with an example that complies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path as FilePath
from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel

from fairdeal.validator.audit.examples.example_evidence import BASES_FILE
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission, evaluate_submission
from fairdeal.validator.evidence.submission_model import TO_BE_FILLED_IN, Submission
from fairdeal.validator.forms.form_entries import (
    FormDraft,
    FormEntry,
    FormField,
    SubmissionForm,
    format_requirement,
    list_entries,
)
from fairdeal.validator.forms.permitted_values import EACH_ITEM, PlaceKeys, collect_required_places, find_sole_values
from fairdeal.validator.results.findings import UNPROVEN, Status
from fairdeal.validator.rulebook.loading.simulation_file import SIMULATION_FILE, load_simulation
from fairdeal.validator.rulebook.vocabulary.submission_places import SubmissionPlace, place_from_annotation
from fairdeal.validator.rules.example_model import BasesFile
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.rule_files import rules_folder
from fairdeal.validator.text.closed_model import to_key
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.model_introspection import read_attribute_docs
from fairdeal.validator.text.source import read_source
from fairdeal.validator.text.validation import validate
from fairdeal.validator.text.yaml_document import load_yaml


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


_REQUIRED_KEYS = frozenset({"submission", "licensee", "document", "effective", "tables", "layout"})
_SUGGESTED_VALUES = {"tables": ["T1", "T2"]}
_EXCLUDED_KEYS = frozenset({"waivers"})
"""Keys that a new submission does not contain."""


def build_blank_form(
    regulation: Regulation, *, example: Submission, licensee: str | None, effective: date
) -> SubmissionForm:
    """Build the form of a submission, blank except for values that the rules fix.

    Args:
        regulation: The regulation.
        example: A submission that complies; its keys appear on the form.
        licensee: Name of the licensee, if known.
        effective: Day on which the submission takes effect.
    """
    data = {
        "submission": f"{regulation.id}-1",
        "licensee": {"name": licensee or TO_BE_FILLED_IN},
        "document": regulation.id,
        "effective": effective.isoformat(),
        "layout": {"style": regulation.id},
        **({} if regulation.game is None else {"wagers": []}),
    }
    return _build_form(regulation, data, example, filled=False)


def build_example_form(regulation: Regulation, example: Submission) -> SubmissionForm:
    """Build the form of a submission filled with an example."""
    return _build_form(regulation, example.to_file_data(), example, filled=True)


def _dump_submission(submission: Submission) -> dict[str, Any]:
    return submission.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _build_form(regulation: Regulation, data: dict[str, Any], example: Submission, *, filled: bool) -> SubmissionForm:
    day = date.fromisoformat(data["effective"])
    asked = collect_required_places(regulation, day)
    draft = FormDraft(
        regulation=regulation,
        day=day,
        required_places=asked,
        sole_values=tuple(find_sole_values(regulation, day)),
        example_places=frozenset(_list_places(_dump_submission(example), ())),
        data=data,
        is_example=filled,
    )
    fields = tuple(_build_fields(draft, Submission, (), data))
    left = [to_key(name) for name in Submission.model_fields]
    left = [key for key in left if key not in {field.key for field in fields}]
    return SubmissionForm(
        header=_build_head(regulation, filled=filled), fields=fields, footer=() if filled else _build_foot(left)
    )


def _list_places(data: object, here: PlaceKeys) -> Iterator[PlaceKeys]:
    yield here
    if isinstance(data, dict):
        for key, part in data.items():
            yield from _list_places(part, (*here, key))
    elif isinstance(data, list):
        for part in data:
            yield from _list_places(part, (*here, EACH_ITEM))


def _build_fields(draft: FormDraft, model: type[BaseModel], here: PlaceKeys, data: Any) -> Iterator[FormField]:
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
        about = (documented[name], *_describe_values(draft, place, kind), *_list_clause_texts(draft, place))
        field = FormField(key=key, comments=about)
        yield _fill_field(draft, field, place, kind, stated, blank=NoneType in get_args(info.annotation))


def _fill_field(
    draft: FormDraft, field: FormField, place: PlaceKeys, kind: SubmissionPlace, stated: Any, *, blank: bool
) -> FormField:
    """Return a field with its stated or suggested value; `blank` is whether it may stay blank."""
    key, about = field.key, field.comments
    only = draft.find_sole_value(place)
    if kind.fields is not None and "list" not in kind.kinds:
        fields = tuple(_build_fields(draft, kind.fields, place, stated))
        required = [name for name, info in kind.fields.model_fields.items() if info.is_required()]
        values = {inner_field.key: inner_field for inner_field in fields}
        is_incomplete = any(to_key(name) not in values or values[to_key(name)].value is None for name in required)
        return FormField(key=key, comments=about, fields=fields, is_chosen=stated is not None or not is_incomplete)
    if place == ("options",):
        return FormField(key=key, comments=about, fields=tuple(_build_option_fields(draft, stated)))
    items = list_entries(draft, place, stated)
    if items is not None:
        return FormField(
            key=key, comments=(*about, *_describe_entry_keys(draft, place, kind, items)), items=tuple(items)
        )
    if stated is not None:
        return FormField(key=key, comments=about, value=stated)
    if only is not None:
        return FormField(key=key, comments=about, value=only.value, is_chosen=not only.only_if_stated)
    if not blank:
        return FormField(key=key, comments=about, value=_SUGGESTED_VALUES.get(key), is_chosen=False)
    return field


def _describe_entry_keys(
    draft: FormDraft, place: PlaceKeys, kind: SubmissionPlace, items: list[FormEntry]
) -> Iterator[str]:
    """Yield descriptions of the keys of the entries of a list."""
    item = kind.get_item()
    if item is None or item.fields is None:
        return
    documented = read_attribute_docs(item.fields)
    keys = list(dict.fromkeys(field.key for entry in items for field in entry.fields))
    for name, info in item.fields.model_fields.items():
        key = to_key(name)
        if key in keys:
            may_be = _describe_values(draft, (*place, EACH_ITEM, key), place_from_annotation(info.annotation))
            yield " ".join((f"`{key}`: {documented[name]}", *may_be))


def _build_option_fields(draft: FormDraft, stated: Any) -> Iterator[FormField]:
    """Yield fields for the options that rules test."""
    names = sorted(
        {place[1] for place in draft.required_places.places if place[:1] == ("options",) and len(place) == 2}
    )
    for name in names if not draft.is_example else stated:
        place = ("options", name)
        values = draft.required_places.values.get(place, ())
        about = (f"Values known to the rules: {_join_values(values)}.",) if values else ()
        if values and all(isinstance(value, bool) for value in values):
            about = (f"true or false; the rules test {_join_values(values)}.",)
        only = draft.find_sole_value(place)
        yield FormField(
            key=name,
            comments=(*about, *_list_clause_texts(draft, place)),
            value=stated[name] if isinstance(stated, dict) else None if only is None else only.value,
            is_chosen=isinstance(stated, dict) or only is None,
        )


def _describe_values(draft: FormDraft, place: PlaceKeys, kind: SubmissionPlace) -> tuple[str, ...]:
    """Return a description of the values of a place, if there are only a few."""
    only = draft.find_sole_value(place)
    if only is not None:
        return (f"The rules allow only {_join_values((only.value,))}.",)
    if place == ("dealing",) and draft.regulation.game is not None:
        ways = [name for stage in draft.regulation.game.deal.stages for name in stage.ways]
        return (f"One of: {_join_values((*dict.fromkeys((*draft.required_places.values.get(place, ()), *ways)),))}.",)
    item = kind.get_item()
    choices = kind.choices if item is None else item.choices
    if choices is not None:
        return (f"{'One of' if item is None else 'In brackets, any of'}: {_join_values(sorted(choices))}.",)
    if kind.kinds == {"yes or no"}:
        return ("true or false.",)
    words = draft.required_places.values.get(place, ()) if EACH_ITEM not in place else ()
    if words and kind.fields is None and item is None:
        return (f"Values known to the rules: {_join_values(words)}.",)
    return ("In brackets: [one, another].",) if item is not None and item.fields is None else ()


def _join_values(values: Any) -> str:
    return ", ".join(_format_value(value) for value in values)


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _list_clause_texts(draft: FormDraft, place: PlaceKeys) -> Iterator[str]:
    """Yield the texts of the requirements on a place, each at the nearest key that is on the form."""
    for subject, requirement in draft.required_places.requirements_by_key.get(place[0], ()):
        nearest = subject
        while len(nearest) > 1 and not draft.is_on_form(nearest):
            nearest = nearest[:-1]
        if nearest == place:
            yield format_requirement(requirement)


def _build_head(regulation: Regulation, *, filled: bool) -> tuple[str, ...]:
    document, game = regulation.document, regulation.game
    title = document.title if game is None else game.title
    purpose = "an example that complies" if filled else "to be filled in"
    return (
        f"Submission for {title}: {purpose}.",
        f"The rules: {document.title}; {document.source.citation}. Their id is {document.document}.",
        "",
        "Lines with ## are explanations. Amounts are whole numbers of minor currency units: 500 is 5.00. Days are"
        " written 2026-01-31.",
        *(
            ()
            if filled
            else (
                "1. Fill in the blanks after the colons. What stays blank is not stated.",
                "2. Lines with a single # are optional: to use one, remove `# ` and fill in its blanks.",
                "3. `fairdeal check` reports what is missing or not lawful; with --fix it corrects what has only one"
                " possible meaning. `fairdeal new --example` shows a submission that complies.",
            )
        ),
    )


def _build_foot(left: list[str]) -> tuple[str, ...]:
    return (f"These keys may be stated as well; the rules do not refer to them: {', '.join(left)}.",) if left else ()
