"""Discards checked against rules of drawing: every rule, unknown cards, and the text of findings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from fairdeal.validator.engine.facts.step_cards import evaluate_drawing
from tests.cards.conftest import list_hands
from tests.checks.exchange import GAME, REQUIREMENTS, batch, judge, load, record, regulation
from tests.facade.cards import NO_CARD, format_cards
from tests.facade.evidence import Hands
from tests.facade.results import EvidencePlace, Finding, Severity, Status
from tests.facade.rounds import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS, EvaluationContext, check_batch, compile_game
from tests.facade.text import InputError

DEALER = ("stands", "draws-one", "draws-two")


def mark_rounds(requirement: str, *records: dict[str, Any], **choices: str) -> list[int]:
    """Return the status codes of rounds under a requirement and readings."""
    read = replace(regulation(), choices={**regulation().choices, **choices})
    return judge(read, *records)[requirement].status_codes.tolist()


def make_round(dealer: str, discarded: str | None) -> dict[str, Any]:
    keys = {"dealer": dealer} | ({} if discarded is None else {"dealer-discarded": discarded})
    return record(1, **keys)


def mark_dealer(dealer: str, discarded: str | None, **choices: str) -> tuple[int, ...]:
    """Return the status codes of the three requirements on the dealer's discards."""
    return tuple(mark_rounds(name, make_round(dealer, discarded), **choices)[0] for name in DEALER)


STANDS, ONE, TWO = range(3)


def mark_one(place: int, mark: int) -> tuple[int, ...]:
    """Return the status codes if only one requirement applies."""
    return tuple(mark if place == number else NOT_APPLICABLE for number in range(3))


@pytest.mark.parametrize(
    ("dealer", "discarded", "rule", "mark"),
    [
        ("9c8d7h6s5h", "", STANDS, PASS),
        ("9c8d7h6s5h", "5h", STANDS, FAIL),
        ("AcKcQcJcTc", "", STANDS, PASS),
        ("9c9d9h9s5h", "5h", STANDS, FAIL),
        ("9c9d4h4sAh", "Ah", ONE, PASS),
        ("9c9d4h4sAh", "", ONE, FAIL),
        ("9c9d4h4sAh", "4h4s", ONE, FAIL),
        ("9c9d9h4sAh", "4sAh", TWO, PASS),
        ("9c9d9h4sAh", "4s", TWO, FAIL),
        ("9c9d7h4sAh", "7h4s", TWO, PASS),
        ("9c9d7h4sAh", "Ah4s", TWO, FAIL),
        # A pair goes before four of a flush or of a straight.
        ("9c9d8c7c6c", "7c6c", TWO, PASS),
        ("9c9d8c7c6c", "9d", TWO, FAIL),
        ("9c2c8cKc6d", "6d", ONE, PASS),
        # Four of a flush go before four of a straight.
        ("9c8c7c6d2c", "6d", ONE, PASS),
        ("9c8c7c6d2c", "2c", ONE, FAIL),
        # An open straight goes before another one of higher cards.
        ("Jc9d8h7s6c", "Jc", ONE, PASS),
        ("Jc9d8h7s6c", "6c", ONE, FAIL),
        ("AcKdQhJs2c", "2c", ONE, PASS),
        ("Kc9d6h4s2c", "4s2c", TWO, PASS),
        ("Kc9d6h4s2c", "6h2c", TWO, FAIL),
        ("Kc9d6h4s2c", "2c", TWO, FAIL),
    ],
)
def test_each_rule_decides_its_hands(dealer: str, discarded: str, rule: int, mark: int) -> None:
    assert mark_dealer(dealer, discarded) == mark_one(rule, mark)


@pytest.mark.parametrize(
    ("reading", "marks_of_six", "marks_of_ace"),
    [("higher", FAIL, PASS), ("cards", PASS, FAIL), ("either", PASS, PASS)],
)
def test_a_reading_says_which_of_two_draws_is_kept(reading: str, marks_of_six: int, marks_of_ace: int) -> None:
    # 6-4-3-2 makes a straight to the six, A-4-3-2 one to the five.
    two = "Ac2d3h4s6c"
    assert mark_dealer(two, "6c", **{"other-straights": reading}) == mark_one(ONE, marks_of_six)
    assert mark_dealer(two, "Ac", **{"other-straights": reading}) == mark_one(ONE, marks_of_ace)
    assert mark_dealer(two, "2d", **{"other-straights": reading}) == mark_one(ONE, FAIL)


