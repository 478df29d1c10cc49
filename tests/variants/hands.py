"""Games of this folder, and audits of hands of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fairdeal import api
from tests.facade.results import Results, skip_explanations
from tests.facade.rules import Rulebook
from tests.phh.audited import REAL, SET_ASIDE, audit, get_names

GAMES = Path(__file__).parent / "games"


@cache
def rulebook() -> Rulebook:
    """Load the rulebook of the games."""
    return api.load_rulebook(GAMES)


def load_recorded(variant: str) -> dict[str, str]:
    """Return the recorded hands of a variant, by the name of their file."""
    found = {path.relative_to(REAL).as_posix(): path.read_text() for path in sorted(REAL.rglob("*.phh"))}
    quoted = (f"variant = '{variant}'", f'variant = "{variant}"')
    return {name: text for name, text in found.items() if any(quote in text for quote in quoted)}


def judge(hands: Mapping[str, str], folder: Path, *submissions: Path) -> tuple[Results, dict[str, set[str]]]:
    """Return the results of hands, and for each the failed requirements without their document.

    Unreadable hands have `SET_ASIDE`.
    """
    with skip_explanations():
        results, failures, aside = audit(rulebook(), hands, folder, *submissions)
    found = defaultdict(set, {name: get_names(failed) for name, failed in failures.items()})
    for name in aside:
        found[name].add(SET_ASIDE)
    return results, found
