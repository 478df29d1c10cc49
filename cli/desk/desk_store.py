"""Store of the desk: uploaded files, and a history of runs, reviews and drafts in a SQLite file."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from msgspec import Struct
from starlette.datastructures import UploadFile

from fairdeal.validator.audit.submissions.submission_workbook import MAIN_SHEET
from fairdeal.validator.evidence.io.log_formats import BrokenStreamError, identify_history, is_packed, unpack
from fairdeal.validator.evidence.io.named_files import LOGS, SUBMISSIONS
from fairdeal.validator.evidence.io.tables import WORKBOOK_SUFFIXES, list_worksheets
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.document_loader import load_document
from fairdeal.validator.text.source import read_source

_LONGEST = 120
"""Limit of the bytes of a file name without its ending."""
_SAFE = re.compile(r"[^\w .,()+-]")
_ENDING = re.compile(r"(?:\.[A-Za-z]{1,8}){0,1}(?:\.[A-Za-z0-9]{1,8})$", re.ASCII)
_COPIED = 1 << 20
_START = 1 << 16
_TABLES = (".csv", ".tsv", ".txt", *WORKBOOK_SUFFIXES)
_HISTORIES = (".txt", ".ohh", ".json")


class UploadKind(StrEnum):
    """Purpose of an uploaded file."""

    LOG = "hand log"
    SUBMISSION = "submission"
    WAIVERS = "waivers"
    PROFILE = "profile"
    RESULTS = "earlier results"
    TABLE = "table of rounds"
    HISTORY = "hand histories"
    """Poker hands that become a hand log by `fairdeal import`."""
    MAP = "map of columns"


_KEYS = (
    ("submission", UploadKind.SUBMISSION),
    ("waivers", UploadKind.WAIVERS),
    ("fairdeal-results", UploadKind.RESULTS),
    ("choices", UploadKind.PROFILE),
    ("columns", UploadKind.MAP),
)
"""Keys at the top of files by which their kind is known, in the order in which they are tried."""


class StoredFile(Struct, frozen=True, kw_only=True):
    """Uploaded file in the folder of a run."""

    name: str
    """Name in the folder."""
    kind: UploadKind
    size: int
    """Size in bytes."""


def choose_file_name(given: str, taken: Iterable[str]) -> str:
    """Return a name for an uploaded file that is safe in a folder and on a command line, and is not taken.

    A name has no folder, no pattern, no leading dash or dot and no invisible characters.
    """
    last = re.split(r"[/\\]", given)[-1]
    plain = _SAFE.sub("_", last).strip(" .-_") or "file"
    match = _ENDING.search(plain)
    ending = "" if match is None or match.start() == 0 else match[0]
    stem = plain.removesuffix(ending).encode()[:_LONGEST].decode("utf-8", "ignore").rstrip(" .") or "file"
    known = {name.casefold() for name in taken}
    name, number = f"{stem}{ending}", 1
    while name.casefold() in known:
        number += 1
        name = f"{stem} ({number}){ending}"
    return name


def store_files(files: Sequence[UploadFile], folder: Path, *, max_unpacked: int) -> list[StoredFile]:
    """Store uploaded files in a folder and return them with their kinds.

    Raises:
        InputError: if there is none, or a compressed file unpacks to more than its limit.
        OSError: if a file cannot be written.
    """
    folder.mkdir(parents=True)
    stored: list[StoredFile] = []
    for file in files:
        if not file.filename:
            continue
        name = choose_file_name(file.filename, (entry.name for entry in stored))
        with (folder / name).open("xb") as stream:
            shutil.copyfileobj(file.file, stream, _COPIED)
        ensure_bounded(folder / name, max_unpacked)
        stored.append(StoredFile(name=name, kind=find_kind(folder / name), size=(folder / name).stat().st_size))
    if not stored:
        message = "no file was chosen"
        raise InputError((Diagnostic(code="no-file", message=message, help="choose the files, then press the button"),))
    return stored


def may_be_evidence(file: UploadFile) -> bool:
    """Return whether a file of a folder may be evidence, by its ending; a text, if it starts with hand histories."""
    path = Path(choose_file_name(file.filename or "", ()))
    ending = path.suffix.lower()
    if ending == ".txt":
        start = file.file.read(_START)
        file.file.seek(0)
        return identify_history(start) is not None
    return ending in (*_TABLES, *_HISTORIES) or LOGS.matches_name(path.name) or SUBMISSIONS.matches_name(path.name)


def ensure_bounded(path: Path, limit: int) -> None:
    """Raise InputError if a compressed file unpacks to more than a limit, without keeping what is unpacked."""
    with path.open("rb") as stream:
        start = stream.read(8)
        if not is_packed(start):
            return
        stream.seek(0)
        size = 0
        try:
            for piece in unpack(start, _read_chunks(stream), size=_COPIED):
                size += len(piece)
                if size > limit:
                    message = f"this file unpacks to more than {limit >> 20:,} MiB"
                    help_ = "split it, or audit it from the command line"
                    raise InputError((Diagnostic(code="too-large", message=message, file=path.name, help=help_),))
        except BrokenStreamError:
            return  # the audit reports it with its place


def _read_chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(_COPIED):
        yield chunk


def find_kind(path: Path) -> UploadKind:
    """Return what a file is for, by its ending and its keys."""
    ending = path.suffix.lower()
    if LOGS.matches_name(path.name):
        return UploadKind.LOG
    if ending in _HISTORIES and _has_histories(path):
        return UploadKind.HISTORY
    if ending in _TABLES:
        return UploadKind.SUBMISSION if ending in WORKBOOK_SUFFIXES and _is_submission(path) else UploadKind.TABLE
    if not SUBMISSIONS.matches_name(path.name):
        return UploadKind.LOG
    if ending == ".json" and _starts_like_results(path):
        return UploadKind.RESULTS
    try:
        data = load_document(read_source(str(path))).data
    except InputError:
        return UploadKind.SUBMISSION  # the check reports what is wrong
    keys = data.keys() if isinstance(data, dict) else ()
    return next((kind for key, kind in _KEYS if key in keys), UploadKind.SUBMISSION)


def _is_submission(path: Path) -> bool:
    """Return whether a workbook is a submission, or cannot be read, which the check reports."""
    try:
        with path.open("rb") as stream:
            return MAIN_SHEET in list_worksheets(stream, path.name)
    except InputError:
        return True


def _has_histories(path: Path) -> bool:
    """Return whether a file starts with hand histories."""
    with path.open("rb") as stream:
        return identify_history(stream.read(_START)) is not None


def _starts_like_results(path: Path) -> bool:
    """Return whether a file starts like saved results, which may be larger than other documents."""
    with path.open("rb") as stream:
        return b'"fairdeal-results"' in stream.read(200)


SCHEMA = """
CREATE TABLE runs (
  run INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, command TEXT NOT NULL, state TEXT NOT NULL,
  created TEXT NOT NULL, ended TEXT, code INTEGER, verdict TEXT, violations INTEGER, messages TEXT NOT NULL DEFAULT '',
  imports TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE reviews (
  finding TEXT PRIMARY KEY, state TEXT NOT NULL, assignee TEXT NOT NULL, deadline TEXT NOT NULL, changed TEXT NOT NULL,
  version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE notes (
  note INTEGER PRIMARY KEY, finding TEXT NOT NULL, written TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX notes_by_finding ON notes (finding);
CREATE TABLE drafts (
  draft INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, text TEXT NOT NULL, version INTEGER NOT NULL,
  changed TEXT NOT NULL
);
"""
"""Tables of the history."""
VERSION = 2
"""The `user_version` of the tables."""
UPGRADE = "ALTER TABLE runs ADD COLUMN imports TEXT NOT NULL DEFAULT '[]'"
"""Change of the tables of version 1."""

Row = TypeVar("Row", bound=Struct)


class RunState(StrEnum):
    """State of a run."""

    UNMAPPED = "columns needed"
    """A table among the files waits until the user has said what its columns give."""
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"

    @property
    def is_over(self) -> bool:
        """True if the run has ended, or has not begun."""
        return self not in (RunState.QUEUED, RunState.RUNNING)


class ReviewState(StrEnum):
    """State of a finding between the officer and the licensee."""

    OPEN = "open"
    ANSWERED = "answered"
    CLOSED = "closed"


class Run(Struct, frozen=True, kw_only=True):
    """Run of a command."""

    run: int
    """Number of the run."""
    title: str
    """Title that the user gave."""
    command: tuple[str, ...]
    """Arguments of the command line."""
    state: RunState
    created: str
    """Time at which the run was requested, in UTC."""
    ended: str | None
    code: int | None
    """Exit code of the command."""
    verdict: str | None
    violations: int | None
    """Number of findings of violations."""
    messages: str
    """Messages that the commands printed."""
    imports: tuple[tuple[str, ...], ...]
    """Arguments of the command lines that turn files into hand logs first."""


class Review(Struct, frozen=True, kw_only=True):
    """Review of a finding, kept by its id in all runs."""

    finding: str
    """Id of the finding."""
    state: ReviewState = ReviewState.OPEN
    assignee: str = ""
    deadline: str = ""
    """Day of the reply, empty if none is set."""
    changed: str = ""
    version: int = 0
    """Number of changes."""


class Note(Struct, frozen=True, kw_only=True):
    """Note on a finding."""

    note: int
    finding: str
    written: str
    """Time, in UTC."""
    text: str


class Draft(Struct, frozen=True, kw_only=True):
    """Draft of a submission."""

    draft: int
    """Number of the draft."""
    name: str
    """File name."""
    text: str
    """YAML of the submission."""
    version: int
    """Number of changes."""
    changed: str


class OutdatedError(Exception):
    """Change that was made to an older version, such as in another tab."""


def read_clock() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class DeskStore:
    """History of a desk. Each call is a transaction of its own, from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._connect() as database:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                database.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
            elif version == 1:
                database.executescript(f"BEGIN; {UPGRADE}; PRAGMA user_version={VERSION}; COMMIT;")
            elif version != VERSION:
                raise ValueError(f"the history has version {version}, and this program reads version {VERSION}")
        path.chmod(0o600)

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self._path, timeout=10, isolation_level="IMMEDIATE")
        try:
            with database:
                yield database
        finally:
            database.close()

    def _select(self, row: type[Row], where: str = "", values: Sequence[Any] = ()) -> list[Row]:
        names = row.__struct_fields__
        with self._connect() as database:
            found = database.execute(f"SELECT {', '.join(names)} FROM {row.__name__.lower()}s {where}", values)
            return [row(**_decode(dict(zip(names, entry, strict=True)))) for entry in found.fetchall()]

    def add_run(self) -> int:
        """Add a queued run without files yet, and return its number."""
        with self._connect() as database:
            values = (RunState.QUEUED, read_clock())
            add = "INSERT INTO runs (title, command, state, created) VALUES ('', '[]', ?, ?)"
            done = database.execute(add, values)
            assert done.lastrowid is not None
            return done.lastrowid

    def set_command(
        self,
        run: int,
        title: str,
        command: Sequence[str],
        imports: Sequence[Sequence[str]] = (),
        *,
        waits: bool = False,
    ) -> None:
        """Set the title and the commands of a run, once its files are in place.

        Args:
            waits: True if a table waits for its columns.
        """
        with self._connect() as database:
            state = RunState.UNMAPPED if waits else RunState.QUEUED
            values = (title, json.dumps(list(command)), json.dumps(list(imports)), state, run)
            database.execute("UPDATE runs SET title = ?, command = ?, imports = ?, state = ? WHERE run = ?", values)

    def set_imports(self, run: int, imports: Sequence[Sequence[str]], *, waits: bool) -> bool:
        """Set the imports of a run that waits for columns; return False if it does not wait.

        Args:
            waits: True if it waits for the columns of another table; else it is queued.
        """
        with self._connect() as database:
            state = RunState.UNMAPPED if waits else RunState.QUEUED
            values = (state, json.dumps(list(imports)), run, RunState.UNMAPPED)
            change = "UPDATE runs SET state = ?, imports = ? WHERE run = ? AND state = ?"
            return database.execute(change, values).rowcount == 1

    def begin_run(self, run: int) -> bool:
        """Mark a queued run as running; return False if it is not queued any more."""
        with self._connect() as database:
            values = (RunState.RUNNING, run, RunState.QUEUED)
            return database.execute("UPDATE runs SET state = ? WHERE run = ? AND state = ?", values).rowcount == 1

    def end_run(
        self,
        run: int,
        state: RunState,
        *,
        code: int | None = None,
        verdict: str | None = None,
        violations: int | None = None,
        messages: str = "",
    ) -> bool:
        """Mark a run as over; return False if it was over before."""
        with self._connect() as database:
            done = database.execute(
                "UPDATE runs SET state = ?, ended = ?, code = ?, verdict = ?, violations = ?, messages = ?"
                " WHERE run = ? AND state IN ('queued', 'running')",
                (state, read_clock(), code, verdict, violations, messages, run),
            )
            return done.rowcount == 1

    def interrupt_runs(self) -> None:
        """Mark the runs as interrupted that an earlier server did not finish."""
        for run in self.list_runs():
            if not run.state.is_over:
                self.end_run(run.run, RunState.INTERRUPTED, messages="the server ended before the run did")

    def list_runs(self) -> list[Run]:
        """Return all runs, the last first."""
        return self._select(Run, "ORDER BY run DESC")

    def find_run(self, run: int) -> Run | None:
        """Return a run by its number."""
        return next(iter(self._select(Run, "WHERE run = ?", (run,))), None)

    def remove_run(self, run: int) -> None:
        """Remove a run from the history."""
        with self._connect() as database:
            database.execute("DELETE FROM runs WHERE run = ?", (run,))

    def find_review(self, finding: str) -> Review:
        """Return the review of a finding; an open one if nobody reviewed it."""
        return next(iter(self._select(Review, "WHERE finding = ?", (finding,))), Review(finding=finding))

    def save_review(self, review: Review, note: str) -> None:
        """Save a review and add a note, unless that is empty.

        Raises:
            OutdatedError: if the review was changed since the version that it states.
        """
        now = read_clock()
        with self._connect() as database:
            found = database.execute("SELECT version FROM reviews WHERE finding = ?", (review.finding,)).fetchone()
            if (0 if found is None else found[0]) != review.version:
                raise OutdatedError
            values = (review.finding, review.state, review.assignee, review.deadline, now, review.version + 1)
            database.execute("INSERT OR REPLACE INTO reviews VALUES (?, ?, ?, ?, ?, ?)", values)
            if note:
                add = "INSERT INTO notes (finding, written, text) VALUES (?, ?, ?)"
                database.execute(add, (review.finding, now, note))

    def list_notes(self, finding: str) -> list[Note]:
        """Return the notes on a finding, the first first."""
        return self._select(Note, "WHERE finding = ? ORDER BY note", (finding,))

    def add_draft(self, name: str, text: str) -> int:
        """Add a draft and return its number."""
        with self._connect() as database:
            values = (name, text, read_clock())
            done = database.execute("INSERT INTO drafts (name, text, version, changed) VALUES (?, ?, 1, ?)", values)
            assert done.lastrowid is not None
            return done.lastrowid

    def save_draft(self, draft: int, text: str, version: int) -> None:
        """Save a new text of a draft.

        Raises:
            OutdatedError: if the draft was changed since that version, or is gone.
        """
        with self._connect() as database:
            values = (text, read_clock(), draft, version)
            change = "UPDATE drafts SET text = ?, changed = ?, version = version + 1 WHERE draft = ? AND version = ?"
            if database.execute(change, values).rowcount != 1:
                raise OutdatedError

    def list_drafts(self) -> list[Draft]:
        """Return all drafts, the last changed first."""
        return self._select(Draft, "ORDER BY changed DESC, draft DESC")

    def find_draft(self, draft: int) -> Draft | None:
        """Return a draft by its number."""
        return next(iter(self._select(Draft, "WHERE draft = ?", (draft,))), None)

    def remove_draft(self, draft: int) -> None:
        """Remove a draft."""
        with self._connect() as database:
            database.execute("DELETE FROM drafts WHERE draft = ?", (draft,))


def _decode(values: dict[str, Any]) -> dict[str, Any]:
    """Return values of a row with the types of their fields."""
    if "command" in values:
        values["command"] = tuple(json.loads(values["command"]))
        values["imports"] = tuple(map(tuple, json.loads(values["imports"])))
        values["state"] = RunState(values["state"])
    elif "assignee" in values:
        values["state"] = ReviewState(values["state"])
    return values
