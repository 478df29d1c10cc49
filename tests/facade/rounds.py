"""Rounds: compiled games, evaluation contexts, conditions and quantities, judging, explaining."""

from __future__ import annotations

from fairdeal.validator.audit.operators.round_requirements import (
    RequirementOutcome,
    RoundsVerdict,
    check_batch,
    check_context,
    evaluate_batch,
)
from fairdeal.validator.audit.round_explanation import explain_round
from fairdeal.validator.audit.run.audit_plan import AuditPlan, build_audit_plan
from fairdeal.validator.audit.run.run_engines import LocalEngine, audit_logs
from fairdeal.validator.audit.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS, STATUSES
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, UNKNOWN, YES
from fairdeal.validator.operators.operator_table import compile_game

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
    "build_audit_plan",
    "check_batch",
    "check_context",
    "compile_game",
    "evaluate_batch",
    "explain_round",
]