@pytest.mark.parametrize(
    ("dealer", "discarded", "expected"),
    [
        ("9c9d7h4sAh", None, mark_one(TWO, NOT_EVIDENCED)),
        ("9c9d7h4sAh", "4s??", mark_one(TWO, NOT_EVIDENCED)),
        ("9c9d7h4sAh", "??", mark_one(TWO, FAIL)),  # one card, whichever it was
        ("9c9d7h4sAh", "Ah??", mark_one(TWO, FAIL)),
        ("9c8d7h6s5h", "??", mark_one(STANDS, FAIL)),
        ("9c9d7h4s??", "7h4s", (NOT_EVIDENCED,) * 3),
        ("9c9d7h4s", "7h4s", (NOT_EVIDENCED,) * 3),
    ],
)
def test_what_is_not_known_is_left_open(dealer: str, discarded: str | None, expected: tuple[int, ...]) -> None:
    assert mark_dealer(dealer, discarded) == expected


def test_a_hand_that_is_not_recorded_is_left_open() -> None:
    assert [mark_rounds(name, record(1))[0] for name in DEALER] == [NOT_EVIDENCED] * 3


def seat(number: int, cards: str, discarded: str | None, **keys: Any) -> dict[str, Any]:
    wagers = keys.pop("wagers", [{"wager": "main", "amount": 500}])
    aside = {} if discarded is None else {"discarded": discarded}
    return {"seat": number, "cards": cards, "wagers": wagers, **aside, **keys}


@pytest.mark.parametrize(
    ("one", "mark"),
    [
        (seat(1, "9c9d7h4sAh", "7h4sAh", decision="none"), PASS),
        (seat(1, "9c9d7h4sAh", "7h4s", decision="none"), FAIL),
        (seat(1, "9c9d7h4sAh", "", decision="stay"), PASS),
        (seat(1, "9c9d7h4sAh", "7h4sAh", decision="stay"), FAIL),
        (seat(1, "9c2d7h4sAh", "2d4s7h", decision="none"), PASS),
        # Without the decision either rule may be the one: what breaks both is broken, what fits one is open.
        (seat(1, "9c9d7h4sAh", "7h4s"), FAIL),
        (seat(1, "9c9d7h4sAh", "7h4sAh"), NOT_EVIDENCED),
        (seat(1, "9c9d7h4sAh", ""), NOT_EVIDENCED),
        (seat(1, "9c9d7h4sAh", "7h4s", decision="none", wagers=[]), NOT_APPLICABLE),
    ],
)
def test_players_are_judged_seat_by_seat(one: dict[str, Any], mark: int) -> None:
    assert mark_rounds("players-draw", record(1, seats=[one])) == [mark]
    right = seat(2, "KcKd3h5s8h", "3h5s8h", decision="none")
    assert mark_rounds("players-draw", record(1, seats=[one, right])) == [max(mark, PASS)]


TIME = "2026-03-01T20:00:00Z"


def finding(requirement: str, clause: str, message: str, expected: str, observed: str, **where: Any) -> Finding:
    reading = where.pop("reading", ())
    return Finding(
        requirement=f"swap/{requirement}",
        clauses=(f"swap/{clause}",),
        document="swap",
        status=where.pop("status", Status.FAIL),
        severity=Severity.MAJOR,
        message=message,
        expected=expected,
        observed=observed,
        where=EvidencePlace(
            file="night.jsonl", line=1, casino="House", table="T1", round="R1", time="2026-03-01T20:00:00Z", **where
        ),
        reading=reading,
        remedy="Keep the cards that the drawing rule requires, and exchange the others.",
    )


MUST_DRAW_ONE = ("draws-one", "2", "The dealer must draw one card.")
BY_THE_RULES = ("players-draw", "4", "Players must draw by the rules.")


def test_a_finding_tells_the_cards() -> None:
    found = judge(regulation(), make_round("Ac2d3h4s6c", "6c"))["draws-one"]
    assert list(found.build_findings()) == [
        finding(
            *MUST_DRAW_ONE,
            "higher straight: discards A♣ (keeps 6♣ 4♠ 3♥ 2♦)",
            "the dealer's cards: A♣ 6♣ 4♠ 3♥ 2♦, ace high: ace, six, four, three, two; discards 6♣",
            reading=("swap/other-straights",),
        )
    ]


def test_a_finding_tells_every_way_there_was() -> None:
    read = replace(regulation(), choices={"other-straights": "either"})
    found = judge(read, make_round("Ac2d3h4s6c", ""))["draws-one"]
    assert list(found.build_findings()) == [
        finding(
            *MUST_DRAW_ONE,
            "any straight: discards A♣ (keeps 6♣ 4♠ 3♥ 2♦) or discards 6♣ (keeps A♣ 4♠ 3♥ 2♦)",
            "the dealer's cards: A♣ 6♣ 4♠ 3♥ 2♦, ace high: ace, six, four, three, two; discards nothing",
            reading=("swap/other-straights",),
        )
    ]


