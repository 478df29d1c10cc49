"""`results.json`: writing and reading loses nothing, and invalid files are refused."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from msgspec import convert
from msgspec.structs import fields, replace

from fairdeal.validator.reports import json_format, json_report
from fairdeal.validator.results.game_statistics import (
    FrequencyResult,
    HoldResult,
    RakeResult,
    RateUnit,
    RoundRate,
    Statistics,
)
from fairdeal.validator.text.diagnostics import ResourceError
from tests.facade.reports import build_results_schema, parse_json, read_json, render, split_data
from tests.facade.results import EvidencePlace, Finding, Results
from tests.facade.text import Diagnostic, InputError
from tests.reports import sample
from tests.reports.helpers import anything


def render_json(results: Results) -> bytes:
    return render("json", results)


def document(results: Results = sample.RESULTS) -> dict[str, Any]:
    return json.loads(render_json(results))


def refusal(data: bytes) -> Diagnostic:
    with pytest.raises(InputError) as caught:
        parse_json(split_data(data))
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


@given(anything(Results))
@settings(max_examples=30)
def test_reading_gives_back_what_was_written(results: Results) -> None:
    data = render_json(results)
    assert parse_json(split_data(data)) == replace(results, texts={})  # quoted words are not saved
    assert render_json(parse_json(split_data(data))) == data


@pytest.mark.parametrize("results", [sample.hostile(), sample.long_names(), sample.crowd()])
def test_hostile_results_come_back_unchanged(results: Results) -> None:
    assert parse_json(split_data(render_json(results))) == results


def test_keys_are_the_documented_ones_in_order() -> None:
    found = document()
    assert list(found) == [
        "fairdeal-results",
        "verdict",
        "totals",
        "subject",
        "money",
        "baseline",
        "findings",
        "open",
        "requirements",
        "explanations",
        "readings",
        "claims",
        "quarantined",
        "unreadable",
        "layouts",
        "sessions",
        "clauses",
        "provenance",
    ]
    assert list(found["findings"][0]) == [part.encode_name for part in fields(Finding)]
    assert list(found["findings"][0]["where"]) == [part.name for part in fields(EvidencePlace)]
    assert list(found["provenance"]) == [
        "program",
        "rulebook-version",
        "rulebook-date",
        "rulebook-sha256",
        "documents",
        "as-of",
        "generated",
        "inputs",
        "profile",
        "timezone",
        "day-starts",
    ]
    assert list(found["readings"][0])[-1] == "from-profile"
    assert found["provenance"]["as-of"] is None
    assert list(found["requirements"][1]["totals"]) == ["fail", "pass"]


def test_totals_in_a_requirement_are_worst_first_however_they_were_counted() -> None:
    first = sample.REQUIREMENTS[1]
    turned = replace(first, totals=dict(reversed(list(first.totals.items()))))
    assert render_json(replace(sample.RESULTS, requirements=(turned,))) == render_json(
        replace(sample.RESULTS, requirements=(first,))
    )


def test_every_finding_has_a_line() -> None:
    lines = render_json(sample.crowd()).splitlines()
    first = lines.index(b'"findings": [') + 1
    count = len(sample.crowd().findings)
    assert lines[first + count] == b"],"
    for line in lines[first : first + count]:
        assert json.loads(line.rstrip(b",")).keys() == {part.encode_name for part in fields(Finding)}


def test_half_a_character_in_a_file_name_is_replaced_not_refused() -> None:
    finding = replace(sample.FINDINGS[0], where=EvidencePlace(file="log-\udcff.jsonl", line=3))
    data = render_json(replace(sample.RESULTS, findings=(finding,)))
    (back,) = parse_json(split_data(data)).findings
    assert back == replace(finding, where=EvidencePlace(file="log-\ufffd.jsonl", line=3))


def test_the_schema_takes_what_is_written() -> None:
    schema = build_results_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for results in (sample.RESULTS, sample.EMPTY, sample.hostile()):
        validator.validate(document(results))
    broken = document() | {"verdict": "fine"}
    assert not validator.is_valid(broken)


def _edit(change: Callable[[dict[str, Any]], object]) -> bytes:
    found = document()
    change(found)
    return json.dumps(found).encode()


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "version": (lambda d: d.update({"fairdeal-results": 3}), "this version of the format"),
    "unknown key": (lambda d: d["findings"][2].update(extra=1), r"unknown field `extra` - at `\$\.findings\[2\]`"),
    "underscore": (lambda d: d["provenance"].update(as_of=None), r"unknown field `as_of` - at `\$\.provenance`"),
    "missing key": (
        lambda d: d["findings"][0].pop("count"),
        r"missing required field `count` - at `\$\.findings\[0\]`$",
    ),
    "missing part": (lambda d: d.pop("layouts"), r"missing required field `layouts`"),
    "status": (lambda d: d["findings"][0].update(status="passed"), r"Invalid enum value 'passed'"),
    "type": (
        lambda d: d["findings"][0]["where"].update(line="7"),
        r"Expected `int \| null`, got `str` - at `\$\.findings\[0\]\.where\.line`$",
    ),
    "truth": (lambda d: d["findings"][0]["where"].update(line=True), r"Expected `int \| null`, got `bool`"),
    "fraction": (lambda d: d["findings"][0].update(count=1.5), r"Expected `int`, got `float`"),
    "nesting": (lambda d: d["findings"][0].update(clauses=[["a"]]), r"Expected `str`, got `array`"),
    "no day": (lambda d: d["provenance"].update({"rulebook-date": "today"}), r"not a day.*rulebook-date`$"),
    "lost finding": (lambda d: d["findings"].pop(), r"^the totals do not add up"),
    "turned status": (lambda d: d["requirements"][0].update(status="pass"), r"^the totals do not add up"),
}


@pytest.mark.parametrize("case", sorted(BROKEN))
def test_a_wrong_value_is_refused_and_named(case: str) -> None:
    change, message = BROKEN[case]
    found = refusal(_edit(change))
    assert re.search(message, found.message)
    assert found.file == "results.json"


def test_a_repeated_key_is_refused() -> None:
    data = render_json(sample.RESULTS).replace(b'"count":1', b'"count":1,"count":1', 1)
    assert refusal(data).message == "the key `count` is repeated in one object"


@pytest.mark.parametrize("broken", [b'"\\x41"', b'"a\tb"', b"SECOND", b"01", b"NaN", b"1e", b'"\\ud800"', b"'x'"])
def test_a_finding_that_is_no_json_is_shown_on_its_line(broken: bytes) -> None:
    found = refusal(render_json(sample.RESULTS).replace(b'"SECOND"', broken, 1))
    assert found.message.startswith("JSON is malformed")
    assert "byte" not in found.message
    assert found.line == 9


def test_broken_json_is_shown_where_it_breaks() -> None:
    data = render_json(sample.RESULTS).replace(b'"findings": [', b'"findings": [,', 1)
    found = refusal(data)
    assert (found.line, found.column, found.source_line) == (8, 14, '"findings": [,')


def test_results_cut_off_and_of_another_version_are_told_so() -> None:
    data = render_json(sample.RESULTS)
    assert refusal(data[: len(data) // 2].rpartition(b"{")[0]).message == "the file ends in the middle of the results"
    other = data.replace(b'"fairdeal-results": 2', b'"fairdeal-results": 3', 1)
    assert refusal(other).message.startswith("this program does not read results in this version of the format")


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_nesting_without_end_is_refused_wherever_it_stands(opening: bytes) -> None:
    for key in (b'"findings": [', b'"clauses":[', b'"requirements": [', b'"verdict": '):
        head, mark, _ = render_json(sample.RESULTS).partition(key)
        assert refusal(head + mark + opening * 200_000).code == "results"


def test_a_byte_order_mark_is_no_part_of_the_results() -> None:
    data = b"\xef\xbb\xbf" + render_json(sample.RESULTS)
    assert parse_json(split_data(data)) == sample.RESULTS
    assert refusal(data.replace(b'"verdict": ', b'"verdict": ,')).column == 12


@pytest.mark.parametrize(
    "data",
    [b"{", b"[]", b"null", b"{}", b'{"fairdeal-results": 1}', b"[" * 200_000, b'{"a":' * 200_000, b'"\\ud800"'],
)
def test_what_is_no_results_file_is_refused(data: bytes) -> None:
    assert refusal(data).code == "results"


def test_a_number_beyond_all_bounds_is_refused() -> None:
    data = render_json(sample.RESULTS).replace(b'"line":48', b'"line":' + b"9" * 5000, 1)
    assert "out of range" in refusal(data).message


def test_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(render_json(sample.RESULTS))
    assert read_json(str(path)) == sample.RESULTS
    with pytest.raises(InputError) as caught:
        read_json(str(tmp_path / "absent.json"))
    assert caught.value.diagnostics[0].code == "not-found"


def test_findings_read_back_are_a_sequence_like_any_other() -> None:
    back = parse_json(split_data(render_json(sample.RESULTS))).findings
    assert len(back) == len(sample.FINDINGS)
    assert back[0] == sample.FINDINGS[0]
    assert back[-1] == sample.FINDINGS[-1]
    assert tuple(back) == sample.FINDINGS
    assert back[2:5] == sample.FINDINGS[2:5]
    assert back != sample.FINDINGS[1:]
    assert back != sample.FINDINGS[::-1]
    assert not isinstance(back, tuple)


def with_long_lists() -> Results:
    """Return results with several entries in every long list."""
    place = {"by": "table", "document": "d", "casino": None, "table": "T1", "day": None, "dealer": None}
    counted = {"currency": None, "left-out": 1, "rounds": 1, "pots": 1, "raked": 1, "share": None}
    tested = {"p": None, "q": None, "outside": False, "stands-out": False, "why": None, "left-out": 1}
    wins = dict.fromkeys(("stakes", "handle", "at-risk", "win"), 1)
    theory = dict.fromkeys(
        ("hold", "theoretical-win", "theoretical-hold", "given-away", "standard-deviation", "interval")
    )
    more = {"wager": "ante", "currency": None, "standard-deviation": None, "interval": None}
    hold = convert({**place, **tested, **wins, **theory, **more}, HoldResult)
    rake = convert({**place, **counted}, RakeResult)
    came = [{"name": "As", "count": 1, "expected": 0.5, "off": 0.1}]
    deck = {"document": "d", "casino": None, "table": "T1", "deck": None, "of": None, "seen": 1, "came": came}
    cards = convert({**deck, **tested, "chi-square": None, "degrees": None}, FrequencyResult)
    return replace(
        sample.RESULTS,
        statistics=Statistics(
            level=0.95,
            looked_at=(),
            wagers=(),
            hold=(hold,) * 3,
            rake=(rake,) * 3,
            hands=(cards,) * 3,
            cards=(cards,) * 3,
            rates=(RoundRate(by=RateUnit.TABLE, document="d", casino=None, name="T1", rounds=1, pace=None),) * 3,
        ),
    )


def test_only_long_lists_have_no_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = with_long_lists()
    path = tmp_path / "results.json"
    data = render_json(results)
    path.write_bytes(data)
    rest = len(data) - sum(len(line) + 1 for line in find_entry_lines(data))
    monkeypatch.setattr(json_format, "MAX_BYTES", rest)
    assert read_json(str(path)) == results
    assert render_json(results) == data
    monkeypatch.setattr(json_format, "MAX_BYTES", rest - 1)
    with pytest.raises(InputError) as caught:
        read_json(str(path))
    assert caught.value.diagnostics[0].code == "too-large"
    with pytest.raises(ResourceError, match="too large to be read again"):
        render_json(results)


def test_what_has_too_many_values_is_neither_written_nor_read(monkeypatch: pytest.MonkeyPatch) -> None:
    results = with_long_lists()
    data = render_json(results)
    lines = find_entry_lines(data)
    rest = data.count(b",") - sum(line.count(b",") for line in lines)
    monkeypatch.setattr(json_format, "MAX_VALUES", rest)
    assert parse_json(split_data(data)) == results
    assert render_json(results) == data
    monkeypatch.setattr(json_format, "MAX_VALUES", rest - 1)
    with pytest.raises(InputError, match="values are outside of the lists"):
        split_data(data)
    with pytest.raises(ResourceError, match="too large to be read again"):
        render_json(results)


def test_an_entry_that_would_not_be_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_format, "MAX_ENTRY_BYTES", 100)
    with pytest.raises(ResourceError, match="too large to be read again"):
        render_json(sample.RESULTS)


def find_entry_lines(data: bytes) -> list[bytes]:
    """Return the lines of the entries of long lists."""
    lines = data.splitlines()
    found: list[bytes] = []
    for key in json_format.LONG_LISTS:
        opening = b'"%b": [' % key.encode()
        if opening in lines:
            first = lines.index(opening) + 1
            found += lines[first : next(at for at in range(first, len(lines)) if lines[at] in (b"]", b"],"))]
    return found


@pytest.mark.parametrize("indent", [None, 1])
def test_lists_in_another_layout_are_read_as_well(indent: int | None) -> None:
    data = json.dumps(document(), indent=indent).encode()
    assert parse_json(split_data(data)) == sample.RESULTS
    assert not split_data(data).lists


def test_long_lists_are_read_from_a_file_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_format, "_KEPT_IN_MEMORY", 1)
    results = parse_json(split_data(render_json(sample.RESULTS)))
    assert results == sample.RESULTS
    both = zip(results.findings, results.findings, strict=True)  # two iterations at a time
    assert all(finding == other for finding, other in both)
    assert results.sessions[-1] == sample.RESULTS.sessions[-1]


@pytest.mark.parametrize(
    ("was", "is_", "message"),
    [
        (b'},\n{"requirement"', b'}\n{"requirement"', "`,` or `]` is missing before this"),
        (b"}\n],\n", b"},\n],\n", "an entry is missing before this"),
        (b"}\n],\n", b"}\n],\n\n", None),
        (b'},\n{"requirement"', b'},\n\n{"requirement"', "JSON is malformed"),
        (b'},\n{"requirement"', b'},{"requirement"', "JSON is malformed: trailing characters"),
    ],
)
def test_entries_are_separated_as_in_json(was: bytes, is_: bytes, message: str | None) -> None:
    data = render_json(sample.RESULTS)
    start = data.index(b'"findings": [')
    changed = data[:start] + data[start:].replace(was, is_, 1)
    assert changed != data
    if message is None:
        assert parse_json(split_data(changed)) == sample.RESULTS
    else:
        assert message in refusal(changed).message


@pytest.mark.parametrize("key", ["findings", "sessions"])
def test_a_list_that_is_there_twice_is_refused(key: str) -> None:
    data = render_json(sample.RESULTS)
    start = data.index(b'"%b": [\n' % key.encode())
    end = data.index(b"],\n", start) + 3
    assert refusal(data[:end] + data[start:end] + data[end:]).message == f"the key `{key}` is repeated in one object"


@pytest.mark.parametrize("key", ["tables-read", "count", "openings", "rulebook-sha256", "first-line"])
def test_places_are_lines_of_the_file(key: str) -> None:
    data = render_json(sample.RESULTS)
    value = re.compile(b'"%b":("?\\w+"?)' % key.encode())
    number = next(index for index, line in enumerate(data.splitlines(), 1) if value.search(line))
    assert refusal(value.sub(b'"%b":[]' % key.encode(), data, count=1)).line == number
    assert refusal(value.sub(b'"%b":,' % key.encode(), data, count=1)).line == number


def test_findings_are_written_as_they_come() -> None:
    """The first findings are in the stream before the last one is made."""
    stream = io.BytesIO()
    sizes: list[int] = []

    class Slow(tuple[Finding, ...]):
        __slots__ = ()

        def __iter__(self) -> Any:
            for finding in sample.FINDINGS:
                sizes.append(stream.tell())
                yield finding

    json_report.write_json(replace(sample.RESULTS, findings=Slow()), stream)
    second_pass = sizes[len(sample.FINDINGS) :]
    assert second_pass == sorted(set(second_pass))


@pytest.mark.parametrize("name", ["audit", "violations"])
def test_files_of_version_1_are_read_and_written_again(name: str) -> None:
    path = Path(__file__).parent / "version-1" / f"{name}.json"
    before = json.loads(path.read_bytes())
    results = read_json(str(path))
    assert len(results.findings) == len(before["findings"]) > 5
    again = json.loads(render_json(results))
    assert again["fairdeal-results"] == 2
    for key in ("verdict", "totals", "requirements", "readings", "quarantined", "layouts", "sessions"):
        assert keep_known(again[key], before[key]) == before[key]
    for now, then in zip(again["findings"], before["findings"], strict=True):
        assert keep_known(now, then) == then
        assert now["owed"] is None
    assert parse_json(split_data(render_json(results))) == results


def keep_known(now: Any, then: Any) -> Any:
    """Return the new values of the keys that existed in the old version."""
    if isinstance(now, dict) and isinstance(then, dict):
        return {key: keep_known(now[key], then[key]) for key in then}
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [keep_known(item, other) for item, other in zip(now, then, strict=True)]
    return now


def test_results_from_before_rulebooks_had_versions_are_read() -> None:
    def forget(found: dict[str, Any]) -> None:
        del found["provenance"]["rulebook-version"], found["provenance"]["rulebook-date"]

    provenance = parse_json(split_data(_edit(forget))).provenance
    assert (provenance.rulebook_version, provenance.rulebook_date) == (None, None)
    assert provenance.rulebook_sha256 == sample.RESULTS.provenance.rulebook_sha256


def test_a_file_of_version_1_has_none_of_the_later_keys() -> None:
    path = Path(__file__).parent / "version-1" / "violations.json"
    before = json.loads(path.read_bytes())
    del before["findings"][0]["count"]
    assert "missing required field `count`" in refusal(json.dumps(before).encode()).message
