"""Regulation written out by hand for one round: the amount due on each wager, and the order of events.

It uses nothing of the interpreter: records in, plain Python, rules as the clauses have them. The pay tables are Pair
XXX B and Super 6 A, as in the simulated house.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

RANKS = "23456789TJQKA"
OPENING = ("ante", "pair-xxx", "super-6", "side-wager")
SETTLED = ("play", "ante-bonus", "ante", "pair-xxx", "super-6", "side-wager")

THREE_ACES, STRAIGHT_FLUSH, TRIPS, STRAIGHT, FLUSH, PAIR, HIGH_CARD = 6, 5, 4, 3, 2, 1, 0
ANTE_BONUS = {THREE_ACES: 4, STRAIGHT_FLUSH: 5, TRIPS: 4, STRAIGHT: 1}
PAIR_XXX = {THREE_ACES: 50, STRAIGHT_FLUSH: 40, TRIPS: 30, STRAIGHT: 6, FLUSH: 3, PAIR: 1}
SUPER_6 = (
    ("royal", 1000),
    ("straight flush", 200),
    ("four", 100),
    ("full house", 20),
    ("flush", 15),
    ("straight", 10),
    ("trips", 7),
)


def cards_in(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def arrange(cards: list[str]) -> list[int]:
    """Return the ranks of three cards as the dealer arranges them, 0 for a two.

    Groups come first, then falling ranks; a run starts from its top, and 3-2-A ends with the ace.
    """
    ranks = [RANKS.index(card[0]) for card in cards]
    if sorted(ranks) == [0, 1, 12]:
        return [1, 0, 12]
    return sorted(ranks, key=lambda rank: (-ranks.count(rank), -rank))


def worth(cards: list[str]) -> tuple[int, list[int]]:
    """Return the category of three cards by clause (1), and the arranged ranks that decide within it."""
    ranks = arrange(cards)
    suited = len({card[1] for card in cards}) == 1
    run = ranks == [1, 0, 12] or (ranks[0] - ranks[1] == 1 and ranks[1] - ranks[2] == 1)
    alike = max(Counter(ranks).values())
    if ranks == [12, 12, 12]:
        return THREE_ACES, ranks
    if run and suited:
        return STRAIGHT_FLUSH, ranks[:1]
    if alike == 3:
        return TRIPS, ranks
    if run:
        return STRAIGHT, ranks[:1]
    if suited:
        return FLUSH, ranks
    return (PAIR if alike == 2 else HIGH_CARD), ranks


def five_card_hand(cards: tuple[str, ...]) -> str:
    ranks = sorted(RANKS.index(card[0]) for card in cards)
    shape = sorted(Counter(ranks).values())
    suited = len({card[1] for card in cards}) == 1
    run = shape == [1] * 5 and (ranks[4] - ranks[0] == 4 or ranks == [0, 1, 2, 3, 12])
    if run and suited:
        return "royal" if ranks[0] == 8 else "straight flush"
    named = {(1, 4): "four", (2, 3): "full house", (1, 1, 3): "trips", (5,): "four"}.get(tuple(shape))
    if named in ("four", "full house"):
        return named
    if suited:
        return "flush"
    return "straight" if run else named or "nothing"


def super_6_odds(cards: list[str]) -> int | None:
    """Return the odds of the best five of six cards by table A, clauses (3)(A) and (16); None where they lose."""
    hands = {five_card_hand(five) for five in combinations(cards, 5)}
    return next((odds for name, odds in SUPER_6 if name in hands), None)


def compute_due(record: dict[str, Any]) -> dict[tuple[int, str, bool], tuple[int, int]]:
    """Return the amounts paid and taken on every stake, by seat, wager and tip.

    Lists bonuses only where they are paid.
    """
    found: dict[tuple[int, str, bool], tuple[int, int]] = {}
    dealer = cards_in(record["dealer"])
    for seat in record["seats"]:
        for stake in seat["wagers"]:
            outcome = _stake_due(stake["wager"], stake["amount"], seat, dealer)
            if outcome is not None:
                found[seat["seat"], stake["wager"], stake.get("tip", False)] = outcome
        ante = sum(
            wager["amount"] for wager in seat["wagers"] if wager["wager"] == "ante" and not wager.get("tip", False)
        )
        cards = cards_in(seat["cards"])
        if ante and len(cards) == 3 == len(dealer) and seat.get("decision") != "fold":
            odds = ANTE_BONUS.get(worth(cards)[0])
            if odds:
                found[seat["seat"], "ante-bonus", False] = (odds * ante, 0)
    return found


def _stake_due(wager: str, amount: int, seat: dict[str, Any], dealer: list[str]) -> tuple[int, int] | None:
    cards = cards_in(seat["cards"])
    won, lost, push = (amount, 0), (0, amount), (0, 0)
    if wager not in ("ante", "play", "pair-xxx", "super-6"):
        return None
    if len(dealer) != 3 or len(cards) != 3:  # clause (7)
        return push
    if wager == "super-6":  # clause (10): also after a fold
        odds = super_6_odds(cards + dealer)
        return lost if odds is None else (odds * amount, 0)
    if seat.get("decision") == "fold" and wager in ("ante", "pair-xxx"):  # clause (10)
        return lost
    if seat.get("decision") == "fold" and wager == "play":  # clause (10): only the Ante is forfeited
        return push
    if wager == "pair-xxx":  # clause (15)
        odds = PAIR_XXX.get(worth(cards)[0])
        return lost if odds is None else (odds * amount, 0)
    theirs, ours = worth(dealer), worth(cards)
    if theirs < (HIGH_CARD, [RANKS.index("Q")]):  # clauses (12) and (13)
        return push if wager == "play" else won
    if ours == theirs:  # clause (14)(B)(i)
        return push
    return won if ours > theirs else lost  # clauses (14)(A) and (14)(B)


def outcomes(record: dict[str, Any]) -> dict[tuple[int, str, bool], tuple[int, int]]:
    """Return the recorded amounts paid and taken, in the form of `compute_due`."""
    found: dict[tuple[int, str, bool], tuple[int, int]] = {}
    for seat in record["seats"]:
        for stake in seat["wagers"]:
            found[seat["seat"], stake["wager"], stake.get("tip", False)] = (stake["paid"], stake["taken"])
        for bonus in seat["bonuses"]:
            found[seat["seat"], bonus["bonus"], bonus.get("tip", False)] = (bonus["paid"], 0)
    return found


def story(record: dict[str, Any], *, packet: int) -> list[dict[str, Any]]:
    """Derive every event of the round from its summary alone, in the order of the clauses.

    Omits cards that came to light. `packet` is the number of cards dealt at a time.
    """
    dealer, seats = cards_in(record["dealer"]), record["seats"]
    voided = len(dealer) != 3
    events: list[dict[str, Any]] = [{"event": "shuffle", "by": "dealer"}, {"event": "cut", "by": "dealer"}]
    for seat in seats:
        events += _derive_stakes(seat, OPENING, "wager")
    events += _derive_deal(seats, dealer, packet)
    for seat in seats:
        if len(cards_in(seat["cards"])) != 3:
            events.append({"event": "misdeal", "place": "player", "seat": seat["seat"]})
    if voided:
        events.append({"event": "misdeal", "place": "table"})
    for seat in seats:
        if "decision" in seat:
            events.append({"event": "decide", "seat": seat["seat"], "decision": seat["decision"]})
        events += _derive_stakes(seat, ("play",), "wager")
    folded = [seat for seat in seats if seat.get("decision") == "fold"]
    for seat in folded:
        for stake in seat["wagers"]:
            if stake["wager"] in ("super-6", "side-wager") and not stake.get("tip", False):
                events.append({"event": "tuck", "seat": seat["seat"], "wager": stake["wager"]})
    early = [event for seat in folded for event in _derive_stakes(seat, ("ante", "pair-xxx"), "outcome")]
    early = [event for event in early if event["event"] == "collect"]
    events += early
    if not voided:
        order = {rank: place for place, rank in reversed(list(enumerate(arrange(dealer))))}
        shown = sorted(dealer, key=lambda card: (order[RANKS.index(card[0])], -"cdhs".index(card[1])))
        events.append({"event": "reveal", "place": "dealer", "cards": "".join(shown)})
    for seat in seats:
        settled = [event for event in _derive_stakes(seat, SETTLED, "outcome") if event not in early]
        # Clause (8) orders what is collected or paid. Simulated tables hand back first what pushes.
        events += sorted(settled, key=lambda event: event["event"] != "return")
    return events


def _derive_deal(seats: list[dict[str, Any]], dealer: list[str], packet: int) -> list[dict[str, Any]]:
    """Derive the deal by clause (6). In the last pass every place gets the rest of its cards."""
    by = "machine" if packet == 3 else "dealer"
    events = []
    for start in range(0, 3, packet):
        last = start + packet >= 3
        for place, seat in [("player", seat) for seat in seats] + [("dealer", None)]:
            cards = dealer if seat is None else cards_in(seat["cards"])
            given = "".join(cards[start:] if last else cards[start : start + packet])
            at: dict[str, Any] = {} if seat is None else {"seat": seat["seat"]}
            if given:
                events.append({"event": "deal", "place": place, **at, "cards": given, "face": "down", "by": by})
    return events


def _derive_stakes(seat: dict[str, Any], lines: tuple[str, ...], what: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for line in lines:
        for stake in sorted(seat["wagers"], key=lambda one: one.get("tip", False)):
            if stake["wager"] != line:
                continue
            told = {"seat": seat["seat"], "wager": line}
            tip = {"tip": True} if stake.get("tip", False) else {}
            if what == "wager":
                events.append({"event": "wager", **told, "amount": stake["amount"], **tip})
                continue
            if stake["taken"]:
                events.append({"event": "collect", **told, "amount": stake["taken"], **tip})
            if stake["paid"]:
                events.append({"event": "pay", **told, "amount": stake["paid"], **tip})
            if not stake["paid"] and not stake["taken"]:
                events.append({"event": "return", **told, "amount": stake["amount"], **tip})
        if what == "outcome":
            paid = [bonus["paid"] for bonus in seat["bonuses"] if bonus["bonus"] == line]
            events += [{"event": "pay", "seat": seat["seat"], "wager": line, "amount": amount} for amount in paid]
    return events


def without_exposures(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events without cards that came to light.

    Each must be a card just dealt, shown by the dealer and turned over at once.
    """
    kept: list[dict[str, Any]] = []
    waiting = iter(events)
    for event in waiting:
        if event["event"] != "expose":
            kept.append(event)
            continue
        dealt, covered = kept[-1], next(waiting)
        at: dict[str, Any] = {key: dealt[key] for key in ("place", "seat") if key in dealt}
        assert dealt["event"] == "deal" and event["cards"] in cards_in(dealt["cards"])
        assert event == {"event": "expose", **at, "cards": event["cards"], "by": "dealer"}
        assert covered == {"event": "turn-down", **at, "cards": event["cards"]}
    return kept
