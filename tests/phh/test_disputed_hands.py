"""Hands once evaluated wrongly, each settled by hand: the failures by card room custom, by seat."""

from __future__ import annotations

import pytest

from tests.phh.audited import Failures, failures

Found = set[tuple[str, int | None, int | None]]


def hand(stacks: list[int], blinds: list[int], actions: str, **more: object) -> str:
    """Return a no-limit hand whose actions are separated by commas."""
    fields = {
        "antes": [0] * len(stacks),
        "blinds_or_straddles": blinds,
        "min_bet": max(blinds),
        "starting_stacks": stacks,
        "actions": [action.strip() for action in actions.split(",")],
        **more,
    }
    return "variant = 'NT'\n" + "".join(f"{name} = {value!r}\n" for name, value in fields.items())


HIDDEN = "d dh p1 ????, d dh p2 ????, d dh p3 ????, "
FOUR_HIDDEN = HIDDEN + "d dh p4 ????, "
QUEENS_FULL = (
    "d dh p1 Qc3c, d dh p2 ????, d dh p3 Kh5h, p3 cbr 6, p1 cc, p2 f, d db 8c3s3h, p1 cc, p3 cc, d db Qh, p1 cc, p3 cc,"
    " d db 5s, p1 cc, p3 cc, p1 sm Qc3c, p3 sm Kh5h"
)
TWO_POTS = (
    "d dh p1 ????, d dh p2 ????, d dh p3 Jh7s, d dh p4 Td9d, p3 cc, p4 cbr 600, p1 f, p2 f, d db 9sAs2s, d db 4h, "
    "d db 5h, p4 sm Td9d, p3 sm Jh7s"
)
RUN_TWICE = (
    "d dh p1 AdAh, d dh p2 KcKd, p2 cbr 100, p1 cc, d db Jd2sKh, p1 sm AdAh, p2 sm KcKd, d db 2d, d db 6h, d db Ac,"
    " d db 8s"
)
STACKS_OF_TWO_POTS = [1720, 670, 60, 6885]

