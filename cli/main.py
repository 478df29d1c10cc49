"""The command `fairdeal`: its subcommands, found by name and imported only when called."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import NoReturn

import click

from cli.common.exits import ExitCode, guarded, heed_signals, interrupted
from cli.common.memory import need_memory
from validator import VERSION
from validator.text.memory_bound import enforce_bound

_COMMANDS = {
    "check": ("cli.check", "check", "Check submissions against the regulation of their game."),
    "audit": ("cli.audit", "audit", "Audit hand logs, round by round."),
    "convert": ("cli.convert", "convert", "Put hand logs into a store of Parquet files by casino and day."),
    "explain": ("cli.explain", "explain", "Tell one round of a hand log step by step."),
    "simulate": ("cli.simulate", "simulate", "Play a game forward and write its hand log."),
    "odds": ("cli.odds", "odds", "Work out the odds of a game's wagers and its house advantage."),
    "hold": ("cli.hold", "hold", "Hold what the house won against the odds of its games."),
    "new": ("cli.new", "new", "Write a submission to be filled in, or an example of one."),
    "layout": ("cli.layout", "layout", "Draw the table layout of a submission."),
    "rules": ("cli.rules", "rules", "Look at the rulebook: list, show, check, test, coverage."),
    "schema": ("cli.schema", "schema", "Print a JSON Schema."),
    "compare": ("cli.compare", "compare", "Tell what is new, known and gone between two saved results."),
    "sign": ("cli.verify", "sign_results", "Sign saved results."),
    "verify": ("cli.verify", "verify", "Verify that saved results are what their inputs come to."),
    "report": ("cli.report", "report", "Render saved results again, in other formats."),
}

_COMPLETE = "_FAIRDEAL_COMPLETE"
"""The environment variable in which a shell asks for completions."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called; help needs only their names."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of the commands, in the order a user meets them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a name, imported now."""
        if cmd_name not in _COMMANDS:
            return None
        module, name, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called. Raises NoSuchCommand with the names that come near."""
        if args[0] not in _COMMANDS and not ctx.resilient_parsing and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=_COMMANDS, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands in the help, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in _COMMANDS.items()])


def _tell_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version, and the compiled scanner that is used, if one is."""
    if not asked or context.resilient_parsing:
        return
    from validator.evidence.jsonl.interning import native  # noqa: PLC0415 - NumPy takes time to import

    used = native.name()
    click.echo(f"fairdeal {VERSION}" + (f" with {used}" if used else ""))
    context.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Show the version and exit.",
)
def fairdeal() -> None:
    """Casino table-game regulation as data: submissions and hand logs checked clause by clause.

    Exit codes: 0 compliant, 1 violations, 2 usage, 3 an input cannot be read, 4 inconclusive, 5 internal error,
    130 stopped by Ctrl+C.
    """


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command line and exit: by SystemExit where the caller gives it, else at once, as the program itself.

    As a program, all it makes lives to its end: garbage is looked for seldom, and the interpreter is not taken
    apart piece by piece, which takes longer than to check a submission.
    """
    if arguments is not None:
        _run(arguments)
    gc.set_threshold(100_000)
    heed_signals()
    # Nothing here multiplies matrices: NumPy need not start threads for that, whose memory every process would hold.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    enforce_bound()
    try:
        _run(None)
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else ExitCode.INTERNAL)
    except KeyboardInterrupt:  # a second one, while the program answers the first
        os._exit(interrupted())


def _run(arguments: list[str] | None) -> NoReturn:
    with guarded():
        if arguments is None:
            need_memory()
        if arguments is None and _COMPLETE in os.environ:
            _complete(os.environ[_COMPLETE])
        # Not by click's own main: that ends with 1, which stands for violations, where a reader of output has gone.
        try:
            with fairdeal.make_context("fairdeal", sys.argv[1:] if arguments is None else list(arguments)) as context:
                code = fairdeal.invoke(context)
        except click.exceptions.Exit as end:
            code = end.exit_code
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else ExitCode.COMPLIANT)


def _complete(instruction: str) -> NoReturn:
    """Answer a shell that completes a command line: `bash_source` asks for the script, `bash_complete` for the words;
    so for zsh and fish. Raises UsageError for anything else."""
    from click.shell_completion import shell_complete  # noqa: PLC0415 - other runs do without

    if shell_complete(fairdeal, {}, "fairdeal", _COMPLETE, instruction):
        raise click.UsageError(f"{_COMPLETE} is `{instruction}`: write bash_source, zsh_source or fish_source")
    sys.stdout.flush()
    sys.exit(ExitCode.COMPLIANT)


if __name__ == "__main__":
    main()
