"""Hands of stud played at random by PokerKit, and one written and settled by hand."""

from __future__ import annotations

import copy
import random
import warnings
from typing import Any

from tests.phh.replay import AUTOMATIONS, play_out, pokerkit

BRING_IN, SMALL, BIG = 3, 10, 20
MOST_PLAYERS = 7
TWO_WIN = ("F7S/8",)


def play(variant: str, seed: int) -> str:
    """Play out a hand of a variant of stud at random for two to seven players with ragged stacks."""
    chance = random.Random(seed)
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(2, MOST_PLAYERS)
    game = pokerkit.HandHistory.game_types[variant](AUTOMATIONS, True, chance.choice([1, 2]), BRING_IN, SMALL, BIG)
    # House rules decide about a player who cannot even pay the bring-in. If two hands win, PokerKit splits side pots
    # wrongly: whether the lower hand wins half of one depends on hands that are not in it.
    short = [chance.randint(6, 30), chance.randint(30, 400)] if variant not in TWO_WIN else []
    stacks = [chance.choice([*short, 1000]) for _ in range(count)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = game(stacks, count)
        play_out(state, chance, _of_fixed_size, folds=0.2)
        text = pokerkit.HandHistory.from_game_state(game, state).dumps()
    return f"{text}\nfinishing_stacks = {list(map(int, state.stacks))}\n"


def _of_fixed_size(state: Any, chance: random.Random) -> int | None:
    """Return the least amount, always if the player may bring in, otherwise at times."""
    least: int = state.min_completion_betting_or_raising_to_amount
    return least if state.can_post_bring_in() or chance.random() < 0.3 else None


Record = dict[str, Any]


def _deal(stage: str) -> list[Record]:
    """Build the packets of a stage: `seat:cards` each, `x:card` for a burnt one, `^` for cards face up."""
    found = []
    for packet in stage.split():
        place, _, cards = packet.partition(":")
        face = "up" if cards.endswith("^") else "down"
        at: Record = {"place": "burn"} if place == "x" else {"place": "player", "seat": int(place)}
        found.append({"event": "deal", **at, "cards": cards.rstrip("^"), "face": face})
    return found


def _acts(acts: str) -> list[Record]:
    found = []
    for act in acts.split():
        seat, decision, amount = (*act.split(":"), "")[:3]
        found.append({"event": "decide", "seat": int(seat), "decision": decision})
        if amount:
            found[-1]["amount"] = int(amount)
    return found


def write_round() -> Record:
    """Write a round by hand: three players, antes of 1.00, the button at seat 3, bets of 10.00 and 20.00.

    Seat 2 shows the four of clubs, seat 1 the four of hearts, seat 3 a king: clubs are the lowest suit, so seat 2
    brings in 3.00. Seat 3 completes to 10.00, the others call. On fourth street seat 1 has a pair of fours open and
    bets 20.00, which the pair allows; seat 2 folds, seat 3 calls. On fifth street seat 3 has a pair of kings open,
    bets 20.00 and is called. On sixth street both check; on the last street seat 3 bets 20.00 again and is called.
    Seat 3 has kings and sevens, seat 1 sevens and fours. The pot holds 3.00 of antes, 30.00, 40.00, 40.00 and 40.00:
    153.00.
    """
    hands = {1: "2h9d4h4sJd7c7h", 2: "QcTd4c6h", 3: "AcQsKd8hKc7d7s"}
    paid = {1: 7000, 2: 1000, 3: 7000}
    return {
        "round": "by-hand",
        "table": "S1",
        "time": "2026-03-01T20:00:00Z",
        "game": "stud",
        "button": 3,
        "seats": [
            {
                "seat": seat,
                "cards": hands[seat],
                "stack": 50000,
                "stack-after": 50000 - 100 - paid[seat] + (15300 if seat == 3 else 0),
                "wagers": [{"wager": "ante", "amount": 100}, {"wager": "bets", "amount": paid[seat]}],
            }
            for seat in (1, 2, 3)
        ],
        "unrecorded": ["shuffle", "cut", "misdeal", "fault", "rake"],
        "events": [
            *({"event": "wager", "seat": seat, "wager": "ante", "amount": 100} for seat in (1, 2, 3)),
            *_deal("1:2h 2:Qc 3:Ac 1:9d 2:Td 3:Qs 1:4h^ 2:4c^ 3:Kd^"),
            *_acts("2:bring-in:300 3:complete:1000 1:call:1000 2:call:700"),
            *_deal("x:2c 1:4s^ 2:6h^ 3:8h^"),
            *_acts("1:bet:2000 2:fold 3:call:2000"),
            *_deal("x:2d 1:Jd^ 3:Kc^"),
            *_acts("3:bet:2000 1:call:2000"),
            *_deal("x:3c 1:7c^ 3:7d^"),
            *_acts("3:check 1:check"),
            *_deal("x:3d 1:7h 3:7s"),
            *_acts("3:bet:2000 1:call:2000"),
            {"event": "reveal", "place": "player", "seat": 3, "cards": hands[3]},
            {"event": "reveal", "place": "player", "seat": 1, "cards": hands[1]},
            {"event": "award", "seat": 3, "amount": 15300, "pot": 0},
        ],
    }


def change(record: Record, find: Record, **to: Any) -> Record:
    """Return a copy in which the first event with the fields `find` has the fields `to`; without any, the event is
    removed. The summary of its seat has the total with the changed amount.
    """
    found = copy.deepcopy(record)
    at = next(i for i, event in enumerate(found["events"]) if find.items() <= event.items())
    if to:
        event = found["events"][at]
        more = to.get("amount", event.get("amount", 0)) - event.get("amount", 0)
        event |= to
        for seat in found["seats"] if more else ():
            if seat["seat"] == event["seat"]:
                (bets,) = (wager for wager in seat["wagers"] if wager["wager"] == "bets")
                bets["amount"] += more
                seat["stack-after"] -= more
    else:
        del found["events"][at]
    return found
