"""The one act by which betting goes wrong, where all of it is in order once that act stands elsewhere.

Who acts too late or too early changes what everybody in between faces: whose turn it is, what there is to call, whether
the betting is complete. That is one lapse: it is told once, and all others are judged as they stand with the act in its
place. Where no single act explains a round, everything is judged as it stood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Codes, Flags, Ints
from validator.engine.betting.action_codes import (
    BET,
    BRING_IN,
    CALL,
    CHECK,
    CONCEDE,
    FOLD,
    MUCK,
    OTHER,
    RAISE,
    STREET,
    Acts,
    Terms,
    in_steps,
)
from validator.engine.betting.machine import played
from validator.engine.betting.states import Over, States
from validator.evidence.handlog.events import KIND

MOST = 100
"""Rounds with more acts are judged as they stood: an act may belong anywhere among the others."""
_AT_ONCE = 1 << 17
"""So many acts are played through at once while places are tried."""
_DECIDE = KIND["decide"]
_SAID = (KIND["declare"], KIND["tender"])
"""Words and chips, which come ahead of an act."""


class Betting(Struct, frozen=True, kw_only=True):
    """Betting as it stood: `acts`, `kinds` uint8[A] (of what kind the event of each is), the `terms` of its H rounds in
    the order of `acts`, and what came of it."""

    acts: Acts
    kinds: Codes
    terms: Terms
    states: States
    over: Over

    @property
    def numbers(self) -> Ints:
        """int64[A]: which of the H rounds each act is of."""
        starts = self.acts.starts
        return np.arange(len(self.kinds)) - np.repeat(starts[:-1], np.diff(starts))

    def entries(self, number: int) -> list[int]:
        """The acts of one of the H rounds, in the order of the log."""
        starts = self.acts.starts
        result: list[int] = (starts[:-1][np.diff(starts) > number] + number).tolist()
        return result

    def out_of_order(self) -> tuple[Flags, Flags]:
        """bool[A] both: acts that are not open to their seat, and cards that come too early; acts of the wrong kind or
        size for what their seat faces."""
        own, acts, states = slice(0, len(self.kinds)), self.acts, self.states
        op, due, still_in = acts.op, states.due[own], states.still_in[own]
        level, put = states.level[own], states.put[own]
        to, faced, waits = put + acts.amount, level > put, due != ABSENT
        acting, elsewhere = (op >= FOLD) & (op < STREET), due != acts.row
        order = acting & (~still_in | (elsewhere & ~(states.moot[own] & (op == CHECK)) & (waits | (op != CONCEDE))))
        order |= (op == OTHER) & (self.kinds == _DECIDE) & ~still_in  # who is out exchanges no cards
        order |= (op == MUCK) & waits & elsewhere & faced & still_in
        order |= (op >= STREET) & waits
        called = (to == level) | ((to < level) & (acts.amount >= states.behind[own]))
        size = ((op == CHECK) & faced) | ((op == CALL) & ~(faced & called)) | ((op == BET) & (level > 0))
        size |= (op == RAISE) & ((level == 0) | (to <= level) | ~states.may_raise[own])
        return order, size


class OutOfPlace(Struct, frozen=True, kw_only=True):
    """An act out of its place, by events of the batch: `act`, and of cards the act that they come `ahead_of` (ABSENT of
    an act of a seat, and of cards that come last); `told_by`, the event that tells it, as the row `due` was to act when
    that came, ABSENT where a requirement on the course of the betting tells it."""

    act: int
    ahead_of: int
    told_by: int = ABSENT
    due: int = ABSENT


class _Try(Struct, frozen=True, kw_only=True):
    """A round with one act elsewhere: its entries in the order in which they are played, and which of them tells it."""

    number: int
    entries: list[int]
    moved: int
    told_by: int


def put_in_place(
    betting: Betting, *, known: Flags, told_elsewhere: Mapping[int, int], waiting: Sequence[Ints]
) -> list[OutOfPlace]:
    """Play rounds that one act explains once more with that act in its place, and put what comes of it in place of how
    they stood. `known` is bool[H], where all of the betting is known; `told_elsewhere` has the acts that the course of
    the betting tells, by their places in the batch, and what each does in its place. `waiting` are the events, rising,
    of each step that waits for the end of the betting."""
    acts, numbers = betting.acts, betting.numbers
    order, size = betting.out_of_order()
    ops, elsewhere = acts.op.copy(), np.isin(acts.events, [*told_elsewhere])
    for entry in np.flatnonzero(elsewhere).tolist():
        ops[entry] = told_elsewhere[int(acts.events[entry])]
    suspected = np.zeros(len(known), bool)
    suspected[numbers[order | elsewhere]] = True
    suspected &= known & (np.bincount(numbers[elsewhere], minlength=len(known)) <= 1)
    # Who brings in is told by the cards, and whoever did so wrongly is answered as if it had been right.
    suspected[numbers[order & (acts.op == BRING_IN)]] = False
    sizes = np.bincount(numbers[size & ~order], minlength=len(known))  # of what is out of order that is told
    result: list[OutOfPlace] = []
    tries: list[_Try] = []
    for number in np.flatnonzero(suspected).tolist():
        entries = betting.entries(number)
        if len(entries) > MOST:
            continue
        recorded = [entry for entry in entries if elsewhere[entry]]
        tries += _course_tells(betting, ops, number, recorded[0]) if recorded else _tries(betting, number, order, size)
        if sum(len(hypothesis.entries) for hypothesis in tries) > _AT_ONCE:
            result += _in_order(betting, ops, sizes, waiting, tries)
            tries = []
    return [*result, *_in_order(betting, ops, sizes, waiting, tries)]


def _course_tells(betting: Betting, ops: Codes, number: int, entry: int) -> Iterator[_Try]:
    """Where an act may belong that the course of the betting tells: a forced bet ahead of all acts, an act later."""
    entries = betting.entries(number)
    if ops[entry] >= FOLD:
        yield from _later(betting, number, entry, ABSENT)
    else:
        first = next((at for at, other in enumerate(entries) if FOLD <= ops[other] < STREET), len(entries))
        yield _moved(betting, number, entry, first, ABSENT)


def _tries(betting: Betting, number: int, order: Flags, size: Flags) -> Iterator[_Try]:
    """Where one act may belong, by the first that came out of order: ahead of it the act of who was due then; that act
    later; ahead of it cards; later one before it that was of the wrong kind, or of the same seat."""
    entries, rows, ops = betting.entries(number), betting.acts.row, betting.acts.op
    first = next(entry for entry in entries if order[entry])
    at, due = entries.index(first), int(betting.states.due[first])
    before, after = entries[:at], entries[at + 1 :]
    acts = [
        entry
        for entry in after
        if FOLD <= ops[entry] < STREET and ops[entry] != CONCEDE and rows[entry] == due != ABSENT
    ]
    cards = [entry for entry in after if ops[entry] >= STREET]
    yield from (_moved(betting, number, entry, at, first) for entry in acts)
    yield from _later(betting, number, first, first)
    yield from (_moved(betting, number, entry, at, first) for entry in cards[:1])
    of_the_wrong_kind = [entry for entry in before if size[entry]]
    of_the_same_seat = [
        entry for entry in reversed(before) if rows[entry] == rows[first] != ABSENT and ops[entry] >= FOLD
    ]
    for entry in dict.fromkeys([*of_the_wrong_kind[:1], *of_the_same_seat[:1]]):
        yield from _later(betting, number, entry, first)


def _later(betting: Betting, number: int, entry: int, told_by: int) -> Iterator[_Try]:
    entries = betting.entries(number)
    places = range(entries.index(entry), len(entries))  # where it is included: what is ahead may be no act
    return (_moved(betting, number, entry, place, told_by) for place in places)


def _moved(betting: Betting, number: int, entry: int, place: int, told_by: int) -> _Try:
    rest = [other for other in betting.entries(number) if other != entry]
    rows, kinds = betting.acts.row, betting.kinds
    while place < len(rest) and kinds[rest[place]] in _SAID and rows[rest[place]] == rows[entry]:
        place += 1
    return _Try(number=number, entries=[*rest[:place], entry, *rest[place:]], moved=entry, told_by=told_by)


def _in_order(
    betting: Betting, ops: Codes, sizes: Ints, waiting: Sequence[Ints], tries: Sequence[_Try]
) -> Iterator[OutOfPlace]:
    """Play tries, and take of each round one in which all acts are in order, and no more are of the wrong kind or size
    than as they stood (`sizes`, int64[H]): that with fewest of these, with most words and chips in turn, the first."""
    if not tries:
        return
    acts = betting.acts
    entries = np.concatenate([hypothesis.entries for hypothesis in tries])
    owner = np.repeat(np.arange(len(tries), dtype=np.int32), [len(hypothesis.entries) for hypothesis in tries])
    starts, places, order, rank = in_steps(len(tries), entries, owner)
    entries, owner = entries[places], owner[places]
    laid = Acts(
        starts=starts,
        events=acts.events[entries],
        op=ops[entries],
        row=acts.row[entries],
        amount=acts.amount[entries],
        floor=acts.floor[entries],
        order=order,
        rank=rank,
    )
    rounds = np.array([hypothesis.number for hypothesis in tries])
    terms = betting.terms.of(rounds[order])
    states, over = played(laid, terms)
    tried = Betting(acts=laid, kinds=betting.kinds[entries], terms=terms, states=states, over=over)
    disorder, size = tried.out_of_order()
    wrong_sizes = np.bincount(owner[size], minlength=len(tries))
    # A round that breaks off while somebody owes an act still does.
    owing = (states.due[len(entries) + rank] != ABSENT) & (betting.states.due[len(acts.op) + rounds] == ABSENT)
    rejected = owing | (wrong_sizes > sizes[rounds])
    rejected[owner[disorder]] = True
    said_elsewhere = np.isin(tried.kinds, _SAID) & (states.due[: len(entries)] != laid.row)
    unsaid = np.bincount(owner, said_elsewhere, minlength=len(tries))
    chosen: dict[int, int] = {}
    for number in sorted(
        np.flatnonzero(~rejected).tolist(), key=lambda index: (wrong_sizes[index], unsaid[index], index)
    ):
        chosen.setdefault(tries[number].number, number)
    for index in chosen.values():
        done, own = tries[index], np.flatnonzero(owner == index)
        result, still_in = _told(betting, waiting, done), betting.states.still_in[done.told_by]
        _put(betting.states, [*entries[own], len(acts.op) + done.number], states, [*own, len(entries) + rank[index]])
        _put(betting.over, [done.number], over, [rank[index]])
        if result.told_by == acts.events[done.told_by]:
            betting.states.still_in[done.told_by] = still_in  # as it was asked when it came
        yield result


def _told(betting: Betting, waiting: Sequence[Ints], done: _Try) -> OutOfPlace:
    """What is said of an act out of its place. Where something that waits for the end of the betting came though the
    seat of the act still owed it, that tells it."""
    acts, after = betting.acts, done.entries[done.entries.index(done.moved) + 1 :]
    act = int(acts.events[done.moved])
    ahead_of = int(acts.events[after[0]]) if after and acts.op[done.moved] >= STREET else ABSENT
    if done.told_by == ABSENT:
        return OutOfPlace(act=act, ahead_of=ahead_of)
    told_by, due = int(acts.events[done.told_by]), int(betting.states.due[done.told_by])
    if acts.row[done.moved] == due != ABSENT:
        between = (events[np.searchsorted(events, told_by) : np.searchsorted(events, act)] for events in waiting)
        told_by = next((int(events[0]) for events in between if len(events)), told_by)
    return OutOfPlace(act=act, ahead_of=ahead_of, told_by=told_by, due=due)


def _put(into: Struct, places: Sequence[int], of: Struct, there: Sequence[int]) -> None:
    for name in into.__struct_fields__:
        getattr(into, name)[np.array(places)] = getattr(of, name)[np.array(there)]
