"""Files named on the command line: paths, folders and patterns resolved to files, also in object stores.

Credentials, and the location of an unusual store, come from the environment (for S3 the variables AWS_…). An address
never holds them, as addresses appear in results.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from glob import escape, has_magic
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from fairdeal.validator.text.diagnostics import MAX_PROBLEMS, Diagnostic, InputError
from fairdeal.validator.text.source import build_open_error

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://")


_SECRET = re.compile(r"[a-z][a-z0-9+.-]*://[^/]*@")


def is_address(path: str) -> bool:
    """Return whether a string is the address of an object store, and not a path."""
    return _ADDRESS.match(path) is not None


class StoredObject(Struct, frozen=True, kw_only=True):
    """Object at an address: a file or a folder."""

    is_folder: bool
    """True for a folder."""
    size: int
    """Bytes of the file."""
    time: int
    """Time of the last change, in nanoseconds."""


def open_address(address: str) -> BufferedReader:
    """Open the file at an address; the caller closes it. Raises InputError if it cannot be opened."""
    with _convert_errors(address):
        store, path = _open_store(address)
        return cast("BufferedReader", store.open_input_file(path))


def stat_address(address: str) -> StoredObject | None:
    """Return the object at an address; None if there is none. Raises InputError if the store does not answer."""
    with _convert_errors(address):
        store, path = _open_store(address)
        return _describe(store.get_file_info(path))


def list_addresses(address: str, *, most: int) -> Iterator[str]:
    """Yield the addresses of all files in a folder and below, in any order: at most `most`, and one more.

    Raises InputError if the store does not answer.
    """
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415 - pyarrow takes time to import

    with _convert_errors(address):
        store, path = _open_store(address)
        infos = store.get_file_info(FileSelector(path, allow_not_found=True, recursive=True))
        prefix = address[: len(address.rstrip("/")) - len(path.rstrip("/"))]
        for info in infos[: most + 1]:
            if info.type is FileType.File:
                yield f"{prefix}{info.path}"


def _describe(info: FileInfo) -> StoredObject | None:
    from pyarrow.fs import FileType  # noqa: PLC0415 - see above

    if info.type is FileType.NotFound:
        return None
    return StoredObject(is_folder=info.type is FileType.Directory, size=info.size or 0, time=info.mtime_ns or 0)


def _open_store(address: str) -> tuple[FileSystem, str]:
    from pyarrow.fs import FileSystem  # noqa: PLC0415 - see above

    if _SECRET.match(address):
        raise ValueError("an address must not contain a user name or password, as it appears in results")
    store, path = FileSystem.from_uri(address)
    return store, path


@contextmanager
def _convert_errors(address: str) -> Iterator[None]:
    """Convert errors of a store to an InputError that names the address, without secrets."""
    name = _SECRET.sub(lambda match: match.group().partition("//")[0] + "//…@", address)
    try:
        yield
    except FileNotFoundError as error:
        message = "there is no such file in this store"
        raise InputError(
            (Diagnostic(code="not-found", message=message, file=name, help="check the address"),)
        ) from error
    except (OSError, ValueError, ImportError) as error:
        reason = " ".join(str(error).split())
        raise build_open_error(name, ValueError(reason)) from error


STDIO = "-"
"""Path of standard input or output."""
QUARANTINE_FILE = "_set-aside.parquet"
"""Name of the list of quarantined records in a store. Readers of partitions ignore names with an underscore."""
MAX_FILES = 100_000
"""Most files for one argument."""
MAX_SEEN = 1_000_000
"""Most files and folders visited for one argument."""
MAX_DEPTH = 64
"""Most nested folders that are visited."""

_PACKINGS = (".gz", ".zst")


class EvidenceKind(Struct, frozen=True, kw_only=True):
    """Kind of evidence, with the endings of its files."""

    name: str
    """Name of the kind in messages."""
    endings: tuple[str, ...]
    """Endings of file names."""
    packed: bool = False
    """True if the files may be compressed."""

    def matches_name(self, name: str) -> bool:
        """Return whether the name of a file has an ending of this kind."""
        name = name.lower()
        if self.packed:
            for packing in _PACKINGS:
                name = name.removesuffix(packing)
        return name.endswith(self.endings)


SUBMISSIONS = EvidenceKind(name="submission", endings=(".yaml", ".yml", ".json", ".xlsx"))
LOGS = EvidenceKind(name="hand log", endings=(".jsonl", ".ndjson", ".phh", ".phhs", ".parquet"), packed=True)


def is_quarantine_file(path: str) -> bool:
    """Return whether a file is, by its name, the list of quarantined records of a store, which holds no rounds."""
    return path.rpartition("/")[2] == QUARANTINE_FILE


class Inputs(Struct, frozen=True, kw_only=True):
    """Files for the arguments of a command, in order."""

    files: Sequence[str]
    """Files in the order of their arguments."""
    from_folders: frozenset[str]
    """Files that come from a folder: nobody named them, and they may turn out to be something else."""
    errors: Sequence[InputError]
    """Errors for arguments without any file."""

    @property
    def named_files(self) -> list[str]:
        """Files that were named, one by one or by a pattern."""
        return [path for path in self.files if path not in self.from_folders]


def resolve_inputs(arguments: Iterable[str], kind: EvidenceKind, *, apart: Iterable[str | None] = ()) -> Inputs:
    """Resolve arguments to files.

    A file is itself; a folder gives every file in it and below that has an ending of the kind. A pattern
    (`logs/**/*.jsonl`) gives all its matches, unless a file has that name.

    Hidden files and folders are skipped, and links to folders are not followed. A folder adds no file that was named
    already, or that the run reads for another purpose (`apart`).
    """
    named: list[str] = []
    errors: list[InputError] = []
    known: set[str] = set()
    for argument in arguments:
        try:
            matches = _resolve_argument(argument)
        except InputError as error:
            errors.append(error)
        else:
            named += (path for path in matches if path == argument or path not in known)
            known.update(matches)
    folders = {path for path in named if _is_folder(path)}
    known_identities = {identify_file(path) for path in (*named, *apart) if path is not None and path not in folders}
    files: list[str] = []
    found: set[str] = set()
    for path in named:
        if path not in folders:
            files.append(path)
            continue
        try:
            identities = {entry: identify_file(entry) for entry in _list_folder(path, kind)}
        except InputError as error:
            errors.append(error)
            continue
        for entry, place in identities.items():
            if place is not None and place not in known_identities:
                known_identities.add(place)
                found.add(entry)
                files.append(entry)
    return Inputs(files=files, from_folders=frozenset(found), errors=errors)


class SkippedFiles:
    """Files from folders that turned out to be something else."""

    def __init__(self, inputs: Inputs, kind: EvidenceKind) -> None:
        self._inputs = inputs
        self._kind = kind
        self._reasons: dict[str, str] = {}

    def add(self, path: str, reason: str) -> None:
        """Skip a file."""
        self._reasons[path] = reason

    @property
    def is_nothing_left(self) -> bool:
        """True if no file is left."""
        return bool(self._reasons) and len(self._reasons) == len(self._inputs.files) and not self._inputs.errors

    @property
    def remaining(self) -> list[str]:
        """Files from folders that are not skipped."""
        return [path for path in self._inputs.files if path in self._inputs.from_folders and path not in self._reasons]

    def describe(self) -> Iterator[str]:
        """Yield a line for each skipped file with the reason; of many, only the number of the others."""
        for path, reason in islice(self._reasons.items(), MAX_PROBLEMS):
            yield f"left out: {path}: {reason}"
        if len(self._reasons) > MAX_PROBLEMS:
            yield f"left out: {len(self._reasons) - MAX_PROBLEMS:,} more files"

    def build_error(self) -> InputError:
        """Build the error for the case that no file is left."""
        message = f"none of the files found is a {self._kind.name}"
        return InputError((Diagnostic(code="not-found", message=message, help="name a file, or another folder"),))


def join_folder(folder: str, path: str) -> str:
    """Join a folder and a relative path or pattern."""
    return path if path == STDIO else os.path.join(escape(folder) if has_magic(path) else folder, path)  # noqa: PTH118


def _is_folder(path: str) -> bool:
    if is_address(path):
        try:
            stored = stat_address(path)
        except InputError:
            return False  # opening it says why
        return stored is not None and stored.is_folder
    try:
        return path != STDIO and Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _resolve_argument(argument: str) -> list[str]:
    """Return the files for an argument: itself, unless it is a pattern and no file has that name.

    Raises InputError.
    """
    if argument == STDIO or not has_magic(argument) or os.path.lexists(argument):
        return [argument]
    if is_address(argument):
        return _match_addresses(argument)
    path = Path(argument)
    fixed = next(number for number, part in enumerate(path.parts) if has_magic(part))
    parts: list[str] = []
    for part in path.parts[fixed:]:
        if part != "**" or parts[-1:] != ["**"]:
            parts.append(part)
    walked = islice(_walk_pattern(Path(*path.parts[:fixed]), parts, _VisitLimit(argument), 0), MAX_SEEN)
    matches = [str(match) for match in sorted(set(walked))]
    if not matches:
        raise _not_found(argument, "there is no such file, and no file matches this pattern")
    return _limit_files(argument, matches)


def _match_addresses(pattern: str) -> list[str]:
    """Return the files of a store whose addresses match a pattern, part by part; `**` matches any number of parts."""
    parts = pattern.split("/")
    fixed = next(number for number, part in enumerate(parts) if has_magic(part))
    matches = sorted(
        address
        for address in list_addresses("/".join(parts[:fixed]), most=MAX_SEEN)
        if _match_parts(address.split("/")[fixed:], parts[fixed:])
    )
    if not matches:
        raise _not_found(pattern, "no file of this store matches this pattern")
    return _limit_files(pattern, matches)


def _match_parts(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether the parts of an address match those of a pattern."""
    if not parts or not names:
        return not names and all(part == "**" for part in parts)
    if parts[0] == "**":
        return _match_parts(names, parts[1:]) or _match_parts(names[1:], parts)
    return fnmatchcase(names[0], parts[0]) and _match_parts(names[1:], parts[1:])


