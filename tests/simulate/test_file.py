"""Simulation file of a game: its problems are reported with their places."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.facade.rounds import CompiledGame
from tests.facade.rules import rules_folder
from tests.facade.simulation import load_simulation
from tests.facade.text import Diagnostic, InputError
from tests.simulate.helpers import GAME

SHIPPED = (rules_folder() / GAME / "simulation.yaml").read_text("utf-8")


def problems(prepared: CompiledGame, folder: Path, text: str) -> tuple[Diagnostic, ...]:
    (folder / GAME).mkdir()
    (folder / GAME / "simulation.yaml").write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        load_simulation(prepared.regulation, folder)
    return caught.value.diagnostics


@pytest.mark.parametrize(
    ("old", "new", "code", "says"),
    [
        ("at-least: 1", "at-least: 7", None, "the lowest number of hands, 7, is above the highest, 6"),
        ("{ante: 900,", "{anti: 900,", "unknown-name", "there is no wager `anti`"),
        ("{ante: 900,", "{play: 900,", "semantic-error", "`play` is no debt, and not placed before the deal"),
        ("{ante: 900,", "{ante: 1001,", None, "1001"),
        (
            "miscounts: {player: 4,",
            "miscounts: {community: 4,",
            "semantic-error",
            "no `community` among its `miscounts`",
        ),
        ("- {decision: play,", "- {decision: stay,", "unknown-name", "there is no decision `stay`"),
        (
            "when: {not: {placed: ante}}",
            "when: {is-tip: true}",
            "semantic-error",
            "applies to each stake, but is used for each seat",
        ),
        (
            "when: {not: {placed: ante}}",
            "when: [{is-tip: true}, {event: {face: up}}]",
            "semantic-error",
            "a condition cannot apply to stakes and to events at once",
        ),
        (f"  document: {GAME}", "  document: another", "semantic-error", f"the submission must be for {GAME}"),
        ("seconds: 80", "seconds: 80\nspeed: 3", "unknown-key", "`speed`"),
        (
            "seconds: 80",
            "seconds: 80\nstacked: [{hand: player, is: full-house, chance: 10}]",
            "semantic-error",
            "the ranking of `player` has no `full-house`",
        ),
        (
            "seconds: 80",
            "seconds: 80\ndiscards: [{cards: 1, when: {is-tip: true}}]",
            "semantic-error",
            "applies to each stake, but is used for each seat",
        ),
        (
            "seconds: 80",
            "seconds: 80\nsteps: {cut: {states: {cards: player}}}",
            "semantic-error",
            "applies to each seat, but is used for each round",
        ),
        (
            "occurrences: [{chance: 10, steps: [card-shown, card-covered]}]",
            "occurrences: [{opening: true, steps: [cut], before: cut, after: deal}]",
            None,
            "`before` and `after` cannot be given together",
        ),
        (
            "occurrences: [{chance: 10, steps: [card-shown, card-covered]}]",
            "occurrences: [{hours: 2, steps: [cuts]}]",
            "unknown-name",
            "no step `cuts`",
        ),
        (
            "seconds: 80",
            "seconds: 80\nmanners: [{chance: 1}]",
            "semantic-error",
            "players do not bet against each other",
        ),
        ('start: "2026-03-02T18:00:00"', "start: monday", None, "start"),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(
    first_game: CompiledGame, tmp_path: Path, old: str, new: str, code: str | None, says: str
) -> None:
    assert SHIPPED.count(old) == 1
    text = SHIPPED.replace(old, new)
    (problem,) = problems(first_game, tmp_path, text)
    assert says in f"{problem.message} {problem.source_line}"
    assert code is None or problem.code == code
    first = text[: text.index(new)].count("\n") + 1
    assert problem.line is not None and first <= problem.line <= first + new.count("\n")


def test_exposures_must_be_known_to_the_game(first_game: CompiledGame, tmp_path: Path) -> None:
    events = {name: act.model_copy(update={"covers": None}) for name, act in first_game.game.other_events.items()}
    game = first_game.game.model_copy(update={"other_events": events})
    (tmp_path / GAME).mkdir()
    (tmp_path / GAME / "simulation.yaml").write_text(SHIPPED, "utf-8")
    with pytest.raises(InputError, match="what happens to an exposed card"):
        load_simulation(replace(first_game.regulation, game=game), tmp_path)


def test_without_a_file_or_a_game_there_is_no_simulation(first_game: CompiledGame, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{GAME} cannot be simulated: it has no simulation.yaml"):
        load_simulation(first_game.regulation, tmp_path)
    with pytest.raises(InputError, match=f"{GAME} cannot be simulated: it has no game"):
        load_simulation(replace(first_game.regulation, game=None))
