"""Lawful variations of a round: mechanics of the table that no text fixes, and other ways to record one course of play.

A variation takes a lawful record of docs/formats.md and a source of randomness. It returns another lawful record of the
round, or None where it does not apply. It never changes its argument, and it knows nothing of the rulebook. Games are
named only where one text fixes what the others leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from random import Random
from typing import Any

from tests.facade.records import copy_record

Record = dict[str, Any]
Event = dict[str, Any]
Variation = Callable[[Record, Random], Record | None]

SETTLING = ("pay", "collect", "return")
SMALLEST_CHIP = 100
"""No stake is divided below this amount: a token and a single chip stay whole."""
WAGERS_OF_FORMS = tuple((wager, tip) for wager in ("ante", "bonus", "side-wager", "super-6") for tip in (False, True))
"""Wagers that forms of casinos have columns for, with or without a tip; no house offers all of them."""
ORDERED_SETTLEMENT = ("co-rule10-3card-shine",)
"""Games whose text orders the wagers of a hand."""
UNTIMED_FOLDS = ("caribbean-draw", "co-rule10-flushes-gone-wild", "s38")
"""Games whose text names no time by which a fold is collected."""


def _cards(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def _among_players(record: Record) -> bool:
    told = any("stack" in seat or "won" in seat for seat in record["seats"]) or "button" in record
    return told or record["game"] == "poker-room"


def _places(record: Record, fits: Callable[[Event], bool]) -> list[int]:
    return [at for at, event in enumerate(record.get("events", [])) if fits(event)]


def _replace_event(record: Record, at: int, events: Iterable[Event]) -> Record:
    """Return a copy of the record with one event replaced by others."""
    found = copy_record(record)
    found["events"][at : at + 1] = copy_record(list(events))
    return found


def _one_place(
    record: Record, random: Random, fits: Callable[[Event], bool], rewrite: Callable[[Event], Sequence[Event]]
) -> Record | None:
    """Rewrite one random event among those that fit."""
    places = _places(record, fits)
    if not places:
        return None
    at = random.choice(places)
    return _replace_event(record, at, rewrite(record["events"][at]))


def _stake(record: Record, event: Event) -> Record | None:
    """Return the line of the summary that an event is about."""
    for seat in record["seats"]:
        if seat["seat"] == event.get("seat"):
            for wager in seat["wagers"]:
                if _of_stake(wager, {**event, "seat": None}):
                    return dict(wager)
    return None


def _of_stake(event: Event, other: Event) -> bool:
    keys = ("seat", "wager", "selection")
    return all(event.get(key) == other.get(key) for key in keys) and bool(event.get("tip")) == bool(other.get("tip"))


def _make_chip_event(event: Event, kind: str, amount: int) -> Event:
    """Return an event of another kind about the same stake."""
    kept = {key: event[key] for key in ("seat", "wager", "selection", "tip") if event.get(key)}
    return {"event": kind, **kept, "amount": amount}


def _parts(amount: int, random: Random) -> tuple[int, int]:
    """Divide an amount into two parts that chips can make."""
    first = SMALLEST_CHIP * random.randint(1, (amount - 1) // SMALLEST_CHIP)
    return first, amount - first


def _in_parts(event: Event, random: Random) -> list[Event]:
    return [{**event, "amount": amount} for amount in _parts(event["amount"], random)]


def _fully_recorded(record: Record) -> bool:
    return record.get("complete", True) and "events" in record


# Cards


def _held_at(record: Record, at: int) -> list[str]:
    """Return the cards that a collection without a list of cards takes, if the summary records them."""
    event = record["events"][at]
    if event["place"] == "player":
        seat = next(seat for seat in record["seats"] if seat["seat"] == event["seat"])
        first, discarded, drawn = seat.get("cards"), seat.get("discarded"), seat.get("drawn")
    else:
        first, discarded, drawn = (record.get(f"{event['place']}{part}") for part in ("", "-discarded", "-drawn"))
    if first is None:
        return []
    if event.get("what") == "discards":
        return _cards(discarded or "")
    gone = _cards(discarded or "")
    return [card for card in _cards(first) if card not in gone] + _cards(drawn or "")


def _is_taken_up_whole(record: Record, at: int) -> bool:
    """Return whether an event is the only collection of its cards."""
    event = record["events"][at]
    alike = [
        other
        for other in record["events"]
        if other["event"] == "collect-cards"
        and (other["place"], other.get("seat"), other.get("what"))
        == (event["place"], event.get("seat"), event.get("what"))
    ]
    return len(alike) == 1


def take_up_cards_in_motions(record: Record, random: Random) -> Record | None:
    """Take up cards in two motions, or one by one."""
    places = [
        at for at in _places(record, lambda event: event["event"] == "collect-cards") if _is_taken_up_whole(record, at)
    ]
    random.shuffle(places)
    for at in places:
        event = record["events"][at]
        cards = _cards(event["cards"]) if "cards" in event else _held_at(record, at)
        if len(cards) < 2 or "??" in cards:
            continue
        if "cards" not in event and random.random() < 0.5:
            return _replace_event(record, at, [event, event])
        cut = random.randint(1, len(cards) - 1)
        lots = [cards[:cut], cards[cut:]] if random.random() < 0.5 else [[card] for card in cards]
        return _replace_event(record, at, [{**event, "cards": "".join(lot)} for lot in lots])
    return None


def show_card_by_card(record: Record, random: Random) -> Record | None:
    """Show a hand one card after the other, where it is shown once."""
    shown = [(event["place"], event.get("seat")) for event in record.get("events", []) if event["event"] == "reveal"]
    return _one_place(
        record,
        random,
        lambda event: (
            event["event"] == "reveal"
            and len(event["cards"]) > 2
            and shown.count((event["place"], event.get("seat"))) == 1
        ),
        lambda event: [{**event, "cards": card} for card in _cards(event["cards"])],
    )


def show_again(record: Record, random: Random) -> Record | None:
    """Show a hand a second time, at once or later, while its cards lie as they lay."""
    shown = _places(record, lambda event: event["event"] == "reveal")
    # The cards lie as they were shown last: a hand may be arranged when it lies open.
    last_shown = {(record["events"][at]["place"], record["events"][at].get("seat")): at for at in shown}
    if not shown:
        return None
    at, found = random.choice(list(last_shown.values())), copy_record(record)
    events, own = found["events"], found["events"][at]
    last = at + 1
    moves = ("collect-cards", "discard", "draw", "deal", "misdeal", "turn-down", "fault", "device", "shuffle", "cut")
    while last < len(events) and not (events[last]["event"] in moves and _may_move(events[last], own)):
        last += 1
    events.insert(random.choice([at + 1, random.randint(at + 1, last)]), copy_record(own))
    return found


def _may_move(event: Event, shown: Event) -> bool:
    """Return whether an event ends the time in which cards lie as they were shown."""
    if "place" not in event:
        return True
    return (event["place"], event.get("seat")) == (shown["place"], shown.get("seat"))


def take_up_hand_by_hand(record: Record, random: Random) -> Record | None:
    """Take wagers and cards of losing hands hand by hand, or first all wagers, where the text says neither."""
    if record["game"] != "s38":
        return None
    lost = {
        seat["seat"]
        for seat in record["seats"]
        if seat["wagers"] and all(wager.get("taken") == wager["amount"] for wager in seat["wagers"])
    }

    def is_of_a_loser(event: Event) -> bool:
        return event["event"] in ("collect", "collect-cards") and event.get("seat") in lost

    runs = [
        list(group)
        for chosen, group in groupby(enumerate(record.get("events", [])), lambda item: is_of_a_loser(item[1]))
        if chosen
    ]
    runs = [run for run in runs if len({event["seat"] for _, event in run}) > 1]
    if not runs:
        return None
    run, found = random.choice(runs), copy_record(record)
    seats = list(dict.fromkeys(event["seat"] for _, event in run))
    by_hand, by_kind = random.choice([(True, False), (False, True)])
    order = sorted(
        (event for _, event in run),
        key=lambda event: (event["event"] != "collect" and by_kind, seats.index(event["seat"]) if by_hand else 0),
    )
    first = run[0][0]
    found["events"][first : first + len(run)] = copy_record(order)
    return found


def discard_in_motions(record: Record, random: Random) -> Record | None:
    """Put down several discards one after the other."""

    def rewrite(event: Event) -> list[Event]:
        if event["place"] == "community" and "positions" in event:
            return [
                {**event, "cards": card, "positions": position}
                for card, position in zip(_cards(event["cards"]), event["positions"], strict=True)
            ]
        return [{**event, "cards": card} for card in _cards(event["cards"])]

    def fits(event: Event) -> bool:
        many = event["event"] == "discard" and len(event.get("cards", "")) > 2
        return many and len(event.get("positions", event.get("cards", "")[::2])) == len(event["cards"]) // 2

    return _one_place(record, random, fits, rewrite)


def draw_in_motions(record: Record, random: Random) -> Record | None:
    """Deal several replacement cards one by one."""
    return _one_place(
        record,
        random,
        lambda event: event["event"] == "draw" and event["place"] != "burn" and len(event["cards"]) > 2,
        lambda event: [{**event, "cards": card} for card in _cards(event["cards"])],
    )


def tuck_again(record: Record, random: Random) -> Record | None:
    """Tuck folded cards a second time at once."""
    return _one_place(record, random, lambda event: event["event"] == "tuck", lambda event: [event, event])


def collect_a_fold_later(record: Record, random: Random) -> Record | None:
    """Take wagers and cards of a folded hand at a later time of the round."""
    if record["game"] not in UNTIMED_FOLDS or not _fully_recorded(record):
        return None
    tucked = {event["seat"] for event in record["events"] if event["event"] == "tuck"}
    folded = [seat["seat"] for seat in record["seats"] if seat.get("decision") == "fold" and seat["seat"] not in tucked]
    random.shuffle(folded)
    for seat in folded:
        events = record["events"]
        decided = [at for at, event in enumerate(events) if event["event"] == "decide" and event["seat"] == seat]
        own = [
            at
            for at, event in enumerate(events)
            if event.get("seat") == seat
            and event["event"] in ("collect", "return", "collect-cards")
            and decided
            and at > decided[-1]
        ]
        own = [at for at in own if events[at].get("wager") not in ("flush-rush", "progressive", "bonus")]
        ends = [at for at, event in enumerate(events) if _ends_the_settlement(event) and at > max(own, default=0)]
        if own:
            last = ends[0] if ends else len(events)
            to = random.randint(max(own) + 1, last)
            kept = [event for at, event in enumerate(events) if at not in own]
            to -= len(own)
            found = copy_record(record)
            found["events"] = copy_record([*kept[:to], *(events[at] for at in own), *kept[to:]])
            return found
    return None


def _ends_the_settlement(event: Event) -> bool:
    """Return whether all hands are settled by then: Envy is paid, or a key is pressed that ends the game."""
    return event["event"] == "device" or (event["event"] == "pay" and event["wager"] == "envy")


def take_up_a_fold(record: Record, random: Random) -> Record | None:
    """Record that cards of a folded hand without a wager in play are taken up, at any time after the fold."""
    if record["game"] not in UNTIMED_FOLDS or not _fully_recorded(record):
        return None
    events = record["events"]
    gone = {event["seat"] for event in events if event["event"] in ("tuck", "collect-cards") and "seat" in event}
    folded = [seat for seat in record["seats"] if seat.get("decision") == "fold" and seat["seat"] not in gone]
    folded = [seat for seat in folded if any(event["event"] == "decide" for event in events)]
    if not folded or record["game"] == "caribbean-draw":  # which takes the Ante first
        return None
    seat, found = random.choice(folded), copy_record(record)
    decided = max(at for at, event in enumerate(events) if event["event"] == "decide" and event["seat"] == seat["seat"])
    at = random.randint(decided + 1, len(events))
    taken = {"event": "collect-cards", "place": "player", "seat": seat["seat"]}
    motions = [taken] if random.random() < 0.5 else [{**taken, "cards": card} for card in _cards(seat.get("cards", ""))]
    found["events"][at:at] = motions
    return found


TABLE_CARDS = {
    "co-rule10-3card-shine": ("dealer",),
    "co-rule10-flushes-gone-wild": ("dealer", "community"),
    "caribbean-draw": ("dealer",),
    "s38": ("community",),
}
"""Owners of the cards that the dealer shows, by game."""
OUTLIVE_A_FOLD = ("flush-rush", "super-6", "progressive", "bonus")
"""Wagers that a fold does not settle, or that the dealer may settle when cards are shown."""


def go_on_after_everybody_folded(record: Record, random: Random) -> Record | None:
    """Show the cards of the table or not, where everybody has folded and no wager depends on them."""
    events = record.get("events", [])
    decisions = {seat.get("decision") for seat in record["seats"]}
    outlive = any(wager["wager"] in OUTLIVE_A_FOLD for seat in record["seats"] for wager in seat["wagers"])
    if not _fully_recorded(record) or decisions != {"fold"} or record["game"] not in TABLE_CARDS:
        return None
    if outlive and record["game"] != "caribbean-draw":
        return None
    if any(key not in record for key in ("dealer", "community") if key in TABLE_CARDS[record["game"]]):
        return None
    if not any(event["event"] == "decide" for event in events):
        return None
    places = ("dealer", "community")
    of_the_table = [
        at
        for at, event in enumerate(events)
        if event["event"] in ("reveal", "draw", "collect-cards") and event["place"] in places
    ]
    of_the_table += _places(record, lambda event: event["event"] == "discard" and event["place"] == "dealer")
    of_the_table += _places(record, lambda event: event["event"] == "announce" and event["what"] == "no-hand")
    found = copy_record(record)
    found["events"] = [copy_record(event) for at, event in enumerate(events) if at not in of_the_table]
    if record.get("dealer-drawn"):
        found["dealer-discarded"] = found["dealer-drawn"] = ""
    decided = max(at for at, event in enumerate(found["events"]) if event["event"] in ("decide", "count"))
    shown: list[Event] = []
    if record["game"] == "co-rule10-flushes-gone-wild":
        left = [card for card in _cards(record["community"]) if card not in _cards(record["community-discarded"])]
        shown = [{"event": "reveal", "place": "dealer", "cards": record["dealer"]}]
        shown += [{"event": "reveal", "place": "community", "cards": "".join(left)}]
    elif record["game"] == "s38":
        shown = [{"event": "reveal", "place": "community", "cards": record["community"]}]
    elif record["game"] == "caribbean-draw":
        shown = [{"event": "reveal", "place": "dealer", "cards": record["dealer"]}]
    at = random.randint(decided + 1, len(found["events"]))
    for event in [item for item in shown if random.random() < 0.6]:
        found["events"].insert(at, event)
        at = random.randint(at + 1, len(found["events"]))
    return found


def verify_player_by_player(record: Record, random: Random) -> Record | None:
    """Verify the discards of one player and take them, then those of the next."""
    events = record.get("events", [])
    counts = [at for at, event in enumerate(events) if event["event"] == "count" and event["what"] == "discards"]
    taken = [
        at for at, event in enumerate(events) if event["event"] == "collect-cards" and event.get("what") == "discards"
    ]
    if len(counts) != 1 or len(taken) < 2 or taken != list(range(counts[0] + 1, counts[0] + 1 + len(taken))):
        return None
    found = copy_record(record)
    pairs: list[Event] = []
    for at in taken:
        number = len(_held_at(record, at))
        pairs += [{**events[counts[0]], "number": number}, events[at]]
    found["events"][counts[0] : taken[-1] + 1] = copy_record(pairs)
    return found


# Chips


def _divisible(record: Record) -> Callable[[Event], bool]:
    def fits(event: Event) -> bool:
        return event["event"] == "wager" and event.get("in") != "coupon" and event["amount"] > SMALLEST_CHIP

    return fits if not _among_players(record) else lambda _: False


def wager_in_parts(record: Record, random: Random) -> Record | None:
    """Place a wager in two motions."""
    return _one_place(record, random, _divisible(record), lambda event: _in_parts(event, random))


def _is_opening(record: Record) -> Callable[[Event], bool]:
    """Return whether a wager is placed before anything is dealt, and may be changed."""
    events = record.get("events", [])
    first = next(
        (at for at, event in enumerate(events) if event["event"] in ("deal", "announce", "device", "decide")),
        len(events),
    )
    opening, divisible = [id(event) for event in events[:first]], _divisible(record)
    return lambda event: id(event) in opening and divisible(event)


def mix_wagers_and_shuffle(record: Record, random: Random) -> Record | None:
    """Place the opening wagers before, after or between the shuffle and the cut."""
    events = record.get("events", [])
    if _among_players(record):
        return None
    ends = ("deal", "announce", "device", "count", "fault", "expose")
    first = next((at for at, event in enumerate(events) if event["event"] in ends), 0)
    with_the_deck = [event for event in events[:first] if event["event"] in ("shuffle", "cut", "deck")]
    others = [event for event in events[:first] if event not in with_the_deck]
    opening = ("wager", "withdraw", "collect", "arrive", "leave")
    if not with_the_deck or not others or any(event["event"] not in opening for event in others):
        return None
    found, mixed = copy_record(record), list[Event]()
    while with_the_deck or others:
        stream = random.choices((with_the_deck, others), (len(with_the_deck), len(others)))[0]
        mixed.append(stream.pop(0))
    found["events"][:first] = copy_record(mixed)
    return found


def take_the_progressive_at_another_time(record: Record, random: Random) -> Record | None:
    """Record at another time that the house takes a Progressive wager, which no text bids it to do at any."""
    events = record.get("events", [])
    places = _places(record, lambda event: event["event"] == "collect" and event["wager"] == "progressive")
    if not places:
        return None
    at, found = random.choice(places), copy_record(record)
    event = found["events"].pop(at)
    placed = [to for to, other in enumerate(found["events"]) if other["event"] == "wager" and _of_stake(event, other)]
    paid = [to for to, other in enumerate(found["events"]) if other["event"] == "pay" and _of_stake(event, other)]
    if not placed or paid or sum(_of_stake(event, other) for other in events if "wager" in other) != 2:
        return None
    ends = _places(found, lambda other: other.get("what") == "end-game") or [len(found["events"])]
    found["events"].insert(random.randint(placed[-1] + 1, max(ends[0], placed[-1] + 1)), event)
    return found


def top_up_later(record: Record, random: Random) -> Record | None:
    """Raise a wager after others have placed theirs, while wagers are open."""
    places = _places(record, _is_opening(record))
    if not places:
        return None
    at = random.choice(places)
    first, second = _in_parts(record["events"][at], random)
    found = _replace_event(record, at, [first])
    last = next((to for to in range(at + 1, len(found["events"])) if found["events"][to]["event"] != "wager"), at + 1)
    found["events"].insert(random.randint(at + 1, last), copy_record(second))
    return found


def take_down_before_the_deal(record: Record, random: Random) -> Record | None:
    """Place more than is meant and take the rest back, or take all back and place it anew, before the deal."""

    def rewrite(event: Event) -> list[Event]:
        if random.random() < 0.5:
            more = {**event, "amount": SMALLEST_CHIP}
            return [event, more, _make_chip_event(event, "withdraw", SMALLEST_CHIP)]
        return [event, _make_chip_event(event, "withdraw", event["amount"]), event]

    return _one_place(record, random, _is_opening(record), rewrite)


def correct_an_excess(record: Record, random: Random) -> Record | None:
    """Place more than the rules fix for a wager after the deal, and take the excess back before anything else."""
    if record["game"] not in UNTIMED_FOLDS + ORDERED_SETTLEMENT:
        return None
    dealt = _places(record, lambda event: event["event"] == "deal")
    late = [
        id(event)
        for event in record.get("events", [])[max(dealt, default=0) :]
        if event["event"] == "wager" and event["wager"] in ("play", "bet") and not event.get("tip")
    ]

    def rewrite(event: Event) -> list[Event]:
        excess = SMALLEST_CHIP * random.randint(1, 5)
        return [{**event, "amount": event["amount"] + excess}, _make_chip_event(event, "withdraw", excess)]

    return _one_place(record, random, lambda event: id(event) in late, rewrite)


def list_wagers_of_nothing(record: Record, random: Random) -> Record | None:
    """List wagers that a seat did not place with a stake of zero, as a form with a column for each wager has them."""
    if _among_players(record):
        return None
    found = copy_record(record)
    for seat in found["seats"]:
        listed = {(wager["wager"], bool(wager.get("tip"))) for wager in seat["wagers"]}
        for wager, tip in sorted({*WAGERS_OF_FORMS} - listed):
            stake = {"wager": wager, "amount": 0, **({"tip": True} if tip else {})}
            seat["wagers"].append(stake | random.choice([{}, {"paid": 0, "taken": 0}]))
    return found


def put_the_rest_of_the_deck_aside(record: Record, random: Random) -> Record | None:
    """Record that the rest of the deck is put aside, in games whose text does not mention it."""
    ends = _places(record, lambda event: event["event"] in ("reveal", "draw"))
    if record["game"] not in ("co-rule10-3card-shine", "caribbean-draw") or not ends:
        return None
    found = copy_record(record)
    found["events"].insert(ends[-1] + 1, {"event": "discard", "place": "deck"})
    return found


def settle_in_parts(record: Record, random: Random) -> Record | None:
    """Pay, take or give back an amount in two motions."""
    return _one_place(
        record,
        random,
        lambda event: (
            event["event"] in (*SETTLING, "award", "rake", "drop", "chips-in", "chips-out")
            and event["amount"] > SMALLEST_CHIP
        ),
        lambda event: _in_parts(event, random),
    )


def _is_untouched(record: Record, event: Event, kinds: Sequence[str] = ("collect", "return")) -> bool:
    """Return whether a stake is neither taken nor given back by any event."""
    return not any(other["event"] in kinds and _of_stake(event, other) for other in record["events"])


def _is_winner(record: Record, event: Event) -> bool:
    """Return whether an event pays a stake that lies on the layout and stays the player's."""
    stake = _stake(record, event) if event["event"] == "pay" else None
    return stake is not None and stake.get("taken") == 0 and stake["amount"] > 0 and _is_untouched(record, event)


