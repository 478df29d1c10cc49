"""Obligations after an event: the automaton, and what remains open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.audit.sessions.carried_results import build_deck_tracks, build_table_tracks
from fairdeal.validator.audit.sessions.obligations import AutomatonRun, ObligationAutomaton, run_automaton
from fairdeal.validator.audit.sessions.session_rows import ROUND_DEALT, TABLE_OPENS, EventSequence, EventToken
from tests.facade.rounds import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS, UNKNOWN, YES
from tests.sessions.tracks import draw_kept, order_of, track_of

NONE = -1

FRESH = ObligationAutomaton(occasions=(TABLE_OPENS, ROUND_DEALT), steps=("shuffle",), waiting_steps=("deal",))
STEPS = ObligationAutomaton(occasions=("opened",), steps=("wash", "stack"), waiting_steps=("deal",))


def word(*events: str, dark: Sequence[str] = ()) -> EventSequence:
    """Build the events of a round: `shuffle`; `shuffle?` if it may be another step; `shuffle!` if out of order.

    `shuffle@red` belongs to a deck, `shuffle@` to any.
    """
    symbols = []
    for event in events:
        name, named, deck = event.partition("@")
        belongs = UNKNOWN if name.endswith("?") else YES
        any_deck = bool(named) and not deck
        symbols.append(EventToken(deck or None, ((name.rstrip("?!"), belongs),), name.endswith("!"), any_deck))
    return EventSequence(tuple(symbols), frozenset(dark))


DEALT = ("deal", ROUND_DEALT)
ROUND = word("shuffle", *DEALT)
CARELESS = word(*DEALT)


def run(
    machine: ObligationAutomaton, words: Sequence[EventSequence], numbers: Sequence[int] | None = None
) -> AutomatonRun:
    track = track_of(numbers or range(1, len(words) + 1))
    return run_automaton(machine, track, words, np.arange(len(words)), None)


def marks(
    machine: ObligationAutomaton, words: Sequence[EventSequence], numbers: Sequence[int] | None = None
) -> list[int]:
    return run(machine, words, numbers).status_codes.tolist()


def test_every_round_shuffled_first_passes() -> None:
    assert marks(FRESH, [ROUND] * 3) == [PASS] * 3


def test_a_round_dealt_without_a_shuffle_fails_once() -> None:
    found = run(FRESH, [ROUND, CARELESS, ROUND])
    assert found.status_codes.tolist() == [PASS, FAIL, PASS]
    (failure,) = found.failures.values()
    assert (failure.token, failure.missing_steps, failure.started_in, failure.started_by) == (0, ("shuffle",), 0, 2)


def test_a_step_that_a_milestone_finds_too_late_is_not_missing_besides() -> None:
    late = word("deal", "shuffle!", *DEALT)
    assert marks(FRESH, [ROUND, late, ROUND]) == [PASS, NOT_APPLICABLE, PASS]
    # It is no excuse before the card, without an effect, or for other missing steps.
    assert marks(FRESH, [ROUND, word("deal", "shuffle", *DEALT), ROUND]) == [PASS, FAIL, PASS]
    assert marks(FRESH, [ROUND, late, CARELESS, CARELESS]) == [PASS, NOT_APPLICABLE, FAIL, FAIL]
    assert marks(STEPS, [word("opened", "deal", "wash!", "stack!")]) == [NOT_APPLICABLE]
    assert marks(STEPS, [word("opened", "deal", "wash!")]) == [FAIL]
    assert marks(STEPS, [word("opened", "wash", "deal", "stack!")]) == [NOT_APPLICABLE]


def test_what_a_milestone_finds_out_of_place_need_not_wait_and_makes_nothing_needed() -> None:
    assert marks(FRESH, [word("deal!", "shuffle", *DEALT)]) == [PASS]
    assert marks(FRESH, [word("deal!", *DEALT)]) == [FAIL]
    assert marks(STEPS, [word("opened!", "deal"), word("deal")]) == [NOT_APPLICABLE, NOT_APPLICABLE]


def test_the_first_round_of_a_table_must_be_shuffled() -> None:
    found = run(FRESH, [CARELESS])
    assert found.status_codes.tolist() == [FAIL]
    assert (found.failures[0].started_in, found.failures[0].started_by) == (0, -1)


def test_a_shuffle_told_at_the_end_of_the_round_before_counts() -> None:
    assert marks(FRESH, [word("shuffle", *DEALT, "shuffle"), CARELESS]) == [PASS, PASS]


def test_a_missing_round_may_have_ended_with_the_shuffle() -> None:
    assert marks(FRESH, [ROUND, CARELESS, CARELESS], [1, 3, 4]) == [PASS, NOT_EVIDENCED, FAIL]


def test_without_numbers_only_what_a_round_shows_itself_is_proved() -> None:
    assert marks(FRESH, [ROUND, CARELESS, ROUND], [NONE] * 3) == [PASS, NOT_EVIDENCED, PASS]


def test_rounds_without_numbers_may_be_taken_as_they_stand() -> None:
    numbers = [NONE, NONE, 5, 7]
    order = order_of(numbers)
    track = build_table_tracks(order.without_unnumbered_gaps(opened=np.ones(4, bool)))
    words = [CARELESS, word("shuffle", *DEALT, "shuffle"), CARELESS, CARELESS]
    assert run_automaton(FRESH, track, words, np.arange(4), None).status_codes.tolist() == [
        FAIL,
        PASS,
        PASS,
        NOT_EVIDENCED,
    ]
    assert marks(FRESH, words, numbers) == [NOT_EVIDENCED, PASS, NOT_EVIDENCED, NOT_EVIDENCED]
    track = build_table_tracks(order.without_unnumbered_gaps(opened=np.zeros(4, bool)))
    assert run_automaton(FRESH, track, words, np.arange(4), None).status_codes[0] == NOT_EVIDENCED


def test_what_is_not_recorded_may_have_happened() -> None:
    assert marks(FRESH, [word(*DEALT, dark=["shuffle"])] * 2) == [NOT_EVIDENCED] * 2
    assert marks(FRESH, [word("shuffle", dark=["deal", ROUND_DEALT])]) == [NOT_EVIDENCED]
    assert marks(FRESH, [word(dark=["shuffle", "deal", ROUND_DEALT]), ROUND]) == [NOT_EVIDENCED, PASS]


def test_what_may_have_followed_a_record_that_breaks_off_is_open() -> None:
    cut = EventSequence(ROUND.tokens, breaks_off=True)
    assert marks(FRESH, [cut, CARELESS, CARELESS, ROUND]) == [PASS, NOT_EVIDENCED, FAIL, PASS]
    assert marks(FRESH, [EventSequence(CARELESS.tokens, breaks_off=True)]) == [FAIL]  # which nothing that follows mends
    assert marks(STEPS, [EventSequence((), breaks_off=True), word("deal")]) == [NOT_APPLICABLE, NOT_EVIDENCED]


def test_steps_must_be_taken_in_their_order() -> None:
    assert marks(STEPS, [word("opened", "wash", "stack", "deal")]) == [PASS]
    assert marks(STEPS, [word("opened", "stack", "wash", "deal")]) == [FAIL]
    assert marks(STEPS, [word("opened", "stack", "wash", "wash", "stack", "deal")]) == [PASS]
    assert run(STEPS, [word("opened", "wash"), word("deal")]).failures[1].missing_steps == ("stack",)


def test_whatever_makes_the_steps_needed_again_starts_them_again() -> None:
    assert marks(STEPS, [word("opened", "wash", "opened", "stack", "deal")]) == [FAIL]


def test_nothing_waits_where_nothing_was_needed() -> None:
    assert marks(STEPS, [word("deal"), word(), word("wash")]) == [NOT_APPLICABLE] * 3


def test_what_was_needed_and_done_is_a_pass_once() -> None:
    opened = word("opened", "wash", "stack")
    assert marks(STEPS, [opened, word("deal"), word("deal")]) == [NOT_APPLICABLE, PASS, NOT_APPLICABLE]


def test_an_event_that_may_be_either_thing_leaves_it_open() -> None:
    assert marks(FRESH, [word("shuffle?", "deal")]) == [NOT_EVIDENCED]
    assert marks(FRESH, [word("deal?")]) == [NOT_EVIDENCED]
    assert marks(STEPS, [word("opened?", "deal")]) == [NOT_EVIDENCED]


def test_an_event_that_is_both_waits_before_it_starts() -> None:
    by_hand = ObligationAutomaton(occasions=("shuffle",), steps=("remove",), waiting_steps=("shuffle",))
    assert marks(by_hand, [word("shuffle"), word("shuffle"), word("remove", "shuffle")]) == [NOT_APPLICABLE, FAIL, PASS]


def test_the_opening_stays_what_it_was_while_rounds_are_missing() -> None:
    opened = ObligationAutomaton(occasions=(TABLE_OPENS,), steps=("opened",), waiting_steps=("deal",))
    assert marks(opened, [word("deal"), word("deal")]) == [FAIL, NOT_APPLICABLE]
    assert marks(opened, [word("deal"), word("deal")], [3, 4]) == [NOT_EVIDENCED, NOT_APPLICABLE]
    # Between rounds of one opening nothing makes it needed again; between rounds without numbers it may be.
    assert marks(opened, [word("opened", "deal"), word("deal")], [1, 9]) == [PASS, NOT_APPLICABLE]
    assert marks(opened, [word("opened", "deal"), word("deal")], [NONE, NONE]) == [PASS, NOT_EVIDENCED]


RED, BLUE = 0, 1


def by_deck(
    machine: ObligationAutomaton,
    words: Sequence[EventSequence],
    decks: Sequence[int],
    numbers: Sequence[int] | None = None,
) -> dict[int, int]:
    """Return the most severe status of every round."""
    names = ("red", "blue")
    named = [(at, names.index(deck)) for at, word in enumerate(words) for deck in sorted(word.decks)]
    columns = np.array(named, np.int64).reshape(-1, 2).T
    order = order_of(numbers or range(1, len(words) + 1))
    track = build_deck_tracks(
        order,
        deck=np.array(decks, np.int32),
        named_at=columns[0],
        named=columns[1].astype(np.int32),
        unrecorded=np.array([bool(word.unrecorded) for word in words], bool),
        any_deck=np.array([word.has_any_deck for word in words], bool),
    )
    followed = run_automaton(machine, track, words, track.places, names)
    found: dict[int, int] = {}
    for at, mark in zip(track.places.tolist(), followed.status_codes.tolist(), strict=True):
        found[at] = max(found.get(at, 0), mark)
    return found


def test_each_deck_has_a_machine_of_its_own() -> None:
    both = word("shuffle@blue", *DEALT), word("shuffle@red", *DEALT)
    first = word("shuffle@red", "shuffle@blue", *DEALT)
    assert by_deck(FRESH, [first, both[1], both[0], both[1]], [RED, BLUE, RED, BLUE]) == dict.fromkeys(range(4), PASS)


def test_the_shuffle_of_the_other_deck_is_none_of_this_one() -> None:
    words = [ROUND, word("shuffle@red", *DEALT)]
    assert by_deck(FRESH, words, [RED, BLUE]) == {0: PASS, 1: FAIL}


JAMMED = ObligationAutomaton(occasions=("jam",), steps=("shuffle",), waiting_steps=("deal",))


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        # The jammed deck is recorded, or it may be either, until both are shuffled.
        ([("jam@red", "deal"), ("deal",), ("shuffle@red", "deal")], {2: PASS}),
        ([("jam@red", "deal"), ("deal",), ("deal",)], {2: FAIL}),
        ([("jam@", "deal"), ("deal",), ("deal",)], {0: NOT_EVIDENCED, 2: NOT_EVIDENCED}),
        ([("jam@", "shuffle", "deal"), ("deal",), ("shuffle@red", "deal")], {0: PASS, 2: PASS}),
        ([("jam@", "shuffle@red", "shuffle@blue", "deal"), ("deal",), ("deal",)], {0: PASS, 2: PASS}),
        # A shuffle of either cures none for sure.
        ([("jam@blue", "shuffle@", "deal"), ("deal",), ("deal",)], {0: NOT_EVIDENCED}),
    ],
)
def test_what_may_have_happened_to_any_deck_is_open_for_each(
    words: list[tuple[str, ...]], wanted: dict[int, int]
) -> None:
    """Blue is dealt and red, then blue twice and red."""
    opening = word("shuffle@red", "shuffle@blue", "deal"), word("deal")
    found = by_deck(JAMMED, [*opening, *(word(*parts) for parts in words)], [BLUE, RED, BLUE, BLUE, RED])
    assert {at - 2: mark for at, mark in found.items() if at > 1 and mark != NOT_APPLICABLE} == wanted


def test_an_event_of_any_deck_concerns_a_table_that_names_none() -> None:
    words = [word("jam@", "shuffle", "deal"), word("jam@", "deal")]
    assert by_deck(JAMMED, words, [NONE, NONE]) == {0: PASS, 1: NOT_EVIDENCED}


def test_what_may_have_followed_a_record_that_breaks_off_is_open_for_the_rounds_after_it() -> None:
    words = [CARELESS, ROUND, CARELESS]
    track = build_deck_tracks(
        order_of([1, 2, 3]),
        deck=np.full(3, RED, np.int32),
        named_at=np.zeros(0, np.int64),
        named=np.zeros(0, np.int32),
        unrecorded=np.zeros(3, bool),
        ends=np.array([True, True, False]),
    )
    assert run_automaton(FRESH, track, words, track.places, ("red",)).status_codes.tolist() == [
        FAIL,
        PASS,
        NOT_EVIDENCED,
    ]


def test_one_deck_needs_no_name() -> None:
    assert by_deck(FRESH, [ROUND, ROUND, CARELESS], [NONE] * 3) == {0: PASS, 1: PASS, 2: FAIL}


def test_a_round_that_does_not_say_its_deck_is_a_gap_for_both() -> None:
    words = [ROUND, ROUND, CARELESS, CARELESS]
    found = by_deck(FRESH, words, [RED, NONE, RED, NONE])
    assert found == {0: PASS, 1: PASS, 2: NOT_EVIDENCED, 3: NOT_EVIDENCED}


def test_a_deck_that_was_not_seen_since_the_opening_is_as_the_opening_left_it() -> None:
    assert by_deck(FRESH, [ROUND, CARELESS], [RED, BLUE]) == {0: PASS, 1: FAIL}
    assert by_deck(FRESH, [ROUND, CARELESS], [RED, BLUE], [1, 3]) == {0: PASS, 1: NOT_EVIDENCED}


NAMES = ("since", "one", "two", "before", ROUND_DEALT)


def test_what_no_record_tells_makes_nothing_needed_where_only_told_occasions_count() -> None:
    locked, cleared = word("lock", "deal"), word("lock", "deal", "clear")
    told = ObligationAutomaton(occasions=("deal",), steps=("clear",), waiting_steps=("lock",), only_recorded=True)
    open_ = ObligationAutomaton(occasions=("deal",), steps=("clear",), waiting_steps=("lock",))
    # The first available record, and the next after some missing ones.
    assert marks(told, [cleared, cleared], [4, 7]) == [NOT_APPLICABLE, PASS]
    assert marks(open_, [cleared, cleared], [4, 7]) == [NOT_EVIDENCED, NOT_EVIDENCED]
    assert marks(told, [locked, word("clear", "lock", "deal"), cleared], [4, 5, 6]) == [NOT_APPLICABLE, PASS, FAIL]
    # Slots not cleared in their own record may have been cleared in a missing one.
    assert marks(told, [locked, cleared], [4, 7]) == [NOT_APPLICABLE, NOT_EVIDENCED]


def test_what_ends_the_need_leaves_it_to_another_requirement() -> None:
    until = ObligationAutomaton(occasions=(ROUND_DEALT,), steps=("shuffle",), waiting_steps=("deal",), until="void")
    void = word("shuffle", *DEALT, "void")
    assert marks(until, [ROUND, void, CARELESS, CARELESS]) == [NOT_APPLICABLE, PASS, NOT_APPLICABLE, FAIL]
    # Doubtful or unrecorded events end nothing.
    assert marks(until, [ROUND, word("shuffle", *DEALT, "void?"), CARELESS])[2] == FAIL
    assert marks(until, [ROUND, word("shuffle", *DEALT, dark=["void"]), CARELESS])[2] == FAIL


ANY = ObligationAutomaton(
    occasions=("since", ROUND_DEALT, TABLE_OPENS), steps=("one", "two"), waiting_steps=("before",)
)

symbols = st.builds(
    lambda names: EventToken(None, tuple(sorted(names.items()))),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([UNKNOWN, YES, YES]), min_size=1, max_size=2),
)
words_drawn = st.lists(
    st.builds(lambda listed: EventSequence(tuple(listed)), st.lists(symbols, max_size=5)), min_size=1, max_size=8
)


def plainly(words: Sequence[EventSequence]) -> list[int]:
    """Run the automaton state by state for fully recorded rounds, from the opening on."""
    state, found = 1, []
    for sequence in words:
        asked = failed = False
        for symbol in sequence.tokens:
            names = dict(symbol.steps)
            if "before" in names:
                asked, failed = asked or state > 0, failed or state in (1, 2)
                state = 0
            if "two" in names and state == 2:
                state = 3
            if "one" in names and state == 1:
                state = 2
            if "since" in names or ROUND_DEALT in names:
                state = 1
        found.append(FAIL if failed else PASS if asked else NOT_APPLICABLE)
    return found


def is_borne_out(mark: int, actual: int) -> bool:
    """Return whether a status claims no more than the actual one.

    A fulfilled check may pass even if its need is not known.
    """
    return mark in (NOT_EVIDENCED, actual) or (mark == PASS and actual == NOT_APPLICABLE)


@given(words_drawn, st.data())
def test_a_verdict_holds_whatever_is_open(words: list[EventSequence], data: st.DataObject) -> None:
    def settle(symbol: EventToken) -> EventToken:
        kept_names = [
            (name, YES) for name, value in symbol.steps if value == YES or data.draw(st.booleans(), label=name)
        ]
        return EventToken(None, tuple(kept_names))

    truth = plainly([EventSequence(tuple(settle(symbol) for symbol in word.tokens)) for word in words])
    for mark, actual in zip(marks(ANY, words), truth, strict=True):
        assert is_borne_out(mark, actual)


@given(words_drawn, st.data())
def test_a_missing_round_can_only_take_proof_away(words: list[EventSequence], data: st.DataObject) -> None:
    whole = marks(ANY, words)
    left = data.draw(draw_kept(len(words)))
    thinned = marks(ANY, [words[index] for index in left], [index + 1 for index in left])
    for index, mark in zip(left, thinned, strict=True):
        assert is_borne_out(mark, whole[index])


@given(words_drawn)
def test_without_numbers_nothing_is_proved_that_is_not_so(words: list[EventSequence]) -> None:
    whole = marks(ANY, words)
    for mark, actual in zip(marks(ANY, words, [NONE] * len(words)), whole, strict=True):
        assert is_borne_out(mark, actual)


@given(words_drawn, st.lists(st.sampled_from([NONE, RED, BLUE]), min_size=8, max_size=8), st.data())
def test_a_missing_round_can_only_take_proof_of_decks_away(
    words: list[EventSequence], decks: list[int], data: st.DataObject
) -> None:
    named = [RED, *decks][: len(words)]  # a session whose decks have names
    whole = by_deck(ANY, words, named)
    left = [0, *(index for index in data.draw(draw_kept(len(words))) if index)]
    thinned = by_deck(ANY, [words[i] for i in left], [named[i] for i in left], [i + 1 for i in left])
    for place, index in enumerate(left):
        assert is_borne_out(thinned[place], whole[index])
