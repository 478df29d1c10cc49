"""Odds that an earlier run wrote as JSON, read again."""

from __future__ import annotations

import re

import msgspec

from validator.odds.figures import DocumentOdds
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import Source

_RATIO = re.compile(r"-?[0-9]{1,60}/[1-9][0-9]{0,59}")


def saved_odds(source: Source) -> DocumentOdds | None:
    """The odds in a file, None where it holds something else. Raises InputError for odds that cannot be read."""
    try:
        found = msgspec.json.decode(source.text, type=DocumentOdds)
    except (msgspec.DecodeError, RecursionError) as error:
        if '"house-advantage"' not in source.text:
            return None
        raise _unreadable(source, str(error)) from error
    for row in found.wagers:
        told = (row.house_advantage, None if row.by_meter is None else row.by_meter.at_nothing)
        if any(ratio_text is not None and _RATIO.fullmatch(ratio_text) is None for ratio_text in told):
            raise _unreadable(source, f"the advantage of {row.wager} is no fraction such as 1/20")
    return found


def _unreadable(source: Source, why: str) -> InputError:
    return InputError(
        (
            Diagnostic(
                code="no-odds",
                message=f"these odds cannot be read: {why}",
                file=source.name,
                expected="what `fairdeal odds GAME --output json` writes",
            ),
        )
    )
