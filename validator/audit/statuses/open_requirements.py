"""Summary of unresolved requirements, once for each cause of missing evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from validator.results.findings import Finding, Where
from validator.results.place_order import place_key
from validator.results.results import Open
from validator.results.statuses import Cause, Evidence, Status

_ROUND_TEXTS = {
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
"""Text on one round, and on several, by cause."""
_NOT_GIVEN = {
    Evidence.SUBMISSION: "No submission was provided.",
    Evidence.ATTESTATION: "No submission with an attestation was provided.",
    Evidence.ROUND: "No rounds were provided.",
    Evidence.SESSION: "No rounds were provided.",
}


class Lack(Struct, frozen=True, kw_only=True):
    """Rounds that lack evidence of one kind."""

    rounds: int
    """Number of rounds."""
    first: Where
    """Place of the first one."""


class LeftOpen(Struct):
    """Builder of the summary. Results may be added in any order."""

    _rounds: dict[str, int] = field(default_factory=dict)
    _submissions: dict[str, int] = field(default_factory=dict)
    _missing: dict[tuple[str, Cause], Lack] = field(default_factory=dict)
    _items: dict[tuple[str, Cause, str], list[tuple[str, int, Where | None]]] = field(default_factory=dict)

    def add_rounds(self, document: str, rounds: int, lacks: Mapping[Cause, Lack]) -> None:
        """Add rounds of a game, and the evidence that some of them lack."""
        self._rounds[document] = self._rounds.get(document, 0) + rounds
        for cause, missing in lacks.items():
            previous = self._missing.get((document, cause))
            if previous is None:
                self._missing[document, cause] = missing
            else:
                first = min(previous.first, missing.first, key=place_key)
                self._missing[document, cause] = Lack(rounds=previous.rounds + missing.rounds, first=first)

    def add_submission(self, document: str) -> None:
        """Add a submission."""
        self._submissions[document] = self._submissions.get(document, 0) + 1

    def add_gap(self, finding: Finding, causes: Mapping[Cause, int]) -> None:
        """Add a requirement that is unresolved in some rounds, with the number of rounds by cause.

        Args:
            finding: finding of the first of the rounds.
        """
        for cause, rounds in causes.items():
            says = finding.observed if cause is Cause.OTHER else ""
            where = finding.where if cause is Cause.OTHER else None
            self._add_item(finding, cause, says, rounds, where)

    def add_unstated(self, finding: Finding) -> None:
        """Add a requirement that is unresolved for one submission."""
        needs_attestation = finding.status is Status.NEEDS_ATTESTATION
        self._add_item(finding, Cause.NO_ATTESTATION if needs_attestation else Cause.NOT_STATED, "", 1, finding.where)

    def add_unjudged(self, document: str, requirement: str, evidence: Evidence) -> None:
        """Add a requirement for which there was no evidence."""
        self._items.setdefault((document, Cause.NOT_GIVEN, _NOT_GIVEN[evidence]), []).append((requirement, 0, None))

    def entries(self) -> tuple[Open, ...]:
        """Return one item for each cause, the causes that leave most requirements unresolved first."""
        items = [self._build_item(*key, noted) for key, noted in self._items.items()]
        return tuple(sorted(items, key=lambda item: (-len(item.requirements), item.document, item.cause, item.says)))

    def _add_item(self, finding: Finding, cause: Cause, says: str, items: int, where: Where | None) -> None:
        self._items.setdefault((finding.document, cause, says), []).append((finding.requirement, items, where))

    def _build_item(
        self, document: str, cause: Cause, says: str, noted: Iterable[tuple[str, int, Where | None]]
    ) -> Open:
        listed = list(noted)
        missing = self._missing.get((document, cause))
        stated = cause in (Cause.NOT_STATED, Cause.NO_ATTESTATION)
        of = self._submissions.get(document, 0) if stated else self._rounds.get(document, 0)
        items = max(count for _, count, _ in listed) if missing is None else missing.rounds
        places = [where for _, _, where in listed if where is not None]
        first = min(places, key=place_key, default=None) if missing is None else missing.first
        return Open(
            document=document,
            cause=cause,
            says="".join(_describe_cause(cause, says, items, of)),
            items=items,
            of=of,
            requirements=tuple(sorted({requirement for requirement, _, _ in listed})),
            first=first,
        )


def _describe_cause(cause: Cause, says: str, items: int, of: int) -> Iterator[str]:
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
            singular, plural = _ROUND_TEXTS[cause]
            text = (singular if items == 1 else plural).format(items=f"{items:,}")
            yield f"{text[:1].upper()}{text[1:]} (of {of:,})."
