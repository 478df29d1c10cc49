"""Uncalled bet of one round: how much of what its owner received is the bet, and how much is won."""

from __future__ import annotations

from typing import Final, NamedTuple

from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.pots.plain_split import SeatShare

NOT_RECORDED: Final = -(2**61)
"""Amount that the log does not show."""


class OwnerCredit(NamedTuple):
    """Amounts that the owner of an uncalled bet is credited with."""

    won: int
    """Amount that counts as won; NOT_RECORDED if the log does not show it."""
    uncertain_part: int
    """Amount by which this may be less, because the bet may be included."""
    is_bet_returned: int
    """Return of the bet: YES, NO or UNKNOWN."""
    bet_returned: int
    """Part of the bet that is known to have come back."""


def credit_owner(bet: int, won: int, back: int, both: int, due: SeatShare, *, apart: bool) -> OwnerCredit:
    """Credit the owner of an uncalled bet with what the owner received.

    Args:
        bet: the uncalled bet.
        won, back, both: amounts won, returned, and in total; NOT_RECORDED if the log is silent.
        due: share of the pots.
        apart: whether the bet must be returned before the award.
    """
    if NOT_RECORDED not in (won, back):
        return _credit_parts(bet, won, back, due, apart=apart)
    if both != NOT_RECORDED:
        return _credit_total(bet, both, due, apart=apart)
    if won == NOT_RECORDED:
        return OwnerCredit(NOT_RECORDED, 0, UNKNOWN, 0)
    # The award may include the bet.
    in_award = min(max(won - due.most, 0), bet)
    return OwnerCredit(won, bet, YES if in_award == bet and not apart else UNKNOWN, in_award)


def _credit_parts(bet: int, won: int, back: int, due: SeatShare, *, apart: bool) -> OwnerCredit:
    """Credit an owner whose return is recorded, and an award that may include what the return lacks."""
    lacking, surplus = max(bet - back, 0), max(back - bet, 0)
    in_award, most_in_award = _bound_in_award(won, lacking, due)
    if lacking and (apart or most_in_award < lacking):
        returned = NO
    elif surplus:
        returned = NO if won + surplus > due.most else UNKNOWN
    else:
        returned = YES if in_award == lacking else UNKNOWN
    return OwnerCredit(won - in_award, most_in_award - in_award, returned, back if apart else back + in_award)


def _credit_total(bet: int, both: int, due: SeatShare, *, apart: bool) -> OwnerCredit:
    """Credit an owner of whom only stacks are recorded.

    A seat that received exactly its share did not get its bet back; any other seat got the bet first.
    """
    is_bare = both >= 0 and both in (due.by_rule, due.equal_split)
    back = 0 if is_bare else min(max(both, 0), bet)
    won, lacking = both - back, bet - back
    in_award, most_in_award = _bound_in_award(won, lacking, due)
    if lacking:
        # The stacks are no proof if the share would still be within its bounds with the bet returned.
        returned = NO if both - bet < due.least else UNKNOWN
    else:
        is_proven = due.least == due.most or both - due.most >= bet
        returned = YES if is_proven and not apart else UNKNOWN
    return OwnerCredit(won - in_award, most_in_award - in_award, returned, back if apart else back + in_award)


def _bound_in_award(won: int, lacking: int, due: SeatShare) -> tuple[int, int]:
    """Return the least and the most of a lacking return that an award beyond the share includes."""
    return min(max(won - due.most, 0), lacking), min(max(won - due.least, 0), lacking)
