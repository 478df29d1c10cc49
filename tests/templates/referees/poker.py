"""Hands of three and five cards, and the conduct that games of poker against the house share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

from tests.lawful.record import Submission, join_cards, make_event, split_cards
from tests.templates.referees.core import (
    CALL,
    Key,
    Referee,
    Result,
    Round,
    Violations,
    bet_late,
    call_late,
    exceed_maximum,
    omit,
    omit_call,
    pick,
    repeat_card,
    shuffle_decks,
    swap_deals,
    undercut_minimum,
)

FIVE = (
    *("high-card", "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind"),
    *("straight-flush", "royal-flush"),
)
THREE = ("high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush")
"""Hands from lowest to highest."""

Owner = tuple[str, int | None]
Strength = tuple[int, tuple[int, ...]]


def value_of(card: str) -> int:
    return "..23456789TJQKA".index(card[0])


def find_run(values: Sequence[int]) -> int:
    """Return the highest value of cards in sequence, or 0; an ace may be low."""
    found = sorted(set(values), reverse=True)
    if len(found) < len(values):
        return 0
    if found[0] - found[-1] == len(found) - 1:
        return found[0]
    low = sorted((1 if value == 14 else value for value in found), reverse=True)
    return low[0] if low[0] - low[-1] == len(low) - 1 else 0


def group(values: Iterable[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return sizes of groups of equal values, and values by size and rank."""
    counts = Counter(values)
    order = sorted(counts, key=lambda value: (-counts[value], -value))
    return tuple(counts[value] for value in order), tuple(order)


