"""Violations of Colorado Hold'em (Section 38), chosen as a review of surveillance would choose them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.lawful.edits import Edit, alter, both, drop, find, insert_event, move, scale
from tests.lawful.habits import Habits
from tests.lawful.record import Event, Round, drop_all_events, drop_events, drop_keys, make_event, split_cards
from tests.lawful.section38 import BONUS, Hand, House, Plan, Table
from tests.lawful.violations import Case, Violation

PERMISSIBLE = House("Casino P")
REQUIRED = House("Casino R", version="required-bet")
AUTOMATED = House("Casino A", dealing="automated-shoe")
FROM_HAND = House("Casino H", dealing="hand", shuffler="mechanical")
COUNTED = House("Casino N", shuffler="mechanical", counts=True)
TWO_DECKS = House("Casino D", shuffler="mechanical", decks=2)
LOW_LIMIT = House("Casino L", maximum=100_000)
COMMUNITY = "9cTs4d"

LOSER = Hand(2, "P2", cards=split_cards("2c7dJh"), discard="2c", has_bonus=True)
WINNER = Hand(3, "P3", cards=split_cards("KsKd3h"), discard="3h", has_bonus=True)
PUSHER = Hand(5, "P5", cards=split_cards("9d5h8s"), discard="5h", has_bonus=True)
TRIPS = Hand(7, "P7", cards=split_cards("TcTd6h"), discard="6h")
INSTANT = Hand(1, "P1", cards=split_cards("5s6s7s"), decision="declare", has_bonus=True)
WRONG = Hand(1, "P1", cards=split_cards("5s6s8d"), decision="declare")
FOLDER = Hand(4, "P4", cards=split_cards("2d6c8h"), decision="fold")
STAYER = Hand(6, "P6", cards=split_cards("QcQd8c"), decision="stay", discard="8c")


@dataclass(frozen=True)
class Scene:
    """A round with given hands, between other rounds at its table."""

    house: House = PERMISSIBLE
    hands: tuple[Hand, ...] = (LOSER, WINNER, PUSHER, TRIPS)
    community: str = COMMUNITY
    trouble: str | None = None
    count_stub: bool = False
    before: int = 1
    after: int = 0
    found_after: int = 0
    """Number of rounds after which the breach shows."""
    opens: bool = False
    pause: timedelta = timedelta(minutes=2)
    keeps_deck: bool = False
    """True if a deck that was found incomplete stays at the table."""
    names_decks: bool = False
    form: str = "full"
    unrecorded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Keys that the log leaves out."""

    def case(self, seed: int, edit: Edit) -> Case:
        """Play the rounds, change the one in the middle, and return their records."""
        rng = random.Random(f"violations-{seed}")
        table = Table(self.house, "T1", rng, datetime(2026, 3, 2, 18, tzinfo=UTC), habits=Habits())
        table.has_named_decks |= self.names_decks
        table.number = 0 if self.opens else rng.randint(10, 90)
        made: list[Round] = []
        for index in range(self.before + 1 + self.after):
            table.number += 1
            is_target = index == self.before
            table.now += self.pause if is_target else timedelta(minutes=2)
            if self.house.decks > 1 and index:
                table.deck_index = 1 - table.deck_index
            table.seated = {hand.seat: hand.player for hand in self.hands}
            if is_target:
                hands = [
                    replace(
                        hand, cards=list(hand.cards), ante=rng.randint(2, 40) * 500 if hand.ante == 1000 else hand.ante
                    )
                    for hand in sorted(self.hands, key=lambda hand: hand.seat)
                ]
                plan = Plan(hands, split_cards(self.community), self.trouble, self.count_stub)
            else:
                plan = table.plan()
            is_opening = table.number == 1
            is_followed = index > self.before and not self.keeps_deck
            prelude = table.prelude(plan, [], [], was_idle=False) if is_opening or is_followed else []
            if is_target:
                table.seated = dict.fromkeys(range(1, self.house.positions + 1), "")  # nobody can arrive
            made.append(table.play(plan, f"V{index + 1}", prelude=prelude))
        controls = [round_.record() for round_ in made]
        if self.form == "summary":
            controls[self.before] = drop_all_events(controls[self.before])
        edit(made[self.before])
        records = [round_.record() for round_ in made]
        if self.form == "summary":
            records[self.before] = drop_all_events(records[self.before])
        found = self.before + self.found_after
        if self.unrecorded:
            records, controls = (
                [drop_events(record, self.unrecorded) for record in each] for each in (records, controls)
            )
        records, controls = ([drop_keys(record, self.left_out) for record in each] for each in (records, controls))
        if records == controls:
            controls = []  # the rounds break the rules by themselves
        return Case(records, [self.house.submission()], f"V{found + 1}", controls)


def match_stake(seat: int, wager: str) -> dict[str, Any]:
    return {"seat": seat, "wager": wager}


def exchange_for_pay(seat: int, wager: str) -> Edit:
    """Pay a stake that was taken, even money."""

    def edit(round_: Round) -> None:
        index = find(round_, "collect", **match_stake(seat, wager))
        round_.events[index]["event"] = "pay"

    return edit