HANDS: dict[str, tuple[str, Found]] = {
    "the all-in for 70 is no full raise over 60, so that seat 3 may not raise again": (
        hand([70, 750, 750, 750], [10, 20, 0, 0],
             FOUR_HIDDEN + "p3 cbr 60, p4 f, p1 cbr 70, p2 f, p3 cbr 200, d db 2h3h4s, d db 9c, d db Tc"),
        {("raise-is-open", 3, None)},
    ),
    "the all-in for 100 is a full raise": (
        hand([100, 750, 750, 750], [10, 20, 0, 0],
             FOUR_HIDDEN + "p3 cbr 60, p4 f, p1 cbr 100, p2 f, p3 cbr 200, d db 2h3h4s, d db 9c, d db Tc"),
        set(),
    ),
    "5 is bet where the big blind is 20": (
        hand([700, 750, 750, 750], [10, 20, 0, 0],
             FOUR_HIDDEN + "p3 cc, p4 f, p1 cc, p2 cc, d db 2h3h4s, p1 cbr 5, p2 f, p3 f"),
        {("opening-bet-at-least", 1, None)},
    ),
    "a raise to all that the only other player has": (
        hand([200, 5000], [10, 20], "d dh p1 ????, d dh p2 ????, p2 cc, p1 cc, d db 6d3dJd, p1 cbr 100, p2 cbr 180, "
             "p1 cc, d db Qs, d db Ts"),
        set(),
    ),
    "a folded stack is written as nothing": (
        hand([100, 100, 100], [1, 2, 0], QUEENS_FULL, winnings=[13, 0, 0], finishing_stacks=[107, 0, 94]),
        {("chips-accounted-for", 2, None)},
    ),
    "5 are missing from a folded stack": (
        hand([100, 100, 100], [1, 2, 0], QUEENS_FULL, winnings=[14, 0, 0], finishing_stacks=[108, 93, 94]),
        {("chips-accounted-for", 2, None)},
    ),
    "a folded stack has 2 more than play has left it": (
        hand([100, 100, 100], [1, 2, 0], QUEENS_FULL, winnings=[13, 0, 0], finishing_stacks=[107, 100, 94]),
        {("chips-accounted-for", 2, None)},
    ),
    "2 are missing from a folded stack, in a hand that a program wrote": (
        hand([100, 100, 100], [1, 2, 0], HIDDEN + "p3 cbr 6, p1 cc, p2 f, d db 8c3s3h, p1 cbr 4, p3 f",
             winnings=[14, 0, 0], finishing_stacks=[108, 96, 94], venue="a site"),
        {("chips-accounted-for", 2, None)},
    ),
    "1 more is won than was put in, and no stack lacks it": (
        hand([100, 100, 100], [1, 2, 0], HIDDEN + "p3 cbr 6, p1 f, p2 f",
             winnings=[0, 0, 6], finishing_stacks=[99, 98, 104], venue="a site"),
        {("pots-to-the-winners", 3, 100)},
    ),
    "1 more is won than was put in, and seat 2 lacks it, which may have posted it": (
        hand([100, 100, 100], [1, 2, 0], HIDDEN + "p3 cbr 6, p1 f, p2 f",
             winnings=[0, 0, 6], finishing_stacks=[99, 97, 104], venue="a site"),
        set(),
    ),
    "two pots awarded in full, and 2 missing from a folded stack": (
        hand(STACKS_OF_TWO_POTS, [100, 200, 0, 0], TWO_POTS,
             winnings=[0, 0, 0, 560], finishing_stacks=[1618, 470, 0, 7245]),
        {("chips-accounted-for", 1, None)},
    ),
    "two pots awarded in full": (
        hand(STACKS_OF_TWO_POTS, [100, 200, 0, 0], TWO_POTS,
             winnings=[0, 0, 0, 560], finishing_stacks=[1620, 470, 0, 7245]),
        set(),
    ),
    "2 are raked of two pots, and their winner has 2 less": (
        hand(STACKS_OF_TWO_POTS, [100, 200, 0, 0], TWO_POTS, finishing_stacks=[1620, 470, 0, 7243]),
        set(),
    ),
    "betting ends at a cap of 40": (
        hand([284, 97, 100], [1, 2, 0], "d dh p1 JcQd, d dh p2 3sAh, d dh p3 ????, p3 f, p1 cbr 40, p2 cc, d db Td6cQs,"
             " d db 2d, d db 2c, p1 sm JcQd, p2 sm 3sAh", winnings=[80, 0, 0], finishing_stacks=[324, 57, 100]),
        set(),
    ),
    "the turn and the river are dealt twice, and each board wins half of the pot": (
        hand([100, 100], [1, 2], RUN_TWICE, winnings=[100, 100], finishing_stacks=[100, 100]),
        set(),
    ),
    "the turn and the river are dealt twice, and aces are pushed all of the pot": (
        hand([100, 100], [1, 2], RUN_TWICE, winnings=[200, 0], finishing_stacks=[200, 0]),
        {("pots-to-the-winners", 1, 10000), ("pots-to-the-winners", 2, None)},
    ),
    "a site folds a player who is all-in on the ante": (
        hand([1000, 1000, 10, 1000], [75, 150, 0, 0], FOUR_HIDDEN + "p3 f, p4 cbr 300, p1 f, p2 f",
             antes=[20, 20, 20, 20]),
        {("in-turn", 3, None)},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def failures_by_hand(tmp_path_factory: pytest.TempPathFactory) -> Failures:
    hands = {str(number): text for number, (text, _) in enumerate(HANDS.values())}
    failed, aside = failures(hands, tmp_path_factory.mktemp("hands"))
    assert not aside
    return failed


@pytest.fixture(scope="module")
def findings_by_hand(failures_by_hand: Failures) -> dict[str, Found]:
    return {
        name: {
            (
                finding.requirement.partition("/")[2],
                finding.where.seat,
                int(finding.overpaid) if finding.overpaid else None,
            )
            for finding in failures_by_hand.get(str(number), [])
        }
        for number, name in enumerate(HANDS)
    }


@pytest.mark.parametrize("name", HANDS)
def test_what_fails(name: str, findings_by_hand: dict[str, Found]) -> None:
    assert findings_by_hand[name] == HANDS[name][1]


def test_the_words_say_that_a_seat_is_all_in(failures_by_hand: Failures) -> None:
    (finding,) = failures_by_hand[str(list(HANDS).index("a site folds a player who is all-in on the ante"))]
    assert (finding.expected, finding.observed) == ("seat 4 to answer the bet of 150.00", "seat 3, all-in: fold")
