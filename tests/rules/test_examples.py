"""Every example of every document gives its expected result, and together they prove every requirement both ways."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import indent

import pytest
import yaml
from msgspec.structs import replace

from fairdeal.validator.audit.rule_review.example_snapshot import (
    SnapshotEntry,
    build_actual_entry,
    build_snapshot,
    get_snapshot_path,
    serialize_snapshot,
)
from fairdeal.validator.rules.example_model import BasesFile, ExampleFile, ExpectedFinding, FindingPlace
from tests.facade.courts import open_shipped_court
from tests.facade.results import Evidence, Status, list_careless_texts
from tests.facade.rules import (
    BASES_FILE,
    Proof,
    Regulation,
    Requirement,
    Sample,
    list_documents,
    prove_samples,
    rules_folder,
)
from tests.facade.text import load_yaml, read_source, validate


def regulation_of(document: str) -> Regulation:
    return open_shipped_court(document).regulation


@cache
def proofs_of(document: str) -> dict[str, Proof]:
    return {proof.sample.example.example: proof for proof in open_shipped_court(document).proofs}


def samples_of(document: str) -> list[Sample]:
    return [proof.sample for proof in proofs_of(document).values()]


@cache
def evidence_of(document: str) -> dict[str, str]:
    """Return the evidence of each example as text: several may use the same evidence under other readings."""
    return {
        name: json.dumps([sample.submission, sample.round, sample.rounds, sample.other_submissions], default=str)
        for name, sample in ((sample.example.example, sample) for sample in samples_of(document))
    }


def example_files(document: str) -> Iterator[tuple[Path, ExampleFile]]:
    for path in sorted((rules_folder() / document / "examples").glob("*.yaml")):
        if path.name != BASES_FILE:
            yield path, validate(load_yaml(read_source(str(path))), ExampleFile)


DOCUMENTS = list_documents()


def is_left_open(document: str, requirement: Requirement) -> bool:
    """Return whether the text states no amount for a requirement, so that no payment can break it."""
    game, check = regulation_of(document).game, requirement.check
    if game is None or check.operator != "settled":
        return False
    dues = [case.due for case in game.settlement.cases if case.case in check.operand.cases]
    return all(due.operator == "outcome" and due.operand == "open" for due in dues)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_document_has_examples(document: str) -> None:
    assert samples_of(document)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_give_what_they_must(document: str) -> None:
    told = [
        f"{proof.sample.file}, {name}: {proof.sample.example.shows}\n" + indent("\n".join(proof.problems), "  ")
        for name, proof in proofs_of(document).items()
        if proof.problems
    ]
    if told:
        pytest.fail("\n".join(told), pytrace=False)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_findings_are_worded_with_care(document: str) -> None:
    findings = (finding for proof in proofs_of(document).values() for finding in proof.outcome.findings)
    assert not list(list_careless_texts(findings))


@cache
def collect_statuses(document: str) -> dict[str, set[Status]]:
    """Return the statuses that examples show of a requirement, without examples that fail."""
    shown: dict[str, set[Status]] = {}
    for proof in proofs_of(document).values():
        if not proof.problems:
            for name in proof.sample.example.proves:
                shown.setdefault(name, set()).update(
                    status for status in [proof.outcome.statuses.get(name)] if status is not None
                )
    return shown


def came_out(document: str, requirement: str) -> set[Status]:
    return collect_statuses(document).get(requirement, set())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_requirements_are_proved_both_ways(document: str) -> None:
    judged = [
        requirement.requirement
        for requirement in regulation_of(document).requirements
        if requirement.evidence is not Evidence.ATTESTATION and not is_left_open(document, requirement)
    ]
    assert judged
    assert [name for name in judged if not came_out(document, name) >= {Status.PASS, Status.FAIL}] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_attestations_are_shown_given_and_missing(document: str) -> None:
    asked = [
        requirement.requirement
        for requirement in regulation_of(document).requirements
        if requirement.evidence is Evidence.ATTESTATION
    ]
    assert [name for name in asked if came_out(document, name) != {Status.PASS, Status.NEEDS_ATTESTATION}] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_other_options_of_readings_are_shown(document: str) -> None:
    """Some evidence has another result under the option than under the adopted one."""
    for reading in regulation_of(document).readings.values():
        outcomes: dict[str, dict[str, list[str]]] = {}
        for name, proof in proofs_of(document).items():
            example = proof.sample.example
            if set(example.readings) <= {reading.reading}:
                broken = [finding.requirement for finding in proof.outcome.findings]
                chosen = example.readings.get(reading.reading, "adopted")
                outcomes.setdefault(evidence_of(document)[name], {})[chosen] = broken
        for option in reading.alternatives:
            assert any(
                {"adopted", option} <= outcome.keys() and outcome["adopted"] != outcome[option]
                for outcome in outcomes.values()
            ), f"{reading.reading}: {option}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_names_are_unique(document: str) -> None:
    names = [example.example for _, file in example_files(document) for example in file.examples]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_base_is_unused(document: str) -> None:
    bases = validate(load_yaml(read_source(str(rules_folder() / document / "examples" / BASES_FILE))), BasesFile)
    used = {variation.base for variation in bases.variations.values()}
    for _, file in example_files(document):
        for example in file.examples:
            varied = (example.submission, example.round_, *(example.rounds or ()), *example.beside)
            used |= {variation.base for variation in varied if variation is not None}
        played = [example for example in file.examples if example.round_ is not None or example.rounds]
        if file.under is not None and any(sample.submission is None for sample in played):
            used.add(file.under)
    assert {*bases.submissions, *bases.rounds, *bases.variations} - used == set()


# The judge of examples itself: an example that says something else than is so does not pass.


def judged_otherwise(document: str, name: str, **said: object) -> tuple[str, ...]:
    """Return the problems of an example with other expectations."""
    sample = proofs_of(document)[name].sample
    other = replace(sample, example=sample.example.model_copy(update=said))
    return prove_samples(regulation_of(document), [other])[0].problems


def first_failing(document: str) -> Sample:
    return next(sample for sample in samples_of(document) if sample.example.findings)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_finding_left_out_is_a_problem(document: str) -> None:
    failing = first_failing(document)
    problems = judged_otherwise(document, failing.example.example, findings=[])
    assert sum(problem.startswith("not expected:\n") for problem in problems) == len(failing.example.findings)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_finding_is_printed_as_it_is_put_down(document: str) -> None:
    """Findings printed by `rules test` can be copied into the example."""
    for proof in proofs_of(document).values():
        told = [build_actual_entry(finding, in_session=bool(proof.sample.rounds)) for finding in proof.outcome.findings]
        printed = "".join(f"{finding.to_yaml(document)}\n" for finding in told)
        written = yaml.safe_load(printed) or []
        assert [ExpectedFinding.model_validate(finding) for finding in written] == proof.sample.example.findings


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("field", ["requirement", "at", "owed", "overpaid"])
def test_any_difference_in_a_finding_is_a_problem(document: str, field: str) -> None:
    failing = first_failing(document)
    first, *others = failing.example.findings
    instead = {"requirement": "another", "at": FindingPlace(seat=99), "owed": 12345, "overpaid": 12345}
    wrong = first.model_copy(update={field: instead[field]})
    problems = judged_otherwise(document, failing.example.example, findings=[wrong, *others])
    assert [problem.partition(":\n")[0] for problem in problems] == ["missing", "not expected"]


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("field", ["status", "clauses", "readings", "waived", "expected", "observed"])
def test_any_difference_in_what_is_kept_of_a_finding_is_a_problem(document: str, field: str) -> None:
    sample = first_failing(document)
    first, *others = sample.snapshot_entry.findings
    instead: dict[str, object] = {"clauses": ("x/1",), "readings": ("x/y",), "waived": True}
    other = first._replace(**{field: instead.get(field, "else")})  # type: ignore[arg-type]
    kept = SnapshotEntry(findings=(other, *others), unproven=sample.snapshot_entry.unproven)
    (proof,) = prove_samples(regulation_of(document), [replace(sample, snapshot_entry=kept)])
    assert proof.mismatches == ()
    (problem,) = proof.snapshot_differences
    said, entry, *differences = problem.split("\n")
    assert (said, entry[:15]) == ("the snapshot has another wording of", "- {requirement:")
    assert {line[:4] for line in differences} <= {"  - ", "  + "} and differences


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_finding_of_which_nothing_is_kept_is_a_problem(document: str) -> None:
    sample = first_failing(document)
    (proof,) = prove_samples(
        regulation_of(document),
        [replace(sample, snapshot_entry=SnapshotEntry(unproven=sample.snapshot_entry.unproven))],
    )
    assert [problem.partition("\n")[0] for problem in proof.problems] == ["the snapshot has no wording of"] * len(
        sample.snapshot_entry.findings
    )
    more = SnapshotEntry(
        findings=(*sample.snapshot_entry.findings, sample.snapshot_entry.findings[-1]),
        unproven=sample.snapshot_entry.unproven,
    )
    (proof,) = prove_samples(regulation_of(document), [replace(sample, snapshot_entry=more)])
    name = sample.example.findings[-1].requirement
    assert proof.problems == (f"the snapshot has a further finding of {name}",)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_snapshot_is_what_its_update_writes(document: str) -> None:
    given = [proof.snapshot_result for proof in proofs_of(document).values()]
    path = get_snapshot_path(document, None)
    assert serialize_snapshot(build_snapshot(document, given)) == path.read_bytes()
    assert serialize_snapshot(build_snapshot(document, given[::-1])) == path.read_bytes()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_is_said_to_be_unproven_must_be(document: str) -> None:
    passing = next(sample for sample in samples_of(document) if not sample.example.findings)
    name = passing.example.about[0]
    problems = judged_otherwise(document, passing.example.example, unproven=[*passing.example.unproven, name])
    assert problems == (f"{name} is expected to be unproven, but is not",)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_comes_out_unproven_must_be_kept(document: str) -> None:
    open_ = next(sample for sample in samples_of(document) if sample.snapshot_entry.unproven)
    (proof,) = prove_samples(
        regulation_of(document), [replace(open_, snapshot_entry=SnapshotEntry(findings=open_.snapshot_entry.findings))]
    )
    assert len(proof.problems) == len(open_.snapshot_entry.unproven)
    assert all(problem.endswith(", which the snapshot does not record") for problem in proof.problems)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_is_kept_as_unproven_must_be(document: str) -> None:
    proof = next(iter(proofs_of(document).values()))
    name = next(name for name, status in proof.outcome.statuses.items() if status is Status.PASS)
    kept = replace(proof.sample.snapshot_entry, unproven=proof.sample.snapshot_entry.unproven | {name})
    (proof,) = prove_samples(regulation_of(document), [replace(proof.sample, snapshot_entry=kept)])
    assert proof.problems == (f"{name} is unproven in the snapshot, but its status is pass",)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_requirement_that_does_not_apply_is_not_proved(document: str) -> None:
    proof, name = next(
        (proof, name)
        for proof in proofs_of(document).values()
        for name, status in proof.outcome.statuses.items()
        if status in (Status.NOT_APPLICABLE, Status.NOT_IN_FORCE)
    )
    about = [*proof.sample.example.about, name]
    problems = judged_otherwise(document, proof.sample.example.example, about=about)
    assert problems == (f"{name} is not proved: its status is {proof.outcome.statuses[name].value}",)