def take_winner(seat: int, wager: str) -> Edit:
    """Take a stake that was paid."""

    def edit(round_: Round) -> None:
        index = find(round_, "pay", **match_stake(seat, wager))
        stake = next(
            e["amount"] for e in round_.events if e["event"] == "wager" and e["seat"] == seat and e["wager"] == wager
        )
        round_.events[index] = {"event": "collect", "seat": seat, "wager": wager, "amount": stake}

    return edit


def stake_of(round_: Round, seat: int, wager: str) -> int:
    return round_.stakes()[seat, wager, False].amount


def pay_stake(seat: int, wager: str, odds: int = 1) -> Edit:
    """Pay a stake that is due nothing, in front of the end."""

    def edit(round_: Round) -> None:
        at = find(round_, "collect-cards", place="community")
        amount = odds * stake_of(round_, seat, wager)
        round_.events.insert(at, {"event": "pay", "seat": seat, "wager": wager, "amount": amount})

    return edit


def collect_stake(seat: int, wager: str) -> Edit:
    """Take a stake that pushes, as losing stakes are taken."""

    def edit(round_: Round) -> None:
        round_.events = [
            event
            for event in round_.events
            if not (event["event"] == "return" and event["seat"] == seat and event["wager"] == wager)
        ]
        at = find(round_, "collect-cards", place="player", seat=seat)
        amount = stake_of(round_, seat, wager)
        round_.events.insert(at, {"event": "collect", "seat": seat, "wager": wager, "amount": amount})

    return edit


def repay(seat: int, odds: int, wagers: tuple[str, ...] = ("ante",)) -> Edit:
    """Pay a winning stake at other odds."""

    def edit(round_: Round) -> None:
        for wager in wagers:
            index = find(round_, "pay", **match_stake(seat, wager))
            round_.events[index]["amount"] = odds * stake_of(round_, seat, wager)

    return edit


def change_stake(seat: int, wager: str, amount: int | Callable[[int], int]) -> Edit:
    """Give a stake another size, and settle it in proportion."""

    def edit(round_: Round) -> None:
        old = stake_of(round_, seat, wager)
        new = amount(old) if callable(amount) else amount
        is_first = True
        for event in list(round_.events):
            if event.get("seat") != seat or event.get("wager") != wager or event.get("tip"):
                continue
            if event["event"] in {"wager", "withdraw"}:
                if is_first:
                    event["amount"] = new
                    is_first = False
                else:
                    round_.events.remove(event)
            elif "amount" in event:
                event["amount"] = event["amount"] * new // old

    return edit


def change_cards(place: str, seat: int | None, make: Callable[[list[Any], int], None]) -> Edit:
    """Change the deals of a place: `make` gets the events and the index of its last deal."""

    def edit(round_: Round) -> None:
        make(round_.events, find(round_, "deal", last=True, place=place, seat=seat))

    return edit


def deal_extra(events: list[Any], index: int) -> None:
    events.insert(index + 1, events[index] | {"cards": "3d"})


def two_cards(round_: Round) -> None:
    """Leave a player a card short, and play on."""
    drop("deal", seat=5, cards="8s")(round_)
    alter("reveal", {"cards": "9d"}, seat=5)(round_)
    for event in round_.events:
        if event["event"] == "collect-cards" and event.get("seat") == 5:
            event.pop("cards", None)


def no_ante(round_: Round) -> None:
    """Deal to a player who has no Ante."""
    round_.events = [
        event
        for event in round_.events
        if not (event["event"] in {"wager", "withdraw", "return"} and event["seat"] == 5 and event["wager"] == "ante")
    ]


def late_ante(round_: Round) -> None:
    """Place an Ante between the announcement and the deal."""
    mine = [e for e in round_.events if e["event"] in {"wager", "withdraw"} and (e["seat"], e["wager"]) == (3, "ante")]
    round_.events = [event for event in round_.events if event not in mine]
    index = find(round_, "deal")
    round_.events[index:index] = mine


def expose_and_deal(round_: Round) -> None:
    """Find a card face up in the deck and deal it to a player all the same."""
    index = find(round_, "deal", place="player", seat=5)
    round_.events.insert(index, {"event": "expose", "place": "burn", "cards": round_.events[index]["cards"]})


def swap_deals(round_: Round) -> None:
    """Exchange the turns of two players in the first pass."""
    one, two = find(round_, "deal", seat=2), find(round_, "deal", seat=3)
    round_.events[one], round_.events[two] = round_.events[two], round_.events[one]


def community_first(round_: Round) -> None:
    index = find(round_, "deal", place="community")
    round_.events.insert(find(round_, "deal"), round_.events.pop(index))


