"""Telling files that are given for hand logs and are something else that fairdeal reads."""

from __future__ import annotations

import re

_THINGS = {
    b"submission": (
        "a submission",
        "`fairdeal check` judges submissions; to judge a log by it: `fairdeal audit LOG --submission FILE`",
    ),
    b"fairdeal-results": ("a file of results", "`fairdeal report` renders it"),
    b"profile": ("a profile", "it is given with --profile"),
}
_SEARCHED = 1 << 16
# A key at the start of a line of YAML, or in quotes as in JSON.
_NAMES = rb"(submission|fairdeal-results|profile)"
_KEY = re.compile(rb'^%b *:|"%b"\s*:' % (_NAMES, _NAMES), re.MULTILINE)
_OF_A_ROUND = re.compile(rb'"(?:round|seats)"\s*:')


def other_than_log(start: bytes) -> tuple[str, str] | None:
    """What a file whose text starts like this is, and what to do with it; None where it may be a hand log, however
    broken."""
    start = start[:_SEARCHED]
    found = _KEY.search(start)
    return None if found is None or _OF_A_ROUND.search(start) else _THINGS[found[1] or found[2]]
