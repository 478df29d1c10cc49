"""Rates of violations by dealer, shift, month and table, compared with all other rounds of the game at the casino.

If every round is as likely to have a violation, the number of violated rounds of a dealer has the hypergeometric
distribution. The test is exact and one-sided: only more violations than elsewhere count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace
from scipy import stats

from fairdeal.validator.hold.round_counts import OTHERS, RoundGroup, RoundSums
from fairdeal.validator.results.findings import EvidencePlace, Finding, Status, digest_round
from fairdeal.validator.results.game_statistics import RateUnit, RoundRate

MOST_VIOLATED = 100_000
"""Limit of the rounds with a violation that are distinguished; with more, there is no test."""
_THOUSAND = 1_000
_TOO_MANY_NAMES = "the log has too many names"
_TOO_MANY = f"more than {MOST_VIOLATED:,} rounds have a violation"


class ViolationCounts(Struct):
    """Number of violations and of violated rounds."""

    violations: Counter[RoundGroup] = field(default_factory=Counter)
    violated: Counter[RoundGroup] = field(default_factory=Counter)
    seen: set[bytes] = field(default_factory=set)
    """Digests of the violated rounds."""

    def add(self, finding: Finding) -> None:
        """Add a finding, if it is a violation in a round without contradicting records that no waiver lifts."""
        where = finding.where
        if where.round is None or finding.status is not Status.FAIL or finding.waived or finding.version is not None:
            return
        digest, groups = digest_round(finding), [*_list_groups(finding.document, where)]
        self.violations.update(groups)
        if digest not in self.seen and len(self.seen) <= MOST_VIOLATED:
            self.seen.add(digest)
            self.violated.update(groups)


def _list_groups(document: str, where: EvidencePlace) -> Iterator[RoundGroup]:
    """Yield the groups that a round belongs to, as `count_rounds` names them."""
    notes = where.context or {}
    dated = where.time if where.played_on is not None else None
    names = {
        RateUnit.DEALER: notes.get("dealer"),
        RateUnit.SHIFT: notes.get("shift"),
        RateUnit.MONTH: None if dated is None else dated[: len("2026-03")],
        RateUnit.TABLE: where.table,
    }
    for by, name in names.items():
        if name is not None:
            yield RoundGroup(by, document, where.casino, name)


def compare_rates(
    rounds: Mapping[RoundGroup, RoundSums], findings: Iterable[Finding] | None, level: float
) -> Iterator[RoundRate]:
    """Yield the rate of violations of each group, tested but not yet corrected for the number of tests.

    Args:
        rounds: rounds by group.
        findings: findings of an audit of these rounds; None if nothing was checked, which leaves the pace of tables.
        level: probability of the interval.
    """
    counts = ViolationCounts()
    for finding in findings or ():
        counts.add(finding)
    played, violated = Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()
    for group, sums in rounds.items():
        played[group[:-1]] += sums.rounds
        violated[group[:-1]] += counts.violated[group]
    for group, sums in sorted(rounds.items(), key=lambda entry: (*entry[0][:2], entry[0].casino or "", entry[0].name)):
        rate = RoundRate(**group._asdict(), rounds=sums.rounds, pace=None if sums.pace is None else round(sums.pace, 2))
        if RoundGroup(group.by, group.document, OTHERS, OTHERS) in rounds:
            yield replace(rate, why=_TOO_MANY_NAMES)
        elif findings is not None:
            yield _test_rate(rate, group, counts, played[group[:-1]], violated[group[:-1]], level)
        elif group.by is RateUnit.TABLE:
            yield rate


def _test_rate(
    rate: RoundRate, group: RoundGroup, counts: ViolationCounts, played: int, violated: int, level: float
) -> RoundRate:
    """Return a rate with its violations, the interval of its violated rounds, and its test."""
    number = counts.violated[group]
    if len(counts.seen) > MOST_VIOLATED:
        return replace(rate, violations=counts.violations[group], why=_TOO_MANY)
    bounds = stats.binomtest(number, rate.rounds).proportion_ci(level, "exact")
    p = why = None
    if not violated:
        why = "no violation anywhere"
    elif rate.rounds == played:
        why = "nothing to compare with"
    else:
        p = float(f"{stats.hypergeom.sf(number - 1, played, violated, rate.rounds):.6g}")
    return replace(
        rate,
        violations=counts.violations[group],
        violated=number,
        per_thousand=round(_THOUSAND * counts.violations[group] / rate.rounds, 4),
        interval=(round(_THOUSAND * float(bounds.low), 4), round(_THOUSAND * float(bounds.high), 4)),
        p=p,
        why=why,
    )
