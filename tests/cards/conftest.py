from __future__ import annotations

from functools import cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from fairdeal.validator.cards.card_codes import CompiledDeck, compile_deck
from fairdeal.validator.cards.hand_orders import HandOrder, compile_order
from fairdeal.validator.cards.ranking import CompiledRanking
from tests.facade.cards import AnyRanking, DecksFile, RankingsFile

VOCABULARY = Path(__file__).parents[2] / "rules_data" / "vocabulary"


def _read(name: str) -> Any:
    return yaml.safe_load((VOCABULARY / name).read_text("utf-8"))


@cache
def load_rankings() -> dict[str, AnyRanking]:
    """Load the rankings of the vocabulary."""
    return RankingsFile.model_validate(_read("rankings.yaml")).rankings


@cache
def compile_ranking_of(name: str) -> HandOrder:
    """Compile a ranking of the vocabulary."""
    return compile_order(load_rankings()[name])


def _ranking(name: str) -> CompiledRanking:
    found = compile_ranking_of(name)
    assert isinstance(found, CompiledRanking)
    return found


@pytest.fixture(scope="session")
def three() -> CompiledRanking:
    return _ranking("three-card-aces")


@pytest.fixture(scope="session")
def five() -> CompiledRanking:
    return _ranking("five-card")


@pytest.fixture(scope="session")
def deck() -> CompiledDeck:
    return compile_deck("standard-52", DecksFile.model_validate(_read("decks.yaml")).decks["standard-52"])


@cache
def list_hands(size: int) -> NDArray[np.uint8]:
    """Return all hands of `size` cards out of 52, cards ascending."""
    return np.fromiter(chain.from_iterable(combinations(range(52), size)), np.uint8).reshape(-1, size)