def rank_five(cards: Sequence[str]) -> Strength:
    """Return the category, by its index in `FIVE`, and the values that break ties."""
    values = [value_of(card) for card in cards]
    sizes, order = group(values)
    run = find_run(values)
    is_flush = len({card[1] for card in cards}) == 1
    if run and is_flush:
        return (9 if run == 14 else 8), (run,)
    if run:
        return 4, (run,)
    if is_flush:
        return 5, order
    return {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(sizes, 0), order


def rank_best(cards: Sequence[str]) -> Strength:
    return max(rank_five(five) for five in combinations(cards, 5))


def rank_three(cards: Sequence[str]) -> Strength:
    """Return the category, by its index in `THREE`, and the values that break ties."""
    values = [value_of(card) for card in cards]
    sizes, order = group(values)
    run = find_run(values)
    is_flush = len({card[1] for card in cards}) == 1
    if run:
        return (5 if is_flush else 3), (run,)
    if is_flush:
        return 2, order
    return {(3,): 4, (2, 1): 1}.get(sizes, 0), order


def find_row(table: Mapping[str, Any], names: Sequence[str], strength: Strength) -> Any:
    """Return what a pay table has for a hand, or None."""
    return table.get(names[strength[0]])


class PokerTable(Referee):
    """Game with one deck that is shuffled before each round."""

    seats = 6
    kinds: tuple[str, ...] = ("return", "announce", "collect-cards", "shuffle", "cut", "reveal", "decide")
    opening: Sequence[str] = ()
    """Wagers that have to be placed by every player, of one amount."""
    optional: Sequence[str] = ()

    def submit(self, house: Mapping[str, Any], casino: str) -> Submission:
        submission = super().submit(house, casino)
        submission["dealing"] = submission.pop("options")["dealing"]
        if self.needs_device(house):
            submission["equipment"] = {"shuffler": "mechanical", "shoe": "none"}
        return submission

    def needs_device(self, house: Mapping[str, Any]) -> bool:
        """Return whether cards come from a shuffling device."""
        return False

    def results(self, round_: Round) -> dict[Key, Result]:
        """Return the outcome of every stake of the players who remain."""
        raise NotImplementedError

    def open_round(self, round_: Round) -> list[str]:
        """Place the opening wagers, shuffle and cut in any order, and announce the end of betting."""
        rng = round_.rng
        blocks = []
        for seat in round_.sit(self.seats):
            amount = round_.choose_amount(self.opening[0])
            blocks.append(
                [event for wager in self.opening for event in self.place_opening(round_, seat, wager, amount)]
            )
            for wager in self.optional:
                if rng.random() < 0.5:
                    blocks[-1] += round_.place(seat, wager, round_.choose_amount(wager))
        is_machine = self.needs_device(round_.house) or round_.chance(0.4)
        prepare = [make_event("shuffle", by="machine" if is_machine else "dealer")]
        if not is_machine:
            prepare.append(make_event("cut", by=rng.choice(["dealer", "player"])))
        round_.place_all([prepare, *blocks])
        round_.add("announce", what=CALL)
        return shuffle_decks(rng)

    def place_opening(self, round_: Round, seat: int, wager: str, amount: int) -> list[Any]:
        return round_.place(seat, wager, amount)

    def deal_hands(self, round_: Round, deck: list[str], owners: Sequence[Owner], each: int, *, single: bool) -> None:
        """Deal cards to each owner, one at a time in rotation or in packets."""
        for _ in range(each if single else 1):
            for place, seat in owners:
                count = 1 if single else each
                round_.deal(place, [deck.pop() for _ in range(count)], seat)

    def spoil(self, round_: Round, owners: Sequence[Owner]) -> Owner | None:
        """Take a card from an owner, or give one too many, as may happen at a table; return the owner."""
        if not round_.chance(0.05):
            return None
        place, seat = owner = round_.rng.choice(list(owners))
        if round_.rng.random() < 0.5:
            drop_card(round_, place, seat)
        else:
            used = {card for event in round_.all("deal") for card in split_cards(event["cards"])}
            add_card(round_, place, seat, next(card for card in shuffle_decks(round_.rng) if card not in used))
        return owner

    def void_seat(self, round_: Round, seat: int) -> None:
        """Declare a misdeal of one hand, and give its stakes back."""
        round_.add("misdeal", place="player", seat=seat)
        self.give_back(round_, [seat])
        round_.add("collect-cards", place="player", seat=seat)
        round_.facts.setdefault("out", set()).add(seat)

    def void_round(self, round_: Round) -> None:
        """Declare a misdeal of the round, and give all stakes back."""
        round_.add("misdeal", place="table")
        self.give_back(round_, list(round_.players))

    def give_back(self, round_: Round, seats: Sequence[int]) -> None:
        for key, stake in round_.stakes().items():
            if key[0] in seats and stake.lying:
                round_.add("return", seat=key[0], wager=key[1], amount=stake.lying)

    def fold(self, round_: Round, seat: int, decision: str = "fold") -> None:
        """Collect the stakes and cards of a player who folds."""
        round_.add("decide", seat=seat, decision=decision)
        round_.facts.setdefault("folded", set()).add(seat)
        stakes = {key: stake for key, stake in round_.stakes().items() if key[0] == seat}
        round_.settle({key: Result(taken=stake.lying) for key, stake in stakes.items() if stake.lying})
        round_.add("collect-cards", place="player", seat=seat)
        round_.facts.setdefault("out", set()).add(seat)

    def in_play(self, round_: Round) -> list[int]:
        return [seat for seat in round_.players if seat not in round_.facts.get("out", ())]

    def finish(self, round_: Round) -> None:
        """Settle the remaining players from the dealer's right, and collect the cards."""
        results = self.results(round_)
        for seat in sorted(self.in_play(round_), reverse=True):
            round_.add("reveal", place="player", seat=seat, cards=join_cards(round_.cards("player", seat)))
            round_.settle({key: result for key, result in results.items() if key[0] == seat})
            round_.add("collect-cards", place="player", seat=seat)


def drop_card(round_: Round, place: str, seat: int | None) -> bool:
    """Take the last card of a hand away, wherever the round shows it."""
    cards = round_.cards(place, seat)
    if not cards:
        return False
    for event in [*round_.all("deal", place=place), *round_.all("reveal", place=place)]:
        if event.get("seat") == seat:
            event["cards"] = join_cards(card for card in split_cards(event["cards"]) if card != cards[-1])
    round_.remove(*round_.all("deal", cards=""), *round_.all("reveal", cards=""))
    return True


def add_card(round_: Round, place: str, seat: int | None, card: str) -> bool:
    """Add a card to a hand, wherever the round shows it."""
    deals = [event for event in round_.all("deal", place=place) if event.get("seat") == seat]
    if not deals:
        return False
    deals[-1]["cards"] += card
    for event in round_.all("reveal", place=place):
        if event.get("seat") == seat:
            event["cards"] += card
    return True


def unused_card(round_: Round) -> str:
    used = {card for event in round_.events for card in split_cards(event.get("cards", ""))}
    return next(card for card in shuffle_decks(round_.rng) if card not in used)


def swap(round_: Round, first: Any, second: Any) -> None:
    """Exchange the places of two events."""
    here, there = round_.place_of(first), round_.place_of(second)
    round_.events[here], round_.events[there] = second, first


def add_conduct(violations: Violations, clauses: Mapping[str, str], minimum: str) -> None:
    """Add violations of shuffle, deal and conduct; `clauses` maps a topic to its clause."""
    changes: dict[str, tuple[str, Callable[[Round], bool]]] = {
        "no-shuffle": ("shuffle", omit("shuffle")),
        "no-cut": ("shuffle", omit("cut")),
        "cut-before-the-shuffle": ("shuffle", cut_first),
        "no-call": ("call", omit_call),
        "call-after-the-first-card": ("call", call_late),
        "opening-wager-after-the-call": ("late", bet_late),
        "cards-dealt-out-of-turn": ("deal", swap_deals),
        "cards-dealt-face-up": ("deal", deal_open),
        "player-has-a-card-too-few": ("deal", lambda round_: drop_card(round_, "player", max(round_.players))),
        "player-has-a-card-too-many": (
            "deal",
            lambda round_: add_card(round_, "player", min(round_.players), unused_card(round_)),
        ),
        "card-occurs-twice": ("deck", repeat_card),
        "settled-from-the-left": ("settle", settle_from_the_left),
        "above-the-maximum": ("limits", lambda round_: exceed_maximum(round_, minimum)),
        "below-the-minimum": ("limits", lambda round_: undercut_minimum(round_, minimum)),
        "payment-before-the-loser-of-the-seat": ("order", pay_early),
    }
    for name, (topic, change) in changes.items():
        if topic in clauses:
            violations.put(name, clauses[topic], change)


def cut_first(round_: Round) -> bool:
    shuffles, cuts = round_.all("shuffle"), round_.all("cut")
    if not shuffles or not cuts:
        return False
    swap(round_, shuffles[0], cuts[0])
    return True


def deal_open(round_: Round) -> bool:
    events = round_.all("deal", place="player", face="down")
    for event in events:
        event["face"] = "up"
    return bool(events)


def settle_from_the_left(round_: Round) -> bool:
    """Exchange the settlement of the last two seats."""
    reveals = round_.all("reveal", place="player")
    if len(reveals) < 2:
        return False
    starts = [round_.place_of(event) for event in reveals[:2]]
    ends = [
        round_.place_of(round_.all("collect-cards", place="player", seat=event["seat"])[-1]) + 1
        for event in reveals[:2]
    ]
    if ends[0] != starts[1]:
        return False
    events = round_.events
    events[starts[0] : ends[1]] = [*events[starts[1] : ends[1]], *events[starts[0] : ends[0]]]
    return True


def pay_early(round_: Round) -> bool:
    """Pay a seat before its losing stake is collected."""
    for paid in round_.all("pay"):
        for lost in round_.all("collect", seat=paid["seat"]):
            if round_.place_of(lost) < round_.place_of(paid):
                round_.move(paid, round_.place_of(lost))
                return True
    return False


def decide_out_of_turn(round_: Round) -> bool:
    """Exchange the first decisions of two neighbouring seats."""
    events = round_.all("decide")
    for first, second in pairwise(events):
        if first["seat"] < second["seat"] and not any(
            event["decision"].startswith("fold") for event in (first, second)
        ):
            here, there = blocks_of(round_, first), blocks_of(round_, second)
            if here[1] != there[0]:
                continue
            moved = round_.events[there[0] : there[1]]
            del round_.events[there[0] : there[1]]
            round_.events[here[0] : here[0]] = moved
            return True
    return False


def blocks_of(round_: Round, event: Any) -> tuple[int, int]:
    """Return where a decision begins and where the stakes that follow it end."""
    start = round_.place_of(event)
    end = start + 1
    while end < len(round_.events) and round_.events[end]["event"] in {"wager", "withdraw", "return"}:
        end += 1
    return start, end


def omit_decision(round_: Round) -> bool:
    """Leave out a decision and the stakes that go with it."""
    event = pick(round_, "decide")
    if event is None or event["decision"].startswith("fold"):
        return False
    round_.remove(event)
    return True
