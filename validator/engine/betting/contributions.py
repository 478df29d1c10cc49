"""What the players had put in when the betting of a round was over: what pots are made of."""

from msgspec import Struct

from validator.arrays import Bits32, Flags, Ints, Ints8, Ints32


class Contributed(Struct, frozen=True, kw_only=True):
    """The end of the betting of H rounds, S being the most seats of any of them (at most 32).

    Rows are seats clockwise from the button: row 0 is the first seat dealt in to the left of the button. Bit i of a
    mask is the seat of row i. A round has as many rows as seats dealt in; below them `seats` is -1 and every amount is
    0.
    """

    seats: Ints32
    """[S, H] The seat's index in the columns of the batch; -1 where the round has no such seat."""
    matched: Ints
    """[S, H] Minor units put in on lines that are matched seat by seat: what nobody else matched is uncalled."""
    capped: Ints
    """[S, H] Minor units put in on lines cut at their own levels, of which nothing is uncalled."""
    whole: Ints
    """[S, H] Minor units put in on lines that join the main pot whole, whatever others put in."""
    dealt_in: Bits32
    """[H] The seats that took part."""
    remaining: Bits32
    """[H] The seats that had neither folded nor conceded when the round was over."""
    conceded: Bits32
    """[H] The seats that conceded their hands."""
    known: Flags
    """[H] Whether the record shows all of this: where it does not, nothing else here says anything of the round."""
    last_bettor: Ints8
    """[H] Row of the last to bet or raise in the last betting round in which anybody could act; -1 where nobody did."""
