"""Replay of the betting: regular rounds many at once, all others one by one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, find_true
from fairdeal.validator.engine.betting import betting_snapshots
from fairdeal.validator.engine.betting.plain_betting import PlainAction, PlainBetting, PlainSnapshot
from fairdeal.validator.engine.betting.regular_betting import NOBODY, RegularBetting
from fairdeal.validator.engine.facts.seat_layout import mask_of_seat


def play_actions(
    acts: betting_snapshots.BettingActions, terms: betting_snapshots.BettingTerms, *, may_break_order: bool = True
) -> tuple[betting_snapshots.BettingSnapshots, betting_snapshots.FinalBettingState]:
    """Replay the actions.

    Args:
        acts: actions of H rounds.
        terms: terms of the same rounds.
        may_break_order: if False, the states of a round are right only up to the first action that breaks the order.

    Returns:
        The snapshots before every action, and the final state of each round.
    """
    play = replay_in_columns(acts, terms)
    replay_one_by_one(play, acts, play.is_irregular if may_break_order else play.is_irregular & ~play.breaks_order)
    return play.snapshots.derive_snapshots(*acts.describe_entries()), betting_snapshots.FinalBettingState(
        players_in=play.players_in,
        conceded=play.has_conceded,
        last_bettor=play.last_bettor,
        last_bettor_of_hand=play.last_bettor_of_hand,
    )


def replay_in_columns(acts: betting_snapshots.BettingActions, terms: betting_snapshots.BettingTerms) -> RegularBetting:
    """Replay the k-th action of all rounds at once; the result is right for rounds without an irregularity."""
    play = RegularBetting(terms, len(acts.events))
    rounds, step_numbers = len(acts.round_order), acts.number_steps()
    bits = mask_of_seat(acts.row)
    cells = np.maximum(acts.row, 0).astype(np.int64) * rounds + acts.number_rounds()
    mucks, effects, streets = (
        np.bincount(step_numbers, chosen, len(acts.step_starts) - 1).tolist()
        for chosen in (
            acts.op == betting_snapshots.MUCK,
            acts.op != betting_snapshots.OTHER,
            acts.op >= betting_snapshots.STREET,
        )
    )
    for number, (start, end) in enumerate(pairwise(acts.step_starts.tolist())):
        now = slice(start, end)
        step = betting_snapshots.StepActions(
            op=acts.op[now],
            row=acts.row[now],
            bit=bits[now],
            cell=cells[now],
            amount=acts.amount[now],
            minimum_bet=acts.minimum_bet[now],
        )
        due = play.take_snapshots(now, step.row, step.bit, step)
        if mucks[number]:
            step = play.take_mucked_hands(step, due)
        if effects[number]:  # all other actions change nothing
            play.apply_actions(step, due)
        if streets[number]:
            play.apply_cards(step, due)
    ends = slice(len(acts.events), len(acts.events) + rounds)
    play.take_snapshots(ends, np.full(rounds, ABSENT, np.int8), np.full(rounds, NOBODY))
    return play


def replay_one_by_one(play: RegularBetting, acts: betting_snapshots.BettingActions, chosen: Flags) -> None:
    """Replay some rounds one by one, and put their states in place of those of the columns.

    Args:
        chosen: bool[H], the rounds.
    """
    entries: list[int] = []
    states: list[PlainSnapshot] = []
    for number in find_true(chosen).tolist():
        own = acts.list_entries(number)
        columns = (acts.op, acts.row, acts.amount, acts.minimum_bet)
        actions = [PlainAction(*action) for action in zip(*(column[own].tolist() for column in columns), strict=True)]
        betting = PlainBetting(play.terms, number)
        states += betting.replay(actions)
        entries += [*own.tolist(), len(acts.events) + number]
        play.players_in[number], play.has_conceded[number] = betting.players_in, betting.has_conceded
        play.last_bettor[number], play.last_bettor_of_hand[number] = betting.last_bettor, betting.last_bettor_of_hand
    if states:
        play.snapshots.store(np.array(entries), states)
