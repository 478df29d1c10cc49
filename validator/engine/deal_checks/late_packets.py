"""Packets of cards that came too early or too late, in the order in which they were due."""

from __future__ import annotations

from collections import deque

import numpy as np

from validator.arrays import Flags, Ints, Ints16, Ints32

Packets = tuple[Ints32, Ints16 | Ints]
"""The place that each packet goes to and how many cards it is, as `dealing_order` has them."""


def as_due(owner: Ints32, astray: Flags, came: Packets, start: Ints, due: Packets) -> Ints:
    """int64[packets]: packets as they came, but for those astray, which stand where they were due, or last where they
    never were. `owner`, int32[packets], are their rounds; `due` are the packets due in every round, joined, and
    `start`, int64[rounds + 1], where each round's begin."""
    order = np.arange(len(owner))
    for round_ in np.unique(owner[astray]).tolist():
        first, end = np.searchsorted(owner, [round_, round_ + 1]).tolist()
        turn = slice(start[round_], start[round_ + 1])
        slots = list(zip(*(column[turn].tolist() for column in due), strict=True))
        packets = list(zip(*(column[first:end].tolist() for column in came), strict=True))
        order[first:end] = first + np.array(_in_slots(packets, astray[first:end].tolist(), slots))
    return order


def _in_slots(packets: list[tuple[int, int]], astray: list[bool], slots: list[tuple[int, int]]) -> list[int]:
    """The numbers of some packets in the order of the slots that they fill."""
    stay = deque(number for number, lost in enumerate(astray) if not lost)
    lost = [number for number, gone in enumerate(astray) if gone]
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
