"""Totals of the pots and the rake, shares that seats received of them, and the expected stack after the round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Truths, is_one_of
from fairdeal.validator.engine.betting.betting_quantities import evaluate_replay_quantity
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, UNKNOWN, YES, clip_to_unbounded
from fairdeal.validator.engine.facts.player_facts import collect_chip_movement, sum_staked
from fairdeal.validator.engine.pots import pot_receipts, pot_shares, side_pots
from fairdeal.validator.engine.pots.showdown_hands import most_likely_boards
from fairdeal.validator.engine.pots.split_pots import PotDue
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from fairdeal.validator.evidence.event_kinds import MEANS
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import PotNumber, PotSharing, RakeNumber, SeatReceives
from fairdeal.validator.rules.betting_model import PotRake


def bound_rake_due(
    scope: EvaluationContext, pots: side_pots.LayeredPots, uncalled: side_pots.UncalledBets
) -> tuple[Ints, Ints, Flags]:
    """Return the least and the most that the submitted levels amount to, and whether this is known.

    Returns:
        int64[rounds]; int64[rounds]; bool[rounds].
    """
    rounds = scope.count_items("round")
    zero = np.zeros(rounds, np.int64)
    levels, measure = rake_levels(scope), find_rake_rule(scope)
    if measure is None or levels is None:
        return zero, zero, np.zeros(rounds, bool)
    due = _sum_levels(scope, measure, pots, uncalled, levels)
    reached = _has_reached_stage(scope, measure, (_find_submitted_rake(scope) or {}).get("from"))
    least, most = np.where(reached == YES, due, 0), np.where(reached == NO, 0, due)
    # If the rake has not begun, the pots need not be known.
    return least, most, side_pots.pot_contributions(scope).is_known | (reached == NO)


def find_most_rake_due(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Return the most that the submitted levels may amount to, however the contributions form pots.

    Returns:
        int64[rounds]; bool[rounds], whether this bounds the rake, since the record states what every seat won.
    """
    rounds = scope.count_items("round")
    levels, measure = rake_levels(scope), find_rake_rule(scope)
    if measure is None or levels is None:
        return np.zeros(rounds, np.int64), np.zeros(rounds, bool)
    put = side_pots.sum_per_round(scope, side_pots.staked_in_pots(scope))
    players = side_pots.sum_per_round(scope, scope.batch.seats.playing.astype(np.int64))
    pots = np.ones(rounds, np.int64) if measure.from_ == "total" else np.maximum(players - 1, 1)
    most = np.zeros(rounds, np.int64)
    for level in levels:
        reached = np.minimum(put // level["pot"], pots) if level["pot"] > 0 else pots
        most += reached * level["takes"]
    won = np.where(scope.batch.seats.won == ABSENT, pot_receipts.NOT_RECORDED, scope.batch.seats.won)
    return most, pot_receipts.is_recorded_for_all(scope, won)


def _find_submitted_rake(scope: EvaluationContext) -> Mapping[str, Any] | None:
    result: Mapping[str, Any] | None = None if scope.configuration is None else scope.configuration.data.get("rake")
    return result


def rake_levels(scope: EvaluationContext) -> Sequence[Mapping[str, Any]] | None:
    """Return the submitted levels of the rake; None if there are none."""
    return (_find_submitted_rake(scope) or {}).get("levels")


def find_rake_rule(scope: EvaluationContext) -> PotRake | None:
    """Return the rule for the rake, by the readings in force; None if the game has none."""
    regulation = scope.compiled_game.regulation
    for rule in scope.compiled_game.pots.rake:
        if rule.reading is None or regulation.is_option_in_force(rule.reading.name, rule.reading.is_):
            return rule
    return None


def _sum_levels(
    scope: EvaluationContext,
    measure: PotRake,
    pots: side_pots.LayeredPots,
    uncalled: side_pots.UncalledBets,
    levels: Sequence[Mapping[str, Any]],
) -> Ints:
    """Return the sum of the levels that the pots reach."""
    amount, hand = pots.amount.copy(), pots.round
    counted = uncalled.amount if measure.without is None else np.zeros(len(pots.count), np.int64)
    if measure.from_ == "total":
        return _sum_reached_levels(pot_receipts.sum_over_pots(pots, amount) + counted, levels)
    last = pots.number == pots.count[hand] - 1
    amount[last] += counted[hand[last]]
    return pot_receipts.sum_over_pots(pots, _sum_reached_levels(amount, levels))


def _has_reached_stage(scope: EvaluationContext, measure: PotRake, stage: str | None) -> Truths:
    """Return whether each round reached the stage from which the house rakes; unknown for an unknown stage name."""
    rounds = scope.count_items("round")
    if stage is None:
        return kleene.constant(YES, rounds)
    if stage not in measure.stages:
        return kleene.constant(UNKNOWN, rounds)
    return scope.evaluate(measure.stages[stage], "round")


PotBounds = tuple[Ints, Ints, Flags]


def bound_pot_amount(scope: EvaluationContext, name: PotNumber) -> PotBounds:
    """Return the least and the largest possible amount of the pots, and whether the evidence sets these bounds.

    Returns:
        int64[rounds] each, in minor units; bool[rounds].
    """
    rounds = scope.count_items("round")
    every = np.ones(rounds, bool)
    match name:
        case "total":
            total = (
                side_pots.sum_per_round(
                    scope, np.where(side_pots.is_refunded(scope), 0, side_pots.staked_in_pots(scope))
                )
                - pot_shares.settle_pots(scope).uncalled_bets.amount
            )
            return total, total, side_pots.pot_contributions(scope).is_known
        case "uncalled":
            uncalled = pot_shares.settle_pots(scope).uncalled_bets.amount
            return uncalled, uncalled, side_pots.pot_contributions(scope).is_known
        case "awarded":
            amount_won, recorded = _sum_won(scope)
            return amount_won, amount_won, recorded
        case "returned":
            amount_returned, recorded = _sum_returned(scope)
            return amount_returned, amount_returned, recorded
        case "raked":
            least, most = pot_receipts.bound_rake(scope)
            return least, np.where(pot_receipts.is_rake_hidden(scope), UNBOUNDED, most), every
        case "count":
            count = _count_pots(scope)
            return count, count, side_pots.pot_contributions(scope).is_known
        case "boards":
            boards = most_likely_boards(scope)
            return boards.count, boards.count, boards.community_cards.count >= 0
        case "dropped":
            dropped = side_pots.sum_amounts(scope, "round", events_of_kinds(scope, ("drop",)))
            return dropped, dropped, are_kinds_recorded(scope, ("drop",)) & scope.batch.complete
        case _:
            settled = pot_shares.settle_pots(scope)
            least, most, known = bound_rake_due(scope, settled.pots, settled.uncalled_bets)
            at_most, bounded = find_most_rake_due(scope)
            least, most, known = np.where(known, least, 0), np.where(known, most, at_most), known | bounded
            if settled.pots_before_refunds is settled.pots:
                return least, most, known
            # The record does not show whether a level was reached before chips were refunded for a lost hand.
            low, high, _ = bound_rake_due(scope, settled.pots_before_refunds, settled.uncalled_bets)
            return np.minimum(least, low), np.maximum(most, high), known


def _count_pots(scope: EvaluationContext) -> Ints:
    """Return the number of pots, whatever became of the hands that might have won them."""
    put = side_pots.pot_contributions(scope)
    return side_pots.cut_into_pots(
        put, put.remaining | put.conceded | side_pots.find_all_in_rows(scope), side_pots.find_uncalled_bets(put.matched)
    ).count


def find_seat_receipts(scope: EvaluationContext, what: SeatReceives) -> tuple[Ints, Flags]:
    """Return what comes back to each seat, and whether the evidence shows it.

    Returns:
        int64[seats], in minor units; bool[seats].
    """
    received = pot_receipts.received_chips(scope)
    if what == "awarded":
        return received.won, received.won != pot_receipts.NOT_RECORDED
    if what == "returned":
        return received.returned_stakes, received.returned_stakes != pot_receipts.NOT_RECORDED
    settled = pot_shares.settle_pots(scope)
    known = settled.contributions.is_known[scope.rounds_of("seat")]
    uncalled = side_pots.arrange_uncalled_bets(scope, settled.contributions, settled.uncalled_bets)
    return np.where(known, uncalled, 0), known


def _sum_won(scope: EvaluationContext) -> tuple[Ints, Flags]:
    received = pot_receipts.received_chips(scope)
    by_awards = pot_receipts.is_recorded_for_all(scope, received.won)
    back, recorded = _sum_returned(scope)
    together = pot_receipts.sum_recorded(scope, received.total) - back
    return np.where(by_awards, pot_receipts.sum_recorded(scope, received.won), together), by_awards | (
        recorded & pot_receipts.is_recorded_for_all(scope, received.total)
    )


def _sum_returned(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Return what was given back.

    If only stacks are known, what came back to the owner of an uncalled bet is the bet first.
    """
    settled, received = pot_shares.settle_pots(scope), pot_receipts.received_chips(scope)
    recorded = pot_receipts.is_recorded_for_all(scope, received.returned_stakes)
    bets = side_pots.arrange_uncalled_bets(scope, settled.contributions, settled.uncalled_bets)
    first = side_pots.sum_per_round(scope, np.clip(received.total, 0, bets))
    follows = pot_receipts.is_recorded_for_all(scope, received.total) & settled.contributions.is_known
    follows[scope.batch.seats.round[(bets > 0) & (received.total == pot_receipts.NOT_RECORDED)]] = False
    return np.where(recorded, pot_receipts.sum_recorded(scope, received.returned_stakes), first), recorded | follows


def rake_so_far(scope: EvaluationContext, which: RakeNumber, events: Ints) -> tuple[Ints, Flags]:
    """Return an amount of the rake after each of some events, and whether it is known.

    Args:
        events: int64[m], the events.

    Returns:
        int64[m], in minor units; bool[m].
    """
    return _sum_taken(scope, events) if which == "taken" else _bound_due(scope, events)


def _sum_taken(scope: EvaluationContext, chosen: Ints) -> tuple[Ints, Flags]:
    events = scope.batch.events
    amount = np.where(events.kind == KIND_CODES["rake"], np.maximum(events.amount, 0), 0)
    running = np.concatenate([[0], np.cumsum(amount)])
    begins = events.offsets.take(events.round.take(chosen))
    return running.take(chosen + 1) - running.take(begins), np.ones(len(chosen), bool)


def _bound_due(scope: EvaluationContext, chosen: Ints) -> tuple[Ints, Flags]:
    """Return the most that may be due: the levels reached by the chips put in so far.

    For each pot, these are the levels that all these chips would reach in that pot, limited to its final amount.
    """
    so_far, recorded = evaluate_replay_quantity(scope, "pot", chosen)
    levels, measure, owner = rake_levels(scope), find_rake_rule(scope), scope.batch.events.round.take(chosen)
    due = np.zeros(len(so_far), np.int64)
    if levels is None or measure is None:
        return due, np.zeros(len(so_far), bool)
    if measure.from_ == "total":
        return due + _sum_reached_levels(so_far, levels), recorded
    settled = pot_shares.settle_pots(scope)
    amount = settled.pots.amount + (settled.uncalled_bets.amount[settled.pots.round] if measure.without is None else 0)
    for number in range(int(settled.pots.count.max(initial=0))):
        whole = np.zeros(len(scope.batch), np.int64)
        pots = settled.pots.number == number
        whole[settled.pots.round[pots]] = amount[pots]
        due += _sum_reached_levels(np.minimum(so_far, whole[owner]), levels)
    return due, recorded & settled.is_known[owner]


def _sum_reached_levels(pot: Ints, levels: Sequence[Mapping[str, Any]]) -> Ints:
    """Return the sum of the levels that pots have reached."""
    result = np.zeros(len(pot), np.int64)
    for level in levels:
        result += np.where(pot >= level["pot"], level["takes"], 0)
    return result


@cached_fact
def credit_pots(scope: EvaluationContext) -> pot_receipts.CreditedChips:
    """Return the amounts that each seat received from the pots and from an uncalled bet.

    Of the possible divisions, a later one counts where an uncalled bet came back by it rather than by those before.
    """
    (_, chosen), *others = _credit_by_division(scope)
    for _, credit in others:
        is_better = credit.is_bet_returned > chosen.is_bet_returned
        fields = pot_receipts.CreditedChips.__struct_fields__
        chosen = pot_receipts.CreditedChips(
            **{name: np.where(is_better, getattr(credit, name), getattr(chosen, name)) for name in fields}
        )
    return chosen


@cached_fact
def _credit_by_division(scope: EvaluationContext) -> list[tuple[PotDue, pot_receipts.CreditedChips]]:
    """Return the amounts due under each possible division of the pots, with the amounts received."""
    division = pot_shares.pot_division(scope)
    return [(due, _credit_for_due(scope, due)) for due in (division.due, *division.alternatives)]


def _credit_for_due(scope: EvaluationContext, due: PotDue) -> pot_receipts.CreditedChips:
    pots, amounts = pot_shares.settle_pots(scope), pot_receipts.received_chips(scope)
    return pot_receipts.credit_received(
        pots.uncalled_bets,
        due,
        side_pots.arrange_in_rows(pots.contributions, amounts.won, pot_receipts.NOT_RECORDED),
        side_pots.arrange_in_rows(pots.contributions, amounts.returned_stakes, pot_receipts.NOT_RECORDED),
        side_pots.arrange_in_rows(pots.contributions, amounts.total, pot_receipts.NOT_RECORDED),
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
    own = side_pots.arrange_uncalled_bets(scope, pots.contributions, pots.uncalled_bets)
    own += side_pots.chips_of_folded_seats(scope)
    undue = np.maximum(pot_receipts.received_chips(scope).returned_stakes - own, 0)
    return side_pots.arrange_in_rows(pots.contributions, np.where(side_pots.is_refunded(scope), 0, undue), 0)


@cached_fact
def check_shares(scope: EvaluationContext) -> Truths:
    """Return whether each row received its share of the pots, under any of the possible divisions.

    Returns:
        uint8[S, H].
    """
    holds = np.maximum.reduce(
        [
            pot_receipts.is_share_right(due, credit, unrecorded_rake=_bound_hidden_rake(scope, due, credit))
            for due, credit in _credit_by_division(scope)
        ]
    )
    return np.where(pot_shares.find_excess_of_named_pots(scope) > 0, np.uint8(kleene.NO), holds)


def _bound_hidden_rake(scope: EvaluationContext, due: PotDue, credit: pot_receipts.CreditedChips) -> Ints:
    """Return the most that a rake hidden by a seat's excess may have reduced the shares of others.

    An unrecorded rake is inferred from chips that came back to nobody. If seats received more than was put in, chips
    from elsewhere hide it.

    Returns:
        int64[H], in minor units.
    """
    hidden = pot_receipts.is_rake_hidden(scope)
    if not hidden.any():
        return np.zeros(len(hidden), np.int64)
    won = np.where(credit.won == pot_receipts.NOT_RECORDED, 0, credit.won - credit.uncertain_part)
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


_NOT_OF_THE_STACK = tuple(MEANS.index(means) for means in ("coupon", "cash", "words"))
"""Means of placing a wager without chips from the stack."""


def bound_chips_left(scope: EvaluationContext) -> Bounds:
    """Return the least and the most chips that each seat may have at the end of the round.

    Bounds are `UNBOUNDED` if the record sets none: it has no stacks at the start, it is truncated, or the game also
    settles wagers against the house. The stacks of a record without awards follow from the play, so that unrecorded
    chip movements do not explain them.

    Returns:
        int64[seats] each.
    """
    seats = scope.batch.seats
    put, start = sum_staked(scope, "this-seat"), seats.stack
    recorded = (start != ABSENT) & scope.batch.complete[seats.round]
    if scope.compiled_game.game.settlement.order:
        recorded &= False
    won, back = pot_receipts.sum_events_per_seat(scope, "award"), pot_receipts.sum_events_per_seat(scope, "return")
    won = np.where((won == pot_receipts.NOT_RECORDED) & (seats.won != ABSENT), seats.won, won)
    wagers, payments = events_of_kinds(scope, ("wager",)), events_of_kinds(scope, ("pay",))
    not_of_the_stack = wagers[is_one_of(scope.batch.events.means[wagers], _NOT_OF_THE_STACK)]
    least = start - put
    most = least + side_pots.sum_amounts(scope, "seat", np.append(not_of_the_stack, payments))
    # An unrecorded return is between nothing and the most that may be returned.
    least = (
        least
        + np.where(won == pot_receipts.NOT_RECORDED, 0, won)
        + np.where(back == pot_receipts.NOT_RECORDED, 0, back)
    )
    most = (
        most
        + np.where(won == pot_receipts.NOT_RECORDED, UNBOUNDED, won)
        + np.where(back == pot_receipts.NOT_RECORDED, pot_receipts.find_most_returnable(scope), back)
    )
    added, removed = collect_chip_movement(scope, "added"), collect_chip_movement(scope, "removed")
    unsaid = np.where(pot_receipts.is_explained_by_play(scope), 0, UNBOUNDED)
    # Chips that are added or removed during a round may be kept separate until its end.
    most = most + np.where(added.is_recorded, added.during_play, unsaid)
    least = least - np.where(removed.is_recorded, removed.during_play, unsaid)
    return clip_to_unbounded(np.where(recorded, least, -UNBOUNDED)), clip_to_unbounded(
        np.where(recorded, most, UNBOUNDED)
    )
