"""Decision points of a seat, and the cards that its player sees by then."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.validator.engine.core.decision_points import UnclearRound, list_decision_points
from fairdeal.validator.operators.operator_table import compile_game
from tests.facade.rules import load_regulation
from tests.odds.rulebooks import regulation, rulebook

GAME = "pa-643a"
FIRST, SECOND = ("withdraw-1", "ride-1"), ("withdraw-2", "ride-2")


def points(folder: Path, changes: dict[str, str] | None = None) -> list[tuple[tuple[str, ...], object]]:
    found = list_decision_points(compile_game(regulation(folder, GAME, changes)))
    return [(point.decisions, dict(point.seen)) for point in found]


def test_a_second_decision_sees_the_card_that_a_requirement_turns_up_first(tmp_path: Path) -> None:
    assert points(tmp_path) == [(FIRST, {"player": 3}), (SECOND, {"player": 3, "community": 1})]


def test_cards_dealt_face_up_are_seen(tmp_path: Path) -> None:
    text = "cards: {player: 3, community: 2}\n    face: down"
    changes = {
        text: text.replace("down", "up"),
        "{to: [community], each: 3, kept: [1, 2]}": "{to: [community], each: 2}",
    }
    with pytest.raises(UnclearRound, match="no card is turned up between them"):
        points(
            tmp_path / "together",
            {**changes, "decisions: [withdraw-2, ride-2], turn: second": "decisions: [ride-2], turn: second"},
        )
    both = {"player": 3, "community": 2}
    assert points(tmp_path / "apart", changes) == [(FIRST, both), (SECOND, both)]


def test_the_rules_must_say_how_many_cards_are_turned_up(tmp_path: Path) -> None:
    text = "cards: {player: 3, community: 2}"
    changes = {text: text.replace("2", "4"), "each: 3, kept: [1, 2]": "each: 4"}
    # The requirement says one for the first step, and the last step turns up the rest.
    assert points(tmp_path / "stated", changes)[1] == (SECOND, {"player": 3, "community": 1})
    folder = rulebook(tmp_path / "open", GAME, changes)
    requirements = folder / GAME / "requirements" / "all.yaml"
    requirements.write_text(
        requirements.read_text("utf-8").replace("reveal-first, equals: 1", "reveal-first, at-least: 1")
    )
    with pytest.raises(UnclearRound, match="how many of the 4 cards of the community the act reveal-first turns up"):
        list_decision_points(compile_game(load_regulation(GAME, folder)))


DEALT_LATER = {
    "cards: {player: 2, community: 3}": "cards: {player: 2}",
    "{to: [player], each: 2}, {to: [community], each: 3}": "{to: [player], each: 2}",
    "{to: [player], each: 2}]}}}]}": "{to: [player], each: 2}]}}}, {stage: board, cards: {community: 3}, face: up, "
    'clauses: ["1"]}]}',
    "title: a card is turned up, event: reveal, place: community}\n  fourth: {": "title: the board is dealt,"
    " event: deal, stage: board}\n  fourth: {",
}


@pytest.mark.parametrize(
    ("of_deal", "seen"),
    [(", stage: deal", [{"player": 2}, {"player": 2, "community": 3}, {"player": 2, "community": 3}]), ("", None)],
)
def test_stages_are_seen_as_they_are_dealt(of_deal: str, seen: list[object] | None, tmp_path: Path) -> None:
    changes = {**DEALT_LATER, "event: deal}\n  third: {": f"event: deal{of_deal}}}\n  third: {{"}
    prepared = compile_game(regulation(tmp_path, "street-by-street", changes))
    if seen is None:
        with pytest.raises(UnclearRound, match="does not say which stages of the deal it deals"):
            list_decision_points(prepared)
    else:
        assert [dict(point.seen) for point in list_decision_points(prepared)] == seen


@pytest.mark.parametrize("game", ["s38", "co-rule10-3card-shine", "co-rule10-flushes-gone-wild", "caribbean-draw"])
def test_a_seat_of_the_shipped_games_decides_once_by_its_own_cards(game: str) -> None:
    prepared = compile_game(load_regulation(game))
    (point,) = list_decision_points(prepared)
    assert point.seen == {"player": prepared.game.deal.cards["player"]}
    assert set(point.decisions) == set(prepared.game.decisions)
