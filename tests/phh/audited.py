"""Hands audited by the shipped rules of poker rooms, with the findings on each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fairdeal import api
from tests.facade.results import Finding, Results, Status
from tests.facade.rules import rules_folder

DOCUMENT = "poker-room"
CUSTOM = rules_folder() / DOCUMENT / "profiles" / "card-room-custom.yaml"
REAL = Path(__file__).parents[3] / "shared" / "hands" / "phh"
"""Recorded hands, where there are any."""
SET_ASIDE = "set aside"

Failures = Mapping[str, list[Finding]]


def audit(
    rulebook: api.Rulebook, hands: Mapping[str, str], folder: Path, *submissions: Path
) -> tuple[Results, Failures, set[str]]:
    """Audit hands, each as TOML without a table of its own.

    Returns the results, the failures by name of the hand, and the names of the quarantined hands.
    """
    path, text, line = folder / "hands.phhs", [], 1
    starts: dict[int, str] = {}
    for name, hand in hands.items():
        starts[line] = name
        text.append(f'["{name}"]\n{hand}\n')
        line += text[-1].count("\n")
    path.write_text("".join(text))
    results = api.audit(rulebook, path, submissions=submissions)
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in results.findings:
        if finding.status in (Status.FAIL, Status.ERROR):
            found[starts[finding.where.line or 0]].append(finding)
    aside = {starts[max(start for start in starts if start <= entry.line)] for entry in results.quarantined}
    return results, found, aside


@cache
def _rulebook(profile: Path | None) -> api.Rulebook:
    return api.load_rulebook(profile=profile)


def failures(hands: Mapping[str, str], folder: Path, *, profile: Path | None = CUSTOM) -> tuple[Failures, set[str]]:
    """Return the failures of hands by the rules of a poker room, by name of the hand, and the quarantined hands."""
    _, found, aside = audit(_rulebook(profile), hands, folder)
    return found, aside


def get_names(findings: list[Finding]) -> set[str]:
    """Return the requirements of findings, without their document."""
    return {finding.requirement.partition("/")[2] for finding in findings}
