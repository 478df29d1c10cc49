"""Check `needed`: after an occasion A, an event B must not happen before steps S1...Sn.

An automaton follows each table or deck. State 0: nothing pending. State i: waiting for Si. State n + 1: all steps were
taken, and B has not come since. State n + 1 + g: waiting for S1, while B may still come g times.

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

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Statuses
from fairdeal.validator.audit.sessions import ordered_rounds
from fairdeal.validator.audit.sessions.carried_results import Track
from fairdeal.validator.audit.sessions.play_order import ANY_NUMBER, UNNUMBERED, PlayOrder
from fairdeal.validator.audit.sessions.session_rows import TABLE_OPENS, EventSequence
from fairdeal.validator.audit.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS, FindingDetails
from fairdeal.validator.audit.wording.sentences import describe_due_steps, describe_missing_steps, name_moment
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.rules.check_model import NeededCheck
from fairdeal.validator.rules.requirement_model import Requirement

NOTHING_PENDING = 1
"""Set of states that contains only state 0."""
NEED_NOT_SHOWN = "the evidence does not show whether it was needed, or done"
"""Text of a gap if the record decides neither what was needed nor what was done."""


class EventLabel(Struct, frozen=True):
    """Meaning of one event for the automaton. Each truth is NO, UNKNOWN or YES."""

    starts: int
    """Truth that it starts the obligation."""
    steps: tuple[int, ...]
    """Truth that it is each of the steps."""
    must_wait: int
    """Truth that it must wait for the steps."""
    token: int
    """Place of the event in its sequence; -1 for an unrecorded event."""
    misplaced: bool = False
    """True if a course reports it out of its place."""
    ends: bool = False
    """True if it ends the obligation."""


class Transition(Struct, frozen=True):
    """Transition over one round from a set of states."""

    states_after: int
    """Set of states after the round."""
    status_code: int
    """Status code of the round."""
    last_start: int
    """Place of the last event of the round that started the obligation; -1 if there is none."""
    failed_token: int = -1
    """Place of the event that failed."""
    failed_state: int = 0
    """State in which it failed."""
    started_by: int = -1
    """Place of the event that started the failed obligation; -1 if it came before the round."""


class ObligationAutomaton(Struct, frozen=True, kw_only=True):
    """Automaton of a requirement."""

    occasions: tuple[str, ...]
    """Occasions and steps that start the obligation."""
    steps: tuple[str, ...]
    """Steps to take, in order."""
    waiting_steps: tuple[str, ...]
    """Steps that must wait."""
    until: str | None = None
    """Step that ends the obligation."""
    only_recorded: bool = False
    """True if only recorded occasions start the obligation."""
    grace: int = 0
    """Number of times that a waiting step may still come before the steps."""

    @property
    def any_states(self) -> int:
        """Set of all states that rounds outside the log may have led to."""
        return NOTHING_PENDING if self.only_recorded else (4 << len(self.steps) + self.grace) - 1

    @property
    def started(self) -> int:
        """Set of the state in which the obligation begins."""
        return 2 << len(self.steps) + self.grace if self.grace else 2

    @property
    def states_at_opening(self) -> int:
        """Set of states at the opening of the table."""
        return self.started if TABLE_OPENS in self.occasions else NOTHING_PENDING

    def find_waiting_step(self, sequence: EventSequence, token: int) -> str:
        """Return the waiting step that a token of a sequence is."""
        return next(name for name in self.waiting_steps if name in dict(sequence.tokens[token].steps))

    def advance_over_gap(self, states: int, *, reopened: bool) -> int:
        """Return the states that missing rounds may lead to.

        Args:
            reopened: True if the table may have opened again in them.
        """
        may_start = not self.only_recorded and (reopened or any(occasion != TABLE_OPENS for occasion in self.occasions))
        starts = UNKNOWN if may_start else NO
        return self._run_unrecorded(states, EventLabel(starts, (UNKNOWN,) * len(self.steps), UNKNOWN, -1))

    def advance(self, sequence: EventSequence, states: int, *, deck: str | None, in_play: bool | None) -> Transition:
        """Return the transition over a round from a set of states.

        Events that may have followed an incomplete record affect the later rounds.

        Args:
            deck: name of the deck; None for the table or for a deck without a name.
            in_play: whether the round uses the deck; None if the automaton is that of the table.
        """
        transition = self._run(self._label_events(sequence, deck, in_play), states)
        return (
            replace(transition, states_after=self.advance_over_gap(transition.states_after, reopened=False))
            if sequence.breaks_off
            else transition
        )

    def _label_events(self, sequence: EventSequence, deck: str | None, in_play: bool | None) -> Sequence[EventLabel]:
        """Return the labels of the events that matter, with unrecorded events between them."""
        unrecorded = dict.fromkeys(sequence.unrecorded, UNKNOWN)
        hidden_label = self._label(unrecorded, -1)
        hidden = [hidden_label] if hidden_label.starts or hidden_label.must_wait or any(hidden_label.steps) else []
        labels = list(hidden)
        for place, token in enumerate(sequence.tokens):
            label = self._label(token.select_deck_steps(deck, in_play=in_play), place, misplaced=token.misplaced)
            if label.starts or label.must_wait or label.ends or any(label.steps):
                labels += [label, *hidden]
        return labels

    def _label(self, belongs: dict[str, int], place: int, *, misplaced: bool = False) -> EventLabel:
        return EventLabel(
            NO if misplaced else max(belongs.get(name, NO) for name in self.occasions),
            tuple(belongs.get(name, NO) for name in self.steps),
            NO if misplaced else max(belongs.get(name, NO) for name in self.waiting_steps),
            place,
            misplaced,
            place >= 0 and self.until is not None and belongs.get(self.until) == YES,
        )

    def _run(self, labels: Sequence[EventLabel], states: int) -> Transition:
        free_of_failure, failed = states, 0
        token, state, since, armed, is_applicable = -1, 0, -1, -1, False
        for label in labels:
            if label.token < 0:
                free_of_failure, failed = self._consume_unrecorded(free_of_failure, failed, label)
                is_applicable |= label.must_wait != NO and free_of_failure != NOTHING_PENDING
                continue
            before_event = free_of_failure
            is_applicable |= label.must_wait != NO and (before_event | failed) != NOTHING_PENDING
            free_of_failure, failed = self._step(free_of_failure, failed, label)
            if before_event and not free_of_failure:
                token, state, since = label.token, (before_event & -before_event).bit_length() - 1, armed
            armed = label.token if label.starts else armed
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
        return Transition(free_of_failure | failed, mark, armed, token, state, since)

    def _is_found_late(self, labels: Sequence[EventLabel], token: int, state: int) -> bool:
        """Return whether each step missing at an event comes later, where a course reports it out of place."""
        late_steps = [label.steps for label in labels if label.misplaced and label.token > token]
        return all(any(steps[missing] == YES for steps in late_steps) for missing in range(state - 1, len(self.steps)))

    def _run_unrecorded(self, states: int, label: EventLabel) -> int:
        clean, failed = self._consume_unrecorded(states, 0, label)
        return clean | failed

    def _consume_unrecorded(self, clean: int, failed: int, label: EventLabel) -> tuple[int, int]:
        """Advance the states over any number of unrecorded events of a kind."""
        while True:
            following = self._step(clean, failed, label)
            following = (following[0] | clean, following[1] | failed)
            if following == (clean, failed):
                return clean, failed
            clean, failed = following

    def _step(self, clean: int, failed: int, label: EventLabel) -> tuple[int, int]:
        """Advance the states over one event, on the paths without and with a failure so far.

        The event waits, is a step, ends the obligation and starts it, in this order.
        """
        if label.must_wait != NO:
            in_order = NOTHING_PENDING | 2 << len(self.steps)
            kept = 0 if label.must_wait == YES else -1
            excused = clean >> len(self.steps) + 2
            late = clean & ~in_order & (4 << len(self.steps)) - 1
            failed = (failed & kept) | (NOTHING_PENDING if late or failed else 0)
            clean = (clean & kept) | (NOTHING_PENDING if clean & in_order else 0)
            clean |= (excused & 1) << 1 | (excused >> 1) << len(self.steps) + 2
        for number in range(len(label.steps), 0, -1):
            belongs = label.steps[number - 1]
            if belongs != NO:
                clean, failed = (_move(states, number, number + 1, belongs) for states in (clean, failed))
        for waiting in range(len(self.steps) + 2, len(self.steps) + 2 + self.grace) if label.steps[0] != NO else ():
            clean, failed = (_move(states, waiting, 2, label.steps[0]) for states in (clean, failed))
        if label.ends:
            clean, failed = (NOTHING_PENDING if states else 0 for states in (clean, failed))
        if label.starts == YES:
            clean, failed = (self.started if states else 0 for states in (clean, failed))
        elif label.starts == UNKNOWN:
            clean, failed = (states | (self.started if states else 0) for states in (clean, failed))
        return clean, failed


def _move(states: int, from_: int, to: int, belongs: int) -> int:
    if not states >> from_ & 1:
        return states
    return (states | 1 << to) & ~(1 << from_) if belongs == YES else states | 1 << to


class ObligationFailure(Struct, frozen=True, kw_only=True):
    """Failed obligation of an item of a track."""

    token: int
    """Place of the failed event in its sequence."""
    missing_steps: tuple[str, ...]
    """Steps that were missing."""
    started_in: int
    """Item in which the obligation started."""
    started_by: int
    """Place of the event that started it; -1 for an opening."""


class AutomatonRun(Struct, frozen=True, kw_only=True):
    """Run of an automaton along a track."""

    status_codes: Statuses
    """Status code of each item."""
    failures: dict[int, ObligationFailure]
    """Failures by item."""


def run_automaton(
    automaton: ObligationAutomaton,
    track: Track,
    sequences: Sequence[EventSequence],
    sequence: Ints,
    decks: Sequence[str] | None,
) -> AutomatonRun:
    """Run an automaton along a track.

    Args:
        sequences: distinct event sequences.
        sequence: int64[items], the sequence of each item.
        decks: names of the track's decks by code; None for the track of a table.
    """
    statuses = bytearray(len(track))
    failures: dict[int, ObligationFailure] = {}
    states, since, since_symbol = automaton.any_states, -1, -1
    # Rounds resemble each other: almost every transition was computed before.
    gaps: dict[tuple[int, bool], int] = {}
    known: dict[tuple[int, int, str | None, bool], Transition] = {}
    columns = (track.first, track.opening, track.gap, track.in_play, track.deck, sequence)
    for item, (first, opening, gap, played, code, index) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if opening:
            states, since, since_symbol = automaton.states_at_opening, item, -1
        elif first:
            states, since, since_symbol = automaton.any_states, -1, -1
        if gap:
            lost = (states, gap == ANY_NUMBER)
            if lost not in gaps:
                gaps[lost] = automaton.advance_over_gap(states, reopened=gap == ANY_NUMBER)
            states = gaps[lost]
        deck = None if decks is None or code < 0 else decks[code]
        key = (index, states, deck if sequences[index].decks else None, played)
        transition = known.get(key)
        if transition is None:
            in_play = None if decks is None else played
            transition = known[key] = automaton.advance(sequences[index], states, deck=deck, in_play=in_play)
        statuses[item] = transition.status_code
        if transition.status_code == FAIL:
            failures[item] = ObligationFailure(
                token=transition.failed_token,
                missing_steps=automaton.steps[transition.failed_state - 1 :],
                started_in=item if transition.started_by >= 0 else since,
                started_by=transition.started_by if transition.started_by >= 0 else since_symbol,
            )
        if transition.last_start >= 0:
            since, since_symbol = item, transition.last_start
        states = transition.states_after
    return AutomatonRun(status_codes=np.frombuffer(bytes(statuses), np.uint8), failures=failures)


def build_automaton(check: NeededCheck) -> ObligationAutomaton:
    """Build the automaton of a check."""
    return ObligationAutomaton(
        occasions=check.occasions,
        steps=tuple(check.steps),
        waiting_steps=check.waiting,
        until=check.until,
        only_recorded=check.told,
        grace=check.grace,
    )


def check_obligation(
    prepared: CompiledGame, rounds: ordered_rounds.OrderedRounds, requirement: Requirement
) -> ordered_rounds.SessionOutcome:
    """Check a requirement `needed` over all sessions."""
    check: NeededCheck = requirement.check.operand
    automaton, names = build_automaton(check), frozenset({*check.occasions, *check.steps, *check.waiting})
    decks = check.each == "deck"
    track, run = _run_along_track(rounds, automaton, names, decks=decks, order=rounds.order)
    status = run.status_codes
    if check.unnumbered is not None and (rounds.order.why == UNNUMBERED).any():
        # A failure that remains without the gaps of unnumbered rounds is certain.
        order = rounds.order.without_unnumbered_gaps(opened=~_has_steps_done_early(rounds, check))
        track, run = _run_along_track(rounds, automaton, names, decks=decks, order=order)
        status = np.where(run.status_codes == FAIL, run.status_codes, status)
    applies = ordered_rounds.find_applicable_rounds(rounds, requirement)[track.places]
    statuses = np.where((status == FAIL) & (applies == UNKNOWN), np.uint8(NOT_EVIDENCED), status)
    statuses[applies == NO] = NOT_APPLICABLE

    items = np.flatnonzero(statuses == FAIL)

    def describe_failure(lapse: int) -> FindingDetails:
        item = int(items[lapse])
        place, failure = int(track.places[item]), run.failures[item]
        return FindingDetails(
            where=rounds.where(place, rounds.event(place, failure.token)),
            expected=describe_due_steps(prepared, failure.missing_steps, automaton.waiting_steps),
            observed=_describe_missed_obligation(prepared, rounds, automaton, track, item, failure),
        )

    def describe_gap(place: int) -> FindingDetails:
        why = ordered_rounds.explain_gap(rounds, place, names) or NEED_NOT_SHOWN
        expected = describe_due_steps(prepared, automaton.steps, automaton.waiting_steps)
        return FindingDetails(where=rounds.where(place), expected=expected, observed=why)

    failures = ordered_rounds.SessionFailures(
        places=track.places[items], rounds=np.ones(len(items), np.int64), describe_failure=describe_failure
    )
    return ordered_rounds.SessionOutcome(
        status_codes=ordered_rounds.combine_per_round(len(rounds), track, statuses),
        failures=failures,
        describe_gap=describe_gap,
    )


def _has_steps_done_early(rounds: ordered_rounds.OrderedRounds, check: NeededCheck) -> Flags:
    """Return for each round whether a record of its table ends with the steps, done for the next round.

    The record before the first one of the log may have ended with them too.
    """
    early = np.array([_ends_with_step(word, check) for word in rounds.sequences], bool)[rounds.sequence_index]
    table = rounds.order.number_sessions()
    return (np.bincount(table, early) > 0)[table]


def _ends_with_step(sequence: EventSequence, check: NeededCheck) -> bool:
    """Return whether a step follows the last waiting event, and is in its place."""
    for last in reversed(sequence.tokens):
        names = set() if last.misplaced else {name for name, _ in last.steps}
        if not names.isdisjoint(check.waiting):
            return False
        if not names.isdisjoint(check.steps):
            return any(not {name for name, _ in token.steps}.isdisjoint(check.waiting) for token in sequence.tokens)
    return False


def _run_along_track(
    rounds: ordered_rounds.OrderedRounds,
    automaton: ObligationAutomaton,
    names: frozenset[str],
    *,
    decks: bool,
    order: PlayOrder,
) -> tuple[Track, AutomatonRun]:
    track = ordered_rounds.build_track(rounds, names, decks=decks, order=order)
    sequence = rounds.sequence_index[track.places]
    return track, run_automaton(automaton, track, rounds.sequences, sequence, rounds.deck.names if decks else None)


def _describe_missed_obligation(
    prepared: CompiledGame,
    rounds: ordered_rounds.OrderedRounds,
    automaton: ObligationAutomaton,
    track: Track,
    item: int,
    failure: ObligationFailure,
) -> str:
    deck = "" if track.deck[item] == ABSENT else f" (deck {rounds.deck.names[track.deck[item]]})"
    here = int(track.places[item])
    event_met = automaton.find_waiting_step(rounds.sequences[int(rounds.sequence_index[here])], failure.token)
    happened = f"{name_moment(prepared, event_met)}{deck} {describe_missing_steps(failure.missing_steps)}"
    place = int(track.places[failure.started_in])
    if failure.started_by < 0:
        opened = int(track.opened[failure.started_in])
        first = ordered_rounds.describe_round(rounds, opened, here)
        if rounds.order.opening[opened]:
            return f"{happened}, needed since the table opened with {first}"
        return f"{happened}; the log has no round before {first}"
    sequence = rounds.sequences[int(rounds.sequence_index[place])]
    belongs = dict(sequence.tokens[failure.started_by].steps)
    since = next(name for name in automaton.occasions if name in belongs)
    event = rounds.event(place, failure.started_by)
    which = "" if place == here else f"{ordered_rounds.describe_round(rounds, place, here)}, "
    return f"{happened}, needed since {which}event {event}: {name_moment(prepared, since)}"
