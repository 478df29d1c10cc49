"""What seats received, told apart: what of it is a bet that nobody called, what a share of the pots.

The money is the same whether an uncalled bet is given back or comes with the award, so what its owner was awarded
beyond a share counts as the bet, and what a seat was given back beyond its bet counts as its share as far as that is
short. A share that is short by what somebody else was wrongly given back is not found besides.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints, Tri
from validator.engine.core import kleene
from validator.engine.pots.received import UNTOLD
from validator.engine.pots.side_pots import Uncalled
from validator.engine.pots.split_pots import Due


class Credited(Struct, frozen=True, kw_only=True):
    """What rows of H rounds are credited with."""

    won: Ints
    """int64[S, H], what counts as won of the pots, UNTOLD where the log does not show it."""
    spare: Ints
    """int64[S, H], how much less that may be, an uncalled bet being in it or not."""
    received: Ints
    """int64[S, H], what was received besides an uncalled bet, UNTOLD where the log does not show it."""
    undue: Ints
    """int64[S, H], what was given back and is neither an uncalled bet nor a share."""
    undue_for_sure: Flags
    """bool[S, H], where a seat got more of that than its share may be short."""
    returned: Tri
    """uint8[H], whether the uncalled bet came back to its owner, where there is one."""
    came: Ints
    """int64[H], how much of the uncalled bet is known to have come back."""


def credited(free: Uncalled, due: Due, won: Ints, back: Ints, both: Ints, *, undue: Ints, apart: bool) -> Credited:
    """Return what rows are credited with.

    Args:
        won, back, both: what was won, given back, and both together, int64[S, H], UNTOLD where the log is silent.
        undue: what was given back beyond an uncalled bet, int64[S, H].
        apart: whether an uncalled bet must come back before the award.
    """
    hands = won.shape[1]
    won, spare = won.copy(), np.zeros_like(won)
    returned, came = kleene.constant(kleene.UNKNOWN, hands), np.zeros(hands, np.int64)
    # Of chips before and after nothing is told apart: what came back to a seat without an uncalled bet was won.
    won = np.where((won == UNTOLD) & (both != UNTOLD), both, won)
    as_share = np.where(won == UNTOLD, 0, np.clip(due.least - won, 0, undue))
    won, undue = won + as_share, undue - as_share
    back = np.where(back == UNTOLD, UNTOLD, back - as_share)
    undue_for_sure = (undue > 0) & ((won == UNTOLD) | (won + undue > due.most))
    received = won.copy()
    missing = undue.sum(axis=0)
    for row_ in range(len(won) if missing.any() else 0):
        lacking = np.where(won[row_] == UNTOLD, 0, np.clip(due.least[row_] - won[row_], 0, missing))
        won[row_] += lacking
        missing -= lacking
    at = np.flatnonzero(free.amount)
    row = free.row[at].astype(np.int64)
    owner = _Owner(
        bet=free.amount[at],
        won=won[row, at],
        back=back[row, at],
        both=both[row, at],
        least=due.least[row, at],
        most=due.most[row, at],
        exact=np.stack([due.ruled[row, at], due.equal[row, at]]),
    )
    kept = _of_owner(owner, apart=apart)
    won[row, at], spare[row, at] = kept.won, kept.spare
    received[row, at] = kept.won
    returned[at], came[at] = kept.returned, kept.came
    return Credited(
        won=won,
        spare=spare,
        received=received,
        undue=undue,
        undue_for_sure=undue_for_sure,
        returned=returned,
        came=came,
    )


class _Owner(Struct, frozen=True, kw_only=True):
    """The owners of uncalled bets: the bet, what they received, what they are due of the pots; int64[n] each.

    `exact` is int64[2, n]: what they are due exactly by either way of splitting, -1 where that is not known.
    """

    bet: Ints
    won: Ints
    back: Ints
    both: Ints
    least: Ints
    most: Ints
    exact: Ints


class _Kept(Struct, frozen=True, kw_only=True):
    """What owners are credited with."""

    won: Ints
    spare: Ints
    returned: Tri
    came: Ints


def _of_owner(owner: _Owner, *, apart: bool) -> _Kept:
    told_apart = (owner.won != UNTOLD) & (owner.back != UNTOLD)
    only_both = ~told_apart & (owner.both != UNTOLD)
    only_won = ~told_apart & ~only_both & (owner.won != UNTOLD)

    # A seat that came out exactly with its share did not get its bet back; any other got the bet before a share.
    bare = ((owner.exact == owner.both) & (owner.exact >= 0)).any(axis=0)
    back = np.where(only_both, np.where(bare, 0, np.clip(owner.both, 0, owner.bet)), owner.back)
    won = np.where(only_both, owner.both - back, owner.won)
    recorded = told_apart | only_both
    lacking = np.where(recorded, np.maximum(owner.bet - back, 0), 0)
    surely = np.clip(won - owner.most, 0, lacking)
    perhaps = np.clip(won - owner.least, 0, lacking)

    in_won = np.clip(owner.won - owner.most, 0, owner.bet)
    in_award = np.zeros(len(lacking), bool) if apart else surely == lacking
    yes = told_apart & (back <= owner.bet) & ((lacking == 0) | in_award)
    more = back - owner.bet
    no = told_apart & (((more > 0) & (won + more > owner.most)) | (perhaps < lacking))
    # Nor is it proof that chips come out so, where with the bet back they would still be within what is due.
    no |= only_both & (lacking > 0) & (owner.both - owner.bet < owner.least)
    if apart:
        no |= told_apart & (lacking > 0)
    else:
        settled = owner.least == owner.most
        yes |= only_both & (lacking == 0) & (settled | (owner.both - owner.most >= owner.bet))
        yes |= only_won & (in_won == owner.bet)
    return _Kept(
        won=np.where(recorded, won - surely, owner.won),
        spare=np.where(only_won, owner.bet, np.where(recorded, perhaps - surely, 0)),
        returned=kleene.decided(yes & ~no, no),
        came=np.where(recorded, back if apart else back + surely, np.where(only_won, in_won, 0)),
    )


def rightly(due: Due, got: Credited) -> Tri:
    """uint8[S, H]: whether what each row won is its share of the pots."""
    recorded = got.won != UNTOLD
    right, wrong = np.zeros(recorded.shape, bool), np.ones(recorded.shape, bool)
    for won in (got.won, got.won - got.spare):
        # Of a share that is known by its bounds alone nothing within them is proof that it is right.
        right |= (won >= 0) & ((won == due.ruled) | (won == due.equal) | ((won == due.least) & (won == due.most)))
        wrong &= (won < due.least) | (won > due.most)
    return np.where(recorded, kleene.decided(right & ~wrong, wrong), np.uint8(kleene.UNKNOWN))


def beyond(due: Due, got: Credited, row: int, hand: int) -> int:
    """By how much a row won more than its share of a hand, below 0 less: by the game's rule for odd chips, else by the
    bounds of what it is due."""
    ruled = int(due.ruled[row, hand])
    least, most = (int(due.least[row, hand]), int(due.most[row, hand])) if ruled < 0 else (ruled, ruled)
    won = int(got.won[row, hand])
    return min((amount - min(max(amount, least), most) for amount in (won, won - int(got.spare[row, hand]))), key=abs)
