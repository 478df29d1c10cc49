"""Rounds: a game made ready, a scope, conditions and quantities, judging, explaining."""

from __future__ import annotations

from validator.audit.engines.engine import audit_logs
from validator.audit.engines.local import LocalEngine
from validator.audit.explain.round import explain_round
from validator.audit.operators.round_requirements import RoundsVerdict, check_batch, check_context, evaluate_batch
from validator.audit.operators.weighed import RequirementOutcome
from validator.audit.run.plan import AuditPlan
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS, STATUSES
from validator.engine.compiled.game import CompiledGame, compile_game
from validator.engine.core.context import EvaluationContext
from validator.engine.core.intervals import UNBOUNDED
from validator.engine.core.kleene import NO, UNKNOWN, YES

__all__ = [
    "FAIL",
    "NO",
    "NOT_APPLICABLE",
    "NOT_EVIDENCED",
    "PASS",
    "STATUSES",
    "UNBOUNDED",
    "UNKNOWN",
    "YES",
    "AuditPlan",
    "CompiledGame",
    "EvaluationContext",
    "LocalEngine",
    "RequirementOutcome",
    "RoundsVerdict",
    "audit_logs",
    "check_batch",
    "check_context",
    "compile_game",
    "evaluate_batch",
    "explain_round",
]