def packets_of_three(round_: Round) -> None:
    """Deal three cards at once to each, where one at a time is the way."""
    deals = [event for event in round_.events if event["event"] == "deal"]
    at = find(round_, "deal")
    round_.events = [event for event in round_.events if event["event"] != "deal"]
    packets: list[Any] = []
    for event in deals:
        mine = next((p for p in packets if (p["place"], p.get("seat")) == (event["place"], event.get("seat"))), None)
        if mine is None:
            packets.append(dict(event))
        else:
            mine["cards"] += event["cards"]
    round_.events[at:at] = packets


def reverse_reveals(round_: Round) -> None:
    """Show the hands clockwise, all before anything is settled."""
    reveals = [event for event in round_.events if event["event"] == "reveal" and event["place"] == "player"]
    round_.events = [event for event in round_.events if event not in reveals]
    at = find(round_, "reveal", last=True, place="community") + 1
    round_.events[at:at] = sorted(reveals, key=lambda event: event["seat"])


def reverse_payments(round_: Round) -> None:
    """Pay winners clockwise."""
    pays = [index for index, event in enumerate(round_.events) if event["event"] == "pay"]
    events = sorted((round_.events[index] for index in pays), key=lambda event: event["seat"])
    for index, event in zip(pays, events, strict=True):
        round_.events[index] = event


def reverse_decisions(round_: Round) -> None:
    """Let players decide counterclockwise."""
    first, last = find(round_, "decide"), find(round_, "reveal", place="community")
    block = round_.events[first:last]
    seats = sorted({event["seat"] for event in block}, reverse=True)
    round_.events[first:last] = [event for seat in seats for event in block if event["seat"] == seat]


def pay_before_collecting(round_: Round) -> None:
    pays = [event for event in round_.events if event["event"] == "pay"]
    round_.events = [event for event in round_.events if event["event"] != "pay"]
    at = find(round_, "collect")
    round_.events[at:at] = pays


def shuffle_by_hand(round_: Round) -> None:
    round_.events[find(round_, "shuffle")]["by"] = "dealer"


def cash(wager: str, in_: str = "cash") -> Edit:
    return alter("wager", {"in": in_}, wager=wager)


def name_deck(name: str) -> Edit:
    def edit(round_: Round) -> None:
        round_.deck = name
        for event in round_.events:
            if "deck" in event:
                event["deck"] = name

    return edit


def play_for(seat: int, player: str) -> Edit:
    def edit(round_: Round) -> None:
        round_.seats[seat]["player"] = player

    return edit


def pay_all_on_the_ante(round_: Round) -> None:
    """Pay on the Ante what is due on Ante and Bet."""
    drop("pay", **match_stake(3, "bet"))(round_)
    scale("pay", 2, **match_stake(3, "ante"))(round_)


def deal_twice(round_: Round) -> None:
    """Deal a card that lies on the table already."""
    card = round_.events[find(round_, "deal", seat=3)]["cards"]
    event = round_.events[find(round_, "deal", last=True, seat=7)]
    old = event["cards"]
    for other in round_.events:
        if other.get("seat") == 7 and old in other.get("cards", ""):
            other["cards"] = other["cards"].replace(old, card)


def deal_singly(round_: Round) -> None:
    """Deal one card at a time though the automated shoe is on the table."""
    deals = [event for event in round_.events if event["event"] == "deal"]
    index = find(round_, "deal")
    round_.events = [event for event in round_.events if event["event"] != "deal"]
    round_.events[index:index] = [
        event | {"cards": split_cards(event["cards"])[turn], "by": "dealer"} for turn in range(3) for event in deals
    ]


def everybody_moves() -> list[Event]:
    """Return departures of all players and arrivals of others."""
    seats = [LOSER.seat, WINNER.seat, PUSHER.seat, TRIPS.seat]
    return [make_event(kind, seat=seat) for kind in ("leave", "arrive") for seat in seats]


def declare_late(round_: Round) -> None:
    """Declare an instant winner when the community cards lie open."""
    mine = [
        e for e in round_.events if e.get("seat") == 1 and e["event"] in {"decide", "reveal", "pay", "collect-cards"}
    ]
    round_.events = [event for event in round_.events if event not in mine]
    index = find(round_, "reveal", last=True, place="community") + 1
    round_.events[index:index] = mine


def no_edit(round_: Round) -> None:
    """Leave the round as it is: the table's state makes the breach."""


def hands(*chosen: Hand, **keys: Any) -> Scene:
    return Scene(hands=chosen, **keys)


def single(community: str, cards: str, discard: str, house: House = PERMISSIBLE, **keys: Any) -> Scene:
    """Return a scene with one made hand and a loser."""
    made = Hand(4, "P4", cards=split_cards(cards), discard=discard, **keys)
    other = Hand(2, "P2", cards=split_cards("2c7hJh"), discard="2c")
    return Scene(house=house, hands=(other, made), community=community)


