"""Known differences between rules of templates and referees; the lists only shrink."""

from __future__ import annotations

from tests.lawful.judge import Judgement

MISSES: dict[str, set[str]] = {
    "roulette-european": {"no-marker", "marker-is-removed-before-the-last-payment"},
    "roulette-american": {"no-marker", "marker-is-removed-before-the-last-payment"},
    "sic-bo": {"numbers-are-not-entered", "shaken-before-the-call"},
    "craps": {"wager-after-the-call-is-settled"},  # only the next round shows that a late wager was left on the table
    "pai-gow-poker": {"call-after-the-first-card"},  # only after the number, which may come before the call
}
"""Violations that a game's rules need not find yet; the lists only shrink."""

ACCUSERS: dict[str, set[str]] = {}
"""Requirements that accuse lawful rounds; the list only shrinks."""


def find_accusations(game: str, judgement: Judgement) -> set[str]:
    """Return what a judgement of lawful rounds finds, without the requirements that are listed."""
    failures = [finding for findings in judgement.failures.values() for finding in findings]
    accusers = {str(finding.requirement).rpartition("/")[2] for finding in failures + judgement.submission_failures}
    return (accusers - ACCUSERS.get(game, set())) | {text for texts in judgement.quarantined.values() for text in texts}
