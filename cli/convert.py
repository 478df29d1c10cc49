"""`fairdeal convert`: hand logs converted to a store of Parquet files by document, casino and day."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice

import click

from cli.common.completion import files, folders
from cli.common.exits import ExitCode, tell
from cli.common.logs import complain_of_logs, nothing_readable, progress_bar
from cli.common.memory import reuse_memory
from cli.common.options import rules_option
from cli.common.rulebook import open_rulebook
from cli.common.streams import keep_apart, writing
from cli.common.version import program
from validator.audit.applicability.submissions_in_force import Court
from validator.evidence.io.addresses import is_address
from validator.evidence.io.named_files import LOGS, STDIO, Inputs, LeftOut, inputs_of, lists_set_aside
from validator.evidence.readers.open_log import NO_LOG, HandLog
from validator.evidence.writers.store import Store, StoredLog, StoreManifest, is_vacant, new_store
from validator.results.results import Quarantined
from validator.text.diagnostics import MAX_PROBLEMS, InputError
from validator.text.visible import visible

_KEPT = 1000
"""Limit of the quarantined records that are kept for messages."""


class NotStoredError(Exception):
    """Failure to read logs.

    Attributes:
        refused: the errors, one for each log.
        others: files that are not logs and were left out.
    """

    def __init__(self, refused: list[InputError], others: LeftOut) -> None:
        super().__init__(refused)
        self.refused = refused
        self.others = others


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=files)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    help="Folder of the store, which must be new or empty.",
    shell_complete=folders,
)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@rules_option
def convert(logs: tuple[str, ...], output: str, quiet: bool, rules: str | None) -> int:
    """Convert hand logs to a store of Parquet files, partitioned by document, casino and day.

    LOG is anything that `audit` reads. An audit of the store gives the same results as an audit of the logs.
    Quarantined records are listed in the store and count there too (exit code 4). If a log cannot be read, no store is
    written.
    """
    if output == STDIO or is_address(output):
        raise click.UsageError("a store is a local folder: name one")
    recorded = inputs_of(logs, LOGS)
    keep_apart([], recorded.named, rules=rules)
    rulebook = open_rulebook(rules, None)
    court = Court(rulebook=rulebook, submissions=[], as_of=None, grants=[])
    reuse_memory()
    if not is_vacant(output):
        raise click.UsageError(f"`{output}` exists already: name a new or an empty folder")
    try:
        with writing(output), new_store(output) as store:
            others = _fill(store, recorded, court, quiet=quiet)
    except NotStoredError as error:
        complain_of_logs(error.refused, error.others, quiet=quiet)
        tell("no store is written: correct the logs that cannot be read, or leave them out")
        return ExitCode.UNREADABLE
    complain_of_logs((), others, quiet=quiet)
    if not quiet:
        aside = f"; {store.set_aside:,} records are quarantined" if store.set_aside else ""
        tell(visible(f"{output}: {store.rounds:,} rounds in {store.files:,} files{aside}"))
    return ExitCode.INCONCLUSIVE if store.set_aside else ExitCode.COMPLIANT


def _fill(store: Store, recorded: Inputs, court: Court, *, quiet: bool) -> LeftOut:
    """Read all logs into a store, and return the files that are not logs. Raises NotStoredError."""
    refused = list(recorded.refused)
    others = LeftOut(recorded, LOGS)
    first: list[Quarantined] = []
    stored: list[StoredLog] = []
    games = court.games
    with progress_bar(quiet=quiet) as progress:
        for path in recorded.files:
            hand_log = HandLog(path, variants=court.variants)
            try:
                stored.append(_read(hand_log, store, games, first, progress=progress))
            except InputError as error:
                wrong = error.diagnostics[0]
                if wrong.code == NO_LOG and path in recorded.found:
                    others.add(path, wrong.message)
                else:
                    refused.append(error)
    if others.everything:
        refused.append(others.nothing_left())
    useless = [log.file for log in stored if log.read and log.read == log.quarantined and not lists_set_aside(log.file)]
    refused += [nothing_readable(file, first) for file in useless]
    if refused:
        raise NotStoredError(refused, others)
    for entry in islice(first, MAX_PROBLEMS):
        place = f"{entry.file}:{entry.line}" if entry.column is None else f"{entry.file}:{entry.line}:{entry.column}"
        tell(visible(f"quarantined: {place}: {entry.reason}"))
    if store.set_aside > MAX_PROBLEMS:
        tell(f"quarantined: {store.set_aside - MAX_PROBLEMS:,} more records")
    store.note(StoreManifest(program=program(), logs=stored))
    return others


def _read(
    log: HandLog,
    store: Store,
    games: Collection[str],
    first: list[Quarantined],
    *,
    progress: Callable[[str, int], object],
) -> StoredLog:
    """Read a log into a store.

    Args:
        first: list of the first quarantined records of all logs, which is extended.

    Raises:
        InputError: if the log cannot be read to its end.
    """
    read = quarantined = 0
    for block in log.blocks():
        decoded = block.decode(games)
        for batch in decoded.batches:
            store.add(batch)
        store.list_set_aside(decoded.quarantined)
        first += decoded.quarantined[: max(_KEPT - len(first), 0)]
        read += decoded.read
        quarantined += len(decoded.quarantined)
        progress(log.name, block.size)
    return StoredLog(file=log.name, sha256=log.sha256(), read=read, quarantined=quarantined)
