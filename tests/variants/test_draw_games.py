"""Draw games, encoded in YAML alone: recorded and random hands pass, tampering is found."""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.facade.results import Results, Status
from tests.phh.audited import REAL, SET_ASIDE
from tests.phh.tampering import write_hand
from tests.variants.draw_hands import single_draw, triple_draw
from tests.variants.draw_tampering import FOUND, Hand, Tamper, tamper_all
from tests.variants.hands import judge, load_recorded

needs_recorded = pytest.mark.skipif(not REAL.is_dir(), reason="there are no recorded hands here")

ESSENTIAL = (
    *("one-deck", "five-cards", "acts-in-turn", "only-players-act", "no-act-after-the-end", "call-meets-the-bet"),
    *("only-players-draw", "drawn-in-turn", "as-many-as-put-away", "showdown-held", "whole-hand-shown"),
    *("pots-to-the-winners", "uncalled-bet-returned"),
)


def passes(results: Results) -> dict[str, int]:
    """Return the number of rounds that pass, by requirement."""
    return {
        requirement.requirement.partition("/")[2]: requirement.totals.get(Status.PASS, 0)
        for requirement in results.requirements
    }


@needs_recorded
@pytest.mark.parametrize("variant", ["F2L3D", "N2L1D"])
def test_recorded_hands_are_in_order(variant: str, tmp_path: Path) -> None:
    results, found = judge(load_recorded(variant), tmp_path)
    assert found == {}
    passing = passes(results)
    assert {name for name in ESSENTIAL if not passing[name]} == set()
    assert passing["pots-to-the-winners"] == passing["acts-in-turn"] == 7


@pytest.mark.parametrize("play", [single_draw, triple_draw])
def test_hands_made_at_random_are_in_order(play: Callable[[int], str], tmp_path: Path) -> None:
    results, found = judge({str(seed): play(seed) for seed in range(70)}, tmp_path)
    assert found == {}
    passing = passes(results)
    assert {name for name in ESSENTIAL if passing[name] < 12} == set()
    assert min(passing[name] for name in ("acts-in-turn", "pots-to-the-winners", "as-many-as-put-away")) > 35


def _yield_made(play: Callable[[int], str]) -> Iterator[Hand]:
    """Yield random hands in which nobody is all in with a blind, since those prove little."""
    for seed in range(5_000, 5_110):
        hand = tomllib.loads(play(seed), parse_float=Decimal)
        if min(hand["starting_stacks"]) > 2 * max(hand["blinds_or_straddles"]) + 3:
            yield hand


@pytest.mark.parametrize("play", [single_draw, triple_draw])
def test_what_is_tampered_with_is_found_by_the_right_requirement(play: Callable[[int], str], tmp_path: Path) -> None:
    made: dict[str, tuple[Tamper, Hand]] = {}
    for number, hand in enumerate(_yield_made(play)):
        for kind, changed in tamper_all(hand, random.Random(number)):
            made[f"{kind.__name__}-{number}"] = (kind, changed)
    _, found = judge({name: write_hand(hand) for name, (_, hand) in made.items()}, tmp_path)
    missed = {name: found.get(name) for name, (kind, _) in made.items() if not found.get(name, set()) & FOUND[kind]}
    assert missed == {}
    assert not any(SET_ASIDE in counts for counts in found.values())
    assert set(FOUND) == {kind for kind, _ in made.values()}
    assert min(Counter(kind for kind, _ in made.values()).values()) >= 3


@needs_recorded
def test_recorded_hands_tampered_with(tmp_path: Path) -> None:
    made: dict[str, tuple[Tamper, Hand]] = {}
    for variant in ("F2L3D", "N2L1D"):
        for name, text in load_recorded(variant).items():
            for kind, changed in tamper_all(tomllib.loads(text, parse_float=Decimal), random.Random(name)):
                made[f"{kind.__name__} {name}"] = (kind, changed)
    _, found = judge({name: write_hand(hand) for name, (_, hand) in made.items()}, tmp_path)
    missed = {name: found.get(name) for name, (kind, _) in made.items() if not found.get(name, set()) & FOUND[kind]}
    assert missed == {}
    assert len({kind for kind, _ in made.values()}) > len(FOUND) // 2