def take_by_mistake_and_put_back(record: Record, random: Random) -> Record | None:
    """Take a winner's stake when it is settled, put it back at once, and pay it."""
    if _among_players(record):
        return None

    def rewrite(event: Event) -> list[Event]:
        stake = _stake(record, event) or {}
        swept = [_make_chip_event(event, kind, stake["amount"]) for kind in ("collect", "return")]
        return [*swept, event] if random.random() < 0.7 else [event, *swept]

    return _one_place(record, random, lambda event: _is_winner(record, event), rewrite)


def take_early_and_put_back(record: Record, random: Random) -> Record | None:
    """Take a winner's stake while other hands are settled, and put it back at once."""
    if _among_players(record):
        return None
    winners = _places(record, lambda event: _is_winner(record, event))
    shown = _places(record, lambda event: event["event"] == "reveal")
    winners = [at for at in winners if shown and at > shown[0]]
    if not winners:
        return None
    at = random.choice(winners)
    event, first = record["events"][at], max(to for to in shown if to < at) + 1
    stake = _stake(record, event) or {}
    found = copy_record(record)
    to = random.randint(first, at)
    found["events"][to:to] = [_make_chip_event(event, kind, stake["amount"]) for kind in ("collect", "return")]
    return found


def give_back_by_mistake_and_take_again(record: Record, random: Random) -> Record | None:
    """Take a losing stake, give it back by mistake, and take it again at once."""
    if _among_players(record):
        return None

    def fits(event: Event) -> bool:
        stake = _stake(record, event) if event["event"] == "collect" else None
        return stake is not None and stake["amount"] == event["amount"] and _is_untouched(record, event, ("return",))

    return _one_place(
        record, random, fits, lambda event: [event, _make_chip_event(event, "return", event["amount"]), event]
    )