def test_a_finding_names_the_seat_and_every_rule_that_may_decide() -> None:
    found = judge(regulation(), record(1, seats=[seat(3, "9c9d7h4sAh", "7h")]))["players-draw"]
    assert list(found.build_findings()) == [
        finding(
            *BY_THE_RULES,
            "stays on what it has: discards nothing; or keeps a pair: discards A♥ 7♥ 4♠ (keeps 9♦ 9♣)",
            "the player's cards: A♥ 9♦ 9♣ 7♥ 4♠, pair of nines, kickers ace, seven, four; discards 7♥",
            seat=3,
        )
    ]


@pytest.mark.parametrize(
    ("one", "observed"),
    [
        (
            seat(1, "9c9d7h4s??", "7h", decision="none"),
            "the cards are not known: the player's cards: 9♦ 9♣ 7♥ 4♠ ??, not fully known",
        ),
        (
            seat(1, "9c9d7h4sAh", None, decision="none"),
            "the log does not record what was discarded; "
            "the player's cards: A♥ 9♦ 9♣ 7♥ 4♠, pair of nines, kickers ace, seven, four",
        ),
        (
            seat(1, "9c9d7h4sAh", "7h????", decision="none"),
            "the evidence does not show what the rule required or what was done: "
            "the player's cards: A♥ 9♦ 9♣ 7♥ 4♠, pair of nines, kickers ace, seven, four; discards 7♥ ?? ??",
        ),
    ],
)
def test_a_gap_tells_what_is_missing(one: dict[str, Any], observed: str) -> None:
    gap = judge(regulation(), record(1, seats=[one]))["players-draw"].find_gap()
    assert gap is not None and gap.rounds == 1
    asked = "keeps a pair: discards A♥ 7♥ 4♠ (keeps 9♦ 9♣)"
    if "cards are not known" in observed:
        asked = "; or ".join(f"{rule}: as this rule requires" for rule in ("keeps a pair", "keeps two"))
    assert gap.first == finding(*BY_THE_RULES, asked, observed, seat=1, status=Status.NOT_EVIDENCED)


def test_discards_may_be_told_by_events_alone() -> None:
    def mark_events(*events: dict[str, Any], **keys: Any) -> list[int]:
        return mark_rounds(
            "draws-two", record(1, dealer="9c9d7h4sAh", unrecorded=["deal", "wager"], events=list(events), **keys)
        )

    discard = {"event": "discard", "place": "dealer", "face": "up"}
    assert mark_events({**discard, "cards": "7h4s"}) == [PASS]
    assert mark_events({**discard, "cards": "7h"}) == [FAIL]
    assert mark_events() == [FAIL]


def test_many_rounds_are_judged_as_each_alone() -> None:
    rng = np.random.default_rng(8)
    records = []
    for number in range(60):
        cards = rng.permutation(52).astype(np.uint8)
        one = seat(1, format_cards(cards[:5]), format_cards(cards[: number % 4]), decision="none")
        away = format_cards(cards[5 : 5 + number % 3])
        keys = {"dealer": format_cards(cards[5:10]), "dealer-discarded": away} if number % 7 else {}
        records.append(record(number, seats=[one], **keys))
    prepared = compile_game(regulation())
    together = check_batch(prepared, batch(*records), None)
    alone = [check_batch(prepared, batch(round_), None) for round_ in records]
    for place, verdict in enumerate(together):
        assert verdict.counts == tuple(np.sum([outcomes[place].counts for outcomes in alone], axis=0))
        apart = [finding for outcomes in alone for finding in outcomes[place].findings]
        assert [replace(finding, where=replace(finding.where, line=1)) for finding in verdict.findings] == apart


