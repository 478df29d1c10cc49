"""Common form of violations: one breach of one clause in a round that is otherwise lawful, and how to make one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.lawful.judge import judge
from tests.lawful.record import Event, Record, Round, Submission, drop_all_events, drop_events, make_event

SETTLING = ("pay", "collect", "return")


@dataclass
class Case:
    """Records with one breach, and the id of the round that must give a finding."""

    records: list[Record]
    submissions: list[Submission]
    round_id: str
    controls: list[Record] = field(default_factory=list)
    """The same without the breach; the product must find nothing in them."""


@dataclass
class Violation:
    """A breach that a surveillance review looks for, with its clause and a builder from a seed."""

    name: str
    clause: str
    build: Callable[[int], Case]


def is_found(case: Case, profile: str | None = None) -> bool:
    """Return whether the round of a case has a failure; a quarantined record is no finding."""
    judgement = judge(case.records, case.submissions, profile)
    return bool(judgement.failures.get(case.round_id)) and case.round_id not in judgement.quarantined


def find_misses(cases: Mapping[str, Case], profile: str | None = None) -> set[str]:
    """Return the names of cases whose breach is not found, judged all at once: each is a casino of its own."""
    records, submissions = [], []
    for name, case in cases.items():
        records += [rename(record, name) for record in case.records]
        submissions += [rename_submission(submission, name) for submission in case.submissions]
    judgement = judge(records, submissions, profile)
    wanted = {f"{name}/{case.round_id}": name for name, case in cases.items()}
    found = {id_ for id_ in wanted if judgement.failures.get(id_) and id_ not in judgement.quarantined}
    return {name for id_, name in wanted.items() if id_ not in found}


def without_kinds(cases: Mapping[str, Case], kinds: Sequence[str]) -> dict[str, Case]:
    """Return the cases whose breach is in the outcomes of the summary, in a log that does not record some kinds."""
    found = {}
    for name, case in cases.items():
        pairs = zip(case.records, case.controls, strict=False)
        is_of_outcomes = any(drop_all_events(record) != drop_all_events(control) for record, control in pairs)
        if is_of_outcomes and all("events" in record for record in case.records):
            records = [drop_events(record, kinds) for record in case.records]
            found[name] = Case(records, case.submissions, case.round_id)
    return found


def judge_controls(cases: Mapping[str, Case], profile: str | None = None) -> str:
    """Return what the product finds in the same rounds without their breach."""
    records, submissions = [], []
    for name, case in cases.items():
        if case.controls:
            records += [rename(record, name) for record in case.controls]
            submissions += [rename_submission(submission, name) for submission in case.submissions]
    return judge(records, submissions, profile).describe()


def rename(record: Record, casino: str) -> Record:
    return record | {"casino": casino, "round": f"{casino}/{record['round']}"}


def rename_submission(submission: Submission, casino: str) -> Submission:
    return submission | {"submission": casino, "licensee": {"name": casino}}


@dataclass
class Scene:
    """A plain lawful round that a violation changes."""

    round: Round
    submissions: list[Submission]
    control: Record = field(init=False)

    def __post_init__(self) -> None:
        self.control = self.round.record()

    @property
    def events(self) -> list[Event]:
        return self.round.events

    def all(self, kind: str, **keys: Any) -> list[Event]:
        """Return the events of a kind with these keys; a tip only if `tip` requires it."""
        wanted = {"tip": None} | keys
        return [
            event
            for event in self.events
            if event["event"] == kind and all(event.get(key) == value for key, value in wanted.items())
        ]

    def first(self, kind: str, **keys: Any) -> Event:
        return self.all(kind, **keys)[0]

    def place(self, event: Event) -> int:
        """Return the index of this very event."""
        return next(index for index, other in enumerate(self.events) if other is event)

    def remove(self, *events: Event) -> None:
        for event in events:
            del self.events[self.place(event)]

    def move_before(self, anchor: Event, *events: Event) -> None:
        """Insert events in front of another, out of where they were."""
        self._move(events)
        index = self.place(anchor)
        self.events[index:index] = events

    def move_after(self, anchor: Event, *events: Event) -> None:
        """Insert events behind another, out of where they were."""
        self._move(events)
        index = self.place(anchor) + 1
        self.events[index:index] = events

    def _move(self, events: Iterable[Event]) -> None:
        for event in events:
            if any(other is event for other in self.events):
                self.remove(event)

    def resettle(self, seat: int, wager: str, *outcome: tuple[str, int], tip: bool = False) -> None:
        """Replace what settles a line of a seat by these acts, in its place or in front of the seat's next act."""
        mark = {"tip": True} if tip else {}
        old = [event for kind in SETTLING for event in self.all(kind, seat=seat, wager=wager, tip=tip or None)]
        old.sort(key=self.place)
        new = [make_event(kind, seat=seat, wager=wager, amount=amount, **mark) for kind, amount in outcome]
        if old:
            index = self.place(old[0])
        else:
            shown = max((self.place(event) for event in self.events if event["event"] == "reveal"), default=0)
            index = next(
                (
                    place
                    for place, event in enumerate(self.events)
                    if place > shown and event.get("seat") == seat and event["event"] in {*SETTLING, "collect-cards"}
                ),
                len(self.events),
            )
        for event in old:
            self.remove(event)
        self.events[index:index] = new

    def case(self, *, others: Sequence[Record] = (), submissions: Sequence[Submission] | None = None) -> Case:
        """Return the case of the changed round, after other records of its table; other submissions have no control."""
        controls = [*others, self.control] if submissions is None else []
        chosen = list(self.submissions if submissions is None else submissions)
        return Case([*others, self.round.record()], chosen, self.round.id, controls)
