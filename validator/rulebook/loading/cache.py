"""Regulations that have been found sound, kept for the next run.

The key is the hash of every file a regulation is loaded from, which results state anyway, and of the program that
found it sound. So an entry is exactly what `load_regulation` makes of the same files.
"""

from __future__ import annotations

from pathlib import Path

from validator.disk_cache import fetch, keep, key_of
from validator.rules.core.library import documents, files_sha256, rule_files, rules_folder
from validator.rules.core.regulation import Regulation
from validator.text.diagnostics import InputError
from validator.text.source import read_source

_TRUSTED = (
    "validator.cards.bands",
    "validator.cards.model",
    "validator.cards.longest_flush_model",
    "validator.language.",
    "validator.operators.",
    "validator.rules.model.",
    "validator.rules.simulation.",
    "validator.rules.core.regulation",
    "validator.text.values.odds",
    "validator.results.",
)
MOST_SHARED = 16
"""Regulations that a process holds on to."""
_shared: dict[tuple[str, str], Regulation] = {}


def cached_regulation(document: str, folder: Path | None = None) -> Regulation:
    """As `load_regulation`, except that files which were found sound before are not looked through again.

    Raises InputError.
    """
    return _fetched(document, folder, _sha256(document, folder))


def shared_regulation(document: str, folder: Path | None = None) -> Regulation:
    """As `cached_regulation`; the same object for the same files as long as this process has not read many others. A
    regulation never changes.

    Raises InputError.
    """
    sha256 = _sha256(document, folder)
    found = _shared.get((document, sha256)) or _fetched(document, folder, sha256)
    if found.sha256 == sha256:  # or else its files changed meanwhile
        _shared[document, sha256] = found
    while len(_shared) > MOST_SHARED:
        _shared.pop(next(iter(_shared)))
    return found


def _fetched(document: str, folder: Path | None, sha256: str) -> Regulation:
    key = key_of("regulation", document, sha256)
    found = fetch(key, trusted=_TRUSTED)
    if isinstance(found, Regulation) and found.sha256 == sha256:
        return found
    from validator.rulebook.loading.load import load_regulation  # noqa: PLC0415 - what is kept needs no loading

    regulation = load_regulation(document, folder)
    if regulation.sha256 == sha256:
        keep(key, regulation)
    return regulation


def _sha256(document: str, folder: Path | None) -> str:
    """The hash of all files of a document; empty where there is none or one of them cannot be read."""
    root = folder or rules_folder()
    if document not in documents(root):
        return ""
    try:
        return files_sha256(
            (path.relative_to(root).as_posix(), read_source(str(path)).sha256) for path in rule_files(document, root)
        )
    except InputError:
        return ""
