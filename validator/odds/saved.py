"""Odds that an earlier run saved as JSON."""

from __future__ import annotations

import re

import msgspec

from validator.odds.figures import DocumentOdds
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import Source

_RATIO = re.compile(r"-?[0-9]{1,60}/[1-9][0-9]{0,59}")


def saved_odds(source: Source) -> DocumentOdds | None:
    """Return the odds in a file; None if it contains something else. Raises InputError if the odds cannot be read."""
    try:
        odds = msgspec.json.decode(source.text, type=DocumentOdds)
    except (msgspec.DecodeError, RecursionError) as error:
        if '"house-advantage"' not in source.text:
            return None
        raise _unreadable(source, str(error)) from error
    for row in odds.wagers:
        ratios = (row.house_advantage, None if row.by_meter is None else row.by_meter.at_nothing)
        if any(ratio_text is not None and _RATIO.fullmatch(ratio_text) is None for ratio_text in ratios):
            raise _unreadable(source, f"the house advantage of {row.wager} is not a fraction such as 1/20")
    return odds


def _unreadable(source: Source, why: str) -> InputError:
    return InputError(
        (
            Diagnostic(
                code="no-odds",
                message=f"these odds cannot be read: {why}",
                file=source.name,
                expected="the output of `fairdeal odds GAME --output json`",
            ),
        )
    )
