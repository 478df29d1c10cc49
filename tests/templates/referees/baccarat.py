"""Punto banco: points, third cards, the shoe and the settlement that both texts share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from tests.lawful.record import make_event
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
    shuffle_decks,
    swap_deals,
    take_push,
    undercut_minimum,
)

PLAYER, BANKER = "community", "dealer"
"""Places of the two hands in a hand log."""
DECKS = 8


def count_card(card: str) -> int:
    return "A23456789".find(card[0]) + 1


def count_points(cards: Sequence[str]) -> int:
    return sum(map(count_card, cards)) % 10


def player_draws(player: int, banker: int) -> bool:
    """Return whether the Player's Hand receives a third card, by the points of both hands of two cards."""
    return max(player, banker) < 8 and player <= 5


def banker_draws(player: int, banker: int, third: int | None) -> bool:
    """Return whether the Banker's Hand receives a third card (14) to (17)."""
    if max(player, banker) >= 8:
        return False
    if third is None:
        return banker <= 5
    return {3: third != 8, 4: 2 <= third <= 7, 5: 4 <= third <= 7, 6: third in {6, 7}, 7: False}.get(banker, True)


def settle_sides(player: int, banker: int) -> dict[str, int]:
    """Return 1 for a win, 0 for a push, -1 for a loss of the wagers Player, Banker and Tie."""
    sign = (player > banker) - (player < banker)
    return {"player": sign, "banker": -sign, "tie": 1 if sign == 0 else -1}


class Baccarat(Referee):
    """Eight decks, two hands, third cards by the table."""

    session = 12
    kinds: tuple[str, ...] = ("return", "announce", "withdraw", "deal/burn", "collect-cards", "cut")
    side_wagers: Sequence[str] = ()

    @abstractmethod
    def find_result(self, wager: str, stake: int, hands: Sequence[Sequence[str]], house: dict[str, Any]) -> Result:
        """Return the outcome of a stake by the Player's and the Banker's cards."""

    def results(self, round_: Round) -> dict[Key, Result]:
        """Return the outcome of every stake by the cards that were dealt."""
        hands = (round_.cards(PLAYER), round_.cards(BANKER))
        return {
            key: self.find_result(key[1], stake.amount, hands, round_.house)
            for key, stake in round_.stakes().items()
            if stake.amount
        }

    def open_shoe(self, round_: Round, table: dict[str, Any]) -> None:
        """Shuffle and cut, place the cutting card, and burn."""
        shoe = shuffle_decks(round_.rng, DECKS)
        round_.add("shuffle", by="dealer")
        round_.add("cut", by=round_.rng.choice(["player", "dealer"]))
        first = shoe[0]
        count = count_card(first) or 10
        round_.add("deal", place="burn", cards=first, face="up", by="dealer")
        round_.add("deal", place="burn", cards="??" * count, face="down", by="dealer")
        table["shoe"] = shoe[count + 1 :]
        table["behind"] = round_.rng.randint(14, 395)
        table["last"] = None
        round_.facts["burn"] = count

    def play(self, round_: Round, table: dict[str, Any]) -> None:
        rng = round_.rng
        round_.facts["results"] = self.results
        is_forced = table.get("last") == 0
        if "shoe" not in table or is_forced or (table["last"] == 1 and rng.random() < 0.5):
            self.open_shoe(round_, table)
        round_.facts["is-forced"] = is_forced
        round_.place_all(self.choose_stakes(round_))
        round_.add("announce", what=CALL)
        shoe = table["shoe"]
        is_out = len(shoe) <= table["behind"]

        def deal(place: str) -> None:
            nonlocal is_out
            if round_.chance(0.005) and len(shoe) > 20:
                card = shoe.pop(0)
                round_.add("fault", what="card face up in the shoe", cards=card)
                round_.add("deal", place="burn", cards=card, face="up", by="dealer")
            round_.deal(place, [shoe.pop(0)], face="up")
            if not is_out and len(shoe) <= table["behind"]:
                is_out = True
                round_.add("announce", what="cutting-card")
                table["last"] = 2

        for place in (PLAYER, BANKER, PLAYER, BANKER):
            deal(place)
        player, banker = count_points(round_.cards(PLAYER)), count_points(round_.cards(BANKER))
        third = None
        if player_draws(player, banker):
            deal(PLAYER)
            third = count_card(round_.cards(PLAYER)[2])
        if banker_draws(player, banker, third):
            deal(BANKER)
        round_.add("announce", what="result")
        if table["last"] is not None:
            table["last"] -= 1
        round_.settle(self.results(round_))
        round_.add("collect-cards", place=PLAYER)
        round_.add("collect-cards", place=BANKER)

    def choose_stakes(self, round_: Round) -> list[list[Any]]:
        rng = round_.rng
        blocks = []
        for seat in round_.sit(9):
            wagers = [rng.choice(["player", "banker"])] if rng.random() < 0.9 else ["tie"]
            wagers += [wager for wager in ("tie", *self.side_wagers) if wager not in wagers and rng.random() < 0.25]
            blocks += [round_.place(seat, wager, round_.choose_amount(wager)) for wager in wagers]
        return blocks


