"""Rounds: a game made ready, a scope, conditions and quantities, judging, explaining."""

from __future__ import annotations

from validator.audit.engines.engine import audit_logs
from validator.audit.engines.local import LocalEngine
from validator.audit.explain.round import explain
from validator.audit.operators.round_requirements import RoundsVerdict, judge_batch, judge_scope, weigh_batch
from validator.audit.operators.weighed import Weighed
from validator.audit.run.plan import AuditPlan
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS, STATUSES
from validator.engine.compiled.game import Prepared, prepare
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR
from validator.engine.core.kleene import NO, UNKNOWN, YES

__all__ = [
    "FAIL",
    "FAR",
    "NO",
    "NOT_APPLICABLE",
    "NOT_EVIDENCED",
    "PASS",
    "STATUSES",
    "UNKNOWN",
    "YES",
    "AuditPlan",
    "LocalEngine",
    "Prepared",
    "RoundsVerdict",
    "Scope",
    "Weighed",
    "audit_logs",
    "explain",
    "judge_batch",
    "judge_scope",
    "prepare",
    "weigh_batch",
]