def _walk_pattern(folder: Path, parts: Sequence[str], seen: _VisitLimit, depth: int) -> Iterator[Path]:
    """Yield the files in a folder that match the parts of a pattern."""
    part, rest = parts[0], parts[1:]
    if part == "**" and rest:
        yield from _walk_pattern(folder, rest, seen, depth)
    for entry in seen.entries(folder, depth, hidden=part.startswith(".")):
        path = folder / entry.name
        if part == "**":
            if entry.is_dir(follow_symlinks=False):
                yield from _walk_pattern(path, parts, seen, depth + 1)
            elif not rest:
                yield path
        elif fnmatchcase(entry.name, part):
            if not rest:
                yield path
            elif entry.is_dir():
                yield from _walk_pattern(path, rest, seen, depth + 1)


def _list_folder(folder: str, kind: EvidenceKind) -> list[str]:
    """Return the files in a folder and below that have an ending of a kind, in order. Raises InputError."""
    seen = _VisitLimit(folder)

    def walk(place: Path, depth: int) -> Iterator[Path]:
        for entry in seen.entries(place, depth):
            if entry.is_dir(follow_symlinks=False):
                yield from walk(place / entry.name, depth + 1)
            elif kind.matches_name(entry.name) and entry.is_file():
                yield place / entry.name

    if is_address(folder):
        names = sorted(
            address
            for address in list_addresses(folder, most=MAX_SEEN)
            if kind.matches_name(address) and "/." not in address.removeprefix(folder.rstrip("/"))
        )
    else:
        names = [str(path) for path in sorted(islice(walk(Path(folder), 0), MAX_FILES + 1))]
    if not names:
        endings = (*kind.endings, *(f".*{packing}" for packing in _PACKINGS if kind.packed))
        raise _not_found(
            folder, f"this is a folder without a {kind.name}", f"name a file that ends in {', '.join(endings)}"
        )
    return _limit_files(folder, names)


