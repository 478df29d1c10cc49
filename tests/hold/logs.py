"""Rounds of 3 Card Shine dealt, played and settled in plain NumPy, without the program, as a hand log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.odds.plain import three_cards

CASINO = "Simulated House"
CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
PAIR_XXX = {6: 50, 5: 40, 4: 30, 3: 6, 2: 3, 1: 1}
"""Table B: what each category pays to 1; 6 is three aces."""
ANTE_BONUS = {6: 4, 5: 5, 4: 4, 3: 1}
QUEEN_SIX_FOUR = 10 * 169 + 4 * 13 + 2
"""The order of queen, six, four among hands of no category: what is as high or higher is played."""

Settle = Callable[[dict[str, Any], np.random.Generator], None]


def rounds(
    number: int,
    seed: int,
    *,
    table: str = "S1",
    dealer: str = "Dora",
    day: str = "2026-03-02",
    seats: int = 1,
    ante: int = 1000,
    pair: int = 500,
    deck: Sequence[int] = tuple(range(52)),
    deck_name: str | None = None,
    change: Settle | None = None,
    from_: int = QUEEN_SIX_FOUR,
) -> Iterator[dict[str, Any]]:
    """Yield `count` rounds; players do what is best, or play hands as high as another (`from_`) or higher. `change`
    alters a record once it is settled."""
    rng = np.random.default_rng(seed)
    dealt = rng.permuted(np.tile(np.array(deck), (number, 1)), axis=1)[:, : 3 * (seats + 1)].reshape(number, -1, 3)
    category, order = three_cards(dealt.reshape(-1, 3))
    category, order = category.reshape(number, -1), order.reshape(number, -1)
    for at in range(number):
        record: dict[str, Any] = {
            "round": f"{table}-{day}-{dealer}-{deck_name}-{at}",
            "casino": CASINO,
            "table": table,
            "time": f"{day}T{at // 60 % 24:02}:{at % 60:02}:00Z",
            "game": "co-rule10-3card-shine",
            "context": {"dealer": dealer},
            "dealer": _text(dealt[at, 0]),
            "seats": [
                _seat(seat, dealt[at, seat], category[at], order[at], ante, pair, from_) for seat in range(1, seats + 1)
            ],
        }
        if deck_name is not None:
            record["deck"] = deck_name
        if change is not None:
            change(record, rng)
        yield record


def _text(cards: Any) -> str:
    return "".join(CARDS[card] for card in cards)


def _seat(seat: int, cards: Any, category: Any, order: Any, ante: int, pair: int, from_: int) -> dict[str, Any]:
    own, other, kind = int(order[seat]), int(order[0]), int(category[seat])
    plays = own >= from_
    found: dict[str, Any] = {
        "seat": seat,
        "player": f"P{seat}",
        "cards": _text(cards),
        "decision": "play" if plays else "fold",
    }
    if not plays:
        found["wagers"] = [
            {"wager": "ante", "amount": ante, "paid": 0, "taken": ante},
            {"wager": "pair-xxx", "amount": pair, "paid": 0, "taken": pair},
        ]
        return found
    qualifies = other >= 10 * 169
    won = not qualifies or own > other
    lost = qualifies and own < other
    play_paid = ante if qualifies and own > other else 0
    found["wagers"] = [
        {"wager": "ante", "amount": ante, "paid": ante if won else 0, "taken": ante if lost else 0},
        {"wager": "play", "amount": ante, "paid": play_paid, "taken": ante if lost else 0},
        {
            "wager": "pair-xxx",
            "amount": pair,
            "paid": PAIR_XXX.get(kind, 0) * pair,
            "taken": 0 if kind in PAIR_XXX else pair,
        },
    ]
    if kind in ANTE_BONUS:
        found["bonuses"] = [{"bonus": "ante-bonus", "paid": ANTE_BONUS[kind] * ante}]
    return found


def write_log(path: Path, *parts: Iterator[dict[str, Any]]) -> str:
    with path.open("w", encoding="utf-8") as stream:
        for part in parts:
            for record in part:
                stream.write(json.dumps(record, separators=(",", ":")) + "\n")
    return str(path)
