"""Referee of pai gow poker: a joker, hands of five and two cards, and the house way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.lawful.record import DECK, Event, join_cards, make_event
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
    increase_late,
    lose,
    omit,
    omit_call,
    pick,
    take_push,
    undercut_minimum,
)
from tests.templates.referees.poker import (
    Strength,
    cut_first,
    drop_card,
    group,
    rank_five,
    settle_from_the_left,
    swap,
    value_of,
)

JOKER = "Jk"
FIRST = "first-hand"
ACE, KING = 14, 13
COMPLETE = (4, 5, 8, 9)
"""Categories of `poker.FIVE` that a joker may complete; five aces rank above all of them."""
FIVE_ACES = 10
LIMITS = {"main": (1_000, 100_000), "co-bank": (500, 1_000_000)}
OPTIONS: dict[str, list[Any]] = {"start": ["dice", "device"], "players-bank": [True, False]}
BANKER = "banker"
BANK_COMMISSION = "bank-commission"
CO_BANK = "co-bank"
PLACES = 7


def read_value(card: str) -> int:
    return ACE if card == JOKER else value_of(card)


def rank_high(cards: Sequence[str]) -> Strength:
    """Return the strength of a High Hand (2) to (4)."""
    if JOKER not in cards:
        return rank_five(cards)
    others = [card for card in cards if card != JOKER]
    sizes, order = group([ACE, *map(value_of, others)])
    if sizes == (5,):
        return FIVE_ACES, order
    plain = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(sizes, 0), order
    completed = [rank_five([*others, card]) for card in DECK if card not in others]
    return max([plain, *(strength for strength in completed if strength[0] in COMPLETE)])


def rank_low(cards: Sequence[str]) -> Strength:
    """Return the strength of a Low Hand (5)."""
    values = tuple(sorted(map(read_value, cards), reverse=True))
    return (1, values[:1]) if values[0] == values[1] else (0, values)


def is_foul(high: Sequence[str], low: Sequence[str]) -> bool:
    """Return whether the Low Hand is higher than the High Hand (13)."""
    strength, other = rank_high(high), rank_low(low)
    if strength[0] != other[0]:
        return other[0] > strength[0]
    return other[1] > strength[1][: len(other[1])]


def split_rest(cards: Sequence[str], high: Sequence[str], low: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return both hands: the cards that are left fill the Low Hand from the highest down (16)."""
    rest = sorted((card for card in cards if card not in high and card not in low), key=read_value, reverse=True)
    missing = 2 - len(low)
    return [*high, *rest[missing:]], [*low, *rest[:missing]]


