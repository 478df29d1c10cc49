"""Ways in which casinos keep whole logs: currencies, clocks, notes, records written twice, seats that nobody plays."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.facade.records import copy_record
from tests.lawful.record import Record, Session, Submission

Book = Callable[[random.Random, list[Record], list[Submission]], None]


def state_the_currency(rng: random.Random, records: list[Record], submissions: list[Submission]) -> None:
    """State one currency in the rounds, in the submissions, or in both."""
    currency, told = rng.choice(["USD", "EUR", "CAD"]), rng.choice(["rounds", "submissions", "both"])
    for holder in [*(records if told != "submissions" else ()), *(submissions if told != "rounds" else ())]:
        holder["currency"] = currency


def play_some_rounds_in_another_currency(
    rng: random.Random, records: list[Record], submissions: list[Submission]
) -> None:
    """State a currency of its own for each casino; its submission need not state it."""
    for number, casino in enumerate(sorted({str(record.get("casino")) for record in records})):
        currency = ("USD", "EUR", "GBP", "CHF", "CAD", "AUD")[number % 6]
        for record in records:
            if str(record.get("casino")) == casino:
                record["currency"] = currency
        for submission in submissions:
            if submission["licensee"]["name"] == casino and rng.random() < 0.5:
                submission["currency"] = currency


def keep_another_clock(rng: random.Random, records: list[Record], submissions: list[Submission]) -> None:
    """Write all times with another offset, and with fractions of a second."""
    offset, fraction = rng.choice(["-07:00", "+05:30", "+14:00"]), rng.choice(["", ".5", ".000001"])
    for record in records:
        if record["time"].endswith("Z"):
            record["time"] = f"{record['time'][:-1]}{fraction}{offset}"


def add_notes(rng: random.Random, records: list[Record], submissions: list[Submission]) -> None:
    """Add notes of the casino, of which no rule knows."""
    for record in records:
        if rng.random() < 0.7:
            notes = {"dealer": rng.choice(["D1", "D2"]), "pit": rng.randint(1, 3), "video": "§ 12:04"}
            record["context"] = record.get("context", {}) | notes


def write_records_twice(rng: random.Random, records: list[Record], submissions: list[Submission]) -> None:
    """Write some records again, later in the log and with their keys in another order."""
    for record in rng.sample(records, len(records) // 8):
        again = copy_record(record)
        records.append(dict(reversed(again.items())))


def list_seats_that_nobody_plays(rng: random.Random, records: list[Record], submissions: list[Submission]) -> None:
    for record in records:
        taken = {seat["seat"] for seat in record["seats"]} | {event.get("seat") for event in record.get("events", ())}
        free = [number for number in range(1, 6) if number not in taken]
        if free and rng.random() < 0.3:
            record["seats"].append({"seat": rng.choice(free), "playing": False, "wagers": []})


def say_that_records_are_complete(rng: random.Random, records: list[Record], submissions: list[Submission]) -> None:
    for record in records:
        record.setdefault("complete", True)


def begin_submissions_anew(rng: random.Random, records: list[Record], submissions: list[Submission]) -> None:
    """Submit the same again from the second day of the log on."""
    days = sorted({record["time"][:10] for record in records})
    for submission in list(submissions) if len(days) > 1 else ():
        if submission["effective"] < days[1]:
            again = copy_record(submission)
            submissions.append(again | {"submission": f"{submission['submission']}-again", "effective": days[1]})


BOOKS: Sequence[Book] = (
    state_the_currency,
    play_some_rounds_in_another_currency,
    keep_another_clock,
    add_notes,
    write_records_twice,
    list_seats_that_nobody_plays,
    say_that_records_are_complete,
    begin_submissions_anew,
)


def keep_otherwise(rng: random.Random, session: Session, books: Sequence[Book] = BOOKS) -> Session:
    """Return a session whose log is kept in some of these ways."""
    records, submissions = map(list, (copy_record(list(session[0])), copy_record(list(session[1]))))
    chosen = rng.sample(books, min(2, len(books)))
    if {state_the_currency, play_some_rounds_in_another_currency} <= set(chosen):
        chosen.remove(state_the_currency)
    for book in chosen:
        book(rng, records, submissions)
    return records, submissions
