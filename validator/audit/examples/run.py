"""Run of the examples of a document against its snapshot, and update of the snapshot."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from validator.audit.examples.evidence import load_samples
from validator.audit.examples.proof import Proof, prove
from validator.audit.examples.snapshot import (
    not_needed,
    of_examples_gone,
    read_snapshot,
    snapshot_file,
    snapshot_of,
    written,
)
from validator.rules.core.library import SNAPSHOT
from validator.rules.core.regulation import Regulation
from validator.rules.model.example import Snapshot
from validator.text.whole_files import written_whole


class ExampleRun(Struct, frozen=True, kw_only=True):
    """Results of the examples of a document."""

    document: str
    """Id of the document."""
    proofs: tuple[Proof, ...]
    """Proof of each example, in the order of the files."""
    stale: tuple[str, ...] = ()
    """Entries of the snapshot that belong to no example, and other problems of the snapshot."""

    @property
    def wrong(self) -> tuple[Proof, ...]:
        """Proofs with problems."""
        return tuple(proof for proof in self.proofs if proof.problems)

    @property
    def snapshot(self) -> Snapshot:
        """Snapshot of the results."""
        return snapshot_of(self.document, [proof.given for proof in self.proofs])


def run_examples(regulation: Regulation, folder: Path | None = None) -> ExampleRun:
    """Run the examples of a document and compare them with the snapshot.

    Args:
        folder: rules folder; by default the one that is installed.

    Raises:
        InputError: If examples or snapshot cannot be read.
    """
    snapshot = read_snapshot(regulation.id, folder)
    run = _run(regulation, folder, snapshot)
    if run.snapshot != Snapshot() and not snapshot_file(regulation.id, folder).exists():
        return replace(
            _ignore_snapshot(run), stale=(f"there is no {SNAPSHOT}, which records the results of the examples",)
        )
    stale = [*of_examples_gone(snapshot, {proof.sample.example.example for proof in run.proofs})]
    if not run.wrong:
        stale += not_needed(snapshot, run.snapshot)
    return replace(run, stale=tuple(stale))


def update_snapshot(regulation: Regulation, folder: Path | None = None) -> tuple[ExampleRun, bool]:
    """Write the snapshot of a document if every example gives what the example itself states.

    The current snapshot is ignored, readable or not.

    Returns:
        The run, whose problems are those that prevent writing; and whether the file changed.

    Raises:
        InputError: If examples cannot be read.
        OSError: If the snapshot cannot be written.
    """
    run = _ignore_snapshot(_run(regulation, folder, Snapshot()))
    if run.wrong or not run.proofs:
        return run, False
    path, data = snapshot_file(regulation.id, folder), written(run.snapshot)
    if path.exists() and path.read_bytes() == data:
        return run, False
    with written_whole(path) as stream:
        stream.write(data)
    return run, True


def _run(regulation: Regulation, folder: Path | None, snapshot: Snapshot) -> ExampleRun:
    samples = load_samples(regulation, folder, snapshot=snapshot)
    return ExampleRun(document=regulation.id, proofs=tuple(map(_require_purpose, prove(regulation, samples))))


def _require_purpose(proof: Proof) -> Proof:
    """Add a problem to a proof whose example proves nothing."""
    example = proof.sample.example
    if proof.wrong or example.proves or example.not_applicable:
        return proof
    message = "it proves nothing: name a requirement under `about`, `not-applicable` or `unproven`"
    return replace(proof, wrong=(message,))


def _ignore_snapshot(run: ExampleRun) -> ExampleRun:
    """Drop the differences from the snapshot."""
    return replace(run, proofs=tuple(replace(proof, altered=()) for proof in run.proofs))
