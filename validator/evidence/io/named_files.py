"""Evidence by name: files, folders and patterns, turned into the files that are read; also those of object stores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from glob import escape, has_magic
from itertools import islice
from pathlib import Path

from msgspec import Struct

from validator.evidence.io.addresses import inside, is_address, stored_at
from validator.text.diagnostics import MAX_PROBLEMS, Diagnostic, InputError
from validator.text.source import open_failed

STDIO = "-"
"""The path that stands for standard input or output."""
SET_ASIDE = "_set-aside.parquet"
"""What the list of records that were set aside is called in a store. Readers of partitions pass over what begins so."""
MAX_FILES = 100_000
"""Files that one argument may stand for."""
MAX_SEEN = 1_000_000
"""Files and folders that are looked at for one argument."""
MAX_DEPTH = 64
"""Folders inside each other that are looked into."""

_PACKINGS = (".gz", ".zst")


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of evidence: what it is called, and the endings its files have."""

    name: str
    endings: tuple[str, ...]
    packed: bool = False

    def claims(self, name: str) -> bool:
        """Whether the name of a file says that it is of this kind."""
        name = name.lower()
        if self.packed:
            for packing in _PACKINGS:
                name = name.removesuffix(packing)
        return name.endswith(self.endings)


SUBMISSIONS = Kind(name="submission", endings=(".yaml", ".yml", ".json"))
LOGS = Kind(name="hand log", endings=(".jsonl", ".ndjson", ".phh", ".phhs", ".parquet"), packed=True)


def lists_set_aside(path: str) -> bool:
    """Whether a file is by its name the list of records set aside of a store, which holds no rounds."""
    return path.rpartition("/")[2] == SET_ASIDE


class Inputs(Struct, frozen=True, kw_only=True):
    """The files that arguments stand for, in order, and why some stand for none. Those `found` were named by nobody:
    they lie in a folder, and may turn out to be something else."""

    files: Sequence[str]
    found: frozenset[str]
    refused: Sequence[InputError]

    @property
    def named(self) -> list[str]:
        """The files that were named, one by one or by a pattern."""
        return [path for path in self.files if path not in self.found]


def inputs_of(arguments: Iterable[str], kind: Kind, *, apart: Iterable[str | None] = ()) -> Inputs:
    """What arguments stand for: a file for itself; a folder for every file in it and below whose ending says that it is
    of a kind; a pattern (`logs/**/*.jsonl`) that nothing has for its name, for whatever it matches.

    Hidden files and folders are left out, links to folders are not followed, and what the run reads as something else
    (`apart`) is nothing that was found. What was named already is not found once more.
    """
    named: list[str] = []
    refused: list[InputError] = []
    known: set[str] = set()
    for argument in arguments:
        try:
            matches = _matches(argument)
        except InputError as error:
            refused.append(error)
        else:
            named += (path for path in matches if path == argument or path not in known)
            known.update(matches)
    folders = {path for path in named if _is_folder(path)}
    taken = {file_at(path) for path in (*named, *apart) if path is not None and path not in folders}
    files: list[str] = []
    found: set[str] = set()
    for path in named:
        if path not in folders:
            files.append(path)
            continue
        try:
            inside = {one: file_at(one) for one in _inside(path, kind)}
        except InputError as error:
            refused.append(error)
            continue
        for one, place in inside.items():
            if place is not None and place not in taken:
                taken.add(place)
                found.add(one)
                files.append(one)
    return Inputs(files=files, found=frozenset(found), refused=refused)


class LeftOut:
    """What was found in folders and turned out to be something else."""

    def __init__(self, inputs: Inputs, kind: Kind) -> None:
        self._inputs = inputs
        self._kind = kind
        self._reasons: dict[str, str] = {}

    def add(self, path: str, reason: str) -> None:
        """Leave out a file."""
        self._reasons[path] = reason

    @property
    def everything(self) -> bool:
        """Whether nothing is left."""
        return bool(self._reasons) and len(self._reasons) == len(self._inputs.files) and not self._inputs.refused

    @property
    def kept(self) -> list[str]:
        """What was found and is not left out."""
        return [path for path in self._inputs.files if path in self._inputs.found and path not in self._reasons]

    def lines(self) -> Iterator[str]:
        """Lines that tell of each file why it was left out; of many, how many more there are."""
        for path, reason in islice(self._reasons.items(), MAX_PROBLEMS):
            yield f"left out: {path}: {reason}"
        if len(self._reasons) > MAX_PROBLEMS:
            yield f"left out: {len(self._reasons) - MAX_PROBLEMS:,} more files"

    def nothing_left(self) -> InputError:
        """The error where nothing is left."""
        message = f"none of the files that were found is a {self._kind.name}"
        return InputError((Diagnostic(code="not-found", message=message, help="name a file, or another folder"),))


def beneath(folder: str, path: str) -> str:
    """A path, or a pattern, that is written relative to a folder."""
    return path if path == STDIO else os.path.join(escape(folder) if has_magic(path) else folder, path)  # noqa: PTH118


