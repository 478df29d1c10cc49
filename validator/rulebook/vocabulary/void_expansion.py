"""Expansion of `void` of a game: facts, cases of settlement, requirements and miscounts that it writes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.rulebook.vocabulary.pattern_model import VOID_FOR_A_CAUSE, VOID_KEY
from fairdeal.validator.rules.void_model import DUTIES, WORD_KEYS, Void, VoidCause
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument, SourcePosition
from fairdeal.validator.text.validation import validate

_FACTS: DataPath = ("facts",)
_CASES: DataPath = ("settlement", "cases")
_MISCOUNTS: DataPath = ("irregularities", "miscounts")
_FORMS = ((_FACTS, dict), (_CASES[:1], dict), (_CASES, list), (_MISCOUNTS[:1], dict), (_MISCOUNTS, list))
_REQUIREMENTS_KEY = "requirements"
_READINGS_KEY = "readings"
_MOVED_KEYS = ("when", "cases", *DUTIES)
_DEFAULT_KEYS = ("clauses", "severity")


class _Part(Struct, frozen=True, kw_only=True):
    """A part of the file that is written elsewhere with its positions."""

    path: DataPath
    """Its place in the file."""


class _Written(Struct, frozen=True, kw_only=True):
    """Data that is written out, with parts of the file in it."""

    data: Any
    """The data."""
    at: DataPath
    """Place in the file of what it is written from."""


def expand_void(tree: PositionedDocument) -> PositionedDocument:
    """Return a game with the facts, cases, requirements and miscounts of its `void`, positioned at its lines.

    Conditions move to the facts, and cases to the head of the settlement. Requirements stay in `void`; those without
    clauses or severity have the ones of their cause or of the section.

    Raises InputError if `void` breaks its model, names a cause without words, or writes a fact that the game states.
    """
    is_malformed = any(path in tree.positions and not isinstance(tree.get_value(path), form) for path, form in _FORMS)
    here: DataPath = (VOID_KEY,)
    if here not in tree.positions or is_malformed:
        return tree
    void = validate(tree, Void, at=here)
    causes = [(cause, (*here, "causes", index)) for index, cause in enumerate(void.causes)]
    section = _build_rest(tree, here) | {"causes": [_build_rest(tree, place) for _, place in causes]}
    section.pop("without-a-cause", None)
    rounds = [{"fact": cause.cause} for cause in void.causes if cause.voids == "round"]
    seats = [{"fact": cause.cause} for cause in void.causes if cause.voids == "seat"]
    if void.without_a_cause is not None:
        causes.append((void.without_a_cause, (*here, "without-a-cause")))
        if void.without_a_cause.returns is not None or void.without_a_cause.requirements:
            section["without-a-cause"] = _build_rest(tree, causes[-1][1])
    any_cause = [*rounds, *([{"some-seat": {"any": seats}}] if seats else [])]
    facts = {
        VOID_KEY: _Written(data={"any": [{"fact": cause.cause} for cause, _ in causes]}, at=here),
        VOID_FOR_A_CAUSE: _Written(data={"any": any_cause}, at=here),
        **{cause.cause: _Part(path=(*place, "when")) for cause, place in causes if cause.when is not None},
    }
    if problems := list(_find_problems(tree, void, facts)):
        raise InputError(limit_diagnostics(problems))
    cases = _build_cases(tree, None, here)
    miscounts: list[_Written] = []
    for cause, place in causes:
        cases += _build_cases(tree, cause, place)
        words = {"voids": cause.voids} | _find_defaults(tree, place, ("declared", "voids"))
        places = _list_items(tree, (*place, "miscounts"))
        miscounts += [_Written(data={"place": miscounted} | words, at=place) for miscounted in places]
    return _write(tree, section, facts, cases, miscounts)


def _find_problems(tree: PositionedDocument, void: Void, facts: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield diagnostics for causes without words, and for facts that the game also states."""
    for index, cause in enumerate(void.causes):
        if cause.title is None and not cause.miscounts:
            message = f"the cause {cause.cause} needs a `title`: the cause in a few words"
            yield tree.build_diagnostic((VOID_KEY, "causes", index, "cause"), "missing-key", message)
    for fact in facts:
        if (*_FACTS, fact) in tree.positions:
            message, help_ = f"`{VOID_KEY}` also states the fact {fact}", "give one of the two another name"
            yield tree.build_diagnostic((*_FACTS, fact), "semantic-error", message, help=help_, at_key=True)


