"""Comparison with an earlier run: findings that are new, known from before, or gone.

Findings are matched by their ids. An earlier file of version 1 has no ids. Both sides are then matched by what such a
file contains, without the casino and the name of the submission.
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
"""Largest number of findings that are listed as gone."""


class Stated(Sequence[Finding]):
    """Findings of a run, each with its state. Iterate it: an index walks from the start."""

    __slots__ = ("_findings", "_states")

    def __init__(self, findings: Sequence[Finding], states: bytearray) -> None:
        """Keep findings and their states.

        Args:
            findings: the findings of the run.
            states: index into `_STATES` for each finding.
        """
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


class _KnownIds(Struct):
    """Identifiers of the findings of an earlier run."""

    all: set[str]
    """Identifiers of all findings."""
    lifted: set[str]
    """Identifiers of findings that a waiver lifts."""


def against(results: Results, earlier: Results, *, file: str, sha256: str) -> Results:
    """Return results with the state of every finding, and with the findings that are gone.

    A finding whose waiver has ended counts as new, because nobody had to answer for it before.

    Args:
        results: results of this run.
        earlier: results of the earlier run.
        file: file that the earlier results were read from.
        sha256: SHA-256 of that file (hex).
    """
    have_ids = all(finding.id for finding in earlier.findings)
    before = _collect_ids(earlier, have_ids=have_ids)
    states = bytearray()
    matched: set[str] = set()
    for finding, key in zip(results.findings, _keys(results, have_ids=have_ids), strict=True):
        matched.add(key)
        known = key in before.all and not (key in before.lifted and finding.waived is None)
        states.append(_STATES.index(State.KNOWN if known else State.NEW))
    gone_count, listed = 0, []
    for finding, key in zip(earlier.findings, _keys(earlier, have_ids=have_ids), strict=True):
        if key not in matched:
            gone_count += 1
            if gone_count <= MOST_GONE:
                listed.append(replace(finding, state=None))
    return replace(
        results,
        findings=Stated(results.findings, states),
        baseline=Baseline(
            file=file,
            sha256=sha256,
            generated=earlier.provenance.generated,
            gone=tuple(listed),
            gone_found=gone_count,
            set_aside=_newly_set_aside(results, earlier),
        ),
    )


def _newly_set_aside(results: Results, earlier: Results) -> int:
    """Count the records that were newly quarantined or contradicted.

    Quarantined records are compared by file and reason. If not all of them are listed, the totals are compared instead.
    """
    now, then = (Counter((record.file, record.reason) for record in run.quarantined) for run in (results, earlier))
    beyond, before = (sum(file.quarantined for file in run.provenance.inputs) for run in (results, earlier))
    contradicted, known = (sum(file.contradicted for file in run.provenance.inputs) for run in (results, earlier))
    return max((now - then).total(), beyond - before) + max(contradicted - known, 0)


def _collect_ids(results: Results, *, have_ids: bool) -> _KnownIds:
    known = _KnownIds(set(), set())
    for finding, key in zip(results.findings, _keys(results, have_ids=have_ids), strict=True):
        known.all.add(key)
        if finding.waived is not None:
            known.lifted.add(key)
    return known


def _keys(results: Results, *, have_ids: bool) -> Iterator[str]:
    if have_ids:
        return (finding.id for finding in results.findings)
    ids = FindingIds(common=True)
    return (ids.named(finding).id for finding in results.findings)
