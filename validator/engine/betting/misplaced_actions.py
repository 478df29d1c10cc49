"""Detection of a single misplaced action that explains all disorder in a round of betting.

An action that comes too late or too early changes what all players in between face: the turn, the amount to call,
the end of the betting. This is one violation, which is reported once. All other actions are checked with the
misplaced action in its proper position. If no single action explains a round, all actions are checked as recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Ints32, find_true, is_one_of
from fairdeal.validator.engine.betting import betting_snapshots
from fairdeal.validator.engine.betting.betting_run import play_actions
from fairdeal.validator.engine.facts.seat_layout import has_several_seats
from fairdeal.validator.evidence.log_events import KIND_CODES

MOST_ACTIONS = 100
"""Largest number of actions in a round that is corrected; an action may belong between any two others."""
_BATCH_SIZE = 1 << 17
"""Number of actions that are replayed together while the positions are tried."""
_DECIDE = KIND_CODES["decide"]
ANNOUNCEMENTS = (KIND_CODES["declare"], KIND_CODES["tender"])
"""Kinds of event for words and chips that announce an action."""


class PlayedBetting(Struct, frozen=True, kw_only=True):
    """Betting of H rounds as it was replayed."""

    actions: betting_snapshots.BettingActions
    """Actions of the rounds."""
    event_kinds: Codes
    """Kind of the event of each action, uint8[A]."""
    terms: betting_snapshots.BettingTerms
    """Terms of the rounds, in the order of the actions."""
    snapshots: betting_snapshots.BettingSnapshots
    """Snapshots before each action and at the end of each round."""
    final_state: betting_snapshots.FinalBettingState
    """State at the end of each round."""

    @classmethod
    def replay(
        cls,
        actions: betting_snapshots.BettingActions,
        event_kinds: Codes,
        terms: betting_snapshots.BettingTerms,
        *,
        may_break_order: bool = True,
    ) -> PlayedBetting:
        """Replay the actions; the arguments are as in the fields, and in `play_actions`."""
        snapshots, final_state = play_actions(actions, terms, may_break_order=may_break_order)
        return cls(actions=actions, event_kinds=event_kinds, terms=terms, snapshots=snapshots, final_state=final_state)

    def list_entries(self, number: int) -> list[int]:
        """Return the actions of one of the H rounds, in log order."""
        result: list[int] = self.actions.list_entries(number).tolist()
        return result

    def find_disorder(self) -> tuple[Flags, Flags]:
        """Find the actions that break the order, and those of the wrong kind or size.

        Returns:
            bool[A], actions that the seat may not take, and cards that come too early; bool[A], actions of the wrong
            kind or size for what the seat faces.
        """
        own, acts, states = slice(0, len(self.event_kinds)), self.actions, self.snapshots
        op, due, still_in = acts.op, states.seat_to_act[own], states.still_in[own]
        bet, committed = states.current_bet[own], states.committed[own]
        to, faces_bet, is_open = committed + acts.amount, bet > committed, due != ABSENT
        is_elsewhere = due != acts.row
        may_check = states.is_option_moot[own] & (op == betting_snapshots.CHECK)
        may_concede = ~is_open & (op == betting_snapshots.CONCEDE)
        order = betting_snapshots.is_betting_action(op) & (~still_in | (is_elsewhere & ~may_check & ~may_concede))
        # A folded seat exchanges no cards.
        order |= (op == betting_snapshots.OTHER) & (self.event_kinds == _DECIDE) & ~still_in
        order |= (op == betting_snapshots.MUCK) & is_open & is_elsewhere & faces_bet & still_in
        order |= (op >= betting_snapshots.STREET) & is_open
        meets_bet = betting_snapshots.meets_bet(to, bet, acts.amount >= states.stack_left[own])
        size = (op == betting_snapshots.CHECK) & faces_bet
        size |= (op == betting_snapshots.CALL) & ~(faces_bet & meets_bet)
        size |= (op == betting_snapshots.BET) & (bet > 0)
        size |= (op == betting_snapshots.RAISE) & ((bet == 0) | (to <= bet) | ~states.may_raise[own])
        return order, size


class MisplacedAction(Struct, frozen=True, kw_only=True):
    """Action that is out of place. Events are indices in the batch."""

    event: int
    """Event of the misplaced action."""
    belongs_before: int
    """Action that misplaced cards belong before; ABSENT for an action of a seat, and for cards that belong last."""
    reporting_event: int = ABSENT
    """Event whose check reports the violation; ABSENT if a requirement on the course of the betting reports it."""
    seat_due: int = ABSENT
    """Row that had to act when the reporting event came."""


class _Hypothesis(Struct, frozen=True, kw_only=True):
    """Hypothesis: a round with one action at another position."""

    number: int
    """Index of the round."""
    entries: list[int]
    """Actions of the round in the order in which they are replayed."""
    moved: int
    """Action that is moved."""
    reported_by: int
    """Action whose check reports the violation; ABSENT if a requirement on the course of the betting reports it."""


def correct_misplaced_actions(
    betting: PlayedBetting, *, known: Flags, reported_elsewhere: Mapping[int, int], waiting: Sequence[Ints]
) -> tuple[PlayedBetting, list[MisplacedAction]]:
    """Replay each round that one misplaced action explains, with this action in its proper position.

    Returns:
        The betting with the snapshots of these rounds as corrected, and the misplaced actions.

    Args:
        known: bool[H], whether all of the betting is known.
        reported_elsewhere: events that the course of the betting reports, with the effect of each where it belongs.
        waiting: events, ascending, of each step that waits for the end of the betting.
    """
    acts, numbers = betting.actions, betting.actions.number_rounds()
    order, size = betting.find_disorder()
    ops, elsewhere = acts.op.copy(), is_one_of(acts.events, [*reported_elsewhere])
    for entry in find_true(elsewhere).tolist():
        ops[entry] = reported_elsewhere[int(acts.events[entry])]
    suspected = np.zeros(len(known), bool)
    suspected[numbers[order | elsewhere]] = True
    suspected &= known & (np.bincount(numbers[elsewhere], minlength=len(known)) <= 1)
    # The cards decide who brings in; the others answer a wrong bring-in as if it were right.
    suspected[numbers[order & (acts.op == betting_snapshots.BRING_IN)]] = False
    sizes = np.bincount(numbers[size & ~order], minlength=len(known))  # disorder is reported first
    result: list[MisplacedAction] = []
    tries: list[_Hypothesis] = []
    for number in find_true(suspected).tolist():
        entries = betting.list_entries(number)
        if len(entries) > MOST_ACTIONS:
            continue
        recorded = [entry for entry in entries if elsewhere[entry]]
        tries += (
            _try_course_violation(betting, ops, number, recorded[0])
            if recorded
            else _try_positions(betting, number, order, size)
        )
        if sum(len(hypothesis.entries) for hypothesis in tries) > _BATCH_SIZE:
            betting, found = _choose_hypotheses(betting, ops, sizes, waiting, tries)
            result, tries = result + found, []
    betting, found = _choose_hypotheses(betting, ops, sizes, waiting, tries)
    return betting, result + found


def _try_course_violation(betting: PlayedBetting, ops: Codes, number: int, entry: int) -> Iterator[_Hypothesis]:
    """Yield the positions at which an action that the course reports may belong.

    A forced bet belongs ahead of all actions; a decision belongs later.
    """
    entries = betting.list_entries(number)
    if ops[entry] >= betting_snapshots.FOLD:
        yield from _try_later(betting, number, entry, ABSENT)
    else:
        first = next(
            (place for place, other in enumerate(entries) if betting_snapshots.is_betting_action(ops[other])),
            len(entries),
        )
        yield _move_entry(betting, number, entry, first, ABSENT)


def _try_positions(betting: PlayedBetting, number: int, order: Flags, size: Flags) -> Iterator[_Hypothesis]:
    """Yield the positions at which one action may belong, based on the first action that is out of order.

    Candidates, in this order: the action of the seat to act, ahead of that action; that action itself, later; the next
    cards, ahead of it; an earlier action of the wrong kind, or of the same seat, later.
    """
    entries, rows, ops = betting.list_entries(number), betting.actions.row, betting.actions.op
    first = next(entry for entry in entries if order[entry])
    at, due = entries.index(first), int(betting.snapshots.seat_to_act[first])
    before, after = entries[:at], entries[at + 1 :]
    acts = [
        entry
        for entry in after
        if betting_snapshots.is_betting_action(ops[entry])
        and ops[entry] != betting_snapshots.CONCEDE
        and rows[entry] == due != ABSENT
    ]
    cards = [entry for entry in after if ops[entry] >= betting_snapshots.STREET]
    yield from (_move_entry(betting, number, entry, at, first) for entry in acts)
    yield from _try_later(betting, number, first, first)
    yield from (_move_entry(betting, number, entry, at, first) for entry in cards[:1])
    of_the_wrong_kind = [entry for entry in before if size[entry]]
    of_the_same_seat = [
        entry
        for entry in reversed(before)
        if rows[entry] == rows[first] != ABSENT and ops[entry] >= betting_snapshots.FOLD
    ]
    for entry in dict.fromkeys([*of_the_wrong_kind[:1], *of_the_same_seat[:1]]):
        yield from _try_later(betting, number, entry, first)


def _try_later(betting: PlayedBetting, number: int, entry: int, reported_by: int) -> Iterator[_Hypothesis]:
    entries = betting.list_entries(number)
    places = range(entries.index(entry), len(entries))  # including its own position: the entry ahead may be no action
    return (_move_entry(betting, number, entry, place, reported_by) for place in places)


def _move_entry(betting: PlayedBetting, number: int, entry: int, place: int, reported_by: int) -> _Hypothesis:
    rest = [other for other in betting.list_entries(number) if other != entry]
    rows, kinds = betting.actions.row, betting.event_kinds
    while place < len(rest) and kinds[rest[place]] in ANNOUNCEMENTS and rows[rest[place]] == rows[entry]:
        place += 1
    return _Hypothesis(
        number=number, entries=[*rest[:place], entry, *rest[place:]], moved=entry, reported_by=reported_by
    )


def _choose_hypotheses(
    betting: PlayedBetting, ops: Codes, sizes: Ints, waiting: Sequence[Ints], tries: Sequence[_Hypothesis]
) -> tuple[PlayedBetting, list[MisplacedAction]]:
    """Replay hypotheses, choose one per round, and put its snapshots in place of those of the record."""
    if not tries:
        return betting, []
    replayed, entries, owner = _replay_hypotheses(betting, ops, tries)
    chosen = _find_explanations(betting, replayed, owner, sizes, tries)
    if not chosen:
        return betting, []
    result = [_describe(betting, waiting, tries[index]) for index in chosen]
    numbers, ranks = [tries[index].number for index in chosen], replayed.actions.round_rank[chosen]
    replaced = find_true(is_one_of(owner, chosen))
    snapshots = _replace_rows(
        betting.snapshots,
        np.append(entries[replaced], len(betting.event_kinds) + np.array(numbers)),
        replayed.snapshots,
        np.append(replaced, len(entries) + ranks),
    )
    reporting = [
        tries[index].reported_by
        for index, action in zip(chosen, result, strict=True)
        if action.reporting_event == betting.actions.events[tries[index].reported_by]
    ]
    still_in = snapshots.still_in.copy()
    still_in[reporting] = betting.snapshots.still_in[reporting]  # as the seat was when the event came
    final_state = _replace_rows(betting.final_state, np.array(numbers), replayed.final_state, ranks)
    corrected = replace(betting, snapshots=replace(snapshots, still_in=still_in), final_state=final_state)
    return corrected, result


def _replay_hypotheses(
    betting: PlayedBetting, ops: Codes, tries: Sequence[_Hypothesis]
) -> tuple[PlayedBetting, Ints, Ints32]:
    """Replay every hypothesis as a round.

    Returns:
        The betting; int64[A], the recorded action that each of its actions is; int32[A], the hypothesis of each.
    """
    acts = betting.actions
    entries = np.concatenate([hypothesis.entries for hypothesis in tries])
    owner = np.repeat(np.arange(len(tries), dtype=np.int32), [len(hypothesis.entries) for hypothesis in tries])
    actions, places = betting_snapshots.BettingActions.arrange(
        owner,
        len(tries),
        events=acts.events[entries],
        op=ops[entries],
        row=acts.row[entries],
        amount=acts.amount[entries],
        minimum_bet=acts.minimum_bet[entries],
    )
    entries, rounds = entries[places], np.array([hypothesis.number for hypothesis in tries])
    terms = betting.terms.select(rounds[actions.round_order])
    kinds = betting.event_kinds[entries]
    # A hypothesis that breaks the order is rejected for that action.
    replayed = PlayedBetting.replay(actions, kinds, terms, may_break_order=False)
    return replayed, entries, owner[places]


def _find_explanations(
    betting: PlayedBetting, replayed: PlayedBetting, owner: Ints32, sizes: Ints, tries: Sequence[_Hypothesis]
) -> list[int]:
    """Return the chosen hypothesis of each round in which one brings all actions in order.

    A choice has no more actions of the wrong kind or size than the record has, `sizes`, int64[H]. The function prefers
    the fewest of these, then the most words and chips in turn, then the first hypothesis.
    """
    actions, own = replayed.actions, slice(0, len(owner))
    ends, rounds = len(owner) + actions.round_rank, np.array([hypothesis.number for hypothesis in tries])
    disorder, size = replayed.find_disorder()
    wrong_sizes = np.bincount(owner[size], minlength=len(tries))
    seat_to_act, recorded_seat_to_act = replayed.snapshots.seat_to_act, betting.snapshots.seat_to_act
    # A record that stops while a seat must act must still do so.
    is_left_open = (seat_to_act[ends] != ABSENT) & (recorded_seat_to_act[len(betting.event_kinds) + rounds] == ABSENT)
    rejected = is_left_open | (wrong_sizes > sizes[rounds])
    for_nobody = (actions.op >= betting_snapshots.STREET) & ~has_several_seats(replayed.snapshots.players_in[own])
    rejected[owner[disorder | for_nobody]] = True
    is_out_of_turn = is_one_of(replayed.event_kinds, ANNOUNCEMENTS) & (seat_to_act[own] != actions.row)
    out_of_turn = np.bincount(owner, is_out_of_turn, minlength=len(tries))
    chosen: dict[int, int] = {}
    fitting = find_true(~rejected).tolist()
    for index in sorted(fitting, key=lambda number: (wrong_sizes[number], out_of_turn[number], number)):
        chosen.setdefault(tries[index].number, index)
    return [*chosen.values()]


def _describe(betting: PlayedBetting, waiting: Sequence[Ints], done: _Hypothesis) -> MisplacedAction:
    """Describe a misplaced action.

    If an event that waits for the end of the betting came while the seat had to act, that event reports the violation.
    """
    acts, after = betting.actions, done.entries[done.entries.index(done.moved) + 1 :]
    act = int(acts.events[done.moved])
    ahead_of = int(acts.events[after[0]]) if after and acts.op[done.moved] >= betting_snapshots.STREET else ABSENT
    if done.reported_by == ABSENT:
        return MisplacedAction(event=act, belongs_before=ahead_of)
    reported_by, due = int(acts.events[done.reported_by]), int(betting.snapshots.seat_to_act[done.reported_by])
    if acts.row[done.moved] == due != ABSENT:
        between = (events[np.searchsorted(events, reported_by) : np.searchsorted(events, act)] for events in waiting)
        reported_by = next((int(events[0]) for events in between if len(events)), reported_by)
    return MisplacedAction(event=act, belongs_before=ahead_of, reporting_event=reported_by, seat_due=due)


States = TypeVar("States", betting_snapshots.BettingSnapshots, betting_snapshots.FinalBettingState)


def _replace_rows(states: States, rows: Ints, others: States, other_rows: Ints) -> States:
    """Return states with some rows replaced by rows of others."""
    columns = {name: getattr(states, name).copy() for name in states.__struct_fields__}
    for name, column in columns.items():
        column[rows] = getattr(others, name)[other_rows]
    return replace(states, **columns)
