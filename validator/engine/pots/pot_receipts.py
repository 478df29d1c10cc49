"""Chips received from the pots: by each seat, broken down into uncalled bets and shares, and by the house as rake.

The money is the same whether an uncalled bet is returned or included in an award. The owner's award beyond a share
therefore counts as the bet. What a seat got back beyond its bet counts as its share if the share is short. A share
that is short by another seat's wrong return is not reported again.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Truths, are_all, find_true, has_any, make_offsets
from fairdeal.validator.engine.betting.recorded_betting import betting_actions
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED
from fairdeal.validator.engine.facts.player_facts import collect_chip_movement
from fairdeal.validator.engine.pots import plain_credit, side_pots
from fairdeal.validator.engine.pots.split_pots import NetPots, PotDue
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds, has_any_by_round

NOT_RECORDED = plain_credit.NOT_RECORDED
"""Amount that the log does not show."""


class ReceivedChips(Struct, frozen=True, kw_only=True):
    """Chips that seats received, int64[seats] in minor units; NOT_RECORDED if the log does not show them."""

    won: Ints
    """Chips from pots."""
    returned_stakes: Ints
    """Returned stakes."""
    total: Ints
    """Both together."""


@cached_fact
def received_chips(scope: EvaluationContext) -> ReceivedChips:
    """Return what each seat received: from events, else from the summary, else from stacks before and after.

    Chips that are missing at a seat were not taken out of the pots. A return is at most the amount that may be
    returned; the check of the stacks reports any further difference.
    """
    seats = scope.batch.seats
    awarded = sum_events_per_seat(scope, "award")
    won = np.where(awarded != NOT_RECORDED, awarded, np.where(seats.won != ABSENT, seats.won, NOT_RECORDED))
    back = sum_events_per_seat(scope, "return")
    both = _compute_from_stacks(scope)
    by_events = (won != NOT_RECORDED) & (back != NOT_RECORDED)
    by_stacks = ~by_events & (both != NOT_RECORDED)
    from_won = by_stacks & (won != NOT_RECORDED)
    from_back = by_stacks & (back != NOT_RECORDED)
    won = np.where(from_back, _correct_negative(scope, both - back), won)
    most = np.where(is_explained_by_play(scope), find_most_returnable(scope), UNBOUNDED)
    back = np.where(from_won, np.clip(both - won, 0, most), back)
    is_split = (won != NOT_RECORDED) & (back != NOT_RECORDED)
    only_both = np.where(by_stacks & ~from_back, _correct_negative(scope, both), NOT_RECORDED)
    return ReceivedChips(won=won, returned_stakes=back, total=np.where(is_split, won + back, only_both))


def sum_events_per_seat(scope: EvaluationContext, kind: str) -> Ints:
    """Return the sum of the amounts of all events of a kind at each seat; NOT_RECORDED if not recorded.

    Returns:
        int64[seats].
    """
    result = side_pots.sum_amounts(scope, "seat", events_of_kinds(scope, (kind,)))
    recorded = are_kinds_recorded(scope, (kind,)) & scope.batch.complete
    return np.where(recorded[scope.batch.seats.round], result, NOT_RECORDED)


def _correct_negative(scope: EvaluationContext, amount: Ints) -> Ints:
    """Correct negative amounts of seats: a folded seat won nothing; for others the amount is unknown."""
    out, put = np.ones(scope.count_items("seat"), bool), side_pots.pot_contributions(scope)
    row, round_ = np.nonzero(side_pots.expand_masks(put.remaining | put.conceded, len(put.seats)) & (put.seats >= 0))
    out[put.seats[row, round_]] = False
    return np.where(amount >= 0, amount, np.where(out & put.is_known[scope.batch.seats.round], 0, NOT_RECORDED))


@cached_fact
def is_explained_by_play(scope: EvaluationContext) -> Flags:
    """Return whether play alone explains the chips of each seat: no other chips were added or removed unrecorded.

    The stacks of a record without awards follow from the play if all contributions are known.
    """
    recorded = collect_chip_movement(scope, "added").is_recorded & collect_chip_movement(scope, "removed").is_recorded
    from_play = side_pots.pot_contributions(scope).is_known & ~are_kinds_recorded(scope, ("award",))
    return recorded | (scope.batch.seats.playing & from_play[scope.batch.seats.round])


@cached_fact
def find_most_returnable(scope: EvaluationContext) -> Ints:
    """Return the most of its stakes that each seat may be given back.

    If somebody won a pot and nothing went wrong, this is the uncalled bet, and what a seat put in after folding.

    Returns:
        int64[seats], in minor units.
    """
    put, seats, whole = side_pots.pot_contributions(scope), scope.batch.seats, side_pots.staked_in_pots(scope)
    uncalled = side_pots.find_uncalled_bets(put.matched)
    own = side_pots.chips_of_folded_seats(scope) + side_pots.arrange_uncalled_bets(scope, put, uncalled)
    won = np.where(seats.won == ABSENT, 0, seats.won)
    np.maximum(won, sum_events_per_seat(scope, "award"), out=won)
    wrong = has_any_by_round(scope, events_of_kinds(scope, ("fault", "remedy", "misdeal")))
    played = put.is_known & (side_pots.sum_per_round(scope, won) > 0) & ~wrong
    return np.where(played[seats.round], own, whole)


def _compute_from_stacks(scope: EvaluationContext) -> Ints:
    """Return what came back to each seat, from its stacks before and after.

    The stacks show it if no other chips were added or removed, the game settles nothing else, and all contributions are
    known.
    """
    seats, record = scope.batch.seats, betting_actions(scope)
    recorded = (seats.stack != ABSENT) & (seats.stack_after != ABSENT) & ~_has_other_changes(scope)
    recorded &= (record.first_unclear_event >= scope.batch.events.offsets[1:])[seats.round]
    if scope.compiled_game.game.settlement.order:
        recorded &= False
    return np.where(recorded, seats.stack_after - seats.stack + side_pots.staked_in_pots(scope), NOT_RECORDED)


def _has_other_changes(scope: EvaluationContext) -> Flags:
    """Return whether the seat's chips changed otherwise after stakes were placed."""
    return (collect_chip_movement(scope, "added").during_play > 0) | (
        collect_chip_movement(scope, "removed").during_play > 0
    )


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
    uncalled: side_pots.UncalledBets, due: PotDue, won: Ints, back: Ints, both: Ints, *, undue: Ints, apart: bool
) -> CreditedChips:
    """Credit what rows received.

    Args:
        won, back, both: amounts won, returned, and in total, int64[S, H]; NOT_RECORDED if the log is silent.
        undue: amount returned beyond an uncalled bet, int64[S, H].
        apart: whether an uncalled bet must be returned before the award.
    """
    hands = won.shape[1]
    # Stacks show only totals: what came back to a seat without an uncalled bet was won.
    won = np.where((won == NOT_RECORDED) & (both != NOT_RECORDED), both, won)
    as_share = np.where(won == NOT_RECORDED, 0, np.clip(due.least - won, 0, undue))
    won, undue = won + as_share, undue - as_share
    back = np.where(back == NOT_RECORDED, NOT_RECORDED, back - as_share)
    is_undue_certain = (undue > 0) & ((won == NOT_RECORDED) | (won + undue > due.most))
    received, uncertain_part = won.copy(), np.zeros_like(won)
    missing = undue.sum(axis=0)
    for row in range(len(won) if has_any(missing) else 0):
        lacking = np.where(won[row] == NOT_RECORDED, 0, np.clip(due.least[row] - won[row], 0, missing))
        won[row] += lacking
        missing -= lacking
    is_bet_returned, bet_returned = kleene.constant(kleene.UNKNOWN, hands), np.zeros(hands, np.int64)
    rounds = find_true(uncalled.amount)
    owner = uncalled.row[rounds].astype(np.int64)
    # The bet came back as such: what was won is all from the pots.
    is_regular = (back[owner, rounds] == uncalled.amount[rounds]) & (won[owner, rounds] != NOT_RECORDED)
    is_bet_returned[rounds], bet_returned[rounds] = kleene.YES, uncalled.amount[rounds]
    if not are_all(is_regular):
        odd = owner[~is_regular], rounds[~is_regular]
        columns = (uncalled.amount[odd[1]], won[odd], back[odd], both[odd])
        amounts = zip(*(column.tolist() for column in columns), due.list_shares(odd), strict=True)
        credited = np.array([plain_credit.credit_owner(*amount, apart=apart) for amount in amounts], np.int64)
        won[odd], uncertain_part[odd], is_bet_returned[odd[1]], bet_returned[odd[1]] = credited.T
    received[owner, rounds] = won[owner, rounds]
    return CreditedChips(
        won=won,
        uncertain_part=uncertain_part,
        received=received,
        undue_return=undue,
        is_undue_certain=is_undue_certain,
        is_bet_returned=is_bet_returned,
        bet_returned=bet_returned,
    )


