"""Small game of draws and community cards, rounds written by hand, and functions that evaluate conditions on them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from fairdeal.validator.engine.item_evidence import ItemEvidence
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.operators.rule_renderer import describe_unmet, list_evidence
from tests.facade.evidence import Batch, read_batch
from tests.facade.rounds import UNBOUNDED, CompiledGame, EvaluationContext, RoundsVerdict, check_context, compile_game
from tests.facade.rules import Regulation, build_regulation_of
from tests.facade.submissions import LicenseeConfiguration, build_configuration_for

GAME = "two-draw"
Data = dict[str, Any]

DOCUMENT: Data = {
    "document": GAME,
    "title": "Two Draw",
    "regulator": "nobody",
    "source": {"file": "none.txt", "citation": "none"},
    "clauses": [{"clause": "1", "lines": [1, 1], "gist": "All of it."}],
}
READINGS: Data = {
    "readings": [
        {
            "reading": "left-or-right",
            "clauses": ["1"],
            "question": "Which way round?",
            "adopted": {"left": "The left."},
            "alternatives": {"right": "The right."},
            "reason": "A test.",
            "changes": "verdict",
        }
    ]
}


def step(name: str, *events: str, **more: Any) -> Data:
    """Build other events by name; their title follows from the name."""
    return {name: {"title": name.replace("-", " "), "event": list(events), "each": "round", **more}}


PLAY: Data = {
    "game": GAME,
    "title": "Two Draw",
    "deck": {"cards": "standard-52", "decks": 1},
    "deal": {
        "stages": [
            {
                "stage": "deal",
                "first": "dealer-left",
                "cards": {"player": 3, "dealer": 3, "community": 2},
                "face": "down",
                "ways": {
                    "singly": {
                        "by": "dealer",
                        "clauses": ["1"],
                        "passes": [
                            {"to": ["player", "dealer"], "each": 1, "times": 3},
                            {"to": ["burn"], "each": 1},
                            {"to": ["community"], "each": 2},
                        ],
                    },
                    "in-packets": {
                        "by": "machine",
                        "clauses": ["1"],
                        "passes": [
                            {"to": ["community"], "each": 4, "kept": [2, 3]},
                            {"to": ["player", "dealer"], "each": 3},
                        ],
                    },
                },
            }
        ],
        "held": {"player": 2},
    },
    "hands": {
        "dealt": {"title": "the three cards dealt", "from": ["player"], "rank-by": "three-card-aces"},
        "final": {
            "title": "the final hand",
            "from": ["player", "community"],
            "cards": "held",
            "rank-by": "two-and-two",
        },
        "dealer": {"title": "the dealer's hand", "from": ["dealer"], "cards": "held", "rank-by": "three-card-aces"},
        "suited": {"title": "the longest flush", "from": ["player"], "rank-by": "longest"},
        "dealer-suited": {"title": "the dealer's flush", "from": ["dealer"], "rank-by": "longest"},
    },
    "wagers": {
        "main": {"title": "Main", "placed": "before-the-deal"},
        "side": {"title": "Side", "placed": "before-the-deal"},
        "token": {"title": "Token", "placed": "before-the-deal", "stake": "spent"},
    },
    "bonuses": {"bonus": {"title": "Bonus", "of": "main"}},
    "decisions": {"stay": {"title": "stay in", "when": {"placed": "main"}}},
    "facts": {},
    "pay-tables": {
        name: {"of": "side", "hand": "dealt", "meter": name, "clauses": ["1"], "rows": {"flush": "10% of meter"}}
        for name in ("jackpot", "other")
    },
    "settlement": {
        "order": ["main", "side", "token", "bonus"],
        "cases": [
            {"case": "spent", "lines": ["token"], "due": "lost", "clauses": ["1"]},
            {"case": "all", "lines": ["main", "side"], "due": "returned", "clauses": ["1"]},
            {"case": "bonus", "lines": ["bonus"], "due": "nothing", "clauses": ["1"]},
        ],
    },
    "acts": step("deal", "deal"),
    "other-events": {
        **step("discard", "discard", each="seat", place="player"),
        **step("thin", "discard", place="community"),
        **step("draw", "draw", each="seat", place="player"),
        **step("dealer-discard", "discard", place="dealer"),
        **step("dealer-draw", "draw", place="dealer"),
        **step("shown", "reveal", each="seat", place="player"),
        **step("settle", "pay", "collect", "return", each="seat"),
        **step("rack", "collect-cards", each="seat", place="player"),
        **step("stub-count", "count", what="stub"),
        **step("short-count", "count", what="stub", stated={"differs-from": 5}),
        **step("cut", "cut"),
        **step("announced", "announce", each="seat", what="award"),
        **step("washed-up", "deck", what="washed", face="up"),
        **step("opening", "wager", each="seat"),
        **step("board-shown", "reveal", place="community"),
    },
}

RANKINGS: Data = {
    "two-and-two": {
        "cards": 4,
        "ace": "high",
        "categories": [
            {"category": "four-of-a-kind", "groups": [4]},
            {"category": "two-pair", "groups": [2, 2]},
            {"category": "pair", "groups": [2]},
            {"category": "high-card"},
        ],
    },
    "longest": {
        "makes": "longest-suited",
        "wild": {"ranks": ["2"], "ranks-as": "ace"},
        "categories": [{"category": "three-suited", "length": 3}, {"category": "fewer"}],
    },
}


@dataclass(frozen=True, slots=True)
class Room:
    """Compiled regulation of the small game, with one condition, quantity or check to evaluate."""

    prepared: CompiledGame

    def scope(self, records: Sequence[Data], submission: Data | None = None) -> EvaluationContext:
        """Open rounds written by hand for evaluation."""
        return EvaluationContext(batch_of(records), self.prepared, configuration(submission))


def regulation(*, facts: Data | None = None, checks: Sequence[Data] = (), **game: Any) -> Regulation:
    """Load the small game with facts, checks and other parts of its own. Raises InputError."""
    return _load(json.dumps({"facts": facts or {}, "checks": list(checks), "game": game}))


@cache
def _load(key: str) -> Regulation:
    asked = json.loads(key)
    play = {**PLAY, **asked["game"], "facts": asked["facts"]}
    cases = {"settled": {"cases": [case["case"] for case in play["settlement"]["cases"]]}}
    requirements = [
        {
            "requirement": f"asked-{number}",
            "title": "Asked",
            "clauses": ["1"],
            "severity": "minor",
            "message": "Asked.",
            **check,
        }
        for number, check in enumerate([*asked["checks"], cases])
    ]
    topic = {"title": "All", "requirements": requirements}
    files = {"document": DOCUMENT, "readings": READINGS, "game": play, "requirements/all": topic}
    return build_regulation_of(GAME, files, rankings=RANKINGS)


def room(**asked: Any) -> Room:
    """Compile the small game with other parts."""
    return Room(compile_game(regulation(**asked)))


def batch_of(records: Sequence[Data]) -> Batch:
    """Read rounds as a reader does; equal rounds share one batch, on which several conditions are evaluated."""
    return _read(json.dumps(records))


@lru_cache(maxsize=64)
def _read(records: str) -> Batch:
    return read_batch(json.loads(records), GAME)


def configuration(submission: Data | None) -> LicenseeConfiguration | None:
    """Return a submission for the small game with the given values next to its required ones."""
    return None if submission is None else build_configuration_for(GAME, submission)


_EXCHANGED = {"discard": "discarded", "draw": "drawn"}
SUMMED_UP = ("deal", "wager", "pay", "collect", "return", "decide")
"""Kinds of event that the summary records too: a round with events of its own may omit them."""


def round_of(*seats: Data, number: int = 1, **more: Any) -> Data:
    """Build a round. Seats are numbered from 1 and have staked 100 on the main wager unless stated otherwise."""
    if "events" in more:
        brought = {event["event"] for event in more["events"]}
        listed = {key for seat in (*seats, more) for key in seat}
        summed_up = [*SUMMED_UP, *(kind for kind, key in _EXCHANGED.items() if key in listed)]
        more["unrecorded"] = [*more.get("unrecorded", []), *(kind for kind in summed_up if kind not in brought)]
    placed = [{"seat": at, "wagers": [{"wager": "main", "amount": 100}], **seat} for at, seat in enumerate(seats, 1)]
    return {
        "round": f"R{number}",
        "table": "T1",
        "time": "2024-06-01T18:00:00Z",
        "game": GAME,
        "seats": placed,
        **more,
    }


def event(kind: str, seat: int | None = None, /, **more: Any) -> Data:
    """Build an event with its seat, if any, at the player's place where the kind has places."""
    placed = kind in ("deal", "discard", "draw", "reveal", "expose", "collect-cards") and seat is not None
    named = {} if seat is None else {"seat": seat}
    return {"event": kind, **({"place": "player"} if placed else {}), **named, **more}


