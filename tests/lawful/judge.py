"""Judgement of generated rounds by the product, in process, through its public interface."""

from __future__ import annotations

import importlib
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import fairdeal
from tests.facade.results import list_careless_texts, skip_explanations
from tests.lawful.record import Record, Recorder, Session, Submission, write_log, write_submissions

MODULES = {
    "s38": "section38",
    "caribbean-draw": "caribbean_draw",
    "co-rule10-3card-shine": "three_card_shine",
    "co-rule10-flushes-gone-wild": "flushes_gone_wild",
    "poker-room": "poker_room",
}
"""Module of the generator of each game; that of its violations has the prefix `violations_`."""


@dataclass
class Judgement:
    """Failures and quarantined records by round id, with failures of submissions apart."""

    failures: dict[str, list[fairdeal.Finding]] = field(default_factory=lambda: defaultdict(list))
    quarantined: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    submission_failures: list[fairdeal.Finding] = field(default_factory=list)
    passed: int = 0
    """Number of requirements that passed somewhere; 0 says that nothing was judged."""

    def is_clean(self) -> bool:
        return not (self.failures or self.quarantined or self.submission_failures)

    def has_kind(self, kind: str) -> bool:
        """Return whether a line of the description is of a kind, such as `dealt-in-turn` or `quarantined: taken`."""
        return any(is_of_kind(line, kind) for line in self.describe().splitlines())

    def describe(self, limit: int = 3) -> str:
        """List findings grouped by requirement, each with its first round ids."""
        groups: dict[str, list[str]] = defaultdict(list)
        for id_, findings in self.failures.items():
            for requirement in sorted({finding.requirement for finding in findings}):
                groups[requirement].append(id_)
        for id_, reasons in self.quarantined.items():
            groups[f"quarantined: {generalize(reasons[0])}"].append(id_)
        for finding in self.submission_failures:
            groups[f"submission: {finding.requirement}"].append(str(finding.where.submission))
        lines = [
            f"{len(ids):6} {group}: {', '.join(ids[:limit])}"
            for group, ids in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
        ]
        return "\n".join(lines)


def is_of_kind(line: str, kind: str) -> bool:
    label, _, words = kind.partition(": ")
    return label in line and words in line


def generalize(reason: str) -> str:
    """Return a reason without its numbers, wagers and cards."""
    return re.sub(r"([2-9TJQKA][cdhs])+", "##", re.sub(r"`[^`]*`", "``", re.sub(r"-?\b[0-9]+\b", "#", reason)))


@cache
def load_rulebook(profile: str | None = None) -> fairdeal.Rulebook:
    return fairdeal.load_rulebook(profile=profile)


def judge(records: Sequence[Record], submissions: Sequence[Submission], profile: str | None = None) -> Judgement:
    """Audit records under submissions and return what fails and what is quarantined, by round id."""
    with tempfile.TemporaryDirectory(prefix="lawful-") as name:
        folder = Path(name)
        log = write_log(folder / "log.jsonl", records)
        paths = write_submissions(folder, submissions)
        with skip_explanations():
            results = fairdeal.audit(load_rulebook(profile), log, submissions=paths)
    careless = list(list_careless_texts(results.findings))
    assert not careless, careless[:5]
    judgement = Judgement(passed=sum(item.status == fairdeal.Status.PASS for item in results.requirements))
    for finding in results.findings:
        if finding.status not in {fairdeal.Status.FAIL, fairdeal.Status.ERROR}:
            continue
        if finding.where.round is None:
            judgement.submission_failures.append(finding)
        else:
            judgement.failures[finding.where.round].append(finding)
    for item in results.quarantined:
        judgement.quarantined[records[item.line - 1]["round"]].append(item.reason)
    return judgement


def read_files(path: Path) -> tuple[list[Record], list[Submission]]:
    """Return the records of a file, and the submissions in files whose names begin alike."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    submissions = sorted(path.parent.glob(f"{path.stem}.*yaml"))
    return records, [yaml.safe_load(item.read_text(encoding="utf-8")) for item in submissions]


def judge_files(path: Path, profile: str | None = None) -> Judgement:
    """Return the judgement of the rounds of a file, under the submissions in files whose names begin alike."""
    records, submissions = read_files(path)
    return judge(records, submissions, profile)


def load_generator(game: str) -> Any:
    """Return the module that writes lawful rounds of a game."""
    return importlib.import_module(f"tests.lawful.{MODULES[game]}")


def write_rounds(game: str, seed: int, rounds: int, recorder: Recorder | None = None) -> Session:
    """Return records of a game, by its own habits or by a recorder of rounds against the house."""
    write = load_generator(game).write
    session: Session = write(seed, rounds) if recorder is None else write(seed, rounds, recorder)
    return session
