"""Statements of submissions that can change the result of rounds."""

from __future__ import annotations

import json
from datetime import date

from validator.engine.core.house_rules import Configuration
from validator.engine.submission.answers import counts_on
from validator.results.statuses import Evidence
from validator.rules.core.references import references
from validator.rules.core.regulation import Regulation

OF_THE_FILE = frozenset({"submission", "licensee", "tables", "effective", "waivers", "attestations"})
"""Keys in which a submission describes itself: the licensee, the rounds it is for, and what is attested or waived."""

Says = tuple[str, tuple[date | None, ...]]


def asked_of_files(regulation: Regulation) -> frozenset[str]:
    """Return the self-describing keys of a submission that requirements on rounds refer to."""
    rules = [
        requirement.check
        for requirement in regulation.requirements
        if requirement.evidence in (Evidence.ROUND, Evidence.SESSION)
    ]
    models = rules if regulation.game is None else [regulation.game, *rules]
    named = (reference for model in models for reference in references(model, ()))
    return OF_THE_FILE.intersection(path.partition(".")[0] for _, kind, path in named if kind == "submission-path")


def says(configuration: Configuration, regulation: Regulation, asked: frozenset[str]) -> Says:
    """Return a key of a configuration: two configurations with the same key yield the same results.

    Args:
        asked: result of `find_required_file_keys`. The first day counts if a list of the document is not in force on
            it.
    """
    kept = {key: value for key, value in configuration.data.items() if key not in OF_THE_FILE or key in asked}
    day = configuration.effective
    lists = (None if counts_on(listed, day) else day for listed in regulation.document.lists.values())
    return json.dumps(kept, sort_keys=True, default=str), tuple(lists)
