"""Exit codes, and how every kind of failure becomes one message and one code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import click

from validator.text.diagnostics import InputError, render
from validator.verdicts import Verdict


class ExitCode(IntEnum):
    """What the exit status says."""

    COMPLIANT = 0
    VIOLATIONS = 1
    USAGE = 2
    UNREADABLE = 3
    INCONCLUSIVE = 4
    INTERNAL = 5


_OF_VERDICT = {
    Verdict.COMPLIANT: ExitCode.COMPLIANT,
    Verdict.VIOLATIONS: ExitCode.VIOLATIONS,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
}


def exit_code(verdict: Verdict, *, allow_unproven: bool) -> ExitCode:
    """The exit code of a verdict; with `allow_unproven` an inconclusive run counts as compliant."""
    if verdict is Verdict.INCONCLUSIVE and allow_unproven:
        return ExitCode.COMPLIANT
    return _OF_VERDICT[verdict]


def wants_color(stream: object) -> bool:
    """Whether to color what goes to a stream: only on a terminal, and not where NO_COLOR is set."""
    return not os.environ.get("NO_COLOR") and bool(getattr(stream, "isatty", lambda: False)())


def complain(error: InputError) -> None:
    """Print the diagnostics of an input on standard error."""
    for diagnostic in error.diagnostics:
        click.echo(render(diagnostic, color=wants_color(sys.stderr)), err=True)


@contextmanager
def guarded() -> Iterator[None]:
    """Turn whatever goes wrong into one clear message and the exit code of its kind."""
    try:
        yield
    except InputError as error:
        complain(error)
        sys.exit(ExitCode.UNREADABLE)
    except click.ClickException as error:
        error.show(file=sys.stderr)
        sys.exit(ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(ExitCode.INTERNAL)
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.COMPLIANT)
    except Exception as error:
        if os.environ.get("FAIRDEAL_TRACEBACK"):
            raise
        click.echo(f"internal error: {type(error).__name__}: {error}", err=True)
        click.echo("this is a fault of fairdeal; set FAIRDEAL_TRACEBACK=1 to see where it arose", err=True)
        sys.exit(ExitCode.INTERNAL)
