"""Rounds of betting as logs show them: the turn, the bet to call, and unknown values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.play.betting.game import GAME, OPEN, POSTED, play_acts
from tests.play.table import NOTHING, Data, answers, measures

FOUR = {1: 10_000, 2: 10_000, 3: 10_000, 4: 10_000}
BLINDS = "1 small 100; 2 big 200"


def say(word: str, record: Data, *, submission: Data | None = POSTED) -> list[str]:
    return answers({"betting": word}, [record], "event", submission=submission, **GAME)


def gauge(name: str, record: Data, *, submission: Data | None = POSTED) -> list[Any]:
    return measures({"betting": name}, [record], "event", submission=submission, **GAME)


def four(acts: str, **stacks: int | None) -> Data:
    own: dict[int, int | None] = {**FOUR, **{int(seat[1:]): stack for seat, stack in stacks.items()}}
    return play_acts(f"{BLINDS}; {acts}", stacks=own, button=4)


def test_players_act_in_turn_and_one_that_is_skipped_acts_next() -> None:
    record = four("4 call 200; 3 call 200; 1 call 100; 2 check; second; 1 check; 2 check")

    assert say("in-turn", record)[2:] == ["no", "yes", "yes", "yes", "unknown", "yes", "yes"]
    assert say("open", record)[2:] == ["yes", "yes", "yes", "yes", "no", "yes", "yes"]


def test_the_big_blind_has_an_act_of_its_own() -> None:
    checks = four("3 call 200; 4 fold; 1 call 100; 2 check; second")
    skipped = four("3 call 200; 4 fold; 1 call 100; second")
    raised = four("3 call 200; 4 fold; 1 call 100; 2 raise 600; second")

    assert say("option-owed", checks)[-1] == say("open", checks)[-1] == "no"
    assert say("option-owed", skipped)[-1] == say("open", skipped)[-1] == "yes"
    assert (say("option-owed", raised)[-1], say("open", raised)[-1]) == ("no", "yes")


def test_checked_through_is_over() -> None:
    record = four("3 call 200; 4 call 200; 1 call 100; 2 check; second; 1 check; 2 check; 3 check; 4 check; 2 bet 400")

    assert say("open", record)[7:] == ["yes", "yes", "yes", "yes", "no"]


def test_a_bet_is_to_be_met_in_full_or_with_all_chips() -> None:
    record = four("3 raise 600; 4 check; 1 call 500; 2 fold", s1=600)

    assert say("faced", record)[2:] == ["yes"] * 4
    assert gauge("to-call", record)[2:] == [200, 600, 500, 400]
    assert gauge("behind", record)[2:] == [10_000, 10_000, 500, 9_800]
    assert say("all-in", record)[2:] == ["no", "no", "yes", "no"]
    assert gauge("pot", record)[2:] == [300, 900, 900, 1_400]
    assert gauge("voluntary-players", record)[2:] == [0, 1, 1, 2]
    assert gauge("players-in", record)[2:] == [4, 4, 4, 4]


@pytest.mark.parametrize(
    ("raised", "by", "beyond"), [(600, 0, "no"), (700, 100, "no"), (999, 399, "no"), (1000, 400, "yes")]
)
def test_a_raise_is_measured_by_the_last_one(raised: int, by: int, beyond: str) -> None:
    record = four(f"3 raise 600; 4 raise {raised}")

    assert gauge("raise-by", record)[3] == by
    assert gauge("smallest-raise", record)[3] == 400
    assert gauge("smallest-raise", record, submission=OPEN)[3] == 1
    enough = {"betting": "raise-by", "at-least": {"betting": "smallest-raise"}}
    assert answers(enough, [record], "event", submission=POSTED, **GAME)[3] == beyond


@pytest.mark.parametrize(("all_in", "closed"), [(1400, "no"), (2000, "yes")])
def test_a_short_all_in_opens_the_betting_again_or_not(all_in: int, closed: str) -> None:
    called = "3 call 200; 4 call 200; 1 call 100; 2 check; second"
    record = four(f"{called}; 1 bet 1000; 2 call 1000; 3 raise {all_in}; 4 fold; 1 raise 3000", s3=200 + all_in)

    assert say("may-raise", record)[-1] == closed
    assert say("may-raise", record, submission=OPEN)[-1] == "yes"
    assert say("all-in", record)[-3] == "yes"


def test_who_has_not_acted_may_raise_whatever_the_smallest_bet() -> None:
    chosen = {"options": POSTED["options"]}
    record = four("3 raise 600; 4 raise 1000; 1 fold; 2 fold; 3 raise 2000")

    assert say("may-raise", record, submission=chosen)[2:] == ["yes", "yes", "yes", "yes", "unknown"]
    assert say("may-raise", record, submission=None)[2:] == ["yes", "yes", "yes", "yes", "unknown"]
    assert say("may-raise", record)[-1] == "yes"


def test_a_blind_that_is_all_in_leaves_the_bet_as_posted() -> None:
    full = four("3 call 200; 4 fold; 1 call 100; 2 check")
    short = play_acts(
        "1 small 100; 2 big 150; 3 call 200; 4 fold; 1 call 100; second",
        stacks={1: 10_000, 2: 150, 3: 10_000, 4: 10_000},
        button=4,
    )

    assert gauge("level", short)[2:] == gauge("level", full)[2:] == [200] * 4
    assert say("open", short)[-1] == "no"
    assert gauge("level", short, submission=None)[2:] == [NOTHING] * 4
    assert gauge("level", full, submission=None)[2:] == [200] * 4


def test_the_small_blind_owes_nothing_to_a_big_blind_that_is_all_in_for_no_more() -> None:
    covered = play_acts("1 small 100; 2 big 80; 3 fold; 4 fold; second", stacks={**FOUR, 2: 80}, button=4)
    beyond = play_acts("1 small 100; 2 big 150; 3 fold; 4 fold; second", stacks={**FOUR, 2: 150}, button=4)
    called = play_acts("1 small 100; 2 big 80; 3 call 200; 4 fold; second", stacks={**FOUR, 2: 80}, button=4)

    assert say("open", covered)[-1] == "no"
    assert say("open", beyond)[-1] == "yes"
    assert say("open", called)[-1] == "yes"


def test_of_two_players_the_button_posts_the_small_blind_and_acts_last_later() -> None:
    record = play_acts(
        "2 small 100; 1 big 200; 2 call 100; 1 check; second; 1 check; 2 check", stacks={1: 5_000, 2: 5_000}, button=2
    )

    assert say("in-turn", record)[2:] == ["yes", "yes", "unknown", "yes", "yes"]
    assert answers({"position": "small-seat"}, [record], **GAME) == ["no", "yes"]
    assert answers({"position": "big-seat"}, [record], **GAME) == ["yes", "no"]
    assert answers({"position": "button"}, [record], **GAME) == ["no", "yes"]


def test_the_button_may_lie_where_nobody_plays() -> None:
    record = play_acts("2 small 100; 5 big 200; 7 call 200", stacks={2: 5_000, 5: 5_000, 7: 5_000}, button=8)

    assert answers({"position": "small-seat"}, [record], **GAME) == ["yes", "no", "no"]
    assert answers({"position": "button"}, [record], **GAME) == ["no"] * 3
    assert say("in-turn", record)[-1] == "yes"


def test_who_does_not_play_has_no_turn() -> None:
    record = four("3 call 200; 1 call 100; 2 check")
    record["seats"][3]["playing"] = False

    assert say("in-turn", record)[2:] == ["yes", "yes", "yes"]
    assert measures({"players": "dealt-in"}, [record], "round", **GAME) == [3]
    assert measures({"players": "seated"}, [record], "round", **GAME) == [4]
    assert answers({"taking-part": True}, [record], **GAME) == ["yes", "yes", "yes", "no"]


def test_what_is_not_recorded_leaves_open_what_hangs_on_it() -> None:
    record = four("3 raise 600; 4 fold")
    no_button, no_stack = {**record}, four("3 raise 600; 4 fold", s4=None)
    del no_button["button"]

    assert say("in-turn", no_button)[2:] == say("open", no_button)[2:] == ["unknown"] * 2
    assert say("faced", no_button)[2:] == ["yes", "yes"]
    assert say("in-turn", no_stack)[2:] == ["unknown"] * 2
    assert gauge("behind", no_stack)[2:] == [10_000, NOTHING]
    assert say("all-in", no_stack)[2:] == ["no", "unknown"]
    assert gauge("to-call", no_stack)[2:] == [200, 600]


def test_after_an_amount_that_is_not_known_nothing_is_but_that_a_fold_puts_nothing_in() -> None:
    record = four("3 raise; 4 call 600; 1 fold")

    assert gauge("put-in", record) == [100, 200, NOTHING, NOTHING, 0]
    assert gauge("level", record)[2:] == [200, NOTHING, NOTHING]
    assert say("still-in", record)[2:] == ["yes", "unknown", "unknown"]
    assert say("in-turn", record)[2:] == ["yes", "unknown", "unknown"]


def test_who_folded_is_out_and_what_it_does_then_is_taken_as_it_stood() -> None:
    record = four("3 fold; 3 call 200; 4 call 200; 1 call 100; 2 check; second")

    assert say("still-in", record)[2:6] == ["yes", "no", "yes", "yes"]
    assert say("in-turn", record)[2:6] == ["yes", "no", "yes", "yes"]
    assert say("open", record)[-1] == "no"


def test_who_checks_and_then_raises() -> None:
    record = four(
        "3 call 200; 4 fold; 1 fold; 2 check; second; 2 check; 3 bet 200; 2 raise 600; 3 call 400; third; 2 bet 200"
    )

    assert say("check-raising", record)[7:] == ["no", "no", "yes", "no", "unknown", "no"]
    assert say("unopened", record)[7:] == ["yes", "yes", "no", "no", "no", "yes"]


def test_who_contends_at_the_end() -> None:
    shown = four("3 call 200; 4 fold; 1 fold; 2 check; second; 2 check; 3 check; 3 shows; 2 concede")
    faced = four("3 call 200; 4 fold; 1 fold; 2 check; second; 2 check; 3 bet 200; 2 concede")
    walk = four("3 fold; 4 fold; 1 fold")
    contends: Data = {"betting": "contends-at-the-end"}

    assert answers(contends, [shown], submission=POSTED, **GAME) == ["no", "yes", "no", "no"]
    assert answers(contends, [faced], submission=POSTED, **GAME) == ["no"] * 4  # a concession facing a bet is a fold
    assert answers(contends, [walk], submission=POSTED, **GAME) == ["no"] * 4


def test_fixed_sizes_and_a_most_of_raises() -> None:
    rounds = [
        {**betting_round, "size": {"times": {"minimum": "big"}, "by": times}}
        for betting_round, times in zip(GAME["betting"]["rounds"], (1, 2, 2), strict=True)
    ]
    sizes = {**GAME["betting"]["sizes"], "raises": 2}
    limit: Data = {**GAME, "betting": {**GAME["betting"], "rounds": rounds, "sizes": sizes}}
    record = four("3 raise 400; 4 raise 600; 1 raise 700; 2 fold; 3 fold; 4 fold; second; 1 bet 400")

    def gauge_limited(name: str) -> list[Any]:
        return measures({"betting": name}, [record], "event", submission=POSTED, **limit)

    assert gauge_limited("raises")[2:5] == [0, 1, 2]
    assert answers({"betting": "may-raise"}, [record], "event", submission=POSTED, **limit)[2:5] == ["yes", "yes", "no"]
    assert gauge_limited("smallest-raise")[2:5] == gauge_limited("largest-raise")[2:5] == [200] * 3
    assert gauge_limited("smallest-bet")[-1] == gauge_limited("largest-raise")[-1] == 400


def test_a_pot_limit_is_the_pot_once_the_bet_is_met() -> None:
    betting = {**GAME["betting"], "sizes": {**GAME["betting"]["sizes"], "most": "pot"}}
    record = four("3 raise 700; 4 raise 2400")

    largest = measures(
        {"betting": "largest-raise"}, [record], "event", submission=POSTED, **{**GAME, "betting": betting}
    )
    # 3 in the middle and 2 to call; then 10 and 7 to call.
    assert largest[2:] == [500, 1_700]
    assert gauge("largest-raise", record)[2:] == [9_800, 9_300]


def test_stacks_and_what_was_staked() -> None:
    record = four("3 raise 600; 4 fold", s4=None)
    record["seats"][0]["stack-after"] = 9_900

    assert measures({"stack": "start"}, [record], **GAME) == [10_000] * 3 + [NOTHING]
    assert measures({"stack": "after"}, [record], **GAME) == [9_900, NOTHING, NOTHING, NOTHING]
    assert measures({"staked": "this-seat"}, [record], **GAME) == [100, 200, 600, 0]
    assert measures({"staked": "all-seats"}, [record], "round", **GAME) == [900]
    smaller: Data = {"smaller": [{"staked": "this-seat"}, {"stack": "start"}, 150]}
    assert measures(smaller, [record], **GAME) == [100, 150, 150, (None, 0)]
    less: Data = {"staked": "this-seat", "less-than": 200}
    assert answers(less, [record], **GAME) == ["yes", "no", "no", "yes"]
