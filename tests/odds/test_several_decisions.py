"""Games in which a seat decides several times, or sees other cards, compared with plain enumerations of all deals."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairdeal.validator.odds.choosing import staged_decisions
from fairdeal.validator.odds.player_options import OddsTable
from tests.facade.commands import run
from tests.odds.plain import classes, five_cards
from tests.odds.rulebooks import rulebook


def worked_out(folder: Path, document: str, wager: str, changes: dict[str, str] | None = None) -> dict[str, Any]:
    found = run("odds", document, "--rules", rulebook(folder, document, changes), "--wager", wager, "-o", "json")
    (row,) = found.results["wagers"]
    return dict(row)


def one_more(cards: Any) -> Any:
    """Return every row of cards with each other card of the deck."""
    free = np.ones((len(cards), 52), bool)
    np.put_along_axis(free, cards, False, axis=1)
    rest = np.nonzero(free)[1].reshape(-1, 1)
    return np.concatenate([np.repeat(cards, 52 - cards.shape[1], axis=0), rest], axis=1)


@cache
def sets(size: int) -> tuple[Any, Any]:
    found = classes(size)
    return np.array([*found]), np.array([*found.values()])


def best(*choices: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return what the best of some choices is worth and puts at stake, for each state; of equal worth the least."""
    worth, staked = (part.copy() for part in choices[0])
    for other, stakes in choices[1:]:
        better = (other > worth) | ((other == worth) & (stakes < staked))
        worth[better], staked[better] = other[better], stakes[better]
    return worth, staked


def sum_ways(choice: tuple[Any, Any], ways: int) -> tuple[Any, Any]:
    worth, staked = choice
    return worth.reshape(-1, ways).sum(axis=1), staked.reshape(-1, ways).sum(axis=1)


def figures(choice: tuple[Any, Any], weight: Any, deals: int) -> tuple[Fraction, Fraction]:
    won, staked = (int((part * weight).sum()) for part in choice)
    return Fraction(-won, deals), Fraction(-won, staked)


def test_three_wagers_of_which_two_may_be_taken_back(tmp_path: Path) -> None:
    own, weight = sets(3)
    category, pair = five_cards(one_more(one_more(own)))
    pays = np.array([-1, 0, 2, 3, 5, 8, 11, 50, 200, 1000])[category]
    pays = np.where(category == 1, np.where(pair >= 8, 1, -1), pays).reshape(-1, 48)
    unit = np.full(len(pays), 48)

    def second(number: int) -> tuple[Any, Any]:
        return best(*((pays.sum(axis=1) * units, unit * units) for units in (number, number + 1)))

    first = best(*(sum_ways(second(number), 49) for number in (1, 2)))
    row = worked_out(tmp_path, "pa-643a", "number-1")
    advantage, risk = figures(first, weight, 22_100 * 49 * 48)
    assert (row["exact"], row["house-advantage"], row["element-of-risk"]) == (True, str(advantage), str(risk))
    assert str(advantage) == "37963/1082900"  # published: 3.5057 %
    assert row["settlement"]["whole"] and row["deals"] == 22_100 * 49 * 48
    parts = {(tuple(part.get("after", ())), part["decision"]): part["hands"] for part in row["strategy"]}
    assert parts[(), "ride-1"] == 1_608
    assert sum(hands for (after, _), hands in parts.items() if after) == 22_100 * 49


def test_three_streets_with_a_wager_or_a_fold_at_each(tmp_path: Path) -> None:
    # A plain enumeration of all 1,326 x 50 x 49 x 48 deals; the advantage is published as 4.9149 %. Of equal worth the
    # smaller wager is taken; with the greater one the stakes at risk are 3.5898.
    row = worked_out(tmp_path, "street-by-street", "ante")
    assert (row["exact"], row["house-advantage"]) == (True, "53223/1082900")
    staked = Fraction(row["house-advantage"]) / Fraction(row["element-of-risk"])
    assert float(staked) == pytest.approx(3.4835681965093728)
    assert {tuple(part.get("after", ())) for part in row["strategy"]} >= {(), ("third-1x",), ("third-1x", "fourth-3x")}


