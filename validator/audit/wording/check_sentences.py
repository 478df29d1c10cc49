"""Sentences about every kind of check; those on submissions are made here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fairdeal.validator.audit.wording.payment_sentences import MONEY_SENTENCES, describe_rows
from fairdeal.validator.audit.wording.round_sentences import ROUND_SENTENCES
from fairdeal.validator.audit.wording.sentences import Sentence, list_restriction, list_submission_condition
from fairdeal.validator.language.phrases import describe_place, join_names
from fairdeal.validator.language.submission_conditions import (
    PayTablesCheck,
    PublicationsCheck,
    SignsCheck,
    SubmittedCheck,
)
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rules.procedure_model import AlikeCheck
from fairdeal.validator.rules.regulation import Regulation, line_title
from fairdeal.validator.rules.requirement_model import Attested, Check

_POSTED_TABLE_MATCH = {
    "exactly": "The posted pay table has exactly the rows and odds of one of these printed tables",
    "at-least": "The posted pay table has every row of one of these printed tables, and no row pays less than printed",
    "wording": "The odds of the posted pay table are worded as in one of these printed tables",
}
_SIGN_CONTENT = {
    "limits": "the minimum and the maximum",
    "odds": "rows of the pay table in use",
    "rake": "kind and levels",
}


def _describe_submitted(regulation: Regulation, check: SubmittedCheck) -> Iterator[Sentence]:
    yield from list_submission_condition(regulation, check.must, "The submission states")


def _describe_pay_tables(regulation: Regulation, check: PayTablesCheck) -> Iterator[Sentence]:
    rule = _POSTED_TABLE_MATCH[check.match]
    yield Sentence(f"{_line_titles(regulation, [check.for_])}: {rule[0].lower()}{rule[1:]}:")
    if regulation.game is not None:
        for name in check.one_of:
            yield Sentence(f"{name}: {describe_rows(regulation.game.pay_tables[name])}", 1)


def _describe_publications(regulation: Regulation, check: PublicationsCheck) -> Iterator[Sentence]:
    yield Sentence(f"Pay tables in publications agree with the table in use: {_line_titles(regulation, check.for_)}.")


def _describe_signs(regulation: Regulation, check: SignsCheck) -> Iterator[Sentence]:
    of = "the rake" if check.for_ is None else _line_titles(regulation, check.for_)
    yield Sentence(f"Signs at the table agree with the submission on {of}: {_SIGN_CONTENT[check.show]}.")


def _describe_alike(regulation: Regulation, check: AlikeCheck) -> Iterator[Sentence]:
    yield Sentence(
        f"All submissions of a {check.among} that are in force together agree in {describe_place(check.at)}."
    )


def _describe_attested(regulation: Regulation, check: Attested) -> Iterator[Sentence]:
    yield Sentence(f"A person ({check.by}) must attest this: {check.statement}")


def _line_titles(regulation: Regulation, lines: Sequence[str]) -> str:
    game = regulation.game
    return join_names([line if game is None else line_title(game, line) for line in lines])


_GAME_SENTENCES = {**ROUND_SENTENCES, **MONEY_SENTENCES}
_SUBMISSION_SENTENCES: Mapping[str, Callable[[Regulation, Any], Iterator[Sentence]]] = {
    "submitted": _describe_submitted,
    "pay-tables": _describe_pay_tables,
    "publications": _describe_publications,
    "signs": _describe_signs,
    "alike": _describe_alike,
    "attested": _describe_attested,
}
DESCRIBED_OPERATORS = frozenset({*_SUBMISSION_SENTENCES, *_GAME_SENTENCES})
"""Operators of checks that can be described."""


def list_check_sentences(regulation: Regulation, check: Check) -> Iterator[Sentence]:
    """Yield the sentences of a check under the readings in use, and those of the condition that restricts it."""
    operand, when = check.operand, getattr(check.operand, "when", None)
    if check.operator in _SUBMISSION_SENTENCES:
        yield from _SUBMISSION_SENTENCES[check.operator](regulation, operand)
        yield from list_submission_condition(regulation, when)
    else:
        prepared = compile_game(regulation)
        yield from _GAME_SENTENCES[check.operator](prepared, operand)
        yield from list_restriction(prepared, when)
