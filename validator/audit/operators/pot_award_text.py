"""Pots in words: what is due to whom, and why."""

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
    """What of which pots is due to a seat, with the hand that wins or loses them."""
    seat = int(settled(scope).put.seats[row, round_])
    parts = " and ".join(_parts(scope, row, round_)) or "nothing"
    return f"seat {scope.batch.seats.number[seat]} should receive {parts}{_hands(scope, row, round_)}"


def _parts(scope: Scope, row: int, round_: int) -> Iterator[str]:
    pots, shared = settled(scope).pots, division(scope)
    chosen = np.flatnonzero(pots.hand == round_)
    boards = int(most_likely_boards(scope).count[round_])
    for index, number in product(range(len(chosen)), range(boards)):
        net, contests = shared.boards[number].net, shared.boards[number].contests
        due = one_pot(pots, net, contests, shared.chips, chosen[index : index + 1])
        least, most, ruled = int(due.least[row, 0]), int(due.most[row, 0]), int(due.ruled[row, 0])
        if most == 0:
            continue
        name = pot_name(index, len(chosen)) + (f" on board {number + 1}" if boards > 1 else "")
        whole = int(net.least[chosen[index]])
        raked = whole == net.most[chosen[index]]
        winners = int((due.most[:, 0] > 0).sum())
        if least == most:
            yield _share(name, least, whole if raked else least, winners)
        elif shared.chips.unit is not None and raked and ruled >= 0:
            yield _share(name, ruled, whole, winners)
        else:
            yield f"between {format_money(least)} and {format_money(most)} of the {name}"


def _share(name: str, amount: int, whole: int, winners: int) -> str:
    """What is due of a pot, with all that is in it where that is more, and whether what does not divide is in it."""
    if amount == whole:
        return f"the {name} of {format_money(amount)}"
    odd = " with the odd chip" if amount * winners > whole else ""
    return f"{format_money(amount)} of the {name} of {format_money(whole)}{odd}"


def pot_name(index: int, pots: int) -> str:
    """A pot by its number among the pots of a round."""
    if index == 0:
        return "main pot" if pots > 1 else "pot"
    return "side pot" if pots == 2 else f"side pot {index}"


def _hands(scope: Scope, row: int, round_: int) -> str:
    """What a seat's hands come to, in brackets, where they were looked at and can win."""
    described: list[str] = []
    boards = division(scope).boards[: int(most_likely_boards(scope).count[round_])]
    for board, (place, share) in product(boards, enumerate(scope.prepared.pots.shares)):
        contest = board.contests[place]
        strength = int(contest.strength[row, round_])
        if strength > 0 and strength >= contest.lowest:
            described.append(scope.prepared.hands[share.hand].ranking.describe(strength))
    made = settled(scope)
    contends = bool(members(made.contenders[round_ : round_ + 1], row + 1)[row, 0])
    if not described:
        return "" if contends else " (folded or conceded)"
    return f" ({' and '.join(dict.fromkeys(described))})"


def received_in_words(amount: int) -> str:
    """What a seat received, as far as the log shows it."""
    if amount == UNTOLD:
        return "what the seat received is not recorded"
    return f"received {format_money(amount) if amount else 'nothing'}"


def back_to(scope: Scope, seat: int, amount: int) -> str:
    """An amount that goes back to a seat."""
    number = scope.batch.seats.number[seat]
    return f"seat {number} should get back {format_money(amount) if amount else 'nothing'}"


def gap_of(scope: Scope, round_: int) -> Told:
    """A round of which it is not known what the pots are."""
    return Told(
        where=place_of(scope, round_),
        expected="what each seat put in, and which seats may win it",
        observed="the log does not show it",
    )
