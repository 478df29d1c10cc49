"""Things of one list that have the same name: which of them is meant elsewhere nobody could tell."""

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

_NAMES = {
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
"""The kinds of thing that are listed by name, and the keys of their names."""


def named_twice(tree: Tree, model: Closed) -> Iterator[Diagnostic]:
    """A diagnostic for everything in a file whose name an earlier thing of the same list has."""
    seen: set[tuple[Path, str]] = set()
    for path, found in walk(model, ()):
        key = _NAMES.get(type(found))
        if key is not None:
            name = str(getattr(found, key))
            if (path[:-1], name) in seen:
                message = f"the {key} {name} is listed twice"
                yield tree.diagnostic((*path, key), "semantic-error", message, help="give one of them another name")
            seen.add((path[:-1], name))
