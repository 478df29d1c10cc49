"""Results that the tests of several formats share, and readers of the formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from msgspec.structs import replace

from tests.docs.blocks import DOCS
from tests.facade.reports import render
from tests.facade.results import Finding, Results, Severity, Status
from tests.reports import sample

PAGE = (DOCS / "outputs.md").read_text("utf-8")
"""Documentation of the formats."""

_ATTACKS: dict[str, str] = {
    "formulas": '=HYPERLINK("http://evil.example","{}")',
    "separators": "{}\r\n;=1\t=1,::error::%0A::set-env name=A::{{0}}",
    "markdown": "# {} [a](http://evil.example) ![b](//b.c) @someone #1 `x` *y* <b>z</b> | q | $1$ :100: www.b.c",
    "xml": "{}]]></failure><x a='\"\x0b\ufffe\ud800'/>&amp;&#0;",
    "sql": "{}'); DROP TABLE findings; --",
}


HOSTILE: dict[str, Results] = {
    "hostile": sample.hostile(),
    "long": sample.long_names(),
    **{name: sample.with_text(sample.RESULTS, attack.format) for name, attack in _ATTACKS.items()},
}
"""Results in which every text is an attack on some format."""

PLAIN: dict[str, Results] = {
    "violations": sample.RESULTS,
    "empty": sample.EMPTY,
    "compliant": sample.COMPLIANT,
    "crowded": sample.crowd(),
}
ALL = PLAIN | HOSTILE


class GeneratedFindings(Sequence[Finding]):
    """Findings generated on access, so that no list of them is in memory."""

    def __init__(self, number: int, make: Callable[[int], Finding]) -> None:
        self.number, self.make = number, make

    def __len__(self) -> int:
        return self.number

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        raise AssertionError("a report asked for a finding by number instead of iterating them")

    def __iter__(self) -> Iterator[Finding]:
        return map(self.make, range(self.number))


def number_finding(number: int) -> Finding:
    """Build a finding with its own place and id. The last of every thousand is critical."""
    first = sample.FINDINGS[4]
    severity = Severity.CRITICAL if number % 1_000 == 999 else Severity.MINOR
    where = replace(first.where, line=number + 1, round=f"R-{number}")
    return replace(first, severity=severity, where=where, id=f"{number:020x}", owed=number, overpaid=0)


def many(number: int) -> Results:
    """Return results with a number of generated findings."""
    assert number_finding(0).status is Status.FAIL
    return replace(sample.RESULTS, findings=GeneratedFindings(number, number_finding))


def as_json(name: str, results: Results) -> Any:
    """Render a JSON format and parse it."""
    return json.loads(render(name, results))


def recorded_twice() -> Results:
    """Return results of a log in which rounds occur more than once."""
    first, log, *others = sample.RESULTS.provenance.inputs
    log = replace(log, read=100, checked=90, quarantined=4, repeated=6, contradicted=3)
    return replace(sample.RESULTS, provenance=replace(sample.RESULTS.provenance, inputs=(first, log, *others)))
