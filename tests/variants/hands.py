"""The games of this folder, and what an audit finds in hands of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fairdeal import api
from tests.facade.results import Results, Status
from tests.facade.rules import Rulebook

GAMES = Path(__file__).parent / "games"
REAL = Path(__file__).parents[3] / "shared" / "hands" / "phh"
"""Recorded hands, where there are any."""
SET_ASIDE = "set aside"


@cache
def rulebook() -> Rulebook:
    """The rulebook of the games."""
    return api.load_rulebook(GAMES)


def recorded(variant: str) -> dict[str, str]:
    """The recorded hands of a variant, by the name of their file."""
    found = {path.relative_to(REAL).as_posix(): path.read_text() for path in sorted(REAL.rglob("*.phh"))}
    quoted = (f"variant = '{variant}'", f'variant = "{variant}"')
    return {name: text for name, text in found.items() if any(one in text for one in quoted)}


def judged(hands: Mapping[str, str], folder: Path, *submissions: Path) -> tuple[Results, dict[str, set[str]]]:
    """The results of some hands in PHH, TOML without a table of its own each, and by the name of the hand the
    requirements that it fails, without their document; `SET_ASIDE` for one that could not be read."""
    path, text, line = folder / "hands.phhs", [], 1
    starts: dict[int, str] = {}
    for name, hand in hands.items():
        starts[line] = name
        text.append(f'["{name}"]\n{hand}\n')
        line += text[-1].count("\n")
    path.write_text("".join(text))
    results = api.audit(rulebook(), path, submissions=submissions)
    found: dict[str, set[str]] = defaultdict(set)
    for finding in results.findings:
        if finding.status in (Status.FAIL, Status.ERROR):
            found[starts[finding.where.line or 0]].add(finding.requirement.partition("/")[2])
    for entry in results.quarantined:
        found[starts[max(start for start in starts if start <= entry.line)]].add(SET_ASIDE)
    return results, found
