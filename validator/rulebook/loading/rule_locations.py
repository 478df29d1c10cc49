"""File, line and text of every requirement and name in the rule files of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.language.name_references import iterate_references
from fairdeal.validator.rulebook.loading.game_requirements import GameRequirements, RuleFile, add_game_requirements
from fairdeal.validator.rulebook.loading.rule_loader import read_rule_files
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.rules.rule_files import GAME_FILE, PATTERNS_FILE
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument

_MAPPINGS: Mapping[str, tuple[str, ...]] = {
    "fact": ("facts",),
    "hand": ("hands",),
    "position": ("table", "positions"),
    "drawing": ("drawing",),
    "pay-table": ("pay-tables",),
    "pattern": ("patterns",),
}
"""Mappings of a game or of the file of patterns, by the kind of their keys."""

_LISTS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "step": (("procedure",), "step"),
    "case": (("settlement", "cases"), "case"),
    "cap": (("settlement", "caps"), "cap"),
    "stage": (("deal", "stages"), "stage"),
}
"""Lists of a game, by the kind of their items, with the key that names an item."""


class RuleExcerpt(Struct, frozen=True, kw_only=True):
    """A requirement in a rule file."""

    place: str
    """Location as `path:line`; shipped files are in `rules_data`."""
    text: str
    """Text of the requirement in the file."""
    written_out: Mapping[str, Data]
    """Content together with the head of the file, with patterns expanded."""


class RuleIndex(Struct, frozen=True, kw_only=True):
    """Locations of requirements and other definitions in the rule files of a document."""

    requirements: Mapping[str, RuleExcerpt]
    """Requirements by name."""
    defined: Mapping[tuple[str, str], str]
    """Locations of other definitions, as `path:line`, by kind and name."""

    @classmethod
    def from_rulebook(cls, rulebook: Rulebook, document: str) -> RuleIndex:
        """Return the locations for a document. Raises InputError for broken files."""
        files = add_game_requirements(read_rule_files(document, rulebook.folder))
        home = rulebook.folder or FilePath("rules_data")
        return cls(
            requirements={name: excerpt for file in files for name, excerpt in _list_excerpts(file, home)},
            defined={
                key: place
                for file in files
                if file.name.endswith((f"/{GAME_FILE}", f"/{PATTERNS_FILE}"))
                for key, place in _list_definitions(file, home)
            },
        )

    def find_referenced(self, regulation: Regulation, requirement: Requirement) -> list[tuple[str, str, str]]:
        """Return what a check refers to, directly or through facts, in order: kind, name, location."""
        found: dict[tuple[str, str], str] = {}
        pending: list[BaseModel] = [requirement.check]
        while pending:
            for _, kind, name in iterate_references(pending.pop(0), ()):
                if (kind, name) in self.defined and (kind, name) not in found:
                    found[kind, name] = self.defined[kind, name]
                    if kind == "fact" and regulation.game is not None:
                        pending.append(regulation.game.facts[name])
        return [(kind, name, place) for (kind, name), place in found.items()]


def _list_excerpts(file: RuleFile, home: FilePath) -> Iterator[tuple[str, RuleExcerpt]]:
    if isinstance(file, GameRequirements):
        entries_by_name = _map_entries(file.tree)
        for name, places in file.stated.items():
            text = "\n".join(_extract_text(file.game, place) for place in places)
            place = _format_place(file, home, _get_line(file.game, places[0]))
            yield name, RuleExcerpt(place=place, text=text, written_out=entries_by_name[name])
        return
    match file.tree.data:
        case dict(head) if isinstance(entries := head.get("requirements"), list):
            starts = [file.tree.get_position(("requirements", number)).line for number in range(len(entries))]
            for entry, start, end in zip(entries, starts, [*starts[1:], len(file.tree.lines) + 1], strict=True):
                assert isinstance(entry, dict)
                text = _trim_trailing(file.tree.lines[start - 1 : end - 1])
                defaults: dict[str, Data] = {key: head[key] for key in ("severity", "remedy") if key in head}
                excerpt = RuleExcerpt(
                    place=_format_place(file, home, start), text=text, written_out={**defaults, **entry}
                )
                yield str(entry["requirement"]), excerpt


def _map_entries(tree: PositionedDocument) -> dict[str, dict[str, Data]]:
    """Return the entries of a file of requirements, by name."""
    listed = tree.data.get("requirements") if isinstance(tree.data, dict) else None
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return {str(item["requirement"]): item for item in entries}


def _extract_text(tree: PositionedDocument, place: DataPath) -> str:
    """Return the lines of an element of a file, up to the next element."""
    start = _get_line(tree, place)
    lines = {_get_line(tree, path) for path in tree.positions if path[: len(place)] != place}
    end = min((line for line in lines if line > start), default=len(tree.lines) + 1)
    return _trim_trailing(tree.lines[start - 1 : end - 1])


def _trim_trailing(lines: Sequence[str]) -> str:
    """Return lines as text, without trailing blank lines and comments, which belong to the next element."""
    text = list(lines)
    while text and text[-1].lstrip()[:1] in ("", "#"):
        text.pop()
    return "\n".join(text)


def _get_line(tree: PositionedDocument, place: DataPath) -> int:
    position = tree.get_position(place)
    return position.key_line or position.line


def _list_definitions(file: RuleFile, home: FilePath) -> Iterator[tuple[tuple[str, str], str]]:
    for kind, path in _MAPPINGS.items():
        if path in file.tree.positions and isinstance(names := file.tree.get_value(path), dict):
            for name in names:
                yield (kind, name), _format_place(file, home, _get_line(file.tree, (*path, name)))
    for kind, (path, key) in _LISTS.items():
        if path in file.tree.positions and isinstance(items := file.tree.get_value(path), list):
            for number, item in enumerate(items):
                assert isinstance(item, dict)
                yield (kind, str(item[key])), _format_place(file, home, file.tree.get_position((*path, number)).line)


def _format_place(file: RuleFile, home: FilePath, line: int) -> str:
    return f"{(home / file.name).as_posix()}:{line}"
