"""Command `fairdeal` with its subcommands, which are imported when they are called."""

# ruff: noqa: PLC0415 - each command is imported when it is called, so that help and light commands start fast

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

import click

from fairdeal.cli.common.process import ExitCode, find_signal_exit_code, handle_failures, heed_signals, require_memory
from fairdeal.validator import VERSION
from fairdeal.validator.text.source import enforce_bound


def _import_demo() -> click.Command:
    from fairdeal.cli.play_commands import demo

    return demo


def _import_check() -> click.Command:
    from fairdeal.cli.check_command import check

    return check


def _import_audit() -> click.Command:
    from fairdeal.cli.hand_log_commands import audit

    return audit


def _import_convert() -> click.Command:
    from fairdeal.cli.convert_command import convert

    return convert


def _import_explain() -> click.Command:
    from fairdeal.cli.hand_log_commands import explain

    return explain


def _import_simulate() -> click.Command:
    from fairdeal.cli.play_commands import simulate

    return simulate


def _import_odds() -> click.Command:
    from fairdeal.cli.odds_command import odds

    return odds


def _import_hold() -> click.Command:
    from fairdeal.cli.hand_log_commands import hold

    return hold


def _import_import() -> click.Command:
    from fairdeal.cli.import_command import import_file

    return import_file


def _import_sample() -> click.Command:
    from fairdeal.cli.hand_log_commands import sample

    return sample


def _import_new() -> click.Command:
    from fairdeal.cli.form_commands import new

    return new


def _import_layout() -> click.Command:
    from fairdeal.cli.form_commands import layout

    return layout


def _import_rules() -> click.Command:
    from fairdeal.cli.rules_command import rules

    return rules


def _import_schema() -> click.Command:
    from fairdeal.cli.schema_command import schema

    return schema


def _import_compare() -> click.Command:
    from fairdeal.cli.saved_results_commands import compare

    return compare


def _import_sign() -> click.Command:
    from fairdeal.cli.saved_results_commands import sign_results

    return sign_results


def _import_verify() -> click.Command:
    from fairdeal.cli.saved_results_commands import verify

    return verify


def _import_report() -> click.Command:
    from fairdeal.cli.saved_results_commands import report

    return report


def _import_serve() -> click.Command:
    from fairdeal.cli.serve_command import serve

    return serve


_COMMANDS: Mapping[str, tuple[Callable[[], click.Command], str]] = {
    "demo": (_import_demo, "Write the evidence of an invented casino, audit it, write a report."),
    "check": (_import_check, "Check submissions against the regulation of their game."),
    "audit": (_import_audit, "Audit hand logs, round by round."),
    "convert": (_import_convert, "Convert hand logs to a store of Parquet files by casino and day."),
    "explain": (_import_explain, "Explain one round of a hand log step by step."),
    "simulate": (_import_simulate, "Play a game forward and write its hand log."),
    "odds": (_import_odds, "Compute the odds and the house advantage of a game's wagers."),
    "hold": (_import_hold, "Compare the casino's win with the odds of its games."),
    "import": (_import_import, "Turn a table of rounds, such as CSV, into a hand log."),
    "sample": (_import_sample, "Draw rounds to compare with the video."),
    "new": (_import_new, "Write a submission form to fill in, or an example."),
    "layout": (_import_layout, "Draw the table layout of a submission."),
    "rules": (_import_rules, "Inspect the rulebook: list, show, check, test, coverage."),
    "schema": (_import_schema, "Print a JSON Schema."),
    "compare": (_import_compare, "Compare two saved results: new, known and resolved findings."),
    "sign": (_import_sign, "Sign saved results."),
    "verify": (_import_verify, "Verify saved results against their inputs."),
    "report": (_import_report, "Write saved results in other formats."),
    "serve": (_import_serve, "Open a local page in the browser."),
}
"""Commands by name: a function that imports the command, and its line in the help."""

_COMPLETE = "_FAIRDEAL_COMPLETE"
"""Environment variable by which a shell requests completions."""


class LazyGroup(click.Group):
    """Command group that imports a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return the command of a name."""
        if cmd_name not in _COMMANDS:
            return None
        import_command, _ = _COMMANDS[cmd_name]
        return import_command()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called. Raises NoSuchCommand with similar names."""
        if args[0] not in _COMMANDS and not ctx.resilient_parsing and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=_COMMANDS, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands in the help without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


def _print_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the version."""
    if not value or context.resilient_parsing:
        return
    click.echo(f"fairdeal {VERSION}")
    context.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def fairdeal() -> None:
    """Check casino submissions and hand logs against regulations, clause by clause.

    Exit codes: 0 compliant, 1 violations, 2 usage, 3 an input cannot be read, 4 inconclusive, 5 internal error,
    130 stopped by Ctrl+C.
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command line and exit.

    With `arguments` the function raises SystemExit. As a program it ends at once: nearly all objects live to the end,
    so garbage is seldom collected, and not before the command begins. The interpreter is not finalized, which takes
    longer than checking a submission.
    """
    if arguments is not None:
        _run(arguments)
    gc.set_threshold(1_000_000)
    heed_signals()
    # No command multiplies matrices, so NumPy needs no threads for that; their memory would count in every process.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Pydantic would read the metadata of every installed package in search of plugins, which could change results.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    enforce_bound()
    try:
        _run(None)
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else ExitCode.INTERNAL)
    except KeyboardInterrupt:  # a second one, during the answer to the first
        os._exit(find_signal_exit_code())


def _run(arguments: list[str] | None) -> NoReturn:
    with handle_failures():
        if arguments is None:
            require_memory()
        if arguments is None and _COMPLETE in os.environ:
            _complete(os.environ[_COMPLETE])
        # Not by click's main, which exits with 1, the code for violations, if the reader of the output has gone.
        try:
            with fairdeal.make_context("fairdeal", sys.argv[1:] if arguments is None else list(arguments)) as context:
                code = fairdeal.invoke(context)
        except click.exceptions.Exit as end:
            code = end.exit_code
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else ExitCode.COMPLIANT)


def _complete(instruction: str) -> NoReturn:
    """Answer a shell that completes a command line.

    `bash_source` requests the script and `bash_complete` the words, likewise for zsh and fish. Raises UsageError for
    any other instruction.
    """
    from click.shell_completion import shell_complete

    if shell_complete(fairdeal, {}, "fairdeal", _COMPLETE, instruction):
        raise click.UsageError(f"{_COMPLETE} is `{instruction}`: write bash_source, zsh_source or fish_source")
    sys.stdout.flush()
    sys.exit(ExitCode.COMPLIANT)


if __name__ == "__main__":
    main()