def record_the_return_of_a_winning_stake(record: Record, random: Random) -> Record | None:
    """Record that a winner's stake went back to the player together with its pay."""
    if _among_players(record):
        return None

    def rewrite(event: Event) -> list[Event]:
        stake = _stake(record, event) or {}
        returned = _make_chip_event(event, "return", stake["amount"])
        return [event, returned] if random.random() < 0.7 else [returned, event]

    def fits(event: Event) -> bool:
        pays = [other for other in record["events"] if other["event"] == "pay" and _of_stake(event, other)]
        return _is_winner(record, event) and len(pays) == 1

    return _one_place(record, random, fits, rewrite)


def leave_a_push_without_a_word(record: Record, random: Random) -> Record | None:
    """Leave out that a stake which pushes was given back: it never left its place."""
    if _among_players(record):
        return None

    def fits(event: Event) -> bool:
        stake = _stake(record, event) if event["event"] == "return" else None
        return stake is not None and stake.get("taken") == 0 and _is_untouched(record, event, ("collect", "pay"))

    return _one_place(record, random, fits, lambda _: [])


def hand_back_a_push_at_another_time(record: Record, random: Random) -> Record | None:
    """Hand a push back before or after other wagers, where the text orders only what is collected or paid."""
    if record["game"] not in ORDERED_SETTLEMENT:
        return None
    events = record.get("events", [])
    played = {seat["seat"] for seat in record["seats"] if seat.get("decision") == "play"}
    shown = _places(record, lambda event: event["event"] == "reveal" and event["place"] == "dealer")
    settled = _places(record, lambda event: event["event"] in SETTLING)

    def is_push(event: Event) -> bool:
        stake = _stake(record, event) if event["event"] == "return" and event["seat"] in played else None
        return stake is not None and stake.get("taken") == 0 and _is_untouched(record, event, ("collect", "pay"))

    places = [at for at in _places(record, is_push) if shown and at > shown[-1]]
    if not places or any(event["event"] == "misdeal" for event in events):
        return None
    found = copy_record(record)
    own = found["events"].pop(random.choice(places))
    found["events"].insert(random.randint(shown[-1] + 1, settled[-1]), own)
    return found