def resettle(round_: Round) -> None:
    """Settle a round anew by the cards that it has now."""
    kept = round_.all("collect-cards")
    round_.remove(*kept, *round_.all("collect"), *round_.all("pay"), *round_.all("return"))
    round_.settle(round_.facts["results"](round_))
    round_.events += kept


SHARED = Violations()
"""Violations of both texts."""


def third_cards(round_: Round) -> tuple[int, int, int, int]:
    hands = round_.cards(PLAYER), round_.cards(BANKER)
    return (*(count_points(hand[:2]) for hand in hands), *(len(hand) for hand in hands))  # type: ignore[return-value]


def drop(round_: Round, place: str) -> None:
    round_.remove(round_.all("deal", place=place)[-1])
    resettle(round_)


def draw(round_: Round, place: str) -> None:
    last = [event for event in round_.all("deal") if event["place"] != "burn"][-1]
    extra = make_event("deal", place=place, cards=round_.rng.choice(["4c", "9d", "Kh"]), face="up", by="dealer")
    round_.events.insert(round_.place_of(last) + 1, extra)
    resettle(round_)


@SHARED.breaks("(15)")
def player_misses_a_third_card(round_: Round) -> bool:
    *_, count, banker = third_cards(round_)
    if count != 3 or banker != 2:
        return False
    drop(round_, PLAYER)
    return True


@SHARED.breaks("(15)")
def player_draws_with_six_or_seven(round_: Round) -> bool:
    player, banker, count, other = third_cards(round_)
    if player not in {6, 7} or (count, other) != (2, 2) or banker >= 8:
        return False
    draw(round_, PLAYER)
    return True


@SHARED.breaks("(14)")
def player_draws_after_a_natural(round_: Round) -> bool:
    player, banker, _, _ = third_cards(round_)
    if banker < 8 or player > 5:
        return False
    draw(round_, PLAYER)
    return True


@SHARED.breaks("(14)")
def banker_draws_after_a_natural(round_: Round) -> bool:
    player, banker, _, _ = third_cards(round_)
    if player < 8 or banker > 5:
        return False
    draw(round_, BANKER)
    return True


@SHARED.breaks("(16)")
def banker_draws_with_six_after_no_third_card(round_: Round) -> bool:
    player, banker, count, other = third_cards(round_)
    if count == 3 or other == 3 or banker not in {6, 7} or player >= 8:
        return False
    draw(round_, BANKER)
    return True


@SHARED.breaks("(16)")
def banker_misses_a_card_after_no_third_card(round_: Round) -> bool:
    _, _, count, other = third_cards(round_)
    if count == 3 or other == 2:
        return False
    drop(round_, BANKER)
    return True


@SHARED.breaks("(17)")
def banker_misses_a_card_by_the_table(round_: Round) -> bool:
    _, banker, count, other = third_cards(round_)
    if count == 2 or other == 2 or banker < 3:
        return False
    drop(round_, BANKER)
    return True


@SHARED.breaks("(17)")
def banker_draws_against_the_table(round_: Round) -> bool:
    _, banker, count, other = third_cards(round_)
    if count == 2 or other == 3 or banker == 7:
        return False
    draw(round_, BANKER)
    return True


@SHARED.breaks("(18)")
def four_cards(round_: Round) -> bool:
    *_, count, other = third_cards(round_)
    if (count, other) != (3, 2):
        return False
    draw(round_, PLAYER)
    return True


