"""What the evidence leaves open, told once for each cause and not once for each requirement it leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from validator.results.findings import Finding, Where
from validator.results.place_order import place_key
from validator.results.results import Open
from validator.results.statuses import Cause, Evidence, Status

_OF_ROUNDS = {
    Cause.CONTRADICTED: (
        "1 round has records that contradict each other",
        "{items} rounds have records that contradict each other",
    ),
    Cause.NO_EVENTS: ("the log records no events of 1 round", "the log records no events of {items} rounds"),
    Cause.KINDS_NOT_RECORDED: (
        "in 1 round the log leaves out some kinds of event",
        "in {items} rounds the log leaves out some kinds of event",
    ),
    Cause.RECORD_STOPS: (
        "the record of 1 round stops before its end",
        "the records of {items} rounds stop before their end",
    ),
    Cause.NO_SUBMISSION: ("no submission was in force for 1 round", "no submission was in force for {items} rounds"),
}
"""What is said of one round, and of several, by cause."""
_NOT_GIVEN = {
    Evidence.SUBMISSION: "No submission was provided.",
    Evidence.ATTESTATION: "No submission with an attestation was provided.",
    Evidence.ROUND: "No rounds were provided.",
    Evidence.SESSION: "No rounds were provided.",
}


class Lack(Struct, frozen=True, kw_only=True):
    """How many rounds lack something, and the first of them."""

    rounds: int
    first: Where


class LeftOpen(Struct):
    """Gathers what is left open as it comes in, in any order."""

    _rounds: dict[str, int] = field(default_factory=dict)
    _submissions: dict[str, int] = field(default_factory=dict)
    _lacks: dict[tuple[str, Cause], Lack] = field(default_factory=dict)
    _open: dict[tuple[str, Cause, str], list[tuple[str, int, Where | None]]] = field(default_factory=dict)

    def add_rounds(self, document: str, rounds: int, lacks: Mapping[Cause, Lack]) -> None:
        """Rounds of a game that were judged, and what some of them lack."""
        self._rounds[document] = self._rounds.get(document, 0) + rounds
        for cause, lack in lacks.items():
            before = self._lacks.get((document, cause))
            if before is None:
                self._lacks[document, cause] = lack
            else:
                first = min(before.first, lack.first, key=place_key)
                self._lacks[document, cause] = Lack(rounds=before.rounds + lack.rounds, first=first)

    def add_submission(self, document: str) -> None:
        """A submission that was judged."""
        self._submissions[document] = self._submissions.get(document, 0) + 1

    def add_gap(self, finding: Finding, causes: Mapping[Cause, int]) -> None:
        """A requirement that the evidence leaves open in so many rounds by cause; the finding is of the first."""
        for cause, rounds in causes.items():
            says = finding.observed if cause is Cause.OTHER else ""
            where = finding.where if cause is Cause.OTHER else None
            self._note(finding, cause, says, rounds, where)

    def add_unstated(self, finding: Finding) -> None:
        """A requirement that one submission leaves open."""
        needs_word = finding.status is Status.NEEDS_ATTESTATION
        self._note(finding, Cause.NO_ATTESTATION if needs_word else Cause.NOT_STATED, "", 1, finding.where)

    def add_unjudged(self, document: str, requirement: str, evidence: Evidence) -> None:
        """A requirement for which there was no evidence at all."""
        self._open.setdefault((document, Cause.NOT_GIVEN, _NOT_GIVEN[evidence]), []).append((requirement, 0, None))

    def entries(self) -> tuple[Open, ...]:
        """An entry a cause: those that leave most requirements open first."""
        found = [self._entry(*key, noted) for key, noted in self._open.items()]
        return tuple(sorted(found, key=lambda one: (-len(one.requirements), one.document, one.cause, one.says)))

    def _note(self, finding: Finding, cause: Cause, says: str, items: int, where: Where | None) -> None:
        self._open.setdefault((finding.document, cause, says), []).append((finding.requirement, items, where))

    def _entry(self, document: str, cause: Cause, says: str, noted: Iterable[tuple[str, int, Where | None]]) -> Open:
        listed = list(noted)
        lack = self._lacks.get((document, cause))
        stated = cause in (Cause.NOT_STATED, Cause.NO_ATTESTATION)
        of = self._submissions.get(document, 0) if stated else self._rounds.get(document, 0)
        items = max(count for _, count, _ in listed) if lack is None else lack.rounds
        places = [where for _, _, where in listed if where is not None]
        first = min(places, key=place_key, default=None) if lack is None else lack.first
        return Open(
            document=document,
            cause=cause,
            says="".join(_said(cause, says, items, of)),
            items=items,
            of=of,
            requirements=tuple(sorted({requirement for requirement, _, _ in listed})),
            first=first,
        )


def _said(cause: Cause, says: str, items: int, of: int) -> Iterator[str]:
    match cause:
        case Cause.NOT_GIVEN:
            yield says
        case Cause.NOT_STATED:
            yield "The submission does not state this."
        case Cause.NO_ATTESTATION:
            yield "No attestation was submitted."
        case Cause.OTHER:
            yield f"In {items:,} of {of:,} rounds {says}."
        case _:
            one, several = _OF_ROUNDS[cause]
            text = (one if items == 1 else several).format(items=f"{items:,}")
            yield f"{text[:1].upper()}{text[1:]} (of {of:,})."
