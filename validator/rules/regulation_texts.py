"""Texts of regulations in a folder of the user, each known by its SHA-256, and the words of their clauses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fairdeal.validator.rules.document_model import Clause, Document
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import Source, read_source

MAX_TEXT = 8 << 20
"""Limit of the bytes of a text."""
MAX_FILES = 1_000
"""Limit of the files of a folder of texts."""
MAX_QUOTED = 4_000
"""Limit of the characters of a clause that are quoted."""


def quote_clauses(folder: Path, documents: Iterable[Document]) -> dict[str, str]:
    """Return the words of the clauses of documents, by full id, as the texts in a folder have them.

    A text is found by its file name or by its SHA-256. Documents without a text in the folder are left out.

    Raises:
        InputError: if a text cannot be read or is another edition, or if the folder has no text of any document.
    """
    wanted = list(documents)
    files = _list_files(folder)
    problems: list[Diagnostic] = []
    by_hash: dict[str, Source] | None = None
    quoted: dict[str, str] = {}
    missing: list[str] = []
    for document in wanted:
        source = files.get(document.source.file)
        text = None if source is None else read_source(str(source), limit=MAX_TEXT)
        if text is not None and text.sha256 != document.source.sha256:
            problems.append(_build_other_edition(document, text))
            continue
        if text is None and document.source.sha256 is not None:
            by_hash = _read_all(files.values()) if by_hash is None else by_hash
            text = by_hash.get(document.source.sha256)
        if text is None:
            missing.append(document.title)
            continue
        lines = text.split_text()
        quoted.update({f"{document.document}/{clause.clause}": _quote(lines, clause) for clause in document.clauses})
    if not quoted and not problems:
        problems.append(
            Diagnostic(
                code="no-texts",
                message="the folder has no text of the regulations",
                expected=f"the text of {', '.join(missing)}" if missing else "a text of a regulation",
                help="put the text that was encoded there; `fairdeal rules show DOCUMENT` has its name and SHA-256",
                file=str(folder),
            )
        )
    if problems:
        raise InputError(tuple(problems))
    return quoted


def _list_files(folder: Path) -> Mapping[str, Path]:
    """Return the regular files of a folder by name, at most MAX_FILES. Raises InputError."""
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        message = f"the folder of texts cannot be read: {error.strerror or error}"
        raise InputError((Diagnostic(code="no-texts", message=message, file=str(folder)),)) from error
    return {path.name: path for path in files[:MAX_FILES]}


def _read_all(files: Iterable[Path]) -> dict[str, Source]:
    """Return texts by their SHA-256; files that are no text are left out."""
    texts = {}
    for path in files:
        try:
            source = read_source(str(path), limit=MAX_TEXT)
        except InputError:
            continue
        texts[source.sha256] = source
    return texts


def _build_other_edition(document: Document, text: Source) -> Diagnostic:
    if document.source.sha256 is None:
        message = f"{document.document} does not state the SHA-256 of its text, so that its edition is unknown"
        help_ = "state `sha256` under `source` in document.yaml"
    else:
        message = f"this text is another edition than the one from which {document.document} was encoded"
        help_ = "use the edition that was encoded; lines of clauses may differ in others"
    return Diagnostic(
        code="other-edition",
        message=message,
        expected=f"SHA-256 {document.source.sha256 or 'in document.yaml'}, found {text.sha256}",
        help=help_,
        file=text.name,
    )


def _quote(lines: Sequence[str], clause: Clause) -> str:
    """Return the lines of a clause without blanks at their ends and without tabs; a long clause is cut short."""
    first, last = clause.lines
    text = "\n".join(line.strip().replace("\t", "  ") for line in lines[first - 1 : last]).strip()
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"
