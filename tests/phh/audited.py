"""Hands audited by the rules of poker rooms that come with the program, and what was found of each."""

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


def audited(
    rulebook: api.Rulebook, hands: Mapping[str, str], folder: Path, *submissions: Path
) -> tuple[Results, Failures, set[str]]:
    """What an audit finds in some hands, told by TOML without a table of its own each; what failed in each of them, by
    its name; and the hands that were set aside."""
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
    """What failed in each of some hands by the rules of a poker room, and the hands that were set aside."""
    _, found, aside = audited(_rulebook(profile), hands, folder)
    return found, aside


def names(findings: list[Finding]) -> set[str]:
    """The requirements of findings, without their document."""
    return {finding.requirement.partition("/")[2] for finding in findings}