def _is_folder(path: str) -> bool:
    if is_address(path):
        try:
            stored = stored_at(path)
        except InputError:
            return False  # opening it says why
        return stored is not None and stored.is_folder
    try:
        return path != STDIO and Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _matches(argument: str) -> list[str]:
    """What an argument stands for: itself, unless it is a pattern and nothing has it for its name.

    Raises InputError.
    """
    if argument == STDIO or not has_magic(argument) or os.path.lexists(argument):
        return [argument]
    if is_address(argument):
        return _addresses(argument)
    path = Path(argument)
    fixed = next(number for number, part in enumerate(path.parts) if has_magic(part))
    parts: list[str] = []
    for part in path.parts[fixed:]:
        if part != "**" or parts[-1:] != ["**"]:
            parts.append(part)
    found = islice(_matching(Path(*path.parts[:fixed]), parts, _Seen(argument), 0), MAX_SEEN)
    matches = [str(one) for one in sorted(set(found))]
    if not matches:
        raise _nothing(argument, "there is no such file, and none that matches this as a pattern")
    return _bounded(argument, matches)


def _addresses(pattern: str) -> list[str]:
    """The files of a store whose addresses match a pattern, part by part; `**` stands for any number of parts."""
    parts = pattern.split("/")
    fixed = next(number for number, part in enumerate(parts) if has_magic(part))
    matches = sorted(
        one for one in inside("/".join(parts[:fixed]), most=MAX_SEEN) if _fits(one.split("/")[fixed:], parts[fixed:])
    )
    if not matches:
        raise _nothing(pattern, "no file of this store matches this as a pattern")
    return _bounded(pattern, matches)


def _fits(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the parts of an address match those of a pattern."""
    if not parts or not names:
        return not names and all(part == "**" for part in parts)
    if parts[0] == "**":
        return _fits(names, parts[1:]) or _fits(names[1:], parts)
    return fnmatchcase(names[0], parts[0]) and _fits(names[1:], parts[1:])


def _matching(folder: Path, parts: Sequence[str], seen: _Seen, depth: int) -> Iterator[Path]:
    """What lies in a folder and matches the parts of a pattern."""
    part, rest = parts[0], parts[1:]
    if part == "**" and rest:
        yield from _matching(folder, rest, seen, depth)
    for entry in seen.entries(folder, depth, hidden=part.startswith(".")):
        path = folder / entry.name
        if part == "**":
            if entry.is_dir(follow_symlinks=False):
                yield from _matching(path, parts, seen, depth + 1)
            elif not rest:
                yield path
        elif fnmatchcase(entry.name, part):
            if not rest:
                yield path
            elif entry.is_dir():
                yield from _matching(path, rest, seen, depth + 1)


def _inside(folder: str, kind: Kind) -> list[str]:
    """The files in a folder and below that are of a kind by their names, in order. Raises InputError."""
    seen = _Seen(folder)

    def within(place: Path, depth: int) -> Iterator[Path]:
        for entry in seen.entries(place, depth):
            if entry.is_dir(follow_symlinks=False):
                yield from within(place / entry.name, depth + 1)
            elif kind.claims(entry.name) and entry.is_file():
                yield place / entry.name

    if is_address(folder):
        names = sorted(
            one
            for one in inside(folder, most=MAX_SEEN)
            if kind.claims(one) and "/." not in one.removeprefix(folder.rstrip("/"))
        )
    else:
        names = [str(path) for path in sorted(islice(within(Path(folder), 0), MAX_FILES + 1))]
    if not names:
        endings = (*kind.endings, *(f".*{packing}" for packing in _PACKINGS if kind.packed))
        raise _nothing(folder, f"this is a folder, and no {kind.name} is in it", f"they end in {', '.join(endings)}")
    return _bounded(folder, names)


def _bounded(argument: str, paths: list[str]) -> list[str]:
    if len(paths) > MAX_FILES:
        raise _too_much(argument, f"more than {MAX_FILES:,} files")
    return paths


class _Seen:
    """Counts what is looked at for an argument."""

    def __init__(self, argument: str) -> None:
        self._argument = argument
        self._count = 0

    def entries(self, folder: Path, depth: int, *, hidden: bool = False) -> Iterator[os.DirEntry[str]]:
        """What lies in a folder, without what is hidden unless that is asked for; nothing where it is no folder.

        Raises InputError where it may not be read, or where too much has been looked at.
        """
        if depth > MAX_DEPTH:
            raise _too_much(self._argument, f"more than {MAX_DEPTH} folders inside each other")
        try:
            with os.scandir(folder) as entries:
                listed = [entry for entry in entries if hidden or not entry.name.startswith(".")]
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, ValueError) as error:
            raise open_failed(str(folder), error) from error
        self._count += len(listed)
        if self._count > MAX_SEEN:
            raise _too_much(self._argument, f"more than {MAX_SEEN:,} files and folders")
        yield from listed


def _nothing(path: str, message: str, help_: str = "check the path and its spelling") -> InputError:
    return InputError((Diagnostic(code="not-found", message=message, file=path, help=help_),))


def _too_much(path: str, what: str) -> InputError:
    message = f"there are {what} here; not read"
    return InputError((Diagnostic(code="too-many", message=message, file=path, help="name less of it"),))


def file_at(path: str) -> object | None:
    """What tells the file that a path leads to from all others, links followed, be it there or not; None for standard
    input or output and for what is no ordinary file."""
    if path == STDIO:
        return None
    try:
        place = Path(path).resolve()
        if not place.exists():
            return place
        about = place.stat()
        return (about.st_dev, about.st_ino) if place.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None  # opening it says why