def _build_rest(tree: PositionedDocument, place: DataPath) -> dict[str, Any]:
    """Build what stays in `void` of the section or of a cause: all but conditions and cases, duties as requirements."""
    entry: Any = tree.get_value(place)
    rest: dict[str, Any] = {key: _Part(path=(*place, key)) for key in entry if key not in _MOVED_KEYS}
    defaults = _find_defaults(tree, place, _DEFAULT_KEYS)
    shared, requirements = _list_items(tree, (VOID_KEY, _READINGS_KEY)), list[_Written]()
    for index, requirement in enumerate(entry.get(_REQUIREMENTS_KEY, ())):
        at: DataPath = (*place, _REQUIREMENTS_KEY, index)
        own = defaults | {key: _Part(path=(*at, key)) for key in requirement}
        own[_READINGS_KEY] = [*shared, *_list_items(tree, (*at, _READINGS_KEY))]
        requirements.append(_Written(data=own, at=at))
    for duty in (duty for duty in DUTIES if duty in entry):
        at = (*place, duty)
        is_bare = isinstance(entry[duty], str)
        keys = {"requirement": _Part(path=at)} if is_bare else {key: _Part(path=(*at, key)) for key in entry[duty]}
        own = defaults | {key: part for key, part in keys.items() if key in WORD_KEYS}
        own[_READINGS_KEY] = [*shared, *_list_items(tree, (*at, _READINGS_KEY))]
        pattern = {"name": f"{VOID_KEY}-{duty}"} | {key: part for key, part in keys.items() if key not in WORD_KEYS}
        requirements.append(_Written(data=own | {"pattern": pattern}, at=at))
    return rest | ({_REQUIREMENTS_KEY: requirements} if requirements else {})


def _list_items(tree: PositionedDocument, path: DataPath) -> list[_Part]:
    """Return the items of a list of the file; nothing if there is no such list."""
    items: Any = tree.get_value(path) if path in tree.positions else ()
    return [_Part(path=(*path, index)) for index in range(len(items))]


def _find_defaults(tree: PositionedDocument, place: DataPath, keys: Iterable[str]) -> dict[str, Any]:
    """Return what a cause, or else the section, states for all its parts."""
    holders = (place[:1], place)  # the cause has the last word
    paths = [(key, (*holder, key)) for key in keys for holder in holders if (*holder, key) in tree.positions]
    return {key: _Part(path=path) for key, path in paths}


def _build_cases(tree: PositionedDocument, cause: VoidCause | None, place: DataPath) -> list[_Written]:
    """Build the cases of settlement of a cause; those of the section if there is no cause."""
    entry: Any = tree.get_value(place)
    defaults: dict[str, Any] = _find_defaults(tree, place, _DEFAULT_KEYS[:1])
    holds = {} if cause is None else {"when": {"fact": cause.cause}}
    cases: list[_Written] = []
    for index, case in enumerate(entry.get("cases", ())):
        at: DataPath = (*place, "cases", index)
        own = {key: _Part(path=(*at, key)) for key in case}
        both = {"when": {"all": [holds["when"], own["when"]]}} if holds and "when" in own else {}
        cases.append(_Written(data={"case": own["case"]} | defaults | holds | own | both, at=at))
    lines = _find_defaults(tree, place, ("returned",))
    if cause is not None and lines:
        returned = {"case": cause.cause, "lines": lines["returned"], **holds, "due": "returned"}
        cases.append(_Written(data=returned | defaults, at=place))
    return cases


def _write(
    tree: PositionedDocument,
    section: Mapping[str, Any],
    facts: Mapping[str, Any],
    cases: Sequence[_Written],
    miscounts: Sequence[_Written],
) -> PositionedDocument:
    """Return the game with the parts of `void` in their places."""
    inside = {path: position for path, position in tree.positions.items() if path[:1] == (VOID_KEY,)}
    positions: dict[DataPath, SourcePosition] = {}
    for path, position in tree.positions.items():
        if path[:2] == _CASES and path != _CASES:
            positions[*_CASES, int(path[2]) + len(cases), *path[3:]] = position
        elif path not in inside:
            positions[path] = position

    def write(node: Any, target: DataPath, at: DataPath) -> Any:
        if isinstance(node, _Part):
            size = len(node.path)
            moved = [(path[size:], position) for path, position in inside.items() if path[:size] == node.path]
            positions.update({(*target, *path): position for path, position in moved})
            return tree.get_value(node.path)
        if isinstance(node, _Written):
            return write(node.data, target, node.at)
        positions.setdefault(target, inside.get(target, inside[at]))
        if isinstance(node, dict):
            return {key: write(value, (*target, key), at) for key, value in node.items()}
        if isinstance(node, list):
            return [write(value, (*target, index), at) for index, value in enumerate(node)]
        return node

    def read(path: DataPath, default: Any) -> Any:
        positions.setdefault(path, inside[VOID_KEY,])
        return tree.get_value(path) if path in tree.positions else default

    here: DataPath = (VOID_KEY,)
    stated, settlement, irregularities = read(_FACTS, {}), read(_CASES[:1], {}), read(_MISCOUNTS[:1], {})
    later, counted = read(_CASES, []), read(_MISCOUNTS, [])
    added = [write(node, (*_MISCOUNTS, len(counted) + index), here) for index, node in enumerate(miscounts)]
    written = {
        VOID_KEY: write(section, here, here),
        _FACTS[0]: stated | {name: write(node, (*_FACTS, name), here) for name, node in facts.items()},
        _CASES[0]: settlement | {_CASES[1]: [*write(list(cases), _CASES, here), *later]},
        _MISCOUNTS[0]: irregularities | {_MISCOUNTS[1]: [*counted, *added]},
    }
    return replace(tree, data=read((), {}) | written, positions=positions)
