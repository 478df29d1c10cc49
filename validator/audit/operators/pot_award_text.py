"""Text about pots: the amount due to each seat, and its reason."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from validator.audit.statuses.status_codes import Told, place_of
from validator.engine.core.context import Scope
from validator.engine.pots.boards import most_likely_boards
from validator.engine.pots.pot_shares import division, settled
from validator.engine.pots.received import UNTOLD
from validator.engine.pots.side_pots import members
from validator.engine.pots.split_pots import one_pot
from validator.text.values.money import format_money


def shares_in_words(scope: Scope, row: int, round_: int) -> str:
    """Describe the amounts of the pots due to a seat, with the hands that win or lose them."""
    seat = int(settled(scope).put.seats[row, round_])
    parts = " and ".join(_describe_shares_of_pots(scope, row, round_)) or "nothing"
    return (
        f"seat {scope.batch.seats.number[seat]} should receive {parts}{_describe_contesting_hands(scope, row, round_)}"
    )


def _describe_shares_of_pots(scope: Scope, row: int, round_: int) -> Iterator[str]:
    pots, shared = settled(scope).pots, division(scope)
    chosen = np.flatnonzero(pots.hand == round_)
    boards = int(most_likely_boards(scope).count[round_])
    for index, number in product(range(len(chosen)), range(boards)):
        net, contests = shared.boards[number].net, shared.boards[number].contests
        due = one_pot(pots, net, contests, shared.chips, chosen[index : index + 1])
        least, most, by_rule = int(due.least[row, 0]), int(due.most[row, 0]), int(due.ruled[row, 0])
        if most == 0:
            continue
        name = pot_name(index, len(chosen)) + (f" on board {number + 1}" if boards > 1 else "")
        pot_size = int(net.least[chosen[index]])
        is_raked = pot_size == net.most[chosen[index]]
        winners = int((due.most[:, 0] > 0).sum())
        if least == most:
            yield _describe_share(name, least, pot_size if is_raked else least, winners)
        elif shared.chips.unit is not None and is_raked and by_rule >= 0:
            yield _describe_share(name, by_rule, pot_size, winners)
        else:
            yield f"between {format_money(least)} and {format_money(most)} of the {name}"


def _describe_share(name: str, amount: int, pot_size: int, winners: int) -> str:
    """Describe the amount due from a pot, the pot's size if larger, and whether it includes the odd chip."""
    if amount == pot_size:
        return f"the {name} of {format_money(amount)}"
    odd = " with the odd chip" if amount * winners > pot_size else ""
    return f"{format_money(amount)} of the {name} of {format_money(pot_size)}{odd}"


def pot_name(index: int, pots: int) -> str:
    """Return the name of a pot by its number among the pots of a round."""
    if index == 0:
        return "main pot" if pots > 1 else "pot"
    return "side pot" if pots == 2 else f"side pot {index}"


def _describe_contesting_hands(scope: Scope, row: int, round_: int) -> str:
    """Describe the hands of a seat in brackets, if they were compared and can win."""
    described: list[str] = []
    boards = division(scope).boards[: int(most_likely_boards(scope).count[round_])]
    for board, (place, share) in product(boards, enumerate(scope.prepared.pots.shares)):
        contest = board.contests[place]
        strength = int(contest.strength[row, round_])
        if strength > 0 and strength >= contest.lowest:
            described.append(scope.prepared.hands[share.hand].ranking.describe(strength))
    pots = settled(scope)
    contends = bool(members(pots.contenders[round_ : round_ + 1], row + 1)[row, 0])
    if not described:
        return "" if contends else " (folded or conceded)"
    return f" ({' and '.join(dict.fromkeys(described))})"


def received_in_words(amount: int) -> str:
    """Describe the amount that a seat received, if recorded."""
    if amount == UNTOLD:
        return "what the seat received is not recorded"
    return f"received {format_money(amount) if amount else 'nothing'}"


def back_to(scope: Scope, seat: int, amount: int) -> str:
    """Describe an amount that is returned to a seat."""
    number = scope.batch.seats.number[seat]
    return f"seat {number} should get back {format_money(amount) if amount else 'nothing'}"


def gap_of(scope: Scope, round_: int) -> Told:
    """Describe a round whose pots are not known."""
    return Told(
        where=place_of(scope, round_),
        expected="the amounts put in by the seats, and the seats that may win them",
        observed="not recorded in the log",
    )
