"""Interface of the engines of an audit, and the audit of logs by an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from validator.audit.applicability.beside import RoundCounter
from validator.audit.run.merge import OnUnreadable, build_results, ignore
from validator.audit.run.parts import CheckedPart, LogPart, PartitionedLogs
from validator.audit.run.plan import AuditPlan
from validator.evidence.readers.open_log import HandLog
from validator.results.results import Results
from validator.text.diagnostics import ResourceError

MAX_ATTEMPTS = 4
"""Maximum number of times a cluster checks a part whose worker is lost."""


class Engine(Protocol):
    """Executor that checks parts: this process, several processes, or a cluster."""

    @property
    def whole_log_bytes(self) -> int:
        """Maximum size in bytes of a log that is one part, if workers can read it."""
        ...

    def check_parts(self, plan: AuditPlan, parts: Iterator[LogPart]) -> Iterator[CheckedPart]:
        """Yield every part once with its verdicts, in the order given.

        The engine takes parts as capacity becomes free.
        """
        ...


def audit_logs(
    engine: Engine,
    plan: AuditPlan,
    logs: Iterable[HandLog],
    *,
    program: str,
    generated: str,
    refused: OnUnreadable,
    progress: Callable[[str, int], object] = ignore,
    counted: Callable[[RoundCounter], object] = ignore,
    tell: Callable[[str], object] = ignore,
) -> Results:
    """Audit logs by a plan, as `build_results` does. Each log is opened when the audit reaches it."""
    given = PartitionedLogs(logs, whole=engine.whole_log_bytes)
    try:
        return build_results(
            plan,
            lambda plan_of_pass: engine.check_parts(plan_of_pass, given.iter_parts()),
            program=program,
            generated=generated,
            refused=refused,
            progress=progress,
            counted=counted,
            tell=tell,
        )
    finally:
        given.close()


def build_missing_extra_error(name: str) -> ResourceError:
    """Build the error for an engine that is not installed."""
    message = f"the engine `{name}` is not installed"
    return ResourceError("no-engine", message, f"pip install 'fairdeal[{name}]'")
