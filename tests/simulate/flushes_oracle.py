"""Amounts due on every wager of Flushes Gone Wild, computed by hand for one round of a log.

It uses nothing of the interpreter: records in, plain Python, rules as the clauses have them with the adopted
readings. The pay tables are FGW-01 and FGWP-02, as in the simulated house.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

RANKS = "23456789TJQKA"
FLUSH_RUSH = {(7, True): 250, (7, False): 100, (6, True): 50, (6, False): 10, (5, True): 6, (5, False): 3, (4, True): 1}
BLIND = {5: 200, 4: 25, 3: 5, 2: 3}
TRAY = {"four": 300, "full house": 50, "flush": 40, "straight": 30, "three": 9}
SHARES = {"royal": 1, "straight flush": 10}
ENVY = {"royal": 500_000, "straight flush": 150_000}
SEED, SIZE, ADDED = 5_000_000, 500, 75

Round = dict[str, Any]
Outcome = dict[tuple[int, str], int]


def cards_in(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def longest(cards: list[str]) -> list[int]:
    """Return the ranks of the longest flush, falling: every deuce is the highest card its flush lacks."""
    deuces = sum(card[0] == "2" for card in cards)
    found: list[list[int]] = []
    for suit in "cdhs":
        own = [RANKS.index(card[0]) for card in cards if card[1] == suit and card[0] != "2"]
        missing = [rank for rank in range(12, -1, -1) if rank not in own]
        found.append(sorted(own + missing[:deuces], reverse=True))
    return max(found, key=lambda ranks: (len(ranks), ranks))


def five(cards: list[str]) -> str:
    """Return the hand that the player's own five cards make, with nothing wild."""
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    alike = sorted(Counter(ranks).values(), reverse=True)
    flush = len({card[1] for card in cards}) == 1
    straight = alike[0] == 1 and (ranks[4] - ranks[0] == 4 or ranks == [0, 1, 2, 3, 12])
    if flush and straight:
        return "royal" if ranks[0] == 8 else "straight flush"
    if alike[0] == 4:
        return "four"
    if alike[:2] == [3, 2]:
        return "full house"
    if flush or straight:
        return "flush" if flush else "straight"
    return "three" if alike[0] == 3 else "nothing"


def keep_community(record: Round) -> list[str]:
    """Return the two community cards."""
    kept = cards_in(record["community"])
    for card in cards_in(record.get("community-discarded", "")):
        kept.remove(card)
    return kept


def list_stakes(seat: Round) -> dict[str, int]:
    return {wager["wager"]: wager["amount"] for wager in seat["wagers"]}


def still_in(seat: Round) -> bool:
    return len(cards_in(seat["cards"])) == 5 and seat.get("decision") != "fold"


def meter_hands(record: Round) -> int:
    """Return the number of hands of a round that are paid from the meter."""
    playing = [seat for seat in record["seats"] if still_in(seat) and "progressive" in list_stakes(seat)]
    return sum(five(cards_in(seat["cards"])) in SHARES for seat in playing)


def compute_due(record: Round) -> Outcome:
    """Return what each stake has won (or, below 0, lost) after settlement, by seat and wager."""
    void = len(cards_in(record["dealer"])) != 5
    (meter,) = record["meters"]
    found: Outcome = {}
    for seat in record["seats"]:
        stakes, cards = list_stakes(seat), cards_in(seat["cards"])
        own: dict[str, int] = dict.fromkeys(stakes, 0)
        dead, folded = len(cards) != 5, seat.get("decision") == "fold"
        if not dead and not void:
            own |= _against_the_dealer(record, seat, stakes, folded)
        if "progressive" in stakes and not dead:
            own["progressive"] = _progressive(five(cards), stakes["progressive"], meter["shown"], folded, void)
            envy = _envy(record, seat) * stakes["progressive"] // SIZE
            own |= {"envy": envy} if envy else {}
        found |= {(seat["seat"], wager): amount for wager, amount in own.items()}
    return found


def _against_the_dealer(record: Round, seat: Round, stakes: dict[str, int], folded: bool) -> dict[str, int]:
    own: dict[str, int] = {}
    seven = cards_in(seat["cards"]) + keep_community(record)
    mine, theirs = longest(seven), longest(cards_in(record["dealer"]) + keep_community(record))
    if "flush-rush" in stakes:
        natural = all(card[0] != "2" for card in seven)
        odds = FLUSH_RUSH.get((len(mine), natural), -1)
        own["flush-rush"] = odds * stakes["flush-rush"]
    if folded:
        return own | {"ante": -stakes["ante"], "blind": -stakes["blind"]}
    outcome = (len(mine), mine) > (len(theirs), theirs), (len(mine), mine) < (len(theirs), theirs)
    sign = outcome[0] - outcome[1]
    own |= {wager: sign * stakes[wager] for wager in ("ante", "play", "blind")}
    if sign > 0:
        own["blind"] = BLIND.get(min(len(mine) - len(theirs), 5), 0) * stakes["blind"]
    return own


def _progressive(hand: str, stake: int, shown: int, folded: bool, void: bool) -> int:
    if folded:
        return -stake
    if hand in SHARES:
        return shown // SHARES[hand] - stake
    if hand in TRAY:
        return (TRAY[hand] - 1) * stake
    return 0 if void else -stake


def _envy(record: Round, seat: Round) -> int:
    others = [other for other in record["seats"] if other["player"] != seat["player"] and still_in(other)]
    return sum(ENVY.get(five(cards_in(other["cards"])), 0) for other in others)


def read_outcome(record: Round) -> Outcome:
    """Return what the log records of each stake, in the form of `compute_due`."""
    found: Outcome = {}
    for seat in record["seats"]:
        for stake in [*seat["wagers"], *seat["bonuses"]]:
            wager = stake.get("wager") or stake["bonus"]
            if wager in list_stakes(seat) or stake["paid"]:
                found[seat["seat"], wager] = stake["paid"] - stake.get("taken", 0)
    return found


def read_meter(record: Round) -> int:
    """Return the reading of the meter after the round, less awards of at most one hand."""
    (meter,) = record["meters"]
    hands = [
        five(cards_in(seat["cards"]))
        for seat in record["seats"]
        if still_in(seat) and "progressive" in list_stakes(seat)
    ]
    if "royal" in hands:
        return SEED
    return int(meter["shown"]) - ("straight flush" in hands) * (meter["shown"] // 10)
