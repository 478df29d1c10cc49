"""Where things stand in the rule files of a document: requirements with their text, names of the game by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath

from msgspec import Struct
from pydantic import BaseModel

from validator.rulebook.loading.game_requirements import with_game_requirements
from validator.rulebook.loading.load import read_rule_files
from validator.rulebook.loading.rule_file import GameRequirements, RuleFile
from validator.rulebook.loading.rulebook import Rulebook
from validator.rules.core.library import GAME_FILE, PATTERNS_FILE
from validator.rules.core.references import references
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import Requirement
from validator.text.trees.tree import Data, Path, Tree

_NAMED: Mapping[str, tuple[str, ...]] = {
    "fact": ("facts",),
    "hand": ("hands",),
    "position": ("table", "positions"),
    "drawing": ("drawing",),
    "pay-table": ("pay-tables",),
    "pattern": ("patterns",),
}
"""Mappings of a game file, or of the file of patterns, by the kind of their keys."""

_LISTED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "step": (("procedure",), "step"),
    "case": (("settlement", "cases"), "case"),
    "cap": (("settlement", "caps"), "cap"),
    "stage": (("deal", "stages"), "stage"),
}
"""Lists of a game file, by the kind of their items, and the key that names an item."""


class Excerpt(Struct, frozen=True, kw_only=True):
    """A requirement in a rule file: where it stands, as `path:line`, and its text; `entry` is what that says together
    with the head of the file, an instance of a pattern written out. Shipped ones stand in `rules_data`."""

    place: str
    text: str
    entry: Mapping[str, Data]


class RuleFiles(Struct, frozen=True, kw_only=True):
    """What stands where: requirements by name, and other things by kind and name, as `path:line`."""

    requirements: Mapping[str, Excerpt]
    defined: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, rulebook: Rulebook, document: str) -> RuleFiles:
        """The rule files of a document. Raises InputError for broken ones."""
        files = with_game_requirements(read_rule_files(document, rulebook.folder))
        home = rulebook.folder or FilePath("rules_data")
        return cls(
            requirements={name: excerpt for file in files for name, excerpt in _requirements(file, home)},
            defined={
                key: place
                for file in files
                if file.name.endswith((f"/{GAME_FILE}", f"/{PATTERNS_FILE}"))
                for key, place in _defined(file, home)
            },
        )

    def spoken_of(self, regulation: Regulation, requirement: Requirement) -> list[tuple[str, str, str]]:
        """Things of the game that a check names, itself or by way of facts, in order: kind, name, place."""
        found: dict[tuple[str, str], str] = {}
        waiting: list[BaseModel] = [requirement.check]
        while waiting:
            for _, kind, name in references(waiting.pop(0), ()):
                if (kind, name) in self.defined and (kind, name) not in found:
                    found[kind, name] = self.defined[kind, name]
                    if kind == "fact" and regulation.game is not None:
                        waiting.append(regulation.game.facts[name])
        return [(kind, name, place) for (kind, name), place in found.items()]


def _requirements(file: RuleFile, home: FilePath) -> Iterator[tuple[str, Excerpt]]:
    if isinstance(file, GameRequirements):
        stated = _entries(file.tree)
        for name, places in file.stated.items():
            text = "\n".join(_text_of(file.game, place) for place in places)
            place = _place(file, home, _line(file.game, places[0]))
            yield name, Excerpt(place=place, text=text, entry=stated[name])
        return
    match file.tree.data:
        case dict(head) if isinstance(entries := head.get("requirements"), list):
            starts = [file.tree.at(("requirements", number)).line for number in range(len(entries))]
            for entry, start, end in zip(entries, starts, [*starts[1:], len(file.tree.lines) + 1], strict=True):
                assert isinstance(entry, dict)
                text = _up_to_what_follows(file.tree.lines[start - 1 : end - 1])
                said: dict[str, Data] = {key: head[key] for key in ("severity", "remedy") if key in head}
                excerpt = Excerpt(place=_place(file, home, start), text=text, entry={**said, **entry})
                yield str(entry["requirement"]), excerpt


def _entries(tree: Tree) -> dict[str, dict[str, Data]]:
    """The entries of a file of requirements, by name."""
    listed = tree.data.get("requirements") if isinstance(tree.data, dict) else None
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return {str(one["requirement"]): one for one in entries}


def _text_of(tree: Tree, place: Path) -> str:
    """The lines of something in a file, up to what follows it."""
    start = _line(tree, place)
    lines = {_line(tree, path) for path in tree.positions if path[: len(place)] != place}
    end = min((line for line in lines if line > start), default=len(tree.lines) + 1)
    return _up_to_what_follows(tree.lines[start - 1 : end - 1])


def _up_to_what_follows(lines: Sequence[str]) -> str:
    """Lines as a text, without the blank ones and the comments at their end: those are about what follows."""
    text = list(lines)
    while text and text[-1].lstrip()[:1] in ("", "#"):
        text.pop()
    return "\n".join(text)


def _line(tree: Tree, place: Path) -> int:
    position = tree.at(place)
    return position.key_line or position.line


def _defined(file: RuleFile, home: FilePath) -> Iterator[tuple[tuple[str, str], str]]:
    for kind, path in _NAMED.items():
        if path in file.tree.positions and isinstance(names := file.tree.value(path), dict):
            for name in names:
                yield (kind, name), _place(file, home, _line(file.tree, (*path, name)))
    for kind, (path, key) in _LISTED.items():
        if path in file.tree.positions and isinstance(items := file.tree.value(path), list):
            for number, item in enumerate(items):
                assert isinstance(item, dict)
                yield (kind, str(item[key])), _place(file, home, file.tree.at((*path, number)).line)


def _place(file: RuleFile, home: FilePath, line: int) -> str:
    return f"{(home / file.name).as_posix()}:{line}"