def settle_wagers_of_a_hand_in_another_order(record: Record, random: Random) -> Record | None:
    """Settle two wagers of one hand in the other order, where the text lays none down."""
    if record["game"] in ORDERED_SETTLEMENT or _among_players(record):
        return None
    events = record.get("events", [])
    pairs = [
        at
        for at in range(len(events) - 1)
        if events[at]["event"] in SETTLING
        and events[at]["event"] == events[at + 1]["event"]
        and events[at]["seat"] == events[at + 1]["seat"]
        and _stake(record, events[at])
        and _stake(record, events[at + 1])
    ]
    if not pairs:
        return None
    at, found = random.choice(pairs), copy_record(record)
    found["events"][at : at + 2] = found["events"][at : at + 2][::-1]
    return found


# Words, counts and the deck


def say_the_decision_again(record: Record, random: Random) -> Record | None:
    """Say a decision twice: at once, or once more when its wager lies there."""
    if _among_players(record):
        return None
    places = _places(record, lambda event: event["event"] == "decide" and "amount" not in event)
    if not places:
        return None
    at, found = random.choice(places), copy_record(record)
    events, own = found["events"], found["events"][at]
    to = at + 1
    if to < len(events) and events[to]["event"] == "wager" and events[to].get("seat") == own["seat"]:
        to += random.randint(0, 1)
    events.insert(to, copy_record(own))
    return found


