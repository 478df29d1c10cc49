"""Reference listener at the table: it hears words, sees chips put forward, and decides which of them count.

It handles one hand at a time. It knows the same about the betting as a referee, and shares no code with the
implementation under test.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from tests.play.betting.referee import Act, Hand, Player

Seen = dict[str, int]

ACTS = ("fold", "check", "call", "bet", "raise")
PHRASES = ("fold", "check", "call", "bet", "raise", "raise", "concede", "incomplete", "hum")


@dataclass
class Heard:
    """Statement, chips put forward, or act, with the state that the referee knew before it."""

    kind: str  # declare, tender or act
    who: int | None
    snapshot: Seen
    decision: str = ""
    amount: int | None = None
    chips: int | None = None
    act: Act | None = None


def replay_with_words(hand: Hand, rng: random.Random) -> list[Heard]:
    """Replay a hand with random words and chips between its acts, most of them by the seat to act."""
    again = Hand(
        players=[Player(amount) for amount in hand.bought],
        smallest=hand.smallest,
        reopened_by=hand.reopened_by,
        openers=hand.openers,
    )
    story = []
    for at, (act, _) in enumerate(hand.acts):
        again.acts_follow = any(later.kind in ACTS for later, _ in hand.acts[at + 1 :])
        while rng.random() < 0.5:
            story.append(_noise(again, rng))
        before = len(story)
        story.append(Heard("act", act.who, {}, decision=act.kind, amount=act.amount, act=act))
        if act.who is None:
            again.cards()
        elif act.kind in ("dead", "live") or act.floor:
            again.post(act.who, act.amount, act.kind, act.floor)
        else:
            again.act(act.kind, act.who, act.amount)
        story[before].snapshot = again.acts[-1][1]
        while before and story[before - 1].act is None:  # words and chips belong to the act they lead to
            before -= 1
            if story[before].who == act.who:
                story[before].snapshot = again.acts[-1][1]
    return story


def _noise(hand: Hand, rng: random.Random) -> Heard:
    due = hand.next_to_act()
    who = due if due is not None and rng.random() < 0.8 else rng.randrange(len(hand.players))
    seen = hand.snapshot(who, doing="speak")
    if rng.random() < 0.4:
        return Heard("tender", who, seen, amount=rng.choice([1, 2, 5, 20]), chips=rng.choice([None, 1, 2, 7]))
    said = rng.choice(PHRASES)
    named = rng.choice(
        [None, None, 1, 2, 4, 6, 8, 14, seen["level"] + seen["last_raise"], seen["put"] + seen["behind"]]
    )
    return Heard("declare", who, seen, decision=said, amount=None if said == "incomplete" else named)


@dataclass
class Listener:
    """Listener to one hand. With `fixed`, bets have one size; with `any_size`, any raise is large enough.

    What is said and put forward before another player puts chips in ahead of the turn may belong to an act left out.
    """

    smallest: list[int]
    fixed: bool
    any_size: bool
    has_words: bool
    """True if somebody says a word in the hand."""
    turn: tuple[int, int] | None = None
    heard: list[Heard] = field(default_factory=list)
    overtaken: set[str] = field(default_factory=set)
    """Kinds of what was heard in the turn before others put chips in."""

    def hear(self, one: Heard) -> dict[str, Any]:
        """Return what its player had said and put forward before an act or statement."""
        turn = (one.snapshot["due"], one.snapshot["street"])
        if turn != self.turn:
            self.turn, self.heard, self.overtaken = turn, [], set()
        mine = one.who is not None and one.who == one.snapshot["due"]
        answer = self.answer(one, self.heard if mine else [])
        if mine and "tender" in self.overtaken:
            answer |= dict.fromkeys(name for name in answer if name.startswith(("tender", "first")))
        if mine and ("declare" in self.overtaken or (self.overtaken and self.has_words)):
            answer |= dict.fromkeys(name for name in answer if "declared" in name or name == "said-incomplete")
        if one.act is not None:
            posting = one.decision in ("dead", "live") or one.act.floor > 0
            self.turn = None if mine and not posting else self.turn
            if not mine and not posting and one.amount:
                self.overtaken |= {other.kind for other in self.heard}
        elif mine:
            self.heard.append(one)
        return answer

    def answer(self, one: Heard, heard: list[Heard]) -> dict[str, Any]:
        tenders = [other for other in heard if other.kind == "tender"]
        moved, incomplete, raising = 0, False, False
        binding: Heard | None = None
        named: Heard | None = None
        for other in heard:
            if other.kind == "tender":
                moved += 1
            elif other.decision == "incomplete":
                incomplete |= moved < 2
            elif moved == 0 or incomplete:
                raising |= other.decision == "raise"
                if not self.fits(other):
                    continue
                binding = binding or other
                sized = other.decision in ("bet", "raise") and other.amount is not None
                if named is None and sized and other.decision == binding.decision:
                    named = other
        return {
            "declared-in-turn": binding is not None,
            "declared-raise": raising,
            "declared-wager": binding is not None and binding.decision in ("call", "bet", "raise"),
            "said-incomplete": incomplete,
            "tenders": len(tenders),
            "first-tender": tenders[0].amount if tenders else 0,
            "tendered": sum(other.amount or 0 for other in tenders),
            "tendered-chips": tenders[0].chips if tenders else 0,
            "declared": named.amount if named else 0,
            "declared-in": self.amount_due(binding, named),
            "as-declared": binding is not None and one.decision == binding.decision,
        }

    def fits(self, said: Heard) -> bool:
        """Return whether some lawful act of the kind exists."""
        seen = said.snapshot
        to_call = max(seen["level"] - seen["put"], 0)
        match said.decision:
            case "fold":
                return True
            case "check":
                return to_call == 0
            case "call":
                return to_call > 0
            case "bet" if seen["level"] == 0:
                return self.has_allowed_size(said, self.smallest[seen["street"]])
            case "raise" if seen["level"] > 0 and seen["may_raise"]:
                return self.has_allowed_size(said, self.least(seen))
        return False

    def has_allowed_size(self, said: Heard, least: int) -> bool:
        seen = said.snapshot
        room = seen["behind"] - max(seen["level"] - seen["put"], 0)
        if said.amount is None or room <= 0:
            return room > 0
        by = said.amount - seen["level"]
        most = least if self.fixed else room
        return 0 < by <= most and (by >= least or by == room)

    def least(self, seen: Seen) -> int:
        if self.fixed:
            return self.smallest[seen["street"]]
        return 1 if self.any_size else seen["last_raise"]

    def amount_due(self, binding: Heard | None, named: Heard | None) -> int:
        if named is not None and named.amount is not None:
            return named.amount - named.snapshot["put"]
        if binding is None or binding.decision in ("fold", "check"):
            return 0
        seen = binding.snapshot
        due = max(seen["level"] - seen["put"], 0)
        if binding.decision == "bet":
            due = self.smallest[seen["street"]]
        elif binding.decision == "raise":
            due += self.least(seen)
        return min(due, seen["behind"])
