"""Generated parts of the documentation, and their insertion between markers in a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel

from validator.cards.model import DecksFile, RankingsFile
from validator.evidence.submission.model import Submission
from validator.evidence.submission.waivers import WaiversFile
from validator.language.conditions import Condition
from validator.rulebook.vocabulary.pattern_model import PatternsFile
from validator.rules.model.document import Document, Profile, ReadingFile
from validator.rules.model.example import BasesFile, ExampleFile, Snapshot
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.rules.simulation.simulation import Simulation
from validator.schemas.build import collect_models
from validator.schemas.catalogue import FILE_MODELS, SCHEMA_BUILDERS
from validator.schemas.patterns_page import render_pattern_reference
from validator.schemas.reference import ReferencePage

_TOPICS: Mapping[str, tuple[type[BaseModel], ...]] = {
    "Documents, readings and profiles": (Document, ReadingFile, Profile),
    "Decks and hand rankings": (DecksFile, RankingsFile),
    "Conditions and quantities": (Condition,),
    "Games": (Game,),
    "Requirements and faults": (RequirementFile,),
    "Patterns": (PatternsFile,),
    "Examples, their bases and their snapshot": (ExampleFile, BasesFile, Snapshot),
    "Simulations": (Simulation,),
}
"""Headings of the rule reference with their models; each heading shows models and parts that were not shown before."""


def render_rule_reference() -> str:
    """Render every model of the rule files, by topic. Submissions have a page of their own."""
    elsewhere = set(collect_models(Submission))
    shown: list[type[BaseModel]] = []
    topics: dict[str, list[type[BaseModel]]] = {}
    for heading, roots in _TOPICS.items():
        found = dict.fromkeys(model for root in roots for model in collect_models(root))
        topics[heading] = [model for model in found if model not in elsewhere and model not in shown]
        shown += topics[heading]
    reference = ReferencePage(definitions=_collect_definitions(), linked={model.__name__ for model in shown})
    blocks: list[str] = []
    for heading, models in topics.items():
        blocks += [f"### {heading}\n", *map(reference.render_section, models)]
    return "\n".join(blocks).rstrip("\n")


def _render_reference(root: type[BaseModel]) -> str:
    """Render every model of a file."""
    found = collect_models(root)
    reference = ReferencePage(definitions=_collect_definitions(), linked={model.__name__ for model in found})
    return "\n".join(map(reference.render_section, found)).rstrip("\n")


GENERATED_PARTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "rule-language.md": {"reference": render_rule_reference},
    "patterns.md": {"patterns": render_pattern_reference},
    "formats.md": {
        "submission": partial(_render_reference, Submission),
        "waivers": partial(_render_reference, WaiversFile),
    },
}
"""Generators of the parts of each page in `docs/`, by name of the part."""


def fill_page(page: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Return a page with new parts between `<!-- generated: NAME -->` and `<!-- end: NAME -->`.

    Raises ValueError if the page does not have the markers of a part exactly once.
    """
    for name, make in parts.items():
        before, opening, rest = page.partition(f"<!-- generated: {name} -->\n")
        _, closing, after = rest.partition(f"<!-- end: {name} -->")
        if not closing or opening in after or closing in after:
            raise ValueError(f"the page does not have the markers of the part `{name}` exactly once")
        page = f"{before}{opening}\n{make()}\n\n{closing}{after}"
    return page


def _collect_definitions() -> dict[str, Any]:
    """Return the schemas of all models of the files that people write, by class name."""
    definitions: dict[str, Any] = {}
    for name, (model, _) in FILE_MODELS.items():
        schema = SCHEMA_BUILDERS[name]()
        definitions |= {**schema.get("$defs", {}), model.__name__: schema}
    return definitions
