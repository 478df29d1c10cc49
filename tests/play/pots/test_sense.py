"""Pots that cannot be meant are refused when rule files are loaded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.facade.text import InputError
from tests.play import table
from tests.play.pots.table import PLAY, regulation, step

POTS = PLAY["pots"]
MATCHED = {"lines": ["small-blind", "big-blind", "dead-blind", "ante", "bets"], "joins": "matched"}
CHIP = {"unit": "smallest-chip", "to": {"after": "button"}}
EXACT = {"unit": "minor-unit", "to": {"after": "button"}, "reading": {"odd-chip": "divided-exactly"}}
MEASURE = {"from": "total"}


def refuse(**game: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        regulation(**game)
    return [diagnostic.message for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"parts": [{**MATCHED, "lines": ["bets"]}, MATCHED]}, "an earlier case decides bets in every round"),
        (
            {"parts": [{**MATCHED, "when": {"cards": "community", "equals": 0}}]},
            "no case without a condition says how ante joins the pots",
        ),
        ({"parts": [MATCHED, {"lines": ["jackpot"], "joins": "whole"}]}, "there is no line `jackpot`"),
        (
            {"parts": [{**MATCHED, "when": {"placed": "bets"}}, MATCHED]},
            "applies to each seat, but is used for each round",
        ),
        (
            {"refunded": {"received": "uncalled", "equals": 0}},
            "depends on pots, which depend on it",
        ),
        (
            {"untold": {"when": {"placed": "bets"}, "at-most": 100}},
            "applies to each seat, but is used for each round",
        ),
        (
            {
                "untold": {
                    "when": {"reading": {"odd-chip": "any-chip"}},
                    "at-most": {"staked": "this-seat"},
                }
            },
            "applies to each seat, but is used for each round",
        ),
        (
            {"untold": {"when": {"events": "take-winner", "equals": 0}, "at-most": 100}},
            "applies to each seat, but is used for each round",
        ),
        ({"uncalled": "ante"}, "must be the line that players bet on, bets"),
        (
            {"shares": [{"hand": "high", "at-least": "pair"}]},
            "one share must be open to any hand, or a pot may have no winner",
        ),
        ({"shares": [{"hand": "high", "at-least": "longest"}]}, "there is no category `longest`"),
        ({"shares": [{"hand": "low"}]}, "there is no hand `low`"),
        ({"odd-chips": [EXACT]}, "the last case must always hold"),
        ({"odd-chips": [CHIP, EXACT]}, "an earlier case always holds"),
        ({"rake": [MEASURE, MEASURE]}, "an earlier case always holds"),
        ({"uncalled-apart": {"uncalled": "never"}}, "the reading uncalled has no option never"),
        (
            {"rake": [{**MEASURE, "stages": {"flop": {"placed": "bets"}}}]},
            "applies to each seat, but is used for each round",
        ),
    ],
)
def test_refused(changed: dict[str, Any], said: str) -> None:
    assert any(said in problem for problem in refuse(pots={**POTS, **changed})), refuse(pots={**POTS, **changed})


ROUND_SPEAKS = [
    {"pot": "raked", "equals": 0},
    "raked",
    {"events": "take-winner", "equals": 0},
    {"not": {"some-seat": {"events": "raked-seats", "equals": 0}}},
]


@pytest.mark.parametrize("when", ROUND_SPEAKS)
def test_what_pots_depend_on_does_not_speak_of_them(when: dict[str, Any]) -> None:
    facts = {"raked": {"pot": "raked", "at-least": 1}}
    acts = {**PLAY["acts"], **step("raked-seats", "reveal", each="seat", when="raked")}
    acts["take-winner"] = {**acts["take-winner"], "each": "round"}
    pots = {**POTS, "parts": [{**MATCHED, "when": when}, MATCHED]}
    said = refuse(pots=pots, facts=facts, acts=acts)
    assert "depends on pots, which depend on it" in said
    if "take-winner" in str(when):
        pots = {**POTS, "untold": {"when": when, "at-most": 100}}
        assert "depends on the winners of pots, which depend on it" in refuse(pots=pots, facts=facts, acts=acts)
    betting = {**PLAY["betting"], "reopens": [{"when": when, "by": "full-raise"}, {"by": "any-raise"}]}
    assert "depends on pots, which depend on it" in refuse(betting=betting, facts=facts, acts=acts)


def test_a_line_that_joins_no_pot_must_be_settled() -> None:
    parts = [{**MATCHED, "lines": ["small-blind", "big-blind", "bets"]}]
    said = refuse(pots={**POTS, "parts": parts})
    assert any(
        "must list every wager and bonus that joins no pot once: ante, dead-blind" in statement for statement in said
    )


def test_a_side_bet_against_the_house_may_stand_beside_the_pots() -> None:
    settlement = {
        "severity": "critical",
        "order": ["jackpot"],
        "cases": [{"case": "jackpot", "lines": ["jackpot"], "due": "open", "clauses": ["1"]}],
    }
    wagers = {**PLAY["wagers"], "jackpot": {"title": "Jackpot", "placed": "before-the-deal"}}
    jackpot = regulation(wagers=wagers, settlement=settlement).find_requirement("jackpot")
    assert jackpot.title == "Jackpot: Jackpot is paid as the house sees fit"


def test_a_game_must_be_settled_somehow() -> None:
    said = refuse(pots=None)
    assert any("`settlement`, `pots` or both must be given" in statement for statement in said)


def test_pots_need_betting() -> None:
    assert any("the game needs `betting`" in problem for problem in refuse(betting=None))


def test_a_game_without_pots_speaks_of_none() -> None:
    amount = {"pot": "raked", "equals": 0}
    for asked, said in (
        ({"facts": {"raked": amount}}, "the game has no pots"),
        ({"checks": [{"awarded": {"asks": "shares"}}]}, "the game has no pots"),
        ({"other-events": step("main-pot", "award", pot="main")}, "the game has no pots"),
        (
            {"other-events": step("losers", "reveal", each="seat", **{"of-seats": "losing"})},
            "the game has no pots",
        ),
    ):
        with pytest.raises(InputError) as caught:
            table.regulation(**asked)
        assert [diagnostic.message for diagnostic in caught.value.diagnostics] == [said]
