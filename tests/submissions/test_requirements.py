"""Requirements on submissions: statements of the licensee, effects of a permission, places of findings."""

from __future__ import annotations

import json
from datetime import date

import pytest
from msgspec.structs import replace

from fairdeal.validator.audit.submissions.submission_requirements import SubmissionVerdict, evaluate_submission, locate
from tests.facade.results import EvidencePlace, Status, WaiverClaim
from tests.facade.submissions import WaiverGrant, WaiverTerms, build_waiver_grant
from tests.facade.text import InputError

from .helpers import file_text, regulation, requirement

ATTESTED = "{attested: {when: {at: dealing, equals: by-hand}, statement: Hands are steady., by: manager}}"
WORD = 'attestations: [{clause: "(1)", by: M. Manager, given: 2026-02-01}]'


def verdict(check: str, text: str, **changes: str) -> SubmissionVerdict:
    asked = replace(regulation(), requirements=(requirement(check, **changes),))
    (found,) = evaluate_submission(asked, file_text(text))
    return found


@pytest.mark.parametrize(
    ("text", "status", "asked", "note"),
    [
        ("dealing: by-hand", Status.NEEDS_ATTESTATION, True, None),
        ("", Status.NEEDS_ATTESTATION, True, None),
        ("dealing: from-a-shoe", Status.NOT_APPLICABLE, False, None),
        (f"dealing: from-a-shoe\n{WORD}", Status.NOT_APPLICABLE, False, None),
        (f"dealing: by-hand\n{WORD}", Status.PASS, False, "attested by M. Manager on 2026-02-01."),
        (WORD, Status.PASS, False, "attested by M. Manager on 2026-02-01."),
    ],
)
def test_a_word_is_asked_for_where_it_is_called_for(text: str, status: Status, asked: bool, note: str | None) -> None:
    found = verdict(ATTESTED, text)
    assert (found.status, found.note) == (status, note)
    assert [(finding.expected, finding.observed, finding.where.pointer) for finding in found.findings] == (
        [("an attestation by the manager: Hands are steady.", "no attestation for clause (1)", "/attestations")]
        if asked
        else []
    )


LIMITED = "{each: submission, must: {at: payout-limit.amount, at-least: 50}}"
PERMISSION = "waivers: [{%s, reason: Trial, by: Director, until: 2026-03-01}]"


@pytest.mark.parametrize(
    ("lifts", "claimed"),
    [
        ('clause: "(1)"', False),
        ('clauses: ["(1)"]', False),
        ('clauses: ["(1)", "(2)"]', True),
        ('clauses: [rules/(2), "(1)"]', True),
    ],
)
def test_a_waiver_that_the_casino_claims_is_shown_and_lifts_nothing(lifts: str, claimed: bool) -> None:
    found = verdict(LIMITED, f"payout-limit: {{amount: 49.99}}\n{PERMISSION % lifts}", clauses='["(1)", "(2)"]')
    claim = WaiverClaim(reason="Trial", by="Director", until="2026-03-01") if claimed else None
    assert found.status is Status.FAIL
    assert [(finding.waived, finding.claimed) for finding in found.findings] == [(None, claim)]


def grant(document: str = "rules", licensee: str = "Casino", **terms: object) -> WaiverGrant:
    told = {"clauses": ["(1)", "(2)"], "by": "A. Director", "granted": "2026-01-02", **terms}
    read = WaiverTerms.model_validate_json(json.dumps(told))
    return build_waiver_grant(
        read, regulator="The commission", licensee=licensee, document=document, file="waivers.yaml"
    )


@pytest.mark.parametrize(
    ("terms", "lifted"),
    [
        ({}, True),
        ({"clauses": ["rules/(1)", "rules/(2)"]}, True),
        ({"clauses": ["(1)"]}, False),
        ({"until": "2026-02-28"}, False),
        ({"until": "2026-03-01"}, True),
        ({"granted": "2026-03-02"}, False),
        ({"from": "2026-03-02"}, False),
        ({"from": "2026-03-01"}, True),
        ({"granted": "2026-03-02", "from": "2026-02-01"}, True),
        ({"tables": ["T1"]}, True),
        ({"tables": ["T2"]}, False),
        ({"licensee": "Another"}, False),
        ({"document": "others"}, False),
    ],
)
def test_what_the_regulator_granted_lifts_what_it_covers(terms: dict[str, object], lifted: bool) -> None:
    asked = replace(regulation(), requirements=(requirement(LIMITED, clauses='["(1)", "(2)"]'),))
    given = file_text("payout-limit: {amount: 49.99}\ntables: [T1]")
    terms = {"licensee": given.submission.licensee.name, **terms}
    (found,) = evaluate_submission(asked, given, grants=[grant(**terms)], as_of=date(2026, 3, 1))  # type: ignore[arg-type]
    assert found.status is Status.FAIL
    assert [finding.waived is not None for finding in found.findings] == [lifted]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("waivers: [{reason: r, by: b}]", "exactly one of clause, clauses is required here, found none of them"),
        (
            'waivers: [{clause: "(1)", clauses: ["(2)"], reason: r, by: b}]',
            "exactly one of clause, clauses is required here, found `clause` and `clauses`",
        ),
        (
            "layout: {style: rules, areas: [{legend: l}]}",
            "exactly one of for, wager is required here, found none of them",
        ),
        (
            "layout: {style: rules, areas: [{wager: w, for: w, legend: l}]}",
            "exactly one of for, wager is required here, found `wager` and `for`",
        ),
        ("notices: [{given: 2026-01-01}]", "a notice needs the key `of`"),
        ("hand-order: []", "`hand-order` must have at least 1 entry, found 0"),
    ],
)
def test_what_is_neither_one_nor_the_other_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        file_text(text)
    assert [diagnostic.message for diagnostic in refused.value.diagnostics] == [message]


def test_a_finding_on_the_submission_before_stands_at_its_successor() -> None:
    one = file_text("payout-limit: {amount: 49.99}")
    assert locate(one.tree, ("earlier", "payout-limit", "amount")) == EvidencePlace(
        file="house.yaml", line=5, column=24, pointer="/payout-limit/amount"
    )


def test_where_it_is_not_known_whether_a_requirement_applies_a_failure_is_not_evidenced() -> None:
    check = "{each: submission, when: {count: wagers, at-least: 1}, must: {given: payout-limit}}"
    assert verdict(check, "").status is Status.NOT_EVIDENCED
    assert verdict(check, "wagers: []").status is Status.NOT_APPLICABLE
    assert verdict(check, "wagers: [{wager: w}]").status is Status.FAIL
    assert verdict(check, "wagers: [{wager: w}]\npayout-limit: {amount: 0.01}").status is Status.PASS
