"""Random hands with words and chips put forward, in and out of turn, checked against a plain listener."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fairdeal.validator.engine.betting.betting_operators import (
    evaluate_betting_predicate,
    evaluate_betting_quantity,
    is_as_declared,
)
from fairdeal.validator.engine.betting.betting_replay import replay_as_recorded, replay_betting
from fairdeal.validator.engine.core import kleene
from tests.facade.rounds import EvaluationContext
from tests.play.betting.game import POSTED, SHORT_ALL_IN
from tests.play.betting.listener import Heard, Listener, replay_with_words
from tests.play.betting.referee import REOPENED_BY, Hand, random_hand
from tests.play.betting.test_logs import LINES, STREETS, game
from tests.play.table import Data, batch_of, configuration, event, room, round_of

WORDS = ("declared-in-turn", "declared-raise", "declared-wager", "said-incomplete")
ANSWERS = {True: kleene.YES, False: kleene.NO, None: kleene.UNKNOWN}
NUMBERS = ("tenders", "first-tender", "tendered", "tendered-chips", "declared", "declared-in")


def write_hand(hand: Hand, story: list[Heard], number: int) -> Data:
    """Return a hand as a log record, with its words and chips put forward.

    Seats are numbered clockwise from the button.
    """
    size = len(hand.players)
    staked: list[dict[str, int]] = [{} for _ in range(size)]
    events = []
    for told_event in story:
        if told_event.who is None:
            assert told_event.act is not None
            events.append(event("announce", what=STREETS[told_event.act.street]))
            continue
        more: Data = {
            key: value
            for key, value in (("amount", told_event.amount), ("chips", told_event.chips))
            if value is not None
        }
        seat = told_event.who + 1
        if told_event.kind == "tender":
            events.append(event("tender", seat, **more))
        elif told_event.kind == "declare":
            events.append(event("declare", seat, decision=told_event.decision, **more))
        else:
            assert told_event.act is not None
            forced = told_event.decision in ("dead", "live") or told_event.act.floor > 0
            line = LINES[told_event.decision] if forced else "bets"
            staked[told_event.who][line] = staked[told_event.who].get(line, 0) + told_event.act.amount
            named: Data = {"wager": line} if forced else {"decision": told_event.decision}
            events.append(event("wager" if forced else "decide", seat, **named, **more))
    seats = [
        {
            "seat": i + 1,
            "stack": hand.bought[i],
            "wagers": [{"wager": line, "amount": amount} for line, amount in staked[i].items() if amount],
        }
        for i in range(size)
    ]
    record = round_of(*seats, number=number, button=size, events=events)
    record["unrecorded"] = [kind for kind in record["unrecorded"] if kind not in ("decide", "wager")]
    return record


def scope_of(records: list[Data], *, fixed: bool, reopened_by: str, any_size: bool) -> EvaluationContext:
    options = {"short-all-in": SHORT_ALL_IN[reopened_by], "smallest-raise": "any" if any_size else "last"}
    posted = [{**wager, "minimum": f"{wager['minimum'] / 100:.2f}"} for wager in POSTED["wagers"]]
    submission = configuration({"wagers": posted, "options": options})
    scope = EvaluationContext(batch_of(records), room(**game(fixed=fixed)).prepared, submission)
    # The listener accepts every act as it was made, and corrects none.
    scope.set_fact(replay_betting, replay_as_recorded(scope))
    return scope


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("reopened_by", REOPENED_BY)
@pytest.mark.parametrize("irregular", [0.0, 0.1])
def test_logs_tell_what_the_listener_heard(*, fixed: bool, reopened_by: str, irregular: float) -> None:
    rng = random.Random(23)
    any_size = reopened_by == "any-raise"
    stories: list[tuple[Hand, list[Heard]]] = []
    while len(stories) < 120:
        hand = random_hand(rng, irregular=irregular)
        if hand.reopened_by == reopened_by and (hand.smallest[2] == 4) == fixed:
            stories.append((hand, replay_with_words(hand, rng)))
    records = [write_hand(hand, story, number) for number, (hand, story) in enumerate(stories)]
    scope = scope_of(records, fixed=fixed, reopened_by=reopened_by, any_size=any_size)

    expected = []
    for hand, story in stories:
        has_words = any(event.kind == "declare" for event in story)
        listener = Listener(smallest=hand.smallest, fixed=fixed, any_size=any_size, has_words=has_words)
        expected += [listener.hear(event) for event in story]
    named = scope.batch.events.seat >= 0
    chosen = np.flatnonzero(named).tolist()
    words = {name: evaluate_betting_predicate(scope, name) for name in WORDS}
    for name, word in (*words.items(), ("as-declared", is_as_declared(scope))):
        deciding = [i for i in chosen if name != "as-declared" or scope.batch.events.decision.codes[i] >= 0]
        assert word[deciding].tolist() == [ANSWERS[expected[i][name]] for i in deciding], name
        assert (word[~named] == kleene.UNKNOWN).all()
    for name in NUMBERS:
        values, known = evaluate_betting_quantity(scope, name)
        told = [i for i in chosen if expected[i][name] is not None]
        assert values[told].tolist() == [expected[i][name] for i in told], name
        assert known[told].all(), name
        assert not known[[i for i in chosen if expected[i][name] is None]].any()
        assert not known[~named].any()
    # The hands are not tame: all that can be said is said in them.
    for name in (*WORDS, *NUMBERS, "as-declared"):
        assert sum(bool(marks[name]) for marks in expected) > 10, name


@pytest.mark.parametrize("irregular", [0.0, 0.1])
def test_how_often_chips_were_put_in_freely(irregular: float) -> None:
    rng = random.Random(4)
    hands = [random_hand(rng, irregular=irregular) for _ in range(60)]
    stories = [replay_with_words(hand, rng) for hand in hands]
    records = [write_hand(hand, story, number) for number, (hand, story) in enumerate(zip(hands, stories, strict=True))]
    scope = scope_of(records, fixed=False, reopened_by="full-raise", any_size=False)

    expected: list[int] = []
    for story in stories:
        free = [
            event.kind == "act" and event.decision in ("call", "bet", "raise") and bool(event.amount) for event in story
        ]
        free = [was and event.act is not None and not event.act.floor for was, event in zip(free, story, strict=True)]
        expected += [sum(free[:i]) for i in range(len(story))]
    values, known = evaluate_betting_quantity(scope, "voluntary-wagers")
    assert known.all()
    assert values.tolist() == expected
    players, _ = evaluate_betting_quantity(scope, "voluntary-players")
    assert (players <= values).all()
    assert (players < values).any()
