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
def rankings() -> dict[str, AnyRanking]:
    """The rankings of the vocabulary."""
    return RankingsFile.model_validate(_read("rankings.yaml")).rankings


@cache
def compiled(name: str) -> HandOrder:
    """A ranking of the vocabulary, ready for use."""
    return compile_order(rankings()[name])


def _ranking(name: str) -> CompiledRanking:
    found = compiled(name)
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
def every_hand(size: int) -> NDArray[np.uint8]:
    """All hands of `size` cards out of 52, cards ascending."""
    return np.fromiter(chain.from_iterable(combinations(range(52), size)), np.uint8).reshape(-1, size)
