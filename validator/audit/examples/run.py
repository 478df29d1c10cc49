"""The examples of a document run against the snapshot that lies with it, and the snapshot written anew."""

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
    """The examples of a document, run: every proof in the order of the files, and what is wrong with
    the snapshot besides."""

    document: str
    proofs: tuple[Proof, ...]
    stale: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[Proof, ...]:
        """The examples that do not give what they must."""
        return tuple(proof for proof in self.proofs if proof.problems)

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot of what the examples give."""
        return snapshot_of(self.document, [proof.given for proof in self.proofs])


def run_examples(regulation: Regulation, folder: Path | None = None) -> ExampleRun:
    """Run the examples of a document of a rules folder (the shipped one where none is named) and hold them against the
    snapshot. Raises InputError where examples or snapshot cannot be read."""
    snapshot = read_snapshot(regulation.id, folder)
    ran = _run(regulation, folder, snapshot)
    if ran.snapshot != Snapshot() and not snapshot_file(regulation.id, folder).exists():
        return replace(_by_themselves(ran), stale=(f"there is no {SNAPSHOT}, which keeps what examples give besides",))
    gone = [*of_examples_gone(snapshot, {proof.sample.example.example for proof in ran.proofs})]
    if not ran.wrong:
        gone += not_needed(snapshot, ran.snapshot)
    return replace(ran, stale=tuple(gone))


def update_snapshot(regulation: Regulation, folder: Path | None = None) -> tuple[ExampleRun, bool]:
    """Write the snapshot of a document anew, if every example gives what it says itself; whatever is kept now does not
    matter, readable or not. The run, in which problems are those that keep it from being written, and whether the file
    is another now. Raises InputError where examples cannot be read, OSError where the snapshot cannot be written."""
    ran = _by_themselves(_run(regulation, folder, Snapshot()))
    if ran.wrong or not ran.proofs:
        return ran, False
    path, data = snapshot_file(regulation.id, folder), written(ran.snapshot)
    if path.exists() and path.read_bytes() == data:
        return ran, False
    with written_whole(path) as stream:
        stream.write(data)
    return ran, True


def _run(regulation: Regulation, folder: Path | None, snapshot: Snapshot) -> ExampleRun:
    samples = load_samples(regulation, folder, snapshot=snapshot)
    return ExampleRun(document=regulation.id, proofs=tuple(map(_about_something, prove(regulation, samples))))


def _about_something(proof: Proof) -> Proof:
    """A proof, with what is wrong where it proves nothing."""
    example = proof.sample.example
    if proof.wrong or example.proves or example.not_applicable:
        return proof
    message = "it proves nothing: name a requirement under `about` or `not-applicable`, or what it leaves unproven"
    return replace(proof, wrong=(message,))


def _by_themselves(ran: ExampleRun) -> ExampleRun:
    """A run of examples that are held against what they say themselves alone."""
    return replace(ran, proofs=tuple(replace(proof, altered=()) for proof in ran.proofs))