@SHARED.breaks("(18)")
def banker_draws_before_the_player(round_: Round) -> bool:
    *_, count, other = third_cards(round_)
    if (count, other) != (3, 3):
        return False
    events = [event for event in round_.all("deal") if event["place"] != "burn"]
    here, there = round_.place_of(events[4]), round_.place_of(events[5])
    round_.events[here], round_.events[there] = events[5], events[4]
    return True


@SHARED.breaks("(13)")
def first_cards_out_of_turn(round_: Round) -> bool:
    return swap_deals(round_)


@SHARED.breaks("(13)")
def no_call(round_: Round) -> bool:
    return omit_call(round_)


@SHARED.breaks("(13)")
def call_after_the_first_card(round_: Round) -> bool:
    return call_late(round_)


@SHARED.breaks("(13)")
def cards_face_down(round_: Round) -> bool:
    for event in [event for event in round_.all("deal") if event["place"] != "burn"]:
        event["face"] = "down"
    return True


@SHARED.breaks("(7)")
def wager_after_the_call(round_: Round) -> bool:
    return bet_late(round_)


@SHARED.breaks("(6)")
def wagers_on_both_hands(round_: Round) -> bool:
    event = pick(round_, "wager", wager="player")
    if event is None:
        return False
    round_.events.insert(round_.place_of(event), event | {"wager": "banker"})
    resettle(round_)
    return True


@SHARED.breaks("(9)")
def shoe_is_not_shuffled(round_: Round) -> bool:
    return omit("shuffle")(round_)


@SHARED.breaks("(9)")
def shoe_is_not_cut(round_: Round) -> bool:
    return omit("cut")(round_)


@SHARED.breaks("(10)")
def no_card_is_burnt(round_: Round) -> bool:
    return omit("deal", place="burn")(round_)


@SHARED.breaks("(10)")
def one_card_too_few_is_burnt(round_: Round) -> bool:
    events = round_.all("deal", place="burn")
    if not events or round_.facts["burn"] < 2:
        return False
    events[1]["cards"] = events[1]["cards"][2:]
    return True


@SHARED.breaks("(20)")
def payment_before_collections(round_: Round) -> bool:
    paid, lost = round_.all("pay"), round_.all("collect")
    if not paid or not lost:
        return False
    round_.move(paid[0], round_.place_of(lost[0]))
    return True


@SHARED.breaks("(21)")
def player_is_taken_on_a_tie(round_: Round) -> bool:
    return take_push(round_, "player")


@SHARED.breaks("(25)")
def banker_is_taken_on_a_tie(round_: Round) -> bool:
    return take_push(round_, "banker")


@SHARED.breaks("(8)")
def player_above_the_maximum(round_: Round) -> bool:
    return exceed_maximum(round_, "player")


@SHARED.breaks("(8)")
def tie_below_the_minimum(round_: Round) -> bool:
    return undercut_minimum(round_, "tie")


@SHARED.breaks("(19)")
def no_result_is_announced(round_: Round) -> bool:
    return omit("announce", what="result")(round_)


@SHARED.breaks("(19)")
def settled_before_the_result(round_: Round) -> bool:
    lost = round_.all("collect")
    if not lost:
        return False
    round_.move(lost[0], round_.place_of(round_.all("announce", what="result")[0]))
    return True


@SHARED.breaks_session("(11)")
def shoe_goes_on_after_the_cutting_card(rounds: list[Round]) -> bool:
    """Play a second round after the one in which the cutting card came out, behind the first four cards."""
    round_ = rounds[-1]
    announced = [(earlier, event) for earlier in rounds[:-1] for event in earlier.all("announce", what="cutting-card")]
    if not round_.facts["is-forced"] or not announced:
        return False
    earlier, event = announced[-1]
    dealt = [other for other in earlier.all("deal") if other["place"] != "burn"]
    if earlier.place_of(event) < earlier.place_of(dealt[3]):
        return False
    round_.remove(*round_.all("shuffle"), *round_.all("cut"), *round_.all("deal", place="burn"))
    return True


@SHARED.breaks_session("(12)")
def nine_equal_cards(rounds: list[Round]) -> bool:
    pair = rounds[-2:]
    if len(pair) < 2 or pair[1].all("shuffle"):
        return False
    deals = [[event for event in round_.all("deal") if event["place"] != "burn"] for round_ in pair]
    if [len(dealt) for dealt in deals] != [6, 6]:
        return False
    for event in (*deals[0], *deals[1]):
        event["cards"] = "Kh"
    for round_ in pair:
        resettle(round_)
    return True
