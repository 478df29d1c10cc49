"""Command `fairdeal convert`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import islice

import click

from fairdeal.cli.common import evaluation, process, shared_options
from fairdeal.cli.common.command_settings import complete_files, complete_folders, open_rulebook
from fairdeal.validator.audit.submissions_in_force import AuditContext
from fairdeal.validator.evidence.arrow.parquet_writer import LogStore, StoredLog, StoreManifest, create_store, is_vacant
from fairdeal.validator.evidence.hand_log import NOT_A_LOG, HandLog
from fairdeal.validator.evidence.io import named_files
from fairdeal.validator.evidence.io.named_files import is_address
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.diagnostics import MAX_PROBLEMS, InputError, sanitize

_KEPT = 1000
"""Limit of the quarantined records that are kept for messages."""


class NotStoredError(Exception):
    """Failure to read logs.

    Attributes:
        refused: the errors, one for each log.
        others: files that are not logs and were left out.
    """

    def __init__(self, refused: list[InputError], others: named_files.SkippedFiles) -> None:
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
@shared_options.rules_option
def convert(logs: tuple[str, ...], output: str, quiet: bool, rules: str | None) -> int:
    """Convert hand logs to a store of Parquet files, partitioned by document, casino and day.

    LOG is anything that `audit` reads. An audit of the store gives the same results as an audit of the logs.
    Quarantined records are listed in the store and count there too (exit code 4). If a log cannot be read, no store is
    written.
    """
    if output == named_files.STDIO or is_address(output):
        raise click.UsageError("a store is a local folder: name one")
    recorded = named_files.resolve_inputs(logs, named_files.LOGS)
    process.ensure_distinct_files([], recorded.named_files, rules=rules)
    rulebook = open_rulebook(rules, None)
    context = AuditContext(rulebook=rulebook, submissions=[], as_of=None, grants=[])
    process.reuse_memory()
    if not is_vacant(output):
        raise click.UsageError(f"`{output}` exists already: name a new or an empty folder")
    try:
        with process.convert_write_errors(output), create_store(output) as store:
            others = _fill(store, recorded, context, quiet=quiet)
    except NotStoredError as error:
        evaluation.report_unreadable_logs(error.refused, error.others, quiet=quiet)
        process.print_message("no store is written: correct the logs that cannot be read, or leave them out")
        return process.ExitCode.UNREADABLE
    evaluation.report_unreadable_logs((), others, quiet=quiet)
    if not quiet:
        aside = f"; {store.quarantined:,} records are quarantined" if store.quarantined else ""
        process.print_message(sanitize(f"{output}: {store.rounds:,} rounds in {store.files:,} files{aside}"))
    return process.ExitCode.INCONCLUSIVE if store.quarantined else process.ExitCode.COMPLIANT


def _fill(
    store: LogStore, recorded: named_files.Inputs, context: AuditContext, *, quiet: bool
) -> named_files.SkippedFiles:
    """Read all logs into a store, and return the files that are not logs. Raises NotStoredError."""
    refused = list(recorded.errors)
    others = named_files.SkippedFiles(recorded, named_files.LOGS)
    first: list[Quarantined] = []
    stored: list[StoredLog] = []
    games = context.games
    with evaluation.progress_bar(quiet=quiet) as progress:
        for path in recorded.files:
            hand_log = HandLog(path, variants=context.load_variants)
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
        log.file
        for log in stored
        if log.read and log.read == log.quarantined and not named_files.is_quarantine_file(log.file)
    ]
    refused += [evaluation.make_no_record_error(file, first) for file in useless]
    if refused:
        raise NotStoredError(refused, others)
    for entry in islice(first, MAX_PROBLEMS):
        place = f"{entry.file}:{entry.line}" if entry.column is None else f"{entry.file}:{entry.line}:{entry.column}"
        process.print_message(sanitize(f"quarantined: {place}: {entry.reason}"))
    if store.quarantined > MAX_PROBLEMS:
        process.print_message(f"quarantined: {store.quarantined - MAX_PROBLEMS:,} more records")
    store.write_manifest(StoreManifest(program=shared_options.describe_program(), logs=stored))
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
