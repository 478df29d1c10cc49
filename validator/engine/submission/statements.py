"""What submissions say, as far as rounds of a game can come out differently by it."""

from __future__ import annotations

import json
from datetime import date

from validator.engine.core.house_rules import Configuration
from validator.engine.submission.answers import counts_on
from validator.results.statuses import Evidence
from validator.rules.core.references import references
from validator.rules.core.regulation import Regulation

OF_THE_FILE = frozenset({"submission", "licensee", "tables", "effective", "waivers", "attestations"})
"""What a submission says of itself: who hands it in, for which rounds, and what is vouched for or lifted."""

Says = tuple[str, tuple[date | None, ...]]


def asked_of_files(regulation: Regulation) -> frozenset[str]:
    """What of all that a submission says of itself rules on rounds ask for."""
    rules = [
        requirement.check
        for requirement in regulation.requirements
        if requirement.evidence in (Evidence.ROUND, Evidence.SESSION)
    ]
    models = rules if regulation.game is None else [regulation.game, *rules]
    named = (reference for model in models for reference in references(model, ()))
    return OF_THE_FILE.intersection(path.partition(".")[0] for _, kind, path in named if kind == "submission-path")


def says(configuration: Configuration, regulation: Regulation, asked: frozenset[str]) -> Says:
    """What a configuration comes to, `asked` being `asked_of_files`: rounds judged by two of which this is the same
    come out the same. Its first day counts where a list of the document is not in force on it."""
    kept = {key: value for key, value in configuration.data.items() if key not in OF_THE_FILE or key in asked}
    day = configuration.effective
    lists = (None if counts_on(listed, day) else day for listed in regulation.document.lists.values())
    return json.dumps(kept, sort_keys=True, default=str), tuple(lists)
