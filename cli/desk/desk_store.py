"""History of the desk in a SQLite file: runs, the review of findings, and drafts of submissions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

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
