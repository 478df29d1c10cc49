"""Packets of cards in the order in which they were due, if some came too early or too late."""

from __future__ import annotations

from collections import deque

import numpy as np

from validator.arrays import Flags, Ints, Ints16, Ints32

Packets = tuple[Ints32, Ints16 | Ints]
"""Place of each packet and its number of cards, as in `dealing_order`."""


def order_as_due(owner: Ints32, misplaced: Flags, came: Packets, start: Ints, due: Packets) -> Ints:
    """Return the order of packets in which misplaced packets are where they were due, or last if they never were.

    Args:
        owner: int32[packets], the round of each packet.
        misplaced: the misplaced packets.
        came: the packets in log order.
        start: int64[rounds + 1], the first due packet of each round.
        due: the packets due in every round, joined.

    Returns:
        int64[packets].
    """
    order = np.arange(len(owner))
    for round_ in np.unique(owner[misplaced]).tolist():
        first, end = np.searchsorted(owner, [round_, round_ + 1]).tolist()
        turn = slice(start[round_], start[round_ + 1])
        slots = list(zip(*(column[turn].tolist() for column in due), strict=True))
        packets = list(zip(*(column[first:end].tolist() for column in came), strict=True))
        order[first:end] = first + np.array(_fill_slots(packets, misplaced[first:end].tolist(), slots))
    return order


def _fill_slots(packets: list[tuple[int, int]], misplaced: list[bool], slots: list[tuple[int, int]]) -> list[int]:
    """Return the indices of packets in the order of the slots that they fill."""
    stay = deque(number for number, lost in enumerate(misplaced) if not lost)
    lost = [number for number, removed in enumerate(misplaced) if removed]
    order: list[int] = []
    for slot in slots:
        if stay and packets[stay[0]] == slot:
            order.append(stay.popleft())
            continue
        fitting = next((number for number in lost if packets[number] == slot), None)
        if fitting is None:
            break
        order.append(fitting)
        lost.remove(fitting)
    return [*order, *stay, *lost]