def answers(
    condition: Data, records: Sequence[Data], grain: Grain = "seat", *, submission: Data | None = None, **asked: Any
) -> list[str]:
    """Evaluate a condition for each item, and assert that every round alone gives the same result."""
    place = room(facts={"asked": condition}, **asked)
    words = {0: "no", 1: "unknown", 2: "yes"}

    def ask(rounds: Sequence[Data]) -> list[str]:
        scope = place.scope(rounds, submission)
        found = scope.evaluate(place.prepared.game.facts["asked"], grain)
        return [words[value] for value in found.tolist()]

    together = ask(records)
    assert together == [answer for record in records for answer in ask([record])]
    return together


def measures(
    quantity: Data | int,
    records: Sequence[Data],
    grain: Grain = "seat",
    *,
    submission: Data | None = None,
    **asked: Any,
) -> list[int | tuple[int | None, int | None]]:
    """Return a quantity for each item: a number, or least and most, with None where unknown.

    Asserts that every round alone gives the same values.
    """
    place = room(
        facts={"asked": {**(quantity if isinstance(quantity, dict) else {"exactly": quantity}), "equals": quantity}},
        **asked,
    )
    wanted = place.prepared.game.facts["asked"].operand.of

    def ask(rounds: Sequence[Data]) -> list[int | tuple[int | None, int | None]]:
        low, high = place.scope(rounds, submission).compute_bounds(wanted, grain)
        return [
            least if least == most else tuple(None if abs(bound) > UNBOUNDED // 2 else bound for bound in (least, most))  # type: ignore[misc]
            for least, most in zip(low.tolist(), high.tolist(), strict=True)
        ]

    together = ask(records)
    assert together == [answer for record in records for answer in ask([record])]
    return together


NOTHING = (None, None)


def describe(
    condition: Data, records: Sequence[Data], index: int, grain: Grain = "seat", submission: Data | None = None
) -> tuple[str, str]:
    """Return the expected and the observed text of a condition for one item."""
    place = room(facts={"asked": condition})
    scope = place.scope(records, submission)
    asked = place.prepared.game.facts["asked"]
    item = ItemEvidence(scope, grain, index)
    return describe_unmet(item, asked), "; ".join(list_evidence(item, asked))


def judge(
    check: Data, records: Sequence[Data], *, submission: Data | None = None, **asked: Any
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the status of a check for every round, and its findings: round, seat, event, expected, observed."""
    place = room(checks=[check], **asked)

    def ask(rounds: Sequence[Data]) -> RoundsVerdict:
        return check_context(place.scope(rounds, submission))[0]

    names = ("not-in-force", "not-applicable", "pass", "not-evidenced", "error", "fail")
    alone = [ask([record]) for record in records]
    together = ask(records)
    assert tuple(map(sum, zip(*(verdict.counts for verdict in alone), strict=True))) == together.counts
    found = [
        (finding.where.round, finding.where.seat, finding.where.event, finding.expected, finding.observed)
        for finding in together.findings
    ]
    again = [
        (finding.where.round, finding.where.seat, finding.where.event, finding.expected, finding.observed)
        for verdict in alone
        for finding in verdict.findings
    ]
    assert found == again
    return [names[verdict.counts.index(1)] for verdict in alone], found
