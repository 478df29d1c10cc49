"""Statements of submissions that can change the result of rounds."""

from __future__ import annotations

import json
from datetime import date

from validator.engine.core.house_rules import LicenseeConfiguration
from validator.engine.submission.answers import is_list_in_force
from validator.results.statuses import Evidence
from validator.rules.core.references import iterate_references
from validator.rules.core.regulation import Regulation

FILE_KEYS = frozenset({"submission", "licensee", "tables", "effective", "waivers", "attestations"})
"""Keys in which a submission describes itself: the licensee, the rounds it is for, and what is attested or waived."""

ConfigurationKey = tuple[str, tuple[date | None, ...]]


def find_required_file_keys(regulation: Regulation) -> frozenset[str]:
    """Return the self-describing keys of a submission that requirements on rounds refer to."""
    rules = [
        requirement.check
        for requirement in regulation.requirements
        if requirement.evidence in (Evidence.ROUND, Evidence.SESSION)
    ]
    models = rules if regulation.game is None else [regulation.game, *rules]
    named = (reference for model in models for reference in iterate_references(model, ()))
    return FILE_KEYS.intersection(path.partition(".")[0] for _, kind, path in named if kind == "submission-path")


def build_configuration_key(
    configuration: LicenseeConfiguration, regulation: Regulation, asked: frozenset[str]
) -> ConfigurationKey:
    """Return a key of a configuration: two configurations with the same key yield the same results.

    Args:
        asked: result of `find_required_file_keys`. The first day counts if a list of the document is not in force on
            it.
    """
    kept = {key: value for key, value in configuration.data.items() if key not in FILE_KEYS or key in asked}
    day = configuration.effective
    lists = (None if is_list_in_force(listed, day) else day for listed in regulation.document.lists.values())
    return json.dumps(kept, sort_keys=True, default=str), tuple(lists)
