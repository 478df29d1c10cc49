"""Chips that players had put in at the end of the betting, from which pots are made."""

from msgspec import Struct

from validator.arrays import Bits32, Flags, Ints, Ints8, Ints32


class Contributions(Struct, frozen=True, kw_only=True):
    """Contributions at the end of the betting of H rounds. S is the most seats of any round (at most 32).

    Rows are seats clockwise from the button: row 0 is the first seat dealt in to the left of the button. Bit i of a
    mask is the seat of row i. A round has as many rows as seats dealt in; below them `seats` is -1 and every amount is
    0.
    """

    seats: Ints32
    """Seat of each row, [S, H]; -1 if there is none."""
    matched: Ints
    """Minor units on lines that are matched seat by seat, [S, H]; an unmatched part is an uncalled bet."""
    capped: Ints
    """Minor units on lines with their own levels, [S, H]; no part of these is uncalled."""
    whole: Ints
    """Minor units on lines that join the main pot in full, [S, H]."""
    dealt_in: Bits32
    """Seats that took part, [H]."""
    remaining: Bits32
    """Seats that had neither folded nor conceded at the end of the round, [H]."""
    conceded: Bits32
    """Seats that conceded their hands, [H]."""
    is_known: Flags
    """True if the record shows all of this, [H]; if false, the other fields mean nothing for the round."""
    last_bettor: Ints8
    """Row of the last bet or raise in the last betting round in which anybody could act, [H]; -1 if there is none."""
