"""Contributions of players, cut into pots: the rows that can win each, and uncalled bets.

A seat can win from each other seat only what it put in itself, so contributions are cut at the amounts of the
contending seats. Layers that the same seats can win form one pot. The pot that most seats can win is the main pot.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, are_all, find_true, has_any, number_items
from fairdeal.validator.cards.card_codes import sort_in_place
from fairdeal.validator.engine.betting import betting_replay
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact, select_first_case
from fairdeal.validator.engine.core.kleene import YES
from fairdeal.validator.engine.facts.seat_layout import seat_layout
from fairdeal.validator.engine.timeline.step_events import events_of_kinds
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.rules.betting_model import Joins, PotPart


class UncalledBets(Struct, frozen=True, kw_only=True):
    """Uncalled bets."""

    amount: Ints
    """Amount in minor units, int64[H]; 0 if there is none."""
    row: Ints8
    """Row of the owner, int8[H]; -1 if there is none."""


class LayeredPots(Struct, frozen=True, kw_only=True):
    """Pots of H rounds, by round and number, each of more than 0 minor units."""

    round: Ints
    """Round of each pot, int64[P]."""
    number: Ints
    """Number of each pot, int64[P]: 0 for the main pot, 1, 2, … for side pots."""
    amount: Ints
    """Amount of each pot, int64[P]."""
    eligible: Bits32
    """Rows that can win each pot, as masks, uint32[P]."""
    count: Ints
    """Number of pots of each round, int64[H]."""

    @property
    def is_contested(self) -> Flags:
        """Return whether several rows can win each pot, bool[P]."""
        return self.eligible & (self.eligible - np.uint32(1)) != 0

    @classmethod
    def build(cls, rounds: int, round_: Ints, amount: Ints, eligible: Bits32) -> LayeredPots:
        """Number the pots of rounds; their columns are in the order of the rounds."""
        count = np.bincount(round_, minlength=rounds)
        return cls(round=round_, number=number_items(count), amount=amount, eligible=eligible, count=count)


def find_uncalled_bets(matched: Ints) -> UncalledBets:
    """Find the uncalled bets: by how much the largest amount of each round exceeds the next one.

    Args:
        matched: int64[S, H], the amounts, folded seats included.
    """
    hands = matched.shape[1]
    largest, second = np.zeros(hands, np.int64), np.zeros(hands, np.int64)
    owner = np.full(hands, -1, np.int8)
    for row, amount in enumerate(matched):
        np.maximum(second, np.minimum(largest, amount), out=second)
        owner[amount > largest] = row
        np.maximum(largest, amount, out=largest)
    amount = largest - second
    return UncalledBets(amount=amount, row=np.where(amount > 0, owner, np.int8(-1)))


def arrange_uncalled_bets(scope: EvaluationContext, put: betting_replay.Contributions, uncalled: UncalledBets) -> Ints:
    """Return the uncalled bet of each seat, int64[seats]; 0 if there is none."""
    result, rounds = np.zeros(scope.count_items("seat"), np.int64), find_true(uncalled.amount)
    result[put.seats[uncalled.row[rounds], rounds]] = uncalled.amount[rounds]
    return result


def expand_masks(masks: Bits32, rows: int) -> Flags:
    """Return which bits are set in each mask.

    Returns:
        bool[rows, n].
    """
    return ((masks >> np.arange(rows, dtype=np.uint32)[:, None]) & np.uint32(1)) != 0


def cut_into_pots(
    put_in: betting_replay.Contributions, contenders: Bits32, uncalled: UncalledBets, conceded: Bits32 | None = None
) -> LayeredPots:
    """Cut contributions into pots, uncalled bets left out.

    Chips of others above all levels belong to the last layer, or to the main pot if no contender has any.

    Args:
        contenders: uint32[H], rows that neither folded nor gave up; without any, nobody can win the pots.
        conceded: uint32[H], rows that gave up the pots cut so far; pots are also cut at their contributions.
    """
    rows, hands = put_in.matched.shape
    stayed = contenders if conceded is None else contenders | conceded
    contend = expand_masks(stayed, rows)
    matched = put_in.matched.copy()
    owned = find_true(uncalled.amount)
    matched[uncalled.row[owned], owned] -= uncalled.amount[owned]
    cut = [_cut_at_levels(put_in.capped, contend), _cut_at_levels(matched, contend)]
    total = put_in.whole.sum(axis=0) + sum(layer.rest for layer in cut)
    staked = _pack_mask((put_in.matched + put_in.capped + put_in.whole > 0) & contend)
    # A seat that put in nothing wins what others abandoned, and what one placed for all.
    has_bets = (put_in.matched + put_in.capped > 0).any(axis=0)
    anybody = np.where((staked != 0) & has_bets, staked, stayed)
    whole = _Layers(hand=np.arange(hands), amount=total, eligible=anybody, rest=total)
    pots = _merge_layers([whole, *cut], hands)
    return pots if conceded is None else _reassign_conceded(pots, contenders)


def _reassign_conceded(pots: LayeredPots, contenders: Bits32) -> LayeredPots:
    """Reassign pots that some rows conceded. A pot without a winner joins the pot before it, or else the next one."""
    eligible = pots.eligible & contenders[pots.round]
    kept = find_true(eligible)
    if not len(kept):
        return pots
    places = np.arange(len(eligible))
    before = np.searchsorted(kept, places, side="right") - 1
    after = np.minimum(np.searchsorted(kept, places), len(kept) - 1)
    into = np.where((before >= 0) & (pots.round[kept[before]] == pots.round), before, after)
    own = find_true(pots.round[kept[into]] == pots.round)
    amount = np.zeros(len(kept), np.int64)
    np.add.at(amount, into[own], pots.amount[own])
    return LayeredPots.build(len(pots.count), pots.round[kept], amount, eligible[kept])


class _Layers(Struct, frozen=True, kw_only=True):
    """Layers of contributions."""

    hand: Ints
    """Round of each layer, int64[n]."""
    amount: Ints
    """Amount of each layer, int64[n]."""
    eligible: Bits32
    """Rows that can win each layer, uint32[n]."""
    rest: Ints
    """Chips in no layer, int64[H]."""


def _pack_mask(flags: Flags) -> Bits32:
    """Return the flags of each column, as masks."""
    result = np.zeros(flags.shape[1], np.uint32)
    for row, flag in enumerate(flags):
        result |= flag.astype(np.uint32) << np.uint32(row)
    return result


def _cut_at_levels(amounts: Ints, contend: Flags) -> _Layers:
    """Cut amounts at the levels of the contending rows."""
    levels = np.where(contend, amounts, 0)
    sort_in_place(levels)
    reached = np.zeros(amounts.shape[1], np.int64)
    nothing = np.zeros(0, np.int64)
    parts: list[tuple[Ints, Ints, Bits32]] = [(nothing, nothing, nothing.astype(np.uint32))]
    last = np.full(amounts.shape[1], -1, np.int64)
    rest = amounts.sum(axis=0)
    count = 0
    for level in levels:
        # Contenders mostly put in equal amounts, so most rounds have one level only.
        here = find_true(level > reached)
        if not len(here):
            continue
        put, up_to, from_ = amounts[:, here], level[here], reached[here]
        layer = (np.minimum(put, up_to) - np.minimum(put, from_)).sum(axis=0)
        parts.append((here, layer, _pack_mask(contend[:, here] & (put >= up_to))))
        rest[here] -= layer
        reached[here] = up_to
        last[here] = count + np.arange(len(here))
        count += len(here)
    hand, amount, eligible = (np.concatenate([part[at] for part in parts]) for at in range(3))
    above = find_true((rest > 0) & (last >= 0))
    amount[last[above]] += rest[above]
    rest[above] = 0
    return _Layers(hand=hand, amount=amount, eligible=eligible, rest=rest)


def _merge_layers(cuts: list[_Layers], hands: int) -> LayeredPots:
    """Merge the layers that the same rows can win, and sort them by the number of these rows, descending."""
    hand = np.concatenate([cut.hand for cut in cuts])
    amount = np.concatenate([cut.amount for cut in cuts])
    eligible = np.concatenate([cut.eligible for cut in cuts])
    some = amount > 0
    hand, amount, eligible = hand[some], amount[some], eligible[some]
    # The key sorts by round, then from many rows to few.
    few = np.uint64(32) - np.bitwise_count(eligible)
    key = (hand.astype(np.uint64) << np.uint64(38)) | (few << np.uint64(32)) | eligible.astype(np.uint64)
    keys, pot = np.unique(key, return_inverse=True)
    total = np.zeros(len(keys), np.int64)
    np.add.at(total, pot, amount)
    return LayeredPots.build(
        hands,
        (keys >> np.uint64(38)).astype(np.int64),
        total,
        (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32),
    )


@cached_fact
def pot_contributions(scope: EvaluationContext) -> betting_replay.Contributions:
    """Return what each seat had put in at the end of the betting, by how its lines join the pots.

    Other chips of folded seats that were not returned belong to the main pot and earn no share.
    """
    ended, others = _contributions_by_actions(scope), chips_of_folded_seats(scope)
    if not has_any(others):
        return ended
    left = others - sum_amounts(scope, "seat", events_of_kinds(scope, ("return",)))
    whole, rounds = ended.whole.copy(), np.arange(ended.whole.shape[1])
    # These chips are added to a row that has also put in other chips.
    whole[(ended.matched + ended.capped + whole).argmax(axis=0), rounds] += sum_per_round(scope, np.maximum(left, 0))
    return replace(ended, whole=whole)


@cached_fact
def chips_of_folded_seats(scope: EvaluationContext) -> Ints:
    """Return the chips that folded or absent seats put in by events other than their betting actions.

    Returns:
        int64[seats].
    """
    ended, events = _contributions_by_actions(scope), scope.batch.events
    recorded = events_of_kinds(scope, ("wager", "decide"))
    result = np.minimum(sum_amounts(scope, "seat", recorded[~events.tip[recorded]]), staked_in_pots(scope))
    there, stay = ended.seats >= 0, expand_masks(ended.remaining | ended.conceded, len(ended.seats))
    result[ended.seats[there]] -= (ended.matched + ended.capped + ended.whole)[there]
    result[ended.seats[there & stay]] = 0
    return np.maximum(result, 0)


def has_single_pot_before(scope: EvaluationContext, event: int, players_in: int) -> bool:
    """Return whether the chips before an event of the only round surely form one pot without an uncalled bet.

    That is so if all players left put in equally much, and nobody put in more. Any other round needs its pots.

    Args:
        scope: context of a single round.
        event: index of the event; the number of events includes all.
        players_in: rows of the players left, as a mask.
    """
    back = events_of_kinds(scope, ("return",))
    if (
        players_in.bit_count() < 2
        or len(betting_replay.replay_betting(scope).misplaced_events)
        or has_any(back < event)
    ):
        return False
    joins = {line: code for line, (code, _) in _find_joinings(scope).items()}
    matched, capped, _ = betting_replay.sum_chips_by_row(scope, joins, event)[:, :, 0]
    is_left = expand_masks(np.array([players_in], np.uint32), len(matched))[:, 0]
    return all(are_all(amounts[is_left] == amounts.max()) for amounts in (matched, capped))


@cached_fact
def _find_joinings(scope: EvaluationContext) -> Mapping[str, tuple[Ints8, Flags]]:
    return {line: _find_joining(scope, line) for line in sorted(scope.compiled_game.pots.lines)}


@cached_fact
def _contributions_by_actions(scope: EvaluationContext) -> betting_replay.Contributions:
    joinings = _find_joinings(scope)
    known = np.logical_and.reduce([known for _, known in joinings.values()])
    ended = betting_replay.collect_contributions(scope, {line: code for line, (code, _) in joinings.items()})
    # The turn and the stacks do not matter once the betting is over.
    return replace(
        ended, is_known=betting_replay.replay_betting(scope).is_fully_known & seat_layout(scope).is_order_known & known
    )


@cached_fact
def is_refunded(scope: EvaluationContext) -> Flags:
    """Return the seats that surely got back all they had put in, so that none of it is in a pot.

    Returns:
        bool[seats].
    """
    rule = scope.compiled_game.pots.refunded
    if rule is None:
        return np.zeros(scope.count_items("seat"), bool)
    return scope.evaluate(rule, "seat") == YES


@cached_fact
def find_all_in_rows(scope: EvaluationContext) -> Bits32:
    """Return the rows that put in all their chips, as masks.

    Returns:
        uint32[H].
    """
    put, seats = pot_contributions(scope), scope.batch.seats
    is_all_in = (seats.stack != ABSENT) & (staked_in_pots(scope) >= seats.stack)
    return _pack_mask(arrange_in_rows(put, is_all_in.astype(np.int64), 0) > 0)


def contributions_after_refunds(scope: EvaluationContext) -> betting_replay.Contributions:
    """Return the contributions without those of seats whose lost hands were refunded."""
    put, back = pot_contributions(scope), is_refunded(scope)
    if not has_any(back):
        return put
    removed = (put.seats >= 0) & back[put.seats]
    return replace(put, **{name: np.where(removed, 0, getattr(put, name)) for name in ("matched", "capped", "whole")})


def _find_joining(scope: EvaluationContext, line: str) -> tuple[Ints8, Flags]:
    """Return how a line joins the pots, as an index of `JOIN_WAYS`, and whether this is known or does not matter.

    Returns:
        int8[rounds]; bool[rounds].
    """
    cases = [part for part in scope.compiled_game.pots.parts if line in part.lines]
    rounds = scope.count_items("round")
    every = np.ones(rounds, bool)

    def value(part: PotPart) -> tuple[Ints8, Flags]:
        joins: Joins = part.joins
        return np.full(rounds, betting_replay.JOIN_WAYS.index(joins), np.int8), every

    code, known = select_first_case(scope, cases, value, np.full(rounds, ABSENT, np.int8))
    staked = np.zeros(rounds, bool)
    staked[scope.batch.seats.round[scope.staked_amounts(line, tip=False) > 0]] = True
    return code, (known & (code != ABSENT)) | ~staked


@cached_fact
def staked_in_pots(scope: EvaluationContext) -> Ints:
    """Return what each seat put in on all lines that join the pots.

    Returns:
        int64[seats], in minor units.
    """
    lines = sorted(scope.compiled_game.pots.lines)
    return np.sum([scope.staked_amounts(line, tip=False) for line in lines], axis=0, dtype=np.int64)


def sum_per_round(scope: EvaluationContext, values: Ints) -> Ints:
    """Return the sum of values of seats over the seats of each round.

    Returns:
        int64[rounds].
    """
    running = np.concatenate([[0], np.cumsum(values)])
    return np.diff(running.take(scope.batch.seats.offsets))


def sum_amounts(scope: EvaluationContext, grain: Grain, chosen: Ints) -> Ints:
    """Return the sum of the amounts of some events at each seat, or in each round.

    Args:
        grain: `seat` or `round`.
        chosen: the events; those without an amount, or without a seat, add nothing.

    Returns:
        int64[seats] or int64[rounds].
    """
    events = scope.batch.events
    owner = events.seat if grain == "seat" else events.round
    result = np.zeros(scope.count_items(grain) + 1, np.int64)  # the last entry is for no seat
    np.add.at(result, owner[chosen], np.maximum(events.amount[chosen], 0))
    return result[:-1]


def arrange_in_rows(put: betting_replay.Contributions, values: Ints, otherwise: int) -> Ints:
    """Arrange values of seats by row; `otherwise` where a round has no such row.

    Returns:
        int64[S, H].
    """
    there = put.seats >= 0
    if not len(values):
        return np.full(put.seats.shape, otherwise, np.int64)
    return np.where(there, values[np.where(there, put.seats, 0)], otherwise)