def repeat_an_announcement(record: Record, random: Random) -> Record | None:
    """Announce or claim the same thing twice, at once or with another event in between."""
    places = _places(record, lambda event: event["event"] in ("announce", "claim"))
    if not places:
        return None
    at, found = random.choice(places), copy_record(record)
    found["events"].insert(min(at + random.randint(1, 2), len(found["events"])), copy_record(found["events"][at]))
    return found


def count_again(record: Record, random: Random) -> Record | None:
    """Count the same cards twice."""
    return _one_place(record, random, lambda event: event["event"] == "count", lambda event: [event, event])


def miscount_and_count_again(record: Record, random: Random) -> Record | None:
    """Count the discards or the stub wrongly, and then rightly."""
    return _one_place(
        record,
        random,
        lambda event: (
            event["event"] == "count" and event["what"] in ("discards", "stub") and event.get("number", 0) > 0
        ),
        lambda event: [{**event, "number": event["number"] + random.choice([-1, 1])}, event],
    )


def note_what_changes_nothing(record: Record, random: Random) -> Record | None:
    """Record something that no rule is about: chips are bought or counted, a lamp fails, a cut is numbered."""
    if not record.get("events"):
        return None
    found, seat = copy_record(record), random.choice(record["seats"])["seat"] if record["seats"] else None
    notes: list[Event] = [
        {"event": "announce", "what": "good luck"},
        {"event": "device", "what": "camera-on", "by": "supervisor"},
        {"event": "count", "what": "chips in the tray", "number": random.randint(1, 60)},
        {"event": "fault", "what": "lamp out"},
        {"event": "remedy", "what": "lamp replaced"},
        {"event": "deck", "what": "squared"},
    ]
    if seat is not None and not _among_players(record):
        notes += [
            {"event": "chips-in", "seat": seat, "amount": 9_950},
            {"event": "chips-out", "seat": seat, "amount": 5},
        ]
    cuts = [event for event in found["events"] if event["event"] == "cut"]
    if cuts and random.random() < 0.3:
        random.choice(cuts)["number"] = random.randint(10, 40)
        return found
    found["events"].insert(random.randint(0, len(found["events"])), random.choice(notes))
    return found


