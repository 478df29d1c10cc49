"""Expansion of `void` of a game: facts, cases of settlement, miscounts and complete requirements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fairdeal.validator.rulebook.vocabulary.pattern_model import VOID_FOR_A_CAUSE, VOID_KEY
from fairdeal.validator.rulebook.vocabulary.rewritten_document import FilePart, NewPart, keep_parts, rewrite_document
from fairdeal.validator.rules.void_model import Void
from fairdeal.validator.text.diagnostics import InputError, limit_diagnostics
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument
from fairdeal.validator.text.validation import validate

_MOVED_KEYS = ("when", "cases")
_LISTS: tuple[tuple[str, str], ...] = (("settlement", "cases"), ("irregularities", "miscounts"))


def expand_void(tree: PositionedDocument) -> PositionedDocument:
    """Return a game with the facts, cases, requirements and miscounts of its `void`, positioned at its lines.

    Conditions move to the facts, and cases to the head of the settlement. Requirements stay in `void`; those without
    clauses or severity have the ones of their cause or of the section.

    Raises InputError if `void` breaks its model, or writes a fact that the game states.
    """
    here: DataPath = (VOID_KEY,)
    data: Any = tree.data
    if here not in tree.positions or not _has_form(data):
        return tree
    void = validate(tree, Void, at=here)
    section = _build_rest(tree, here) | {"causes": []}
    facts: dict[str, Any] = {}
    cases, miscounts = _build_cases(tree, here), list[NewPart]()
    causes = [(cause, (*here, "causes", index)) for index, cause in enumerate(void.causes)]
    if void.without_a_cause is not None:
        causes.append((void.without_a_cause, (*here, "without-a-cause")))
    for cause, place in causes:
        if cause.when is not None:
            facts[cause.cause] = FilePart(path=(*place, "when"))
        cases += _build_cases(tree, place, cause.cause)
        words = {"voids": cause.voids} | _find_defaults(tree, place, ("declared", "voids"))
        parts = keep_parts(tree, *place, "miscounts")
        miscounts += [NewPart(data={"place": miscounted, **words}, at=place) for miscounted in parts]
        rest = _build_rest(tree, place)
        if cause is void.without_a_cause:
            section["without-a-cause"] = rest
        else:
            section["causes"].append(rest)
    seats = [{"fact": cause.cause} for cause in void.causes if cause.voids == "seat"]
    rounds: list[Any] = [{"fact": cause.cause} for cause in void.causes if cause.voids == "round"]
    facts[VOID_KEY] = NewPart(data={"any": [{"fact": cause.cause} for cause, _ in causes]}, at=here)
    any_cause = [*rounds, *([{"some-seat": {"any": seats}}] if seats else [])]
    facts[VOID_FOR_A_CAUSE] = NewPart(data={"any": any_cause}, at=here)
    if twice := [fact for fact in facts if ("facts", fact) in tree.positions]:
        message, help_ = "`void` also states the fact {}", "give one of the two another name"
        raise InputError(
            limit_diagnostics(
                tree.build_diagnostic(("facts", fact), "semantic-error", message.format(fact), help=help_, at_key=True)
                for fact in twice
            )
        )
    written = {
        VOID_KEY: section,
        "facts": keep_parts(tree, "facts") | facts,
        "settlement": keep_parts(tree, "settlement") | {"cases": [*cases, *keep_parts(tree, "settlement", "cases")]},
        "irregularities": keep_parts(tree, "irregularities")
        | {"miscounts": [*keep_parts(tree, "irregularities", "miscounts"), *miscounts]},
    }
    return rewrite_document(tree, keep_parts(tree) | written, here)


def _has_form(game: Any) -> bool:
    """Return whether the sections that are added to are mappings with lists."""
    return all(isinstance(game.get(key, {}), dict) for key in ("facts", "settlement", "irregularities")) and all(
        isinstance(game.get(section, {}).get(key, []), list) for section, key in _LISTS
    )


def _build_rest(tree: PositionedDocument, place: DataPath) -> dict[str, Any]:
    """Build what stays in `void` of the section or of a cause: all but conditions and cases."""
    rest = {key: part for key, part in keep_parts(tree, *place).items() if key not in _MOVED_KEYS}
    defaults = _find_defaults(tree, place, ("clauses", "severity"))
    shared = [*keep_parts(tree, VOID_KEY, "readings")]
    requirements: list[NewPart] = []
    for part in keep_parts(tree, *place, "requirements"):
        readings = [*shared, *keep_parts(tree, *part.path, "readings")]
        data = defaults | keep_parts(tree, *part.path) | {"readings": readings}
        requirements.append(NewPart(data=data, at=part.path))
    return rest | ({"requirements": requirements} if requirements else {})


def _find_defaults(tree: PositionedDocument, place: DataPath, keys: Iterable[str]) -> dict[str, Any]:
    """Return what a cause, or else the section, states for all its parts."""
    holders = (place[:1], place)  # the cause has the last word
    paths = [(key, (*holder, key)) for key in keys for holder in holders if (*holder, key) in tree.positions]
    return {key: FilePart(path=path) for key, path in paths}


def _build_cases(tree: PositionedDocument, place: DataPath, cause: str | None = None) -> list[NewPart]:
    """Build the cases of settlement of a cause; those of the section if there is no cause."""
    defaults = _find_defaults(tree, place, ("clauses",))
    holds = {} if cause is None else {"when": {"fact": cause}}
    cases: list[NewPart] = []
    for part in keep_parts(tree, *place, "cases"):
        own = keep_parts(tree, *part.path)
        both = {"when": {"all": [holds["when"], own["when"]]}} if holds and "when" in own else {}
        cases.append(NewPart(data={"case": own["case"]} | defaults | holds | own | both, at=part.path))
    lines = _find_defaults(tree, place, ("returned",))
    if cause is not None and lines:
        returned = {"case": cause, "lines": lines["returned"], **holds, "due": "returned"}
        cases.append(NewPart(data=returned | defaults, at=place))
    return cases