BASE = Scene()
REQ = Scene(house=REQUIRED)
DECLARED = hands(INSTANT, LOSER, WINNER)
MISTAKEN = hands(WRONG, LOSER, WINNER)
FOLDED = hands(LOSER, WINNER, FOLDER, house=REQUIRED)
VOID = Scene(trouble="faces-up")
TWO_PAIR = single("9cTs4d", "9dTd2h", "2h")
NO_MORE_BETS = ("announce", {"what": "no-more-bets"})
COMMUNITY_SHOWN = ("reveal", {"place": "community"})
Anchor = tuple[str, dict[str, Any]]
FIRST_DEAL: Anchor = ("deal", {})
FIRST_PASS = ("deal", {"cards": "9c"})

OUTCOMES = ("wager/paid", "wager/taken")
CARDS = ("seat/cards", "community", "dealer", "seat/discarded", "seat/drawn", "dealer-discarded", "dealer-drawn")

TABLE: list[tuple[str, str, Scene, Edit]] = [
    # Ante and Bet
    ("winning-ante-short", "(k)(4)", BASE, scale("pay", 1, 2, **match_stake(3, "ante"))),
    ("winning-ante-over", "(l)(7)", BASE, scale("pay", 2, **match_stake(3, "ante"))),
    ("winning-bet-short", "(l)(7)", BASE, scale("pay", 1, 2, **match_stake(3, "bet"))),
    ("winning-bet-over", "(l)(7)", BASE, scale("pay", 3, 2, **match_stake(3, "bet"))),
    ("winning-ante-not-paid", "(l)(7)", BASE, drop("pay", **match_stake(3, "ante"))),
    ("winning-bet-not-paid", "(l)(7)", BASE, drop("pay", **match_stake(3, "bet"))),
    ("losing-ante-paid", "(l)(5)", BASE, exchange_for_pay(2, "ante")),
    ("losing-bet-paid", "(l)(5)", BASE, exchange_for_pay(2, "bet")),
    ("losing-ante-left", "(l)(5)", BASE, drop("collect", **match_stake(2, "ante"))),
    ("losing-bet-left", "(l)(5)", BASE, drop("collect", **match_stake(2, "bet"))),
    ("half-of-a-losing-bet-taken", "(l)(5)", BASE, scale("collect", 1, 2, **match_stake(2, "bet"))),
    ("pushing-ante-taken", "(l)(6)", BASE, collect_stake(5, "ante")),
    ("pushing-bet-taken", "(l)(6)", BASE, collect_stake(5, "bet")),
    ("pushing-ante-paid", "(l)(6)", BASE, pay_stake(5, "ante")),
    ("winning-ante-taken", "(l)(7)", BASE, take_winner(3, "ante")),
    ("trips-paid-as-two-pair", "(n)(2)", BASE, repay(7, 2)),
    ("trips-paid-as-a-straight", "(n)(2)", BASE, repay(7, 5, ("ante", "bet"))),
    ("ante-of-a-stayer-not-paid", "(n)(2)", hands(LOSER, STAYER), drop("pay", **match_stake(6, "ante"))),
    ("royal-paid-as-a-straight-flush", "(n)(2)", single("AsKsTs", "QsJs3d", "3d", ante=600), repay(4, 100)),
    ("straight-flush-paid-as-a-royal", "(n)(2)", single("5s6s7s", "8s9s3d", "3d"), repay(4, 500)),
    ("quads-paid-by-the-other-version", "(m)(2)", single("9c9d4h", "9s9h3d", "3d", REQUIRED), repay(4, 25)),
    ("full-house-paid-by-the-other-version", "(m)(2)", single("9c9d4h", "9s4s3d", "3d", REQUIRED), repay(4, 10)),
    ("flush-short", "(n)(2)", single("2s6s9s", "Js4s3d", "3d"), repay(4, 7)),
    ("straight-short", "(n)(2)", single("5s6d7c", "8s9c3d", "3d"), repay(4, 4)),
    ("two-pair-paid-even", "(n)(2)", TWO_PAIR, repay(4, 1, ("ante", "bet"))),
    (
        "pair-of-tens-pushed-in-the-required-version",
        "(m)(2)",
        single("9cTs4d", "Th2h6h", "6h", REQUIRED),
        both(drop("pay", **match_stake(4, "ante")), drop("pay", **match_stake(4, "bet"))),
    ),
    ("pair-of-tens-paid-in-the-permissible-version", "(l)(6)", single("9cTs4d", "Th2h6h", "6h"), pay_stake(4, "ante")),
    ("pair-of-nines-paid-in-the-required-version", "(m)(2)", REQ, pay_stake(5, "ante")),
    (
        "pair-of-eights-pushed-in-the-permissible-version",
        "(l)(5)",
        single("8cTs4d", "8h2h6h", "6h"),
        both(drop("collect", **match_stake(4, "ante")), drop("collect", **match_stake(4, "bet"))),
    ),
    ("pair-of-sixes-paid", "(l)(5)", single("6cTs4d", "6h2h9h", "2h"), exchange_for_pay(4, "ante")),
    ("fold-not-taken", "(k)(2)", FOLDED, drop("collect", **match_stake(4, "ante"))),
    (
        "paid-above-the-limit",
        "(n)(3)",
        single("AsKsTs", "QsJs3d", "3d", LOW_LIMIT, decision="stay", ante=60_000),
        repay(4, 500),
    ),
    ("paid-below-the-limit", "(n)(3)", single("AsKsTs", "QsJs3d", "3d", decision="stay", ante=40_000), repay(4, 100)),
    ("summary-of-a-short-payment", "(l)(7)", Scene(form="summary"), scale("pay", 1, 2, **match_stake(3, "bet"))),
    ("summary-of-a-losing-stake-left", "(l)(5)", Scene(form="summary"), drop("collect", **match_stake(2, "ante"))),
    (
        "summary-of-a-short-payment-beside-an-idle-seat",
        "(l)(7)",
        Scene(form="summary"),
        both(scale("pay", 1, 2, **match_stake(3, "bet")), lambda round_: round_.seat(6, player="P6")),
    ),
    # The Bonus wager
    ("bonus-push-paid", "(n)(4)", BASE, pay_stake(3, "bonus")),
    ("bonus-push-taken", "(n)(4)", BASE, collect_stake(3, "bonus")),
    ("losing-bonus-left", "(g)(3)", BASE, drop("collect", **match_stake(2, "bonus"))),
    ("losing-bonus-paid", "(g)(3)", BASE, exchange_for_pay(2, "bonus")),
    ("bonus-on-trips-short", "(n)(4)", hands(LOSER, replace(TRIPS, has_bonus=True)), repay(7, 2, ("bonus",))),
    (
        "bonus-on-two-pair-not-paid",
        "(n)(4)",
        single("9cTs4d", "9dTd2h", "2h", has_bonus=True),
        drop("pay", **match_stake(4, "bonus")),
    ),
    (
        "bonus-on-a-flush-by-the-other-version",
        "(n)(4)",
        single("2s6s9s", "Js4s3d", "3d", has_bonus=True),
        repay(4, 8, ("bonus",)),
    ),
    ("bonus-of-two-dollars", "(g)(2)", BASE, change_stake(3, "bonus", 2 * BONUS)),
    (
        "bonus-without-an-ante",
        "(g)(2)",
        BASE,
        insert_event("wager", {"seat": 4, "wager": "bonus", "amount": 100, "in_": "chips"}, before=NO_MORE_BETS),
    ),
    # Instant winners
    ("instant-winner-short", "(n)(2)", DECLARED, repay(1, 3)),
    ("instant-winner-over", "(n)(2)", DECLARED, repay(1, 8)),
    ("instant-winner-not-paid", "(l)(2)(ii)(A)", DECLARED, drop("pay", **match_stake(1, "ante"))),
    ("instant-bonus-over", "(n)(4)", DECLARED, repay(1, 15, ("bonus",))),
    (
        "instant-winner-paid-after-the-community-cards",
        "(l)(2)(ii)(A)",
        DECLARED,
        move("pay", after=COMMUNITY_SHOWN, **match_stake(1, "ante")),
    ),
    (
        "bet-of-a-declarer",
        "(l)(2)(ii)(A)",
        DECLARED,
        insert_event(
            "wager", {"seat": 1, "wager": "bet", "amount": 1000, "in_": "chips"}, after=("decide", {"seat": 1})
        ),
    ),
    ("instant-winner-not-shown", "(l)(2)(ii)(A)", DECLARED, drop("reveal", place="player", seat=1)),
    ("wrong-declaration-paid", "(o)(4)", MISTAKEN, exchange_for_pay(1, "ante")),
    ("wrong-declaration-forgiven", "(o)(4)", MISTAKEN, drop("collect", **match_stake(1, "ante"))),
    # Void rounds
    ("stake-kept-in-a-void-round", "(o)(1)", VOID, alter("return", {"event": "collect"}, **match_stake(3, "ante"))),
    ("bonus-kept-in-a-void-round", "(o)(1)", VOID, alter("return", {"event": "collect"}, **match_stake(3, "bonus"))),
    (
        "winner-paid-in-a-void-round",
        "(o)(1)",
        VOID,
        insert_event("pay", {"seat": 3, "wager": "ante", "amount": 500}, after=("misdeal", {})),
    ),
    ("void-without-a-cause", "(o)(2)", Scene(trouble="faces-up"), drop("expose")),
    (
        "two-faces-up-and-played-on",
        "(o)(1)",
        BASE,
        both(
            insert_event("expose", {"place": "burn", "cards": "Ac"}, before=("deal", {"seat": 5})),
            insert_event("expose", {"place": "burn", "cards": "5d"}, before=("deal", {"seat": 5})),
        ),
    ),
    ("face-up-card-dealt", "(o)(1)", BASE, expose_and_deal),
    ("four-cards-to-a-player-played-on", "(o)(3)", BASE, change_cards("player", 5, deal_extra)),
    ("two-cards-to-a-player-played-on", "(o)(3)", BASE, two_cards),
    ("four-community-cards-played-on", "(o)(3)", BASE, change_cards("community", None, deal_extra)),
    ("wrong-stub-played-on", "(h)(5)(ii)", Scene(count_stub=True), alter("count", {"number": lambda n: n - 1})),
    (
        "incomplete-deck-dealt-again",
        "(h)(5)(ii)",
        Scene(trouble="stub-short", count_stub=True, after=1, found_after=1, keeps_deck=True),
        no_edit,
    ),
    (
        "shoe-jams-and-the-round-goes-on",
        "(o)(6)",
        Scene(house=AUTOMATED),
        insert_event("fault", {"what": "shoe"}, before=("deal", {"seat": 5})),
    ),
    (
        "no-reshuffle-after-a-jam-of-the-shuffler",
        "(o)(5)",
        Scene(house=FROM_HAND),
        insert_event("fault", {"what": "shuffler"}, after=("shuffle", {})),
    ),
    # Cards and devices
    ("no-shuffle", "(e)(1)", BASE, drop("shuffle")),
    ("no-cut", "(e)(2)(ii)", BASE, drop("cut")),
    ("cut-by-a-player", "(e)(2)(ii)", BASE, alter("cut", {"by": "player"})),
    ("cut-of-eight-cards", "(e)(3)(i)(B)", BASE, alter("cut", {"number": 8})),
    ("hand-dealt-cards-shuffled-by-the-dealer", "(i)(2)(i)", Scene(house=FROM_HAND), shuffle_by_hand),
    ("decks-not-alternated", "(b)(2)(iv)", Scene(house=TWO_DECKS, before=2), name_deck("red")),
    ("second-deck-without-a-device", "(b)(1)", Scene(names_decks=True), name_deck("red")),
    ("deck-changed-after-nine-hours", "(d)(5)", Scene(opens=True, pause=timedelta(hours=9)), no_edit),
    ("opened-without-verification", "(d)(1)", Scene(opens=True, before=0), drop("deck", what="verified")),
    ("opened-without-washing", "(d)(3)", Scene(opens=True, before=0), drop("deck", what="washed")),
    ("shuffled-during-play", "(e)(1)", BASE, move("shuffle", after=("decide", {}))),
    ("stub-not-counted-in-five-rounds", "(h)(5)", Scene(opens=True, before=4), no_edit),
    ("stub-counted-by-a-player", "(h)(5)", Scene(count_stub=True), alter("count", {"by": "player"})),
    ("stub-racked-face-up", "(h)(4)", BASE, alter("discard", {"face": "up"}, place="deck")),
    # The deal
    ("no-more-bets-not-said", "(f)(3)", BASE, drop("announce", what="no-more-bets")),
    ("no-more-bets-after-the-deal", "(h)(2)", BASE, move("announce", after=FIRST_DEAL, what="no-more-bets")),
    ("ante-after-no-more-bets", "(f)(3)", BASE, late_ante),
    (
        "ante-after-the-deal",
        "(f)(3)",
        BASE,
        insert_event(
            "wager", {"seat": 3, "wager": "ante", "amount": 500, "in_": "chips"}, after=("deal", {"place": "community"})
        ),
    ),
    (
        "ante-withdrawn-after-the-deal",
        "(f)(3)",
        BASE,
        insert_event("withdraw", {"seat": 3, "wager": "ante", "amount": 500}, after=("deal", {"place": "community"})),
    ),
    ("dealt-out-of-turn", "(h)(3)", BASE, swap_deals),
    ("community-cards-first", "(h)(3)(ii)", BASE, community_first),
    ("stacks-from-a-manual-shoe", "(h)(3)", BASE, packets_of_three),
    ("dealt-face-up", "(h)(3)(i)", BASE, alter("deal", {"face": "up"}, seat=3)),
    ("cards-without-an-ante", "(h)(3)(i)", hands(LOSER, WINNER, replace(PUSHER, has_bonus=False)), no_ante),
    # Decisions and settlement
    ("bet-smaller-than-the-ante", "(l)(2)(i)", BASE, change_stake(3, "bet", lambda stake: stake // 2)),
    ("bet-twice-the-ante", "(l)(2)(i)", BASE, change_stake(3, "bet", lambda stake: stake * 2)),
    ("bet-after-the-community-cards", "(l)(2)(i)", BASE, move("wager", after=COMMUNITY_SHOWN, **match_stake(3, "bet"))),
    ("no-discard", "(l)(2)(i)", BASE, drop("discard", place="player", seat=3)),
    (
        "discard-after-the-community-cards",
        "(l)(2)(i)",
        BASE,
        move("discard", after=COMMUNITY_SHOWN, place="player", seat=3),
    ),
    ("discard-face-up", "(l)(2)(i)", BASE, alter("discard", {"face": "up"}, place="player", seat=3)),
    ("decisions-counterclockwise", "(l)(2)", BASE, reverse_decisions),
    ("community-cards-before-the-last-decision", "(l)(3)", BASE, move("decide", after=COMMUNITY_SHOWN, seat=7)),
    ("community-cards-not-shown", "(l)(3)", BASE, drop("reveal", place="community")),
    (
        "no-decision",
        "(l)(3)",
        hands(LOSER, STAYER),
        both(drop("decide", seat=6), drop("discard", place="player", seat=6)),
    ),
    (
        "played-on-without-the-required-bet",
        "(f)(6)",
        REQ,
        both(
            alter("decide", {"decision": "stay"}, seat=2),
            drop("wager", **match_stake(2, "bet")),
            drop("collect", **match_stake(2, "bet")),
        ),
    ),
    ("hands-shown-clockwise", "(l)(4)", BASE, reverse_reveals),
    ("winning-hand-not-shown", "(l)(4)", BASE, drop("reveal", place="player", seat=3)),
    ("losing-hand-not-shown", "(l)(4)", BASE, drop("reveal", place="player", seat=2)),
    ("winners-paid-clockwise", "(l)(7)(i)", BASE, reverse_payments),
    ("winners-paid-before-losers-are-taken", "(l)(7)", BASE, pay_before_collecting),
    (
        "winning-cards-racked-before-the-payment",
        "(l)(7)",
        BASE,
        move("collect-cards", before=("pay", {"seat": 3}), place="player", seat=3),
    ),
    ("winning-cards-not-racked", "(l)(7)(ii)", BASE, drop("collect-cards", place="player", seat=3)),
    ("community-cards-not-racked", "(l)(7)(ii)", BASE, drop("collect-cards", place="community")),
    # Wagers and seats
    ("ante-below-the-minimum", "(f)(4)", BASE, both(change_stake(2, "ante", 400), change_stake(2, "bet", 400))),
    ("ante-above-the-maximum", "(f)(4)", BASE, both(change_stake(2, "ante", 50_500), change_stake(2, "bet", 50_500))),
    ("ante-in-cash", "(f)(1)", BASE, cash("ante")),
    ("ante-by-word", "(f)(1)", BASE, cash("ante", "words")),
    ("bonus-in-plaques", "(g)(2)", BASE, cash("bonus", "plaques")),
    ("positions-not-adjacent", "(f)(5)", BASE, play_for(5, "P2")),
    (
        "three-positions",
        "(f)(5)",
        Scene(hands=(LOSER, WINNER, replace(PUSHER, seat=4))),
        both(play_for(3, "P2"), play_for(4, "P2")),
    ),
    ("player-leaves-in-the-round", "(f)(2)", BASE, insert_event("leave", {"seat": 5}, before=COMMUNITY_SHOWN)),
    # Summaries and parts of a record
    ("summary-of-a-pushing-ante-taken", "(l)(6)", Scene(form="summary"), collect_stake(5, "ante")),
    ("summary-of-a-bonus-push-taken", "(n)(4)", Scene(form="summary"), collect_stake(3, "bonus")),
    ("summary-of-a-short-instant-winner", "(n)(2)", replace(DECLARED, form="summary"), repay(1, 3)),
    (
        "summary-of-a-wrong-declaration-forgiven",
        "(o)(4)",
        replace(MISTAKEN, form="summary"),
        drop("collect", **match_stake(1, "ante")),
    ),
    (
        "summary-of-a-fold-not-taken",
        "(k)(2)",
        replace(FOLDED, form="summary"),
        drop("collect", **match_stake(4, "ante")),
    ),
    (
        "summary-of-a-bet-twice-the-ante",
        "(l)(2)(i)",
        Scene(form="summary"),
        change_stake(3, "bet", lambda stake: stake * 2),
    ),
    ("summary-of-positions-not-adjacent", "(f)(5)", Scene(form="summary"), play_for(5, "P2")),
    ("summary-of-a-bonus-of-two-dollars", "(g)(2)", Scene(form="summary"), change_stake(3, "bonus", 2 * BONUS)),
    ("payments-of-ante-and-bet-both-on-the-ante", "(l)(7)", BASE, pay_all_on_the_ante),
    ("payment-to-the-wrong-seat", "(l)(7)", BASE, alter("pay", {"seat": 5}, **match_stake(3, "bet"))),
    # More of the deal and the devices
    ("a-card-dealt-twice", "(b)(1)", BASE, deal_twice),
    ("device-count-of-fifty-one-ignored", "(h)(6)", Scene(house=COUNTED), alter("count", {"number": 51}, what="deck")),
    (
        "shuffled-by-hand-beside-the-device",
        "(o)(7)",
        Scene(house=replace(TWO_DECKS, decks=1)),
        both(shuffle_by_hand, insert_event("cut", {"by": "dealer", "number": 20}, after=("shuffle", {}))),
    ),
    ("dealt-singly-beside-the-automated-shoe", "(o)(7)", Scene(house=AUTOMATED), deal_singly),
    (
        "cut-again-after-the-first-card",
        "(e)(4)",
        BASE,
        insert_event("cut", {"by": "dealer", "number": 20}, after=FIRST_PASS),
    ),
    ("cut-before-the-shuffle", "(e)(2)(ii)", BASE, move("cut", before=("shuffle", {}))),
    ("dealt-without-the-shoe", "(h)(1)", BASE, drop("deck", what="in-shoe")),
    ("dealt-by-a-player", "(h)(3)", BASE, alter("deal", {"by": "machine"}, seat=3)),
    ("opened-without-spreading", "(d)(2)", Scene(opens=True, before=0), drop("deck", what="spread")),
    ("opened-without-inspection", "(d)(1)", Scene(opens=True, before=0), drop("deck", what="inspected")),
    (
        "second-deck-opened-without-inspection",
        "(d)(4)",
        Scene(house=TWO_DECKS, opens=True, before=0, after=1, found_after=1),
        drop("deck", what="inspected", deck="red"),
    ),
    (
        "everybody-left-and-no-cards-spread",
        "(e)(5)",
        Scene(opens=True, pause=timedelta(hours=2)),
        lambda round_: round_.events.__setitem__(slice(0, 0), everybody_moves()),
    ),
    (
        "stub-counted-after-the-decisions",
        "(h)(5)",
        Scene(count_stub=True),
        move("count", after=("decide", {}), what="stub"),
    ),
    ("no-more-bets-by-a-player", "(f)(3)", BASE, alter("announce", {"by": "player"}, what="no-more-bets")),
    # More of the decisions
    (
        "two-discards",
        "(l)(2)(i)",
        BASE,
        both(
            insert_event(
                "discard",
                {"place": "player", "seat": 3, "cards": "Kd", "face": "down"},
                after=("discard", {"place": "player", "seat": 3}),
            ),
            alter("reveal", {"cards": "Ks"}, place="player", seat=3),
        ),
    ),
    (
        "bet-added-to-after-the-community-cards",
        "(f)(3)",
        BASE,
        insert_event("wager", {"seat": 3, "wager": "bet", "amount": 500, "in_": "chips"}, after=COMMUNITY_SHOWN),
    ),
    (
        "bet-taken-back-after-the-community-cards",
        "(f)(3)",
        BASE,
        insert_event("withdraw", {"seat": 2, "wager": "bet", "amount": 500}, after=COMMUNITY_SHOWN),
    ),
    (
        "bonus-after-the-deal",
        "(g)(2)",
        BASE,
        insert_event("wager", {"seat": 7, "wager": "bonus", "amount": 100, "in_": "chips"}, after=("deal", {})),
    ),
    (
        "declared-after-the-community-cards",
        "(l)(3)",
        DECLARED,
        declare_late,
    ),
    (
        "pushing-cards-racked-after-the-winners-are-paid",
        "(l)(7)",
        BASE,
        move("collect-cards", after=("pay", {}), seat=5),
    ),
    (
        "losing-stake-taken-after-the-winners-are-paid",
        "(l)(7)",
        BASE,
        move("collect", after=("pay", {}), **match_stake(2, "bet")),
    ),
    ("paid-before-the-community-cards", "(l)(3)", BASE, move("pay", before=COMMUNITY_SHOWN, **match_stake(3, "ante"))),
    (
        "wager-of-another-game",
        "(f)(4)",
        BASE,
        insert_event("wager", {"seat": 3, "wager": "insurance", "amount": 500}, before=NO_MORE_BETS),
    ),
    # Records of logs that leave out something else
    (
        "bet-short-and-outcomes-left-out",
        "(l)(7)",
        Scene(left_out=OUTCOMES),
        scale("pay", 1, 2, **match_stake(3, "bet")),
    ),
    ("ante-left-and-outcomes-left-out", "(l)(5)", Scene(left_out=OUTCOMES), drop("collect", **match_stake(2, "ante"))),
    ("no-shuffle-and-deals-unordered", "(e)(1)", Scene(unrecorded=("deal/order",)), drop("shuffle")),
    (
        "no-more-bets-not-said-and-deals-unordered",
        "(f)(3)",
        Scene(unrecorded=("deal/order",)),
        drop("announce", what="no-more-bets"),
    ),
    ("decisions-counterclockwise-and-hands-not-shown", "(l)(2)", Scene(unrecorded=("reveal",)), reverse_decisions),
    (
        "shoe-jams-and-payments-unrecorded",
        "(o)(6)",
        Scene(house=AUTOMATED, unrecorded=("pay", "collect", "return")),
        insert_event("fault", {"what": "shoe"}, before=("deal", {"seat": 5})),
    ),
    ("bet-short-and-cards-from-events", "(l)(7)", Scene(left_out=CARDS), scale("pay", 1, 2, **match_stake(3, "bet"))),
    (
        "bet-short-and-events-of-payments-unrecorded",
        "(l)(7)",
        Scene(unrecorded=("pay", "collect", "return")),
        scale("pay", 1, 2, **match_stake(3, "bet")),
    ),
    (
        "hands-shown-clockwise-and-no-shuffle-recorded",
        "(l)(4)",
        Scene(unrecorded=("shuffle", "cut", "deck")),
        reverse_reveals,
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


VIOLATIONS = [Violation(name, f"s38/{clause}", build(index)) for index, (name, clause, _, _) in enumerate(TABLE)]
