"""Statistics of wins, hands and cards compared with the rules of the game, and rounds to review: no findings."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import field

from fairdeal.validator.results.findings import ResultRecord


class Grouping(StrEnum):
    """Unit for which stakes are added up."""

    CASINO = "casino"
    TABLE = "table"
    DAY = "day"
    DEALER = "dealer"


class RateUnit(StrEnum):
    """Unit for which rounds and their violations are counted."""

    DEALER = "dealer"
    SHIFT = "shift"
    MONTH = "month"
    TABLE = "table"


class TestKind(StrEnum):
    """Kind of test."""

    HOLD = "hold"
    HANDS = "hands"
    CARDS = "cards"
    RATES = "rates"


class WagerTheory(ResultRecord, frozen=True, kw_only=True):
    """Theoretical value of a wager, as a submission offers it."""

    document: str
    wager: str
    with_: tuple[str, ...] = field(name="with")
    """Bonuses and further wagers that are counted with the wager."""
    submission: str | None
    """Submission in force; None if there was none."""
    pay_table: str | None
    house_advantage: str | None
    """House advantage per unit staked, with the wagers and bonuses of `with`: a fraction, as text."""
    standard_deviation: float | None
    """Standard deviation of the win per unit staked."""
    exact: bool
    """True if every deal was counted."""
    interval: tuple[float, float] | None
    """Interval of the house advantage, if deals were simulated."""
    decided: bool
    """True if players decide something. The theory then assumes the best decisions."""
    followed: bool = False
    """True if hands are followed card by card. The spread of the win is then that of the rounds in the log."""
    together: float | None
    """Correlation of two stakes in one round, by the rules; None if no round had two."""
    why: str | None
    """Why there is no theory."""


class HoldResult(ResultRecord, frozen=True, kw_only=True):
    """Win on a wager at a casino, at a table, on a day at a table, or with a dealer. Amounts are in minor units."""

    by: Grouping
    """Unit for which stakes are added up."""
    document: str
    wager: str
    casino: str | None
    table: str | None
    day: str | None
    dealer: str | None
    currency: str | None
    stakes: int
    handle: int
    """Sum of the stakes on the wager itself."""
    at_risk: int
    """Sum of the stakes on the wager and on the wagers that go with it."""
    win: int
    """Amounts that the house took, less the amounts that it paid."""
    hold: float | None
    """Win as a share of the handle."""
    theoretical_win: float | None
    """Expected win against players who decide as well as possible."""
    theoretical_hold: float | None
    given_away: float | None
    """Expected win that players add by weaker decisions; None if the log does not show their decisions."""
    standard_deviation: float | None
    """Standard deviation of the win."""
    interval: tuple[float, float] | None
    """Interval that contains the win with the probability `level`."""
    p: float | None
    """Probability that chance alone puts the win this far off or further: twice the nearer tail."""
    q: float | None
    """Probability `p`, corrected for the number of tests."""
    outside: bool
    """True if the win is outside of its interval. Some are, by chance alone."""
    stands_out: bool
    """True if the win is still too far off after the correction."""
    left_out: int
    """Number of stakes that are left out, because their rounds are irregular or the log does not record the settlement.
    """
    why: str | None
    """Why there is no test."""


class OutcomeCount(ResultRecord, frozen=True, kw_only=True):
    """Number of times that a hand or card occurred."""

    name: str
    count: int
    expected: float
    """Expected number."""
    off: float
    """Deviation from the expected number, in standard deviations."""


class FrequencyResult(ResultRecord, frozen=True, kw_only=True):
    """Frequencies of hands, or of single cards, at a table with a deck."""

    document: str
    casino: str | None
    table: str | None
    deck: str | None
    of: str | None
    """Name of the hand in the game; None for single cards."""
    seen: int
    """Number of hands or cards."""
    came: tuple[OutcomeCount, ...]
    chi_square: float | None
    """Chi-square statistic. Hands that are expected fewer than ten times are put together first."""
    degrees: int | None
    """Degrees of freedom."""
    p: float | None
    """Probability that chance alone deviates as much or more."""
    q: float | None
    """Probability `p`, corrected for the number of tests."""
    outside: bool
    """True if the deviation is larger than chance explains at the level of the test."""
    stands_out: bool
    """True if the deviation is still too large after the correction."""
    left_out: int
    """Number of rounds whose cards the log does not record completely."""
    why: str | None
    """Why there is no test."""


class AbsentCard(ResultRecord, frozen=True, kw_only=True):
    """Card that did not come for longer than chance explains, as with a pack that lacks it."""

    document: str
    casino: str | None
    table: str | None
    deck: str | None
    card: str
    first: str | None
    """Start of the first quarter of an hour of the span; None if the log states no day."""
    last: str | None
    """Start of the last quarter of an hour of the span."""
    rounds: int
    """Number of rounds of the span."""
    chance: float
    """Bound of the probability that any honest deck of the log lacks any card for so long."""


class RepeatedOrder(ResultRecord, frozen=True, kw_only=True):
    """Two rounds with the same cards in the same order, as without a shuffle or with a round recorded twice."""

    document: str
    casino: str | None
    table: str | None
    deck: str | None
    cards: int
    """Number of cards."""
    first: str | None
    """Day and time of the first round; None if the log states no day."""
    first_number: int | None
    """Number of the first round at its table; None if the log states none."""
    second: str | None
    """Day and time of the second round."""
    second_number: int | None
    """Number of the second round at its table."""
    chance: float
    """Bound of the probability that any two honest rounds of the log come in the same order."""


class RakeResult(ResultRecord, frozen=True, kw_only=True):
    """Rake of pots that players won from each other, in minor units.

    No theory says how much players bet, so there is nothing to compare it with.
    """

    by: Grouping
    document: str
    casino: str | None
    table: str | None
    day: str | None
    dealer: str | None
    currency: str | None
    rounds: int
    pots: int
    raked: int
    share: float | None
    left_out: int


class RoundRate(ResultRecord, frozen=True, kw_only=True):
    """Rate of violations with a dealer, in a shift or month, or at a table, compared with that of other rounds."""

    by: RateUnit
    document: str
    casino: str | None
    name: str
    """Name of the dealer, shift or table, or the month."""
    rounds: int
    pace: float | None
    """Rounds an hour of play at a table: rounds by the quarters of an hour in which any began."""
    violations: int | None = None
    """Number of violations; None if the rounds were not checked."""
    violated: int | None = None
    """Number of rounds with a violation; None if it is not known."""
    per_thousand: float | None = None
    """Violations in 1,000 rounds."""
    interval: tuple[float, float] | None = None
    """Exact interval (Clopper and Pearson) of the rounds with a violation in 1,000, at the probability `level`."""
    p: float | None = None
    """Probability of as many violated rounds or more, if all rounds at a table are alike; for a dealer, those of a
    shift at a table."""
    q: float | None = None
    """Probability `p`, corrected for the number of tests."""
    outside: bool = False
    """True if chance explains the number in fewer cases than the level of the test leaves."""
    stands_out: bool = False
    """True if the number is still too large after the correction."""
    why: str | None = None
    """Why there is no test."""


class DropResult(ResultRecord, frozen=True, kw_only=True):
    """Win to drop of a table on a day, by the drop sheet of the casino. Amounts are in minor units."""

    casino: str | None
    table: str
    day: str
    drop: int
    """Cash, and what counts as cash, that players exchanged for chips."""
    win: int
    win_to_drop: float | None
    """Win as a share of the drop."""
    of_table: float | None
    """Win of the table on all days of the sheet, as a share of its drop."""
    off: float | None
    """Deviation of the win from that share of the drop, in standard deviations; None for fewer than three days."""
    logged_win: int | None
    """Win of the table on the day by the hand logs; None if they have none."""


class DropSheet(ResultRecord, frozen=True, kw_only=True):
    """Drop sheet of a casino, compared with hand logs."""

    file: str
    sha256: str
    """SHA-256 of the file (hex)."""
    rows: tuple[DropResult, ...]


class Outlier(ResultRecord, frozen=True, kw_only=True):
    """Wager, hand, deck or rate that deviates too much, even after the correction for the number of tests."""

    document: str
    of: str | None
    """Wager, name of a hand, or unit and name of a rate; None for single cards."""
    casino: str | None
    table: str | None
    day: str | None
    dealer: str | None
    deck: str | None
    p: float
    q: float


class TestSummary(ResultRecord, frozen=True, kw_only=True):
    """Number of tests of one kind, and of results outside of their intervals."""

    kind: TestKind
    tested: int
    expected_outside: float
    """Number that are expected outside by chance alone."""
    outside: int
    stand_out: int
    """Number that deviate too much even after the correction for the number of tests."""
    standing_out: tuple[Outlier, ...] = ()
    """The outliers, the least likely first; at most `MOST_OUTLIERS`."""


MOST_OUTLIERS = 100
"""Largest number of outliers that a summary names."""


class Statistics(ResultRecord, frozen=True, kw_only=True):
    """Statistics of the rounds that were read."""

    level: float
    """Probability that chance alone leaves a result inside its interval."""
    looked_at: tuple[TestSummary, ...]
    wagers: tuple[WagerTheory, ...]
    hold: Sequence[HoldResult]
    """Wins by wager and place. May be a lazy sequence, as all that follow: iterate it, do not copy it."""
    rake: Sequence[RakeResult]
    hands: Sequence[FrequencyResult]
    cards: Sequence[FrequencyResult]
    rates: Sequence[RoundRate] = ()
    """Rates of violations, and the pace of tables."""
    absent_cards: tuple[AbsentCard, ...] = ()
    """Cards that did not come for longer than chance explains, at most `MOST_OUTLIERS`."""
    repeated_orders: tuple[RepeatedOrder, ...] = ()
    """Rounds with the same cards in the same order, at most `MOST_OUTLIERS`."""


class PlannedRound(ResultRecord, frozen=True, kw_only=True, order=True):
    """Round of a plan. Rounds are ordered by the number by which they are drawn, then by their places in the logs."""

    draw: int
    """Number by which the round is drawn: of a group, the rounds with the smallest."""
    round: str
    file: str | None
    line: int
    casino: str | None
    table: str | None
    number: int | None
    """Number of the round since the table opened."""
    time: str | None
    """Day and time as the log states them."""
    dealer: str | None
    video: str | None
    """Note of the casino on the video of the round."""


class PlannedGroup(ResultRecord, frozen=True, kw_only=True):
    """Group of a plan."""

    names: dict[str, str | None]
    """Name of each key that rounds are grouped by."""
    rounds: int
    """Number of rounds in the logs."""
    review: tuple[PlannedRound, ...]
    """Rounds to review."""
