"""Casino table-game regulation as data: load the rulebook, check a submission, audit a log, get findings.

    import fairdeal

    rulebook = fairdeal.load_rulebook()
    results = fairdeal.check(rulebook, "submission.yaml")

These names are the public API; each is imported at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairdeal.validator import VERSION

if TYPE_CHECKING:
    from fairdeal.api import (
        Finding,
        InputError,
        Results,
        Rulebook,
        Status,
        Verdict,
        audit,
        audit_plan,
        audit_table,
        check,
        combine,
        explain,
        findings_table,
        hold,
        load_results,
        load_rulebook,
        merge,
        odds,
        simulate,
        write_results,
    )

__version__ = VERSION

__all__ = [
    "Finding",
    "InputError",
    "Results",
    "Rulebook",
    "Status",
    "Verdict",
    "__version__",
    "audit",
    "audit_plan",
    "audit_table",
    "check",
    "combine",
    "explain",
    "findings_table",
    "hold",
    "load_results",
    "load_rulebook",
    "merge",
    "odds",
    "simulate",
    "write_results",
]


def __getattr__(name: str) -> Any:
    """Return a public name of `fairdeal.api`. Raises AttributeError for any other."""
    if name not in __all__:
        raise AttributeError(f"module 'fairdeal' has no attribute {name!r}")
    from fairdeal import api  # noqa: PLC0415 - `python -m fairdeal` imports only what its command needs

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(__all__)
