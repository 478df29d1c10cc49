"""Breakdown of what seats received into uncalled bets and shares of the pots.

The money is the same whether an uncalled bet is returned or included in an award. The owner's award beyond a share
therefore counts as the bet. What a seat got back beyond its bet counts as its share if the share is short. A share that
is short by another seat's wrong return is not reported again.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints, Truths
from validator.engine.core import kleene
from validator.engine.pots.received import NOT_RECORDED
from validator.engine.pots.side_pots import UncalledBets
from validator.engine.pots.split_pots import PotDue


class CreditedChips(Struct, frozen=True, kw_only=True):
    """Breakdown of what each row received, in H rounds."""

    won: Ints
    """Amount that counts as won, int64[S, H]; NOT_RECORDED if the log does not show it."""
    uncertain_part: Ints
    """Amount by which this may be less, because an uncalled bet may be included, int64[S, H]."""
    received: Ints
    """Amount received without an uncalled bet, int64[S, H]; NOT_RECORDED if the log does not show it."""
    undue_return: Ints
    """Amount returned that is neither an uncalled bet nor a share, int64[S, H]."""
    is_undue_certain: Flags
    """True if a seat got more of this than its share may be short, bool[S, H]."""
    is_bet_returned: Truths
    """Return of the uncalled bet to its owner, if there is one, uint8[H]."""
    bet_returned: Ints
    """Part of the uncalled bet that is known to have come back, int64[H]."""


def credit_received(
    free: UncalledBets, due: PotDue, won: Ints, back: Ints, both: Ints, *, undue: Ints, apart: bool
) -> CreditedChips:
    """Credit what rows received.

    Args:
        won, back, both: amounts won, returned, and in total, int64[S, H]; NOT_RECORDED if the log is silent.
        undue: amount returned beyond an uncalled bet, int64[S, H].
        apart: whether an uncalled bet must be returned before the award.
    """
    hands = won.shape[1]
    won, spare = won.copy(), np.zeros_like(won)
    returned, came = kleene.constant(kleene.UNKNOWN, hands), np.zeros(hands, np.int64)
    # Stacks show only totals: what came back to a seat without an uncalled bet was won.
    won = np.where((won == NOT_RECORDED) & (both != NOT_RECORDED), both, won)
    as_share = np.where(won == NOT_RECORDED, 0, np.clip(due.least - won, 0, undue))
    won, undue = won + as_share, undue - as_share
    back = np.where(back == NOT_RECORDED, NOT_RECORDED, back - as_share)
    undue_for_sure = (undue > 0) & ((won == NOT_RECORDED) | (won + undue > due.most))
    received = won.copy()
    missing = undue.sum(axis=0)
    for row in range(len(won) if missing.any() else 0):
        lacking = np.where(won[row] == NOT_RECORDED, 0, np.clip(due.least[row] - won[row], 0, missing))
        won[row] += lacking
        missing -= lacking
    at = np.flatnonzero(free.amount)
    owner_row = free.row[at].astype(np.int64)
    owner = _Owner(
        bet=free.amount[at],
        won=won[owner_row, at],
        back=back[owner_row, at],
        both=both[owner_row, at],
        least=due.least[owner_row, at],
        most=due.most[owner_row, at],
        exact=np.stack([due.by_rule[owner_row, at], due.equal_split[owner_row, at]]),
    )
    kept = _credit_owner(owner, apart=apart)
    won[owner_row, at], spare[owner_row, at] = kept.won, kept.spare
    received[owner_row, at] = kept.won
    returned[at], came[at] = kept.returned, kept.came
    return CreditedChips(
        won=won,
        uncertain_part=spare,
        received=received,
        undue_return=undue,
        is_undue_certain=undue_for_sure,
        is_bet_returned=returned,
        bet_returned=came,
    )


class _Owner(Struct, frozen=True, kw_only=True):
    """Owners of uncalled bets, int64[n] each."""

    bet: Ints
    """Uncalled bet."""
    won: Ints
    """Amount won."""
    back: Ints
    """Amount returned."""
    both: Ints
    """Total received."""
    least: Ints
    """Least share due."""
    most: Ints
    """Largest share due."""
    exact: Ints
    """Exact share by either way of splitting, int64[2, n]; -1 if unknown."""


class _OwnerCredit(Struct, frozen=True, kw_only=True):
    """Amounts that owners are credited with."""

    won: Ints
    spare: Ints
    returned: Truths
    came: Ints


def _credit_owner(owner: _Owner, *, apart: bool) -> _OwnerCredit:
    is_split = (owner.won != NOT_RECORDED) & (owner.back != NOT_RECORDED)
    only_both = ~is_split & (owner.both != NOT_RECORDED)
    only_won = ~is_split & ~only_both & (owner.won != NOT_RECORDED)

    # A seat that received exactly its share did not get its bet back; any other seat got the bet first.
    bare = ((owner.exact == owner.both) & (owner.exact >= 0)).any(axis=0)
    back = np.where(only_both, np.where(bare, 0, np.clip(owner.both, 0, owner.bet)), owner.back)
    won = np.where(only_both, owner.both - back, owner.won)
    recorded = is_split | only_both
    lacking = np.where(recorded, np.maximum(owner.bet - back, 0), 0)
    certain = np.clip(won - owner.most, 0, lacking)
    possible = np.clip(won - owner.least, 0, lacking)

    in_won = np.clip(owner.won - owner.most, 0, owner.bet)
    in_award = np.zeros(len(lacking), bool) if apart else certain == lacking
    yes = is_split & (back <= owner.bet) & ((lacking == 0) | in_award)
    more = back - owner.bet
    no = is_split & (((more > 0) & (won + more > owner.most)) | (possible < lacking))
    # The stacks are no proof if the share would still be within its bounds with the bet returned.
    no |= only_both & (lacking > 0) & (owner.both - owner.bet < owner.least)
    if apart:
        no |= is_split & (lacking > 0)
    else:
        settled = owner.least == owner.most
        yes |= only_both & (lacking == 0) & (settled | (owner.both - owner.most >= owner.bet))
        yes |= only_won & (in_won == owner.bet)
    return _OwnerCredit(
        won=np.where(recorded, won - certain, owner.won),
        spare=np.where(only_won, owner.bet, np.where(recorded, possible - certain, 0)),
        returned=kleene.from_yes_no(yes & ~no, no),
        came=np.where(recorded, back if apart else back + certain, np.where(only_won, in_won, 0)),
    )


def is_share_right(due: PotDue, got: CreditedChips) -> Truths:
    """Return whether each row won its share of the pots.

    Returns:
        uint8[S, H].
    """
    recorded = got.won != NOT_RECORDED
    right, wrong = np.zeros(recorded.shape, bool), np.ones(recorded.shape, bool)
    for won in (got.won, got.won - got.uncertain_part):
        # If only bounds of a share are known, an amount within them proves nothing.
        right |= (won >= 0) & (
            (won == due.by_rule) | (won == due.equal_split) | ((won == due.least) & (won == due.most))
        )
        wrong &= (won < due.least) | (won > due.most)
    return np.where(recorded, kleene.from_yes_no(right & ~wrong, wrong), np.uint8(kleene.UNKNOWN))


def measure_excess(due: PotDue, got: CreditedChips, row: int, hand: int) -> int:
    """Return by how much a row won more than its share of a round; negative if less.

    The share follows the game's rule for odd chips, or else the bounds of what is due.
    """
    ruled = int(due.by_rule[row, hand])
    least, most = (int(due.least[row, hand]), int(due.most[row, hand])) if ruled < 0 else (ruled, ruled)
    won = int(got.won[row, hand])
    return min(
        (amount - min(max(amount, least), most) for amount in (won, won - int(got.uncertain_part[row, hand]))), key=abs
    )
