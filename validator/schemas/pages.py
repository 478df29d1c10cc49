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
from validator.schemas.build import models_within
from validator.schemas.catalogue import FILES, SCHEMAS
from validator.schemas.patterns_page import pattern_reference
from validator.schemas.reference import Reference

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


def rule_reference() -> str:
    """Render every model of the rule files, by topic. Submissions have a page of their own."""
    elsewhere = set(models_within(Submission))
    shown: list[type[BaseModel]] = []
    topics: dict[str, list[type[BaseModel]]] = {}
    for heading, roots in _TOPICS.items():
        found = dict.fromkeys(model for root in roots for model in models_within(root))
        topics[heading] = [model for model in found if model not in elsewhere and model not in shown]
        shown += topics[heading]
    reference = Reference(definitions=_collect_definitions(), linked={model.__name__ for model in shown})
    blocks: list[str] = []
    for heading, models in topics.items():
        blocks += [f"### {heading}\n", *map(reference.section, models)]
    return "\n".join(blocks).rstrip("\n")


def _render_reference(root: type[BaseModel]) -> str:
    """Render every model of a file."""
    found = models_within(root)
    reference = Reference(definitions=_collect_definitions(), linked={model.__name__ for model in found})
    return "\n".join(map(reference.section, found)).rstrip("\n")


PAGES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "rule-language.md": {"reference": rule_reference},
    "patterns.md": {"patterns": pattern_reference},
    "formats.md": {
        "submission": partial(_render_reference, Submission),
        "waivers": partial(_render_reference, WaiversFile),
    },
}
"""Generators of the parts of each page in `docs/`, by name of the part."""


def filled(page: str, parts: Mapping[str, Callable[[], str]]) -> str:
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
    for name, (model, _) in FILES.items():
        schema = SCHEMAS[name]()
        definitions |= {**schema.get("$defs", {}), model.__name__: schema}
    return definitions
