"""Rounds of examples that have been opened, for mutants of a requirement: what is known of them stays known."""

from __future__ import annotations

from msgspec.structs import replace

from fairdeal.validator.audit.rule_review.example_proof import SampleContext
from fairdeal.validator.engine.core.compiled_game import KeyedCache
from fairdeal.validator.rules.requirement_model import Requirement


def isolate(rounds: tuple[SampleContext, ...]) -> tuple[SampleContext, ...]:
    """Return the same rounds with a copy of their caches. New entries are not kept, because they may be of a mutant."""
    return tuple(
        replace(
            opened,
            scope=replace(
                opened.scope,
                compiled_game=replace(
                    opened.scope.compiled_game,
                    _memory=KeyedCache(opened.scope.compiled_game._memory),
                ),
                _memory=dict(opened.scope._memory),
            ),
        )
        for opened in rounds
    )


def restrict_requirements(
    rounds: tuple[SampleContext, ...], only: tuple[Requirement, ...]
) -> tuple[SampleContext, ...]:
    """Return the same rounds, to be judged by some requirements only."""
    return tuple(
        replace(
            opened,
            scope=replace(
                opened.scope,
                compiled_game=replace(
                    opened.scope.compiled_game,
                    regulation=replace(opened.scope.compiled_game.regulation, requirements=only),
                ),
            ),
        )
        for opened in rounds
    )
