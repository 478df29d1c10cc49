"""Every JSON Schema by name: the files that people write, the hand log, the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from validator.cards.model import DecksFile, RankingsFile
from validator.evidence.handlog.record import handlog_schema
from validator.evidence.submission.model import Submission
from validator.evidence.submission.waivers import WaiversFile
from validator.reports.json_format import results_schema
from validator.rulebook.vocabulary.pattern_model import PatternsFile
from validator.rules.model.document import Document, Profile, ReadingFile
from validator.rules.model.example import BasesFile, ExampleFile, Snapshot
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.rules.simulation.simulation import Simulation
from validator.schemas.build import headed, schema_of
from validator.schemas.configuration import Configuration
from validator.text.models.model import Closed

FILES: Mapping[str, tuple[type[Closed], str]] = {
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
    "config": (Configuration, "The configuration of a run (fairdeal.toml)"),
}
"""Models of the files that people write, with a title, by the name of the schema."""


def _build_hand_log_schema() -> dict[str, Any]:
    return {**handlog_schema(), **headed("hand-log", "A round of play: a line of a hand log")}


def _build_results_schema() -> dict[str, Any]:
    found = results_schema()
    definitions = found.pop("$defs")
    return {**headed("results", "The results of a run (results.json)"), **found, "$defs": definitions}


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    **{name: partial(schema_of, model, name=name, title=title) for name, (model, title) in FILES.items()},
    "hand-log": _build_hand_log_schema,
    "results": _build_results_schema,
}
"""Builder of each schema, by name."""
