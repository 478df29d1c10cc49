"""Automaton for checks of the form 'after A, B must not happen before steps S1...Sn'.

State 0: nothing pending. State i: waiting for Si. State n + 1: all steps were taken, and B has not come since.

Incomplete evidence leads to several states at once, kept as a set of bits. A round fails only if every path through it
fails, and passes only if none does. The check does not apply to a round in which B met only state 0.

Events that a course reports out of place start no obligation and need not wait. If the missing steps come out of place
later in the round, the check does not apply, because the course reports the same failure.
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
"""Set of states that contains only state 0."""


class Part(Struct, frozen=True):
    """Meaning of one event for the automaton. Each truth is NO, UNKNOWN or YES."""

    since: int
    """Truth that it starts the obligation."""
    steps: tuple[int, ...]
    """Truth that it is each of the steps."""
    before: int
    """Truth that it must wait for the steps."""
    symbol: int
    """Place of the event in its sequence; -1 for an unrecorded event."""
    misplaced: bool = False
    """True if a course reports it out of its place."""
    ends: bool = False
    """True if it ends the obligation."""


class Passage(Struct, frozen=True):
    """Transition over one round from a set of states."""

    after: int
    """Set of states after the round."""
    mark: int
    """Status code of the round."""
    armed: int
    """Place of the last event of the round that started the obligation; -1 if there is none."""
    symbol: int = -1
    """Place of the event that failed."""
    state: int = 0
    """State in which it failed."""
    since: int = -1
    """Place of the event that started the failed obligation; -1 if it came before the round."""


class Machine(Struct, frozen=True, kw_only=True):
    """Automaton of a requirement."""

    since: tuple[str, ...]
    """Occasions and steps that start the obligation."""
    steps: tuple[str, ...]
    """Steps to take, in order."""
    before: tuple[str, ...]
    """Steps that must wait."""
    until: str | None = None
    """Step that ends the obligation."""
    told: bool = False
    """True if only recorded occasions start the obligation."""

    @property
    def anything(self) -> int:
        """Set of all states that rounds outside the log may have led to."""
        return FREE if self.told else (4 << len(self.steps)) - 1

    @property
    def opened(self) -> int:
        """Set of states at the opening of the table."""
        return 2 if TABLE_OPENS in self.since else FREE

    def met(self, sequence: Word, token: int) -> str:
        """Return the waiting step that a token of a sequence is."""
        return next(name for name in self.before if name in dict(sequence.symbols[token].steps))

    def after_gap(self, states: int, *, reopened: bool) -> int:
        """Return the states that missing rounds may lead to.

        Args:
            reopened: True if the table may have opened again in them.
        """
        may_start = not self.told and (reopened or any(occasion != TABLE_OPENS for occasion in self.since))
        starts = UNKNOWN if may_start else NO
        return self._run_unrecorded(states, Part(starts, (UNKNOWN,) * len(self.steps), UNKNOWN, -1))

    def through(self, sequence: Word, states: int, *, deck: str | None, in_play: bool | None) -> Passage:
        """Return the transition over a round from a set of states.

        Events that may have followed an incomplete record affect the later rounds.

        Args:
            deck: name of the deck; None for the table or for a deck without a name.
            in_play: whether the round uses the deck; None if the automaton is that of the table.
        """
        transition = self._run(self._label_events(sequence, deck, in_play), states)
        return (
            replace(transition, after=self.after_gap(transition.after, reopened=False))
            if sequence.breaks_off
            else transition
        )

    def _label_events(self, sequence: Word, deck: str | None, in_play: bool | None) -> Sequence[Part]:
        """Return the labels of the events that matter, with unrecorded events between them."""
        unrecorded = dict.fromkeys(sequence.unrecorded, UNKNOWN)
        hidden_label = self._label(unrecorded, -1)
        hidden = [hidden_label] if hidden_label.since or hidden_label.before or any(hidden_label.steps) else []
        labels = list(hidden)
        for place, token in enumerate(sequence.symbols):
            label = self._label(token.of_deck(deck, in_play=in_play), place, misplaced=token.misplaced)
            if label.since or label.before or label.ends or any(label.steps):
                labels += [label, *hidden]
        return labels

    def _label(self, belongs: dict[str, int], place: int, *, misplaced: bool = False) -> Part:
        return Part(
            NO if misplaced else max(belongs.get(name, NO) for name in self.since),
            tuple(belongs.get(name, NO) for name in self.steps),
            NO if misplaced else max(belongs.get(name, NO) for name in self.before),
            place,
            misplaced,
            place >= 0 and self.until is not None and belongs.get(self.until) == YES,
        )

    def _run(self, labels: Sequence[Part], states: int) -> Passage:
        free_of_failure, failed = states, 0
        token, state, since, armed, is_applicable = -1, 0, -1, -1, False
        for label in labels:
            if label.symbol < 0:
                free_of_failure, failed = self._consume_unrecorded(free_of_failure, failed, label)
                is_applicable |= label.before != NO and free_of_failure != FREE
                continue
            before_event = free_of_failure
            is_applicable |= label.before != NO and (before_event | failed) != FREE
            free_of_failure, failed = self._step(free_of_failure, failed, label)
            if before_event and not free_of_failure:
                token, state, since = label.symbol, (before_event & -before_event).bit_length() - 1, armed
            armed = label.symbol if label.since else armed
        mark = (
            NOT_APPLICABLE
            if not is_applicable
            else FAIL
            if not free_of_failure
            else PASS
            if not failed
            else NOT_EVIDENCED
        )
        if mark == FAIL and self._is_found_late(labels, token, state):
            mark = NOT_APPLICABLE
        return Passage(free_of_failure | failed, mark, armed, token, state, since)

    def _is_found_late(self, labels: Sequence[Part], token: int, state: int) -> bool:
        """Return whether each step missing at an event comes later, where a course reports it out of place."""
        late_steps = [label.steps for label in labels if label.misplaced and label.symbol > token]
        return all(any(steps[missing] == YES for steps in late_steps) for missing in range(state - 1, len(self.steps)))

    def _run_unrecorded(self, states: int, label: Part) -> int:
        clean, failed = self._consume_unrecorded(states, 0, label)
        return clean | failed

    def _consume_unrecorded(self, clean: int, failed: int, label: Part) -> tuple[int, int]:
        """Advance the states over any number of unrecorded events of a kind."""
        while True:
            following = self._step(clean, failed, label)
            following = (following[0] | clean, following[1] | failed)
            if following == (clean, failed):
                return clean, failed
            clean, failed = following

    def _step(self, clean: int, failed: int, label: Part) -> tuple[int, int]:
        """Advance the states over one event, on the paths without and with a failure so far.

        The event waits, is a step, ends the obligation and starts it, in this order.
        """
        if label.before != NO:
            in_order = FREE | 2 << len(self.steps)
            kept = 0 if label.before == YES else -1
            late = clean & ~in_order
            failed = (failed & kept) | (FREE if late or failed else 0)
            clean = (clean & kept) | (FREE if clean & in_order else 0)
        for number in range(len(label.steps), 0, -1):
            belongs = label.steps[number - 1]
            if belongs != NO:
                clean, failed = (_move(states, number, number + 1, belongs) for states in (clean, failed))
        if label.ends:
            clean, failed = (FREE if states else 0 for states in (clean, failed))
        if label.since == YES:
            clean, failed = (2 if states else 0 for states in (clean, failed))
        elif label.since == UNKNOWN:
            clean, failed = (states | (2 if states else 0) for states in (clean, failed))
        return clean, failed


def _move(states: int, from_: int, to: int, belongs: int) -> int:
    if not states >> from_ & 1:
        return states
    return (states | 1 << to) & ~(1 << from_) if belongs == YES else states | 1 << to


class Failure(Struct, frozen=True, kw_only=True):
    """Failed obligation of an item of a track."""

    symbol: int
    """Place of the failed event in its sequence."""
    lacking: tuple[str, ...]
    """Steps that were missing."""
    since: int
    """Item in which the obligation started."""
    since_symbol: int
    """Place of the event that started it; -1 for an opening."""


class Followed(Struct, frozen=True, kw_only=True):
    """Run of an automaton along a track."""

    marks: Statuses
    """Status code of each item."""
    failures: dict[int, Failure]
    """Failures by item."""


def follow(
    automaton: Machine, track: Track, sequences: Sequence[Word], sequence: Ints, decks: Sequence[str] | None
) -> Followed:
    """Run an automaton along a track.

    Args:
        sequences: distinct event sequences.
        sequence: int64[items], the sequence of each item.
        decks: names of the track's decks by code; None for the track of a table.
    """
    statuses = bytearray(len(track))
    failures: dict[int, Failure] = {}
    states, since, since_symbol = automaton.anything, -1, -1
    # Rounds resemble each other: almost every transition was computed before.
    gaps: dict[tuple[int, bool], int] = {}
    known: dict[tuple[int, int, str | None, bool], Passage] = {}
    columns = (track.first, track.opening, track.gap, track.in_play, track.deck, sequence)
    for item, (first, opening, gap, played, code, index) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if opening:
            states, since, since_symbol = automaton.opened, item, -1
        elif first:
            states, since, since_symbol = automaton.anything, -1, -1
        if gap:
            lost = (states, gap == ANY_NUMBER)
            if lost not in gaps:
                gaps[lost] = automaton.after_gap(states, reopened=gap == ANY_NUMBER)
            states = gaps[lost]
        deck = None if decks is None or code < 0 else decks[code]
        key = (index, states, deck if sequences[index].decks else None, played)
        transition = known.get(key)
        if transition is None:
            in_play = None if decks is None else played
            transition = known[key] = automaton.through(sequences[index], states, deck=deck, in_play=in_play)
        statuses[item] = transition.mark
        if transition.mark == FAIL:
            failures[item] = Failure(
                symbol=transition.symbol,
                lacking=automaton.steps[transition.state - 1 :],
                since=item if transition.since >= 0 else since,
                since_symbol=transition.since if transition.since >= 0 else since_symbol,
            )
        if transition.armed >= 0:
            since, since_symbol = item, transition.armed
        states = transition.after
    return Followed(marks=np.frombuffer(bytes(statuses), np.uint8), failures=failures)
