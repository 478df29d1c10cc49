"""Warnings about names that rules expect in a submission, though the rulebook does not define them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

from validator.audit.submissions.names import Names, places_of_names
from validator.cautions.caution import Caution
from validator.evidence.submission.view import EARLIER
from validator.language.submission.conditions import SubmissionCondition, Value
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk
from validator.text.diagnostics import did_you_mean
from validator.text.trees.tree import Path

Keys = tuple[str, ...]
"""Keys that lead to a place of a submission, `*` for each item of a list."""
Known = Mapping[Keys, tuple[str, Names]]
"""For each place of a submission that takes names: the kind of name, and the names by alias."""


def known_names(rulebook: Rulebook, regulation: Regulation) -> Known:
    """Return the places of a submission that take names of the rulebook, except places whose names the rules list
    themselves."""
    return {
        place.keys: (place.what, place.names())
        for place in places_of_names(rulebook, regulation)
        if place.what not in ("notice", "use of an area", "kind of rake")
    }


def stated_names(known: Known, model: BaseModel) -> Iterator[Caution]:
    """Yield a warning for every undefined name that a condition on submissions expects."""
    checked: list[Path] = []
    for path, part in walk(model, ()):
        if isinstance(part, SubmissionCondition) and not any(path[: len(outer)] == outer for outer in checked):
            checked.append(path)
            for look in part.looks(path):
                if look.value is not None:
                    around: tuple[Keys, ...] = ()
                    for list_ in look.lists:
                        around = (*around, (*_resolve_keys(list_, around), "*"))
                    yield from _check_value(known, look.value, around, look.at[:-1])


def _check_value(known: Known, value: Value, around: Sequence[Keys], here: Path) -> Iterator[Caution]:
    keys = _resolve_keys(value.at, around)
    what, names = known.get((*keys, "*") if value.bound.of_items else keys, ("", {}))
    if not names:
        return
    several = isinstance(value.operand, list)
    for index, name in enumerate(value.bound.names(value.operand)):
        if isinstance(name, str) and name not in names.values():
            near = did_you_mean(name, names)
            yield Caution(
                code="unknown-name",
                at=(*here, value.operator, index) if several else (*here, value.operator),
                message=f"there is no {what} `{name}`, so no valid submission can state it",
                help=f"did you mean `{names[near]}`?"
                if near
                else f"name one of {', '.join(sorted(set(names.values())))}",
            )


def _resolve_keys(path: str, around: Sequence[Keys]) -> Keys:
    """Return the keys of a dotted path, relative to the list items it is used in."""
    dots = len(path) - len(path.lstrip("."))
    if dots > len(around):
        return ()
    rest = path.lstrip(".").removeprefix("" if dots else f"{EARLIER}.")
    return (*(around[-dots] if dots else ()), *(rest.split(".") if rest else ()))
