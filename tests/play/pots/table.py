"""Card room with one game, its rounds written act by act, and the findings on their pots."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from msgspec.structs import replace

from tests.facade.evidence import Batch, read_batch
from tests.facade.rounds import UNBOUNDED, CompiledGame, EvaluationContext, check_context, compile_game
from tests.facade.rules import Regulation, build_regulation_of
from tests.facade.submissions import LicenseeConfiguration, build_configuration_for

GAME = "card-room"
Data = dict[str, Any]


def _reading(name: str, *options: str) -> Data:
    return {
        "reading": name,
        "clauses": ["1"],
        "question": "Which?",
        "adopted": {options[0]: f"{options[0]}."},
        "alternatives": {option: f"{option}." for option in options[1:]},
        "reason": "A test.",
        "changes": "money",
    }


READINGS: Data = {
    "readings": [
        _reading("odd-chip", "left-of-the-button", "divided-exactly", "to-anybody"),
        _reading("antes", "matched", "whole"),
        _reading("conceded-hand", "rights-are-gone", "cards-speak"),
        _reading("uncalled", "either", "returned"),
        _reading("levels", "all-together", "each-pot"),
    ]
}


def _is(name: str, option: str) -> Data:
    return {name: option}


def step(name: str, *events: str, **more: Any) -> Data:
    return {name: {"title": name.replace("-", " "), "event": list(events), "each": "round", **more}}


def _decision(kind: str) -> Data:
    return {"title": kind, "kind": kind}


PLAY: Data = {
    "game": GAME,
    "title": "Card Room",
    "deck": {"cards": "standard-52", "decks": 1},
    "table": {
        "players": {"at-least": 2, "at-most": 11},
        "positions": {
            "small-blind": [{"after": "button"}],
            "big-blind": [{"after": "small-blind"}],
            "first": [{"after": "big-blind"}],
        },
    },
    "deal": {
        "stages": [
            {
                "stage": "deal",
                "first": "dealer-left",
                "cards": {"player": 2, "community": 5},
                "face": "down",
                "ways": {
                    "by-hand": {
                        "clauses": ["1"],
                        "passes": [{"to": ["player"], "each": 1, "times": 2}, {"to": ["community"], "each": 5}],
                    }
                },
            }
        ]
    },
    "hands": {"high": {"title": "the best five", "from": ["player", "community"], "rank-by": "five-card"}},
    "wagers": {
        name: {"title": name.replace("-", " ").title(), "placed": "before-the-deal"}
        for name in ("ante", "small-blind", "big-blind", "dead-blind", "bets")
    },
    "decisions": {kind: _decision(kind) for kind in ("fold", "check", "call", "bet", "raise", "concede")},
    "betting": {
        "wager": "bets",
        "forced": [
            {"wager": "ante", "counts": "apart"},
            {"wager": "small-blind", "counts": "toward-the-bet"},
            {"wager": "big-blind", "counts": "toward-the-bet"},
            {"wager": "dead-blind", "counts": "apart"},
        ],
        "rounds": [
            {"round": "before-the-flop", "opens": "first"},
            {"round": "on-the-flop", "after": "board", "opens": "small-blind"},
        ],
        "sizes": {"opening": [{"at-least": 1}], "raise": [{"at-least": 1}]},
        "reopens": [{"by": "any-raise"}],
    },
    "pots": {
        "parts": [
            {"lines": ["small-blind", "big-blind", "bets"], "joins": "matched"},
            {"lines": ["dead-blind"], "joins": "whole"},
            {"lines": ["ante"], "when": {"reading": _is("antes", "whole")}, "joins": "whole"},
            {"lines": ["ante"], "joins": "capped"},
        ],
        "uncalled": "bets",
        "uncalled-apart": _is("uncalled", "returned"),
        "conceded-play": _is("conceded-hand", "cards-speak"),
        "shares": [{"hand": "high"}],
        "odd-chips": [
            {"unit": "minor-unit", "to": {"after": "button"}, "reading": _is("odd-chip", "divided-exactly")},
            {"unit": "smallest-chip", "reading": _is("odd-chip", "to-anybody")},
            {"unit": "smallest-chip", "to": {"after": "button"}},
        ],
        "rake": [
            {
                "from": "each-pot",
                "without": "uncalled",
                "stages": {"flop": {"cards": "community", "at-least": 3}},
                "reading": _is("levels", "each-pot"),
            },
            {
                "from": "total",
                "without": "uncalled",
                "stages": {"flop": {"cards": "community", "at-least": 3}},
            },
        ],
        "clauses": ["1"],
    },
    "facts": {},
    "acts": {
        **step("board", "deal", place="community"),
        **step("take-losers", "collect-cards", place="player", **{"of-seats": "losing", "each": "seat"}),
        **step("award-side", "award", pot="side"),
        **step("award-main", "award", pot="main"),
        **step("take-winner", "collect-cards", place="player", **{"of-seats": "winning", "each": "seat"}),
    },
}

CHECKS: dict[str, Data] = {
    "shares": {"awarded": {"asks": "shares"}},
    "uncalled": {"awarded": {"asks": "uncalled"}},
    "refunds": {"awarded": {"asks": "refunds"}},
    "adds-up": {
        "each": "round",
        "must": {
            "sum": [{"pot": "awarded"}, {"pot": "raked"}, {"pot": "returned"}],
            "equals": {"staked": "all-seats"},
        },
    },
    "rake-not-above": {
        "each": "round",
        "must": {"pot": "raked", "at-most": {"pot": "rake-due"}},
    },
    "rake-not-below": {
        "each": "round",
        "must": {"pot": "raked", "at-least": {"pot": "rake-due"}},
    },
    "dropped": {"each": "round", "must": {"pot": "dropped", "equals": {"pot": "raked"}}},
    "side-first": {"sequence": {"steps": [{"step": "award-side"}, {"step": "award-main"}]}},
    "losers-first": {"sequence": {"steps": [{"step": "take-losers"}, {"step": "award-main"}, {"step": "take-winner"}]}},
}


def regulation(choices: dict[str, str] | None = None, **game: Any) -> Regulation:
    """Return the card room, with options of readings in `choices`. Raises InputError."""
    loaded = _load(json.dumps(game))
    return replace(loaded, choices={**loaded.choices, **(choices or {})})


@cache
def _load(key: str) -> Regulation:
    play = {**PLAY, **json.loads(key)}
    requirements = [
        {
            "requirement": name,
            "title": name,
            "clauses": ["1"],
            "severity": "minor",
            "message": "Asked.",
            **check,
        }
        for name, check in CHECKS.items()
    ]
    document = {
        "document": GAME,
        "title": "Card Room",
        "regulator": "nobody",
        "source": {"file": "none.txt", "citation": "none"},
        "clauses": [{"clause": "1", "lines": [1, 1], "gist": "All of it."}],
    }
    topic = {"title": "All", "requirements": requirements}
    return build_regulation_of(
        GAME, {"document": document, "readings": READINGS, "game": play, "requirements/all": topic}
    )


@cache
def compile_room(choices: tuple[tuple[str, str], ...] = ()) -> CompiledGame:
    return compile_game(regulation(dict(choices)))


def house(**submitted: Any) -> LicenseeConfiguration:
    """Return the configuration of a licensee with the submitted values that pots use."""
    return build_configuration_for(GAME, {key.replace("_", "-"): value for key, value in submitted.items()})


def dollars(amount: float) -> int:
    return round(amount * 100)


@dataclass
class Told:
    """Round written act by act, with amounts in dollars. `stacks` and `cards` are by seat."""

    stacks: Mapping[int, float]
    button: int
    cards: dict[int, str] = field(default_factory=dict)
    board: str = ""
    name: str = "H1"
    events: list[Data] = field(default_factory=list)
    staked: dict[tuple[int, str], int] = field(default_factory=dict)
    came: dict[int, int] = field(default_factory=dict)

    def post(self, seat: int, line: str, amount: float) -> Told:
        self._stake(seat, line, amount)
        self.events.append({"event": "wager", "seat": seat, "wager": line, "amount": dollars(amount)})
        return self

    def act(self, seat: int, decision: str, amount: float = 0) -> Told:
        event: Data = {"event": "decide", "seat": seat, "decision": decision}
        if amount:
            self._stake(seat, "bets", amount)
            event["amount"] = dollars(amount)
        self.events.append(event)
        return self

    def folds(self, *seats: int) -> Told:
        for seat in seats:
            self.act(seat, "fold")
        return self

    def flop(self) -> Told:
        """Deal the whole board at once: pots do not depend on its stages."""
        self.events.append({"event": "deal", "place": "community", "cards": self.board, "face": "up"})
        return self

    def shows(self, seat: int, cards: str | None = None) -> Told:
        shown = self.cards[seat] if cards is None else cards
        self.events.append({"event": "reveal", "place": "player", "seat": seat, "cards": shown})
        return self

    def refund(self, seat: int, amount: float, line: str = "bets") -> Told:
        self._came(seat, amount)
        self.events.append({"event": "return", "seat": seat, "wager": line, "amount": dollars(amount)})
        return self

    def award(self, seat: int, amount: float, pot: int = 0) -> Told:
        self._came(seat, amount)
        self.events.append({"event": "award", "seat": seat, "pot": pot, "amount": dollars(amount)})
        return self

    def rake(self, amount: float, pot: int | None = None) -> Told:
        named = {} if pot is None else {"pot": pot}
        self.events.append({"event": "rake", "amount": dollars(amount), **named})
        return self

    def drop(self, amount: float) -> Told:
        self.events.append({"event": "drop", "amount": dollars(amount)})
        return self

    def collect(self, seat: int) -> Told:
        self.events.append({"event": "collect-cards", "place": "player", "seat": seat})
        return self

    def _stake(self, seat: int, line: str, amount: float) -> None:
        self.staked[seat, line] = self.staked.get((seat, line), 0) + dollars(amount)

    def _came(self, seat: int, amount: float) -> None:
        self.came[seat] = self.came.get(seat, 0) + dollars(amount)

    def record(self, **more: Any) -> Data:
        """Build the record of the round with everything recorded."""
        seats = []
        for seat, stack in self.stacks.items():
            wagers = [{"wager": line, "amount": amount} for (at, line), amount in self.staked.items() if at == seat]
            one: Data = {"seat": seat, "stack": dollars(stack), "wagers": wagers}
            if seat in self.cards:
                one["cards"] = self.cards[seat]
            seats.append(one)
        return {
            "round": self.name,
            "table": "P1",
            "time": "2026-03-02T18:00:00Z",
            "game": GAME,
            "button": self.button,
            "seats": seats,
            "community": self.board,
            "events": list(self.events),
            "unrecorded": ["deal/player"],
            **more,
        }

    def public(self, *, by: str = "stack-after") -> Data:
        """Build the record as a public history has it: no award, return or rake; receipts show in stacks or wins."""
        told = self.record()
        kept = [event for event in told["events"] if event["event"] not in ("award", "return", "rake", "drop")]
        for seat in told["seats"]:
            came = self.came.get(seat["seat"], 0)
            put = sum(wager["amount"] for wager in seat["wagers"])
            seat[by] = came if by == "won" else seat["stack"] - put + came
        hidden = ["award", "return", "rake", "drop", "collect-cards", "chips-in", "chips-out"]
        return {**told, "events": kept, "unrecorded": [*told["unrecorded"], *hidden]}


def batch_of(records: Sequence[Data]) -> Batch:
    """Read rounds as a reader does."""
    return read_batch(records, GAME)


def open_in(
    records: Sequence[Data], *, submission: LicenseeConfiguration | None = None, choices: dict[str, str] | None = None
) -> EvaluationContext:
    return EvaluationContext(batch_of(records), compile_room(tuple(sorted((choices or {}).items()))), submission)


Found = tuple[int | None, str, str]
_MARKS = ("not-in-force", "not-applicable", "pass", "not-evidenced", "error", "fail")


@dataclass(frozen=True)
class Verdict:
    """Result of one round: a status for each requirement, and the findings and gaps: seat, expected, observed."""

    status: dict[str, str]
    found: dict[str, list[Found]]
    gaps: dict[str, Found]


def judge(
    record: Data, *, submission: LicenseeConfiguration | None = None, choices: dict[str, str] | None = None
) -> Verdict:
    status: dict[str, str] = {}
    found: dict[str, list[Found]] = {}
    gaps: dict[str, Found] = {}
    for verdict in check_context(open_in([record], submission=submission, choices=choices)):
        status[verdict.requirement] = _MARKS[verdict.counts.index(1)]
        found[verdict.requirement] = [(item.where.seat, item.expected, item.observed) for item in verdict.findings]
        if verdict.gap is not None:
            item = verdict.gap.first
            gaps[verdict.requirement] = (item.where.seat, item.expected, item.observed)
    return Verdict(status=status, found=found, gaps=gaps)


def pot(name: str, record: Data, *, submission: LicenseeConfiguration | None = None, **more: Any) -> Any:
    """Return an amount of the round's pots: a number, or its bounds, with None for no bound."""
    scope = open_in([record], submission=submission, **more)
    asked = scope.compiled_game.regulation.find_requirement("adds-up").check.operand.must.operand.of.operand[0]
    quantity = asked.model_copy(update={"pot": name})
    low, high = (int(bound[0]) for bound in scope.compute_bounds(type(asked).model_validate({"pot": name}), "round"))
    assert quantity.operator == "pot"
    return low if low == high else (None if low <= -UNBOUNDED else low, None if high >= UNBOUNDED else high)
