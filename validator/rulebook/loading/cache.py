"""Cache of validated regulations, in memory and on disk.

The key is the hash of all files of a regulation and of the program that validated it. An entry therefore equals what
`load_regulation` makes of the same files.
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
"""Number of regulations that a process keeps in memory."""
_shared: dict[tuple[str, str], Regulation] = {}


def cached_regulation(document: str, folder: Path | None = None) -> Regulation:
    """Return a regulation like `load_regulation`, but without validating unchanged files again.

    Raises InputError.
    """
    return _load_or_fetch(document, folder, _hash_document(document, folder))


def shared_regulation(document: str, folder: Path | None = None) -> Regulation:
    """Return a regulation like `cached_regulation`, as one object for the same files.

    The process keeps the last `MOST_SHARED` regulations. A regulation never changes.

    Raises InputError.
    """
    sha256 = _hash_document(document, folder)
    regulation = _shared.get((document, sha256)) or _load_or_fetch(document, folder, sha256)
    if regulation.sha256 == sha256:  # otherwise its files have changed
        _shared[document, sha256] = regulation
    while len(_shared) > MOST_SHARED:
        _shared.pop(next(iter(_shared)))
    return regulation


def _load_or_fetch(document: str, folder: Path | None, sha256: str) -> Regulation:
    key = key_of("regulation", document, sha256)
    cached = fetch(key, trusted=_TRUSTED)
    if isinstance(cached, Regulation) and cached.sha256 == sha256:
        return cached
    from validator.rulebook.loading.load import load_regulation  # noqa: PLC0415 - a cached regulation needs no loader

    regulation = load_regulation(document, folder)
    if regulation.sha256 == sha256:
        keep(key, regulation)
    return regulation


def _hash_document(document: str, folder: Path | None) -> str:
    """Return the hash of all files of a document; empty if there is no such document or a file cannot be read."""
    root = folder or rules_folder()
    if document not in documents(root):
        return ""
    try:
        return files_sha256(
            (path.relative_to(root).as_posix(), read_source(str(path)).sha256) for path in rule_files(document, root)
        )
    except InputError:
        return ""
