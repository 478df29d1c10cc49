"""A run over all mutants of a document, in several processes, and what it found."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fairdeal.validator.audit.rule_review.example_evidence import BASES_FILE
from fairdeal.validator.rules.rule_files import list_documents, rules_folder
from tools.mutation.changes import Mutant
from tools.mutation.equivalents import load_equivalents
from tools.mutation.trial import Court, Outcome, open_court

PROCESSES = 2
_AT_A_TIME = 24

_courts: list[Court] = []
"""The court that is open, last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Outcomes of the mutants of a document, or of some of them.

    `known` are the names of all mutants; `equivalent` has the reason for each mutant that nothing can notice, by name.
    `wrong` are the examples that do not hold for the unchanged rules. `otherwise_alone` are the requirements whose
    outcome differs when judged alone (checked if all mutants are tried). `seconds` is the duration.
    """

    document: str
    tried: tuple[tuple[Mutant, Outcome], ...]
    known: frozenset[str]
    equivalent: Mapping[str, str]
    wrong: tuple[str, ...]
    otherwise_alone: tuple[str, ...]
    seconds: float

    @property
    def survivors(self) -> tuple[Mutant, ...]:
        """Mutants that no example notices, though one should."""
        return tuple(mutant for mutant in self.list_by_outcome("survived") if mutant.name not in self.equivalent)

    @property
    def stale(self) -> tuple[str, ...]:
        """Names listed as equivalent that are noticed, or of no mutant at all."""
        noticed = {mutant.name for mutant, outcome in self.tried if outcome != "survived"}
        return tuple(name for name in self.equivalent if name in noticed or name not in self.known)

    @property
    def score(self) -> float:
        """The share of mutants that were noticed, of those that could be: 0 to 1."""
        possible = sum(mutant.name not in self.equivalent or mutant.name in self.stale for mutant, _ in self.tried)
        return 1 - len(self.survivors) / possible if possible else 1.0

    def list_by_outcome(self, outcome: Outcome) -> tuple[Mutant, ...]:
        """List the mutants with an outcome."""
        return tuple(mutant for mutant, result in self.tried if result == outcome)


def list_proved_documents(folder: Path | None = None) -> tuple[str, ...]:
    """List the documents of a rules folder that have examples."""
    root = folder or rules_folder()
    return tuple(
        name
        for name in list_documents(root)
        if any(path.name != BASES_FILE for path in root.glob(f"{name}/examples/*.yaml"))
    )


def run(
    document: str,
    folder: Path | None = None,
    *,
    equivalent: Mapping[str, str] | None = None,
    most: int | None = None,
    court: Court | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Try every mutant of a document, or `most` of those that some example must notice, evenly spread; in a court that
    is open on it, if there is one. `tell` hears at once of each that is unnoticed. Raises InputError where the document
    itself does not load."""
    start = time.perf_counter()
    court = court or open_court(document, folder)
    _courts.append(court)
    every = court.mutants
    known = load_equivalents(document) if equivalent is None else equivalent
    noticeable = tuple(mutant for mutant in every if mutant.name not in known)
    mutants = every if most is None else noticeable[:: -(-len(noticeable) // most)]
    parts = [mutants[at : at + _AT_A_TIME] for at in range(0, len(mutants), _AT_A_TIME)]
    tried: list[tuple[Mutant, Outcome]] = []
    with ProcessPoolExecutor(PROCESSES, get_context("fork")) as pool:  # they inherit the trial that is open here
        for part, outcomes in zip(parts, pool.map(_outcomes, parts), strict=True):
            tried += zip(part, outcomes, strict=True)
            for mutant, outcome in zip(part, outcomes, strict=True):
                if outcome == "crashed" or (outcome == "survived" and mutant.name not in known):
                    tell(f"{len(tried):,} of {len(mutants):,}: {_format_mutant(outcome, mutant)}")
    _courts.pop()
    return Report(
        document=document,
        tried=tuple(tried),
        known=frozenset(mutant.name for mutant in every),
        equivalent=known,
        wrong=court.wrong,
        otherwise_alone=court.otherwise_alone() if most is None else (),
        seconds=time.perf_counter() - start,
    )


def _outcomes(mutants: Sequence[Mutant]) -> list[Outcome]:
    return [_courts[-1].outcome(mutant) for mutant in mutants]


def format_text(report: Report) -> str:
    """Format the report as a table, followed by all that needs attention."""
    columns = ("mutants", "refused", "noticed", "crashed", "equivalent", "survived")
    listed = set(report.equivalent).difference(report.stale)
    counts: dict[str, Counter[str]] = {}
    for mutant, outcome in report.tried:
        count = counts.setdefault(mutant.file, Counter())
        count["mutants"] += 1
        count["equivalent" if mutant.name in listed else outcome] += 1
    counts["all"] = sum(counts.values(), Counter())
    width = max(map(len, counts))
    lines = ["  ".join([report.document.ljust(width), *(column.rjust(10) for column in columns)])]
    for file, count in counts.items():
        lines.append("  ".join([file.ljust(width), *(f"{count[column]:>10,}" for column in columns)]))
    each = 1000 * report.seconds / max(len(report.tried), 1)
    lines.append(f"score {report.score:.2%}; {report.seconds:.1f} s, {each:.0f} ms a mutant")
    lines += [_format_mutant("survived", mutant) for mutant in report.survivors]
    lines += [_format_mutant("crashed", mutant) for mutant in report.list_by_outcome("crashed")]
    lines += [f"stale: {name}" for name in report.stale]
    lines += [f"wrong: example {name} does not give what it must" for name in report.wrong]
    lines += [f"wrong: requirement {name} has another result by itself" for name in report.otherwise_alone]
    return "\n".join(lines)


def _format_mutant(outcome: Outcome, mutant: Mutant) -> str:
    return f"{outcome}: {mutant.where}: {mutant.place}: {mutant.change}"


def build_data(report: Report) -> dict[str, Any]:
    """Return the report as plain data, the same for the same rules and examples."""
    return {
        "document": report.document,
        "score": round(report.score, 6),
        "mutants": len(report.tried),
        "outcomes": dict(sorted(Counter(outcome for _, outcome in report.tried).items())),
        "survivors": [_entry(mutant) for mutant in report.survivors],
        "crashed": [_entry(mutant) for mutant in report.list_by_outcome("crashed")],
        "equivalent": dict(report.equivalent),
        "stale": list(report.stale),
        "wrong": list(report.wrong),
        "otherwise-alone": list(report.otherwise_alone),
    }


def _entry(mutant: Mutant) -> dict[str, Any]:
    return {
        "file": mutant.file,
        "line": mutant.line,
        "column": mutant.column,
        "place": mutant.place,
        "change": mutant.change,
    }
