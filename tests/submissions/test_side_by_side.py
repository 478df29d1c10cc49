"""Submissions of one licensee compared with each other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.audit.submissions.submission_requirements import RelatedSubmissions
from tests.facade.results import Status
from tests.facade.submissions import (
    FiledSubmission,
    Submission,
    SubmissionVerdict,
    evaluate_submission,
    file_submission,
)
from tests.facade.text import decode_source
from tests.submissions.helpers import regulation, requirement


def one(name: str, effective: str, *tables: str, house: str = "House", more: str = "") -> FiledSubmission:
    text = f"submission: {name}\nlicensee: {{name: {house}}}\ndocument: rules\neffective: {effective}\n"
    if tables:
        text += f"tables: [{', '.join(tables)}]\n"
    return file_submission(decode_source(f"{name}.yaml", (text + more).encode()))[0]


def names(found: Sequence[Submission]) -> list[str]:
    return [finding.submission for finding in found]


OLD = one("old", "2026-01-01")
FIRST, SECOND = one("first", "2026-01-01", "A"), one("second", "2026-02-01", "B")
BOTH = one("both", "2026-03-01", "A", "B")


def relate(others: Sequence[FiledSubmission]) -> RelatedSubmissions:
    return RelatedSubmissions([other.submission for other in others])


def list_replaced(judged: FiledSubmission, *others: FiledSubmission) -> list[str]:
    return names(relate(others).find_replaced(judged.submission))


def standing(judged: FiledSubmission, *others: FiledSubmission) -> list[str]:
    return names(relate(others).find_concurrent(judged.submission))


def test_a_submission_replaces_those_in_force_at_its_tables() -> None:
    assert list_replaced(BOTH, FIRST, SECOND, BOTH) == ["first", "second"]
    assert list_replaced(BOTH, OLD, BOTH) == ["old"]
    assert list_replaced(one("next", "2026-03-01", "A"), FIRST, SECOND) == ["first"]


def by_the_words(judged: Submission, others: Sequence[Submission]) -> tuple[list[str], list[str]]:
    """Compare submissions table by table: return those that are replaced, and those in force at the same time."""
    rivals = [other for other in others if other is not judged and other.licensee.name == judged.licensee.name]
    tables = {*(table for other in [judged, *rivals] for table in other.tables), "any other"}
    own = set(judged.tables) or tables
    found: tuple[set[int], set[int]] = set(), set()
    for kind, asked in enumerate((own, tables - own)):
        for table in asked:
            then = [other for other in rivals if not other.tables or table in other.tables]
            then = [other for other in then if (judged.effective - other.effective).days >= 1 - kind]
            last = max((other.effective for other in then), default=None)
            found[kind].update(rivals.index(other) for other in then if other.effective == last)
    return names([rivals[place] for place in sorted(found[0])]), names([rivals[place] for place in sorted(found[1])])


@given(st.data())
@settings(max_examples=100)
def test_what_stands_where_is_found_as_by_the_words(data: st.DataObject) -> None:
    days, tables = st.sampled_from(["2026-01-01", "2026-02-01", "2026-03-01"]), st.sets(st.sampled_from("ABC"))
    houses = st.sampled_from(["House", "Hall"])
    filed = [
        one(f"s{number}", data.draw(days), *sorted(data.draw(tables)), house=data.draw(houses)).submission
        for number in range(data.draw(st.integers(1, 6)))
    ]
    others = RelatedSubmissions(filed)
    for each in filed:
        assert (names(others.find_replaced(each)), names(others.find_concurrent(each))) == by_the_words(each, filed)


def test_what_was_replaced_before_is_not_replaced_again() -> None:
    assert list_replaced(one("last", "2026-04-01", "A"), FIRST, BOTH) == ["both"]
    assert list_replaced(one("last", "2026-04-01"), FIRST, SECOND, BOTH) == ["both"]
    assert list_replaced(one("last", "2026-04-01"), OLD, FIRST) == ["old", "first"]


def test_others_are_no_business_of_a_licensee() -> None:
    assert list_replaced(BOTH, one("theirs", "2026-01-01", house="Hall")) == []


def test_what_comes_later_or_on_the_same_day_is_not_replaced() -> None:
    assert list_replaced(FIRST, SECOND, BOTH, one("twin", "2026-01-01", "A")) == []


def test_submissions_stand_beside_each_other_at_different_tables() -> None:
    assert standing(SECOND, FIRST, SECOND) == ["first"]
    assert standing(FIRST, SECOND) == []
    assert standing(BOTH, FIRST, SECOND) == []
    assert standing(SECOND, OLD) == ["old"]
    assert standing(OLD, FIRST, SECOND) == []


def judge(check: str, filed_: FiledSubmission, *others: FiledSubmission) -> SubmissionVerdict:
    about = replace(regulation(), requirements=(requirement(check),))
    (verdict,) = evaluate_submission(about, filed_, others=relate(others))
    return verdict


def describe(verdict: SubmissionVerdict) -> tuple[Status, list[tuple[str | None, str, str]]]:
    findings = [(finding.where.pointer, finding.expected, finding.observed) for finding in verdict.findings]
    return verdict.status, findings


ALIKE = "{alike: {at: options.version}}"
EASY, HARD = "options: {version: easy}\n", "options: {version: hard}\n"


def test_the_later_submission_differs_and_names_the_other() -> None:
    first, second = one("first", "2026-01-01", "A", more=EASY), one("second", "2026-02-01", "B", more=HARD)
    assert describe(judge(ALIKE, second, first)) == (
        Status.FAIL,
        [("/options/version", "“version” of “options”: easy, as in first", "hard")],
    )
    assert describe(judge(ALIKE, first, second)) == (Status.NOT_APPLICABLE, [])
    same = one("second", "2026-02-01", "B", more=EASY)
    assert describe(judge(ALIKE, same, first)) == (Status.PASS, [])


def test_one_submission_alone_has_none_to_be_like() -> None:
    assert judge(ALIKE, one("first", "2026-01-01", more=EASY)).status is Status.NOT_APPLICABLE


def test_a_submission_for_the_same_table_may_differ() -> None:
    first, second = one("first", "2026-01-01", "A", more=EASY), one("second", "2026-02-01", "A", more=HARD)
    assert judge(ALIKE, second, first).status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(("mine", "observed"), [(EASY, "easy; first does not state it"), ("", "not stated")])
def test_what_is_not_stated_is_not_evidenced(mine: str, observed: str) -> None:
    theirs = EASY if not mine else ""
    first, second = one("first", "2026-01-01", "A", more=theirs), one("second", "2026-02-01", "B", more=mine)
    assert describe(judge(ALIKE, second, first)) == (
        Status.NOT_EVIDENCED,
        [("/options/version", "“version” of “options”: the same as in first", observed)],
    )


EARLIER = (
    "{each: submission, when: {some: earlier.wagers, when: {at: .wager, equals: side}},"
    " must: {some: wagers, when: {at: .wager, equals: side}}}"
)
SIDE, NO_SIDE = "wagers: [{wager: side}]\n", "wagers: [{wager: main}]\n"


def test_conditions_may_look_at_the_submission_that_is_replaced() -> None:
    first = one("first", "2026-01-01", more=SIDE)
    assert judge(EARLIER, one("second", "2026-02-01", more=NO_SIDE), first).status is Status.FAIL
    assert judge(EARLIER, one("second", "2026-02-01", more=SIDE), first).status is Status.PASS


def test_without_an_earlier_submission_its_lists_are_empty() -> None:
    assert judge(EARLIER, one("first", "2026-01-01", more=NO_SIDE)).status is Status.NOT_APPLICABLE


def test_every_submission_that_is_replaced_counts_and_each_reason_once() -> None:
    first = one("first", "2026-01-01", "A", more=NO_SIDE)
    second = one("second", "2026-01-01", "B", more=SIDE)
    verdict = judge(EARLIER, one("both", "2026-02-01", more=NO_SIDE), first, second)
    assert describe(verdict) == (
        Status.FAIL,
        [("/wagers", "an entry in “wagers” whose “wager” is side", "no such entry")],
    )


def test_an_entry_of_a_list_that_was_longer_is_told_as_far_as_it_stands_here() -> None:
    some = "{some: wagers, when: {at: .wager, equals: {at: ..wager}}}"
    check = f"{{each: submission, must: {{every: earlier.wagers, must: {some}}}}}"
    first = one("first", "2026-01-01", more="wagers: [{wager: main}, {wager: side}]\n")
    verdict = judge(check, one("second", "2026-02-01", more=NO_SIDE), first)
    assert verdict.status is Status.FAIL
    assert [finding.where.pointer for finding in verdict.findings] == ["/wagers/1"]


def test_the_place_of_something_earlier_is_looked_for_here() -> None:
    check = "{each: submission, must: {at: earlier.options.version, equals: easy}}"
    first = one("first", "2026-01-01", more=HARD)
    verdict = judge(check, one("second", "2026-02-01", more=EASY), first)
    assert describe(verdict) == (Status.FAIL, [("/options/version", "“version” of “options”: easy", "hard")])
