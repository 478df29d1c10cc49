"""Lists cut out of the lines of a log, so that what stands in them can be known by its text.

Nothing is decoded here. The name of a list never stands in a string, where its quotes would be escaped. So lines are
sound if they are sound with these lists empty, and every list is sound, however little its end was looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from validator.evidence.handlog import LONGEST_LINE

_EVENTS = (b'"events":[', b'"events": [')
_CARDS = re.compile(rb'"cards": ?"([^"\n]*)"')
_WAGERS = re.compile(rb'"wagers": ?\[([^\]\n]*)\]')


class Cut(NamedTuple):
    """Lines with empty lists, and the texts between the brackets of those lists.

    `events` has one for every line, the cards taken out of it, which are `cards`; `wagers` one for every seat.
    """

    lines: list[bytes]
    events: list[bytes]
    cards: list[bytes]
    wagers: list[bytes]


def cut(lines: Sequence[bytes]) -> Cut | None:
    """The lists of events and of wagers cut out of lines; None where the lines are better decoded as they stand."""
    spelling = next((one for one in _EVENTS if lines and one in lines[0]), None)
    if spelling is None or max(map(len, lines)) > LONGEST_LINE:
        return None
    emptied, events = [], []
    for line in lines:
        head, _, rest = line.partition(spelling)
        listed, bracket, tail = rest.partition(b"]")
        emptied.append(b"".join((head, spelling, bracket, tail)) if bracket else line)
        events.append(listed)
    # All lines at once, which takes a fraction of one after the other.
    told, *dealt = _CARDS.split(b"\n".join(events))
    head, *staked = _WAGERS.split(b"\n".join(emptied))
    return Cut(
        lines=b'"wagers":[]'.join([head, *staked[1::2]]).split(b"\n"),
        events=b'"cards":""'.join([told, *dealt[1::2]]).split(b"\n"),
        cards=dealt[::2],
        wagers=staked[::2],
    )
