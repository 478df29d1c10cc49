"""Hands settled by hand: amounts due from each pot, chip by chip, and findings where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from fairdeal.validator.audit.round_description import describe_pots
from fairdeal.validator.engine.pots.side_pots import pot_contributions
from tests.facade.rounds import EvaluationContext, compile_game
from tests.play.pots.table import (
    PLAY,
    Data,
    Told,
    Verdict,
    batch_of,
    dollars,
    house,
    judge,
    open_in,
    pot,
    regulation,
)

CHIP = house(smallest_chip=1)
MONEY = ("shares", "uncalled", "adds-up")
FOUR = {1: 100, 2: 100, 3: 100, 4: 100}


def table(
    stacks: Mapping[int, float] = FOUR, button: int = 4, *, cards: Mapping[int, str] | None = None, board: str = ""
) -> Told:
    """Post blinds of 1 and 2 at the two seats left of the button."""
    told = Told(stacks=stacks, button=button, cards=dict(cards or {}), board=board)
    order = sorted(stacks, key=lambda seat: (seat - button - 1) % 100)
    return told.post(order[0], "small-blind", 1).post(order[1], "big-blind", 2)


def clean(record: Data, *, choices: dict[str, str] | None = None) -> Verdict:
    verdict = judge(record, submission=CHIP, choices=choices)
    for name in MONEY:
        assert verdict.status[name] in ("pass", "not-applicable"), (name, verdict.found[name], verdict.gaps.get(name))
    return verdict


def everywhere(told: Told) -> None:
    """Assert that a correct round has no findings, whether fully recorded or public."""
    clean(told.record())
    clean(told.public())


class TestWithoutAShowdown:
    def test_walk(self) -> None:
        walk = table().folds(3, 4, 1)
        everywhere(walk.refund(2, 1, "big-blind").award(2, 2))
        everywhere(table().folds(3, 4, 1).award(2, 3))  # in one piece

    def test_all_fold_to_a_raise(self) -> None:
        raised = table().act(3, "raise", 6).folds(4, 1, 2)
        everywhere(raised.refund(3, 4).award(3, 5))

    def test_the_uncalled_part_goes_to_another(self) -> None:
        raised = table().act(3, "raise", 6).folds(4, 1, 2).award(2, 4).award(3, 5)
        verdict = judge(raised.record(), submission=CHIP)
        assert verdict.found["uncalled"] == [(3, "seat 3 should get back 4.00", "received nothing")]
        assert verdict.found["shares"] == [(2, "seat 2 should receive nothing (folded or conceded)", "received 4.00")]
        public = judge(raised.public(), submission=CHIP)
        assert [public.found[name] for name in ("uncalled", "shares")] == [
            verdict.found[name] for name in ("uncalled", "shares")
        ]

    def test_the_bet_must_come_back_apart_by_another_reading(self) -> None:
        told = table().folds(3, 4, 1).award(2, 3).record()
        apart = judge(told, submission=CHIP, choices={"uncalled": "returned"})
        assert apart.found["uncalled"] == [(2, "seat 2 should get back 1.00", "received nothing")]
        assert apart.status["shares"] == "pass"

    def test_too_much_is_given_back(self) -> None:
        raised = table().act(3, "raise", 6).folds(4, 1, 2).refund(3, 6).award(3, 4)
        verdict = judge(raised.record(), submission=CHIP)
        assert verdict.found["uncalled"] == [(3, "seat 3 should get back 4.00", "received 6.00")]
        assert verdict.status["shares"] == "pass"

    def test_more_is_given_back_to_who_wins_as_much_less(self) -> None:
        raised = table().act(3, "raise", 6).folds(4, 1, 2).refund(3, 6).award(3, 3)
        verdict = judge(raised.record(), submission=CHIP)
        assert verdict.status["uncalled"] == verdict.status["shares"] == "pass"

    def test_something_is_given_back_to_who_is_owed_nothing(self) -> None:
        raised = table().act(3, "raise", 6).folds(4, 1, 2).refund(3, 4).refund(1, 1, "small-blind").award(3, 4)
        verdict = judge(raised.record(), submission=CHIP)
        assert verdict.found["uncalled"] == [(1, "seat 1 should get back nothing", "received 1.00")]
        assert verdict.status["shares"] == "pass"  # seat 1 got the missing part


CARDS = {1: "KcQd", 2: "9s9c", 3: "AhTd"}
BOARD = "Ad9h4c2sJs"


def check_down() -> Told:
    told = table(cards=CARDS, board=BOARD).act(3, "call", 2).folds(4).act(1, "call", 1).act(2, "check").flop()
    for seat in (1, 2, 3):
        told.act(seat, "check")
    return told


class TestShowdown:
    def test_checked_through(self) -> None:
        everywhere(check_down().shows(1).shows(2).shows(3).award(2, 6))

    def test_the_wrong_hand_wins(self) -> None:
        verdict = judge(check_down().shows(1).shows(2).shows(3).award(3, 6).record(), submission=CHIP)
        assert [(seat, observed) for seat, _, observed in verdict.found["shares"]] == [
            (2, "received nothing"),
            (3, "received 6.00"),
        ]
        assert verdict.found["shares"][0][1].startswith("seat 2 should receive the pot of 6.00 (three of a kind: nines")
        assert verdict.found["shares"][1][1].startswith("seat 3 should receive nothing (pair of aces")
        assert verdict.status["adds-up"] == "pass"

    def test_bet_on_the_river(self) -> None:
        told = table(cards=CARDS, board=BOARD).act(3, "call", 2).folds(4).act(1, "call", 1).act(2, "check").flop()
        told.act(1, "check").act(2, "check").act(3, "bet", 4).folds(1).act(2, "call", 4).shows(3).shows(2)
        everywhere(told.award(2, 14))

    def test_all_in_before_the_flop(self) -> None:
        told = (
            table(cards=CARDS, board=BOARD).act(3, "raise", 100).folds(4, 1).act(2, "call", 98).flop().shows(3).shows(2)
        )
        everywhere(told.award(2, 201))

    def test_concession(self) -> None:
        def play() -> Told:
            one = table(cards=CARDS, board=BOARD).act(3, "call", 2).folds(4).act(1, "call", 1).act(2, "check").flop()
            one.act(1, "check").act(2, "check").act(3, "bet", 4).folds(1).act(2, "call", 4).shows(3)
            return one.act(2, "concede")

        assert clean(play().award(3, 14).record()).status["shares"] == "pass"
        speaks = judge(play().award(3, 14).record(), submission=CHIP, choices={"conceded-hand": "cards-speak"})
        assert [seat for seat, *_ in speaks.found["shares"]] == [2, 3]
        assert clean(play().award(2, 14).record(), choices={"conceded-hand": "cards-speak"})

    def test_a_hand_given_up_in_the_face_of_a_bet_is_folded(self) -> None:
        one = table(cards=CARDS, board=BOARD).act(3, "call", 2).folds(4).act(1, "call", 1).act(2, "check").flop()
        told = one.act(1, "check").act(2, "check").act(3, "bet", 4).folds(1).act(2, "concede").award(3, 10)
        assert clean(told.record(), choices={"conceded-hand": "cards-speak"}).status["shares"] == "pass"

    def test_cards_that_are_not_recorded_but_shown(self) -> None:
        told = check_down().shows(1).shows(2, "9s").shows(2, "9c").shows(3).award(2, 6)
        told.cards = {1: "????", 2: "??9c", 3: "AhTd"}
        assert clean(told.record()).status["shares"] == "pass"

    def test_cards_that_nobody_saw(self) -> None:
        told = check_down().shows(2).shows(3).award(2, 6)
        told.cards = {2: "9s9c", 3: "AhTd"}
        verdict = judge(told.record(), submission=CHIP)
        assert verdict.status["shares"] == "not-evidenced"
        told = check_down().shows(2).shows(3).award(3, 6)  # beaten, for any cards of seat 1
        told.cards = {2: "9s9c", 3: "AhTd"}
        assert [seat for seat, *_ in judge(told.record(), submission=CHIP).found["shares"]] == [3]
        told = check_down().award(4, 6)  # a seat that folded
        told.cards = {}
        assert [seat for seat, *_ in judge(told.record(), submission=CHIP).found["shares"]] == [4]

    def test_a_board_of_four(self) -> None:
        told = check_down().shows(1).shows(2).shows(3).award(2, 6)
        told.board = "Ad9h4c2s"
        told.events = [{**event, "cards": told.board} if event["event"] == "deal" else event for event in told.events]
        assert judge(told.record(), submission=CHIP).status["shares"] == "not-evidenced"


RANKED = [
    ("KhQhJhTh2c", "Ah3d", "9h9c"),
    ("2s3s4sAsAc", "5sKd", "AhAd"),
    ("2c2dAcAdKh", "2h2s", "AsKd"),
    ("2h2c3h3dKh", "2d7s", "AhJh"),
    ("Tc3c2cKdQs", "5c4c", "AhJd"),
    ("2h3d4sAcKd", "5h9c", "AhAs"),
    ("2hAdKd9s7c", "2c2d", "AhKh"),
    ("3h2d9sJc7c", "3c2c", "AhAd"),
    ("KdJc9h2s5c", "2h3d", "AhQc"),
    ("AhAdKc7s2d", "Qd9h", "Qc3h"),
    ("9hKd6s4c2d", "TcTh", "9sAd"),
]
EQUAL = [
    ("QhKdAc9s9d", "2c3h", "Th5s"),
    ("ThJhQhKhAh", "2c3c", "4c5c"),
    ("AhAdKc7s2d", "Qc3h", "Qd4h"),
    ("9cTdJh2s2d", "Qc8d", "Qh8h"),
]


def duel(board: str, first: str, second: str) -> Told:
    """Put in 10 each for seats 1 and 2."""
    told = table({1: 10, 2: 10}, button=2, cards={1: first, 2: second}, board=board)
    return told.act(1, "raise", 9).act(2, "call", 8).flop().shows(1).shows(2)


class TestRanking:
    @pytest.mark.parametrize(("board", "first", "second"), RANKED)
    def test_each_row_beats_the_best_of_the_next(self, board: str, first: str, second: str) -> None:
        everywhere(duel(board, first, second).award(1, 20))
        everywhere(duel(board, second, first).award(2, 20))
        for wrong in (duel(board, first, second).award(2, 20), duel(board, first, second).award(1, 10).award(2, 10)):
            assert [seat for seat, *_ in judge(wrong.record(), submission=CHIP).found["shares"]] == [1, 2]

    @pytest.mark.parametrize(("board", "first", "second"), EQUAL)
    def test_equal_hands_share(self, board: str, first: str, second: str) -> None:
        everywhere(duel(board, first, second).award(1, 10).award(2, 10))
        wrong = duel(board, first, second).award(1, 20)
        assert [seat for seat, *_ in judge(wrong.record(), submission=CHIP).found["shares"]] == [1, 2]

    def test_three_share_a_board_that_plays(self) -> None:
        cards = {1: "2c3c", 2: "4c5c", 3: "6c7c"}
        told = table({1: 10, 2: 10, 3: 10}, button=3, cards=cards, board="ThJhQhKhAh")
        told.act(3, "raise", 10).act(1, "call", 9).act(2, "call", 8).flop().shows(1).shows(2).shows(3)
        everywhere(told.award(1, 10).award(2, 10).award(3, 10))


def all_in(cards: Sequence[str], board: str) -> Told:
    """Play stacks of 20, 50 and 100; the third is all in, called by both."""
    told = table({1: 20, 2: 50, 3: 100}, button=3, cards=dict(enumerate(cards, 1)), board=board)
    told.act(3, "raise", 100).act(1, "call", 19).act(2, "call", 48).flop()
    return told.shows(1).shows(2).shows(3)


PAIRS = ("AsAd", "KsKd", "QsQd")


class TestSidePots:
    def test_two_pots(self) -> None:
        everywhere(all_in(PAIRS, "2c7d9h4sJc").refund(3, 50).award(2, 60, 1).award(1, 60))

    def test_main_pot_first(self) -> None:
        told = all_in(PAIRS, "2c7d9h4sJc").refund(3, 50).award(1, 60).award(2, 60, 1)
        verdict = judge(told.record(), submission=CHIP)
        assert verdict.status["side-first"] == "fail"
        assert verdict.status["shares"] == "pass"

    def test_who_is_all_in_wins_the_side_pot_too(self) -> None:
        told = all_in(PAIRS, "2c7d9h4sJc").refund(3, 50).award(1, 60, 1).award(1, 60)
        found = judge(told.record(), submission=CHIP).found["shares"]
        assert [(seat, observed) for seat, _, observed in found] == [(1, "received 120.00"), (2, "received nothing")]
        assert found[0][1].startswith("seat 1 should receive the main pot of 60.00 (")
        assert found[1][1].startswith("seat 2 should receive the side pot of 60.00 (")

    def test_one_wins_both(self) -> None:
        everywhere(all_in(PAIRS, "2c7dQh4sJc").refund(3, 50).award(3, 60, 1).award(3, 60))

    def test_the_main_pot_is_shared(self) -> None:
        told = all_in(("AsKd", "AdKs", "QsTd"), "2c7d9h4sJc").refund(3, 50)
        everywhere(told.award(2, 60, 1).award(1, 30).award(2, 30))

    def test_folded_money(self) -> None:
        cards = {3: "AsAd", 4: "KsKd"}
        told = table({1: 100, 2: 100, 3: 10, 4: 100}, cards=cards, board="2c7d9h4sJc")
        told.act(3, "raise", 10).act(4, "raise", 30).folds(1).act(2, "call", 28).flop()
        told.act(2, "check").act(4, "bet", 20).folds(2).refund(4, 20).shows(4).shows(3)
        everywhere(told.award(4, 40, 1).award(3, 31))

    def test_a_side_pot_of_one_seat_needs_no_cards(self) -> None:
        told = table({1: 100, 2: 100, 3: 10, 4: 100}, board="2c7d9h4sJc")
        told.act(3, "raise", 10).act(4, "raise", 30).folds(1).act(2, "call", 28).flop()
        told.act(2, "check").act(4, "bet", 20).folds(2).refund(4, 20).award(3, 71)
        found = judge(told.record(), submission=CHIP).found["shares"]
        assert [seat for seat, *_ in found] == [3, 4]
        assert found[1][1].startswith(
            "seat 4 should receive between 0.00 and 31.00 of the main pot and the side pot of 40.00"
        )

    def test_all_in_for_less_than_the_blind(self) -> None:
        told = Told(
            stacks={1: 100, 2: 1.5, 3: 100, 4: 100},
            button=4,
            cards={1: "AsAd", 2: "KsKd", 3: "QsQd"},
            board="2c7d9h4sJc",
        )
        told.post(1, "small-blind", 1).post(2, "big-blind", 1.5).act(3, "call", 2).folds(4).act(1, "call", 1).flop()
        told.act(1, "check").act(3, "check").shows(1).shows(3).shows(2)
        everywhere(told.award(1, 1, 1).award(1, 4.5))

    def test_an_ante_for_the_table_is_never_uncalled(self) -> None:
        told = Told(
            stacks={2: 35_750, 4: 110_000, 5: 180_500},
            button=4,
            cards={2: "KsKd", 5: "AsAd"},
            board="2c7d9h4sJc",
        )
        # Button 4, so seat 5 posts the small blind; the big blind antes for all.
        told.post(2, "ante", 2_250).post(5, "small-blind", 750).post(2, "big-blind", 1_500).folds(4)
        told.act(5, "raise", 50_000).act(2, "call", 32_000).flop().shows(5).shows(2)
        record = told.refund(5, 17_250).award(5, 69_250).record()
        assert clean(record, choices={"antes": "whole"}).status["shares"] == "pass"
        assert pot("total", record, choices={"antes": "whole"}) == dollars(69_250)

    def test_short_ante(self) -> None:
        def write() -> Told:
            one = Told(
                stacks={1: 0.5, 2: 100, 3: 100, 4: 100},
                button=3,
                cards={1: "AsAd", 2: "KsKd", 3: "QsQd", 4: "JsJd"},
                board="2c7d9h4sTc",
            )
            for seat, amount in ((4, 1), (1, 0.5), (2, 1), (3, 1)):
                one.post(seat, "ante", amount)
            one.act(2, "check").act(3, "check").act(4, "check").flop()
            for seat in (4, 2, 3):
                one.act(seat, "check")
            return one.shows(4).shows(1).shows(2).shows(3)

        assert clean(write().award(2, 1.5, 1).award(1, 2).record()).status["shares"] == "pass"
        assert clean(write().award(1, 3.5).record(), choices={"antes": "whole"}).status["shares"] == "pass"
        assert judge(write().award(1, 3.5).record(), submission=CHIP).status["shares"] == "fail"

    def test_dead_blind(self) -> None:
        told = Told(stacks=dict.fromkeys(range(1, 6), 100), button=3, board="2c7d9h4sJc")
        # Seat 4 posts 2 dead and 2 small, seat 5 the big blind.
        told.post(4, "small-blind", 2).post(5, "big-blind", 4).post(1, "dead-blind", 2)
        told.act(1, "call", 4).act(2, "raise", 16).folds(3, 4, 5).act(1, "call", 12).flop()
        told.act(1, "check").act(2, "bet", 30).folds(1)
        everywhere(told.refund(2, 30).award(2, 2 + 4 + 18 + 16))


def tie(left: float, right: float, small: float = 1, each: float = 12) -> Told:
    """Play a tie of seats 4 and 1 with `each` in. The button is at seat 2; the small blind folds."""
    told = Told(stacks=FOUR, button=2, cards={1: "QcJd", 4: "QdJh"}, board="AhAdKc7s2d")
    told.post(3, "small-blind", small).post(4, "big-blind", 2)
    told.act(1, "raise", each).folds(2, 3).act(4, "call", each - 2).flop().act(4, "check").act(1, "check")
    return told.shows(4).shows(1).award(4, left).award(1, right)


class TestOddChips:
    def test_the_odd_chip_goes_to_the_left_of_the_button(self) -> None:
        everywhere(tie(13, 12))
        wrong = judge(tie(12, 13).record(), submission=CHIP)
        found = [(seat, observed) for seat, _, observed in wrong.found["shares"]]
        assert sorted(found) == [(1, "received 13.00"), (4, "received 12.00")]
        told = {seat: expected.partition(" (")[0] for seat, expected, _ in wrong.found["shares"]}
        assert told == {
            1: "seat 1 should receive 12.00 of the pot of 25.00",
            4: "seat 4 should receive 13.00 of the pot of 25.00 with the odd chip",
        }

    def test_an_equal_split_is_right_whatever_the_chips(self) -> None:
        everywhere(tie(12.5, 12.5))
        assert judge(tie(12.5, 12.5).record()).status["shares"] == "pass"

    def test_more_than_a_chip_apart(self) -> None:
        for submission in (CHIP, None):
            assert judge(tie(14, 11).record(), submission=submission).status["shares"] == "fail"

    @pytest.mark.parametrize(("left", "right"), [(13, 12), (12, 13)])
    def test_without_a_submitted_chip_an_odd_chip_is_not_evidenced(self, left: float, right: float) -> None:
        verdict = judge(tie(left, right).record())
        assert verdict.status["shares"] == "not-evidenced"
        assert "should receive between 12.00 and 13.00 of the pot" in verdict.gaps["shares"][1]

    def test_divided_exactly(self) -> None:
        exact = {"odd-chip": "divided-exactly"}
        assert judge(tie(12.5, 12.5).record(), choices=exact).status["shares"] == "pass"
        assert judge(tie(13, 12).record(), choices=exact).status["shares"] == "fail"
        cent = tie(12.01, 12, small=0.01)
        assert judge(cent.record(), choices=exact).status["shares"] == "pass"
        assert judge(tie(12, 12.01, small=0.01).record(), choices=exact).status["shares"] == "fail"

    def test_the_odd_chip_goes_to_anybody(self) -> None:
        anybody = {"odd-chip": "to-anybody"}
        for submission in (CHIP, None):
            assert judge(tie(12.5, 12.5).record(), submission=submission, choices=anybody).status["shares"] == "pass"
            for left, right in ((13, 12), (12, 13)):
                verdict = judge(tie(left, right).record(), submission=submission, choices=anybody)
                assert verdict.status["shares"] == "not-evidenced"
            assert judge(tie(14, 11).record(), submission=submission, choices=anybody).status["shares"] == "fail"

    def test_an_even_pot(self) -> None:
        told = tie(13, 13, small=2)
        everywhere(told)
        assert judge(tie(14, 12, small=2).record(), submission=CHIP).status["shares"] == "fail"

    @pytest.mark.parametrize("shares", [(11, 11, 10), (11, 10, 11), (10, 11, 11)])
    def test_three_tie(self, shares: tuple[int, int, int]) -> None:
        told = Told(stacks=FOUR, button=4, cards={1: "QcJd", 3: "QdJh", 4: "QhJc"}, board="AhAdKc7s2d")
        told.post(1, "small-blind", 1).post(2, "big-blind", 2)
        told.act(3, "raise", 10).act(4, "call", 10).act(1, "call", 9).folds(2).flop()
        for seat in (1, 3, 4):
            told.act(seat, "check")
        for seat, amount in zip((1, 3, 4), shares, strict=True):
            told.award(seat, amount)
        status = judge(told.record(), submission=CHIP).status["shares"]
        assert status == ("pass" if shares == (11, 11, 10) else "fail")


LEVELS = [{"pot": level, "takes": 1} for level in (10, 20, 40, 60)]
POSTED = house(smallest_chip="0.01", rake={"levels": LEVELS, "from": "flop"})


def play_raked(size: float, rake: float, *, flop: bool = True, uncalled: float = 0) -> Told:
    """Play a pot of this size that seat 2 wins by an uncalled bet or by the better hand."""
    each = size / 2
    told = Told(stacks={1: 200, 2: 200}, button=2, cards={1: "KcKd", 2: "AcAd"}, board="2c7d9h4sJc" if flop else "")
    told.post(1, "small-blind", each).post(2, "big-blind", each)
    if flop:
        told.act(1, "check").act(2, "check").flop().act(1, "check")
    if uncalled:
        told.act(2, "bet", uncalled).folds(1).refund(2, uncalled)
    elif flop:
        told.act(2, "check").shows(1).shows(2)
    else:
        told.folds(1)
    if rake:
        told.rake(rake)
    told.award(2, size - rake)
    return told.drop(rake) if rake else told


class TestRake:
    @pytest.mark.parametrize(
        ("size", "due"),
        [(9, 0), (9.98, 0), (10, 1), (19, 1), (19.98, 1), (20, 2), (39.98, 2), (40, 3), (60, 4), (90, 4)],
    )
    def test_levels(self, size: float, due: float) -> None:
        for record in (play_raked(size, due).record(), play_raked(size, due).public()):
            verdict = judge(record, submission=POSTED)
            for name in ("shares", "adds-up", "rake-not-above", "rake-not-below"):
                assert verdict.status[name] == "pass", name
        assert judge(play_raked(size, due + 1).record(), submission=POSTED).status["rake-not-above"] == "fail"
        assert judge(play_raked(size, due + 1).public(), submission=POSTED).status["rake-not-above"] == "fail"
        if due:
            less = judge(play_raked(size, due - 1).record(), submission=POSTED)
            assert less.status["rake-not-below"] == "fail"
            assert less.status["rake-not-above"] == "pass"

    def test_words(self) -> None:
        found = judge(play_raked(19, 2).record(), submission=POSTED).found["rake-not-above"]
        assert found == [
            (
                None,
                "the rake must be at most the rake by the submitted levels (1.00)",
                "the rake: 2.00; the rake by the submitted levels: 1.00",
            )
        ]

    def test_an_uncalled_bet_is_not_raked(self) -> None:
        told = play_raked(20, 2, uncalled=30)
        for record in (told.record(), told.public()):
            verdict = judge(record, submission=POSTED)
            assert [verdict.status[name] for name in ("rake-not-above", "rake-not-below")] == ["pass", "pass"]
            assert verdict.status["uncalled"] == "pass"
        assert judge(play_raked(20, 3, uncalled=30).record(), submission=POSTED).status["rake-not-above"] == "fail"

    def test_no_flop_no_rake(self) -> None:
        assert judge(play_raked(24, 0, flop=False).record(), submission=POSTED).status["rake-not-below"] == "pass"
        assert judge(play_raked(24, 2, flop=False).record(), submission=POSTED).status["rake-not-above"] == "fail"

    @pytest.mark.parametrize("shares", [(4, 0), (0, 4), (2, 2)])
    def test_side_pots(self, shares: tuple[float, float]) -> None:
        main, side = shares
        told = all_in(PAIRS, "2c7d9h4sJc").refund(3, 50)
        for number, taken in enumerate(shares):
            if taken:
                told.rake(taken, number)
        told.award(2, 60 - side, 1).award(1, 60 - main)
        verdict = judge(told.record(), submission=POSTED)
        assert {verdict.status[name] for name in (*MONEY, "rake-not-above", "rake-not-below")} == {"pass"}
        each = judge(told.record(), submission=POSTED, choices={"levels": "each-pot"})
        assert each.status["rake-not-below"] == "fail"
        assert pot("rake-due", told.record(), submission=POSTED, choices={"levels": "each-pot"}) == dollars(8)

    def test_rake_that_is_not_said_to_be_of_a_pot(self) -> None:
        def settle(side: float, main: float) -> Verdict:
            one = all_in(PAIRS, "2c7d9h4sJc").refund(3, 50).rake(4).award(2, 60 - side, 1).award(1, 60 - main)
            return judge(one.record(), submission=POSTED)

        assert settle(0, 4).status["shares"] == "pass"  # the main pot first
        assert settle(4, 0).status["shares"] == "not-evidenced"
        assert settle(5, 0).status["shares"] == "fail"

    def test_without_a_submission(self) -> None:
        verdict = judge(play_raked(20, 2).record())
        assert [verdict.status[name] for name in ("rake-not-above", "rake-not-below")] == ["not-evidenced"] * 2
        assert verdict.status["adds-up"] == "pass"

    def test_the_wrong_hand_wins_a_raked_pot_of_a_public_history(self) -> None:
        told = play_raked(20, 2)
        told.came = {1: dollars(18)}
        assert [seat for seat, *_ in judge(told.public()).found["shares"]] == [1, 2]

    def test_drop(self) -> None:
        told = play_raked(20, 2)
        told.events[-1]["amount"] = 100
        verdict = judge(told.record(), submission=POSTED)
        assert verdict.status["dropped"] == "fail"
        assert judge(play_raked(20, 2).record(), submission=POSTED).status["dropped"] == "pass"

    def test_the_pots_do_not_add_up(self) -> None:
        short = play_raked(20, 2)
        short.events = [event for event in short.events if event["event"] != "rake"]
        verdict = judge(short.record(), submission=POSTED)
        assert verdict.status["adds-up"] == "fail"
        assert verdict.status["shares"] == "fail"
        more = duel("KhQhJhTh2c", "Ah3d", "9h9c").award(1, 21)
        assert judge(more.public()).status["adds-up"] == "fail"


class TestRefunds:
    def test_a_dead_round(self) -> None:
        told = table().act(3, "call", 2).refund(1, 1, "small-blind").refund(2, 2, "big-blind").refund(3, 2)
        assert judge(told.record()).status["refunds"] == "pass"
        assert judge(told.public()).status["refunds"] == "pass"
        less = judge(table().act(3, "call", 2).refund(1, 1, "small-blind").refund(2, 2, "big-blind").record())
        assert less.found["refunds"] == [(3, "seat 3 should get back 2.00", "received nothing")]
        more = judge(told.award(3, 1).record())
        assert more.found["refunds"] == [(3, "seat 3 should get back 2.00", "received 3.00")]


class TestSteps:
    def test_losers_are_collected_before_the_pot_is_pushed(self) -> None:
        told = check_down().collect(1).collect(3).award(2, 6).collect(2)
        assert judge(told.record(), submission=CHIP).status["losers-first"] == "pass"
        told = check_down().collect(1).award(2, 6).collect(3).collect(2)
        assert judge(told.record(), submission=CHIP).status["losers-first"] == "fail"

    def test_who_is_alone_left_wins_also_where_only_the_own_bet_is_in(self) -> None:
        told = Told(stacks=FOUR, button=4).post(1, "big-blind", 2).folds(2, 3, 4)
        assert judge(told.award(1, 2).collect(1).record(), submission=CHIP).status["losers-first"] == "pass"


class TestGaps:
    def test_won_alone_does_not_tell_whether_an_uncalled_bet_is_in_it(self) -> None:
        def raise_alone() -> Told:
            return table().act(3, "raise", 6).folds(4, 1, 2)

        verdict = judge(raise_alone().award(3, 9).public(by="won"), submission=CHIP)  # all that was put in
        assert [verdict.status[name] for name in ("shares", "uncalled")] == ["pass", "pass"]
        verdict = judge(raise_alone().award(3, 5).public(by="won"), submission=CHIP)  # or the rest of it was raked
        assert [verdict.status[name] for name in ("shares", "uncalled")] == ["not-evidenced", "not-evidenced"]
        wrong = table().act(3, "raise", 6).folds(4, 1, 2).award(1, 9)
        found = judge(wrong.public(by="won"), submission=CHIP).found["shares"]
        assert [seat for seat, *_ in found] == [1, 3]

    def test_won_tells_of_pots_where_everything_was_called(self) -> None:
        assert judge(duel(*RANKED[0]).award(1, 20).public(by="won")).status["shares"] == "pass"

    def test_a_round_whose_button_is_not_recorded(self) -> None:
        told = check_down().award(2, 6).record(button=None)
        verdict = judge(told, submission=CHIP)
        assert verdict.status["shares"] == "not-evidenced"
        assert verdict.status["adds-up"] == "pass"

    def test_a_record_that_breaks_off(self) -> None:
        told = check_down().record(complete=False)
        verdict = judge(told, submission=POSTED)
        assert {verdict.status[name] for name in ("shares", "uncalled", "adds-up", "rake-not-below")} == {
            "not-evidenced"
        }

    def test_nobody_is_left(self) -> None:
        told = table().folds(3, 4, 1, 2).award(2, 3).record()
        assert judge(told, submission=CHIP).status["shares"] == "not-evidenced"

    def test_chips_behind_do_not_matter(self) -> None:
        told = check_down().award(2, 6).record()
        for seat in told["seats"]:
            del seat["stack"]
        assert clean(told).status["shares"] == "pass"

    def test_a_choice_of_the_licensee_that_decides_how_a_line_joins(self) -> None:
        """Only rounds with chips on the line depend on the choice."""
        parts = [
            {"lines": ["small-blind", "big-blind", "bets", "dead-blind"], "joins": "matched"},
            {"lines": ["ante"], "when": {"option": {"ante": "table"}}, "joins": "whole"},
            {"lines": ["ante"], "joins": "capped"},
        ]
        pots = {**PLAY["pots"], "parts": parts}
        with_ante = table().post(3, "ante", 1).folds(3, 4, 1).award(2, 4).record()
        without = table().folds(3, 4, 1).award(2, 3).record()
        found = [
            pot_contributions(EvaluationContext(batch_of([record]), compile_game(regulation(pots=pots)), None))
            for record in (with_ante, without)
        ]
        assert [bool(settled.is_known[0]) for settled in found] == [False, True]


def test_pots_in_words() -> None:
    told = all_in(PAIRS, "2c7d9h4sJc").refund(3, 50).award(2, 60, 1).award(1, 60).record()
    lines = list(describe_pots(open_in([told], submission=CHIP)))
    assert lines[:3] == [
        "uncalled bet: seat 3 should get back 50.00; returned: 50.00",
        "main pot: 60.00, for seats 1, 2, 3",
        "side pot: 60.00, for seats 2, 3",
    ]
    assert lines[3] == "rake by the posted levels: not known; raked: 0.00"
    inferred = list(
        describe_pots(open_in([{**told, "unrecorded": [*told.get("unrecorded", []), "rake"]}], submission=CHIP))
    )
    assert inferred[3] == f"{lines[3]} (inferred from the chips that are missing; the log does not record the rake)"
    assert [line.split(" (")[0] for line in lines[4:]] == [
        "seat 1 should receive the main pot of 60.00",
        "seat 2 should receive the side pot of 60.00",
        "seat 3 should receive nothing",
    ]
    unknown = list(describe_pots(open_in([{**told, "button": None}])))
    assert unknown == ["the amounts put in by the seats, and which seats may win them, are not fully recorded"]
