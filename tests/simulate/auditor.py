"""Reference audit of single records: every requirement on rounds in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from typing import Any

from tests.simulate.oracle import arrange, cards_in, compute_due, outcomes, worth

RANKS = "23456789TJQKA"
KNOWN = {"ante", "play", "pair-xxx", "super-6"}
LIMITS = {"ante": (500, 10000), "pair-xxx": (500, 20000), "super-6": (500, 10000)}
TIPS_TAKEN = ("ante", "play", "pair-xxx")
ORDER = ("play", "ante-bonus", "ante", "pair-xxx", "super-6")
OUTCOMES = ("collect", "pay", "return")


def violations(
    record: dict[str, Any], offered: Set[str] = frozenset(KNOWN), dealing: str | None = "three-card-packets"
) -> set[str]:
    """Return the names of the requirements a round breaks in a house that offers these wagers and deals in this way."""
    staked = {wager for seat in record["seats"] for wager in own(seat)}
    of_the_house = {"wager-is-offered"} if staked & KNOWN - offered else set()
    sizes = [len(event["cards"]) // 2 for event in record["events"] if event["event"] == "deal"]
    singly = 2 * sizes.count(1) > len(sizes)
    if singly != (dealing == "one-at-a-time"):
        of_the_house.add("dealt-as-submitted")
    return {
        *_list_payment_failures(record),
        *_of_wagers(record),
        *_of_the_deal(record),
        *_of_the_course(record),
        *of_the_house,
    }


def own(seat: dict[str, Any]) -> dict[str, int]:
    return {wager["wager"]: wager["amount"] for wager in seat["wagers"] if not wager.get("tip", False)}


def tips(seat: dict[str, Any]) -> dict[str, int]:
    return {wager["wager"]: wager["amount"] for wager in seat["wagers"] if wager.get("tip", False)}


def in_play(record: dict[str, Any], seat: dict[str, Any]) -> bool:
    return len(record["dealer"]) == 6 == len(seat["cards"])


def _list_payment_failures(record: dict[str, Any]) -> list[str]:
    """Return the requirements that check stakes with a wrong settlement."""
    seats = {seat["seat"]: seat for seat in record["seats"]}
    told, wanted = outcomes(record), compute_due(record)
    keys = [key for key in told.keys() | wanted.keys() if key[1] in ORDER]
    wrong = [key for key in keys if told.get(key, (0, 0)) != wanted.get(key, (0, 0))]
    return [_judge_of(record, seats[seat], wager) for seat, wager, _ in wrong]


def _judge_of(record: dict[str, Any], seat: dict[str, Any], wager: str) -> str:
    if not in_play(record, seat):
        if wager == "ante-bonus":
            return "no-bonus-in-a-misdeal"
        return "misdealt-hand-keeps-its-wagers" if len(record["dealer"]) == 6 else "misdeal-of-the-dealer-returns-all"
    if seat.get("decision") == "fold" and wager != "super-6":
        return {
            "ante": "fold-forfeits-the-ante",
            "play": "folded-hand-keeps-its-play-wager",
            "pair-xxx": "fold-loses-pair-xxx",
            "ante-bonus": "fold-earns-no-ante-bonus",
        }[wager]
    by_table = {"ante-bonus": "ante-bonus-paid", "pair-xxx": "pair-xxx-by-table", "super-6": "super-6-by-table"}
    if wager in by_table:
        return by_table[wager]
    theirs, ours = worth(cards_in(record["dealer"])), worth(cards_in(seat["cards"]))
    if theirs < (0, [RANKS.index("Q")]):
        return "dealer-not-qualified"
    return "tie-is-a-push" if ours == theirs else "player-beats-dealer" if ours > theirs else "dealer-beats-player"


def _of_wagers(record: dict[str, Any]) -> set[str]:
    broken: set[str] = set()
    told = Counter(event["seat"] for event in record["events"] if event["event"] == "decide")
    for seat in record["seats"]:
        mine, theirs, decision = own(seat), tips(seat), seat.get("decision")
        must_decide = in_play(record, seat) and "ante" in mine
        beaten = not in_play(record, seat) or worth(cards_in(seat["cards"]))[0] == 0
        wrong = {
            "ante-or-pair-xxx": not {"ante", "pair-xxx"} & mine.keys(),
            "known-wagers": bool(mine.keys() - KNOWN),
            "within-posted-limits": any(
                not low <= mine.get(limit, low) <= high for limit, (low, high) in LIMITS.items()
            ),
            "tips-offered": bool(theirs.keys() - {*TIPS_TAKEN}),
            "tip-beside-own-wager": bool(theirs.keys() - mine.keys()),
            "tip-on-play-needs-ante-tip": "play" in theirs and "ante" not in theirs,
            "stay-or-fold": must_decide and decision not in ("play", "fold"),
            "one-decision": told[seat["seat"]] > 1 and (must_decide or (in_play(record, seat) and decision == "fold")),
            "fold-is-open": decision == "fold" and in_play(record, seat) and "ante" not in mine and not beaten,
            "decision-is-open": in_play(record, seat) and _takes_what_is_not_open(decision, "ante" in mine),
            "play-equals-ante": "play" in mine and mine["play"] != mine.get("ante"),
            "play-only-when-staying": must_decide and (decision == "play") != ("play" in mine),
        }
        broken |= {name for name, is_wrong in wrong.items() if is_wrong}
    if max(Counter(seat["player"] for seat in record["seats"]).values()) > 2:
        broken.add("two-hands-at-most")
    return broken


def _takes_what_is_not_open(decision: str | None, has_ante: bool) -> bool:
    """Return whether a decision is not open by clauses (9) and (10). Folds have a check of their own."""
    return decision not in (None, "none", "fold") and not (decision == "play" and has_ante)


def _of_the_deal(record: dict[str, Any]) -> set[str]:
    broken: set[str] = set()
    cards = cards_in(record["dealer"] + "".join(seat["cards"] for seat in record["seats"]))
    events = record["events"]
    deals = [event for event in events if event["event"] == "deal"]
    first, last = events.index(deals[0]), events.index(deals[-1])
    before = [event["event"] for event in events[:first]]
    regular = all(in_play(record, seat) for seat in record["seats"])
    settlements = [at for at, event in enumerate(events) if event["event"] in OUTCOMES]
    under_way = [event["event"] for event in events[first : settlements[-1] if settlements else None]]
    stakes = [(at, event) for at, event in enumerate(events) if event["event"] == "wager"]
    shown = [at for at, event in enumerate(events) if event["event"] == "expose"]
    reveals = [at for at, event in enumerate(events) if event["event"] == "reveal"]
    told = Counter(event.get("seat") for event in events if event["event"] == "misdeal")
    wrong = {
        "one-deck-in-the-round": len(set(cards)) < len(cards),
        "shuffle-before-the-deal": "shuffle" not in before,
        "cut-after-the-shuffle": "shuffle" in before and "cut" not in before[before.index("shuffle") :],
        "shuffled-between-rounds": "shuffle" in under_way,
        "cut-between-rounds": "cut" in under_way,
        "wagers-before-the-deal": any(at > first for at, event in stakes if event["wager"] != "play"),
        "wagers-stay-after-the-deal": any(event["event"] == "withdraw" for event in events[first:]),
        "dealt-in-turn": _out_of_turn(record, deals),
        "dealt-face-down": any(event["face"] != "down" for event in deals),
        "single-cards-by-the-dealer": any(len(deal["cards"]) == 2 and deal["by"] != "dealer" for deal in deals),
        # Two cards too many, or one, for a seat to which single cards are dealt are no packet.
        "packets-from-the-device": all(len(deal["cards"]) > 2 for deal in deals[:1])
        and any(len(deal["cards"]) > 2 and deal["by"] != "machine" for deal in deals),
        "play-wager-after-the-deal": any(
            at < last or any(at > reveal for reveal in reveals) for at, event in stakes if event["wager"] == "play"
        ),
        "decisions-after-the-deal": any(event["event"] == "decide" for event in events[:last]),
        "exposed-card-turned-over": any(events[at + 1]["event"] != "turn-down" for at in shown),
        "no-misdeal-without-a-miscount": regular and any(event["event"] == "misdeal" for event in events),
        "misdeal-of-a-player-in-its-place": any(
            _has_misdeal(events[: _last_deal(events, seat["seat"])], seat["seat"])
            for seat in record["seats"]
            if len(seat["cards"]) != 6
        ),
        "misdeal-of-the-dealer-in-its-place": len(record["dealer"]) != 6
        and any(event["event"] in ("misdeal", "return") for event in events[:last]),
        "misdeal-declared-once": not regular and max(told.values(), default=0) > 1,
    }
    return broken | {name for name, is_wrong in wrong.items() if is_wrong}


def _last_deal(events: list[dict[str, Any]], seat: int) -> int:
    return max(at for at, event in enumerate(events) if event["event"] == "deal" and event.get("seat") == seat)


def _has_misdeal(events: list[dict[str, Any]], seat: int) -> bool:
    """Return whether events record a misdeal of a seat, or the return of a stake to it."""
    return any(event["event"] in ("misdeal", "return") and event.get("seat") == seat for event in events)


def _out_of_turn(record: dict[str, Any], deals: list[dict[str, Any]]) -> bool:
    """Return whether cards are dealt out of turn by clause (6), among seats with three cards.

    Miscounts belong to clause (7).
    """
    held = {seat["seat"]: seat["cards"] for seat in record["seats"]} | {None: record["dealer"]}
    counted = [place for place, cards in held.items() if len(cards) == 6]
    rightly = [event for event in deals if event.get("seat") in counted]
    sizes = {len(event["cards"]) // 2 for event in rightly}
    if not rightly:
        return False
    return len(sizes) > 1 or [event.get("seat") for event in rightly] != counted * (3 // sizes.pop())


def _of_the_course(record: dict[str, Any]) -> set[str]:
    events, seats = record["events"], record["seats"]
    reveals = [at for at, event in enumerate(events) if event["event"] == "reveal"]
    reveal = reveals[0] if reveals else None
    decided = [(at, event) for at, event in enumerate(events) if event["event"] == "decide"]
    settled = [(at, event) for at, event in enumerate(events) if event["event"] in OUTCOMES]
    folded = {seat["seat"]: seat for seat in seats if seat.get("decision") == "fold" and in_play(record, seat)}
    folds = [event["seat"] for _, event in decided if event["decision"] == "fold"]
    collected = [
        (at, event["seat"])
        for at, event in settled
        if event["event"] == "collect" and event["seat"] in folded and event["wager"] in ("ante", "pair-xxx")
    ]
    tucks = {event["seat"]: at for at, event in enumerate(events) if event["event"] == "tuck"}
    racks = [(at, event.get("seat")) for at, event in enumerate(events) if event["event"] == "collect-cards"]
    racked = [(at, seat) for at, seat in racks if seat in folded]
    kept = {
        seat: [at for at, event in settled if (event["seat"], event["wager"]) == (seat, "super-6")] for seat in folded
    }
    playing = {seat["seat"] for seat in seats if in_play(record, seat)} - folded.keys()
    ranks = [folds.index(seat) for _, seat in collected if seat in folds]
    live = playing | {number for number, seat in folded.items() if "super-6" in own(seat)}
    last_fold = max((at for at, event in decided if event["decision"] == "fold"), default=0)
    wrong = {
        "decisions-before-the-reveal": reveal is not None and any(at > reveal for at, _ in decided),
        "dealer-shows-the-hand": bool(live) and reveal is None,
        "dealer-shows-all-cards": reveal is not None and len(events[reveal]["cards"]) < len(record["dealer"]),
        "dealer-arranges-the-hand": reveal is not None and not _lies_in_order(events[reveal]["cards"]),
        "folded-cards-tucked": any("super-6" in own(seat) and number not in tucks for number, seat in folded.items()),
        "only-folded-cards-tucked": any(
            event["seat"] not in folded or "super-6" not in own(folded[event["seat"]])
            for event in events
            if event["event"] == "tuck" and event["wager"] == "super-6"
        ),
        "tucked-after-the-fold": any(
            tucks.get(event["seat"], at) < at for at, event in decided if event["seat"] in folded
        ),
        "tucked-until-settled": any(at < end for at, seat in racked for end in kept[seat]),
        "super-6-after-the-reveal": reveal is not None
        and any(at < reveal for settling in kept.values() for at in settling),
        "collect-before-the-reveal": reveal is not None
        and any(at > reveal for at in [*tucks.values(), *(at for at, _ in collected)]),
        "rack-after-all-folds": any(at < last_fold for at, _ in racked),
        "collect-after-all-folds": any(at < last_fold for at, _ in collected),
        "collect-in-order-of-folds": ranks != sorted(ranks),
        "settlement-after-the-reveal": reveal is not None
        and any(at < reveal for at, event in settled if event["seat"] in playing),
    }
    for seat in seats:
        # Clause (8) orders what is collected or paid. Clauses (13) and (14) distinguish what pushes.
        moved = [event for _, event in settled if event["seat"] == seat["seat"] and event["event"] != "return"]
        places = [ORDER.index(event["wager"]) for event in moved if event["wager"] in ORDER]
        if seat["seat"] in playing and places != sorted(places):
            wrong["order-of-settlement"] = True
    return {name for name, is_wrong in wrong.items() if is_wrong}


def _lies_in_order(text: str) -> bool:
    cards = cards_in(text)
    return [RANKS.index(card[0]) for card in cards] == arrange(cards)
