"""Any number of distinct findings, spread over requirements, tables, seats, days and dealers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from random import Random
from typing import overload

from msgspec.structs import replace

from tests.facade.results import (
    Evidence,
    EvidencePlace,
    Finding,
    FindingState,
    RequirementResult,
    Results,
    Severity,
    Status,
)
from tests.reports import sample

REQUIREMENTS = 40
DEALERS = ("Ruiz", "Okafor", "Lindqvist", "Tan", "Moreau", "Haddad", None)
WAGERS = ("ante", "play", "pair-xxx", "super-6")
_RANKS, _SUITS = "23456789TJQKA", "cdhs"
_WORDS = (
    "pair of eights, kicker seven",
    "queen high: queen, ten, four",
    "straight to the five",
    "flush: ace, ten, nine",
)


class LazyFindings(Sequence[Finding]):
    """Findings created anew on each iteration, so that none need be kept."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Finding]:
        random = Random(self._count)
        for at in range(self._count):
            yield _finding(at, at * REQUIREMENTS // self._count, random)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        return list(self)[index]


def _requirement(at: int) -> str:
    return f"{sample.DOCUMENT}/requirement-{at:02}"


def _cards(random: Random) -> str:
    return "".join(random.choice(_RANKS) + random.choice(_SUITS) for _ in range(3))


def _finding(at: int, of: int, random: Random) -> Finding:
    table, seat, day = random.randrange(1, 41), random.randrange(1, 8), random.randrange(1, 32)
    stake, off = random.randrange(5, 200) * 100, random.randrange(1, 4_000) * 100
    dealer, wager, owed = random.choice(DEALERS), random.choice(WAGERS), bool(random.randrange(2))
    expected = (
        f"{stake / 100:,.2f} taken on {wager} of {stake / 100:,.2f} by (14), (14)(B): the player's hand: "
        f"{_cards(random)}, {random.choice(_WORDS)}; the dealer's hand: {_cards(random)}, {random.choice(_WORDS)}"
    )
    return Finding(
        requirement=_requirement(of),
        clauses=(f"{sample.DOCUMENT}/({of})", f"{sample.DOCUMENT}/({of})(A)"),
        document=sample.DOCUMENT,
        status=Status.FAIL if of < REQUIREMENTS - 2 else Status.NOT_EVIDENCED,
        severity=list(Severity)[of * 3 // REQUIREMENTS],
        message=f"The wager was not paid what clause ({of}) gives it.",
        expected=expected,
        observed=f"{off / 100:,.2f} paid ({off / 100:,.2f} too {'little' if owed else 'much'} to the player)",
        where=EvidencePlace(
            file=sample.LOG,
            line=1 + at * 7 + random.randrange(7),
            casino="Blue Lantern",
            table=f"HD-{table}",
            round=f"HD-{table}/{at:06}",
            time=f"2026-03-{day:02}T{random.randrange(24):02}:{random.randrange(60):02}:{random.randrange(60):02}Z",
            seat=seat,
            wager=wager,
            context=None if dealer is None else {"dealer": dealer, "shift": random.choice(("day", "night"))},
        ),
        remedy="Pay the player the difference and keep the record of it.",
        owed=off if owed else 0,
        overpaid=0 if owed else off,
        id=sha256(str(at).encode()).hexdigest()[:20],
        state=random.choice(list(FindingState)),
    )


def many(count: int) -> Results:
    """Return results with a number of findings, of 40 requirements at 40 tables in a month."""
    requirements = tuple(
        RequirementResult(
            requirement=_requirement(of),
            title=f"What clause ({of}) asks for is done",
            document=sample.DOCUMENT,
            clauses=(f"{sample.DOCUMENT}/({of})",),
            evidence=Evidence.ROUND,
            severity=list(Severity)[of * 3 // REQUIREMENTS],
            status=Status.FAIL if of < REQUIREMENTS - 2 else Status.NOT_EVIDENCED,
            reason="It was not.",
            totals={Status.FAIL: count // REQUIREMENTS, Status.PASS: 1_000_000},
        )
        for of in range(REQUIREMENTS)
    )
    return replace(sample.RESULTS, findings=LazyFindings(count), requirements=requirements, explanations=(), open=())
