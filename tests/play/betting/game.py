"""A made-up game of two rounds of betting, and rounds of it written as one reads them out."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from tests.play.table import PLAY, event, round_of, step

Data = dict[str, Any]

BLINDS: list[Data] = [
    {"wager": "ante", "counts": "apart"},
    {"wager": "small", "counts": "toward-the-bet"},
    {"wager": "big", "counts": "as-the-bet"},
]
WAGERS = ("ante", "small", "big", "bets")
SHORT_ALL_IN = {"full-raise": "closed", "full-raise-in-all": "full-in-all", "any-raise": "open"}
"""Options of a licensee, by the kind of raise that reopens the betting."""
DECISIONS = ("fold", "check", "call", "bet", "raise", "concede")
CLOSED: Data = {"option": {"short-all-in": "closed"}}
IN_ALL: Data = {"option": {"short-all-in": "full-in-all"}}

GAME: Data = {
    "table": {
        "players": {"at-least": 2, "at-most": 9},
        "positions": {
            "left": [{"after": "button"}],
            "small-seat": [
                {"when": {"players": "dealt-in", "equals": 2}, "at": "button"},
                {"after": "button"},
            ],
            "big-seat": [{"after": "small-seat"}],
            "next-seat": [{"after": "big-seat"}],
            "final": [{"last-bettor": "last-betting-round"}],
            "of-all": [{"last-bettor": "round-of-play"}],
        },
    },
    "betting": {
        "wager": "bets",
        "forced": BLINDS,
        "rounds": [
            {"round": "first", "opens": "next-seat"},
            {"round": "second", "after": "second", "opens": "left"},
            {"round": "third", "after": "third", "opens": "left"},
        ],
        "sizes": {
            "opening": [{"at-least": {"minimum": "bets"}}],
            "raise": [
                {"when": {"option": {"smallest-raise": "any"}}, "at-least": 1},
                {"as-last": True},
            ],
        },
        "reopens": [
            {"when": CLOSED, "by": "full-raise"},
            {"when": IN_ALL, "by": "full-raise-in-all"},
            {"by": "any-raise"},
        ],
    },
    "wagers": {name: {"title": name, "placed": "before-the-deal"} for name in WAGERS},
    "bonuses": {},
    "decisions": {name: {"title": name, "kind": name} for name in DECISIONS},
    "pay-tables": {},
    "settlement": {
        "order": list(WAGERS),
        "cases": [{"case": "all", "lines": list(WAGERS), "due": "returned", "clauses": ["1"]}],
    },
    "other-events": {
        "shown": PLAY["other-events"]["shown"],
        **step("act", "decide", each="seat"),
        **step("folded", "decide", each="seat", decisions=["fold"]),
        **step("show-or-concede", "reveal", "decide", each="seat", decisions=["concede"]),
        **step("second", "announce", what="second"),
        **step("third", "announce", what="third"),
    },
}

POSTED: Data = {
    "wagers": [
        {"wager": "bets", "minimum": 2},
        {"wager": "big", "minimum": 2},
        {"wager": "small", "minimum": 1},
    ],
    "options": {"short-all-in": "closed", "smallest-raise": "last"},
}
"""Submission with stakes of 1 and 2. An all-in below a full raise does not reopen the betting."""
TOGETHER: Data = {**POSTED, "options": {"short-all-in": "full-in-all", "smallest-raise": "last"}}
"""Variant of `POSTED` in which several all-ins that equal a full raise together reopen the betting."""
OPEN: Data = {**POSTED, "options": {"short-all-in": "open", "smallest-raise": "any"}}
"""Variant of `POSTED` in which any raise is large enough and reopens the betting."""


def play_acts(acts: str, *, stacks: dict[int, int | None], button: int | None, number: int = 1, **more: Any) -> Data:
    """Build a round from acts separated by `;`.

    `3 raise 600` is a decision of seat 3 and the amount it put in; `1 small 100` is a forced bet. `3 shows` is a
    shown hand, a word alone is a deal of cards. `3 says raise 1200` are words; `3 puts 500 1` are chips put forward,
    in one piece.
    """
    events: list[Data] = []
    put: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for act in filter(None, (part.strip() for part in acts.replace("\n", ";").split(";"))):
        words = act.split()
        if len(words) == 1:
            events.append(event("announce", what=words[0]))
            continue
        seat, word = int(words[0]), words[1]
        numbers = [int(word) for word in words if word.isdigit()][1:]
        amount = numbers[0] if numbers else None
        if word == "says":
            events.append(event("declare", seat, decision=words[2], **({} if amount is None else {"amount": amount})))
        elif word == "puts":
            chips = {} if len(numbers) < 2 else {"chips": numbers[1]}
            events.append(event("tender", seat, amount=amount, **chips))
        elif word == "shows":
            events.append(event("reveal", seat, cards="AhKh"))
        elif word in WAGERS:
            assert amount is not None
            events.append(event("wager", seat, wager=word, amount=amount))
            put[seat][word] += amount
        else:
            events.append(event("decide", seat, decision=word, **({} if amount is None else {"amount": amount})))
            put[seat]["bets"] += amount or 0
    seats: list[Data] = []
    for seat, stack in stacks.items():
        wagers = [{"wager": line, "amount": amount} for line, amount in put[seat].items() if amount]
        seats.append({"seat": seat, "wagers": wagers, **({} if stack is None else {"stack": stack})})
    at = {} if button is None else {"button": button}
    return round_of(*seats, number=number, events=events, **at, **more)
