"""Examples with their evidence written out, and with what the snapshot keeps of them."""

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


class Sample(Struct, frozen=True, kw_only=True, eq=False):
    """An example with its evidence written out: a submission and others beside it, a round, or the rounds of a
    session; rounds under a submission or under none. `base` is what the evidence that is judged comes from,
    `kept` what the snapshot has of it; `line` and `column` say where in the file it stands, from 1. Compared and
    hashed by identity."""

    example: Example
    file: str
    line: int
    column: int
    base: str
    submission: dict[str, Any] | None
    round: dict[str, Any] | None
    rounds: tuple[dict[str, Any], ...] = ()
    beside: tuple[dict[str, Any], ...] = ()
    kept: Kept = NOTHING_KEPT

    @property
    def kind(self) -> Kind:
        """What is judged."""
        return "sessions" if self.rounds else "rounds" if self.round is not None else "submissions"


def load_samples(
    regulation: Regulation,
    folder: FilePath | None = None,
    trees: RuleTrees | None = None,
    *,
    snapshot: Snapshot | None = None,
) -> list[Sample]:
    """Every example of a regulation, in order of files, with what a snapshot keeps of it: the one that lies with the
    document, where none is given. `trees` are files that were read already. Raises InputError."""
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
    named = {example.example: example for _, _, file in files for example in file.examples}
    stock = Stock(bases=bases, examples=named)
    samples: list[Sample] = []
    names = Namespace.of(regulation)
    stands_in: dict[str, str] = {}
    for name, tree, file in files:
        problems = [*unknown_names(tree, file, names)]
        for index, example in enumerate(file.examples):
            for place, message in _nonsense(regulation, example):
                problems.append(tree.diagnostic(("examples", index, *place), "semantic-error", message))
            try:
                told = [*_samples(example, file, stock, (name, tree.positions["examples", index]), regulation.game)]
            except ValueError as error:
                message = f"the evidence cannot be made: {error}"
                problems.append(tree.diagnostic(("examples", index), "no-evidence", message))
                continue
            for one in told:
                if one.example.example in stands_in:
                    message = f"an example {one.example.example} stands in {stands_in[one.example.example]} already"
                    problems.append(tree.diagnostic(("examples", index, "example"), "semantic-error", message))
                stands_in[one.example.example] = name
            samples += (replace(one, kept=_kept_of(one, snapshot, regulation)) for one in told)
        if problems:
            raise InputError(at_most(problems))
    return samples


def _nonsense(regulation: Regulation, example: Example) -> Iterator[tuple[Path, str]]:
    """What an example says that cannot be meant, and where in it."""
    for name, option in example.readings.items():
        if name in regulation.readings and option not in regulation.readings[name].options:
            known = ", ".join(regulation.readings[name].options)
            yield ("readings", name), f"the reading {name} has no option {option}, only {known}"


def _kept_of(sample: Sample, snapshot: Snapshot, regulation: Regulation) -> Kept:
    name = sample.example.example
    return kept_in(snapshot, regulation.id, example=name, kind=sample.kind, base=sample.base)


def _samples(
    example: Example, file: ExampleFile, stock: Stock, stands: tuple[str, Position], game: Game | None
) -> Iterator[Sample]:
    """An example with its evidence, and those beyond its boundary. Raises ValueError."""
    round_ = None if example.round_ is None else stock.evidence("rounds", example.round_)
    rounds = tuple(_session(stock, example.rounds or ()))
    variation = example.submission
    played = round_ is not None or bool(rounds)
    if variation is None and played and file.under is not None:
        variation = Variation.model_validate({"base": file.under})
    submission = None if variation is None else _with_rows(stock.evidence("submissions", variation), game)
    if submission is None and not played:
        raise ValueError("neither a submission nor a round is given")
    if round_ is not None and rounds:
        raise ValueError("a round and a session cannot both be judged")
    if example.waivers and submission is None:
        raise ValueError("waivers are granted to the casino of a submission, and there is none")
    if example.beside and played:
        raise ValueError("other submissions stand beside one that is judged, not beside rounds")
    if example.boundary and round_ is None:
        raise ValueError("a boundary is that of a round, and there is none")
    sample = Sample(
        example=example,
        file=stands[0],
        line=stands[1].line,
        column=stands[1].column,
        base=_base(example, stock),
        submission=submission,
        round=round_,
        rounds=rounds,
        beside=tuple(_with_rows(stock.evidence("submissions", other), game) for other in example.beside),
    )
    yield sample
    for other, told in beyond(example, round_ or {}):
        yield replace(sample, example=other, round=told)


def _base(example: Example, stock: Stock) -> str:
    """The base of what is judged."""
    if example.round_ is not None:
        return stock.base("rounds", example.round_)
    if example.rounds:
        return stock.base("rounds", example.rounds[0])
    assert example.submission is not None
    return stock.base("submissions", example.submission)


def _session(stock: Stock, rounds: Iterable[VariedRound]) -> Iterator[dict[str, Any]]:
    """The rounds of a session: what one does not set itself goes on from the one before."""
    before: dict[str, Any] = {}
    row = [(one, again) for one in rounds for again in range(one.times)]
    for place, (one, again) in enumerate(row, start=1):
        told = stock.evidence("rounds", one)
        own = set() if again else {*one.set_, *one.remove}
        if "/round" not in own:
            told["round"] = f"R{place}"
        if before and "/time" not in own:
            told["time"] = (datetime.fromisoformat(before["time"]) + timedelta(minutes=1)).isoformat()
        if "number" in before and "/number" not in own:
            told["number"] = before["number"] + 1
        before = told
        yield told


def _with_rows(submission: dict[str, Any], game: Game | None) -> dict[str, Any]:
    """A submission with the rows of printed pay tables that it names."""
    tables = submission.get("pay-tables")
    if not isinstance(tables, list) or not any(isinstance(one, dict) and "printed" in one for one in tables):
        return submission
    filled = with_printed_rows(tree_of(submission, "submission"), game).data
    assert isinstance(filled, dict)
    return filled


def tree_of(data: Any, name: str) -> Tree:
    """Data that never stood in a file, as a tree: every place is the first of its first line."""
    positions: dict[Path, Position] = {}

    def visit(value: Any, path: Path) -> None:
        positions[path] = Position(1, 1)
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in inside:
            visit(part, (*path, key))

    visit(data, ())
    return Tree(data=data, source_name=name, lines=("",), positions=positions)
