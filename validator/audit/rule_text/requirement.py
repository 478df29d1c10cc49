"""A requirement told whole: what it asks in sentences, what its words mean, where it comes from, what breaks it."""

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

_OF_GAMES = {**ROUNDS, **MONEY, **SESSIONS}
WORDED = frozenset({*SUBMISSIONS, *_OF_GAMES})
"""The operators of checks that are put into words."""


class RuleText(Struct, frozen=True, kw_only=True):
    """A requirement in words: what it `asks`, the `terms` of the game in it, the clauses and readings it rests on."""

    asks: tuple[Sentence, ...]
    terms: tuple[Term, ...]
    clauses: tuple[Clause, ...]
    readings: tuple[ReadingRelied, ...]


class Breach(Struct, frozen=True, kw_only=True):
    """An example that breaks a requirement: its name, its file, what it shows, and what is then found."""

    example: str
    file: str
    shows: str
    expected: str
    observed: str

    def as_data(self) -> dict[str, str]:
        """Its fields by name."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


def text_of(regulation: Regulation, requirement: Requirement) -> RuleText:
    """A requirement in words, the text being read as it is."""
    check = requirement.check
    asks: Sequence[Sentence]
    terms: Sequence[Term] = ()
    if check.operator in SUBMISSIONS:
        asks = list(SUBMISSIONS[check.operator](regulation, check.operand))
    else:
        prepared = prepare(regulation)
        asks = list(_OF_GAMES[check.operator](prepared, check.operand))
        terms = list(terms_of(prepared, requirement, asks))
    unasked = not_asked(regulation, requirement)
    return RuleText(
        asks=(*([] if unasked is None else [Sentence(unasked)]), *asks),
        terms=tuple(terms),
        clauses=tuple(regulation.clause(label) for label in requirement.clauses),
        readings=tuple(regulation.relied(name) for name in requirement.readings),
    )


def not_asked(regulation: Regulation, requirement: Requirement) -> str | None:
    """That a requirement is not asked of anything as the text is read, and by which readings; None where it is."""
    check, decisive = requirement.check, dict[str, str]()
    asked: Condition | SubmissionCondition | None = getattr(check.operand, "when", None)
    if check.operator == "phase" and regulation.game is not None:
        asked = regulation.game.courses[check.operand.course].when
    if check.operator == "settled":
        unasked = not cases_asked(prepare(regulation), check.operand)
    elif isinstance(asked, Condition):
        unasked = asked.meaning.by_readings(asked.operand, regulation, decisive) == NO
    else:
        unasked = asked is not None and not asked.may_hold(regulation)
    names = [*decisive] or requirement.readings
    return f"Not asked as the text is read: see {named(names)}." if unasked and names else None


def _read_otherwise(readings: Mapping[str, str]) -> str:
    """That an example reads the text otherwise than is adopted, to stand before what it shows."""
    if not readings:
        return ""
    return f"Not as adopted, {named([f'{name} being {option}' for name, option in readings.items()])}: "


def breaches_of(
    regulation: Regulation, requirements: Iterable[Requirement], samples: Sequence[Sample]
) -> Mapping[str, Breach]:
    """By the names of requirements the plainest example that breaks each, as it is judged: the first with the fewest
    findings, read as adopted if one is. A requirement that no example breaks is left out."""
    plainest: dict[str, Sample] = {}
    for requirement in requirements:
        name = requirement.requirement
        breaking = [one for one in samples if any(two.requirement == name for two in one.example.findings)]
        if breaking:
            plainest[name] = min(breaking, key=lambda one: (len(one.example.findings), one.example.readings != {}))
    proofs = prove(regulation, list(dict.fromkeys(plainest.values())))
    found = {
        (proof.sample, finding.requirement): finding for proof in proofs for finding in reversed(proof.outcome.findings)
    }
    breaches: dict[str, Breach] = {}
    for name, sample in plainest.items():
        finding = found.get((sample, regulation.full_id(name)))
        if finding is not None:  # else `rules test` tells that the example does not give what it must
            breaches[name] = Breach(
                example=sample.example.example,
                file=sample.file,
                shows=_read_otherwise(sample.example.readings) + sample.example.shows,
                expected=finding.expected,
                observed=finding.observed,
            )
    return breaches
