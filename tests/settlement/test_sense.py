"""Contradictory pay tables and settlements are refused when rule files are loaded."""

from __future__ import annotations

import pytest

from tests.facade.text import InputError
from tests.settlement.helpers import GAME, REQUIREMENTS, load


def refuse(*changes: tuple[str, str], requirements: str = REQUIREMENTS) -> list[str]:
    """Return the messages about the toy game with texts in it replaced."""
    game = GAME
    for old, new in changes:
        assert old in game
        game = game.replace(old, new, 1)
    with pytest.raises(InputError) as caught:
        load(game, requirements)
    return [diagnostic.message for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "or-better: 1 to 1}",
            "or-better: 1 to 1, pair: 1 to 2}",
            "pair-of-tens-or-better have hands in common",
        ),
        (
            "two-pair: push,\n           pair-of-tens-or-better: 1 to 1",
            "pair-of-tens-or-better: 1 to 1, two-pair: push",
            "rows must be listed from the highest hand down",
        ),
        ("two-pair: push,\n", "level: push,\n", "level is not a category that is ranked by final or suits"),
        ("{2-or-more: 5 to 1, ", "{flush: 5 to 1, ", "flush is not a band of margin"),
        ("{2-or-more: 5 to 1, 1-card: 2 to 1", "{1-card: 2 to 1, 2-or-more: 5 to 1", "must be listed from the highest"),
        ("level: push}\n", "level: 1 to 2}\n", "1 to 2 returns less than the stake if it is worded with `for`"),
        (
            "    hand: final\n    meter: pot\n",
            "    hand: final\n",
            "100% of meter needs the name of the meter: `meter`",
        ),
        ("shared: [{category: royal-flush", "shared: [{category: two-pair", "the table has no row two-pair"),
        (
            "{of: main, hand: suits}",
            "{of: main}",
            "the pay table of main has rows of several hands: name one, final or suits",
        ),
        (
            "{of: main, hand: suits}",
            "{of: side, hand: suits}",
            "the pay table of side uses margin, not suits",
        ),
        ("{of: main, hand: suits}", "{of: twin, hand: suits}", "twin has no pay table"),
        ("hand: [final, suits]", "hand: [final, dealer-suits]", "dealer-suits holds none of the player's cards"),
        ("hand: [final, suits]", "hand: final", "5-card-flush is not a category that is ranked by final"),
        ("1-card: 1,", "1-card: 2,", "bands must be listed from the highest down"),
        ("of: {difference", "of: {sum: [{amount: this}]} #", "applies to each stake, but is used for each seat"),
        (
            "due: open,\n",
            "due: nothing,\n",
            "nothing cannot be due on token: a wager has a stake, which is returned or lost",
        ),
        (
            "  noble: {holds: {hand: final, at-least: straight-flush}}\n",
            "  noble: {paid-as-due: main}\n",
            "what is due cannot depend on paid-as-due, which compares payments with it",
        ),
        ("at-most: {submitted: payout-limit.amount}", "at-most: {amount: main}", "is used for each round"),
        ("order: [main, twin,", "order: [twin,", "must list every wager and bonus once"),
        (
            "    wager: 1\n",
            '    wager: 1\n    shared: [{category: royal-flush, when: noble, clauses: ["(3)"]}]\n',
            "gift pays for each of several hands, so its payout cannot also be shared",
        ),
    ],
)
def test_refusals(old: str, new: str, said: str) -> None:
    assert any(said in message for message in refuse((old, new)))


def test_a_fact_may_not_ask_for_itself_by_way_of_the_events_it_counts() -> None:
    looped = (
        "  noble: {holds: {hand: final, at-least: straight-flush}}\n",
        "  noble: {events: shown, at-least: 1}\n",
    )
    shown = "\nacts:\n  shown: {title: shown, event: reveal, when: {some-seat: noble}}\n"
    assert refuse(looped, ("\nacts:\n", shown)) == ["fact noble is defined by itself"]


def test_a_step_may_not_ask_for_itself() -> None:
    shown = "\nacts:\n  shown: {title: shown, event: reveal, when: {happened: shown}}\n"
    assert refuse(("\nacts:\n", shown)) == ["act shown is defined by itself"]
    other = "\nacts:\n  shown: {title: shown, event: reveal, but: [seen]}\n"
    seen = "  seen: {title: seen, event: reveal, when: {happened: shown}}\n"
    assert refuse(("\nacts:\n", other + seen)) == ["act shown is defined by itself"]


def test_one_hand_or_one_scale() -> None:
    for new in ("", "    hand: final\n    by: margin\n"):
        with pytest.raises(InputError, match="exactly one of `hand` and `by` must be given"):
            load(GAME.replace("    by: margin\n", new, 1))


def test_a_missing_row_is_paid_as_another_or_at_odds() -> None:
    for new in ("full-house,", "full-house, pays-as: flush, pays: 7 to 2,"):
        with pytest.raises(InputError, match="exactly one of `pays` and `pays-as` must be given"):
            load(GAME.replace("full-house, pays: 7 to 2,", new, 1))


def test_tables_of_a_line_look_at_the_same() -> None:
    said = refuse(
        ("  main-narrow:\n    of: main\n    hand: [final, suits]", "  main-narrow:\n    of: main\n    by: margin")
    )
    assert "all pay tables of main must use the same hands or scale" in said


def test_every_limit_is_judged_once() -> None:
    twice = REQUIREMENTS + (
        '- {requirement: again, title: Limit, clauses: ["(4)"], severity: critical, message: Wrong.,\n'
        "   capped: {cap: hand-limit}}\n"
    )
    with pytest.raises(InputError, match="cap hand-limit must be judged by one requirement, not by 2"):
        load(GAME, twice)


def test_names_that_nothing_defines() -> None:
    assert refuse(("by: margin", "by: margins")) == ["there is no scale `margins`"]
    assert refuse(("2-or-more: 5 to 1", "2-or-mor: 5 to 1")) == ["there is no row `2-or-mor`"]
    with pytest.raises(InputError, match="there is no cap `limit`"):
        load(GAME, REQUIREMENTS.replace("{cap: hand-limit}", "{cap: limit}"))