def set_house_way(cards: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the High Hand and the Low Hand of the house way (16) to (27)."""
    counts = Counter(map(read_value, cards))

    def take(value: int, number: int = 5) -> list[str]:
        return [card for card in cards if read_value(card) == value][:number]

    order = sorted(counts, key=lambda value: (-counts[value], -value))
    sizes = tuple(counts[value] for value in order)
    first, second = order[0], order[1]
    if sizes[0] == 5:
        return split_rest(cards, [], take(KING) if counts[KING] == 2 else take(ACE, 2))
    if sizes[0] == 4:
        return set_four(cards, take(first), [value for value in order[1:] if counts[value] >= 2], take)
    if sizes[:2] == (3, 3):
        return split_rest(cards, [], take(first, 2))
    if sizes[:2] == (3, 2) or sizes[:3] == (2, 2, 2):
        pair = second if sizes[0] == 3 else first
        return split_rest(cards, [], take(pair))
    if sizes[:2] == (2, 2):
        if first <= 10 and counts[ACE] == 1:
            return split_rest(cards, take(first) + take(second), take(ACE))
        return split_rest(cards, take(first), take(second))
    complete = may_complete(cards) and [
        (rank_low(low), rank_high(high), high, low)
        for low in combinations(cards, 2)
        for high in [[card for card in cards if card not in low]]
        if rank_high(high)[0] in COMPLETE
    ]
    if complete:
        *_, high, low = max(complete)
        return list(high), list(low)
    if sizes[0] == 3 and first == ACE:
        return split_rest(cards, take(ACE)[:2], take(ACE)[2:])
    return split_rest(cards, take(first, 1) if sizes[0] == 1 else take(first), [])


def may_complete(cards: Sequence[str]) -> bool:
    """Return whether some five cards may be a straight or a flush."""
    jokers = cards.count(JOKER)
    suits = Counter(card[1] for card in cards if card != JOKER)
    values = {value_of(card) for card in cards if card != JOKER}
    values |= {1} if ACE in values else set()
    runs = (sum(value in values for value in range(low, low + 5)) for low in range(1, 11))
    return max(*suits.values(), *runs) + jokers >= 5


def set_four(cards: Sequence[str], four: list[str], pairs: list[int], take: Any) -> tuple[list[str], list[str]]:
    """Return both hands of seven cards with four of a kind (18), (19)."""
    if pairs:
        return split_rest(cards, four, take(max(pairs), 2))
    value = read_value(four[0])
    others = [read_value(card) for card in cards if card not in four]
    if value >= 11 or (value >= 7 and max(others) < KING):
        return split_rest(cards, four[:2], four[2:])
    return split_rest(cards, four, [])


def compare(hands: tuple[Sequence[str], Sequence[str]], bank: tuple[Sequence[str], Sequence[str]]) -> int:
    """Return 1 if the player wins, 0 if the wager is returned, -1 if it loses (29), (31), (42)."""
    if is_foul(*hands):
        return -1
    if is_foul(*bank):
        return 1
    higher = (rank_high(hands[0]) > rank_high(bank[0])) + (rank_low(hands[1]) > rank_low(bank[1]))
    return higher - 1


class PaiGowPoker(Referee):
    """Seven hands of seven cards, each set into five and two."""

    game = "pai-gow-poker"
    kinds: tuple[str, ...] = ("return", "announce", "collect-cards", "shuffle", "cut")
    options = OPTIONS
    limits = LIMITS

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        rng = round_.rng
        sitting = round_.sit(6)
        bank = rng.choice([None, *sitting]) if round_.house["players-bank"] and len(sitting) > 1 else None
        sharing = None
        if bank is None and len(sitting) > 1 and CO_BANK in round_.house["limits"] and rng.random() < 0.5:
            sharing = rng.choice(sitting)
        seats = [seat for seat in sitting if seat not in (bank, sharing)]
        round_.facts |= {"bank": bank, "sharing": sharing}
        prepare = [make_event("shuffle", by="dealer"), make_event("cut", by=rng.choice(["dealer", "player"]))]
        if round_.chance(0.3):
            prepare = [make_event("shuffle", by="machine")]
        if round_.house["players-bank"]:
            prepare.insert(rng.randint(0, 1), make_event("outcome", what=BANKER, value=str(bank or "dealer")))
        round_.place_all([prepare, *self.stake(round_, seats)])
        round_.add("announce", what=CALL)
        deck = [*DECK, JOKER]
        rng.shuffle(deck)
        is_dice = round_.house["start"] == "dice"
        number = sum(rng.randint(1, 6) for _ in range(3)) if is_dice else rng.randint(1, 7)
        round_.add("outcome", what=FIRST, value=str(number))
        round_.facts["number"] = number
        for step in range(PLACES):
            place = (number - 1 + step) % PLACES  # 0 is the dealer, 1 the seat at the dealer's left
            cards = [deck.pop() for _ in range(7)]
            if place == 0:
                round_.deal("dealer", cards)
            elif place in sitting:
                round_.deal("player", cards, place)
        owner = spoil(round_, sitting)
        if owner in (("dealer", None), ("player", bank), ("player", sharing)):
            round_.add("misdeal", place="table")
            give_back(round_, seats)
            if sharing is not None:
                give_back(round_, [sharing], CO_BANK)
            return
        spoilt = None if owner is None else owner[1]
        if spoilt is not None:
            round_.add("misdeal", place="player", seat=spoilt)
            give_back(round_, [spoilt])
            round_.add("collect-cards", place="player", seat=spoilt)
            seats, sitting = ([seat for seat in kept if seat != spoilt] for kept in (seats, sitting))
        self.set_and_settle(round_, sitting, seats)

    def stake(self, round_: Round, seats: Sequence[int]) -> Iterator[list[Event]]:
        """Yield the stakes of Main, and the cover of a player who shares the bank (44)."""
        amounts, sharing = {seat: round_.choose_amount("main") for seat in seats}, round_.facts["sharing"]
        yield from (round_.place(seat, "main", amounts[seat]) for seat in seats)
        if sharing is not None:
            least = -(-sum(amounts.values()) // 2)
            yield round_.place(sharing, CO_BANK, least if round_.is_plain else round_.rng.choice([least, least + 500]))

    def set_and_settle(self, round_: Round, sitting: Sequence[int], seats: Sequence[int]) -> None:
        """Set all hands, settle them, and settle with a player who has the bank or a share of it."""
        rng, bank, sharing = round_.rng, round_.facts["bank"], round_.facts["sharing"]
        hands = round_.facts["hands"] = {}
        setting = [seat for seat in sitting if seat != sharing]
        for seat in setting if round_.is_plain else rng.sample(setting, len(setting)):
            hands[seat] = self.choose(round_, round_.cards("player", seat), may_be_foul=seat == bank)
            round_.events.append(set_event(seat, *hands[seat]))
        if bank is None:
            dealer = round_.facts["against"] = set_house_way(round_.cards("dealer"))
            round_.add("reveal", place="dealer", cards=join_cards(round_.cards("dealer")))
            round_.events.append(set_event(None, *dealer))
        else:
            round_.facts["against"] = hands[bank]
            round_.add("reveal", place="player", seat=bank, cards=join_cards(round_.cards("player", bank)))
        for seat in sorted(seats, reverse=True):
            round_.add("reveal", place="player", seat=seat, cards=join_cards(round_.cards("player", seat)))
            round_.settle(self.results(round_, seat))
            round_.add("collect-cards", place="player", seat=seat)
        if bank is not None:
            self.charge_bank(round_, bank, seats)
        if sharing is not None:
            round_.settle(self.share(round_, sharing, seats))
            round_.add("collect-cards", place="player", seat=sharing)

    def share(self, round_: Round, sharing: int, seats: Sequence[int]) -> dict[Key, Result]:
        """Return half of what the bank wins or loses, for the player who shares it (46)."""
        won = self.sum_bank(round_, seats)
        if won < 0:
            return {(sharing, CO_BANK, ()): Result(taken=-won // 2)}
        net = Fraction(won, 2) - won * 5 // 200
        return {(sharing, CO_BANK, ()): Result(paid=int(net))}

    def sum_bank(self, round_: Round, seats: Sequence[int]) -> int:
        """Return what the bank wins less what it pays, without commissions."""
        stakes, against = round_.stakes(), round_.facts["against"]
        signs = {seat: compare(round_.facts["hands"][seat], against) for seat in seats}
        return -sum(sign * stakes[seat, "main", ()].amount for seat, sign in signs.items())

    def charge_bank(self, round_: Round, bank: int, seats: Sequence[int]) -> None:
        """Collect the commission of a player who banks, and the cards (43)."""
        won = self.sum_bank(round_, seats)
        round_.add("collect-cards", place="player", seat=bank)
        if won * 5 // 100 > 0:
            for kind in ("wager", "collect"):
                round_.add(kind, seat=bank, wager=BANK_COMMISSION, amount=won * 5 // 100)

    def choose(self, round_: Round, cards: Sequence[str], *, may_be_foul: bool) -> tuple[list[str], list[str]]:
        """Return hands by the house way, or in some other way, which a bank at times sets foul."""
        if round_.rng.random() < 0.8:
            return set_house_way(cards)
        may_be_foul = may_be_foul and round_.chance(0.5)
        lows = [
            low
            for low in combinations(cards, 2)
            if may_be_foul or not is_foul([card for card in cards if card not in low], low)
        ]
        low = round_.rng.choice(lows)
        return [card for card in cards if card not in low], list(low)

    def results(self, round_: Round, seat: int) -> dict[Key, Result]:
        key: Key = (seat, "main", ())
        stake = round_.stakes()[key].amount
        sign = compare(round_.facts["hands"][seat], round_.facts["against"])
        if sign > 0:
            return {key: Result(paid=stake, commission=stake * 5 // 100)}
        return {key: lose(stake) if sign else Result()}


def spoil(round_: Round, sitting: Sequence[int]) -> tuple[str, int | None] | None:
    """Take a card from a hand, as may happen at a table, and return its owner."""
    if not round_.chance(0.05):
        return None
    owner: tuple[str, int | None] = round_.rng.choice([("dealer", None), *(("player", seat) for seat in sitting)])
    drop_card(round_, *owner)
    return owner


def give_back(round_: Round, seats: Sequence[int], wager: str = "main") -> None:
    for seat in seats:
        round_.add("return", seat=seat, wager=wager, amount=round_.stakes()[seat, wager, ()].lying)


def set_event(seat: int | None, high: Sequence[str], low: Sequence[str]) -> Event:
    """Return the event in which seven cards are set."""
    return make_event(
        "set", place="dealer" if seat is None else "player", seat=seat, high=join_cards(high), low=join_cards(low)
    )


REFEREE = PaiGowPoker()
REFEREE.violations = VIOLATIONS = Violations()
VIOLATIONS.add_payments({"main": "(29)"})
VIOLATIONS.put("no-call", "(6)", omit_call)
VIOLATIONS.put("call-after-the-first-card", "(6)", call_late)
VIOLATIONS.put("wager-after-the-call", "(6)", bet_late)
VIOLATIONS.put("winning-wager-is-increased", "(6)", increase_late)
VIOLATIONS.put("no-shuffle", "(8)", omit("shuffle"))
VIOLATIONS.put("no-cut", "(8)", omit("cut"))
VIOLATIONS.put("cut-before-the-shuffle", "(8)", cut_first)
VIOLATIONS.put("no-number-decides", "(10)", omit("outcome", what=FIRST))
VIOLATIONS.put("bank-is-not-announced", "(41)", omit("outcome", what=BANKER))
VIOLATIONS.put("bank-pays-no-commission", "(43)", lambda round_: charge_otherwise(round_, Fraction(0)))
VIOLATIONS.put("bank-pays-less-commission", "(43)", lambda round_: charge_otherwise(round_, Fraction(4, 5)))
VIOLATIONS.put("bank-pays-more-commission", "(43)", lambda round_: charge_otherwise(round_, Fraction(6, 5)))
VIOLATIONS.put("bank-does-not-set", "(13)", lambda round_: bool(round_.facts["bank"]) and omit_setting(round_))
VIOLATIONS.put("main-above-the-maximum", "(7)", lambda round_: exceed_maximum(round_, "main"))
VIOLATIONS.put("main-below-the-minimum", "(7)", lambda round_: undercut_minimum(round_, "main"))
VIOLATIONS.put("main-is-taken-on-a-push", "(29)", lambda round_: take_push(round_, "main"))
VIOLATIONS.put("settled-from-the-left", "(28)", settle_from_the_left)
VIOLATIONS.put("player-does-not-set", "(13)", omit("set", place="player"))


@VIOLATIONS.breaks("(30)")
def commission_is_not_taken(round_: Round) -> bool:
    return change_commission(round_, 0)


@VIOLATIONS.breaks("(30)")
def commission_of_six_percent(round_: Round) -> bool:
    return change_commission(round_, 6)


def change_commission(round_: Round, percent: int) -> bool:
    """Pay a winner less another commission."""
    event = pick(round_, "pay", wager="main")
    if event is None:
        return False
    stake = round_.stakes()[event["seat"], "main", ()].amount
    event["amount"] = stake - stake * percent // 100
    return True


@VIOLATIONS.breaks("(12)")
def hands_begin_at_a_wrong_place(round_: Round) -> bool:
    deals = round_.all("deal")
    if len(deals) < 3:
        return False
    swap(round_, deals[0], deals[1])
    return True


@VIOLATIONS.breaks("(9)")
def player_has_six_cards(round_: Round) -> bool:
    deal = pick(round_, "deal", place="player")
    if deal is None or not round_.all("collect", seat=deal["seat"]):
        return False
    for event in round_.all("reveal", place="player", seat=deal["seat"]):
        event["cards"] = deal["cards"][:12]
    deal["cards"] = deal["cards"][:12]
    return True


@VIOLATIONS.breaks("(1)")
def card_occurs_twice(round_: Round) -> bool:
    deals = round_.all("deal")
    old, new = deals[0]["cards"][:2], deals[1]["cards"][:2]
    if JOKER in (old, new):
        return False
    for event in round_.events[round_.place_of(deals[1]) :]:
        for name in ("cards", "high", "low"):
            if new in event.get(name, ""):
                event[name] = event[name].replace(new, old)
    return True


def set_anew(round_: Round, event: Event, high: Sequence[str], low: Sequence[str]) -> None:
    """Set a hand in another way, and settle the round accordingly."""
    event |= {"high": join_cards(high), "low": join_cards(low)}
    if event["place"] == "dealer":
        round_.facts["against"] = (high, low)
    else:
        round_.facts["hands"][event["seat"]] = (high, low)
    for shown in round_.all("reveal", place="player"):
        if shown["seat"] == round_.facts["bank"]:
            continue
        kept = [other for other in round_.events if other.get("seat") == shown["seat"]]
        settled = [other for other in kept if other["event"] in {"pay", "collect", "return"}]
        round_.remove(*settled)
        start = round_.place_of(shown) + 1
        tail = round_.events[start:]
        del round_.events[start:]
        round_.settle(REFEREE.results(round_, shown["seat"]))
        round_.events += tail
    sharing = round_.facts["sharing"]
    if sharing is not None:
        settled = [other for kind in ("pay", "collect", "return") for other in round_.all(kind, wager=CO_BANK)]
        round_.remove(*settled)
        last = round_.events.pop()
        round_.settle(REFEREE.share(round_, sharing, [*round_.facts["hands"]]))
        round_.events.append(last)


@VIOLATIONS.breaks("(15)")
def dealer_is_not_set_by_the_house_way(round_: Round) -> bool:
    if round_.facts["bank"]:
        return False
    event = round_.all("set", place="dealer")[0]
    cards = round_.cards("dealer")
    house = round_.facts["against"]
    for low in combinations(cards, 2):
        high = [card for card in cards if card not in low]
        if not is_foul(high, low) and (rank_high(high), rank_low(low)) != (rank_high(house[0]), rank_low(house[1])):
            set_anew(round_, event, high, low)
            return True
    return False


@VIOLATIONS.breaks("(31)")
def foul_hand_is_returned(round_: Round) -> bool:
    for event in round_.all("set", place="player"):
        cards = round_.cards("player", event["seat"])
        for low in combinations(cards, 2):
            high = [card for card in cards if card not in low]
            returned = round_.all("return", seat=event["seat"])
            if is_foul(high, low) and returned:
                event |= {"high": join_cards(high), "low": join_cards(low)}
                return True
    return False


@VIOLATIONS.breaks("(31)")
def foul_hand_is_paid(round_: Round) -> bool:
    for event in round_.all("set", place="player"):
        cards = round_.cards("player", event["seat"])
        for low in combinations(cards, 2):
            high = [card for card in cards if card not in low]
            if is_foul(high, low) and round_.all("pay", seat=event["seat"]):
                event |= {"high": join_cards(high), "low": join_cards(low)}
                return True
    return False


@VIOLATIONS.breaks("(29)")
def equal_low_hand_counts_for_the_player(round_: Round) -> bool:
    dealer = round_.facts["against"]
    for event in round_.all("return", wager="main"):
        high, low = round_.facts["hands"][event["seat"]]
        if rank_low(low) == rank_low(dealer[1]) and rank_high(high) > rank_high(dealer[0]):
            event["event"] = "pay"
            return True
    return False


@VIOLATIONS.breaks("(13)")
def three_cards_in_the_low_hand(round_: Round) -> bool:
    event = round_.all("set", place="player")[0]
    event |= {"high": event["high"][:8], "low": event["low"] + event["high"][8:]}
    return True


@VIOLATIONS.breaks("(15)")
def dealer_is_shown_before_all_have_set(round_: Round) -> bool:
    if round_.facts["bank"]:
        return False
    round_.move(round_.all("reveal", place="dealer")[0], round_.place_of(round_.all("set", place="player")[0]))
    return True


@VIOLATIONS.breaks("(15)")
def player_sets_again_after_the_dealer(round_: Round) -> bool:
    if round_.facts["bank"]:
        return False
    event = round_.all("set", place="player")[0]
    shown = round_.all("set", place="dealer")[0]
    round_.events.insert(round_.place_of(shown) + 1, dict(event))
    return True


@VIOLATIONS.breaks("(28)")
def settled_before_the_dealer_is_shown(round_: Round) -> bool:
    lost = round_.all("collect")
    if not lost or round_.facts["bank"]:
        return False
    round_.move(lost[0], round_.place_of(round_.all("reveal", place="dealer")[0]))
    return True


def charge_otherwise(round_: Round, factor: Fraction) -> bool:
    """Charge a bank another commission, or none."""
    events = [event for event in round_.events if event.get("wager") == BANK_COMMISSION]
    for event in events:
        event["amount"] = int(event["amount"] * factor)
    if not factor:
        round_.remove(*events)
    return bool(events)


def omit_setting(round_: Round) -> bool:
    round_.remove(*round_.all("set", seat=round_.facts["bank"]))
    return True


@VIOLATIONS.breaks("(43)")
def commission_without_the_losses_of_the_bank(round_: Round) -> bool:
    events = [event for event in round_.events if event.get("wager") == BANK_COMMISSION]
    won = sum(event["amount"] for event in round_.all("collect", wager="main"))
    if not events or not round_.all("pay", wager="main"):
        return False
    for event in events:
        event["amount"] = won * 5 // 100
    return True


@VIOLATIONS.breaks("(41)")
def bank_is_announced_after_the_call(round_: Round) -> bool:
    events = round_.all("outcome", what=BANKER)
    if not events:
        return False
    round_.move(events[0], round_.place_of(round_.all("announce", what=CALL)[0]))
    return True


@VIOLATIONS.breaks("(41)")
def bank_places_a_wager(round_: Round) -> bool:
    bank = round_.facts["bank"]
    if bank is None:
        return False
    stake = {"seat": bank, "wager": "main", "amount": 1_000}
    round_.events.insert(round_.place_of(round_.all("announce", what=CALL)[0]), make_event("wager", **stake))
    round_.add("return", **stake)
    return True


@VIOLATIONS.breaks("(42)")
def bank_is_shown_before_all_have_set(round_: Round) -> bool:
    return move_bank(round_, round_.all("set", place="player"), -1)


@VIOLATIONS.breaks("(42)")
def settled_before_the_bank_is_shown(round_: Round) -> bool:
    return move_bank(round_, round_.all("collect") + round_.all("pay") + round_.all("return"), 0)


def move_bank(round_: Round, events: Sequence[Event], before: int) -> bool:
    """Turn up the cards of a player who banks before some event, or just after it."""
    if round_.facts["bank"] is None or not events:
        return False
    shown = round_.all("reveal", seat=round_.facts["bank"])[0]
    round_.move(shown, round_.place_of(events[before]) + before)
    return True


@VIOLATIONS.breaks("(42)")
def settled_against_the_dealer_while_a_player_banks(round_: Round) -> bool:
    if round_.facts["bank"] is None:
        return False
    dealer, bank = set_house_way(round_.cards("dealer")), round_.facts["against"]
    hands = [cards for seat, cards in round_.facts["hands"].items() if seat != round_.facts["bank"]]
    if all(compare(cards, dealer) == compare(cards, bank) for cards in hands):
        return False
    set_anew(round_, set_event(None, *dealer), *dealer)
    return True


@VIOLATIONS.breaks("(42)")
def foul_bank_does_not_pay(round_: Round) -> bool:
    bank = round_.facts["bank"]
    if bank is None or not round_.all("collect", wager="main"):
        return False
    cards = round_.cards("player", bank)
    for low in combinations(cards, 2):
        high = [card for card in cards if card not in low]
        if is_foul(high, low):
            round_.all("set", seat=bank)[0].update(high=join_cards(high), low=join_cards(low))
            return True
    return False


def settle_share(round_: Round, kinds: Sequence[str], change: Callable[[int], int]) -> bool:
    """Change the amounts that a shared bank pays or takes."""
    events = [event for kind in kinds for event in round_.all(kind, wager=CO_BANK)]
    for event in events:
        event["amount"] = change(event["amount"])
    round_.remove(*(event for event in events if event["amount"] <= 0))
    if events:
        round_.remove(*round_.all("return", wager=CO_BANK))
    return bool(events)


VIOLATIONS.put("share-is-not-paid", "(46)", lambda round_: settle_share(round_, ["pay"], lambda amount: 0))
VIOLATIONS.put("whole-win-is-paid", "(46)", lambda round_: settle_share(round_, ["pay"], lambda amount: 2 * amount))
VIOLATIONS.put("share-of-a-loss-is-not-taken", "(46)", lambda round_: settle_share(round_, ["collect"], lambda _: 0))
VIOLATIONS.put("too-much-of-a-loss-is-taken", "(46)", lambda round_: settle_share(round_, ["collect"], lambda a: a + 5))


@VIOLATIONS.breaks("(46)")
def share_is_paid_without_commission(round_: Round) -> bool:
    for event in round_.all("pay", wager=CO_BANK):
        event["amount"] = event["amount"] * 20 // 19 + 1
        return True
    return False


@VIOLATIONS.breaks("(46)")
def commissions_of_players_count_for_the_share(round_: Round) -> bool:
    lost = sum(event["amount"] for event in round_.all("collect", wager="main"))
    paid = sum(event["amount"] for event in round_.all("pay", wager="main"))
    events = round_.all("collect", wager=CO_BANK)
    if not events or not paid > lost:
        return False
    events[0]["amount"] = (paid - lost) // 2
    return True


@VIOLATIONS.breaks("(46)")
def shared_before_the_last_settlement(round_: Round) -> bool:
    events = [event for event in round_.events if event.get("wager") == CO_BANK and event["event"] != "wager"]
    settled = [event for kind in ("collect", "pay", "return") for event in round_.all(kind, wager="main")]
    if not events or not settled:
        return False
    round_.move(events[0], min(map(round_.place_of, settled)))
    return True


@VIOLATIONS.breaks("(44)")
def sharing_player_places_main(round_: Round) -> bool:
    seat = round_.facts["sharing"]
    if seat is None:
        return False
    stake = {"seat": seat, "wager": "main", "amount": 1_000}
    round_.events.insert(round_.place_of(round_.all("announce", what=CALL)[0]), make_event("wager", **stake))
    round_.add("return", **stake)
    return True


def place_co_bank(round_: Round, seat: int) -> None:
    """Place Co-bank at a further seat, and return it at the end."""
    stake = {"seat": seat, "wager": CO_BANK, "amount": 300_000}
    round_.events.insert(round_.place_of(round_.all("announce", what=CALL)[0]), make_event("wager", **stake))
    round_.add("return", **stake)


@VIOLATIONS.breaks("(44)")
def two_players_share(round_: Round) -> bool:
    if round_.facts["sharing"] is None:
        return False
    place_co_bank(round_, next(seat for seat in round_.players if seat != round_.facts["sharing"]))
    return True


@VIOLATIONS.breaks("(44)")
def player_shares_the_bank_of_a_player(round_: Round) -> bool:
    if round_.facts["bank"] is None:
        return False
    place_co_bank(round_, round_.facts["bank"])
    return True


@VIOLATIONS.breaks("(44)")
def less_than_half_is_covered(round_: Round) -> bool:
    events = round_.all("wager", wager=CO_BANK)
    if not events or round_.all("collect", wager=CO_BANK) or events[0]["amount"] < 1_500:
        return False
    less = events[0]["amount"] - 1_000
    for kind in ("wager", "return"):
        for event in round_.all(kind, wager=CO_BANK):
            event["amount"] = less
    return True


@VIOLATIONS.breaks("(44)")
def co_bank_after_the_call(round_: Round) -> bool:
    events = round_.all("wager", wager=CO_BANK)
    if not events:
        return False
    round_.move(events[0], round_.place_of(round_.all("announce", what=CALL)[0]) + 1)
    return True


@VIOLATIONS.breaks("(45)")
def wrong_hand_of_the_sharing_player(round_: Round) -> bool:
    if round_.facts["sharing"] is None or not round_.all("collect", wager="main"):
        return False
    drop_card(round_, "player", round_.facts["sharing"])
    return True
