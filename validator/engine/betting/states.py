"""Snapshots of the betting before every action, and its final state."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints16


class BettingSnapshots(Struct, frozen=True, kw_only=True):
    """Betting state just before each action, followed by one entry for the end of each round.

    All arrays are parallel, in the order of `BettingActions`.
    """

    seat_to_act: Ints8
    """Row of the seat that must act next; ABSENT if the betting round is complete."""
    only_skipped_left: Flags
    """True if all seats still to act were skipped and owe no chips."""
    is_late_action: Flags
    """True if the seat of the action was skipped and may still act."""
    current_bet: Ints
    """Bet to be met."""
    committed: Ints
    """Chips that the seat of the action has put in during the betting round."""
    stack_left: Ints
    """Chips that the seat of the action has left."""
    last_raise: Ints
    """Size of the last full bet or raise."""
    pot: Ints
    """Chips put in by all seats."""
    players_in: Bits32
    """Seats that have neither folded nor conceded, as masks."""
    voluntary_count: Ints8
    """Number of seats that have put chips in voluntarily."""
    still_in: Flags
    """True if the seat of the action is still in."""
    may_raise: Flags
    """True if the betting is open to a raise by the seat of the action."""
    has_acted: Flags
    """True if the seat of the action has acted in the betting round."""
    has_checked: Flags
    """True if the seat of the action has checked in the betting round."""
    is_option_owed: Flags
    """True if a forced bettor must still act in the first betting round."""
    is_option_moot: Flags
    """True if the seat of the action posted a forced bet and need not act: nobody raised, and nobody else has chips."""
    can_bet_continue: Flags
    """True if at least two players still have chips."""
    street: Ints8
    """Index of the betting round."""
    raise_count: Ints16
    """Number of raises in the betting round."""
    out_of_order: Flags
    """True if the action put chips in when none was permitted, or called ahead of the turn an amount that became the
    bet.
    """
    is_turn_uncertain: Flags
    """True if a bet came from a seat whose turn is unknown, so that it may have been no bet."""

    @classmethod
    def allocate(cls, length: int) -> BettingSnapshots:
        """Allocate snapshots, to be filled in."""
        return cls(
            seat_to_act=np.full(length, ABSENT, np.int8),
            only_skipped_left=np.zeros(length, bool),
            is_late_action=np.zeros(length, bool),
            current_bet=np.zeros(length, np.int64),
            committed=np.zeros(length, np.int64),
            stack_left=np.zeros(length, np.int64),
            last_raise=np.zeros(length, np.int64),
            pot=np.zeros(length, np.int64),
            players_in=np.zeros(length, np.uint32),
            voluntary_count=np.zeros(length, np.int8),
            still_in=np.zeros(length, bool),
            may_raise=np.zeros(length, bool),
            has_acted=np.zeros(length, bool),
            has_checked=np.zeros(length, bool),
            is_option_owed=np.zeros(length, bool),
            is_option_moot=np.zeros(length, bool),
            can_bet_continue=np.zeros(length, bool),
            street=np.zeros(length, np.int8),
            raise_count=np.zeros(length, np.int16),
            out_of_order=np.zeros(length, bool),
            is_turn_uncertain=np.zeros(length, bool),
        )


class FinalBettingState(Struct, frozen=True, kw_only=True):
    """State at the end of each of H rounds."""

    players_in: Bits32
    """Seats that had neither folded nor conceded, as masks."""
    conceded: Bits32
    """Seats that conceded, as masks."""
    last_bettor: Ints8
    """Row of the last bet or raise in the last betting round in which anybody could act; ABSENT if there is none."""
    last_bettor_of_hand: Ints8
    """Row of the last bet or raise in the hand; ABSENT if there is none."""
