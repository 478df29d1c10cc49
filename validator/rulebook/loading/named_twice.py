"""Search for items of one list that have the same name, so that references would be ambiguous."""

from __future__ import annotations

from collections.abc import Iterator

from validator.rules.core.visitor import walk
from validator.rules.model.betting import BettingRound
from validator.rules.model.course import Phase
from validator.rules.model.deal import Stage
from validator.rules.model.document import Clause, Reading
from validator.rules.model.game import Step
from validator.rules.model.keep_rules import DrawingRule
from validator.rules.model.pay_tables import ScaleBand
from validator.rules.model.settlement import Cap, Case
from validator.text.diagnostics import Diagnostic
from validator.text.models.model import Closed
from validator.text.trees.tree import Path, Tree

_NAME_KEYS = {
    Clause: "clause",
    Reading: "reading",
    Step: "step",
    Phase: "phase",
    Case: "case",
    Cap: "cap",
    Stage: "stage",
    BettingRound: "round",
    ScaleBand: "band",
    DrawingRule: "rule",
}
"""The key of the name, for each model that is listed by name."""


def named_twice(tree: Tree, model: Closed) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every item whose name an earlier item of the same list has."""
    seen: set[tuple[Path, str]] = set()
    for path, item in walk(model, ()):
        key = _NAME_KEYS.get(type(item))
        if key is not None:
            name = str(getattr(item, key))
            if (path[:-1], name) in seen:
                message = f"the {key} {name} is listed twice"
                yield tree.diagnostic((*path, key), "semantic-error", message, help="give one of them another name")
            seen.add((path[:-1], name))
