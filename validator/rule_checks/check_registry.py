"""All checks of rule files, and their run over a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fairdeal.validator.rule_checks import (
    document_checks,
    enforcement_checks,
    event_checks,
    fault_checks,
    hand_checks,
    irregularity_checks,
    logic_checks,
    naming_checks,
    play_checks,
    procedure_checks,
    requirement_checks,
    simulation_checks,
)
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rulebook.lint.rule_check import CheckedFile, list_checks, run_checks
from fairdeal.validator.rulebook.lint.semantic_errors import LOADING_CHECKS
from fairdeal.validator.rulebook.loading.game_requirements import RuleFile, add_game_requirements
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import PositionedDocument

DOCUMENT_CHECKS = list_checks(
    document_checks,
    naming_checks,
    hand_checks,
    event_checks,
    irregularity_checks,
    procedure_checks,
    logic_checks,
    requirement_checks,
    fault_checks,
    enforcement_checks,
    simulation_checks,
)
"""Checks of a document that loads."""
PLAY_CHECKS = list_checks(play_checks)
"""Checks of a game in play, which take seconds."""
ALL_CHECKS = (*LOADING_CHECKS, *DOCUMENT_CHECKS, *PLAY_CHECKS)
"""All checks: those that a document must pass to load, those of `rules check`, and those of the game in play."""
RENAMED_CODES: Mapping[str, str] = {
    "asked-by-nobody": "unenforced",
    "asks-nothing": "no-effect",
    "best-of-more": "implicit-best-of",
    "broken-in-play": "fails-in-simulation",
    "changes-something": "reading-has-effect",
    "claimed-twice": "duplicate-variant",
    "half-said": "incomplete-pair",
    "house-breaks-rules": "house-not-compliant",
    "left-out": "missing-entry",
    "listed-twice": "duplicate-entry",
    "model-and-schema": "schema-violation",
    "never-broken": "cannot-fail",
    "never-fulfilled": "cannot-pass",
    "never-planted": "ineffective-fault",
    "never-played": "never-simulated",
    "never-reached": "unreachable",
    "never-read": "unused-payout",
    "never-seen": "hidden-cards",
    "never-shown": "never-revealed",
    "no-event": "impossible-event",
    "no-limits": "limits-not-stated",
    "no-sense": "semantic-error",
    "no-word": "underspecified-event",
    "not-read-back": "simulation-rejected",
    "of-itself": "self-reference",
    "one-number": "equal-bounds",
    "open-to-more": "open-to-too-many",
    "other-clause": "clause-mismatch",
    "other-deck": "deck-mismatch",
    "other-face": "face-mismatch",
    "other-lines": "line-mismatch",
    "other-multiple": "multiple-mismatch",
    "other-number": "number-mismatch",
    "other-order": "order-mismatch",
    "other-side": "direction-mismatch",
    "other-table": "pay-table-mismatch",
    "other-unit": "unit-mismatch",
    "other-wording": "wording-mismatch",
    "pays-less": "decreasing-payout",
    "players-win": "negative-house-advantage",
    "ranked-differently": "ranking-mismatch",
    "said-twice": "duplicate-statement",
    "says-nothing": "redundant",
    "told-twice": "duplicate",
    "turned-round": "reversed",
    "unwritten": "placeholder-text",
}
"""Codes of `rules check` in version 0.1.0 with their present names, for scripts; kept until version 0.3.0."""


def find_warnings(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile], examples: Sequence[PositionedDocument] = ()
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every statement that cannot be meant or seldom is.

    Args:
        rulebook: The rulebook that the regulation belongs to.
        regulation: The loaded regulation.
        files: The files that the regulation was made of, and that of its simulation if it has one.
        examples: The files of its examples.
    """
    checked = [file.to_checked() for file in add_game_requirements(files)]
    context_type = DocumentContext if regulation.game is None else GameContext
    context = context_type(rulebook, regulation, checked, examples)
    checked += [CheckedFile(tree=tree) for tree in examples]
    # A requirement that a game states appears in two files; report its mistakes once.
    yield from dict.fromkeys(run_checks(DOCUMENT_CHECKS, context, checked))


def find_warnings_in_play(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every problem that appears when the game is played.

    Every deal is enumerated, and a game with a simulation is played for some rounds, which takes seconds. Call it only
    for a regulation without other errors.
    """
    if regulation.game is not None:
        checked = [file.to_checked() for file in add_game_requirements(files)]
        context = play_checks.PlayContext(rulebook, regulation, checked)
        yield from dict.fromkeys(run_checks(PLAY_CHECKS, context, checked))
