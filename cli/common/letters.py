"""Suits of cards on standard output: symbols, or letters with `--ascii` and where the terminal has no symbols."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from validator.text.plain_suits import SYMBOLS, plain_suits

_KEPT = "fairdeal.ascii"

Command = TypeVar("Command", bound=Callable[..., Any])


def ascii_option(command: Command) -> Command:
    """Add the option that prints suits of cards as letters."""
    return click.option(
        "--ascii",
        is_flag=True,
        expose_value=False,
        callback=_keep,
        help="Print cards as letters (Js 4d) instead of symbols (J♠ 4♦).",
    )(command)


def _keep(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.meta[_KEPT] = True


def prints_letters() -> bool:
    """Return whether text on standard output has letters for suits: by option, or if it cannot encode symbols."""
    return has_ascii_option() or not _can_encode(sys.stdout)


def has_ascii_option() -> bool:
    """Return whether the command line has `--ascii`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_KEPT))


def printable(text: str) -> str:
    """Return a text as standard output prints it."""
    return text if text.isascii() or not prints_letters() else plain_suits(text)


def _can_encode(stream: object) -> bool:
    try:
        SYMBOLS.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
