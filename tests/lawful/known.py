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

FAILURES: dict[str, dict[str, tuple[str, str]]] = {}
"""Reproduction of each kind by game, with a word of the finding and why the round is lawful."""

MISSES: dict[str, dict[str, str]] = {
    SHINE: {},
    FLUSHES: {
        "wrong-community-cards-removed": (
            "(6): the cards are counted once they are spread, in no order that the text ties to the deal, and this log "
            "has no positions"
        ),
    },
    POKER: {
        "no-shuffle-and-rounds-without-numbers": "docs/formats.md: missing where no record tells of it",
        "short-call-of-a-raise-that-was-answered": (
            "hold-em-procedures/(4) or (6): without the button, either the call is short, or the blinds came from the "
            "wrong seats; neither requirement is broken wherever the button lies, as a test shows"
        ),
    },
    SECTION_38: {
        "decisions-counterclockwise-and-hands-not-shown": (
            "(l)(2) or (l)(3): the log does not record when cards were shown. Players may have been asked in turn and "
            "have answered too late, so neither requirement is surely broken"
        ),
        "everybody-left-and-no-cards-spread": (
            "(e)(5): only a table open for gaming; it may have been closed meanwhile, which no event records"
        ),
        "summary-of-a-short-payment-beside-an-idle-seat": (
            "(o)(3): a wrong number of cards at any place voids the round, and those of one seat are not recorded"
        ),
    },
    CARIBBEAN: {
        "discards-not-racked-and-the-last-motion-unsaid": (
            "10 or 14.4: of the two lots of seat 3 one was racked and one was not. The one motion that is recorded "
            "names neither, so neither requirement is surely broken"
        ),
        "meter-opens-lower-than-it-closed": (
            "3.1: another table linked to the jackpot may win it between two rounds; a submission names linked games, "
            "not tables"
        ),
    },
}
"""Violations that the product does not find, each with the clause or format that leaves it open."""


def is_known(line: str, game: str) -> bool:
    """Return whether a line of `Judgement.describe` is of a kind that is listed."""
    return any(is_of_kind(line, kind) for kind, _ in FAILURES.get(game, {}).values())