def test_a_decision_by_an_open_card_of_the_dealer(tmp_path: Path) -> None:
    own, weight = sets(2)
    deals = one_more(one_more(own))

    def strength(cards: Any) -> Any:
        ranks = np.sort(cards // 4, axis=1)
        return np.where(ranks[:, 0] == ranks[:, 1], 1_000, 0) + ranks[:, 1] * 13 + ranks[:, 0]

    mine, other = strength(deals[:, :2]), strength(deals[:, 2:])
    # In half Antes: 3 for a pair that wins on the Ante, else 2 for each Ante, of which the raise is two.
    won = np.where(mine > other, np.where(mine >= 1_000, 3, 2) + 4, np.where(mine == other, 0, -6)).reshape(-1, 49)
    raised = won.sum(axis=1), np.full(len(won), 6 * 49)
    folded = np.full(len(won), -2 * 49), np.full(len(won), 2 * 49)
    advantage, risk = figures(sum_ways(best(folded, raised), 50), weight, 2 * 1_326 * 50 * 49)
    row = worked_out(tmp_path, "open-duel", "ante")
    assert (row["exact"], row["house-advantage"]) == (True, str(advantage))
    assert Fraction(row["element-of-risk"]) == risk
    closed = worked_out(tmp_path / "closed", "open-duel", "ante", {", face: up}": "}"})
    assert Fraction(closed["house-advantage"]) > advantage  # who sees less loses more


def test_a_seat_to_which_nothing_is_open_decides_nothing(tmp_path: Path) -> None:
    """Only a pair may be folded or raised, so that all other hands lose no more than the Ante."""
    pairs = "{holds: {hand: player, at-least: pair}}"
    changes = {
        "raise: {title: raise,": f"raise: {{title: raise, when: {pairs},",
        "fold: {title: fold}": f"fold: {{title: fold, when: {pairs}}}",
    }
    own, weight = sets(2)
    deals = one_more(one_more(own))
    ranks = np.sort(deals.reshape(-1, 2, 2) // 4, axis=2)
    strength = np.where(ranks[..., 0] == ranks[..., 1], 1_000, 0) + ranks[..., 1] * 13 + ranks[..., 0]
    mine, other = strength[:, 0], strength[:, 1]
    ante = np.where(mine > other, np.where(mine >= 1_000, 3, 2), np.where(mine == other, 0, -2))
    raised = ante + 2 * np.sign(mine - other) * 2
    won = np.where(mine >= 1_000, raised, ante).reshape(len(own), -1).sum(axis=1)
    row = worked_out(tmp_path, "open-duel", "ante", {**changes, ", face: up}": "}"})
    assert row["house-advantage"] == str(Fraction(-int((won * weight).sum()), 2 * 1_326 * 50 * 49))
    again = worked_out(tmp_path / "open", "open-duel", "ante", changes)
    assert again["exact"] and Fraction(again["house-advantage"]) <= Fraction(row["house-advantage"])


def test_a_right_figure_is_not_called_wrong_and_a_wrong_one_is(tmp_path: Path) -> None:
    folder = rulebook(tmp_path, "pa-643a")
    submission = tmp_path / "submission.yaml"
    text = "submission: one\nlicensee: {name: Some House}\ndocument: pa-643a\neffective: 2026-01-01"
    for stated, holds in (("3.5057%", True), ("63.6320%", False), ("3.6%", False)):
        submission.write_text(f"{text}\nstated-odds: [{{wager: number-1, house-advantage: {stated}}}]\n", "utf-8")
        found = run("odds", "pa-643a", "--rules", folder, "-s", submission, "-o", "json")
        assert [figure["holds"] for figure in found.results["stated"]] == [holds]


NINE_CARDS = {
    "{player: 2, dealer: 2}": "{player: 9, dealer: 2}",
    "{to: [player], each: 2}": "{to: [player], each: 9}",
    "from: [player], rank-by": "from: [player], best-of: 9, rank-by",
}
WAY = "{clauses: [643a.10], passes: [{to: [player], each: 3}, {to: [community], each: 2}]}"
BY_HAND = {
    "ways: {automated": f"ways: {{by-hand: {WAY}, automated",
    "{held: community, equals: 2}": "{cards: community, equals: 3}",
}


DRAWN = {
    "  show: {": "  draw: {title: the dealer draws, event: draw, place: dealer}\n  show: {",
    "{compare: {hand: player, is: equal, to: dealer}}": "{drawn: dealer, at-least: 1}",
}
TOLD = {
    "  show: {": "  lucky: {title: a lucky round, event: announce, what: lucky}\n  show: {",
    "{compare: {hand: player, is: equal, to: dealer}}": "{happened: lucky}",
}

COVERED = {
    "\nacts:\n": "\nother-events:\n  any-show: {title: cards are shown, event: reveal}\n\nacts:\n",
    "{compare: {hand: player, is: equal, to: dealer}}": "{happened: any-show}",
}


@pytest.mark.parametrize(
    ("document", "wager", "changes", "why"),
    [
        ("open-duel", "ante", NINE_CARDS, "are too many to be counted"),
        (
            "pa-643a",
            "number-1",
            BY_HAND,
            "it depends on the way of dealing, which is not stated: by-hand, automated-shoe",
        ),
        ("open-duel", "ante", DRAWN, "depends on more than cards and decisions: the dealer's number of cards drawn"),
        ("open-duel", "ante", TOLD, "depends on more than cards and decisions: a lucky round"),
        ("open-duel", "ante", COVERED, "depends on more than cards and decisions: cards are shown"),
        (
            "roulette",
            "red",
            {},
            "the settlement of red depends on more than cards and decisions: the number stated when",
        ),
    ],
)
def test_what_cannot_be_counted_is_refused_with_the_reason(
    document: str, wager: str, changes: dict[str, str], why: str, tmp_path: Path
) -> None:
    row = worked_out(tmp_path, document, wager, changes)
    assert row["house-advantage"] is None and not row["exact"]
    assert why in row["why"]
    assert row["settlement"] is None


QUALIFIES = {
    "{compare: {hand: player, is: equal, to: dealer}}": "{any: [{compare: {hand: player, is: equal, to: dealer}}, "
    "{not: {holds: {hand: dealer, at-least: pair}}}]}"
}
UNCOMPARED = {
    "[{compare: {hand: player, is: higher, to: dealer}}": "[{not: {holds: {hand: dealer, at-least: pair}}}",
    "[ante, raise], when: {compare: {hand: player, is: higher, to: dealer}}": "[ante, raise], "
    "when: {not: {holds: {hand: dealer, at-least: pair}}}",
    "{compare: {hand: player, is: equal, to: dealer}}": "{holds: {hand: player, at-least: pair}}",
}


@pytest.mark.parametrize("changes", [{}, QUALIFIES, UNCOMPARED])
def test_the_rest_of_a_hand_is_counted_as_deal_by_deal(
    changes: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hands that contain the open card and none of the player's are counted by inclusion and exclusion."""
    by_deals = worked_out(tmp_path, "open-duel", "ante", changes)
    monkeypatch.setattr(staged_decisions, "_MOST_DEALS", 1)
    by_sets = worked_out(tmp_path / "sets", "open-duel", "ante", changes)
    for row in (by_deals, by_sets):
        row["settlement"].pop("order")  # its examples are any deals of the kind
    assert by_sets == by_deals and by_sets["exact"]


def test_a_decision_by_an_open_card_of_several_decks(tmp_path: Path) -> None:
    """Two decks: every order of four ranks is weighed by the cards that are left of each rank."""
    ranks = np.indices((13,) * 4).reshape(4, -1)
    weight = np.ones(ranks.shape[1], np.int64)
    for at in range(4):
        weight *= 8 - (ranks[:at] == ranks[at]).sum(axis=0)

    def strength(first: Any, second: Any) -> Any:
        return np.where(first == second, 1_000, 0) + np.maximum(first, second) * 13 + np.minimum(first, second)

    mine, other = strength(ranks[0], ranks[1]), strength(ranks[2], ranks[3])
    won = np.where(mine > other, np.where(mine >= 1_000, 3, 2) + 4, np.where(mine == other, 0, -6)) * weight
    seen = (np.minimum(ranks[0], ranks[1]) * 13 + np.maximum(ranks[0], ranks[1])) * 13 + ranks[2]
    raised = np.bincount(seen, won, 13**3)
    folded = np.bincount(seen, -2 * weight, 13**3)
    advantage = Fraction(-int(np.maximum(raised, folded).sum()), 2 * int(weight.sum()))
    row = worked_out(tmp_path, "open-duel", "ante", {"decks: 1": "decks: 2"})
    assert (row["exact"], row["house-advantage"]) == (True, str(advantage))


def test_decks_do_not_matter_where_no_hand_decides(tmp_path: Path) -> None:
    changes = {"decks: 1": "decks: 8", "when: red, ": ""}
    row = worked_out(tmp_path, "roulette", "red", changes)
    assert (row["exact"], row["house-advantage"]) == (True, "-1/1")


@pytest.mark.parametrize("wager", ["ante", "pair-xxx"])
def test_one_decision_by_the_own_cards_is_worth_the_same_state_by_state(
    wager: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("odds", "co-rule10-3card-shine", "--wager", wager, "-o", "json")
    by_classes = run(*command).results["wagers"]
    monkeypatch.setattr(OddsTable, "is_by_own_cards", False)
    by_states = run(*command).results["wagers"]
    figures_of = ("house-advantage", "element-of-risk", "deals", "outcomes", "never", "exact")
    for row, other in zip(by_classes, by_states, strict=True):
        assert {key: row[key] for key in figures_of} == {key: other[key] for key in figures_of}
        assert [part["hands"] for part in row["strategy"]] == [part["hands"] for part in other["strategy"]]
        assert row["settlement"]["whole"] and other["settlement"]["whole"]


@pytest.mark.parametrize("size", [2, 3])
def test_a_card_that_is_seen_gives_the_figures_of_single_deals(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three = {
        "cards: {player: 2, dealer: 2}": "cards: {player: 3, dealer: 3}",
        "{to: [player], each: 2}, {to: [dealer], each: 1}": "{to: [player], each: 3}, {to: [dealer], each: 2}",
        "player: {title: the player's hand, from: [player], rank-by: two-cards-high}": (
            "player: {title: the player's hand, from: [player], rank-by: three-card-aces}"
        ),
        "dealer: {title: the dealer's hand, from: [dealer], rank-by: two-cards-high}": (
            "dealer: {title: the dealer's hand, from: [dealer], rank-by: three-card-aces}"
        ),
    }
    changes = three if size == 3 else {}
    by_deals = worked_out(tmp_path / "deals", "open-duel", "ante", changes)
    monkeypatch.setattr(staged_decisions, "_MOST_DEALS", 1)
    by_classes = worked_out(tmp_path / "classes", "open-duel", "ante", changes)
    assert by_deals["exact"] and by_classes["exact"]
    for figure in ("house-advantage", "element-of-risk", "strategy", "outcomes"):
        assert by_classes[figure] == by_deals[figure]