def test_exact_counts_of_the_hands_each_rule_decides() -> None:
    # Every hand out of 52 cards, each as the dealer's in a round of its own.
    hands = list_hands(5)
    rounds = len(hands)
    one = batch(record(1))
    wide = np.full((rounds, one.dealer.cards.shape[1]), NO_CARD, np.uint8)
    nothing = Hands(cards=wide.copy(), count=np.zeros(rounds, np.int16))
    wide[:, :5] = hands
    many = replace(
        one,
        round=("R",) * rounds,
        complete=np.ones(rounds, bool),
        dealer=Hands(cards=wide, count=np.full(rounds, 5, np.int16)),
        dealer_discarded=nothing,
    )
    found = evaluate_drawing(EvaluationContext(many, compile_game(regulation()), None), "dealer")
    decided = np.stack(found.may_decide)
    assert (decided.sum(axis=0) == 1).all() and not found.may_be_undecided.any()
    # 1,277 sets of five different ranks are no run; 1,020 choices of suits are no flush, 60 have four of a suit. Of
    # the sets, 63 have an open draw to a straight, 184 + 28 another one and 1,002 none.
    names = [rule.rule for rule in compile_game(regulation()).game.drawing["dealer"].rules]
    assert dict(zip(names, decided.sum(axis=1).tolist(), strict=True)) == {
        "straight-or-better": 4 + 36 + 624 + 3_744 + 5_108 + 10_200,
        "two-pairs": 123_552,
        "three-alike": 54_912,
        "one-pair": 1_098_240,
        "four-of-a-flush": 1_277 * 60,
        "open-straight": 63 * 960,
        "higher-straight": (184 + 28) * 960,
        "higher-cards": 0,
        "any-straight": 0,
        "no-pair": 1_002 * 960,
    }


NO_PAIR = "- {rule: no-pair, keep: {highest: 3}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (NO_PAIR, "- {rule: no-pair, keep: {highest: 6}", "`highest` must be at most 5, found the number 6"),
        (NO_PAIR, "- {rule: no-pair, keep: {}", "`groups`, `highest` or `lowest` must be given"),
        (NO_PAIR, "- {rule: no-pair, keep: some", "`some` is not a value of `keep`"),
        (
            NO_PAIR,
            '- {rule: one-pair, keep: all, clauses: ["3"]}\n    - {rule: no-pair, keep: all',
            "rule one-pair is listed twice",
        ),
        (NO_PAIR, "- {rule: no-pair, when: {decided: stay}, keep: {highest: 3}", "applies to each seat"),
        ("toward: flush, cards: 4", "toward: flush, cards: 5", "no card is drawn to 5 cards: a hand has 5"),
        ("toward: flush, cards: 4", "toward: flash, cards: 4", "there is no category `flash`"),
        ("toward: flush, cards: 4", "toward: three-aces, cards: 4", "three-aces is not a category of five-card"),
        ("toward: flush, cards: 4", "toward: flush", "needs the key `cards`"),
        ("toward: flush, cards: 4", "toward: flush, cards: 4, groups: true", "`groups` is not a key"),
        ("cards: 4, completed-by: 2", "cards: 3, completed-by: 2", "applies only if one card is missing"),
        ("hand: player\n", "hand: dealer\n", "dealer must be the player's own cards and no others"),
        (
            "from: [dealer], rank-by: five-card",
            "from: [dealer], rank-by: three-card-aces",
            "three-card-aces must rank hands of the 5 cards that the dealer is dealt",
        ),
        (
            "from: [dealer], rank-by: five-card",
            "from: [dealer], rank-by: longest-flush",
            "longest-flush must rank hands of the 5 cards that the dealer is dealt",
        ),
        ("place: dealer\n", "place: community\n", "`community` is not a value of `place`"),
    ],
)
def test_rules_that_cannot_be_meant_are_refused(old: str, new: str, message: str) -> None:
    assert GAME.count(old) == 1
    with pytest.raises(InputError) as caught:
        load(game=GAME.replace(old, new))
    assert message in "; ".join(
        f"{diagnostic.message} {diagnostic.expected}" for diagnostic in caught.value.diagnostics
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rules: [straight-or-better]", "rules: [straight-or-better, no-pair]", "no-pair must be judged by one"),
        ("rules: [straight-or-better]", "rules: [straight-or-better, keeps-two]", "keeps-two is no rule of dealer"),
        ("one-pair, no-pair]", "one-pair]", "rule no-pair must be judged by one requirement, not by 0"),
        ("rules: [straight-or-better]", "rules: [straight]", "there is no drawing rule `straight`"),
        ("drawing: player", "drawing: players", "there is no drawing `players`"),
        ("rules: [straight-or-better]", "when: {placed: main}, rules: [straight-or-better]", "applies to each seat"),
    ],
)
def test_checks_that_cannot_be_meant_are_refused(old: str, new: str, message: str) -> None:
    assert REQUIREMENTS.count(old) == 1
    with pytest.raises(InputError) as caught:
        load(requirements=REQUIREMENTS.replace(old, new))
    assert message in "; ".join(diagnostic.message for diagnostic in caught.value.diagnostics)