def is_share_right(due: PotDue, credited: CreditedChips, *, unrecorded_rake: Ints) -> Truths:
    """Return whether each row won its share of the pots.

    Args:
        unrecorded_rake: most by which the rake may have reduced the share of a seat that was paid, int64[H].

    Returns:
        uint8[S, H].
    """
    recorded = credited.won != NOT_RECORDED
    right, wrong = np.zeros(recorded.shape, bool), np.ones(recorded.shape, bool)
    for won in (credited.won, credited.won - credited.uncertain_part):
        # If only bounds of a share are known, an amount within them proves nothing.
        right |= (won >= 0) & (
            (won == due.by_rule) | (won == due.equal_split) | ((won == due.least) & (won == due.most))
        )
        least = due.least - np.where(won > 0, unrecorded_rake, 0)
        wrong &= (won < least) | (won > due.most)
    return np.where(recorded, kleene.from_yes_no(right & ~wrong, wrong), np.uint8(kleene.UNKNOWN))


def measure_excess(due: PotDue, credited: CreditedChips, row: int, hand: int) -> int:
    """Return by how much a row won more than its share of a round; negative if less.

    The share follows the game's rule for odd chips, or else the bounds of what is due.
    """
    ruled = int(due.by_rule[row, hand])
    least, most = (int(due.least[row, hand]), int(due.most[row, hand])) if ruled < 0 else (ruled, ruled)
    won = int(credited.won[row, hand])
    return min(
        (amount - min(max(amount, least), most) for amount in (won, won - int(credited.uncertain_part[row, hand]))),
        key=abs,
    )