def shuffle_or_cut_again(record: Record, random: Random) -> Record | None:
    """Shuffle once more before the cut, or cut once more."""
    return _one_place(
        record,
        random,
        lambda event: (event["event"] == "shuffle" and event.get("by") == "dealer") or event["event"] == "cut",
        lambda event: [event, event],
    )


def record_the_device_at_another_time(record: Record, random: Random) -> Record | None:
    """Record the device's shuffle of the other deck at its start, at its end, or in between."""
    deck = record.get("deck")
    places = _places(
        record,
        lambda event: (
            event["event"] == "shuffle" and event.get("by") == "machine" and event.get("deck") not in (None, deck)
        ),
    )
    faults = _places(record, lambda event: event["event"] == "fault")
    if deck is None or not places or faults:
        return None
    at, found = random.choice(places), copy_record(record)
    event = found["events"].pop(at)
    dealt = next((to for to, other in enumerate(found["events"]) if other["event"] == "deal"), None)
    if dealt is None:
        return None
    found["events"].insert(random.randint(dealt, len(found["events"])), event)
    return found


def say_less(record: Record, random: Random) -> Record | None:
    """Leave out an optional key of an event: it is not recorded."""
    places = [
        (at, key)
        for at, event in enumerate(record.get("events", []))
        for key in ("by", "face", "in", "positions", "number")
        if key in event and (event["event"], key) not in {("announce", "by"), ("count", "number")}
    ]
    if not places:
        return None
    (at, key), found = random.choice(places), copy_record(record)
    del found["events"][at][key]
    return found


