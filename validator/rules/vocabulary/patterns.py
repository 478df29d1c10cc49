"""Requirements that are instances of patterns, written out: what stands in a file of requirements becomes what its
author would have had to write without the pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from validator.rules.model.pattern import ITEM, KINDS, MARK, REPEATED, Form, Pattern
from validator.text.diagnostics import Diagnostic, InputError, at_most, did_you_mean
from validator.text.trees.tree import Data, Path, Position, Tree
from validator.text.values.money import format_money

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
"""What stands in words for the value of a parameter."""
NAME = "name"
"""The key by which an instance names its pattern beside its parameters."""
_WORDS = ("title", "message", "remedy")
_BODIES = ("check", "fault")
_TITLED = {
    **dict.fromkeys(("wager", "wagers"), ("wagers", "bonuses")),
    **dict.fromkeys(("decision", "decisions"), ("decisions",)),
}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ABSENT = object()


class Stated(Struct, frozen=True, kw_only=True):
    """What the words and the parameters of patterns may take from a document: its id, and its game as it stands in the
    file, where it has one."""

    document: str
    game: Mapping[str, Data] = field(default_factory=dict)

    def titles(self, kind: str) -> dict[str, str]:
        """The titles of all wagers and bonuses, decisions or steps, by name; none for another kind of parameter."""
        found: dict[str, Data] = {}
        if kind in ("step", "steps"):
            steps = self.game.get("procedure")
            listed = [one for one in steps if isinstance(one, dict)] if isinstance(steps, list) else []
            found = {str(one.get("step")): one.get("title") for one in listed}
        for named in _TITLED.get(kind, ()):
            found |= {name: one.get("title") for name, one in self._named(named).items() if isinstance(one, dict)}
        return {name: title for name, title in found.items() if isinstance(title, str)}

    def left_out(self, what: str | None) -> Data:
        """What a parameter is that an instance leaves out; None where the game does not say."""
        match what:
            case "document":
                return self.document
            case "deck":
                return self._named("deck").get("cards")
            case "decks":
                return self._named("deck").get("decks", 1) if "deck" in self.game else None
            case "lines":
                return [*self._named("wagers"), *self._named("bonuses")] or None
            case "lines-with-a-table":
                tables = [one for one in self._named("pay-tables").values() if isinstance(one, dict)]
                return list(dict.fromkeys(str(one.get("for")) for one in tables)) or None
            case "ways-of-dealing":
                stages = self._named("deal").get("stages")
                ways = [one.get("ways") for one in stages if isinstance(one, dict)] if isinstance(stages, list) else []
                return list(dict.fromkeys(name for one in ways if isinstance(one, dict) for name in one)) or None
            case _:
                return None

    def _named(self, key: str) -> dict[str, Data]:
        found = self.game.get(key)
        return found if isinstance(found, dict) else {}


class Argument(Struct, frozen=True, kw_only=True):
    """The value of a parameter, and where it stands in the file: nowhere, where the game says it."""

    value: Data
    at: Path | None


def written_out(tree: Tree, patterns: Mapping[str, Pattern], stated: Stated) -> Tree:
    """The tree of a file of requirements with every instance of a pattern written out; `pattern` is then its name.

    What came of a pattern has the place of the instance or, where a parameter was put in, that of its value. What is no
    list of requirements is left as it is. Raises InputError for instances of no pattern, parameters that it does not
    have or that are missing, and for instances that have a check besides.
    """
    data = tree.data
    entries = data.get("requirements") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not any(isinstance(one, dict) and "pattern" in one for one in entries):
        return tree
    assert isinstance(data, dict)
    uses: dict[Path, dict[Path, Position]] = {}
    positions: dict[Path, Position] = {}
    for path, one in tree.positions.items():
        if len(path) > 2 and path[2] == "pattern":
            uses.setdefault(path[:3], {})[path] = one
        else:
            positions[path] = one
    origins = dict(tree.origins)
    found: list[Data] = []
    problems: list[Diagnostic] = []
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict) or "pattern" not in entry:
            found.append(entry)
            continue
        use = ("requirements", number, "pattern")
        try:
            whole = _instance(tree, uses[use], use, entry, patterns, stated)
        except InputError as error:
            problems += error.diagnostics
            continue
        found.append(whole.entry)
        positions |= whole.positions
        origins |= whole.origins
    if problems:
        raise InputError(at_most(problems))
    return replace(tree, data={**data, "requirements": found}, positions=positions, origins=origins)


class _Whole(Struct, frozen=True, kw_only=True):
    """An instance written out, and where its parts stand."""

    entry: dict[str, Data]
    positions: dict[Path, Position]
    origins: dict[Path, str]


def _instance(
    tree: Tree,
    places: Mapping[Path, Position],
    use: Path,
    entry: dict[str, Data],
    patterns: Mapping[str, Pattern],
    stated: Stated,
) -> _Whole:
    """An instance whose `pattern` stands at a place, `places` being where that and all within it stands."""
    name, pattern = _pattern(tree, use, entry, patterns)
    arguments = _arguments(tree, use, entry["pattern"], name, pattern, stated)
    positions, origins = {use: places[use]}, dict[Path, str]()
    whole: dict[str, Data] = {}
    for key in (*_WORDS, *_BODIES):
        part, here = getattr(pattern, key), (*use[:-1], key)
        if key in entry or part is None:
            continue
        positions[here], origins[here] = places[use], f"of the pattern `{name}`"
        if key in _WORDS:
            whole[key] = in_words(part, pattern, {key: one.value for key, one in arguments.items()}, stated)
        else:
            body = filled(part, arguments)
            whole[key] = body.data
            for path, source in body.sources.items():
                positions[*here, *path] = places[use if source is None else source]
                inner = {} if source is None else {one: at for one, at in places.items() if one[: len(source)] == source}
                positions |= {(*here, *path, *one[len(source or ()) :]): at for one, at in inner.items()}
    first = {key: entry[key] for key in ("requirement",) if key in entry}
    words = {key: whole.pop(key) for key in _WORDS if key in whole}
    return _Whole(
        entry={**first, **words, **entry, "pattern": name, **whole}, positions=positions, origins=origins
    )


def _pattern(
    tree: Tree, place: Path, entry: dict[str, Data], patterns: Mapping[str, Pattern]
) -> tuple[str, Pattern]:
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


def _arguments(
    tree: Tree, place: Path, use: Data, name: str, pattern: Pattern, stated: Stated
) -> dict[str, Argument]:
    """The values of all parameters that have one."""
    given = {key: value for key, value in use.items() if key != NAME} if isinstance(use, dict) else {}
    problems = []
    found: dict[str, Argument] = {}
    for key, value in given.items():
        if key not in pattern.parameters:
            near = did_you_mean(key, pattern.parameters)
            message = f"the pattern `{name}` has no parameter `{key}`"
            expected = f"one of {', '.join(pattern.parameters)}" if pattern.parameters else "its name alone"
            help_ = f"did you mean `{near}`?" if near else None
            problems.append(
                tree.diagnostic((*place, key), "unknown-key", message, expected=expected, help=help_, at_key=True)
            )
        elif not fits(value, KINDS[pattern.parameters[key].kind]):
            message = f"the parameter `{key}` of the pattern `{name}` must be {KINDS[pattern.parameters[key].kind].words}"
            problems.append(tree.diagnostic((*place, key), "wrong-type", message))
        else:
            found[key] = Argument(value=value, at=(*place, key))
    for key, parameter in pattern.parameters.items():
        if key in given:
            continue
        value = parameter.usually if parameter.left_out is None else stated.left_out(parameter.left_out)
        if value is not None:
            found[key] = Argument(value=value, at=None)
        elif not parameter.optional:
            message = f"the pattern `{name}` needs the parameter `{key}`: {_first_lower(parameter.for_)}"
            problems.append(
                tree.diagnostic(place, "missing-key", message, expected=KINDS[parameter.kind].words, at_key=True)
            )
    if problems:
        raise InputError(at_most(problems))
    return found


def _first_lower(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def fits(value: Data, form: Form) -> bool:
    """Whether a value has the form of a kind."""
    if not isinstance(value, form.type) or isinstance(value, bool):
        return False
    return form.items is None or (isinstance(value, list) and bool(value) and all(isinstance(v, form.items) for v in value))


class Body(Struct, frozen=True, kw_only=True):
    """A body with values in its holes. `sources` has every part that came of the pattern, None, or of a parameter, with
    the place of its value in the file, None where the game says it."""

    data: Data
    sources: Mapping[Path, Path | None]


def filled(body: Data, arguments: Mapping[str, Argument]) -> Body:
    """The body of a pattern with the values of its parameters put in; what an absent one stands for is left out."""
    sources: dict[Path, Path | None] = {}

    def fill(part: Data, known: Mapping[str, Argument], here: Path) -> Any:
        name = marked(part)
        if name is not None:
            if name not in known:
                return _ABSENT
            one = known[name]
            sources.update({here: one.at} if one.at is not None else {(*here, *path): None for path in _places(one.value)})
            return one.value
        sources[here] = None
        if isinstance(part, dict):
            inner = {key: fill(value, known, (*here, key)) for key, value in part.items()}
            return {key: value for key, value in inner.items() if value is not _ABSENT}
        if isinstance(part, list):
            items: list[Data] = []
            for item, own in (one for entry in part for one in _repeated(entry, known)):
                value = fill(item, own, (*here, len(items)))
                items += [] if value is _ABSENT else [value]
            return items
        return part

    return Body(data=fill(body, arguments, ()), sources=sources)


def _places(value: Data, here: Path = ()) -> Iterator[Path]:
    """The places of a value and of all within it."""
    yield here
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(item, (*here, key))


def _repeated(item: Data, arguments: Mapping[str, Argument]) -> Iterator[tuple[Data, Mapping[str, Argument]]]:
    """An item of a list as often as it stands there, each time with what its marks stand for."""
    if not isinstance(item, dict) or REPEATED not in item:
        yield item, arguments
        return
    name = str(item[REPEATED])
    argument = arguments.get(name)
    if argument is not None and isinstance(argument.value, list):
        for number, one in enumerate(argument.value):
            at = None if argument.at is None else (*argument.at, number)
            yield item.get(ITEM), {**arguments, name: Argument(value=one, at=at)}


def marked(body: Data) -> str | None:
    """The parameter whose value a part of a body stands for, None where it is no mark."""
    return str(body[MARK]) if isinstance(body, dict) and set(body) == {MARK} else None


def sample(pattern: Pattern) -> dict[str, Data]:
    """The bodies of a pattern with something in every hole."""
    arguments = {key: Argument(value=one.sample, at=None) for key, one in pattern.parameters.items()}
    return {key: filled(body, arguments).data for key in _BODIES if (body := getattr(pattern, key)) is not None}


def in_words(text: str, pattern: Pattern, arguments: Mapping[str, Data], stated: Stated) -> str:
    """Words of a pattern with its parameters in them, wagers, steps and decisions by their titles."""

    def put(found: re.Match[str]) -> str:
        name = found[1]
        return _said(pattern.parameters[name].kind, arguments[name], stated) if name in arguments else found[0]

    said = PLACEHOLDER.sub(put, text)
    return said[:1].upper() + said[1:]


def _said(kind: str, value: Data, stated: Stated) -> str:
    match kind:
        case "amount" if isinstance(value, int):
            return format_money(value)
        case "number" if isinstance(value, int) and 0 <= value < len(_NUMBERS):
            return _NUMBERS[value]
        case "words" | "officer":
            return str(value).rstrip(".")
    titles = stated.titles(kind)
    names = [titles.get(str(one), str(one).replace("-", " ")) for one in (value if isinstance(value, list) else [value])]
    *others, last = names
    return f"{', '.join(others)} {'or' if kind in ('names', 'decisions') else 'and'} {last}" if others else last
