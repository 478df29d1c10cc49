"""Validation of rule files by their published JSON Schemas, which comes before the models read them.

Schema and model are made from one source, so both reject the same form. The model explains it; the schema reports only
what the model would accept. What a schema cannot state is left to the model: `5.00` is a whole number in JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path as FilePath

from fairdeal.validator.cards.ranking_models import DecksFile, RankingsFile
from fairdeal.validator.evidence.io.table_rows import TableMap
from fairdeal.validator.evidence.submission_model import Submission, WaiversFile
from fairdeal.validator.rulebook.pattern_model import PatternsFile
from fairdeal.validator.rules import document_model, example_model
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.rules.rule_files import SNAPSHOT_FILE, AgreedFiles, RuleFileCache
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.schemas.configuration import RunConfiguration
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

FILE_MODELS: Mapping[str, tuple[type[ClosedModel], str]] = {
    "document": (document_model.Document, "A source document (document.yaml)"),
    "readings": (document_model.ReadingFile, "The readings of a document (readings.yaml)"),
    "game": (Game, "A game (game.yaml)"),
    "requirements": (RequirementFile, "Requirements on one topic (requirements/*.yaml)"),
    "examples": (example_model.ExampleFile, "Examples on one topic (examples/*.yaml)"),
    "bases": (example_model.BasesFile, "Evidence that examples start from (examples/bases.yaml)"),
    "snapshot": (example_model.Snapshot, "Further results of the examples of a document (examples.snapshot.yaml)"),
    "simulation": (Simulation, "How a game is simulated (simulation.yaml)"),
    "profile": (document_model.Profile, "A profile: choices among readings"),
    "rulebook": (document_model.RulebookEdition, "The version and date of a rules folder (rulebook.yaml)"),
    "decks": (DecksFile, "The decks of the vocabulary (vocabulary/decks.yaml)"),
    "rankings": (RankingsFile, "The hand rankings of the vocabulary (vocabulary/rankings.yaml)"),
    "patterns": (PatternsFile, "The patterns of requirements of the vocabulary (vocabulary/patterns.yaml)"),
    "submission": (Submission, "A submission"),
    "waivers": (WaiversFile, "Waivers that a regulator granted"),
    "table-map": (TableMap, "A map of the columns of a table (`fairdeal import`)"),
    "config": (RunConfiguration, "The configuration of a run (fairdeal.toml)"),
}
"""Models of the files that people write, with a title, by the name of the schema."""

_FOLDER_SCHEMAS = {"profiles": "profile", "requirements": "requirements", "examples": "examples"}
_BASES = "bases"
_SUBMISSIONS = "submissions"


def get_schema_name(path: FilePath) -> str:
    """Return the name of the schema of a rule file, from its place in a rules folder."""
    if path.name == SNAPSHOT_FILE:
        return "snapshot"
    return _BASES if path.stem == _BASES else _FOLDER_SCHEMAS.get(path.parent.name, path.stem)


def validate_rule_files(files: Iterable[FilePath], trees: RuleFileCache) -> tuple[Diagnostic, ...]:
    """Return what the schemas reject in rule files and in the submissions of examples, without what models explain.

    Unreadable files are skipped. The result has at most `MAX_PROBLEMS` diagnostics, and one that counts the others.
    """
    agreed = AgreedFiles.load()
    diagnostics: list[Diagnostic] = []
    for path in files:
        name = get_schema_name(path)
        with suppress(InputError):  # the loader reports unreadable files
            sha256, tree = trees.read(path)
            if not agreed.has_agreed(name, sha256):
                problems = _validate_file(tree, name)
                diagnostics += problems
                if not problems:
                    agreed.add(name, sha256)
    agreed.save()
    return limit_diagnostics(diagnostics)


def _validate_file(tree: PositionedDocument, name: str) -> list[Diagnostic]:
    """Return the problems of a rule file, and of the submissions in it, in the order of the file."""
    problems = validate_by_schema(tree, name)
    if name == _BASES:
        submissions = tree.data.get(_SUBMISSIONS) if isinstance(tree.data, dict) else None
        for submission in submissions if isinstance(submissions, dict) else ():
            here = (_SUBMISSIONS, submission)
            problems += [*validate_by_schema(tree, "submission", at=here), *_warn_of_base(tree, here)]
    return sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0, problem.message))


def validate_by_schema(tree: PositionedDocument, name: str, *, at: DataPath = ()) -> list[Diagnostic]:
    """Return what only the schema rejects at a place of a file; the model of the file explains everything else."""
    from fairdeal.validator.schemas.schema_validation import (  # noqa: PLC0415 - known files need no validator
        find_schema_violations,
    )

    model, _ = FILE_MODELS[name]
    return find_schema_violations(tree, name, model, at=at)


def _warn_of_base(tree: PositionedDocument, at: DataPath) -> Iterator[Diagnostic]:
    """Yield warnings for values of a base that the model rejects and the schema accepts.

    A base may be incomplete, so only examples are validated as submissions. These values are wrong in any example.
    """
    from fairdeal.validator.schemas.schema_validation import (  # noqa: PLC0415 - known files need no validator
        find_refusals,
        is_same_place,
        list_model_problems,
        load_validator,
        to_plain_data,
    )

    data = tree.get_value(at)
    model, _ = FILE_MODELS["submission"]
    with suppress(RecursionError):
        refusals = find_refusals(load_validator("submission"), to_plain_data(data), at)
        for problem in list_model_problems(data, model, at).problems:
            if not any(is_same_place(problem, refusal) for refusal in refusals):
                said = problem.text
                yield tree.build_diagnostic(
                    problem.path,
                    said.code,
                    said.message,
                    expected=said.expected,
                    help=said.help,
                    at_key=problem.at_key,
                    severity="warning",
                )