@cached_fact
def bound_rake(scope: EvaluationContext) -> Bounds:
    """Return bounds of the rake: the recorded rake, or else what was put in and came back to nobody.

    Returns:
        int64[rounds] each.
    """
    received = received_chips(scope)
    known = side_pots.sum_amounts(scope, "round", events_of_kinds(scope, ("rake",)))
    recorded = _is_rake_recorded(scope)
    put = side_pots.sum_per_round(scope, side_pots.staked_in_pots(scope))
    left = np.maximum(put - sum_recorded(scope, received.total), 0)
    all_came = is_recorded_for_all(scope, received.total)
    # If returns are not recorded, the winnings of seats may include an uncalled bet.
    loose = np.maximum(put - sum_recorded(scope, received.won), 0)
    all_won = is_recorded_for_all(scope, received.won)
    possible = side_pots.sum_per_round(scope, find_most_returnable(scope))
    least = np.where(all_came, left, np.where(all_won, np.maximum(loose - possible, 0), 0))
    # Amounts known to have come back to some seats were not raked, whatever came back to the others.
    most = np.where(all_came, left, np.where(all_won, loose, np.maximum(put - _sum_received(scope), 0)))
    return np.where(recorded, known, least), np.where(recorded, known, most)


def is_rake_hidden(scope: EvaluationContext) -> Flags:
    """Return whether a rake is not recorded and seats received more than was put in, so that it cannot be inferred.

    Returns:
        bool[rounds].
    """
    put = side_pots.sum_per_round(scope, side_pots.staked_in_pots(scope))
    return (_sum_received(scope) > put) & ~_is_rake_recorded(scope)


def _is_rake_recorded(scope: EvaluationContext) -> Flags:
    return are_kinds_recorded(scope, ("rake",)) & scope.batch.complete


