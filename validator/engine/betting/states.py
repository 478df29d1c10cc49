"""The state of the betting just before every act, and when it is over."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints16


class States(Struct, frozen=True, kw_only=True):
    """One entry an act, in the order of `Acts`, then one a round for its end.

    `due` is the row that is to act, ABSENT where the betting round is complete; `skipped` whether all who are still to
    act were passed over and owe no chips; `late` whether the seat of the act was
    passed over, and may act all the same; `level` the bet to be met; `put`
    what the seat of the act has in this betting round; `behind` its chips; `last_raise` by how much the last full bet
    or raise exceeded the one before; `pot` all that was put in. `players` are the seats neither folded nor conceded,
    `voluntary` those that put in chips of their own will in the round of play. `still_in`, `may_raise`, `acted` (in
    this betting round), `checked` are of the seat of the act, and so is `moot`: it posted a forced bet and has not
    acted, nobody having raised, and nobody else has chips to act with. `option` is whether a forced bettor's own act
    is still owed in the first betting round; `able` whether two seats or more still in have chips left. `street` is
    which betting round it is; `raises` how many it has had. `out_of_order` is of acts that put in chips where none was
    open to the seat, and of calls ahead of the turn by as much as the table then takes for the bet. `unsure` is where
    somebody put in beyond the bet of whom it is not known whether the turn was there: that may have been no bet.
    """

    due: Ints8
    skipped: Flags
    late: Flags
    level: Ints
    put: Ints
    behind: Ints
    last_raise: Ints
    pot: Ints
    players: Bits32
    voluntary: Ints8
    still_in: Flags
    may_raise: Flags
    acted: Flags
    checked: Flags
    option: Flags
    moot: Flags
    able: Flags
    street: Ints8
    raises: Ints16
    out_of_order: Flags
    unsure: Flags

    @classmethod
    def empty(cls, length: int) -> States:
        """So many entries, to be filled in."""
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
    """The end of H rounds: who was left, who conceded, who bet last in the last betting round in which anybody could
    act and in the whole round of play (ABSENT where nobody did)."""

    players: Bits32
    conceded: Bits32
    last_bettor: Ints8
    last_bettor_of_all: Ints8
