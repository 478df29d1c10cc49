"""`fairdeal convert`: hand logs put into a store, Parquet files by document, casino and day."""

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
"""Of all records that are set aside, so many are kept to tell of."""


class NotStoredError(Exception):
    """Logs cannot be read; `refused` says which and why."""

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
    help="The folder of the store: not there yet, or empty.",
    shell_complete=folders,
)
@click.option("-q", "--quiet", is_flag=True, help="Print errors alone.")
@rules_option
def convert(logs: tuple[str, ...], output: str, quiet: bool, rules: str | None) -> int:
    """Put hand logs (all that `audit` reads) into a store: Parquet files by document, casino and day, for audits and
    for whatever else reads partitions.

    An audit of FOLDER comes to what an audit of the logs does; records that are set aside are listed in the store and
    count there too (exit code 4). If a log cannot be read, no store is written.
    """
    if output == STDIO or is_address(output):
        raise click.UsageError("a store is a folder of this machine: name one")
    recorded = inputs_of(logs, LOGS)
    keep_apart([], recorded.named, rules=rules)
    rulebook = open_rulebook(rules, None)
    court = Court(rulebook=rulebook, submissions=[], as_of=None, grants=[])
    reuse_memory()
    if not is_vacant(output):
        raise click.UsageError(f"`{output}` is there already: name a folder that is not, or one that is empty")
    try:
        with writing(output), new_store(output) as store:
            others = _fill(store, recorded, court, quiet=quiet)
    except NotStoredError as error:
        complain_of_logs(error.refused, error.others, quiet=quiet)
        tell("no store is written: put right what cannot be read, or leave it out")
        return ExitCode.UNREADABLE
    complain_of_logs((), others, quiet=quiet)
    if not quiet:
        aside = f"; {store.set_aside:,} records are set aside" if store.set_aside else ""
        tell(visible(f"{output}: {store.rounds:,} rounds in {store.files:,} files{aside}"))
    return ExitCode.INCONCLUSIVE if store.set_aside else ExitCode.COMPLIANT


def _fill(store: Store, recorded: Inputs, court: Court, *, quiet: bool) -> LeftOut:
    """Read all logs into a store; what was found and is no log. Raises NotStoredError."""
    refused = list(recorded.refused)
    others = LeftOut(recorded, LOGS)
    first: list[Quarantined] = []
    stored: list[StoredLog] = []
    games = court.games
    with progress_bar(quiet=quiet) as progress:
        for path in recorded.files:
            log = HandLog(path, variants=court.variants)
            try:
                stored.append(_read(log, store, games, first, progress=progress))
            except InputError as error:
                wrong = error.diagnostics[0]
                if wrong.code == NO_LOG and path in recorded.found:
                    others.add(path, wrong.message)
                else:
                    refused.append(error)
    if others.everything:
        refused.append(others.nothing_left())
    useless = [one.file for one in stored if one.read and one.read == one.quarantined and not lists_set_aside(one.file)]
    refused += [nothing_readable(file, first) for file in useless]
    if refused:
        raise NotStoredError(refused, others)
    for entry in islice(first, MAX_PROBLEMS):
        place = f"{entry.file}:{entry.line}" if entry.column is None else f"{entry.file}:{entry.line}:{entry.column}"
        tell(visible(f"set aside: {place}: {entry.reason}"))
    if store.set_aside > MAX_PROBLEMS:
        tell(f"set aside: {store.set_aside - MAX_PROBLEMS:,} more records")
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
    """Read a log into a store; the first records that are set aside, of all logs, go to `first` as well. Raises
    InputError where it cannot be read, or not to its end."""
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
