"""Statistics of hold, of hands and of cards: what came against what the rules make likely. They are no findings."""

from __future__ import annotations

from enum import StrEnum

from msgspec import field

from validator.results.statuses import Recorded


class By(StrEnum):
    """What stakes are put together by."""

    CASINO = "casino"
    TABLE = "table"
    DAY = "day"
    DEALER = "dealer"


class Kind(StrEnum):
    """What is tested."""

    HOLD = "hold"
    HANDS = "hands"
    CARDS = "cards"


class WagerInTheory(Recorded, frozen=True, kw_only=True):
    """What a wager is worth in theory, as offered under a submission (None: none was in force).

    `house_advantage` is a fraction as text and `standard_deviation` a number, both per unit of the wager, with the
    lines that go `with` it counted. `exact` tells whether every deal was counted; else the advantage lies in
    `interval`. Where players have something to decide (`decided`), the theory is that of a player who does what is
    best. `together` is the correlation of two stakes in one round by the rules; None where no two were.
    `why` tells why there is no theory.
    """

    document: str
    wager: str
    with_: tuple[str, ...] = field(name="with")
    submission: str | None
    pay_table: str | None
    house_advantage: str | None
    standard_deviation: float | None
    exact: bool
    interval: tuple[float, float] | None
    decided: bool
    together: float | None
    why: str | None


class Hold(Recorded, frozen=True, kw_only=True):
    """The stakes on a wager at a casino, at a table, on a day there, or with a dealer: `by` tells which.

    Amounts are in minor units. `handle` is what was staked on the wager itself, `at_risk` with what goes with it; `win`
    is what the house took of that less what it paid, `hold` its share of the handle. `theoretical_win` is that of
    players who do what is best; what others give away by their decisions is `given_away`, None where the log does not
    show it. About both together the win has a `standard_deviation`, and lies in `interval` as often as the level says.
    `p` is how likely chance alone leaves it this far off or further, twice the nearer tail; `q` is that, corrected for
    all that were looked at. `outside` of its interval one may lie by chance; `stands_out` is what is left once that is
    corrected for.
    """

    by: By
    document: str
    wager: str
    casino: str | None
    table: str | None
    day: str | None
    dealer: str | None
    currency: str | None
    stakes: int
    handle: int
    at_risk: int
    win: int
    hold: float | None
    theoretical_win: float | None
    theoretical_hold: float | None
    given_away: float | None
    standard_deviation: float | None
    interval: tuple[float, float] | None
    p: float | None
    q: float | None
    outside: bool
    stands_out: bool
    left_out: int
    why: str | None


class Came(Recorded, frozen=True, kw_only=True):
    """How often something came, and how often it is expected to; `off` is by how many standard deviations it came more
    often, or less."""

    name: str
    count: int
    expected: float
    off: float


class Frequencies(Recorded, frozen=True, kw_only=True):
    """How often hands, or cards, came at a table with a deck: `of` is the hand, by its name in the game, or None for
    single cards.

    `seen` is how many there were. `chi_square` has so many `degrees` of freedom; what is expected fewer than ten times
    is put together first. `p`, `q` and `outside`, `stands_out` are as those of a hold. `left_out` counts rounds whose
    cards the log does not show whole; `why` tells why there is no test.
    """

    document: str
    casino: str | None
    table: str | None
    deck: str | None
    of: str | None
    seen: int
    came: tuple[Came, ...]
    chi_square: float | None
    degrees: int | None
    p: float | None
    q: float | None
    outside: bool
    stands_out: bool
    left_out: int
    why: str | None


class Rake(Recorded, frozen=True, kw_only=True):
    """What the house took of pots that players won from each other, in minor units: nobody can tell in theory how much
    players bet, so there is nothing to hold it against."""

    by: By
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


class StandsOut(Recorded, frozen=True, kw_only=True):
    """A wager, a hand or a deck somewhere that stands out among all of its kind."""

    document: str
    of: str | None
    """Wager, or name of a hand; None for single cards."""
    casino: str | None
    table: str | None
    day: str | None
    dealer: str | None
    deck: str | None
    p: float
    q: float


class LookedAt(Recorded, frozen=True, kw_only=True):
    """Number of a kind that were tested, lie outside and stand out."""

    kind: Kind
    tested: int
    expected_outside: float
    """Number that chance alone is expected to put outside."""
    outside: int
    stand_out: int
    """Number that stand out after correction for how many were tested."""
    standing_out: tuple[StandsOut, ...] = ()
    """Those that stand out, the least likely first; at most `MOST_NAMED`."""


MOST_NAMED = 100
"""The most that a summary names of those that stand out."""


class Statistics(Recorded, frozen=True, kw_only=True):
    """Statistics of the rounds that were read. `level` is how often chance alone leaves one inside its interval."""

    level: float
    looked_at: tuple[LookedAt, ...]
    wagers: tuple[WagerInTheory, ...]
    hold: tuple[Hold, ...]
    rake: tuple[Rake, ...]
    hands: tuple[Frequencies, ...]
    cards: tuple[Frequencies, ...]
