"""Text of a requirement: sentences, defined terms, clauses and readings, and an example that breaks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from validator.audit.examples.evidence import Sample
from validator.audit.examples.proof import prove
from validator.audit.rule_text.money import MONEY, cases_asked
from validator.audit.rule_text.rounds import ROUNDS
from validator.audit.rule_text.sentences import Sentence
from validator.audit.rule_text.sessions import SESSIONS
from validator.audit.rule_text.submissions import SUBMISSIONS
from validator.audit.rule_text.terms import Term, terms_of
from validator.engine.compiled.game import prepare
from validator.language.conditions import Condition
from validator.language.submission.conditions import SubmissionCondition
from validator.language.wording import named
from validator.results.results import ReadingRelied
from validator.rules.core.regulation import Regulation
from validator.rules.model.document import Clause
from validator.rules.model.requirement import Requirement
from validator.text.truth import NO

_GAME_SENTENCES = {**ROUNDS, **MONEY, **SESSIONS}
WORDED = frozenset({*SUBMISSIONS, *_GAME_SENTENCES})
"""Operators of checks that can be described."""


class RuleText(Struct, frozen=True, kw_only=True):
    """Text of a requirement."""

    asks: tuple[Sentence, ...]
    """Sentences of the check."""
    terms: tuple[Term, ...]
    """Terms of the game in the sentences."""
    clauses: tuple[Clause, ...]
    """Clauses that the requirement implements."""
    readings: tuple[ReadingRelied, ...]
    """Readings that the requirement uses."""


class Breach(Struct, frozen=True, kw_only=True):
    """Example that breaks a requirement."""

    example: str
    """Name of the example."""
    file: str
    """Name of its file."""
    shows: str
    """Description of the example."""
    expected: str
    observed: str

    def as_data(self) -> dict[str, str]:
        """Return the fields by name."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


def text_of(regulation: Regulation, requirement: Requirement) -> RuleText:
    """Describe a requirement under the readings in use."""
    check = requirement.check
    sentences: Sequence[Sentence]
    terms: Sequence[Term] = ()
    if check.operator in SUBMISSIONS:
        sentences = list(SUBMISSIONS[check.operator](regulation, check.operand))
    else:
        prepared = prepare(regulation)
        sentences = list(_GAME_SENTENCES[check.operator](prepared, check.operand))
        terms = list(terms_of(prepared, requirement, sentences))
    not_required = not_asked(regulation, requirement)
    return RuleText(
        asks=(*([] if not_required is None else [Sentence(not_required)]), *sentences),
        terms=tuple(terms),
        clauses=tuple(regulation.clause(label) for label in requirement.clauses),
        readings=tuple(regulation.relied(name) for name in requirement.readings),
    )


def not_asked(regulation: Regulation, requirement: Requirement) -> str | None:
    """Return a sentence that names the readings which exclude a requirement; None if the readings in use include it."""
    check, decisive = requirement.check, dict[str, str]()
    condition: Condition | SubmissionCondition | None = getattr(check.operand, "when", None)
    if check.operator == "phase" and regulation.game is not None:
        condition = regulation.game.courses[check.operand.course].when
    if check.operator == "settled":
        is_excluded = not cases_asked(prepare(regulation), check.operand)
    elif isinstance(condition, Condition):
        is_excluded = condition.meaning.by_readings(condition.operand, regulation, decisive) == NO
    else:
        is_excluded = condition is not None and not condition.may_hold(regulation)
    names = [*decisive] or requirement.readings
    return f"Not required under the readings in use: see {named(names)}." if is_excluded and names else None


def _describe_other_readings(readings: Mapping[str, str]) -> str:
    """Return a prefix for an example with readings other than those adopted."""
    if not readings:
        return ""
    return f"With other readings ({named([f'{name}: {option}' for name, option in readings.items()])}): "


def breaches_of(
    regulation: Regulation, requirements: Iterable[Requirement], samples: Sequence[Sample]
) -> Mapping[str, Breach]:
    """Find the simplest example that breaks each requirement, with the finding it produces.

    The simplest example has the fewest findings; of several, one with the adopted readings comes first.

    Returns:
        Examples by the names of requirements, without requirements that no example breaks.
    """
    simplest: dict[str, Sample] = {}
    for requirement in requirements:
        name = requirement.requirement
        breaking = [
            sample for sample in samples if any(finding.requirement == name for finding in sample.example.findings)
        ]
        if breaking:
            simplest[name] = min(
                breaking, key=lambda sample: (len(sample.example.findings), sample.example.readings != {})
            )
    proofs = prove(regulation, list(dict.fromkeys(simplest.values())))
    findings = {
        (proof.sample, finding.requirement): finding for proof in proofs for finding in reversed(proof.outcome.findings)
    }
    breaches: dict[str, Breach] = {}
    for name, sample in simplest.items():
        finding = findings.get((sample, regulation.full_id(name)))
        if finding is not None:  # otherwise `rules test` reports the example
            breaches[name] = Breach(
                example=sample.example.example,
                file=sample.file,
                shows=_describe_other_readings(sample.example.readings) + sample.example.shows,
                expected=finding.expected,
                observed=finding.observed,
            )
    return breaches
