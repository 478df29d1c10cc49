"""Every JSON Schema by name: the files that people write, the hand log, the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from validator.cards.model import DecksFile, RankingsFile
from validator.evidence.handlog.record import build_round_schema
from validator.evidence.submission.model import Submission
from validator.evidence.submission.waivers import WaiversFile
from validator.reports.json_format import build_results_schema
from validator.rulebook.vocabulary.pattern_model import PatternsFile
from validator.rules.model.document import Document, Profile, ReadingFile
from validator.rules.model.example import BasesFile, ExampleFile, Snapshot
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.rules.simulation.simulation import Simulation
from validator.schemas.build import build_schema, build_schema_header
from validator.schemas.configuration import RunConfiguration
from validator.text.models.model import ClosedModel

FILE_MODELS: Mapping[str, tuple[type[ClosedModel], str]] = {
    "document": (Document, "A source document (document.yaml)"),
    "readings": (ReadingFile, "The readings of a document (readings.yaml)"),
    "game": (Game, "A game (game.yaml)"),
    "requirements": (RequirementFile, "Requirements on one topic (requirements/*.yaml)"),
    "examples": (ExampleFile, "Examples on one topic (examples/*.yaml)"),
    "bases": (BasesFile, "Evidence that examples start from (examples/bases.yaml)"),
    "snapshot": (Snapshot, "Further results of the examples of a document (examples.snapshot.yaml)"),
    "simulation": (Simulation, "How a game is simulated (simulation.yaml)"),
    "profile": (Profile, "A profile: choices among readings"),
    "decks": (DecksFile, "The decks of the vocabulary (vocabulary/decks.yaml)"),
    "rankings": (RankingsFile, "The hand rankings of the vocabulary (vocabulary/rankings.yaml)"),
    "patterns": (PatternsFile, "The patterns of requirements of the vocabulary (vocabulary/patterns.yaml)"),
    "submission": (Submission, "A submission"),
    "waivers": (WaiversFile, "Waivers that a regulator granted"),
    "config": (RunConfiguration, "The configuration of a run (fairdeal.toml)"),
}
"""Models of the files that people write, with a title, by the name of the schema."""


def _build_hand_log_schema() -> dict[str, Any]:
    return {**build_round_schema(), **build_schema_header("hand-log", "A round of play: a line of a hand log")}


def _build_results_schema() -> dict[str, Any]:
    found = build_results_schema()
    definitions = found.pop("$defs")
    return {**build_schema_header("results", "The results of a run (results.json)"), **found, "$defs": definitions}


SCHEMA_BUILDERS: Mapping[str, Callable[[], dict[str, Any]]] = {
    **{name: partial(build_schema, model, name=name, title=title) for name, (model, title) in FILE_MODELS.items()},
    "hand-log": _build_hand_log_schema,
    "results": _build_results_schema,
}
"""Builder of each schema, by name."""
