"""Lists of what is known to be wrong: lawful rounds that fail, and violations that are missed. They only shrink.

A lawful round that fails lies in the folder `known`; once it is right, its files move to the folder `reproductions`. A
test fails as soon as the product has become right about an entry.
"""

from __future__ import annotations

from tests.lawful.judge import is_of_kind

SHINE = "co-rule10-3card-shine"
FLUSHES = "co-rule10-flushes-gone-wild"
POKER = "poker-room"
SECTION_38 = "s38"
CARIBBEAN = "caribbean-draw"

SUMMARY_ALONE = "money is judged by the summary, though the events tell it"
OTHER_KIND = "another kind of the same requirement is not recorded"

FAILURES: dict[str, dict[str, tuple[str, str]]] = {}
"""Reproduction of each kind by game, with a word of the finding and why the round is lawful."""

MISSES: dict[str, dict[str, str]] = {
    SHINE: {},
    FLUSHES: {
        "wrong-community-cards-removed": "doubtful: the text does not say how the packet is spread",
    },
    POKER: {
        "no-shuffle-and-rounds-without-numbers": "docs/formats.md: missing where no record tells of it",
    },
    SECTION_38: {
        "decisions-counterclockwise-and-hands-not-shown": OTHER_KIND,
        "everybody-left-and-no-cards-spread": "departures of all players are not taken for an idle table",
        "summary-of-a-short-payment-beside-an-idle-seat": "a seat without stakes or cards leaves the round unjudged",
    },
    CARIBBEAN: {
        "discards-not-racked-and-the-last-motion-unsaid": "whichever lot the motion takes, one was not racked in time",
        "meter-opens-lower-than-it-closed": "doubtful: readings between rounds are not compared",
    },
}
"""Names of violations that the product does not find."""


def is_known(line: str, game: str) -> bool:
    """Return whether a line of `Judgement.describe` is of a kind that is listed."""
    return any(is_of_kind(line, kind) for kind, _ in FAILURES.get(game, {}).values())
