"""Expansion of requirements that are instances of patterns into complete requirements, and errors in patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.rulebook import pattern_model
from fairdeal.validator.rulebook.short_forms import list_places
from fairdeal.validator.rules.check_model import CHECK_KEYS, Check
from fairdeal.validator.rules.fault_model import Fault
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics
from fairdeal.validator.text.document_loader import to_json
from fairdeal.validator.text.model_problems import explain_errors
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument, SourcePosition

BODY_KEYS = ("check", "fault")
"""Keys of a pattern whose values contain placeholders."""
MAX_BODY_VALUES = 10_000
"""Maximum number of values of one filled body."""
_OMITTED = object()


class Argument(Struct, frozen=True, kw_only=True):
    """The value of a parameter."""

    value: Data
    """The value."""
    path: DataPath | None
    """Place of the value in the file; None if the instance omits the parameter."""


class FilledBody(Struct, frozen=True, kw_only=True):
    """A body filled with values."""

    data: Data
    """The filled body."""
    sources: Mapping[DataPath, DataPath | None]
    """For each part, the place in the file of the value that supplies it; None for parts of the pattern and defaults.
    """


def fill_body(body: Data, arguments: Mapping[str, Argument]) -> FilledBody:
    """Fill the body of a pattern with the values of its parameters; parts of an omitted parameter are left out.

    Raises ValueError if the result has more than `MAX_PARTS` values, which nested repetitions may cause.
    """
    sources: dict[DataPath, DataPath | None] = {}
    sizes = {name: len(list_places(argument.value)) for name, argument in arguments.items()}
    parts = 0

    def count(more: int) -> None:
        nonlocal parts
        parts += more
        if parts > MAX_BODY_VALUES:
            raise ValueError(f"it has more than {MAX_BODY_VALUES:,} values")

    def fill(part: Data, arguments_here: Mapping[str, Argument], here: DataPath) -> Any:
        count(1)
        name = get_placeholder_name(part)
        if name is not None:
            if name not in arguments_here:
                return _OMITTED
            count(sizes[name] if arguments_here[name] is arguments[name] else 1)
            return insert(arguments_here[name], here)
        sources[here] = None
        if isinstance(part, dict):
            inner = {key: fill(value, arguments_here, (*here, key)) for key, value in part.items()}
            return {key: value for key, value in inner.items() if value is not _OMITTED}
        if isinstance(part, list):
            items: list[Data] = []
            for item, own in (expansion for entry in part for expansion in _expand_repetition(entry, arguments_here)):
                value = fill(item, own, (*here, len(items)))
                items += [] if value is _OMITTED else [value]
            return items
        return part

    def insert(argument: Argument, here: DataPath) -> Data:
        if argument.path is None:
            sources.update({(*here, *path): None for path in list_places(argument.value)})
        else:
            sources[here] = argument.path
        return argument.value

    return FilledBody(data=fill(body, arguments, ()), sources=sources)


def get_placeholder_name(part: Data) -> str | None:
    """Return the parameter that a part of a body is a placeholder for; None for other parts."""
    return (
        str(part[pattern_model.PARAMETER_KEY])
        if isinstance(part, dict) and set(part) == {pattern_model.PARAMETER_KEY}
        else None
    )


def build_sample_bodies(pattern: pattern_model.Pattern) -> dict[str, Data]:
    """Build the bodies of a pattern with a sample value in every placeholder."""
    arguments = {key: Argument(value=parameter.sample, path=None) for key, parameter in pattern.parameters.items()}
    return {key: fill_body(body, arguments).data for key in BODY_KEYS if (body := getattr(pattern, key)) is not None}


def _expand_repetition(item: Data, arguments: Mapping[str, Argument]) -> Iterator[tuple[Data, Mapping[str, Argument]]]:
    """Yield an item of a list once for each repetition, with the arguments that apply to it."""
    if not isinstance(item, dict) or pattern_model.FOR_EACH_KEY not in item:
        yield item, arguments
        return
    name = str(item[pattern_model.FOR_EACH_KEY])
    argument = arguments.get(name)
    if argument is not None and isinstance(argument.value, list):
        for number, value in enumerate(argument.value):
            at = None if argument.path is None else (*argument.path, number)
            yield item.get(pattern_model.ITEM_KEY), {**arguments, name: Argument(value=value, path=at)}


PATTERN_NAME_KEY = "name"
"""Key by which an instance names its pattern, next to the parameters."""
_NAMED_SECTIONS: tuple[DataPath, ...] = (("wagers",), ("decisions",), ("acts",), ("other-events",))
"""Sections of a game whose entries, by name, may have complete requirements."""
STATEMENT_SECTIONS: tuple[DataPath, ...] = (
    *_NAMED_SECTIONS,
    ("void", "causes"),
    ("void", "without-a-cause"),
    ("void",),
)
"""Sections of a game that may have complete requirements, or whose entries may."""
_MILESTONES_KEY = "milestones"
_ORDER_KEY = "order"
_AT_KEY = "at"
_CHECK_KEY = "check"
TEXT_KEYS = ("title", "message", "broken", "remedy")
"""Keys of the texts of a pattern, which may contain placeholders."""
_PATTERN_KEY = "pattern"
_REQUIREMENTS_KEY = "requirements"
_LENDS_KEY = "lends"


def expand_patterns(
    tree: PositionedDocument, patterns: Mapping[str, pattern_model.Pattern], stated: pattern_model.PatternContext
) -> PositionedDocument:
    """Return a file of requirements, or a game, with every instance of a pattern expanded.

    The key `pattern` then holds the name of the pattern. Parts of a pattern have the place of the instance, and values
    of parameters keep their own place. A file without a list of requirements is unchanged.

    Raises InputError for unknown patterns, unknown or missing parameters, and instances that also have a check.
    """
    uses: dict[DataPath, dict[DataPath, SourcePosition]] = {
        (*entry, _PATTERN_KEY): {} for entry, said in _list_entries(tree.data) if _PATTERN_KEY in said
    }
    if not uses:
        return tree
    lengths = {len(use) for use in uses}
    positions: dict[DataPath, SourcePosition] = {}
    for path, position in tree.positions.items():
        use = next((path[:length] for length in lengths if path[:length] in uses), None)
        (positions if use is None else uses[use])[path] = position
    lent_values = tree.data.get(_LENDS_KEY) if isinstance(tree.data, dict) else None
    if isinstance(lent_values, dict):
        stated = replace(stated, own_values=lent_values)
    origins = dict(tree.origins)
    entries: dict[DataPath, Data] = {}
    problems: list[Diagnostic] = []
    for use, places in uses.items():
        entry = tree.get_value(use[:-1])
        assert isinstance(entry, dict)
        try:
            expanded = _expand_instance(tree, use, places, entry, patterns, stated.at_statement(use))
        except InputError as error:
            problems += error.diagnostics
            continue
        entries[use[:-1]] = expanded.entry
        positions |= expanded.positions
        origins |= expanded.origins
    if problems:
        raise InputError(limit_diagnostics(problems))
    return replace(tree, data=_replace_values(tree.data, entries, ()), positions=positions, origins=origins)


def _list_entries(data: Data) -> Iterator[tuple[DataPath, dict[str, Data]]]:
    """Yield the requirements of a file of requirements, or of the sections of a game, with their places."""
    if not isinstance(data, dict):
        return
    for place, holder in [((), data), *list_statements(data), *_list_items(data, (_MILESTONES_KEY,))]:
        listed = holder.get(_REQUIREMENTS_KEY) if isinstance(holder, dict) else None
        for number, entry in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(entry, dict):
                yield (*place, _REQUIREMENTS_KEY, number), entry


def list_statements(game: Data) -> Iterator[tuple[DataPath, Data]]:
    """Yield the statements of a game that may have complete requirements, with their places."""
    for section in STATEMENT_SECTIONS:
        yield from _list_items(game, section)


def _list_items(data: Data, path: DataPath) -> Iterator[tuple[DataPath, Data]]:
    """Yield what a path leads to; instead of a list or a mapping of named parts, its items."""
    for key in path:
        data = data.get(str(key)) if isinstance(data, dict) else None
    if isinstance(data, list):
        yield from (((*path, index), item) for index, item in enumerate(data))
    elif isinstance(data, dict) and path in _NAMED_SECTIONS:
        yield from (((*path, name), item) for name, item in data.items())
    elif isinstance(data, dict):
        yield path, data


def _replace_values(data: Any, replacements: Mapping[DataPath, Data], here: DataPath) -> Any:
    """Return data with other values at some places."""
    if here in replacements:
        return replacements[here]
    if not any(path[: len(here)] == here for path in replacements):
        return data
    if isinstance(data, dict):
        return {key: _replace_values(value, replacements, (*here, key)) for key, value in data.items()}
    return [_replace_values(value, replacements, (*here, number)) for number, value in enumerate(data)]


class _ExpandedInstance(Struct, frozen=True, kw_only=True):
    """An expanded instance of a pattern."""

    entry: dict[str, Data]
    """The complete requirement."""
    positions: dict[DataPath, SourcePosition]
    """Positions of its parts in the file."""
    origins: dict[DataPath, str]
    """Notes on parts that come from the pattern."""


def _expand_instance(
    tree: PositionedDocument,
    use: DataPath,
    places: Mapping[DataPath, SourcePosition],
    entry: dict[str, Data],
    patterns: Mapping[str, pattern_model.Pattern],
    stated: pattern_model.PatternContext,
) -> _ExpandedInstance:
    """Expand an instance of a pattern.

    Args:
        tree: The file.
        use: Place of the key `pattern`.
        places: Positions of that key and everything within it.
        entry: The requirement.
        patterns: All patterns, by name.
        stated: The context that supplies omitted values.
    """
    name, pattern = _get_pattern(tree, use, entry, patterns)
    arguments = _collect_arguments(tree, use, entry["pattern"], name, pattern, stated)
    values = {key: argument.value for key, argument in arguments.items()}
    positions, origins = {use: places[use]}, dict[DataPath, str]()
    whole: dict[str, Data] = {}
    for key in (*TEXT_KEYS, *BODY_KEYS):
        part, here = getattr(pattern, key), (*use[:-1], key)
        if (
            key in entry or part is None or (key == "title" and "message" in entry)
        ):  # the message of the instance is more specific
            continue
        origin = f"of the pattern `{name}`"
        if key != _CHECK_KEY:  # the keys of a check are written in the requirement
            positions[here], origins[here] = places[use], origin
        if key in TEXT_KEYS:
            whole[key] = pattern_model.fill_text(part, pattern, values, stated)
            continue
        try:
            body = fill_body(part, arguments)
        except ValueError as error:
            message = f"this instance of the pattern `{name}` is too large: {error}"
            raise InputError((tree.build_diagnostic(use, "too-many-values", message),)) from error
        sources = body.sources
        if key == _CHECK_KEY and use[0] == _MILESTONES_KEY:
            said = _get_bounded_acts(tree, use, name, body, entry)
            whole |= said
            depth = 3  # the check, its list of milestones, the first of them
            inside = {path[depth:]: at for path, at in sources.items() if len(path) > depth}
            here, sources = here[:-1], {path: at for path, at in inside.items() if path[0] in said}
        elif key == _CHECK_KEY and isinstance(body.data, dict):
            whole |= body.data
            here, sources = here[:-1], {path: at for path, at in sources.items() if path}
            origins |= {(*here, part): origin for part in body.data}
        else:
            whole[key] = body.data
        for path, source in sources.items():
            positions[*here, *path] = places[use if source is None else source]
            if source is not None:
                inner = {path_inside: at for path_inside, at in places.items() if path_inside[: len(source)] == source}
                positions |= {(*here, *path, *path_inside[len(source) :]): at for path_inside, at in inner.items()}
    first = {key: entry[key] for key in ("requirement",) if key in entry}
    words = {key: whole.pop(key) for key in TEXT_KEYS if key in whole}
    return _ExpandedInstance(
        entry={**first, **words, **entry, "pattern": name, **whole}, positions=positions, origins=origins
    )


def _get_bounded_acts(
    tree: PositionedDocument, use: DataPath, name: str, check: FilledBody, entry: dict[str, Data]
) -> dict[str, Data]:
    """Return the acts of a pattern for a requirement at a milestone.

    The milestone itself, and keys that the instance states, are left out.
    """
    order: Any = check.data.get(_ORDER_KEY) if isinstance(check.data, dict) else None
    if not isinstance(order, dict):
        message = f"the pattern `{name}` has no check `{_ORDER_KEY}`, so a milestone cannot use it"
        raise InputError((tree.build_diagnostic(use, "semantic-error", message),))
    (bounds,) = order[_MILESTONES_KEY]
    return {key: value for key, value in bounds.items() if key != _AT_KEY and key not in entry}


def _get_pattern(
    tree: PositionedDocument, place: DataPath, entry: dict[str, Data], patterns: Mapping[str, pattern_model.Pattern]
) -> tuple[str, pattern_model.Pattern]:
    """Return the name of the pattern of an instance, and the pattern."""
    use = entry["pattern"]
    name = use.get(PATTERN_NAME_KEY) if isinstance(use, dict) else use
    if not isinstance(name, str):
        message = "an instance names its pattern: `pattern: NAME`, or `pattern: {name: NAME, …}` with parameters"
        raise InputError((tree.build_diagnostic(place, "missing-key", message, at_key=True),))
    if name not in patterns:
        near = find_similar(name, patterns)
        help_ = f"did you mean `{near}`?" if near else "patterns are defined in vocabulary/patterns.yaml"
        at = (*place, PATTERN_NAME_KEY) if isinstance(use, dict) else place
        raise InputError((tree.build_diagnostic(at, "unknown-name", f"there is no pattern `{name}`", help=help_),))
    own_check = next((key for key in entry if key in CHECK_KEYS), None)
    if own_check is not None:
        message = f"this is an instance of the pattern `{name}`, but also has a check of its own"
        help_ = "remove one of the two"
        raise InputError(
            (tree.build_diagnostic((*place[:-1], own_check), "semantic-error", message, help=help_, at_key=True),)
        )
    return name, patterns[name]


def _collect_arguments(
    tree: PositionedDocument,
    place: DataPath,
    use: Data,
    name: str,
    pattern: pattern_model.Pattern,
    stated: pattern_model.PatternContext,
) -> dict[str, Argument]:
    """Return the values of all parameters that have one."""
    stated_values = (
        {key: value for key, value in use.items() if key != PATTERN_NAME_KEY} if isinstance(use, dict) else {}
    )
    problems = []
    arguments: dict[str, Argument] = {}
    for key, value in stated_values.items():
        here = (*place, key)
        if key not in pattern.parameters:
            near = find_similar(key, pattern.parameters)
            message = f"the pattern `{name}` has no parameter `{key}`"
            expected = f"one of {', '.join(pattern.parameters)}" if pattern.parameters else "its name alone"
            help_ = f"did you mean `{near}`?" if near else None
            problems.append(
                tree.build_diagnostic(here, "unknown-key", message, expected=expected, help=help_, at_key=True)
            )
        elif not _has_form(value, pattern_model.PARAMETER_KINDS[pattern.parameters[key].kind]):
            form = pattern_model.PARAMETER_KINDS[pattern.parameters[key].kind].description
            message = f"the parameter `{key}` of the pattern `{name}` must be {form}"
            problems.append(tree.build_diagnostic(here, "wrong-type", message))
        elif isinstance(value, list) and any(item in value[:index] for index, item in enumerate(value)):
            twice = next(index for index, item in enumerate(value) if item in value[:index])
            message = f"the parameter `{key}` of the pattern `{name}` names {value[twice]} twice"
            problems.append(tree.build_diagnostic((*here, twice), "semantic-error", message))
        else:
            arguments[key] = Argument(value=value, path=here)
    for key, parameter in pattern.parameters.items():
        if key in stated_values:
            continue
        part = parameter.document_part
        assumed: Any = stated.own_values.get(key)
        if assumed is None or not _has_form(assumed, pattern_model.PARAMETER_KINDS[parameter.kind]):
            assumed = parameter.usually if part is None else stated.get_default(part)
            if isinstance(assumed, str) and pattern_model.PARAMETER_KINDS[parameter.kind].item_type is not None:
                assumed = [assumed]
        if assumed is not None:
            arguments[key] = Argument(value=assumed, path=None)
        elif not parameter.optional:
            about = parameter.title[:1].lower() + parameter.title[1:].rstrip(".")
            message = f"the pattern `{name}` needs the parameter `{key}`: {about}"
            form = pattern_model.PARAMETER_KINDS[parameter.kind].description
            # A requirement of a wager, decision or step takes values from it.
            advice = f"the wager, decision or step does not supply it: write `pattern: {{name: {name}, {key}: ...}}`"
            help_ = advice if stated.own_values else None
            problems.append(
                tree.build_diagnostic(place, "missing-key", message, expected=form, help=help_, at_key=True)
            )
    if problems:
        raise InputError(limit_diagnostics(problems))
    return arguments


def _has_form(value: Data, form: pattern_model.ValueForm) -> bool:
    """Return whether a value has the form of a kind."""
    if isinstance(value, list) and form.item_type is not None:
        return bool(value) and all(isinstance(item, form.item_type) for item in value)
    return isinstance(value, form.python_type) and not isinstance(value, bool)


_NUMBER = re.compile(r"[0-9]+")


_HARMLESS = frozenset({"0", "1"})


def find_pattern_problems(file: pattern_model.PatternsFile) -> Iterator[Problem]:
    """Yield the problems of the patterns of a vocabulary."""
    for name, pattern in file.patterns.items():
        here: DataPath = ("patterns", name)
        yield from _find_hidden_numbers(pattern, here)
        unknown = list(_check_placeholders(pattern, here))
        yield from unknown
        if not unknown:
            yield from _check_bodies(pattern, here)


def _find_hidden_numbers(pattern: pattern_model.Pattern, here: DataPath) -> Iterator[Problem]:
    """Yield numbers that only the text of a regulation could state, written in digits in a pattern."""
    content: dict[str, Any] = {key: getattr(pattern, key) for key in (*TEXT_KEYS, "check", "fault")}
    content["parameters"] = {name: {"usually": parameter.usually} for name, parameter in pattern.parameters.items()}
    for path, value in _walk(content, here):
        if not isinstance(value, (dict, list, bool)) and value is not None:
            numbers = [digits for digits in _NUMBER.findall(str(value)) if digits not in _HARMLESS]
            if numbers:
                yield (
                    path,
                    f"a pattern may contain no number but 0 and 1, but this one contains {numbers[0]}: make it a "
                    "parameter",
                )


def _check_placeholders(pattern: pattern_model.Pattern, here: DataPath) -> Iterator[Problem]:
    """Yield placeholders without a parameter or at a wrong place, and parameters without a placeholder."""
    used: set[str] = set()
    for key in TEXT_KEYS:
        for name in pattern_model.PLACEHOLDER.findall(getattr(pattern, key) or ""):
            used.add(name)
            if name not in pattern.parameters:
                yield (*here, key), f"the pattern has no parameter `{name}`"
            elif (
                pattern.parameters[name].optional
                or not pattern_model.PARAMETER_KINDS[pattern.parameters[name].kind].may_be_in_text
            ):
                yield (*here, key), f"`{name}` cannot be used in text: it is a condition, or optional"
    for key in ("check", "fault"):
        for path, value in _walk(getattr(pattern, key), (*here, key)):
            mark = get_placeholder_name(value)
            name = mark or (
                str(value[pattern_model.FOR_EACH_KEY])
                if isinstance(value, dict) and pattern_model.FOR_EACH_KEY in value
                else None
            )
            if name is None:
                continue
            used.add(name)
            if name not in pattern.parameters:
                yield path, f"the pattern has no parameter `{name}`"
            elif mark is None and pattern_model.PARAMETER_KINDS[pattern.parameters[name].kind].item_type is None:
                yield path, f"`{name}` is no list, so `for-each` cannot iterate over it"
    for name in pattern.parameters:
        if name == PATTERN_NAME_KEY:
            yield (
                (*here, "parameters", name),
                f"`{PATTERN_NAME_KEY}` is reserved for the name of the pattern",
            )
        elif name not in used:
            yield (*here, "parameters", name), f"the pattern does not use the parameter `{name}`"


def _check_bodies(pattern: pattern_model.Pattern, here: DataPath) -> Iterator[Problem]:
    """Yield the problems of a check or fault with a sample value in every placeholder."""
    for key, data in build_sample_bodies(pattern).items():
        model = Check if key == "check" else Fault
        try:
            model.model_validate_json(to_json(data))
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False)
            for problem in explain_errors(errors, model, data, ()):
                yield (*here, key, *problem.path), problem.text.message


def _walk(value: Data, here: DataPath) -> Iterator[tuple[DataPath, Data]]:
    yield here, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, (*here, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk(item, (*here, number))
