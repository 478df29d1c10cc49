"""Ways in which tables record the same rounds: kinds left out, summaries, records that stop, gaps and unknown cards."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.lawful.motions import vary
from tests.lawful.projections import KEYS, KINDS
from tests.lawful.projections import project as project_round
from tests.lawful.record import (
    DECK,
    Record,
    Round,
    Session,
    Submission,
    drop_all_events,
    drop_events,
    drop_keys,
    hide_cards,
)

DROPPED = (
    ("shuffle",),
    ("cut",),
    ("deal",),
    ("deal/order",),
    ("deck",),
    ("count",),
    ("reveal",),
    ("expose",),
    ("fault",),
    ("misdeal",),
    ("collect-cards",),
    ("announce",),
    ("discard",),
    ("return",),
    ("pay",),
    ("collect",),
    ("wager",),
    ("withdraw",),
    ("decide",),
    ("device",),
    ("claim",),
    ("draw",),
    ("shuffle", "cut", "deck", "count"),
    ("deal", "reveal", "collect-cards", "discard", "draw"),
    ("wager", "pay", "collect", "return", "withdraw"),
    ("misdeal", "fault", "remedy", "expose"),
    ("count", "misdeal", "return"),
    ("deal/player", "reveal/player"),
    ("collect-cards/community", "reveal/community", "deal/community"),
    ("collect-cards/player",),
    ("draw/dealer", "discard/dealer", "reveal/dealer"),
)
"""Kinds of event that logs may leave out together."""


ALL_KINDS = (*KINDS, "claim", "draw", "draw/dealer", "draw/player")
ALL_KEYS = (
    *(key for key in KEYS if key != "event/by"),
    *("dealer-discarded", "dealer-drawn", "seat/drawn", "wager/claimed"),
)


@dataclass
class Habits:
    """Habits of recording at one table: what its log holds, and how."""

    racks_stub: bool = True
    face_up_as_fault: bool = False
    asks: bool = False
    tells_numbers: bool = True
    tells_moves: bool = True
    """True if arrivals and departures are recorded."""
    form: str = "full"
    """`full`, `dropped` (some kinds for all rounds), `summary`, `mixed` or `any` (each record in a way of its own)."""
    dropped: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    skips: float = 0.0
    """Share of rounds that nobody recorded."""
    stops: float = 0.0
    """Share of records that stop."""
    varies: float = 0.0
    """Share of rounds with a motion that no text fixes."""
    hides: float = 0.0
    """Share of records in which cards are unknown."""

    @classmethod
    def choose(cls, rng: random.Random) -> Habits:
        """Return the habits of a log at random."""
        return cls(
            racks_stub=rng.random() < 0.7,
            face_up_as_fault=rng.random() < 0.4,
            asks=rng.random() < 0.2,
            tells_numbers=rng.random() < 0.85,
            tells_moves=rng.random() < 0.8,
            form=rng.choice(["full", "full", "full", "dropped", "dropped", "summary", "mixed", "any"]),
            dropped=rng.choice(DROPPED),
            keys=tuple(key for key in ("event/face", "event/by", "event/in", "seat/player") if rng.random() < 0.1),
            skips=rng.choice([0.0, 0.0, 0.1]),
            stops=rng.choice([0.0, 0.0, 0.08]),
            varies=rng.choice([0.0, 0.3, 1.0]),
            hides=rng.choice([0.0, 0.0, 0.2]),
        )


def project(rng: random.Random, habits: Habits, rounds: Sequence[Round]) -> list[Record]:
    """Return the records that a log with these habits has of some rounds."""
    records = []
    for round_ in rounds:
        if rng.random() < habits.skips and round_.number != 1:
            continue  # a lost opening lets numbers of two days fit by chance, which docs/formats.md excepts
        if rng.random() < habits.varies:
            vary(rng, round_)
        if habits.form == "any":
            record = project_round(rng, round_, ALL_KINDS, ALL_KEYS)
            if not habits.tells_numbers:
                record.pop("number", None)
            records.append(_leave_out(record, habits))
            continue
        stop = rng.randint(0, len(round_.events)) if rng.random() < habits.stops else None
        form = habits.form
        kinds: set[str] = set()
        if form == "mixed":
            form = rng.choice(["full", "dropped", "summary"])
            kinds = set(rng.choice(DROPPED)) if form == "dropped" else set()
        elif form == "dropped":
            kinds = set(habits.dropped)
        # Only `return` records what was put back: without it, `taken` is what the house kept.
        is_net = form == "summary" or "return" in kinds or rng.random() < 0.5
        record = round_.record(stop=stop, outcomes="net" if is_net else "gross")
        if stop is None and rng.random() < 0.05:
            record = round_.record(outcomes="none")
        if not habits.racks_stub:
            kinds.add("discard/deck")
        if not habits.tells_moves:
            kinds |= {"arrive", "leave"}
        if kinds:
            record = drop_events(record, sorted(kinds))
        if rng.random() < habits.hides:
            hidden = set(rng.sample(DECK, 17))
            record = hide_cards(record, hidden.__contains__)
        if form == "summary" and stop is None:
            record = drop_all_events(record)
        if not habits.tells_numbers:
            record.pop("number", None)
        if stop is not None and rng.random() < 0.8:
            drop_empty_lists(record)
        record = drop_keys(record, [key for key in habits.keys if key != "event/by"])
        if "event/by" in habits.keys:
            drop_actors(record)
        records.append(record)
    return records


def finish(rng: random.Random, records: list[Record], submissions: list[Submission]) -> Session:
    """Return a session in the order of its times or in none, some casinos without names or submissions."""
    names = sorted({submission["licensee"]["name"] for submission in submissions})
    if len(names) == 1 and rng.random() < 0.3:
        for record in records:
            record.pop("casino", None)
    without = {name for name in names if rng.random() < 0.1}
    kept = [submission for submission in submissions if submission["licensee"]["name"] not in without]
    if rng.random() < 0.5:
        rng.shuffle(records)
    else:
        records.sort(key=lambda record: str(record["time"]))
    return records, kept


def _leave_out(record: Record, habits: Habits) -> Record:
    """Leave out what the log of a table never records."""
    kinds = set() if habits.racks_stub else {"discard/deck"}
    kinds |= set() if habits.tells_moves else {"arrive", "leave"}
    return drop_events(record, kinds) if kinds and "events" in record else record


def drop_actors(record: Record) -> None:
    """Leave out who acted, save where a log that names nobody names the dealer."""
    for event in record.get("events", ()):
        if event["event"] != "announce":
            event.pop("by", None)


def drop_empty_lists(record: Record) -> None:
    """Leave out the lists of cards put aside and drawn of which nothing is recorded yet."""
    for holder in (record, *record["seats"]):
        for key in ("discarded", "drawn", "dealer-discarded", "dealer-drawn"):
            if holder.get(key) == "":
                del holder[key]
