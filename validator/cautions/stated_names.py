"""Warnings about names that rules expect in a submission, though the rulebook does not define them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

from validator.audit.submissions.names import Names, list_name_places
from validator.cautions.caution import RuleWarning
from validator.evidence.submission.view import EARLIER
from validator.language.submission.conditions import SubmissionCondition, Value
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk_models
from validator.text.diagnostics import find_similar
from validator.text.trees.tree import DataPath

SubmissionKeys = tuple[str, ...]
"""Keys that lead to a place of a submission, `*` for each item of a list."""
KnownNames = Mapping[SubmissionKeys, tuple[str, Names]]
"""For each place of a submission that takes names: the kind of name, and the names by alias."""


def collect_known_names(rulebook: Rulebook, regulation: Regulation) -> KnownNames:
    """Return the places of a submission that take names of the rulebook, except places whose names the rules list
    themselves."""
    return {
        place.keys: (place.what, place.names())
        for place in list_name_places(rulebook, regulation)
        if place.what not in ("notice", "use of an area", "kind of rake")
    }


def find_unknown_stated_names(known: KnownNames, model: BaseModel) -> Iterator[RuleWarning]:
    """Yield a warning for every undefined name that a condition on submissions expects."""
    checked: list[DataPath] = []
    for path, part in walk_models(model, ()):
        if isinstance(part, SubmissionCondition) and not any(path[: len(outer)] == outer for outer in checked):
            checked.append(path)
            for look in part.iterate_lookups(path):
                if look.value is not None:
                    around: tuple[SubmissionKeys, ...] = ()
                    for list_ in look.lists:
                        around = (*around, (*_resolve_keys(list_, around), "*"))
                    yield from _check_value(known, look.value, around, look.at[:-1])


def _check_value(
    known: KnownNames, value: Value, around: Sequence[SubmissionKeys], here: DataPath
) -> Iterator[RuleWarning]:
    keys = _resolve_keys(value.at, around)
    what, names = known.get((*keys, "*") if value.bound_operator.names_items else keys, ("", {}))
    if not names:
        return
    several = isinstance(value.operand, list)
    for index, name in enumerate(value.bound_operator.list_values(value.operand)):
        if isinstance(name, str) and name not in names.values():
            near = find_similar(name, names)
            yield RuleWarning(
                code="unknown-name",
                path=(*here, value.operator, index) if several else (*here, value.operator),
                message=f"there is no {what} `{name}`, so no valid submission can state it",
                help=f"did you mean `{names[near]}`?"
                if near
                else f"name one of {', '.join(sorted(set(names.values())))}",
            )


def _resolve_keys(path: str, around: Sequence[SubmissionKeys]) -> SubmissionKeys:
    """Return the keys of a dotted path, relative to the list items it is used in."""
    dots = len(path) - len(path.lstrip("."))
    if dots > len(around):
        return ()
    rest = path.lstrip(".").removeprefix("" if dots else f"{EARLIER}.")
    return (*(around[-dots] if dots else ()), *(rest.split(".") if rest else ()))
