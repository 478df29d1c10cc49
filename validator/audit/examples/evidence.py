"""Examples with their complete evidence and their entries in the snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path as FilePath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.audit.examples.boundary import beyond
from validator.audit.examples.snapshot import NOTHING_KEPT, Kept, Kind, kept_in, read_snapshot
from validator.audit.examples.variations import Stock
from validator.rulebook.lint.references import Namespace, unknown_names
from validator.rulebook.vocabulary.printed_tables import with_printed_rows
from validator.rules.core.library import rules_folder
from validator.rules.core.regulation import Regulation
from validator.rules.core.rule_trees import RuleTrees
from validator.rules.model.example import BasesFile, Example, ExampleFile, Snapshot, Variation, VariedRound
from validator.rules.model.game import Game
from validator.text.diagnostics import InputError, at_most
from validator.text.models.validate import validate
from validator.text.trees.tree import Path, Position, Tree

BASES = "bases.yaml"
"""Name of the file of base evidence, in the folder of examples."""


class Sample(Struct, frozen=True, kw_only=True, eq=False):
    """Example with its complete evidence. Samples are compared and hashed by identity."""

    example: Example
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
    beside: tuple[dict[str, Any], ...] = ()
    """Other submissions of the same casino."""
    kept: Kept = NOTHING_KEPT
    """Entry of the example in the snapshot."""

    @property
    def kind(self) -> Kind:
        """Kind of evidence that is checked."""
        return "sessions" if self.rounds else "rounds" if self.round is not None else "submissions"


def load_samples(
    regulation: Regulation,
    folder: FilePath | None = None,
    trees: RuleTrees | None = None,
    *,
    snapshot: Snapshot | None = None,
) -> list[Sample]:
    """Load every example of a regulation, in order of files.

    Args:
        trees: cache of files that were read before.
        snapshot: snapshot to use; by default that of the document.

    Raises:
        InputError: If a file is not valid or the evidence of an example cannot be built.
    """
    trees = trees or RuleTrees()
    if snapshot is None:
        snapshot = read_snapshot(regulation.id, folder, trees)
    home = (folder or rules_folder()) / regulation.id / "examples"
    bases = BasesFile()
    if (home / BASES).exists():
        bases = validate(trees.read(home / BASES)[1], BasesFile)
    files: list[tuple[str, Tree, ExampleFile]] = []
    for path in sorted(home.glob("*.yaml")):
        if path.name != BASES:
            _, tree = trees.read(path)
            files.append((path.name, tree, validate(tree, ExampleFile)))
    by_name = {example.example: example for _, _, file in files for example in file.examples}
    stock = Stock(bases=bases, examples=by_name)
    samples: list[Sample] = []
    names = Namespace.of(regulation)
    file_of: dict[str, str] = {}
    for name, tree, file in files:
        problems = [*unknown_names(tree, file, names)]
        for index, example in enumerate(file.examples):
            for place, message in _semantic_errors(regulation, example):
                problems.append(tree.diagnostic(("examples", index, *place), "semantic-error", message))
            try:
                built = [
                    *_build_samples(example, file, stock, (name, tree.positions["examples", index]), regulation.game)
                ]
            except ValueError as error:
                message = f"the evidence cannot be built: {error}"
                problems.append(tree.diagnostic(("examples", index), "no-evidence", message))
                continue
            for sample in built:
                if sample.example.example in file_of:
                    message = f"an example {sample.example.example} is already in {file_of[sample.example.example]}"
                    problems.append(tree.diagnostic(("examples", index, "example"), "semantic-error", message))
                file_of[sample.example.example] = name
            samples += (replace(sample, kept=_snapshot_entry(sample, snapshot, regulation)) for sample in built)
        if problems:
            raise InputError(at_most(problems))
    return samples


def _semantic_errors(regulation: Regulation, example: Example) -> Iterator[tuple[Path, str]]:
    """Yield choices of an example that make no sense, each with its path."""
    for name, option in example.readings.items():
        if name in regulation.readings and option not in regulation.readings[name].options:
            known = ", ".join(regulation.readings[name].options)
            yield ("readings", name), f"the reading {name} has no option {option}, only {known}"


def _snapshot_entry(sample: Sample, snapshot: Snapshot, regulation: Regulation) -> Kept:
    name = sample.example.example
    return kept_in(snapshot, regulation.id, example=name, kind=sample.kind, base=sample.base)


def _build_samples(
    example: Example, file: ExampleFile, stock: Stock, position: tuple[str, Position], game: Game | None
) -> Iterator[Sample]:
    """Yield an example with its evidence, and the examples on either side of its boundary. Raises ValueError."""
    round_ = None if example.round_ is None else stock.evidence("rounds", example.round_)
    rounds = tuple(_build_session(stock, example.rounds or ()))
    variation = example.submission
    played = round_ is not None or bool(rounds)
    if variation is None and played and file.under is not None:
        variation = Variation.model_validate({"base": file.under})
    submission = None if variation is None else _with_rows(stock.evidence("submissions", variation), game)
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
        beside=tuple(_with_rows(stock.evidence("submissions", other), game) for other in example.beside),
    )
    yield sample
    for other, changed_round in beyond(example, round_ or {}):
        yield replace(sample, example=other, round=changed_round)


def _base_name(example: Example, stock: Stock) -> str:
    """Return the name of the base evidence of an example."""
    if example.round_ is not None:
        return stock.base("rounds", example.round_)
    if example.rounds:
        return stock.base("rounds", example.rounds[0])
    assert example.submission is not None
    return stock.base("submissions", example.submission)


def _build_session(stock: Stock, rounds: Iterable[VariedRound]) -> Iterator[dict[str, Any]]:
    """Yield the rounds of a session. A round continues from the previous one in all that it does not set itself."""
    previous: dict[str, Any] = {}
    repeated = [(varied, repetition) for varied in rounds for repetition in range(varied.times)]
    for place, (varied, repetition) in enumerate(repeated, start=1):
        round_ = stock.evidence("rounds", varied)
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
    filled = with_printed_rows(tree_of(submission, "submission"), game).data
    assert isinstance(filled, dict)
    return filled


def tree_of(data: Any, name: str) -> Tree:
    """Build a document tree from data that is not from a file. Every position is line 1, column 1."""
    positions: dict[Path, Position] = {}

    def visit(value: Any, path: Path) -> None:
        positions[path] = Position(1, 1)
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in inside:
            visit(part, (*path, key))

    visit(data, ())
    return Tree(data=data, source_name=name, lines=("",), positions=positions)
