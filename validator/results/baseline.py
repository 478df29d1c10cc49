"""Results held against those of an earlier run: which findings are new, which were known, and which are gone.

Findings are known by their ids. Where the earlier file has none (version 1 of the format) both sides are known by what
such files tell, which leaves out the casino and the name of a submission.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import overload

from msgspec import Struct
from msgspec.structs import replace

from validator.results.finding_ids import FindingIds
from validator.results.findings import Finding
from validator.results.results import Baseline, Results
from validator.results.statuses import State

_STATES = (State.NEW, State.KNOWN)

MOST_GONE = 10_000
"""The most findings that are listed as gone."""


class Stated(Sequence[Finding]):
    """The findings of a run, each with its state: `states` has an index of `_STATES` for each.

    Like what it is made of, it is a sequence to be gone through; picking by index walks up to it.
    """

    __slots__ = ("_findings", "_states")

    def __init__(self, findings: Sequence[Finding], states: bytearray) -> None:
        self._findings = findings
        self._states = states

    def __len__(self) -> int:
        return len(self._states)

    def __iter__(self) -> Iterator[Finding]:
        for finding, state in zip(self._findings, self._states, strict=True):
            yield replace(finding, state=_STATES[state])

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        return tuple(self)[index] if isinstance(index, slice) else next(islice(self, range(len(self))[index]))


class _Known(Struct):
    """Findings of a run by what they are known by; `lifted` are those that a waiver lifts."""

    all: set[str]
    lifted: set[str]


def against(results: Results, earlier: Results, *, file: str, sha256: str) -> Results:
    """Results with the state of every finding, and those that are gone, by the results of an earlier run.

    `file` and `sha256` (hex) are of the file the earlier ones were read from. A finding that was waived and is so no
    more is new: nobody had to answer for it.
    """
    told = all(finding.id for finding in earlier.findings)
    before = _known(earlier, told=told)
    states = bytearray()
    met: set[str] = set()
    for finding, key in zip(results.findings, _keys(results, told=told), strict=True):
        met.add(key)
        known = key in before.all and not (key in before.lifted and finding.waived is None)
        states.append(_STATES.index(State.KNOWN if known else State.NEW))
    gone, listed = 0, []
    for finding, key in zip(earlier.findings, _keys(earlier, told=told), strict=True):
        if key not in met:
            gone += 1
            if gone <= MOST_GONE:
                listed.append(replace(finding, state=None))
    return replace(
        results,
        findings=Stated(results.findings, states),
        baseline=Baseline(
            file=file,
            sha256=sha256,
            generated=earlier.provenance.generated,
            gone=tuple(listed),
            gone_found=gone,
            set_aside=_newly_set_aside(results, earlier),
        ),
    )


def _newly_set_aside(results: Results, earlier: Results) -> int:
    """How many records were set aside, of one file and for one reason, beyond those of before; where so many were that
    not all are listed, beyond all of before. Records that others contradict count as well, beyond those of before."""
    now, then = (Counter((record.file, record.reason) for record in some.quarantined) for some in (results, earlier))
    beyond, before = (sum(file.quarantined for file in some.provenance.inputs) for some in (results, earlier))
    contradicted, known = (sum(file.contradicted for file in some.provenance.inputs) for some in (results, earlier))
    return max((now - then).total(), beyond - before) + max(contradicted - known, 0)


def _known(results: Results, *, told: bool) -> _Known:
    found = _Known(set(), set())
    for finding, key in zip(results.findings, _keys(results, told=told), strict=True):
        found.all.add(key)
        if finding.waived is not None:
            found.lifted.add(key)
    return found


def _keys(results: Results, *, told: bool) -> Iterator[str]:
    if told:
        return (finding.id for finding in results.findings)
    ids = FindingIds(common=True)
    return (ids.named(finding).id for finding in results.findings)
