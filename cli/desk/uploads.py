"""Uploaded files: safe names in the folder of a run, bounded sizes, and what each file is for."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

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
