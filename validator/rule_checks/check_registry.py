"""All checks of rule files, and their run over a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairdeal.validator.rule_checks import (
    document_checks,
    event_checks,
    game_checks,
    logic_checks,
    play_checks,
    requirement_checks,
    simulation_checks,
)
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rulebook.game_requirements import RuleFile, add_game_requirements
from fairdeal.validator.rulebook.rule_check import CheckedFile, list_checks, run_checks
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.semantic_errors import LOADING_CHECKS
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import PositionedDocument

DOCUMENT_CHECKS = list_checks(
    document_checks,
    game_checks,
    event_checks,
    logic_checks,
    requirement_checks,
    simulation_checks,
)
"""Checks of a document that loads."""
PLAY_CHECKS = list_checks(play_checks)
"""Checks of a game in play, which take seconds."""
ALL_CHECKS = (*LOADING_CHECKS, *DOCUMENT_CHECKS, *PLAY_CHECKS)
"""All checks: those that a document must pass to load, those of `rules check`, and those of the game in play."""


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
