"""Evidence of examples: bases, and the variations on them that examples tell by their differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path as FilePath
from typing import Any

from msgspec import Struct

from validator.rules.core.library import rules_folder
from validator.rules.core.regulation import Regulation
from validator.rules.core.rule_trees import RuleTrees
from validator.rules.lint.references import Namespace, unknown_names
from validator.rules.model.example import BasesFile, Example, ExampleFile, Variation, VariedRound
from validator.text.diagnostics import InputError, at_most
from validator.text.models.validate import validate
from validator.text.trees.tree import Path, Position, Tree

BASES = "bases.yaml"


class Sample(Struct, frozen=True, kw_only=True, eq=False):
    """An example with its evidence written out: a submission and others beside it, a round, or the rounds of a
    session; rounds under a submission or under none. Compared and hashed by identity."""

    example: Example
    file: str
    submission: dict[str, Any] | None
    round: dict[str, Any] | None
    rounds: tuple[dict[str, Any], ...] = ()
    beside: tuple[dict[str, Any], ...] = ()


def load_samples(
    regulation: Regulation, folder: FilePath | None = None, trees: RuleTrees | None = None
) -> list[Sample]:
    """Every example of a regulation, in order of files; `trees` are those that were read already. Raises InputError."""
    trees = trees or RuleTrees()
    home = (folder or rules_folder()) / regulation.id / "examples"
    bases = BasesFile()
    if (home / BASES).exists():
        bases = validate(trees.read(home / BASES)[1], BasesFile)
    samples: list[Sample] = []
    names = Namespace.of(regulation)
    stands_in: dict[str, str] = {}
    for path in sorted(home.glob("*.yaml")):
        if path.name == BASES:
            continue
        _, tree = trees.read(path)
        file = validate(tree, ExampleFile)
        problems = [*unknown_names(tree, file, names)]
        for index, example in enumerate(file.examples):
            for place, message in _nonsense(regulation, example, stands_in):
                problems.append(tree.diagnostic(("examples", index, *place), "no-sense", message))
            stands_in[example.example] = path.name
            try:
                samples.append(_sample(example, file, bases, path.name))
            except ValueError as error:
                message = f"the evidence cannot be made: {error}"
                problems.append(tree.diagnostic(("examples", index), "no-evidence", message))
        if problems:
            raise InputError(at_most(problems))
    return samples


def _nonsense(regulation: Regulation, example: Example, stands_in: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """What an example says that cannot be meant, and where in it."""
    if example.example in stands_in:
        yield ("example",), f"an example {example.example} stands in {stands_in[example.example]} already"
    for name, option in example.readings.items():
        if name in regulation.readings and option not in [one.option for one in regulation.readings[name].options]:
            known = ", ".join(one.option for one in regulation.readings[name].options)
            yield ("readings", name), f"the reading {name} has no option {option}, only {known}"


def _sample(example: Example, file: ExampleFile, bases: BasesFile, name: str) -> Sample:
    round_ = None if example.round_ is None else varied(bases.rounds, example.round_)
    rounds = tuple(_session(bases.rounds, example.rounds or ()))
    variation = example.submission
    played = round_ is not None or bool(rounds)
    if variation is None and played and file.under is not None:
        variation = Variation.model_validate({"base": file.under})
    submission = None if variation is None else varied(bases.submissions, variation)
    if submission is None and not played:
        raise ValueError("neither a submission nor a round is given")
    if round_ is not None and rounds:
        raise ValueError("a round and a session cannot both be judged")
    if example.waivers and submission is None:
        raise ValueError("waivers are granted to the casino of a submission, and there is none")
    if example.beside and played:
        raise ValueError("other submissions stand beside one that is judged, not beside rounds")
    unproven = [*file.unproven, *example.unproven]
    return Sample(
        example=example.model_copy(update={"unproven": unproven}),
        file=name,
        submission=submission,
        round=round_,
        rounds=rounds,
        beside=tuple(varied(bases.submissions, other) for other in example.beside),
    )


def _session(bases: Mapping[str, dict[str, Any]], rounds: Iterable[VariedRound]) -> Iterator[dict[str, Any]]:
    """The rounds of a session: what one does not set itself goes on from the one before."""
    before: dict[str, Any] = {}
    row = [(one, again) for one in rounds for again in range(one.times)]
    for place, (one, again) in enumerate(row, start=1):
        told = varied(bases, one)
        own = set() if again else {*one.set_, *one.remove}
        if "/round" not in own:
            told["round"] = f"R{place}"
        if before and "/time" not in own:
            told["time"] = (datetime.fromisoformat(before["time"]) + timedelta(minutes=1)).isoformat()
        if "number" in before and "/number" not in own:
            told["number"] = before["number"] + 1
        before = told
        yield told


def varied(bases: Mapping[str, dict[str, Any]], variation: Variation) -> dict[str, Any]:
    """A base with changes made to it. Raises ValueError where there is no such base, or no such place in it."""
    if variation.base not in bases:
        raise ValueError(f"there is no base {variation.base}")
    root: dict[str, Any] = _copied(bases[variation.base])
    for pointer, value in variation.insert.items():
        with _at(pointer):
            around, last = _around(root, pointer)
            around.insert(len(around) if last == "-" else int(last), _copied(value))
    for pointer, value in variation.set_.items():
        with _at(pointer):
            around, last = _around(root, pointer)
            around[int(last) if isinstance(around, list) else last] = _copied(value)
    for pointer in variation.remove:
        with _at(pointer):
            around, last = _around(root, pointer)
            del around[int(last) if isinstance(around, list) else last]
    return root


def _copied(value: Any) -> Any:
    """A copy of plain data, in a fifth of the time that a copy of anything takes."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return list(map(_copied, value)) if isinstance(value, list) else value


@contextmanager
def _at(pointer: str) -> Iterator[None]:
    """Where a change is made: what Python says of a place that does not exist becomes a sentence that names it."""
    try:
        yield
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"there is no place `{pointer}`") from error


def _around(root: Any, pointer: str) -> tuple[Any, str]:
    """The list or mapping around the place a pointer names, and the last part of the pointer."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    around = root
    for part in parts[:-1]:
        around = around[int(part)] if isinstance(around, list) else around[part]
    return around, parts[-1]


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
