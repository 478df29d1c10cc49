"""`fairdeal convert`: hand logs converted to a store of Parquet files by document, casino and day."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice

import click

from cli.common.completion import complete_files, complete_folders
from cli.common.exits import ExitCode, print_message
from cli.common.logs import make_no_record_error, progress_bar, report_unreadable_logs
from cli.common.memory import reuse_memory
from cli.common.options import rules_option
from cli.common.rulebook import open_rulebook
from cli.common.streams import convert_write_errors, ensure_distinct_files
from cli.common.version import describe_program
from validator.audit.applicability.submissions_in_force import AuditContext
from validator.evidence.io.addresses import is_address
from validator.evidence.io.named_files import LOGS, STDIO, Inputs, SkippedFiles, is_quarantine_file, resolve_inputs
from validator.evidence.readers.open_log import NOT_A_LOG, HandLog
from validator.evidence.writers.store import LogStore, StoredLog, StoreManifest, create_store, is_vacant
from validator.results.results import Quarantined
from validator.text.diagnostics import MAX_PROBLEMS, InputError
from validator.text.visible import sanitize

_KEPT = 1000
"""Limit of the quarantined records that are kept for messages."""


class NotStoredError(Exception):
    """Failure to read logs.

    Attributes:
        refused: the errors, one for each log.
        others: files that are not logs and were left out.
    """

    def __init__(self, refused: list[InputError], others: SkippedFiles) -> None:
        super().__init__(refused)
        self.refused = refused
        self.others = others


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=complete_files)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    help="Folder of the store, which must be new or empty.",
    shell_complete=complete_folders,
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
    recorded = resolve_inputs(logs, LOGS)
    ensure_distinct_files([], recorded.named_files, rules=rules)
    rulebook = open_rulebook(rules, None)
    court = AuditContext(rulebook=rulebook, submissions=[], as_of=None, grants=[])
    reuse_memory()
    if not is_vacant(output):
        raise click.UsageError(f"`{output}` exists already: name a new or an empty folder")
    try:
        with convert_write_errors(output), create_store(output) as store:
            others = _fill(store, recorded, court, quiet=quiet)
    except NotStoredError as error:
        report_unreadable_logs(error.refused, error.others, quiet=quiet)
        print_message("no store is written: correct the logs that cannot be read, or leave them out")
        return ExitCode.UNREADABLE
    report_unreadable_logs((), others, quiet=quiet)
    if not quiet:
        aside = f"; {store.quarantined:,} records are quarantined" if store.quarantined else ""
        print_message(sanitize(f"{output}: {store.rounds:,} rounds in {store.files:,} files{aside}"))
    return ExitCode.INCONCLUSIVE if store.quarantined else ExitCode.COMPLIANT


def _fill(store: LogStore, recorded: Inputs, court: AuditContext, *, quiet: bool) -> SkippedFiles:
    """Read all logs into a store, and return the files that are not logs. Raises NotStoredError."""
    refused = list(recorded.errors)
    others = SkippedFiles(recorded, LOGS)
    first: list[Quarantined] = []
    stored: list[StoredLog] = []
    games = court.games
    with progress_bar(quiet=quiet) as progress:
        for path in recorded.files:
            hand_log = HandLog(path, variants=court.load_variants)
            try:
                stored.append(_read(hand_log, store, games, first, progress=progress))
            except InputError as error:
                wrong = error.diagnostics[0]
                if wrong.code == NOT_A_LOG and path in recorded.from_folders:
                    others.add(path, wrong.message)
                else:
                    refused.append(error)
    if others.is_nothing_left:
        refused.append(others.build_error())
    useless = [
        log.file for log in stored if log.read and log.read == log.quarantined and not is_quarantine_file(log.file)
    ]
    refused += [make_no_record_error(file, first) for file in useless]
    if refused:
        raise NotStoredError(refused, others)
    for entry in islice(first, MAX_PROBLEMS):
        place = f"{entry.file}:{entry.line}" if entry.column is None else f"{entry.file}:{entry.line}:{entry.column}"
        print_message(sanitize(f"quarantined: {place}: {entry.reason}"))
    if store.quarantined > MAX_PROBLEMS:
        print_message(f"quarantined: {store.quarantined - MAX_PROBLEMS:,} more records")
    store.write_manifest(StoreManifest(program=describe_program(), logs=stored))
    return others


def _read(
    log: HandLog,
    store: LogStore,
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
        store.add_quarantined(decoded.quarantined)
        first += decoded.quarantined[: max(_KEPT - len(first), 0)]
        read += decoded.read
        quarantined += len(decoded.quarantined)
        progress(log.name, block.size)
    return StoredLog(file=log.name, sha256=log.sha256(), read=read, quarantined=quarantined)