VARIATIONS: tuple[Variation, ...] = (
    take_up_cards_in_motions,
    show_card_by_card,
    show_again,
    take_up_hand_by_hand,
    discard_in_motions,
    draw_in_motions,
    tuck_again,
    collect_a_fold_later,
    take_up_a_fold,
    go_on_after_everybody_folded,
    verify_player_by_player,
    wager_in_parts,
    mix_wagers_and_shuffle,
    take_the_progressive_at_another_time,
    top_up_later,
    take_down_before_the_deal,
    correct_an_excess,
    list_wagers_of_nothing,
    put_the_rest_of_the_deck_aside,
    settle_in_parts,
    take_by_mistake_and_put_back,
    take_early_and_put_back,
    give_back_by_mistake_and_take_again,
    record_the_return_of_a_winning_stake,
    leave_a_push_without_a_word,
    hand_back_a_push_at_another_time,
    settle_wagers_of_a_hand_in_another_order,
    say_the_decision_again,
    repeat_an_announcement,
    count_again,
    miscount_and_count_again,
    note_what_changes_nothing,
    shuffle_or_cut_again,
    record_the_device_at_another_time,
    say_less,
)
"""All variations. Each is lawful by itself, and so are any two, one after the other."""


def vary(record: Record, random: Random, variations: Sequence[Variation] = VARIATIONS) -> Record:
    """Apply variations one after the other; those that do not apply are passed over."""
    for variation in variations:
        found = variation(record, random)
        record = record if found is None else found
    return record