def _limit_files(argument: str, paths: list[str]) -> list[str]:
    if len(paths) > MAX_FILES:
        raise _too_much(argument, f"more than {MAX_FILES:,} files")
    return paths


class _VisitLimit:
    """Count of the files and folders that were visited for an argument."""

    def __init__(self, argument: str) -> None:
        self._argument = argument
        self._count = 0

    def entries(self, folder: Path, depth: int, *, hidden: bool = False) -> Iterator[os.DirEntry[str]]:
        """Yield the entries of a folder, without hidden ones unless `hidden`; none if it is not a folder.

        Raises InputError if the folder cannot be read, or if too many entries were visited.
        """
        if depth > MAX_DEPTH:
            raise _too_much(self._argument, f"more than {MAX_DEPTH} nested folders")
        try:
            with os.scandir(folder) as entries:
                listed = [entry for entry in entries if hidden or not entry.name.startswith(".")]
        except (FileNotFoundError, NotADirectoryError):
            return
        except (OSError, ValueError) as error:
            raise build_open_error(str(folder), error) from error
        self._count += len(listed)
        if self._count > MAX_SEEN:
            raise _too_much(self._argument, f"more than {MAX_SEEN:,} files and folders")
        yield from listed


def _not_found(path: str, message: str, help_: str = "check the path and its spelling") -> InputError:
    return InputError((Diagnostic(code="not-found", message=message, file=path, help=help_),))


def _too_much(path: str, what: str) -> InputError:
    message = f"there are {what} here; none was read"
    return InputError((Diagnostic(code="too-many", message=message, file=path, help="name fewer files or folders"),))


def identify_file(path: str) -> object | None:
    """Return an identity of the file that a path leads to, links followed, whether it exists or not.

    None for standard input or output, and for anything but an ordinary file.
    """
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
