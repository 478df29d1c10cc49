"""Snapshots of the betting before every action, and its final state."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints16


class States(Struct, frozen=True, kw_only=True):
    """Betting state just before each action, followed by one entry for the end of each round.

    All arrays are parallel, in the order of `BettingActions`.
    """

    due: Ints8
    """Row of the seat that must act next; ABSENT if the betting round is complete."""
    skipped: Flags
    """True if all seats still to act were skipped and owe no chips."""
    late: Flags
    """True if the seat of the action was skipped and may still act."""
    level: Ints
    """Bet to be met."""
    put: Ints
    """Chips that the seat of the action has put in during the betting round."""
    behind: Ints
    """Chips that the seat of the action has left."""
    last_raise: Ints
    """Size of the last full bet or raise."""
    pot: Ints
    """Chips put in by all seats."""
    players: Bits32
    """Seats that have neither folded nor conceded, as masks."""
    voluntary: Ints8
    """Number of seats that have put chips in voluntarily."""
    still_in: Flags
    """True if the seat of the action is still in."""
    may_raise: Flags
    """True if the betting is open to a raise by the seat of the action."""
    acted: Flags
    """True if the seat of the action has acted in the betting round."""
    checked: Flags
    """True if the seat of the action has checked in the betting round."""
    option: Flags
    """True if a forced bettor must still act in the first betting round."""
    moot: Flags
    """True if the seat of the action posted a forced bet and need not act: nobody raised, and nobody else has chips."""
    able: Flags
    """True if at least two players still have chips."""
    street: Ints8
    """Index of the betting round."""
    raises: Ints16
    """Number of raises in the betting round."""
    out_of_order: Flags
    """True if the action put chips in when none was permitted, or called ahead of the turn an amount that became the
    bet.
    """
    unsure: Flags
    """True if a bet came from a seat whose turn is unknown, so that it may have been no bet."""

    @classmethod
    def empty(cls, length: int) -> States:
        """Allocate snapshots, to be filled in."""
        return cls(
            due=np.full(length, ABSENT, np.int8),
            skipped=np.zeros(length, bool),
            late=np.zeros(length, bool),
            level=np.zeros(length, np.int64),
            put=np.zeros(length, np.int64),
            behind=np.zeros(length, np.int64),
            last_raise=np.zeros(length, np.int64),
            pot=np.zeros(length, np.int64),
            players=np.zeros(length, np.uint32),
            voluntary=np.zeros(length, np.int8),
            still_in=np.zeros(length, bool),
            may_raise=np.zeros(length, bool),
            acted=np.zeros(length, bool),
            checked=np.zeros(length, bool),
            option=np.zeros(length, bool),
            moot=np.zeros(length, bool),
            able=np.zeros(length, bool),
            street=np.zeros(length, np.int8),
            raises=np.zeros(length, np.int16),
            out_of_order=np.zeros(length, bool),
            unsure=np.zeros(length, bool),
        )


class Over(Struct, frozen=True, kw_only=True):
    """State at the end of each of H rounds."""

    players: Bits32
    """Seats that had neither folded nor conceded, as masks."""
    conceded: Bits32
    """Seats that conceded, as masks."""
    last_bettor: Ints8
    """Row of the last bet or raise in the last betting round in which anybody could act; ABSENT if there is none."""
    last_bettor_of_all: Ints8
    """Row of the last bet or raise in the hand; ABSENT if there is none."""
