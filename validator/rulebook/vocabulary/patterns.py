"""Requirements that are instances of patterns, written out: what stands in a file of requirements becomes what its
author would have had to write without the pattern."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.rulebook.vocabulary.pattern_bodies import BODIES, Argument, Body, filled
from validator.rulebook.vocabulary.pattern_model import KINDS, Form, Pattern
from validator.rulebook.vocabulary.pattern_words import Stated, in_words
from validator.text.diagnostics import Diagnostic, InputError, at_most, did_you_mean
from validator.text.trees.tree import Data, Path, Position, Tree

NAME = "name"
"""The key by which an instance names its pattern beside its parameters."""
STATEMENTS = ("wagers", "decisions", "procedure")
"""What a game states beside whose parts requirements may stand, whole."""
_COURSES = "courses"
_PHASE = "phase"
_COURSE = "course"
_CHECK = "check"
WORDS = ("title", "message", "broken", "remedy")
"""Keys of the texts of a pattern, in which values of parameters may stand."""
_PATTERN = "pattern"
_LISTED = "requirements"
_LENDS = "lends"


def written_out(tree: Tree, patterns: Mapping[str, Pattern], stated: Stated) -> Tree:
    """The tree of a file of requirements, or of a game, with every instance of a pattern written out; `pattern` is then
    its name.

    What came of a pattern has the place of the instance or, where a parameter was put in, that of its value. What is no
    list of requirements is left as it is. Raises InputError for instances of no pattern, parameters that it does not
    have or that are missing, and for instances that have a check besides.
    """
    uses: dict[Path, dict[Path, Position]] = {
        (*entry, _PATTERN): {} for entry, said in _entries(tree.data) if _PATTERN in said
    }
    if not uses:
        return tree
    lengths = {len(use) for use in uses}
    positions: dict[Path, Position] = {}
    for path, one in tree.positions.items():
        use = next((path[:length] for length in lengths if path[:length] in uses), None)
        (positions if use is None else uses[use])[path] = one
    lent = tree.data.get(_LENDS) if isinstance(tree.data, dict) else None
    if isinstance(lent, dict):
        stated = replace(stated, own=lent)
    origins = dict(tree.origins)
    found: dict[Path, Data] = {}
    problems: list[Diagnostic] = []
    for use, places in uses.items():
        entry = tree.value(use[:-1])
        assert isinstance(entry, dict)
        try:
            whole = _instance(tree, use, places, entry, patterns, stated.at(use))
        except InputError as error:
            problems += error.diagnostics
            continue
        found[use[:-1]] = whole.entry
        positions |= whole.positions
        origins |= whole.origins
    if problems:
        raise InputError(at_most(problems))
    return replace(tree, data=_with(tree.data, found, ()), positions=positions, origins=origins)


def _entries(data: Data) -> Iterator[tuple[Path, dict[str, Data]]]:
    """The requirements of a file of them, or those that stand at wagers, decisions, steps and courses of a game, and
    where."""
    if not isinstance(data, dict):
        return
    holders: list[tuple[Path, Data]] = [((), data)]
    for key in (*STATEMENTS, _COURSES):
        part = data.get(key)
        named = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        holders += [((key, name), one) for name, one in named]
    for place, holder in holders:
        listed = holder.get(_LISTED) if isinstance(holder, dict) else None
        for number, entry in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(entry, dict):
                yield (*place, _LISTED, number), entry


def _with(data: Any, found: Mapping[Path, Data], here: Path) -> Any:
    """Data with other values at some places."""
    if here in found:
        return found[here]
    if not any(path[: len(here)] == here for path in found):
        return data
    if isinstance(data, dict):
        return {key: _with(value, found, (*here, key)) for key, value in data.items()}
    return [_with(value, found, (*here, number)) for number, value in enumerate(data)]


class _Whole(Struct, frozen=True, kw_only=True):
    """An instance written out, and where its parts stand."""

    entry: dict[str, Data]
    positions: dict[Path, Position]
    origins: dict[Path, str]


def _instance(
    tree: Tree,
    use: Path,
    places: Mapping[Path, Position],
    entry: dict[str, Data],
    patterns: Mapping[str, Pattern],
    stated: Stated,
) -> _Whole:
    """An instance whose `pattern` stands at a place, `places` being where that and all within it stands."""
    name, pattern = _pattern(tree, use, entry, patterns)
    arguments = _arguments(tree, use, entry["pattern"], name, pattern, stated)
    values = {key: one.value for key, one in arguments.items()}
    positions, origins = {use: places[use]}, dict[Path, str]()
    whole: dict[str, Data] = {}
    for key in (*WORDS, *BODIES):
        part, here = getattr(pattern, key), (*use[:-1], key)
        if key in entry or part is None or (key == "title" and "message" in entry):  # which says more than the pattern
            continue
        positions[here], origins[here] = places[use], f"of the pattern `{name}`"
        if key in WORDS:
            whole[key] = in_words(part, pattern, values, stated)
            continue
        try:
            body = filled(part, arguments)
        except ValueError as error:
            message = f"this instance of the pattern `{name}` is too large: {error}"
            raise InputError((tree.diagnostic(use, "too-many-values", message),)) from error
        sources = body.sources
        if key == _CHECK and use[0] == _COURSES:
            said = _of_the_course(tree, use, name, body, entry)
            whole |= said
            here, sources = here[:-1], {path[1:]: at for path, at in sources.items() if path[1:2] and path[1] in said}
        else:
            whole[key] = body.data
        for path, source in sources.items():
            positions[*here, *path] = places[use if source is None else source]
            if source is not None:
                inner = {one: at for one, at in places.items() if one[: len(source)] == source}
                positions |= {(*here, *path, *one[len(source) :]): at for one, at in inner.items()}
    first = {key: entry[key] for key in ("requirement",) if key in entry}
    words = {key: whole.pop(key) for key in WORDS if key in whole}
    return _Whole(entry={**first, **words, **entry, "pattern": name, **whole}, positions=positions, origins=origins)


def _of_the_course(tree: Tree, use: Path, name: str, check: Body, entry: dict[str, Data]) -> dict[str, Data]:
    """What the check of a pattern says of the course beside which the instance stands, as a requirement there has it:
    without its name, and but for what the instance says itself."""
    said = check.data.get(_PHASE) if isinstance(check.data, dict) else None
    if not isinstance(said, dict):
        message = f"the pattern `{name}` has no check `{_PHASE}`, so nothing of a course is an instance of it"
        raise InputError((tree.diagnostic(use, "no-sense", message),))
    return {key: value for key, value in said.items() if key != _COURSE and key not in entry}


def _pattern(tree: Tree, place: Path, entry: dict[str, Data], patterns: Mapping[str, Pattern]) -> tuple[str, Pattern]:
    """The name of the pattern of an instance, and the pattern."""
    use = entry["pattern"]
    name = use.get(NAME) if isinstance(use, dict) else use
    if not isinstance(name, str):
        message = "an instance of a pattern says which: `pattern: NAME`, or `pattern: {name: NAME, …}` with parameters"
        raise InputError((tree.diagnostic(place, "missing-key", message, at_key=True),))
    if name not in patterns:
        near = did_you_mean(name, patterns)
        help_ = f"did you mean `{near}`?" if near else "patterns stand in vocabulary/patterns.yaml"
        at = (*place, NAME) if isinstance(use, dict) else place
        raise InputError((tree.diagnostic(at, "unknown-name", f"there is no pattern `{name}`", help=help_),))
    if "check" in entry:
        message = f"this is an instance of the pattern `{name}`, and has a check of its own besides"
        help_ = "leave out the one or the other"
        raise InputError((tree.diagnostic((*place[:-1], "check"), "no-sense", message, help=help_, at_key=True),))
    return name, patterns[name]


def _arguments(tree: Tree, place: Path, use: Data, name: str, pattern: Pattern, stated: Stated) -> dict[str, Argument]:
    """The values of all parameters that have one."""
    given = {key: value for key, value in use.items() if key != NAME} if isinstance(use, dict) else {}
    problems = []
    found: dict[str, Argument] = {}
    for key, value in given.items():
        here = (*place, key)
        if key not in pattern.parameters:
            near = did_you_mean(key, pattern.parameters)
            message = f"the pattern `{name}` has no parameter `{key}`"
            known = f"one of {', '.join(pattern.parameters)}" if pattern.parameters else "its name alone"
            help_ = f"did you mean `{near}`?" if near else None
            problems.append(tree.diagnostic(here, "unknown-key", message, expected=known, help=help_, at_key=True))
        elif not _fits(value, KINDS[pattern.parameters[key].kind]):
            asked = KINDS[pattern.parameters[key].kind].words
            message = f"the parameter `{key}` of the pattern `{name}` must be {asked}"
            problems.append(tree.diagnostic(here, "wrong-type", message))
        elif isinstance(value, list) and any(one in value[:index] for index, one in enumerate(value)):
            twice = next(index for index, one in enumerate(value) if one in value[:index])
            message = f"the parameter `{key}` of the pattern `{name}` names {value[twice]} twice"
            problems.append(tree.diagnostic((*here, twice), "no-sense", message))
        else:
            found[key] = Argument(value=value, at=here)
    for key, parameter in pattern.parameters.items():
        if key in given:
            continue
        left_out = parameter.left_out
        assumed: Any = stated.own.get(key)
        if assumed is None or not _fits(assumed, KINDS[parameter.kind]):
            assumed = parameter.usually if left_out is None else stated.left_out(left_out)
        if assumed is not None:
            found[key] = Argument(value=assumed, at=None)
        elif not parameter.optional:
            about = parameter.for_[:1].lower() + parameter.for_[1:].rstrip(".")
            message = f"the pattern `{name}` needs the parameter `{key}`: {about}"
            asked = KINDS[parameter.kind].words
            # What stands beside a wager, decision or step takes from it what it can.
            own = f"what it stands beside does not say it: write `pattern: {{name: {name}, {key}: ...}}`"
            help_ = own if stated.own else None
            problems.append(tree.diagnostic(place, "missing-key", message, expected=asked, help=help_, at_key=True))
    if problems:
        raise InputError(at_most(problems))
    return found


def _fits(value: Data, form: Form) -> bool:
    """Whether a value has the form of a kind."""
    if isinstance(value, list):
        items = form.items
        return items is not None and bool(value) and all(isinstance(one, items) for one in value)
    return isinstance(value, form.made_of) and not isinstance(value, bool)
