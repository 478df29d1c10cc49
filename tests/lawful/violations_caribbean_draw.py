"""Violations of Caribbean Draw Poker, chosen as a review of surveillance would choose them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.lawful.caribbean_draw import Hand, House, Plan, Table
from tests.lawful.edits import Edit, alter, both, drop, find, insert_event, move, scale
from tests.lawful.habits import Habits
from tests.lawful.record import DECK, Round, drop_all_events, drop_events, drop_keys, split_cards
from tests.lawful.violations import Case, Violation

HOUSE = House("Casino C", tables=("T1",))


def hand(seat: int, cards: str, discards: str = "", drawn: str = "", **keys: Any) -> Hand:
    """Return the part of a player whose cards are written without blanks."""
    return Hand(
        seat,
        f"P{seat}",
        cards=split_cards(cards),
        discards=split_cards(discards),
        drawn=split_cards(drawn),
        **keys,
    )


LOSER = hand(1, "2h4c6s8dTh", "2h4c", "Jc3d", has_token=True)
WINNER = hand(3, "AhAd7c8s9d", "7c8s", "4d6c")
FOLDER = hand(4, "3c5d7hJdQs", decision="fold")
FLUSH = hand(6, "4s5s7sJsAs", has_token=True, claims=True)
TIED = hand(5, "KhKcQd6d7d", "6d7d", "5s2d")
DEALER = ("KsKdQc9h3s", "9h3s", "2c5h")
NO_HAND = ("2s3h5h9cJs", "2s3h", "7d8c")


@dataclass(frozen=True)
class Scene:
    """A round with given hands, after another round at its table."""

    hands: tuple[Hand, ...] = (LOSER, WINNER, FOLDER, FLUSH)
    dealer: tuple[str, str, str] = DEALER
    house: House = HOUSE
    trouble: str | None = None
    meter: int = 2_000_000
    before: int = 1
    after: int = 0
    found_after: int = 0
    """Number of rounds after which the breach shows."""
    form: str = "full"
    unrecorded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Keys that the log leaves out."""

    def case(self, seed: int, edit: Edit) -> Case:
        """Play the rounds, change the last one, and return their records."""
        rng = random.Random(f"violations-{seed}")
        table = Table(self.house, "T1", rng, datetime(2026, 3, 2, 18, tzinfo=UTC), habits=Habits(), deck="green")
        table.verifies_each = False
        table.number = rng.randint(10, 90)
        made: list[Round] = []
        for index in range(self.before + 1 + self.after):
            table.number += 1
            table.now += timedelta(minutes=3)
            table.seated = {hand.seat: hand.player for hand in self.hands}
            table.meter = self.meter if index == 0 else table.meter
            plan = table.plan()
            if index == self.before:
                table.meter = table.meter // 10 * 10 + -self.sum_contributions() % 10
                made[-1].keys["meters"][0]["closing"] = table.meter if made else None
                plan = self.plan(rng)
            made.append(table.play(plan, f"V{index + 1}"))
        controls = [round_.record() for round_ in made]
        if self.form == "summary":
            controls[self.before] = drop_all_events(controls[self.before])
        edit(made[self.before])
        records = [round_.record() for round_ in made]
        if self.form == "summary":
            records[self.before] = drop_all_events(records[self.before])
        if self.unrecorded:
            records, controls = (
                [drop_events(record, self.unrecorded) for record in each] for each in (records, controls)
            )
        records, controls = ([drop_keys(record, self.left_out) for record in each] for each in (records, controls))
        if records == controls:
            controls = []  # the rounds break the rules by themselves
        return Case(records, [self.house.submission()], f"V{self.before + 1 + self.found_after}", controls)

    def sum_contributions(self) -> int:
        return self.house.increment * sum(hand.has_token for hand in self.hands)

    def plan(self, rng: random.Random) -> Plan:
        """Return the plan of the round, with Antes of any size."""
        hands = []
        for each in self.hands:
            ante = rng.randint(self.house.minimum // 10, self.house.maximum // 10) * 10
            copy = replace(each, cards=list(each.cards), discards=list(each.discards), drawn=list(each.drawn))
            copy.ante = ante if each.ante == 100 else each.ante
            hands.append(copy)
        dealer, out, drawn = map(split_cards, self.dealer)
        used = {card for each in hands for card in [*each.cards, *each.drawn]} | {*dealer, *drawn}
        rest = [card for card in DECK if card not in used]
        rng.shuffle(rest)
        return Plan(hands, dealer, out, drawn, rest, self.trouble)


def match_stake(seat: int, wager: str) -> dict[str, Any]:
    return {"seat": seat, "wager": wager}


def stake_of(round_: Round, seat: int, wager: str) -> int:
    return round_.stakes()[seat, wager, False].amount


def pay_instead(seat: int, wager: str, odds: int = 1) -> Edit:
    """Pay a stake that is taken."""

    def edit(round_: Round) -> None:
        index = find(round_, "collect", **match_stake(seat, wager))
        amount = odds * round_.events[index]["amount"]
        round_.events[index] = {"event": "pay", "seat": seat, "wager": wager, "amount": amount}

    return edit


def take_instead(seat: int, wager: str) -> Edit:
    """Take a stake that is paid."""

    def edit(round_: Round) -> None:
        index = find(round_, "pay", **match_stake(seat, wager))
        amount = stake_of(round_, seat, wager)
        round_.events[index] = {"event": "collect", "seat": seat, "wager": wager, "amount": amount}

    return edit


def settle_anyway(kind: str, seat: int, wager: str, odds: int = 1) -> Edit:
    """Pay or take a stake that is due nothing, right before the hand is collected."""

    def edit(round_: Round) -> None:
        round_.events = [
            event
            for event in round_.events
            if not (event["event"] == "return" and event["seat"] == seat and event["wager"] == wager)
        ]
        amount = odds * stake_of(round_, seat, wager)
        index = find(round_, "collect-cards", last=True, place="player", seat=seat)
        round_.events.insert(index, {"event": kind, "seat": seat, "wager": wager, "amount": amount})

    return edit


def repay(seat: int, odds: int, wager: str = "bet") -> Edit:
    def edit(round_: Round) -> None:
        index = find(round_, "pay", **match_stake(seat, wager))
        round_.events[index]["amount"] = odds * stake_of(round_, seat, wager)

    return edit


def change_stake(seat: int, wager: str, new: Callable[[int], int]) -> Edit:
    """Give a stake another size, and settle it in proportion."""

    def edit(round_: Round) -> None:
        old = stake_of(round_, seat, wager)
        is_first = True
        for event in list(round_.events):
            if event.get("seat") != seat or event.get("wager") != wager or event.get("tip"):
                continue
            if event["event"] in {"wager", "withdraw"}:
                if is_first:
                    event["amount"] = new(old)
                    is_first = False
                else:
                    round_.events.remove(event)
            elif "amount" in event:
                event["amount"] = event["amount"] * new(old) // old

    return edit


def meter(key: str, change: Callable[[int], int]) -> Edit:
    def edit(round_: Round) -> None:
        reading = round_.keys["meters"][0]
        reading[key] = change(reading[key])

    return edit


def shift_meter(amount: int) -> Edit:
    """Let the meter read otherwise from its opening on."""

    def edit(round_: Round) -> None:
        for key in ("opening", "shown", "closing"):
            round_.keys["meters"][0][key] += amount

    return edit


def swap_first_deals(round_: Round) -> None:
    one, two = find(round_, "deal", seat=1), find(round_, "deal", seat=3)
    round_.events[one], round_.events[two] = round_.events[two], round_.events[one]


def dealer_first(round_: Round) -> None:
    round_.events.insert(find(round_, "deal"), round_.events.pop(find(round_, "deal", place="dealer")))


def deal_in_packets(round_: Round) -> None:
    """Deal five cards at once to each, where one at a time is the way."""
    deals = [event for event in round_.events if event["event"] == "deal"]
    start = find(round_, "deal")
    round_.events = [event for event in round_.events if event["event"] != "deal"]
    packets: list[Any] = []
    for event in deals:
        mine = next((p for p in packets if (p["place"], p.get("seat")) == (event["place"], event.get("seat"))), None)
        if mine is None:
            packets.append(dict(event))
        else:
            mine["cards"] += event["cards"]
    round_.events[start:start] = packets


def deal_extra(place: str, seat: int | None) -> Edit:
    """Deal a sixth card, and play on."""

    def edit(round_: Round) -> None:
        index = find(round_, "deal", last=True, place=place, seat=seat)
        round_.events.insert(index + 1, round_.events[index] | {"cards": "Tc"})
        for event in round_.events:
            if event["event"] == "collect-cards" and event.get("seat") == seat:
                event.pop("cards", None)

    return edit


def swap_draws(round_: Round) -> None:
    one, two = find(round_, "draw", seat=1), find(round_, "draw", seat=3)
    round_.events[one], round_.events[two] = round_.events[two], round_.events[one]


def settle_from_the_left(round_: Round) -> None:
    """Compare, settle and rack clockwise."""
    seats = sorted({e["seat"] for e in round_.events if e["event"] == "collect-cards" and e["place"] == "player"})
    start = (
        max(i for i, e in enumerate(round_.events) if e.get("place") == "dealer" and e["event"] != "collect-cards") + 1
    )
    tail = round_.events[start:]
    mine = [event for seat in seats for event in tail if event.get("seat") == seat]
    round_.events[start:] = mine + [event for event in tail if "seat" not in event]


def swap_announced_awards(round_: Round) -> None:
    """Pay the award of the right-hand winner first."""
    kinds = [
        i
        for i, e in enumerate(round_.events)
        if e.get("what") == "jackpot-award" or (e.get("wager") == "progressive" and e["event"] == "pay")
    ]
    events = [round_.events[index] for index in kinds]
    half = len(events) // 2
    for index, event in zip(kinds, [*events[half:], *events[:half]], strict=True):
        round_.events[index] = event


def claim_first(round_: Round) -> None:
    """Declare all jackpot hands before they are shown and paid."""
    steps = [e for e in round_.events if e["event"] == "claim" or (e["event"] == "reveal" and e["place"] == "player")]
    first = min(round_.events.index(event) for event in steps)
    round_.events = [event for event in round_.events if event not in steps]
    round_.events[first:first] = sorted(steps, key=lambda event: event["event"])


def token_after_the_lock(round_: Round) -> None:
    """Take a token when the slots are locked already."""
    mine = [e for e in round_.events if e.get("wager") == "progressive" and e["seat"] == 1]
    round_.events = [event for event in round_.events if event not in mine]
    index = find(round_, "device", what="lock-coin-in") + 1
    round_.events[index:index] = mine


def award(seat: int, amount: int) -> Edit:
    """Announce and pay an award that is not due, before the discards are verified."""

    def edit(round_: Round) -> None:
        index = find(round_, "count", what="discards")
        round_.events[index:index] = [
            {"event": "announce", "what": "jackpot-award", "by": "supervisor", "seat": seat, "amount": amount},
            {"event": "pay", "seat": seat, "wager": "progressive", "amount": amount},
        ]

    return edit


def set_award(amount: Callable[[int], int]) -> Edit:
    """Announce and pay another amount."""
    return both(
        alter("announce", {"amount": amount}, what="jackpot-award"),
        alter("pay", {"amount": amount}, wager="progressive"),
    )


def dealer_keeps(out: str, drawn: str) -> Edit:
    """Let the dealer discard and draw other cards; the stakes stay settled."""

    def edit(round_: Round) -> None:
        round_.events = [e for e in round_.events if not (e["event"] in {"discard", "draw"} and e["place"] == "dealer")]
        index = find(round_, "reveal", place="dealer") + 1
        if out:
            round_.events[index:index] = [
                {"event": "discard", "place": "dealer", "cards": out},
                {"event": "draw", "place": "dealer", "cards": drawn, "by": "dealer"},
            ]

    return edit


def discard_again(cards: str) -> Edit:
    def edit(round_: Round) -> None:
        index = find(round_, "discard", last=True, place="player", seat=3)
        round_.events.insert(
            index + 1, {"event": "discard", "place": "player", "seat": 3, "cards": cards, "face": "down"}
        )
        for event in round_.events:
            if event["event"] == "collect-cards" and event.get("seat") == 3:
                event.pop("cards", None)

    return edit


def dead_seat(round_: Round) -> int:
    seat: int = round_.events[find(round_, "misdeal", place="player")]["seat"]
    return seat


def take_from_the_dead(round_: Round) -> None:
    settle_anyway("collect", dead_seat(round_), "ante")(round_)


def pay_the_dead(round_: Round) -> None:
    settle_anyway("pay", dead_seat(round_), "ante")(round_)


def draw_one(round_: Round) -> None:
    event = round_.events[find(round_, "draw", place="player", seat=3)]
    event["cards"] = event["cards"][:2]
    for other in round_.events:
        if other["event"] == "collect-cards" and other.get("seat") == 3:
            other.pop("cards", None)


def dealer_draws_first(round_: Round) -> None:
    """Show, discard and draw for the dealer before the players have drawn."""
    acts = [e for e in round_.events if e.get("place") == "dealer" and e["event"] in {"reveal", "discard", "draw"}]
    round_.events = [event for event in round_.events if event not in acts]
    index = find(round_, "draw", place="player")
    round_.events[index:index] = acts


def declare_no_hand(round_: Round) -> None:
    """Pay the Antes and leave the Bets, as if the dealer had no hand."""
    round_.events = [
        e for e in round_.events if not (e["event"] in {"pay", "collect", "return"} and e["wager"] != "progressive")
    ]
    index = (
        max(i for i, e in enumerate(round_.events) if e.get("place") == "dealer" and e["event"] != "collect-cards") + 1
    )
    pays = [
        {"event": "pay", "seat": seat, "wager": "ante", "amount": stake_of(round_, seat, "ante")} for seat in (3, 1)
    ]
    round_.events[index:index] = [{"event": "announce", "what": "no-hand", "by": "dealer"}, *pays]


def play_without_a_hand(round_: Round) -> None:
    """Take the stakes of a lower hand though the dealer has no hand."""
    drop("announce", what="no-hand")(round_)
    settle_anyway("collect", 1, "bet")(round_)
    take_instead(1, "ante")(round_)


def take_up(seat: int, what: str | None) -> Edit:
    """Say of the last motion in which cards of a seat are taken up what it takes, or do not say it."""

    def edit(round_: Round) -> None:
        event = round_.events[find(round_, "collect-cards", last=True, place="player", seat=seat)]
        event.pop("what", None)
        event.pop("cards", None)
        if what:
            event["what"] = what

    return edit


def exchange_payments(round_: Round) -> None:
    """Pay on the Ante what is due on the Bet, and the reverse."""
    one, two = (round_.events[find(round_, "pay", **match_stake(6, wager))] for wager in ("ante", "bet"))
    one["amount"], two["amount"] = two["amount"], one["amount"]


def pay_royals(first: int, second: int) -> Edit:
    """Pay two royal flushes other parts of the meter than a half: it is divided into `first + 1` and `second` parts."""

    def edit(round_: Round) -> None:
        shown = round_.keys["meters"][0]["shown"]
        amounts = (shown, shown) if first == second else (shown * first // second, shown - shown * first // second)
        for seat, amount in zip((2, 5), amounts, strict=True):
            round_.events[find(round_, "announce", what="jackpot-award", seat=seat)]["amount"] = amount
            round_.events[find(round_, "pay", **match_stake(seat, "progressive"))]["amount"] = amount

    return edit


def fold_late(round_: Round) -> None:
    """Let a player fold when the dealer's hand lies open; the Bet is given back."""
    mine = [e for e in round_.events if e.get("seat") == 1 and e["event"] == "collect" and e["wager"] == "bet"]
    round_.events = [event for event in round_.events if event not in mine]
    index = find(round_, "reveal", place="dealer") + 1
    round_.events.insert(index, {"event": "decide", "seat": 1, "decision": "fold"})


def draw_one_more(place: str, seat: int | None) -> Edit:
    """Deal a card more than was discarded, and play on."""

    def edit(round_: Round) -> None:
        round_.events[find(round_, "draw", place=place, seat=seat)]["cards"] += "Tc"
        forget_cards(round_, seat)

    return edit


def forget_cards(round_: Round, seat: int | None) -> None:
    for event in round_.events:
        if event["event"] == "collect-cards" and event.get("seat") == seat:
            event.pop("cards", None)


def deal_one_less(round_: Round) -> None:
    """Leave a player a card short, and play on."""
    index = find(round_, "deal", seat=3, cards="9d")
    del round_.events[index]
    forget_cards(round_, 3)


def deal_twice(round_: Round) -> None:
    """Deal a card that lies on the table already."""
    for event in round_.events:
        if event.get("seat") == 3 and "9d" in event.get("cards", ""):
            event["cards"] = event["cards"].replace("9d", "Th")


def single(cards: str, dealer: tuple[str, str, str] = DEALER, **keys: Any) -> Scene:
    """Return a scene with a made hand that keeps all its cards, and a folded one."""
    return Scene(hands=(FOLDER, hand(5, cards, **keys)), dealer=dealer)


BASE = Scene()
PAIR = Scene(hands=(LOSER, WINNER))
NONE = Scene(hands=(LOSER, WINNER, FOLDER), dealer=NO_HAND)
TIE = Scene(hands=(WINNER, TIED))
DEAD = Scene(hands=(WINNER, TIED), trouble="dead-hand")
TABLE_MISDEAL = Scene(hands=(WINNER, TIED), trouble="dealer-miscount")
TIPPED = Scene(hands=(replace(WINNER, tip=100), FLUSH))
STRAIGHT_FLUSH = single("6d7d8d9dTd", has_token=True, claims=True)
ROYAL = single("ThJhQhKhAh", has_token=True, claims=True)
TWO_AWARDS = Scene(hands=(hand(2, "2d3d6d8dTd", has_token=True, claims=True), WINNER, FLUSH))
UNCLAIMED = Scene(hands=(WINNER, replace(FLUSH, claims=False)))
TOKENLESS = Scene(hands=(WINNER, replace(FLUSH, claims=False, has_token=False)))
DRAWN_FLUSH = Scene(hands=(hand(3, "4s5s7sJs8c", "8c", "As", has_token=True), hand(5, "2d4h6h8dTc")))
DEALER_TWO_PAIRS = Scene(hands=(LOSER, WINNER), dealer=("KsKdQcQh3s", "3s", "2c"))
KICKER = hand(5, "KhKcTd6d7d", "6d7d", "9c2d")
TWO_ROYALS = Scene(
    hands=(
        hand(2, "TcJcQcKcAc", has_token=True, claims=True),
        hand(5, "ThJhQhKhAh", has_token=True, claims=True),
        hand(6, "2h4h6s8d9s", "2h4h", "3d7d"),
    ),
    dealer=("8s8cQs9h3s", "9h3s", "2c5h"),
)
Anchor = tuple[str, dict[str, Any]]
LAST_DEAL: Anchor = ("deal", {})
CALL: Anchor = ("decide", {})
REVEALED = ("reveal", {"place": "dealer"})

OUTCOMES = ("wager/paid", "wager/taken")
CARDS = ("seat/cards", "community", "dealer", "seat/discarded", "seat/drawn", "dealer-discarded", "dealer-drawn")

TABLE: list[tuple[str, str, Scene, Edit]] = [
    # Ante and Bet
    ("winning-ante-short", "14.1", BASE, scale("pay", 1, 2, **match_stake(3, "ante"))),
    ("winning-ante-over", "14.1", BASE, scale("pay", 2, **match_stake(3, "ante"))),
    ("winning-ante-not-paid", "14.1", BASE, drop("pay", **match_stake(3, "ante"))),
    ("winning-bet-short", "14.2", BASE, scale("pay", 1, 2, **match_stake(3, "bet"))),
    ("winning-bet-over", "14.2", BASE, scale("pay", 2, **match_stake(3, "bet"))),
    ("winning-bet-not-paid", "14.2", BASE, drop("pay", **match_stake(3, "bet"))),
    ("losing-ante-left", "14.3", BASE, drop("collect", **match_stake(1, "ante"))),
    ("losing-bet-left", "14.3", BASE, drop("collect", **match_stake(1, "bet"))),
    ("losing-ante-paid", "14", BASE, pay_instead(1, "ante")),
    ("losing-bet-paid", "14", BASE, pay_instead(1, "bet")),
    ("half-of-a-losing-bet-taken", "14.3", BASE, scale("collect", 1, 2, **match_stake(1, "bet"))),
    ("winning-ante-taken", "14", BASE, take_instead(3, "ante")),
    ("winning-bet-taken", "14", BASE, take_instead(3, "bet")),
    ("tied-ante-taken", "14.5", TIE, settle_anyway("collect", 5, "ante")),
    ("tied-bet-taken", "14.5", TIE, settle_anyway("collect", 5, "bet")),
    ("tied-ante-paid", "14.5", TIE, settle_anyway("pay", 5, "ante")),
    ("flush-paid-four", "14.2", BASE, repay(6, 4)),
    ("flush-paid-by-the-table-of-a-straight", "14.2", BASE, repay(6, 3)),
    ("straight-paid-two", "14.2", single("5s6h7d8c9c"), repay(5, 2)),
    ("trips-paid-even", "14.2", single("6h6c6s8c9c"), repay(5, 1)),
    ("two-pair-paid-two", "14.2", single("AcAh8c8h9c"), repay(5, 2)),
    ("full-house-paid-five", "14.2", single("6h6c6s8c8h"), repay(5, 5)),
    ("quads-paid-ten", "14.2", single("8h8c8s8d9c", DEALER), repay(5, 10)),
    ("straight-flush-paid-as-quads", "14.2", single("6d7d8d9dTd"), repay(5, 20)),
    ("royal-paid-as-a-straight-flush", "14.2", single("ThJhQhKhAh"), repay(5, 50)),
    ("summary-of-a-short-payment", "14.2", Scene(form="summary"), scale("pay", 1, 2, **match_stake(3, "bet"))),
    ("summary-of-a-losing-stake-left", "14.3", Scene(form="summary"), drop("collect", **match_stake(1, "bet"))),
    ("no-hand-ante-not-paid", "13", NONE, drop("pay", **match_stake(3, "ante"))),
    ("no-hand-ante-paid-double", "13", NONE, scale("pay", 2, **match_stake(3, "ante"))),
    ("no-hand-loser-taken", "13", NONE, take_instead(1, "ante")),
    ("no-hand-bet-taken", "13", NONE, settle_anyway("collect", 3, "bet")),
    ("fold-left", "7.1", BASE, drop("collect", **match_stake(4, "ante"))),
    ("fold-paid-when-there-is-no-hand", "13", NONE, pay_instead(4, "ante")),
    ("half-of-a-folded-ante-taken", "7.1", BASE, scale("collect", 1, 2, **match_stake(4, "ante"))),
    ("tip-not-paid", "4", TIPPED, drop("pay", seat=3, wager="ante", tip=True)),
    ("tip-above-the-ante", "4", Scene(hands=(replace(WINNER, tip=260, ante=110), FLUSH)), lambda round_: None),
    (
        "tip-on-the-bet",
        "4",
        BASE,
        insert_event(
            "wager", {"seat": 3, "wager": "bet", "amount": 100, "tip": True}, after=("wager", match_stake(3, "bet"))
        ),
    ),
    # Dead hands and misdeals
    ("dead-hand-loses-its-ante", "6", DEAD, take_from_the_dead),
    ("dead-hand-paid", "6", DEAD, pay_the_dead),
    ("stake-kept-after-a-misdeal-to-the-table", "6", TABLE_MISDEAL, settle_anyway("collect", 3, "ante")),
    ("winner-paid-after-a-misdeal-to-the-table", "6", TABLE_MISDEAL, settle_anyway("pay", 3, "ante")),
    ("six-cards-played-on", "6", PAIR, deal_extra("player", 3)),
    ("six-cards-of-the-dealer-played-on", "6", PAIR, deal_extra("dealer", None)),
    ("misdeal-without-a-miscount", "6", PAIR, insert_event("misdeal", {"place": "player", "seat": 3}, after=LAST_DEAL)),
    # The jackpot
    ("award-not-paid", "9.3", BASE, drop("pay", **match_stake(6, "progressive"))),
    ("award-short", "9.3", BASE, set_award(lambda amount: amount // 2)),
    ("award-over", "9.3", BASE, set_award(lambda amount: amount * 2)),
    ("award-without-a-claim", "9", UNCLAIMED, award(6, 5_000)),
    ("award-without-a-token", "3.1", TOKENLESS, award(6, 5_000)),
    ("award-on-drawn-cards", "9.1", DRAWN_FLUSH, award(3, 5_000)),
    ("award-below-a-flush", "9.3", PAIR, award(1, 5_000)),
    ("straight-flush-gets-the-whole-meter", "9.3", STRAIGHT_FLUSH, set_award(lambda amount: amount * 10)),
    ("straight-flush-gets-the-fixed-award", "9.3", STRAIGHT_FLUSH, set_award(lambda amount: 500_000)),
    ("royal-gets-a-tenth", "9.3", ROYAL, set_award(lambda amount: amount // 10)),
    ("award-paid-otherwise-than-announced", "9.2", BASE, alter("announce", {"amount": 10_000}, what="jackpot-award")),
    ("award-not-announced", "9.2", BASE, drop("announce", what="jackpot-award")),
    ("award-announced-by-the-dealer", "9.2", BASE, alter("announce", {"by": "dealer"}, what="jackpot-award")),
    (
        "award-paid-before-the-hand-is-shown",
        "9",
        BASE,
        move("pay", before=("reveal", {"seat": 6}), **match_stake(6, "progressive")),
    ),
    (
        "award-paid-before-it-is-announced",
        "9.2",
        BASE,
        move("announce", after=("pay", match_stake(6, "progressive")), what="jackpot-award"),
    ),
    ("awards-from-right-to-left", "9", TWO_AWARDS, both(claim_first, swap_announced_awards)),
    (
        "award-after-the-draw",
        "10",
        BASE,
        move("pay", after=("draw", {"place": "player"}), **match_stake(6, "progressive")),
    ),
    ("claim-before-the-last-bet", "9", BASE, move("claim", before=CALL, seat=6)),
    ("declared-hand-not-shown", "9", BASE, drop("reveal", place="player", seat=6)),
    (
        "meter-not-advanced",
        "3.1",
        PAIR,
        both(meter("shown", lambda value: value - 70), meter("closing", lambda value: value - 70)),
    ),
    (
        "meter-advanced-by-half",
        "3.1",
        PAIR,
        both(meter("shown", lambda value: value - 35), meter("closing", lambda value: value - 35)),
    ),
    ("meter-falls-without-an-award", "3.1", PAIR, meter("closing", lambda value: value - 100_000)),
    ("meter-opens-lower-than-it-closed", "3.1", PAIR, shift_meter(-50_000)),
    ("two-tokens", "3", BASE, change_stake(1, "progressive", lambda stake: 2 * stake)),
    ("token-after-the-lock", "3.3", BASE, token_after_the_lock),
    ("slots-not-locked", "3.3", BASE, drop("device", what="lock-coin-in")),
    (
        "slots-locked-after-the-first-card",
        "3.3",
        BASE,
        move("device", after=("deal", {"seat": 1}), what="lock-coin-in"),
    ),
    ("lockout-not-cleared", "3.3", Scene(after=1, found_after=1), drop("device", what="clear-lockout")),
    # Stakes
    (
        "ante-above-the-cap",
        "2",
        BASE,
        both(change_stake(3, "ante", lambda stake: 300), change_stake(3, "bet", lambda stake: 600)),
    ),
    (
        "ante-below-the-minimum",
        "2",
        BASE,
        both(change_stake(3, "ante", lambda stake: 40), change_stake(3, "bet", lambda stake: 80)),
    ),
    ("ante-after-the-deal", "2", BASE, insert_event("wager", match_stake(3, "ante") | {"amount": 10}, after=LAST_DEAL)),
    (
        "ante-withdrawn-after-the-deal",
        "2",
        BASE,
        insert_event("withdraw", match_stake(3, "ante") | {"amount": 10}, after=LAST_DEAL),
    ),
    ("no-ante", "2", PAIR, both(drop("wager", **match_stake(1, "ante")), drop("collect", **match_stake(1, "ante")))),
    ("bet-equals-the-ante", "7.2", BASE, change_stake(3, "bet", lambda stake: stake // 2)),
    ("bet-three-times-the-ante", "7.2", BASE, change_stake(3, "bet", lambda stake: stake * 3 // 2)),
    (
        "call-without-a-bet",
        "7.2",
        BASE,
        both(drop("wager", **match_stake(3, "bet")), drop("pay", **match_stake(3, "bet"))),
    ),
    ("bet-after-the-draw", "7.2", BASE, move("wager", after=("draw", {"place": "player"}), **match_stake(3, "bet"))),
    ("bet-after-the-dealer-shows", "7.2", BASE, move("wager", after=REVEALED, **match_stake(3, "bet"))),
    (
        "bet-of-a-folder",
        "7.1",
        BASE,
        insert_event("wager", match_stake(4, "bet") | {"amount": 200}, after=("decide", {"seat": 4})),
    ),
    ("two-hands-of-one-player", "1", BASE, lambda round_: round_.seats[3].update(player="P1")),
    # Cards
    ("no-shuffle", "5", BASE, drop("shuffle")),
    ("no-cut", "5", BASE, drop("cut")),
    ("two-decks-in-turn", "1", BASE, lambda round_: setattr(round_, "deck", "red")),
    ("dealt-out-of-turn", "5", BASE, swap_first_deals),
    ("dealer-dealt-first", "5", BASE, dealer_first),
    ("dealt-in-packets", "5", BASE, deal_in_packets),
    ("dealt-face-up", "5", BASE, alter("deal", {"face": "up"}, seat=3)),
    ("three-discards", "10", BASE, discard_again("9d")),
    ("discards-face-up", "8.1", BASE, alter("discard", {"face": "up"}, place="player", seat=3)),
    ("discards-not-verified", "10", BASE, drop("count", what="discards")),
    ("wrong-count-of-discards", "10", BASE, alter("count", {"number": lambda number: number + 1}, what="discards")),
    ("discards-not-racked", "10", BASE, both(drop("collect-cards", what="discards", seat=3), take_up(3, "hand"))),
    (
        "discards-not-racked-and-the-last-motion-unsaid",
        "10",
        BASE,
        both(drop("collect-cards", what="discards", seat=3), take_up(3, None)),
    ),
    ("drawn-before-the-discards-are-racked", "10", BASE, move("draw", before=("count", {}), place="player", seat=1)),
    (
        "drawn-without-discarding",
        "11",
        BASE,
        insert_event(
            "draw",
            {"place": "player", "seat": 6, "cards": "Tc", "face": "down", "by": "dealer"},
            after=("draw", {"place": "player"}),
        ),
    ),
    ("one-card-drawn-for-two", "11", BASE, draw_one),
    ("drawn-out-of-turn", "11", BASE, swap_draws),
    ("dealer-draws-before-the-players", "11", BASE, dealer_draws_first),
    ("dealer-does-not-show", "12", BASE, drop("reveal", place="dealer")),
    (
        "dealer-stands-on-two-pairs",
        "12.2",
        Scene(hands=(LOSER, WINNER), dealer=("KsKdQcQh3s", "3s", "2c")),
        dealer_keeps("", ""),
    ),
    (
        "dealer-breaks-two-pairs",
        "12.2",
        Scene(hands=(LOSER, WINNER), dealer=("KsKdQcQh3s", "3s", "2c")),
        dealer_keeps("QcQh", "2c5h"),
    ),
    (
        "dealer-stands-on-trips",
        "12.3",
        Scene(hands=(LOSER, WINNER), dealer=("KsKdKc9h3s", "9h3s", "2c5h")),
        dealer_keeps("", ""),
    ),
    (
        "dealer-draws-on-a-straight",
        "12.1",
        Scene(hands=(LOSER, WINNER), dealer=("TsJdQcKhAs", "", "")),
        dealer_keeps("TsJd", "2c5h"),
    ),
    (
        "dealer-draws-on-a-flush",
        "12.1",
        Scene(hands=(LOSER, WINNER), dealer=("3s5s9sJsKs", "", "")),
        dealer_keeps("3s", "2c"),
    ),
    ("dealer-keeps-the-lower-kicker", "12.3", BASE, dealer_keeps("Qc3s", "2c5h")),
    (
        "dealer-breaks-a-pair-for-a-flush",
        "12.3",
        Scene(hands=(LOSER, WINNER), dealer=("KsQs9s3sKd", "9s3s", "2c5h")),
        dealer_keeps("Kd", "2c"),
    ),
    (
        "dealer-breaks-four-to-a-flush",
        "12.2",
        Scene(hands=(LOSER, WINNER), dealer=("KsQs9s3s5d", "5d", "Kc")),
        dealer_keeps("5d3s", "KcKh"),
    ),
    (
        "dealer-breaks-an-open-ended-straight",
        "12.2",
        Scene(hands=(LOSER, WINNER), dealer=("9hTdJsQc2d", "2d", "Qh")),
        dealer_keeps("2d9h", "QhQs"),
    ),
    ("dealer-draws-three-to-no-pair", "12.3", NONE, dealer_keeps("2s3h5h", "7d8cTd")),
    ("dealer-discards-the-highest", "12.3", NONE, dealer_keeps("9cJs", "7d8c")),
    (
        "dealer-draws-before-discarding",
        "12",
        BASE,
        move("discard", after=("draw", {"place": "dealer"}), place="dealer"),
    ),
    # The end of the round
    ("no-hand-not-announced", "13", NONE, drop("announce", what="no-hand")),
    (
        "no-hand-with-a-pair-of-eights",
        "13",
        Scene(hands=(LOSER, WINNER), dealer=("8h8cQc9h3s", "9h3s", "2c5h")),
        declare_no_hand,
    ),
    (
        "pair-of-sevens-played",
        "13",
        Scene(hands=(LOSER, WINNER), dealer=("7s7dQc9h3s", "9h3s", "2c5h")),
        play_without_a_hand,
    ),
    ("settled-from-the-left", "14.3", BASE, settle_from_the_left),
    ("settled-before-the-dealer-shows", "14", BASE, move("pay", before=REVEALED, **match_stake(3, "ante"))),
    ("hand-not-racked", "14.4", BASE, drop("collect-cards", place="player", seat=6)),
    ("folded-cards-not-collected", "7.1", BASE, drop("collect-cards", place="player", seat=4)),
    (
        "folded-cards-before-the-ante",
        "7.1",
        BASE,
        both(
            take_up(4, "hand"),
            move("collect-cards", before=("collect", match_stake(4, "ante")), place="player", seat=4),
        ),
    ),
    (
        "folded-cards-before-the-ante-in-a-motion-unsaid",
        "7.1",
        BASE,
        both(
            take_up(4, None), move("collect-cards", before=("collect", match_stake(4, "ante")), place="player", seat=4)
        ),
    ),
    (
        "next-player-before-the-cards-are-racked",
        "14.4",
        BASE,
        both(
            take_up(6, "hand"),
            move("collect-cards", after=("collect", match_stake(1, "bet")), last=True, place="player", seat=6),
        ),
    ),
    (
        "next-player-before-the-cards-are-racked-in-a-motion-unsaid",
        "14.4",
        BASE,
        both(
            take_up(6, None),
            move("collect-cards", after=("collect", match_stake(1, "bet")), last=True, place="player", seat=6),
        ),
    ),
    # Summaries
    ("summary-of-a-tie-taken", "14.5", replace(TIE, form="summary"), settle_anyway("collect", 5, "bet")),
    (
        "summary-of-a-bet-taken-when-there-is-no-hand",
        "13",
        replace(NONE, form="summary"),
        settle_anyway("collect", 3, "bet"),
    ),
    ("summary-of-a-fold-left", "7.1", Scene(form="summary"), drop("collect", **match_stake(4, "ante"))),
    ("summary-of-a-short-award", "9.3", Scene(form="summary"), set_award(lambda amount: amount // 2)),
    (
        "summary-of-an-award-not-paid",
        "9.3",
        Scene(form="summary"),
        both(drop("pay", **match_stake(6, "progressive")), drop("announce", what="jackpot-award")),
    ),
    (
        "summary-of-an-ante-above-the-cap",
        "2",
        Scene(form="summary"),
        both(change_stake(3, "ante", lambda stake: 300), change_stake(3, "bet", lambda stake: 600)),
    ),
    (
        "summary-of-a-bet-that-equals-the-ante",
        "7.2",
        Scene(form="summary"),
        change_stake(3, "bet", lambda stake: stake // 2),
    ),
    (
        "summary-of-a-dealer-who-stands-on-two-pairs",
        "12.2",
        replace(DEALER_TWO_PAIRS, form="summary"),
        dealer_keeps("", ""),
    ),
    ("summary-of-three-discards", "10", Scene(form="summary"), discard_again("9d")),
    (
        "summary-of-a-wrong-winner-by-the-kicker",
        "14",
        Scene(hands=(LOSER, KICKER), form="summary"),
        both(pay_instead(5, "ante"), pay_instead(5, "bet")),
    ),
    # More money
    (
        "wrong-winner-by-the-kicker",
        "14",
        Scene(hands=(LOSER, KICKER)),
        both(pay_instead(5, "ante"), pay_instead(5, "bet")),
    ),
    ("payment-to-the-wrong-seat", "14", BASE, alter("pay", {"seat": 6}, **match_stake(3, "ante"))),
    ("payments-of-ante-and-bet-exchanged", "14", BASE, exchange_payments),
    ("bets-paid-when-there-is-no-hand", "13", NONE, settle_anyway("pay", 3, "bet")),
    ("one-of-two-awards-not-paid", "9.3", TWO_AWARDS, drop("pay", **match_stake(2, "progressive"))),
    ("two-royals-paid-in-full", "3.2", TWO_ROYALS, pay_royals(1, 1)),
    ("two-royals-paid-unequally", "3.2", TWO_ROYALS, pay_royals(3, 4)),
    (
        "straight-flush-gets-a-tenth-of-another-choice",
        "9.3",
        replace(STRAIGHT_FLUSH, house=replace(HOUSE, fixed_straight_flush=True)),
        set_award(lambda amount: 200_000),
    ),
    ("award-of-a-folder", "7.1", Scene(hands=(WINNER, replace(FLUSH, decision="fold", claims=False))), award(6, 5_000)),
    ("meter-shows-less-than-was-fed", "3.1", PAIR, meter("shown", lambda value: value - 70)),
    ("token-not-taken", "3", BASE, drop("collect", **match_stake(1, "progressive"))),
    # More of the order
    ("cut-before-the-shuffle", "5", BASE, move("cut", before=("shuffle", {}))),
    ("shuffled-again-after-the-cut", "5", BASE, insert_event("shuffle", {"by": "dealer"}, after=("cut", {}))),
    ("slots-locked-by-a-player", "3.3", BASE, alter("device", {"by": "player"}, what="lock-coin-in")),
    ("lockout-cleared-during-the-round", "3.3", BASE, move("device", before=("count", {}), what="clear-lockout")),
    ("dealer-shows-before-the-decisions", "12", BASE, move("reveal", before=CALL, place="dealer")),
    ("decision-after-the-draw", "9", BASE, move("decide", after=("draw", {"place": "player"}), seat=3)),
    ("fold-after-the-dealer-shows", "7", BASE, fold_late),
    (
        "bet-taken-back-after-the-draw",
        "7.1",
        PAIR,
        insert_event("withdraw", {"seat": 1, "wager": "bet", "amount": 20}, after=("draw", {"place": "player"})),
    ),
    (
        "discards-after-the-award",
        "9",
        BASE,
        move("discard", after=("pay", match_stake(6, "progressive")), place="player", seat=3),
    ),
    ("three-cards-drawn-for-two", "11", PAIR, draw_one_more("player", 3)),
    ("three-cards-drawn-for-two-by-the-dealer", "12", PAIR, draw_one_more("dealer", None)),
    ("four-cards-played-on", "6", PAIR, deal_one_less),
    ("discards-verified-by-a-player", "10", BASE, alter("count", {"by": "player"}, what="discards")),
    ("a-card-dealt-twice", "1", BASE, deal_twice),
    (
        "stakes-settled-before-the-players-draw",
        "14",
        BASE,
        move("collect", before=("draw", {}), **match_stake(1, "bet")),
    ),
    # Records of logs that leave out something else
    ("bet-short-and-outcomes-left-out", "14.2", Scene(left_out=OUTCOMES), scale("pay", 1, 2, **match_stake(3, "bet"))),
    ("award-short-and-outcomes-left-out", "9.3", Scene(left_out=OUTCOMES), set_award(lambda amount: amount // 2)),
    ("no-shuffle-and-deals-unordered", "5", Scene(unrecorded=("deal/order",)), drop("shuffle")),
    (
        "slots-not-locked-and-deals-unordered",
        "3.3",
        Scene(unrecorded=("deal/order",)),
        drop("device", what="lock-coin-in"),
    ),
    (
        "award-not-announced-and-hands-not-shown",
        "9.2",
        Scene(unrecorded=("reveal",)),
        drop("announce", what="jackpot-award"),
    ),
    (
        "declared-hand-not-shown-and-nothing-announced",
        "9",
        Scene(unrecorded=("announce",)),
        drop("reveal", place="player", seat=6),
    ),
    ("settled-from-the-left-and-cards-not-racked", "14.3", Scene(unrecorded=("collect-cards",)), settle_from_the_left),
    (
        "folded-cards-not-collected-and-payments-unrecorded",
        "7.1",
        Scene(unrecorded=("pay", "collect", "return")),
        drop("collect-cards", place="player", seat=4),
    ),
    ("bet-short-and-cards-from-events", "14.2", Scene(left_out=CARDS), scale("pay", 1, 2, **match_stake(3, "bet"))),
    (
        "bet-short-and-events-of-payments-unrecorded",
        "14.2",
        Scene(unrecorded=("pay", "collect", "return")),
        scale("pay", 1, 2, **match_stake(3, "bet")),
    ),
]


def build(index: int) -> Callable[[int], Case]:
    """Return the builder of a violation; the first of each scene brings the scene along as its control."""
    _, _, scene, edit = TABLE[index]
    is_first = scene not in [other for _, _, other, _ in TABLE[:index]]

    def make(seed: int) -> Case:
        case = scene.case(seed, edit)
        return case if is_first else replace(case, controls=[])

    return make


VIOLATIONS = [
    Violation(name, f"caribbean-draw/{clause}", build(index)) for index, (name, clause, _, _) in enumerate(TABLE)
]
