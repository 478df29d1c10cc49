"""Messages of examples that fail: each reported by itself, at its place, while the others continue."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cautions.rulebooks import DUEL, write_rulebook
from tests.facade.commands import run

ROUNDS = "examples/rounds.yaml"
BROKEN = "  findings: [{requirement: within-the-limits, at: {seat: 2, wager: ante}}]\n"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rulebook(tmp_path_factory.mktemp("rules"))


@pytest.fixture
def changed(sound: Path, request: pytest.FixtureRequest) -> Path:
    """Replace a text in the examples of the rulebook, and restore it after the test."""
    old, new = request.param
    path = sound / DUEL / ROUNDS
    before = path.read_text("utf-8")
    assert old in before
    path.write_text(before.replace(old, new, 1), "utf-8")
    request.addfinalizer(lambda: path.write_text(before, "utf-8"))
    return sound


def run_tests(folder: Path) -> tuple[int, str]:
    ended = run("rules", "test", "--update", "--rules", str(folder), DUEL)
    assert ended.err == ""
    return ended.code, ended.text


ABOUT = "  - cards-of-one-rank\n  round: {base: three-seats}\n"


@pytest.mark.parametrize(
    ("changed", "examples"),
    [
        ((ABOUT, f"{ABOUT}  boundary: [{{requirement: higher-card-wins, at: {{seat: 1, wager: ante}}}}]\n"), 10),
        ((ABOUT, f"{ABOUT}  boundary: [{{requirement: cards-of-one-rank, at: {{seat: 4, wager: ante}}}}]\n"), 10),
        ((ABOUT, f"{ABOUT}  boundary: [{{requirement: higher-card-wins, at: {{seat: 2, wager: ante}}}}]\n"), 9),
    ],
    indirect=["changed"],
)
def test_a_boundary_is_changed_in_the_events_too(changed: Path, examples: int) -> None:
    """Won, returned and lost; more than all cannot be lost."""
    code, text = run_tests(changed)
    assert (code, text.splitlines()[0]) == (0, f"{DUEL}: {examples} of {examples} examples are as stated")


@pytest.mark.parametrize(
    "changed",
    [("set: {/events/4/face: up}", "insert: {/events/0: {event: rake, amount: 1}}, set: {/events/5/face: up}")],
    indirect=True,
)
def test_an_example_has_nothing_that_its_game_does_not_know(changed: Path) -> None:
    code, text = run_tests(changed)
    assert code == 1
    assert "cannot be read: event 1 is a `rake`, which the rules of the game do not provide for" in text


@pytest.mark.parametrize("changed", [(BROKEN, "")], indirect=True)
def test_an_example_that_names_nothing_is_told_what_it_gives(changed: Path) -> None:
    code, text = run_tests(changed)
    assert code == 1
    assert "not expected:\n  - {requirement: within-the-limits, at: {seat: 2, wager: ante}}\n" in text


@pytest.mark.parametrize("changed", [("  about: [within-the-limits]\n", "")], indirect=True)
def test_an_example_must_prove_something(changed: Path) -> None:
    code, text = run_tests(changed)
    assert (code, "it proves nothing: name a requirement under `about`" in text) == (1, True)


@pytest.mark.parametrize(
    "changed",
    [
        (
            "set: {/events/4/face: up}}\n  findings: [{requirement: dealt-face-down, at: {seat: 1, event: 5}}]\n",
            "set: {/events/4/face: up, /events/5/face: up}}\n  findings:\n"
            "  - {requirement: dealt-face-down, at: {seat: 2, event: 6}}\n"
            "  - {requirement: dealt-face-down, at: {seat: 1, event: 5}}\n",
        )
    ],
    indirect=True,
)
def test_findings_stand_in_any_order(changed: Path) -> None:
    assert run_tests(changed)[0] == 0
