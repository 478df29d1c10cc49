"""Places in which an operator of the rule language is documented and implemented."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import getsourcefile, getsourcelines
from pathlib import Path
from typing import Any

from msgspec import Struct

from fairdeal.validator.audit.operators.round_operators import ROUND_OPERATORS as ROUNDS
from fairdeal.validator.audit.operators.session_evaluation import SESSION_OPERATORS as SESSIONS
from fairdeal.validator.audit.submissions.posted_odds import check_pay_tables, check_publications, check_signs
from fairdeal.validator.audit.submissions.submission_requirements import (
    check_alike,
    evaluate_submission,
)
from fairdeal.validator.language.grammar import walk_models
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.operators.submission_value_operators import SubmissionOperators
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.closed_model import OneOperatorModel, read_attribute_docs, to_key
from tools.generated_files.__main__ import ROOT
from tools.generated_files.schema_builders import format_model_title

SUBMISSIONS: Mapping[str, Callable[..., Any]] = {
    "submitted": SubmissionOperators.answer,
    "pay-tables": check_pay_tables,
    "publications": check_publications,
    "signs": check_signs,
    "alike": check_alike,
    "attested": evaluate_submission,
}
"""Functions that judge submissions, by the operator of a check."""

CHECKS: Mapping[str, Callable[..., Any]] = {**SUBMISSIONS, **ROUNDS, **SESSIONS}
"""Functions that judge rounds, by the operator of a check."""

LANGUAGE: Mapping[str, Mapping[str, Any]] = {
    "Condition": OPERATORS.conditions,
    "Quantity": OPERATORS.quantities,
    "Comparison": OPERATORS.comparisons,
    "SubmissionCondition": SUBMISSION_OPERATORS.conditions,
    "Value": SUBMISSION_OPERATORS.values_by_key,
    "Counted": dict.fromkeys(("equals", "at-least", "at-most"), SUBMISSION_OPERATORS.conditions["count"]),
}
"""The operators of the rule language, by the class they are fields of and their names."""


class Operator(Struct, frozen=True, kw_only=True):
    """Operator of a rule: its name, its documentation, the heading of its reference, and the place of its code, as
    `path:line`, if it has any."""

    name: str
    says: str
    anchor: str
    code: str | None


def operators_of(requirement: Requirement) -> Iterator[Operator]:
    """Yield the check of a requirement and every operator within it, each once, in the order of the rule file."""
    seen: set[tuple[str, str]] = set()
    for _, model in walk_models(requirement.check, ()):
        if isinstance(model, OneOperatorModel) and (key := (type(model).__name__, model.operator)) not in seen:
            seen.add(key)
            yield _operator(type(model), model.operator)


@cache
def _operator(kind: type[OneOperatorModel], name: str) -> Operator:
    documented = {to_key(field): text for field, text in read_attribute_docs(kind).items()}
    object_ = LANGUAGE.get(kind.__name__, {}).get(name)
    meaning = CHECKS.get(name) if kind.__name__ == "Check" else None if object_ is None else type(object_)
    return Operator(
        name=name,
        says=documented.get(name, ""),
        anchor=format_model_title(kind.__name__).lower().replace(" ", "-"),
        code=None if meaning is None else _place(meaning),
    )


def _place(meaning: type | Callable[..., Any]) -> str:
    path = Path(getsourcefile(meaning) or "").resolve().relative_to(ROOT)
    return f"{path.as_posix()}:{getsourcelines(meaning)[1]}"