def _sum_received(scope: EvaluationContext) -> Ints:
    """Return what the seats of each round are known to have received, int64[rounds]."""
    received = received_chips(scope)
    return sum_recorded(scope, np.where(received.total == NOT_RECORDED, received.won, received.total))


def sum_recorded(scope: EvaluationContext, values: Ints) -> Ints:
    """Return the sum of values of seats; NOT_RECORDED values are left out.

    Returns:
        int64[rounds].
    """
    return side_pots.sum_per_round(scope, np.where(values == NOT_RECORDED, 0, values))


def is_recorded_for_all(scope: EvaluationContext, values: Ints) -> Flags:
    """Return whether the values of seats are recorded for every playing seat of the round.

    Returns:
        bool[rounds].
    """
    seats = scope.batch.seats
    result = np.ones(scope.count_items("round"), bool)
    result[seats.round[(values == NOT_RECORDED) & seats.playing]] = False
    return result


def subtract_rake(scope: EvaluationContext, pots: side_pots.LayeredPots) -> NetPots:
    """Subtract the rake from the pots.

    If the record does not name the pot, the rake is taken from the main pot first, although it may have been another.
    """
    least, most = (bound[pots.round] for bound in bound_rake(scope))
    exact, taken = _read_rake_by_pot(scope, pots)
    first = take_from_main_pot_first(pots, most)
    ruled = pots.amount - np.where(exact, taken, first)
    others = sum_over_pots(pots, pots.amount)[pots.round] - pots.amount
    more = find_unrecorded_most(scope)[pots.round]
    return NetPots(
        least=np.where(exact, ruled, np.maximum(pots.amount - most, 0)),
        most=np.where(exact, ruled, np.maximum(pots.amount - np.maximum(least - others, 0), 0)) + more,
        by_rule=ruled,
        is_rake_known=(least == most) & (more == 0),
    )


def sum_over_pots(pots: side_pots.LayeredPots, values: Ints) -> Ints:
    """Return the sum of values of pots over the pots of each round.

    Returns:
        int64[rounds].
    """
    result = np.zeros(len(pots.count), np.int64)
    np.add.at(result, pots.round, values)
    return result


def find_unrecorded_most(scope: EvaluationContext) -> Ints:
    """Return the most that each pot may hold beyond what the record shows.

    Returns:
        int64[rounds].
    """
    rule = scope.compiled_game.pots.untold
    if rule is None:
        return np.zeros(scope.count_items("round"), np.int64)
    _, most = scope.compute_bounds(rule.at_most, "round")
    return np.where(scope.evaluate(rule.when, "round") == NO, 0, most)


def take_from_main_pot_first(pots: side_pots.LayeredPots, rake: Ints) -> Ints:
    """Return what is taken of each pot if the rake is taken from the pots in their order.

    Args:
        rake: rake of the round of each pot.

    Returns:
        int64[P].
    """
    before = make_offsets(pots.amount)[:-1]
    before -= before[make_offsets(pots.count)[:-1][pots.round]]
    return np.clip(rake - before, 0, pots.amount)


def _read_rake_by_pot(scope: EvaluationContext, pots: side_pots.LayeredPots) -> tuple[Flags, Ints]:
    """Return whether events name the rake of each pot, and the amount.

    Logs may number pots differently; the numbers count if awards or rakes name exactly as many pots.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    chosen = events_of_kinds(scope, ("rake",))
    named = events_of_kinds(scope, ("rake", "award"))
    highest = np.zeros(rounds, np.int64)
    np.maximum.at(highest, events.round[named], events.pot[named])
    sure = are_kinds_recorded(scope, ("rake",)) & (highest + 1 == pots.count)
    sure[events.round[chosen[events.pot[chosen] == ABSENT]]] = False
    taken = np.zeros(len(pots.amount), np.int64)
    first = make_offsets(pots.count)[:-1]
    ours = chosen[sure[events.round[chosen]]]
    np.add.at(taken, first[events.round[ours]] + events.pot[ours], np.maximum(events.amount[ours], 0))
    exact = sure[pots.round]
    over = np.zeros(rounds, bool)
    over[pots.round[taken > pots.amount]] = True
    return exact & ~over[pots.round], taken
