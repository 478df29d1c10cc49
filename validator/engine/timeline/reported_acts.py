"""Events that requirements report as out of place at a milestone, so that other checks need not report them again."""

from __future__ import annotations

from collections.abc import Mapping

from fairdeal.validator.arrays import Flags, np
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.timeline.milestone_order import find_misplaced_acts, is_enforced
from fairdeal.validator.results.findings import Severity


@cached_fact
def find_reported_acts(scope: EvaluationContext, *, before_betting: bool = False) -> Mapping[int, Severity]:
    """Return the events that a requirement in force reports as out of place, with its severity.

    Requirements that are waived, or that may not be in force, do not count.

    Args:
        before_betting: only events that milestones before the betting report.
    """
    milestones = scope.compiled_game.milestones
    return {
        act.event: severity
        for act in find_misplaced_acts(scope, before_betting=before_betting)
        if is_enforced(scope, act.milestone) and (severity := milestones[act.milestone].severity) is not None
    }


@cached_fact
def reported_out_of_order(scope: EvaluationContext) -> Flags:
    """Return whether a requirement in force reports each event as out of place, bool[events].

    A requirement on the order of seats need not report the same events again.
    """
    result = np.zeros(scope.count_items("event"), bool)
    result[list(find_reported_acts(scope))] = True
    return result


@cached_fact
def reported_as_severe(scope: EvaluationContext, severity: Severity) -> Flags:
    """Return whether a requirement of at least this severity reports each event as out of place, bool[events]."""
    severities, result = list(Severity), np.zeros(scope.count_items("event"), bool)  # most severe first
    as_grave = severities[: severities.index(severity) + 1]
    result[[event for event, found_at in find_reported_acts(scope).items() if found_at in as_grave]] = True
    return result
