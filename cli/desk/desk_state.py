"""Settings of the desk, its folder, and the state that all requests share: history, rulebook, and the queue of runs."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import IO

from msgspec import Struct

from fairdeal.cli.common.command_settings import open_rulebook
from fairdeal.cli.common.evaluation import PROGRESS_LINE, PROGRESS_VARIABLE
from fairdeal.cli.common.process import ExitCode
from fairdeal.cli.common.shared_options import quote_texts
from fairdeal.cli.desk.desk_store import DeskStore, RunState, StoredFile, UploadKind, choose_file_name
from fairdeal.validator.forms.form_entries import SubmissionForm
from fairdeal.validator.forms.submission_form import build_blank_form, find_compliant_submission
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.submission_places import RequiredPlaces, collect_required_places
from fairdeal.validator.text.diagnostics import Diagnostic, InputError

LOOPBACK = "127.0.0.1"
"""Address that only programs on this machine reach."""
MAX_FORM_BYTES = 4 << 20
"""Limit of a request that uploads nothing, in bytes."""
MAX_FILES = 500
"""Limit of the files of one upload."""


class DeskSettings(Struct, frozen=True, kw_only=True):
    """Settings of a server."""

    home: Path
    """Folder for runs, drafts and the history."""
    host: str = LOOPBACK
    """Address that the server listens on."""
    port: int
    """Port that the server listens on."""
    allowed_hosts: frozenset[str] = frozenset()
    """Names, other than those of this machine, by which browsers may address the server."""
    is_read_only: bool = False
    """True if no request may change anything."""
    rules: str | None = None
    """Rules folder; None for the shipped one."""
    texts: str | None = None
    """Folder with the texts of regulations; None to quote nothing."""
    max_upload: int = 2 << 30
    """Limit of one upload, in bytes, as sent."""
    max_unpacked: int = 16 << 30
    """Limit of one compressed log, in bytes when unpacked."""

    @property
    def database(self) -> Path:
        """File of the history."""
        return self.home / "desk.sqlite"

    def find_run_folder(self, run: int) -> Path:
        """Return the folder of a run."""
        return self.home / "runs" / f"{run:06d}"


@contextmanager
def lock_home(home: Path) -> Iterator[None]:
    """Make the folder of a desk, for this user alone, and keep other servers out of it.

    Raises:
        InputError: if another server uses the folder, or it cannot be used.
    """
    try:
        import fcntl  # noqa: PLC0415 - Windows has no such module
    except ImportError as error:
        raise _build_home_error(home, "this system has no locks of files, which the desk needs") from error
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(home / "desk.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _build_home_error(home, f"the folder cannot be used: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise _build_home_error(home, "another desk uses this folder") from error
        yield
    finally:
        os.close(descriptor)


def _build_home_error(home: Path, message: str) -> InputError:
    help_ = "name another folder with --home"
    return InputError((Diagnostic(code="home", message=message, file=str(home), help=help_),))


EVIDENCE = "evidence"
"""Folder of the uploaded files, in which the command runs."""
RESULTS = "results.json"
"""Results of a run."""
DATABASE = "results.sqlite"
"""Results of a run, for queries of the pages."""
REPORT = "report.html"
"""Report of a run."""

_MOST_MESSAGES = 64 << 10
_PATIENCE = 10.0
"""Seconds that a canceled run has to end in order."""


class RunQueue:
    """Queue of runs, which a thread takes one by one."""

    def __init__(self, settings: DeskSettings, store: DeskStore) -> None:
        self._settings = settings
        self._store = store
        self._changed = threading.Condition()
        self._waiting: list[int] = []
        self._process: subprocess.Popen[str] | None = None
        self._running: int | None = None
        self._done = 0
        self._canceled: set[int] = set()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="runs", daemon=True)

    def start(self) -> None:
        """Start the thread, after the runs of an earlier server are marked as interrupted."""
        self._store.interrupt_runs()
        self._thread.start()

    def add(self, run: int) -> None:
        """Add a run whose files and command are in place."""
        with self._changed:
            self._waiting.append(run)
            self._changed.notify_all()

    def cancel(self, run: int) -> None:
        """Cancel a run that waits or is running."""
        with self._changed:
            if run in self._waiting:
                self._waiting.remove(run)
                self._store.end_run(run, RunState.CANCELED)
            elif run == self._running:
                self._canceled.add(run)
                self._terminate()

    def find_position(self, run: int) -> int | None:
        """Return how many runs precede a run that waits; None if it does not wait."""
        with self._changed:
            return self._waiting.index(run) + 1 if run in self._waiting else None

    def measure_progress(self, run: int) -> float | None:
        """Return the share of the logs that the running run has read, 0 to 1; None if that is not known."""
        with self._changed:
            done = self._done
            if run != self._running:
                return None
        folder = self._settings.find_run_folder(run) / EVIDENCE
        with suppress(OSError):
            total = sum(path.stat().st_size for path in folder.iterdir())
            return min(1.0, done / total) if total and done else None
        return None

    def wait(self, run: int, timeout: float) -> None:
        """Wait until a run is over, or for some seconds."""
        with self._changed:
            self._changed.wait_for(lambda: run != self._running and run not in self._waiting, timeout)

    def stop(self) -> None:
        """Stop the running run in order and leave the others; called when the server ends."""
        with self._changed:
            self._stopping.set()
            self._terminate()
            self._changed.notify_all()
        self._thread.join(2 * _PATIENCE)
        self._store.interrupt_runs()

    def _terminate(self) -> None:
        process = self._process
        if process is None:
            return
        process.terminate()
        killer = threading.Timer(_PATIENCE, process.kill)
        killer.daemon = True
        killer.start()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._stopping.is_set())
                if self._stopping.is_set():
                    return
                self._running, self._done = self._waiting.pop(0), 0
            try:
                self._perform(self._running)
            except Exception as error:  # the server goes on; the page of the run shows what went wrong
                self._store.end_run(self._running, RunState.FAILED, messages=f"the run could not be done: {error}")
            finally:
                with self._changed:
                    self._running = None
                    self._changed.notify_all()

    def _perform(self, number: int) -> None:
        run = self._store.find_run(number)
        if run is None or not self._store.begin_run(number):
            return
        folder = self._settings.find_run_folder(number)
        texts: list[str] = []
        code = 0
        for command in (*run.imports, run.command):
            code, text = self._run_command(command, folder / EVIDENCE)
            texts.append(text)
            with self._changed:
                if self._stopping.is_set():
                    return
                if number in self._canceled:
                    break
            if command is not run.command and code not in (ExitCode.COMPLIANT, ExitCode.UNREADABLE):
                break
        verdict, violations = read_outcome(folder / DATABASE)
        is_done = code >= 0 and code < 5 and (verdict is not None or run.command[0] in WITHOUT_RESULTS)
        is_canceled = number in self._canceled
        state = RunState.CANCELED if is_canceled else RunState.DONE if is_done else RunState.FAILED
        self._store.end_run(number, state, code=code, verdict=verdict, violations=violations, messages="".join(texts))

    def _run_command(self, command: Sequence[str], folder: Path) -> tuple[int, str]:
        """Run a command line in a folder, and return its exit code and messages; none if the server ends."""
        # Without `-P` a module among the uploaded files would be imported.
        program = [sys.executable, "-P", "-m", "fairdeal.cli.desk.run_process", str(os.getpid())]
        with self._changed:
            if self._stopping.is_set():
                return -signal.SIGTERM, ""
            self._process = process = subprocess.Popen(
                [*program, *command],
                cwd=folder,
                env={**os.environ, "PYTHONSAFEPATH": "1", "NO_COLOR": "1", PROGRESS_VARIABLE: "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        with process:
            assert process.stdout is not None
            messages = self._read_messages(process.stdout)
            code = process.wait()
        with self._changed:
            self._process = None
        return code, messages

    def _read_messages(self, stream: IO[str]) -> str:
        """Read what a command prints until it ends; keep the beginning of it, and count progress."""
        kept: list[str] = []
        size = 0
        for line in stream:
            if line.startswith(PROGRESS_LINE):
                with suppress(ValueError):
                    self._done = int(line.removeprefix(PROGRESS_LINE))
                continue
            size += len(line)
            if size <= _MOST_MESSAGES:
                kept.append(line)
        if size > _MOST_MESSAGES:
            kept.append("and more messages, which are not kept\n")
        return "".join(kept)


WITHOUT_RESULTS = frozenset({"verify", "odds"})
"""Commands that write no results."""


_MAP_OPTION = "--map="


def find_map(command: Sequence[str]) -> str | None:
    """Return the file of the map that an import needs; None if it needs none."""
    return next((word.removeprefix(_MAP_OPTION) for word in command if word.startswith(_MAP_OPTION)), None)


def build_imports(files: Sequence[StoredFile], options: Sequence[str]) -> tuple[list[StoredFile], list[list[str]]]:
    """Return the hand logs that tables and hand histories become, and the command lines that write them.

    Args:
        options: options of the evaluation; those that an import has are passed on.
    """
    logs: list[StoredFile] = []
    imports: list[list[str]] = []
    for file in files:
        if file.kind not in (UploadKind.TABLE, UploadKind.HISTORY):
            continue
        stem = file.name.rpartition(".")[0] or file.name
        names = [known.name for known in (*files, *logs)]
        logs.append(StoredFile(name=choose_file_name(f"{stem}.jsonl", names), kind=UploadKind.LOG, size=0))
        shared = ("--rules=", "--timezone=") if file.kind is UploadKind.HISTORY else ("--rules=",)
        maps = [f"{_MAP_OPTION}{choose_file_name(f'{stem}.map.json', names)}"] if file.kind is UploadKind.TABLE else []
        passed = [option for option in options if option.startswith(shared)]
        imports.append(["import", *maps, *passed, f"--output={logs[-1].name}", "--", file.name])
    return logs, imports


def build_command(files: Sequence[StoredFile], options: Iterable[str]) -> list[str]:
    """Return the command line that evaluates uploaded files: an audit if there are hand logs, else a check.

    It runs in the folder of the files and writes its results next to that folder.
    """
    by_kind = {kind: [file.name for file in files if file.kind is kind] for kind in UploadKind}
    command = ["audit" if by_kind[UploadKind.LOG] else "check", "--no-config", *options]
    command += [f"--waivers={name}" for name in by_kind[UploadKind.WAIVERS]]
    command += [f"--profile={name}" for name in by_kind[UploadKind.PROFILE]]
    command += [f"--baseline={name}" for name in by_kind[UploadKind.RESULTS]]
    outputs = (("json", RESULTS), ("sqlite", DATABASE), ("html", REPORT))
    command += [f"--output={form}:../{name}" for form, name in outputs]
    if by_kind[UploadKind.LOG]:
        command += [f"--submission={name}" for name in by_kind[UploadKind.SUBMISSION]]
        return [*command, "--", *by_kind[UploadKind.LOG]]
    return [*command, "--", *by_kind[UploadKind.SUBMISSION]]


def read_outcome(path: Path) -> tuple[str | None, int | None]:
    """Return the verdict and the number of violations in a database of results; None for both without one."""
    if not path.is_file():
        return None, None
    with closing(open_results(path)) as database:
        verdict = database.execute("SELECT value FROM meta WHERE name = 'verdict'").fetchone()
        count = database.execute("SELECT count(*) FROM findings WHERE status = 'fail'").fetchone()
    return (None if verdict is None else str(verdict[0])), int(count[0])


def open_results(path: Path) -> sqlite3.Connection:
    """Open a database of results for reading."""
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    database.row_factory = sqlite3.Row
    return database


def remove_run_files(settings: DeskSettings, run: int) -> None:
    """Remove the folder of a run."""
    shutil.rmtree(settings.find_run_folder(run), ignore_errors=True)


class DraftForm(Struct, frozen=True, kw_only=True):
    """Form for the submissions of a game that take effect on a day."""

    form: SubmissionForm
    """Fields that the rules need."""
    required: RequiredPlaces
    """Places and values that the rules refer to."""


MOST_FORMS = 64
"""Limit of the forms that are kept."""


class Desk:
    """Server of one user, with everything that its requests share."""

    def __init__(self, settings: DeskSettings) -> None:
        self.settings = settings
        self.store = DeskStore(settings.database)
        self.queue = RunQueue(settings, self.store)
        self.evaluation = threading.Lock()
        """Lock of evaluations in this process, whose caches are not shared between threads."""
        self._forms: dict[tuple[str, date], DraftForm] = {}

    @cached_property
    def rulebook(self) -> Rulebook:
        """Rulebook. Raises InputError if it cannot be read."""
        return open_rulebook(self.settings.rules)

    @cached_property
    def quoted_texts(self) -> dict[str, str]:
        """Words of clauses by id, from the folder of `--texts`. Raises InputError."""
        return quote_texts(self.settings.texts, self.rulebook)

    def find_form(self, document: str, day: date) -> DraftForm:
        """Return the form of a document for a day; the forms used last are kept. Raises InputError."""
        form = self._forms.pop((document, day), None)
        if form is None:
            regulation = self.rulebook.regulation(document)
            example = find_compliant_submission(regulation, self.rulebook.folder)
            form = DraftForm(
                form=build_blank_form(regulation, example=example, licensee=None, effective=day),
                required=collect_required_places(regulation, day),
            )
        self._forms[document, day] = form
        for key in list(self._forms)[:-MOST_FORMS]:
            del self._forms[key]
        return form

    def warm_up(self) -> None:
        """Load what the first pages need, so that their first user need not wait for it."""
        with suppress(InputError), self.evaluation:
            for document in self.rulebook.documents:
                self.find_form(document, date.today())
        gc.freeze()  # a collection that visits the rulebook would take a tenth of a second of a request
