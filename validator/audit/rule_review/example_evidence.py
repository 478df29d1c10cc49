"""Examples with their complete evidence, built from bases and variations, and coverage of clauses by examples."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path as FilePath
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.audit.rule_review import example_snapshot
from fairdeal.validator.rulebook.dependencies import Namespace, find_undefined_names
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.short_forms import expand_printed_tables
from fairdeal.validator.rules import example_model
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.rule_files import RuleFileCache, rules_folder
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument, SourcePosition

VariationKind: TypeAlias = Literal["submissions", "rounds"]
"""Kind of evidence that a variation changes, by its key in the file of bases."""

_SINGULAR: Mapping[VariationKind, str] = {"submissions": "submission", "rounds": "round"}


class EvidenceSources(Struct, frozen=True, kw_only=True):
    """Evidence that variations may start from."""

    bases: example_model.BasesFile
    """Base evidence of a document."""
    examples: Mapping[str, example_model.Example]
    """Examples by name."""

    def build_evidence(self, kind: VariationKind, variation: example_model.Variation) -> dict[str, Any]:
        """Build the evidence of a variation. It shares what does not vary with its base, so only its root may change.

        Raises ValueError if there is no such base, example or place.
        """
        steps = [*self._steps(kind, variation)]
        bases = self.bases.submissions if kind == "submissions" else self.bases.rounds
        base = steps[-1].base
        if base is None or base not in bases:
            raise ValueError(f"there is no base {base}")
        evidence: dict[str, Any] = dict(bases[base])
        for step in reversed(steps):
            _apply_variation(evidence, step)
        return evidence

    def find_base(self, kind: VariationKind, variation: example_model.Variation) -> str:
        """Return the name of the base of a variation. Raises ValueError."""
        return next(step.base for step in self._steps(kind, variation) if step.base is not None)

    def _steps(self, kind: VariationKind, variation: example_model.Variation) -> Iterator[example_model.Variation]:
        """Yield a variation, then the one it starts from, and so on until one starts from a complete base."""
        seen: set[tuple[str, str]] = set()
        while True:
            yield variation
            name, what = (variation.base, "base") if variation.like is None else (variation.like, "example")
            assert name is not None
            if (what, name) in seen:
                raise ValueError(f"{what} {name} starts from itself")
            seen.add((what, name))
            if what == "example":
                variation = self._of_example(kind, name)
            elif kind == "rounds" and name in self.bases.variations:
                variation = self.bases.variations[name]
            else:
                return

    def _of_example(self, kind: VariationKind, name: str) -> example_model.Variation:
        if name not in self.examples:
            raise ValueError(f"there is no example {name}")
        variation = self.examples[name].submission if kind == "submissions" else self.examples[name].round_
        if variation is None:
            raise ValueError(f"example {name} has no {_SINGULAR[kind]} of its own")
        return variation


def _apply_variation(root: dict[str, Any], variation: example_model.Variation) -> None:
    """Apply the changes of a variation. Raises ValueError if there is no such place."""
    for pointer, value in variation.insert.items():
        with _naming_pointer(pointer):
            container, last = _find_container(root, pointer)
            container.insert(len(container) if last == "-" else int(last), value)
    for pointer, value in variation.set_.items():
        with _naming_pointer(pointer):
            container, last = _find_container(root, pointer)
            container[int(last) if isinstance(container, list) else last] = value
    for pointer in variation.remove:
        with _naming_pointer(pointer):
            container, last = _find_container(root, pointer)
            del container[int(last) if isinstance(container, list) else last]


@contextmanager
def _naming_pointer(pointer: str) -> Iterator[None]:
    """Replace errors about a place that does not exist by a ValueError that names the pointer."""
    try:
        yield
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"there is no place `{pointer}`") from error


def _find_container(root: Any, pointer: str) -> tuple[Any, str]:
    """Return the list or mapping that contains the target of a pointer, and the last part of the pointer.

    Containers on the way are replaced by copies, since bases share them.
    """
    parts = pointer.split("/")[1:]
    if "~" in pointer:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in parts]
    container = root
    for part in parts[:-1]:
        key = int(part) if isinstance(container, list) else part
        container[key] = copy.copy(container[key])
        container = container[key]
    return container, parts[-1]


Side: TypeAlias = Literal["under", "over"]
"""Direction in which a settlement is changed."""

_SETTLEMENT_EVENTS = ("pay", "collect", "return")
_SIDE_WORDS: dict[Side, str] = {"under": "the smallest unit too little", "over": "the smallest unit too much"}


def build_boundary_examples(
    example: example_model.Example, round_: dict[str, Any]
) -> Iterator[tuple[example_model.Example, dict[str, Any]]]:
    """Yield the examples on either side of the boundary of an example, each with its round.

    Raises:
        ValueError: If a finding names no wager or bonus of the round.
    """
    if not example.boundary:
        return
    for side in ("under", "over"):
        changed_round = copy.deepcopy(round_)
        places = dict.fromkeys((finding.at.seat, finding.at.wager) for finding in example.boundary)
        changed = {place for place in places if _change_settlement(changed_round, *place, side)}
        if changed:
            changes = {
                "example": f"{example.example}-{side}",
                "shows": f"{example.shows} Here {_SIDE_WORDS[side]}.",
                "about": [],
                "not_applicable": [],
                "findings": [
                    _expect_finding(finding, side)
                    for finding in example.boundary
                    if (finding.at.seat, finding.at.wager) in changed
                ],
                "boundary": [],
            }
            yield example.model_copy(update=changes), changed_round


def _expect_finding(finding: example_model.BoundaryFinding, side: Side) -> example_model.ExpectedFinding:
    amount = {"owed" if side == "under" else "overpaid": 1}
    return example_model.ExpectedFinding(requirement=finding.requirement, at=finding.at, **amount)


def _change_settlement(round_: dict[str, Any], seat: int | None, name: str | None, side: Side) -> bool:
    """Change the amount paid or taken on a wager or bonus, in summary and events.

    Returns:
        False if nothing more could be taken.
    """
    line = _find_line(round_, seat, name)
    paid, taken = line.get("paid", 0), line.get("taken", 0)
    events = _LineEvents(round_, {"seat": seat, "wager": name, "tip": line.get("tip", False)})
    if side == "over" and not taken:
        line["paid"] = paid + 1
        events.change("pay", 1)
    elif side == "over":
        line["taken"] = taken - 1
        events.change("collect", -1)
        events.change("return", 1, or_add=False)
    elif paid:
        line["paid"] = paid - 1
        events.change("pay", -1)
    elif taken < line.get("amount", 0):
        line["taken"] = taken + 1
        events.change("return", -1, or_add=False)
        events.change("collect", 1)
    else:
        return False
    return True


def _find_line(round_: dict[str, Any], seat: int | None, name: str | None) -> dict[str, Any]:
    """Return a wager or bonus from the summary of a round."""
    for entry in round_.get("seats", ()):
        if entry.get("seat") == seat:
            for key, lines in (("wager", "wagers"), ("bonus", "bonuses")):
                for line in entry.get(lines, ()):
                    if line.get(key) == name:
                        assert isinstance(line, dict)
                        return line
    raise ValueError(f"seat {seat} has no wager or bonus {name} whose settlement could be changed")


class _LineEvents:
    """Settlement events of a line at a seat, whose amounts must equal those of the summary."""

    def __init__(self, round_: dict[str, Any], line: dict[str, Any]) -> None:
        self._round, self._line = round_, line

    def change(self, kind: str, by: int, *, or_add: bool = True) -> None:
        """Change the amount of the last event of a kind.

        If the log records such events but has none for the line, an event is added after the last settlement event.
        """
        events: list[dict[str, Any]] = self._round.get("events", [])
        own = [event for event in events if event.get("event") == kind and self._line == _line_key(event)]
        if own:
            own[-1]["amount"] += by
        elif or_add and by > 0 and "events" in self._round and kind not in self._round.get("unrecorded", ()):
            settling = [end for end, event in enumerate(events, start=1) if event.get("event") in _SETTLEMENT_EVENTS]
            tip = {"tip": True} if self._line["tip"] else {}
            added = {"event": kind, "seat": self._line["seat"], "wager": self._line["wager"], "amount": by, **tip}
            events.insert(max(settling, default=len(events)), added)


def _line_key(event: dict[str, Any]) -> dict[str, Any]:
    return {"seat": event.get("seat"), "wager": event.get("wager"), "tip": event.get("tip", False)}


BASES_FILE = "bases.yaml"
"""Name of the file of base evidence, in the folder of examples."""


class Sample(Struct, frozen=True, kw_only=True, eq=False):
    """Example with its complete evidence. Samples are compared and hashed by identity."""

    example: example_model.Example
    """Example as written in its file."""
    file: str
    """Name of the file."""
    line: int
    """Line of the example in the file, from 1."""
    column: int
    """Column of the example in the file, from 1."""
    base: str
    """Name of the base evidence that is checked, before variations."""
    submission: dict[str, Any] | None
    """Submission that is checked, or that applies to the rounds."""
    round: dict[str, Any] | None
    """Round that is checked."""
    rounds: tuple[dict[str, Any], ...] = ()
    """Rounds of the session that is checked."""
    other_submissions: tuple[dict[str, Any], ...] = ()
    """Other submissions of the same casino."""
    snapshot_entry: example_snapshot.SnapshotEntry = example_snapshot.EMPTY_ENTRY
    """Entry of the example in the snapshot."""

    @property
    def kind(self) -> example_snapshot.SampleKind:
        """Kind of evidence that is checked."""
        return "sessions" if self.rounds else "rounds" if self.round is not None else "submissions"


def load_samples(
    regulation: Regulation,
    folder: FilePath | None = None,
    trees: RuleFileCache | None = None,
    *,
    snapshot: example_model.Snapshot | None = None,
) -> list[Sample]:
    """Load every example of a regulation, in order of files.

    Args:
        trees: cache of files that were read before.
        snapshot: snapshot to use; by default that of the document.

    Raises:
        InputError: If a file is not valid or the evidence of an example cannot be built.
    """
    trees = trees or RuleFileCache()
    if snapshot is None:
        snapshot = example_snapshot.read_snapshot(regulation.id, folder, trees)
    home = (folder or rules_folder()) / regulation.id / "examples"
    bases = example_model.BasesFile()
    if (home / BASES_FILE).exists():
        tree = trees.read(home / BASES_FILE)[1]
        bases = validate(tree, example_model.BasesFile)
        if problems := [*_find_foreign_submissions(tree, bases, regulation.id)]:
            raise InputError(limit_diagnostics(problems))
    files: list[tuple[str, PositionedDocument, example_model.ExampleFile]] = []
    for path in sorted(home.glob("*.yaml")):
        if path.name != BASES_FILE:
            _, tree = trees.read(path)
            files.append((path.name, tree, validate(tree, example_model.ExampleFile)))
    by_name = {example.example: example for _, _, file in files for example in file.examples}
    stock = EvidenceSources(bases=bases, examples=by_name)
    samples: list[Sample] = []
    names = Namespace.from_regulation(regulation)
    file_of: dict[str, str] = {}
    for name, tree, file in files:
        problems = [*find_undefined_names(tree, file, names)]
        for index, example in enumerate(file.examples):
            for place, message in _semantic_errors(regulation, example):
                problems.append(tree.build_diagnostic(("examples", index, *place), "semantic-error", message))
            try:
                built = [
                    *_build_samples(example, file, stock, (name, tree.positions["examples", index]), regulation.game)
                ]
            except ValueError as error:
                problems.append(_build_evidence_diagnostic(tree, ("examples", index), str(error), stock))
                continue
            for sample in built:
                if sample.example.example in file_of:
                    message = f"an example {sample.example.example} is already in {file_of[sample.example.example]}"
                    problems.append(tree.build_diagnostic(("examples", index, "example"), "semantic-error", message))
                file_of[sample.example.example] = name
            samples += (
                replace(sample, snapshot_entry=_snapshot_entry(sample, snapshot, regulation)) for sample in built
            )
        if problems:
            raise InputError(limit_diagnostics(problems))
    return samples


def _find_foreign_submissions(
    tree: PositionedDocument, bases: example_model.BasesFile, document: str
) -> Iterator[Diagnostic]:
    """Yield submissions that examples start from, but that are for another document."""
    for name, submission in bases.submissions.items():
        if submission.get("document", document) != document:
            message = f"the submission must be for {document}"
            yield tree.build_diagnostic(("submissions", name, "document"), "semantic-error", message)


def _build_evidence_diagnostic(
    tree: PositionedDocument, example: DataPath, problem: str, stock: EvidenceSources
) -> Diagnostic:
    """Build a diagnostic at the name or place of which a problem of an example speaks; else at the example."""
    named = problem.rpartition(" ")[2].strip("`")
    here = tree.find_name(example, named)
    near = find_similar(
        named, [*stock.bases.submissions, *stock.bases.rounds, *stock.bases.variations, *stock.examples]
    )
    help_ = f"did you mean `{near}`?" if near and here[-1] in ("base", "like") else None
    message = f"the evidence cannot be built: {problem}"
    return tree.build_diagnostic(here, "no-evidence", message, help=help_, at_key=named == here[-1])


def _semantic_errors(regulation: Regulation, example: example_model.Example) -> Iterator[tuple[DataPath, str]]:
    """Yield choices of an example that make no sense, each with its path."""
    for name, option in example.readings.items():
        if name in regulation.readings and option not in regulation.readings[name].options:
            known = ", ".join(regulation.readings[name].options)
            yield ("readings", name), f"the reading {name} has no option {option}, only {known}"


def _snapshot_entry(
    sample: Sample, snapshot: example_model.Snapshot, regulation: Regulation
) -> example_snapshot.SnapshotEntry:
    name = sample.example.example
    return example_snapshot.find_entry(snapshot, regulation.id, example=name, kind=sample.kind, base=sample.base)


def _build_samples(
    example: example_model.Example,
    file: example_model.ExampleFile,
    stock: EvidenceSources,
    position: tuple[str, SourcePosition],
    game: Game | None,
) -> Iterator[Sample]:
    """Yield an example with its evidence, and the examples on either side of its boundary. Raises ValueError."""
    round_ = None if example.round_ is None else stock.build_evidence("rounds", example.round_)
    rounds = tuple(_build_session(stock, example.rounds or ()))
    variation = example.submission
    played = round_ is not None or bool(rounds)
    if variation is None and played and file.under is not None:
        variation = example_model.Variation.model_validate({"base": file.under})
    submission = None if variation is None else _with_rows(stock.build_evidence("submissions", variation), game)
    if submission is None and not played:
        raise ValueError("the example has neither a submission nor a round")
    if round_ is not None and rounds:
        raise ValueError("an example has either a round or a session, not both")
    if example.waivers and submission is None:
        raise ValueError("waivers need a submission, which names the casino")
    if example.beside and played:
        raise ValueError("`beside` requires a submission that is checked, not rounds")
    if example.boundary and round_ is None:
        raise ValueError("a boundary needs a round")
    sample = Sample(
        example=example,
        file=position[0],
        line=position[1].line,
        column=position[1].column,
        base=_base_name(example, stock),
        submission=submission,
        round=round_,
        rounds=rounds,
        other_submissions=tuple(
            _with_rows(stock.build_evidence("submissions", other), game) for other in example.beside
        ),
    )
    yield sample
    for other, changed_round in build_boundary_examples(example, round_ or {}):
        yield replace(sample, example=other, round=changed_round)


def _base_name(example: example_model.Example, stock: EvidenceSources) -> str:
    """Return the name of the base evidence of an example."""
    if example.round_ is not None:
        return stock.find_base("rounds", example.round_)
    if example.rounds:
        return stock.find_base("rounds", example.rounds[0])
    assert example.submission is not None
    return stock.find_base("submissions", example.submission)


def _build_session(stock: EvidenceSources, rounds: Iterable[example_model.VariedRound]) -> Iterator[dict[str, Any]]:
    """Yield the rounds of a session. A round continues from the previous one in all that it does not set itself."""
    previous: dict[str, Any] = {}
    repeated = [(varied, repetition) for varied in rounds for repetition in range(varied.times)]
    for place, (varied, repetition) in enumerate(repeated, start=1):
        round_ = stock.build_evidence("rounds", varied)
        own = set() if repetition else {*varied.set_, *varied.remove}
        if "/round" not in own:
            round_["round"] = f"R{place}"
        if previous and "/time" not in own:
            round_["time"] = (datetime.fromisoformat(previous["time"]) + timedelta(minutes=1)).isoformat()
        if "number" in previous and "/number" not in own:
            round_["number"] = previous["number"] + 1
        previous = round_
        yield round_


def _with_rows(submission: dict[str, Any], game: Game | None) -> dict[str, Any]:
    """Return a submission with the rows of the printed pay tables that it names."""
    tables = submission.get("pay-tables")
    if not isinstance(tables, list) or not any(isinstance(table, dict) and "printed" in table for table in tables):
        return submission
    filled = expand_printed_tables(build_tree(submission, "submission"), game).data
    assert isinstance(filled, dict)
    return filled


def build_tree(data: Any, name: str) -> PositionedDocument:
    """Build a document tree from data that is not from a file. Every position is line 1, column 1."""
    positions: dict[DataPath, SourcePosition] = {}

    def visit(value: Any, path: DataPath) -> None:
        positions[path] = SourcePosition(1, 1)
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in inside:
            visit(part, (*path, key))

    visit(data, ())
    return PositionedDocument(data=data, source_name=name, lines=("",), positions=positions)


def report_coverage(rulebook: Rulebook, documents: Iterable[str]) -> dict[str, Any]:
    """Report every clause of some documents, and totals by status. Raises InputError for broken files."""
    clauses: list[dict[str, Any]] = []
    for regulation in map(rulebook.regulation, documents):
        samples = load_samples(regulation, rulebook.folder)
        for clause in regulation.document.clauses:
            citing = [
                requirement.requirement
                for requirement in regulation.requirements
                if clause.clause in requirement.clauses
            ]
            proving = [sample.example.example for sample in samples if set(citing).intersection(sample.example.proves)]
            clauses.append(
                {
                    "clause": regulation.qualify(clause.clause),
                    "document": regulation.id,
                    "status": clause.status,
                    "requirements": [regulation.qualify(name) for name in citing],
                    "examples": [regulation.qualify(name) for name in proving],
                    "reason": clause.reason,
                }
            )
    totals = Counter(clause["status"] for clause in clauses)
    return {"clauses": clauses, "totals": {"clauses": len(clauses), **dict(sorted(totals.items()))}}
