"""Amounts that seats received from the pots, credited to what each was due, and whether each received its share."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import ABSENT, Ints, Truths
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.pots import pot_shares, side_pots
from fairdeal.validator.engine.pots.rake import find_most_rake_due, is_rake_hidden
from fairdeal.validator.engine.pots.received_chips import (
    NOT_RECORDED,
    CreditedChips,
    credit_received,
    is_share_right,
    received_chips,
)
from fairdeal.validator.engine.pots.split_pots import PotDue
from fairdeal.validator.language.grammar import PotSharing


@cached_fact
def credit_pots(scope: EvaluationContext) -> CreditedChips:
    """Return the amounts that each seat received from the pots and from an uncalled bet.

    Of the possible divisions, a later one counts where an uncalled bet came back by it rather than by those before.
    """
    (_, chosen), *others = _credit_by_division(scope)
    for _, credit in others:
        is_better = credit.is_bet_returned > chosen.is_bet_returned
        fields = CreditedChips.__struct_fields__
        chosen = CreditedChips(
            **{name: np.where(is_better, getattr(credit, name), getattr(chosen, name)) for name in fields}
        )
    return chosen


@cached_fact
def _credit_by_division(scope: EvaluationContext) -> list[tuple[PotDue, CreditedChips]]:
    """Return the amounts due under each possible division of the pots, with the amounts received."""
    division = pot_shares.pot_division(scope)
    return [(due, _credit_for_due(scope, due)) for due in (division.due, *division.alternatives)]


def _credit_for_due(scope: EvaluationContext, due: PotDue) -> CreditedChips:
    pots, amounts = pot_shares.settle_pots(scope), received_chips(scope)
    return credit_received(
        pots.uncalled_bets,
        due,
        side_pots.arrange_in_rows(pots.contributions, amounts.won, NOT_RECORDED),
        side_pots.arrange_in_rows(pots.contributions, amounts.returned_stakes, NOT_RECORDED),
        side_pots.arrange_in_rows(pots.contributions, amounts.total, NOT_RECORDED),
        undue=_returned_unduly(scope),
        apart=pot_shares.is_reading_in_force(scope, scope.compiled_game.pots.uncalled_apart),
    )


@cached_fact
def _returned_unduly(scope: EvaluationContext) -> Ints:
    """Return the amounts returned beyond a row's own uncalled bet, in minor units.

    A seat whose stakes are all refunded is due all of its returns. So is a seat that was out when it put chips in.

    Returns:
        int64[S, H].
    """
    pots = pot_shares.settle_pots(scope)
    returned = side_pots.arrange_in_rows(pots.contributions, received_chips(scope).returned_stakes, NOT_RECORDED)
    of_refunded_seats = (
        side_pots.arrange_in_rows(pots.contributions, side_pots.is_refunded(scope).astype(np.int64), 0) > 0
    )
    own = np.where(pots.uncalled_bets.row == np.arange(len(returned))[:, None], pots.uncalled_bets.amount, 0)
    own += side_pots.arrange_in_rows(pots.contributions, side_pots.chips_of_folded_seats(scope), 0)
    return np.where((pots.contributions.seats >= 0) & ~of_refunded_seats, np.maximum(returned - own, 0), 0)


@cached_fact
def check_shares(scope: EvaluationContext) -> Truths:
    """Return whether each row received its share of the pots, under any of the possible divisions.

    Returns:
        uint8[S, H].
    """
    holds = np.maximum.reduce(
        [
            is_share_right(due, credit, unrecorded_rake=_bound_hidden_rake(scope, due, credit))
            for due, credit in _credit_by_division(scope)
        ]
    )
    return np.where(pot_shares.find_excess_of_named_pots(scope) > 0, np.uint8(kleene.NO), holds)


def _bound_hidden_rake(scope: EvaluationContext, due: PotDue, credit: CreditedChips) -> Ints:
    """Return the most that a rake hidden by a seat's excess may have reduced the shares of others.

    An unrecorded rake is inferred from chips that came back to nobody. If seats received more than was put in, chips
    from elsewhere hide it.

    Returns:
        int64[H], in minor units.
    """
    hidden = is_rake_hidden(scope)
    if not hidden.any():
        return np.zeros(len(hidden), np.int64)
    won = np.where(credit.won == NOT_RECORDED, 0, credit.won - credit.uncertain_part)
    excess = np.where(won > due.most, won - due.least, 0).sum(axis=0)
    posted, is_bounded = find_most_rake_due(scope)
    return np.where(hidden, np.where(is_bounded, np.minimum(excess, posted), excess), 0)


def has_pot_share(scope: EvaluationContext, side: PotSharing) -> Truths:
    """Return whether each seat plays and wins a share of a pot, or plays and wins none, or received what it was due.

    Returns:
        uint8[seats].
    """
    if side == "winning":
        return pot_shares.is_winning(scope)
    if side == "losing":
        return np.minimum(kleene.from_flags(scope.batch.seats.playing), kleene.negate(pot_shares.is_winning(scope)))
    pots = pot_shares.settle_pots(scope)
    holds = np.where(pots.is_known & (pots.pots.count > 0), check_shares(scope), np.uint8(kleene.UNKNOWN))
    result = kleene.constant(kleene.YES, scope.count_items("seat"))
    there = pots.contributions.seats != ABSENT
    result[pots.contributions.seats[there]] = holds[there]
    return result
