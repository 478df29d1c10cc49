"""After something has happened, something else must not happen before certain steps: a small machine.

It is free (state 0), waits for one of the steps (states 1, 2, …), or the steps were taken and what had to wait has not
come since (the last state). What the evidence leaves open leads to several states at once, kept as a set of bits: a
round fails only if every way through it does, and passes only if none does. Where what has to wait met nothing but the
free state there was nothing to wait for, and the check does not apply. What a course finds out of place makes nothing
needed and need not wait, and where the steps that were lacking come out of place later in the round, the check does not
apply: that is the same lapse.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Ints, Statuses
from validator.audit.sessions.event_signature import TABLE_OPENS, Word
from validator.audit.sessions.play_order import ANY_NUMBER
from validator.audit.sessions.timelines import Track
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS
from validator.engine.core.kleene import NO, UNKNOWN, YES

FREE = 1
"""The set that holds the free state alone."""


class Part(Struct, frozen=True):
    """What one event is to the machine: whether it makes the steps needed, which of the steps it is and whether it
    must wait for them, each NO, UNKNOWN or YES. `symbol` is its place in the word, -1 for what nobody recorded;
    `misplaced`: a course finds it out of its place; `ends`: it ends the need."""

    since: int
    steps: tuple[int, ...]
    before: int
    symbol: int
    misplaced: bool = False
    ends: bool = False


class Passage(Struct, frozen=True):
    """How a round is gone through from a set of states: the set it leads to, and the mark.

    Of a failure: the place of the event in the word, the state it met, and the place of the event that had made
    the steps needed (-1: that was before the round). `armed` is the place of the last such event of the round.
    """

    after: int
    mark: int
    armed: int
    symbol: int = -1
    state: int = 0
    since: int = -1


class Machine(Struct, frozen=True, kw_only=True):
    """The machine of a requirement: what makes the steps needed (`told`: only where a record tells it), the steps, what
    must wait for them, and what ends the need."""

    since: tuple[str, ...]
    steps: tuple[str, ...]
    before: tuple[str, ...]
    until: str | None = None
    told: bool = False

    @property
    def anything(self) -> int:
        """The set of all states that rounds which are not at hand may have led to."""
        return FREE if self.told else (4 << len(self.steps)) - 1

    @property
    def opened(self) -> int:
        """The set of states at the opening of the table."""
        return 2 if TABLE_OPENS in self.since else FREE

    def met(self, word: Word, symbol: int) -> str:
        """What had to wait, of those things, that a symbol of a word is."""
        return next(name for name in self.before if name in dict(word.symbols[symbol].steps))

    def after_gap(self, states: int, *, reopened: bool) -> int:
        """Where rounds of which nothing is known may lead; the table may have opened again in them, or not."""
        occasion = not self.told and (reopened or any(one != TABLE_OPENS for one in self.since))
        since = UNKNOWN if occasion else NO
        return self._anything_goes(states, Part(since, (UNKNOWN,) * len(self.steps), UNKNOWN, -1))

    def through(self, word: Word, states: int, *, deck: str | None, in_play: bool | None) -> Passage:
        """A round gone through from a set of states; what may have followed a record that breaks off counts for the
        rounds after it.

        With `in_play` None the machine is the table's; else that of a deck, which is played with or is not.
        """
        passage = self._through(self._seen(word, deck, in_play), states)
        return replace(passage, after=self.after_gap(passage.after, reopened=False)) if word.breaks_off else passage

    def _seen(self, word: Word, deck: str | None, in_play: bool | None) -> Sequence[Part]:
        """The events of a word that concern the machine; between them whatever the log does not record."""
        dark = dict.fromkeys(word.unrecorded, UNKNOWN)
        unseen = self._part(dark, -1)
        hidden = [unseen] if unseen.since or unseen.before or any(unseen.steps) else []
        parts = list(hidden)
        for place, symbol in enumerate(word.symbols):
            part = self._part(symbol.of_deck(deck, in_play=in_play), place, misplaced=symbol.misplaced)
            if part.since or part.before or part.ends or any(part.steps):
                parts += [part, *hidden]
        return parts

    def _part(self, belongs: dict[str, int], place: int, *, misplaced: bool = False) -> Part:
        return Part(
            NO if misplaced else max(belongs.get(name, NO) for name in self.since),
            tuple(belongs.get(name, NO) for name in self.steps),
            NO if misplaced else max(belongs.get(name, NO) for name in self.before),
            place,
            misplaced,
            place >= 0 and self.until is not None and belongs.get(self.until) == YES,
        )

    def _through(self, parts: Sequence[Part], states: int) -> Passage:
        clean, broken = states, 0
        symbol, state, since, armed, asked = -1, 0, -1, -1, False
        for part in parts:
            if part.symbol < 0:
                clean, broken = self._dark(clean, broken, part)
                asked |= part.before != NO and clean != FREE
                continue
            met = clean
            asked |= part.before != NO and (met | broken) != FREE
            clean, broken = self._step(clean, broken, part)
            if met and not clean:
                symbol, state, since = part.symbol, (met & -met).bit_length() - 1, armed
            armed = part.symbol if part.since else armed
        mark = NOT_APPLICABLE if not asked else FAIL if not clean else PASS if not broken else NOT_EVIDENCED
        if mark == FAIL and self._found_late(parts, symbol, state):
            mark = NOT_APPLICABLE
        return Passage(clean | broken, mark, armed, symbol, state, since)

    def _found_late(self, parts: Sequence[Part], symbol: int, state: int) -> bool:
        """Whether each step that was lacking at a symbol comes after it where a course finds it out of place."""
        late = [part.steps for part in parts if part.misplaced and part.symbol > symbol]
        return all(any(steps[lacking] == YES for steps in late) for lacking in range(state - 1, len(self.steps)))

    def _anything_goes(self, states: int, part: Part) -> int:
        clean, broken = self._dark(states, 0, part)
        return clean | broken

    def _dark(self, clean: int, broken: int, part: Part) -> tuple[int, int]:
        """Events of a kind that is not recorded, any number of them."""
        while True:
            following = self._step(clean, broken, part)
            following = (following[0] | clean, following[1] | broken)
            if following == (clean, broken):
                return clean, broken
            clean, broken = following

    def _step(self, clean: int, broken: int, part: Part) -> tuple[int, int]:
        """One event met by those ways that have not failed so far and those that have: it waits, is a step, ends
        the need, makes the steps needed, in this order."""
        if part.before != NO:
            in_order = FREE | 2 << len(self.steps)
            kept = 0 if part.before == YES else -1
            late = clean & ~in_order
            broken = (broken & kept) | (FREE if late or broken else 0)
            clean = (clean & kept) | (FREE if clean & in_order else 0)
        for number in range(len(part.steps), 0, -1):
            belongs = part.steps[number - 1]
            if belongs != NO:
                clean, broken = (_moved(one, number, number + 1, belongs) for one in (clean, broken))
        if part.ends:
            clean, broken = (FREE if one else 0 for one in (clean, broken))
        if part.since == YES:
            clean, broken = (2 if one else 0 for one in (clean, broken))
        elif part.since == UNKNOWN:
            clean, broken = (one | (2 if one else 0) for one in (clean, broken))
        return clean, broken


def _moved(states: int, from_: int, to: int, belongs: int) -> int:
    if not states >> from_ & 1:
        return states
    return (states | 1 << to) & ~(1 << from_) if belongs == YES else states | 1 << to


class Failure(Struct, frozen=True, kw_only=True):
    """A failed item: the event's place in the word, the steps still needed, and the item and place of the event
    that made them needed (of an opening the place is -1)."""

    symbol: int
    lacking: tuple[str, ...]
    since: int
    since_symbol: int


class Followed(Struct, frozen=True, kw_only=True):
    """A machine run along a track: uint8[items] of marks, and what is to be told of every failed item."""

    marks: Statuses
    failures: dict[int, Failure]


def follow(machine: Machine, track: Track, words: Sequence[Word], word: Ints, decks: Sequence[str] | None) -> Followed:
    """Run the machine along a track. `word` is int64[items], an index into `words`; `decks` are the names of the
    track's decks by code, None for the track of a table."""
    marks = bytearray(len(track))
    failures: dict[int, Failure] = {}
    states, since, since_symbol = machine.anything, -1, -1
    # Rounds are much alike: nearly every way through one has been gone before.
    gaps: dict[tuple[int, bool], int] = {}
    known: dict[tuple[int, int, str | None, bool], Passage] = {}
    columns = (track.first, track.opening, track.gap, track.in_play, track.deck, word)
    for item, (first, opening, gap, played, code, index) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if opening:
            states, since, since_symbol = machine.opened, item, -1
        elif first:
            states, since, since_symbol = machine.anything, -1, -1
        if gap:
            lost = (states, gap == ANY_NUMBER)
            if lost not in gaps:
                gaps[lost] = machine.after_gap(states, reopened=gap == ANY_NUMBER)
            states = gaps[lost]
        deck = None if decks is None or code < 0 else decks[code]
        key = (index, states, deck if words[index].decks else None, played)
        passage = known.get(key)
        if passage is None:
            in_play = None if decks is None else played
            passage = known[key] = machine.through(words[index], states, deck=deck, in_play=in_play)
        marks[item] = passage.mark
        if passage.mark == FAIL:
            failures[item] = Failure(
                symbol=passage.symbol,
                lacking=machine.steps[passage.state - 1 :],
                since=item if passage.since >= 0 else since,
                since_symbol=passage.since if passage.since >= 0 else since_symbol,
            )
        if passage.armed >= 0:
            since, since_symbol = item, passage.armed
        states = passage.after
    return Followed(marks=np.frombuffer(bytes(marks), np.uint8), failures=failures)
