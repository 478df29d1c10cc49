"""Division of one pot: by boards, by the hands that win shares, and among equal hands.

This is the specification of every pot. `split_pots` divides pots with one winner in columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

NO_AMOUNT = -1
"""Amount that is unknown, or that no rule sets."""


class Chip(NamedTuple):
    """Smallest chip in the division of a pot."""

    largest: int
    """Largest possible chip, a multiple of the chip."""
    unit: int | None
    """Minor units; None if the chip, or the seat that gets odd chips, is unknown."""
    left_over: Literal["each", "all", "any"]
    """Odd chips: equal hands get one chip `each`, one of them may get `all`, or `any` of them may get the remainder.

    With `any`, they share in chips of exactly the largest possible size.
    """


class RakedPot(NamedTuple):
    """Amount of a pot after the rake."""

    least: int
    """Least possible amount."""
    most: int
    """Largest possible amount."""
    by_rule: int
    """Amount if the rake is taken by the rule of the game."""
    is_rake_known: bool
    """True if the rake is known."""


class SeatShare(NamedTuple):
    """Amount that a seat is due."""

    least: int
    """Least amount due."""
    most: int
    """Largest amount due."""
    by_rule: int
    """Amount by the game's rule for odd chips; NO_AMOUNT if unknown or there is no rule."""
    equal_split: int
    """Amount of an exactly equal split; NO_AMOUNT if unknown or impossible."""


class ComparedHands(NamedTuple):
    """Hands that are compared for a share of a pot."""

    strength: Mapping[int, int]
    """Strength of each row that can win the pot, in the order of the rows; negative if unknown."""
    lowest_winning: int
    """Lowest strength that can win."""

    def find_winners(self) -> list[int]:
        """Return the rows with the best hand, and rows that may have it."""
        best = max(self.strength.values(), default=-1)
        wins = best >= max(self.lowest_winning, 0)
        return [row for row, strength in self.strength.items() if strength < 0 or (wins and strength == best)]


def take_board_part(pot: RakedPot, chip: Chip, boards: int, number: int) -> RakedPot:
    """Return the part of a pot that a board wins, counted from 0; a board beyond the number of boards wins nothing."""
    if number >= boards:
        return RakedPot(0, 0, 0, is_rake_known=True)
    if boards == 1:
        return pot
    if chip.unit is None:
        by_rule, is_exact = pot.by_rule // boards, pot.by_rule % (boards * chip.largest) == 0
        # An indivisible remainder may all go to one board.
        least = pot.least // boards // chip.largest * chip.largest
        most = pot.most - (boards - 1) * least
    else:
        by_rule, is_exact = _take_part(pot.by_rule, boards, number, chip.unit), True
        least = pot.least // boards // chip.unit * chip.unit
        most = min(pot.most, -(-pot.most // boards) + chip.unit)
    if pot.is_rake_known and is_exact:
        return RakedPot(by_rule, by_rule, by_rule, is_rake_known=True)
    return RakedPot(least, most, by_rule, is_rake_known=False)


def divide_pot(pot: RakedPot, contests: Sequence[ComparedHands], chip: Chip) -> dict[int, SeatShare]:
    """Return what each row that wins or may win a pot is due.

    Every contest that somebody can win gets an equal part of a pot, the first one also the remainder. Equal hands share
    evenly.
    """
    by_rule = pot.by_rule if pot.is_rake_known else NO_AMOUNT
    eligible = contests[0].strength
    if len(eligible) == 1:
        return dict.fromkeys(eligible, SeatShare(pot.least, pot.most, by_rule, by_rule))
    won = [rows for rows in (contest.find_winners() for contest in contests) if rows]
    if any(strength < 0 for contest in contests for strength in contest.strength.values()):
        return {row: SeatShare(0, pot.most, NO_AMOUNT, NO_AMOUNT) for rows in won for row in rows}
    if not won:
        return {}
    shares = [
        dict(zip(rows, _share_part(pot, by_rule, chip, len(won), part, len(rows)), strict=True))
        for part, rows in enumerate(won)
    ]
    return shares[0] if len(shares) == 1 else _add_shares(shares, pot.most)


def _add_shares(shares: Sequence[Mapping[int, SeatShare]], most: int) -> dict[int, SeatShare]:
    """Add what each row is due of several parts of a pot. A row that wins several parts wins at most the pot."""
    has_rule = all(share.by_rule >= 0 for part in shares for share in part.values())
    is_equal = all(share.equal_split >= 0 for part in shares for share in part.values())
    result: dict[int, SeatShare] = {}
    for row in sorted(set().union(*shares)):
        of_row = [part[row] for part in shares if row in part]
        result[row] = SeatShare(
            least=sum(share.least for share in of_row),
            most=min(sum(share.most for share in of_row), most),
            by_rule=sum(share.by_rule for share in of_row) if has_rule else NO_AMOUNT,
            equal_split=sum(share.equal_split for share in of_row) if is_equal else NO_AMOUNT,
        )
    return result


def _share_part(pot: RakedPot, by_rule: int, chip: Chip, parts: int, part: int, heads: int) -> list[SeatShare]:
    """Return what each winner is due of one of several equal parts of a pot, in the order for odd chips."""
    shares = parts * heads
    equal = by_rule // shares if by_rule >= 0 and by_rule % shares == 0 else NO_AMOUNT
    if chip.left_over == "any":
        least, rest = (amount // shares // chip.largest * chip.largest for amount in (pot.least, pot.most))
        return [SeatShare(least, pot.most - rest * (shares - 1), equal, equal)] * heads
    apart = _find_largest_difference(pot, chip, shares)
    if chip.left_over == "all":
        apart *= max(heads - 1, 1)
    loose = apart if parts > 1 else 0
    least = max(-(-(pot.least // parts - loose - apart * (heads - 1)) // heads), 0)
    most = min((-(-pot.most // parts) + loose + apart * (heads - 1)) // heads, pot.most)
    if chip.unit is None or by_rule < 0:
        return [SeatShare(least, most, equal, equal)] * heads
    own = _take_part(by_rule, parts, part, chip.unit)
    result: list[SeatShare] = []
    for exact in (_take_part(own, heads, place, chip.unit) for place in range(heads)):
        either = exact if equal < 0 else equal
        bounds = (min(exact, either), max(exact, either)) if pot.least == pot.most else (least, most)
        result.append(SeatShare(*bounds, exact, either))
    return result


def _find_largest_difference(pot: RakedPot, chip: Chip, shares: int) -> int:
    """Return the largest difference of two even shares: the smallest chip, and amounts below one chip."""
    if shares == 1:
        return 0
    if chip.unit is not None:
        return 2 * chip.unit - 1
    # An amount that divides evenly by the largest possible chip leaves no odd chip.
    is_even = chip.left_over == "each" and pot.least == pot.most and pot.least % (shares * chip.largest) == 0
    return 0 if is_even else chip.largest


def _take_part(amount: int, parts: int, place: int, unit: int) -> int:
    """Return the part of an amount at a place in the order.

    Parts are whole chips. Odd chips go one each to the first places, and an amount below one chip to the first.
    """
    even = amount // parts // unit * unit
    odd_chips, below_chip = divmod(amount - even * parts, unit)
    return even + (unit if place < odd_chips else 0) + (below_chip if place == 0 else 0)
