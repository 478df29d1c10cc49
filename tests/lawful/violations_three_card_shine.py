"""Violations of the rules of 3 Card Shine, each in a round that is otherwise lawful."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.lawful.acts import Style
from tests.lawful.record import Round, drop_all_events, join_cards, make_event, shuffle_deck, split_cards
from tests.lawful.three_card_shine import (
    BONUS,
    GAME,
    SUPER_HANDS,
    Hand,
    House,
    Play,
    draw_hand,
    draw_super,
    find_row,
    name_super,
    name_three,
    qualifies,
    rank_three,
    submit,
)
from tests.lawful.three_card_shine import ORDER as HANDS
from tests.lawful.three_card_shine import PAIR_TABLES as PAIR
from tests.lawful.violations import Case, Scene, Violation

VIOLATIONS: list[Violation] = []

TIPS = frozenset({"ante", "play", "pair-xxx", "super-6"})
HOUSE = House("House of trial", ("T1",), pair="B", super6="A", tips=TIPS, shuffler="none", positions=6)
PACKETS = replace(HOUSE, dealing="three-card-packets", shuffler="mechanical")
START = datetime(2026, 3, 1, 18, tzinfo=UTC)

Condition = Callable[[list[Hand], list[str]], bool]


def register(clause: str) -> Callable[[Callable[[int], Case]], Callable[[int], Case]]:
    """Add a builder to the violations of the game."""

    def add(build: Callable[[int], Case]) -> Callable[[int], Case]:
        VIOLATIONS.append(Violation(build.__name__.replace("_", "-"), clause, build))
        return build

    return add


def always(hands: list[Hand], dealer: list[str]) -> bool:
    return True


def deal(
    seed: int,
    *hands: Hand,
    when: Condition = always,
    house: House = HOUSE,
    number: int = 1,
    change: Callable[[list[Hand], list[str], list[str]], None] | None = None,
    deck: str | None = None,
) -> Scene:
    """Deal plain rounds until a condition holds, and write the one that meets it.

    `change` alters hands, the dealer's cards and the stub before the round is written, as for a miscount.
    """
    rng = random.Random(seed)
    for _ in range(200_000):
        left = shuffle_deck(rng)
        if rng.random() < 0.3:
            hands[0].cards, dealer = draw_super(rng, left, rng.choice(SUPER_HANDS))
        else:
            dealer = draw_hand(rng, left, rng.choice(HANDS))
            hands[0].cards = draw_hand(rng, left, rng.choice(HANDS))
        for hand in hands[1:]:
            hand.cards = draw_hand(rng, left, rng.choice(HANDS))
        if when(list(hands), dealer):
            break
    else:
        raise AssertionError("no deal meets the condition")
    if change:
        change(list(hands), dealer, left)
    round_ = Round(
        f"V{seed}-{number}",
        GAME,
        house.tables[0],
        START + timedelta(minutes=2 * number),
        casino=house.name,
        number=number,
        deck=deck,
        bonuses={BONUS},
    )
    style = Style(rng, is_plain=True, bonuses=frozenset({BONUS}))
    Play(round_, house, list(hands), dealer, style, stub=left).write()
    return Scene(round_, [submit(house)])


def play(seat: int = 1, *, ante: int = 1000, pair: int = 0, super6: int = 0) -> Hand:
    """Return a hand that stays in with an Ante of 10.00 and further stakes."""
    return Hand(seat, ante=ante, pair=pair, super6=super6, player=f"P{seat}")


def fold(seat: int = 1, *, pair: int = 0, super6: int = 0) -> Hand:
    return replace(play(seat, pair=pair, super6=super6), folds=True)


def only(seat: int = 1, *, pair: int = 0, super6: int = 0) -> Hand:
    """Return a hand without an Ante."""
    return play(seat, ante=0, pair=pair, super6=super6)


def is_win(hands: list[Hand], dealer: list[str]) -> bool:
    return qualifies(dealer) and rank_three(hands[0].cards) > rank_three(dealer)


def is_loss(hands: list[Hand], dealer: list[str]) -> bool:
    return qualifies(dealer) and rank_three(hands[0].cards) < rank_three(dealer)


def is_tie(hands: list[Hand], dealer: list[str]) -> bool:
    return qualifies(dealer) and rank_three(hands[0].cards) == rank_three(dealer)


def is_open(hands: list[Hand], dealer: list[str]) -> bool:
    return not qualifies(dealer)


def has(*names: str, also: Condition = always) -> Condition:
    """Return a condition: the first hand is one of these."""
    return lambda hands, dealer: name_three(hands[0].cards) in names and also(hands, dealer)


def no_bonus(condition: Condition) -> Condition:
    """Return a condition without an Ante Bonus for the first hand."""
    return lambda hands, dealer: (
        name_three(hands[0].cards) in {"high-card", "pair", "flush"} and condition(hands, dealer)
    )


# Money of Ante and Play


def money(name: str, clause: str, condition: Condition, wager: str, *outcome: tuple[str, int]) -> None:
    """Register a wrong outcome of the Ante or Play of a hand that stays in."""

    def build(seed: int) -> Case:
        scene = deal(seed, play(), play(4), when=condition)
        scene.resettle(1, wager, *outcome)
        return scene.case()

    build.__name__ = name
    register(clause)(build)


money("ante_win_one_short", "(14)(A)", is_win, "ante", ("pay", 999))
money("ante_win_overpaid", "(14)(A)", is_win, "ante", ("pay", 1500))
money("ante_win_collected", "(14)(A)", is_win, "ante", ("collect", 1000))
money("ante_loss_left", "(14)(B)", is_loss, "ante", ("return", 1000))
money("ante_loss_half_collected", "(14)(B)", is_loss, "ante", ("collect", 500))
money("ante_loss_paid", "(14)(B)", is_loss, "ante", ("pay", 1000))
money("ante_tie_collected", "(14)(B)(i)", is_tie, "ante", ("collect", 1000))
money("ante_tie_paid", "(14)(B)(i)", is_tie, "ante", ("pay", 1000))
money("ante_unpaid_without_a_qualified_dealer", "(13)", is_open, "ante", ("return", 1000))
money("ante_paid_double_without_a_qualified_dealer", "(13)", is_open, "ante", ("pay", 2000))
money("play_win_short", "(14)(A)", is_win, "play", ("pay", 500))
money("play_win_overpaid", "(14)(A)", is_win, "play", ("pay", 1001))
money("play_win_pushed", "(14)(A)", is_win, "play", ("return", 1000))
money("play_loss_left", "(14)(B)", is_loss, "play", ("return", 1000))
money("play_loss_paid", "(14)(B)", is_loss, "play", ("pay", 1000))
money("play_paid_without_a_qualified_dealer", "(13)", is_open, "play", ("pay", 1000))
money("play_collected_without_a_qualified_dealer", "(13)", is_open, "play", ("collect", 1000))
money("play_tie_collected", "(14)(B)(i)", is_tie, "play", ("collect", 1000))
money("play_tie_paid", "(14)(B)(i)", is_tie, "play", ("pay", 1000))


# Money: wrong winner


def wrong_winner(name: str, clause: str, condition: Condition, *outcome: tuple[str, int]) -> None:
    def build(seed: int) -> Case:
        scene = deal(seed, play(), when=condition)
        for wager in ("play", "ante"):
            scene.resettle(1, wager, *outcome)
        return scene.case()

    build.__name__ = name
    register(clause)(build)


wrong_winner("dealer_wins_and_player_is_paid", "(14)(B)", no_bonus(is_loss), ("pay", 1000))
wrong_winner("player_wins_and_loses_both", "(14)(A)", no_bonus(is_win), ("collect", 1000))
wrong_winner(
    "flush_taken_for_better_than_a_straight",
    "(1), (14)(B)",
    lambda hands, dealer: name_three(hands[0].cards) == "flush" and name_three(dealer) == "straight",
    ("pay", 1000),
)
wrong_winner(
    "three_aces_lose_to_a_straight_flush",
    "(1), (14)(A)",
    lambda hands, dealer: name_three(hands[0].cards) == "three-aces" and name_three(dealer) == "straight-flush",
    ("collect", 1000),
)
wrong_winner(
    "third_card_overlooked",
    "(14)(B)(i)",
    lambda hands, dealer: (
        name_three(dealer) == name_three(hands[0].cards) == "high-card"
        and qualifies(dealer)
        and rank_three(dealer)[1][:2] == rank_three(hands[0].cards)[1][:2]
        and is_win(hands, dealer)
    ),
    ("return", 1000),
)
wrong_winner(
    "straight_flush_taken_for_a_straight",
    "(1), (14)(A)",
    lambda hands, dealer: name_three(hands[0].cards) == "straight-flush" and name_three(dealer) == "three-of-a-kind",
    ("collect", 1000),
)


# Money: Ante Bonus


def bonus(name: str, clause: str, condition: Condition, paid: int) -> None:
    def build(seed: int) -> Case:
        scene = deal(seed, play(), when=condition)
        scene.resettle(1, BONUS, *([("pay", paid)] if paid else []))
        return scene.case()

    build.__name__ = name
    register(clause)(build)


bonus("bonus_of_a_straight_unpaid", "(13)(A)", has("straight", also=is_win), 0)
bonus("bonus_of_a_straight_at_four", "ante-bonus-pay-table", has("straight"), 4000)
bonus("bonus_of_three_of_a_kind_at_five", "ante-bonus-pay-table", has("three-of-a-kind"), 5000)
bonus("bonus_of_a_straight_flush_at_four", "ante-bonus-pay-table", has("straight-flush"), 4000)
bonus("bonus_paid_on_a_flush", "(13)(A)", has("flush"), 1000)
bonus("bonus_unpaid_when_the_dealer_wins", "(14)(B)", has("straight", also=is_loss), 0)
bonus("bonus_unpaid_without_a_qualified_dealer", "(13)", has("three-of-a-kind", also=is_open), 0)


# Money: Pair XXX and Super 6


def side(name: str, clause: str, condition: Condition, wager: str, *outcome: tuple[str, int]) -> None:
    """Register a wrong outcome of a side wager of 5.00, in addition to an Ante."""

    def build(seed: int) -> Case:
        hand = play(pair=500) if wager == "pair-xxx" else play(super6=500)
        scene = deal(seed, hand, when=condition)
        scene.resettle(1, wager, *outcome)
        return scene.case()

    build.__name__ = name
    register(clause)(build)


def is_super(*names: str) -> Condition:
    return lambda hands, dealer: name_super(hands[0].cards, dealer) in names


side("pair_short", "(15)", has("pair"), "pair-xxx", ("pay", 400))
side("pair_overpaid", "(15)", has("pair"), "pair-xxx", ("pay", 1000))
side("pair_collected", "(15)", has("pair"), "pair-xxx", ("collect", 500))
side("pair_of_a_loser_paid", "(15)", has("high-card"), "pair-xxx", ("pay", 500))
side("pair_of_a_loser_returned", "(15)", has("high-card"), "pair-xxx", ("return", 500))
side("flush_paid_by_another_table", "(16)", has("flush"), "pair-xxx", ("pay", 2000))
side("three_aces_paid_as_three_of_a_kind", "pair-xxx-pay-table-b", has("three-aces"), "pair-xxx", ("pay", 15_000))
side("straight_flush_paid_as_a_straight", "pair-xxx-pay-table-b", has("straight-flush"), "pair-xxx", ("pay", 3000))
side("super_6_short", "(15), (16)", is_super("three-of-a-kind"), "super-6", ("pay", 2500))
side("super_6_straight_overpaid", "(15), (16)", is_super("straight"), "super-6", ("pay", 7500))
side("super_6_of_a_loser_paid", "(15)", is_super(""), "super-6", ("pay", 3500))
side("super_6_of_a_loser_returned", "(15)", is_super(""), "super-6", ("return", 500))
side("super_6_winner_collected", "(15)", is_super("full-house"), "super-6", ("collect", 500))
side("super_6_royal_by_another_table", "super-6-pay-table-a", is_super("royal-flush"), "super-6", ("pay", 1_000_000))
side(
    "super_6_on_the_player_s_cards_alone",
    "(3)(A)",
    lambda hands, dealer: name_super(hands[0].cards, dealer) == "flush" and name_three(hands[0].cards) == "high-card",
    "super-6",
    ("collect", 500),
)


# Folds


@register("(10)")
def folder_gets_the_ante_back(seed: int) -> Case:
    scene = deal(seed, fold(), play(3))
    scene.resettle(1, "ante", ("return", 1000))
    return scene.case()


@register("(10)")
def folder_loses_half_the_ante(seed: int) -> Case:
    scene = deal(seed, fold(), play(3))
    scene.resettle(1, "ante", ("collect", 500))
    return scene.case()


@register("(10)")
def folder_is_paid_a_bonus(seed: int) -> Case:
    scene = deal(seed, fold(), play(3), when=has("straight"))
    scene.events.append(make_event("pay", seat=1, wager=BONUS, amount=1000))
    return scene.case()


@register("(10)")
def folder_is_paid_pair_xxx_without_a_pair(seed: int) -> Case:
    scene = deal(seed, fold(pair=500), play(3), when=has("high-card"))
    scene.resettle(1, "pair-xxx", ("pay", 500))
    return scene.case()


@register("(10)")
def folder_loses_a_winning_super_6(seed: int) -> Case:
    scene = deal(seed, fold(super6=500), play(3), when=is_super("full-house"))
    scene.resettle(1, "super-6", ("collect", 500))
    return scene.case()


@register("(10)")
def folded_cards_not_tucked(seed: int) -> Case:
    scene = deal(seed, fold(super6=500), play(3))
    scene.remove(scene.first("tuck", seat=1))
    return scene.case()


@register("(10)")
def cards_of_a_player_who_stays_are_tucked(seed: int) -> Case:
    scene = deal(seed, play(super6=500), play(3))
    scene.move_before(scene.first("reveal"), make_event("tuck", seat=1, wager="super-6"))
    return scene.case()


@register("(10)")
def folds_collected_out_of_order(seed: int) -> Case:
    scene = deal(seed, fold(), fold(3), play(5))
    later = [scene.first("collect", seat=3), scene.first("collect-cards", seat=3)]
    scene.move_before(scene.first("collect", seat=1), *later)
    return scene.case()


@register("(10)")
def fold_collected_before_the_last_fold(seed: int) -> Case:
    scene = deal(seed, fold(), play(3), fold(5))
    scene.move_before(scene.first("decide", seat=5), scene.first("collect", seat=1))
    return scene.case()


# Play


def change_play(name: str, amount: int) -> None:
    def build(seed: int) -> Case:
        scene = deal(seed, play(), play(4), when=is_win)
        scene.first("wager", seat=1, wager="play")["amount"] = amount
        scene.resettle(1, "play", ("pay", amount))
        return scene.case()

    build.__name__ = name
    register("(9)")(build)


change_play("play_of_half_the_ante", 500)
change_play("play_of_twice_the_ante", 2000)


@register("(9)")
def stays_in_without_a_play_wager(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=is_win)
    scene.remove(scene.first("wager", seat=1, wager="play"), scene.first("pay", seat=1, wager="play"))
    return scene.case()


@register("(9), (10)")
def folder_places_play(seed: int) -> Case:
    scene = deal(seed, fold(), play(4))
    scene.move_after(scene.first("decide", seat=1), make_event("wager", seat=1, wager="play", amount=1000))
    scene.move_after(scene.first("collect", seat=1), make_event("collect", seat=1, wager="play", amount=1000))
    return scene.case()


@register("(9)")
def play_placed_before_the_deal(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_after(scene.first("wager", seat=1, wager="ante"), scene.first("wager", seat=1, wager="play"))
    return scene.case()


@register("(9), (10)")
def player_changes_a_fold_into_play(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("decide", seat=1), make_event("decide", seat=1, decision="fold"))
    return scene.case()


# Order of acts


@register("(8)")
def ante_settled_before_play(seed: int) -> Case:
    scene = deal(seed, play(), when=no_bonus(is_win))
    scene.move_before(scene.first("pay", seat=1, wager="play"), scene.first("pay", seat=1, wager="ante"))
    return scene.case()


@register("(8)")
def pair_xxx_settled_before_ante(seed: int) -> Case:
    scene = deal(seed, play(pair=500), when=no_bonus(is_loss))
    kinds = ("pay", "collect")
    line = next(
        scene.all(kind, seat=1, wager="pair-xxx")[0] for kind in kinds if scene.all(kind, seat=1, wager="pair-xxx")
    )
    scene.move_before(scene.first("collect", seat=1, wager="ante"), line)
    return scene.case()


@register("(8)")
def super_6_settled_before_pair_xxx(seed: int) -> Case:
    scene = deal(seed, play(pair=500, super6=500), when=has("high-card", also=is_super("")))
    scene.move_before(scene.first("collect", seat=1, wager="pair-xxx"), scene.first("collect", seat=1, wager="super-6"))
    return scene.case()


@register("(8)")
def bonus_paid_after_the_ante(seed: int) -> Case:
    scene = deal(seed, play(), when=has("straight", also=is_win))
    scene.move_after(scene.first("pay", seat=1, wager="ante"), scene.first("pay", seat=1, wager=BONUS))
    return scene.case()


@register("(8)")
def bonus_paid_before_play(seed: int) -> Case:
    scene = deal(seed, play(), when=has("straight", also=is_win))
    scene.move_before(scene.first("pay", seat=1, wager="play"), scene.first("pay", seat=1, wager=BONUS))
    return scene.case()


@register("(11)")
def dealer_shows_before_all_have_acted(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("decide", seat=4), scene.first("reveal"))
    return scene.case()


@register("(11)")
def ante_paid_before_the_dealer_shows(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=is_win)
    paid = [scene.first("pay", seat=1, wager="play"), scene.first("pay", seat=1, wager="ante")]
    scene.move_before(scene.first("reveal"), *paid)
    return scene.case()


@register("(11)")
def dealer_does_not_show(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.remove(scene.first("reveal"))
    return scene.case()


@register("(11)")
def dealer_shows_two_cards(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    shown = scene.first("reveal")
    shown["cards"] = shown["cards"][:4]
    return scene.case()


@register("(11)")
def dealer_leaves_the_hand_unarranged(seed: int) -> Case:
    scene = deal(
        seed, play(), play(4), when=lambda hands, dealer: name_three(dealer) == "high-card" and qualifies(dealer)
    )
    shown = scene.first("reveal")
    shown["cards"] = join_cards(reversed(split_cards(shown["cards"])))
    return scene.case()


@register("(6)")
def cut_before_the_shuffle(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("shuffle"), scene.first("cut"))
    return scene.case()


@register("(6)")
def no_shuffle(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.remove(scene.first("shuffle"))
    return scene.case()


@register("(6)")
def no_cut(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.remove(scene.first("cut"))
    return scene.case()


@register("(6)")
def second_round_without_a_shuffle(seed: int) -> Case:
    first = deal(seed, play(), play(4)).control
    scene = deal(seed + 1, play(), play(4), number=2)
    scene.remove(scene.first("shuffle"))
    return scene.case(others=[first])


@register("(4)")
def ante_after_the_deal(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_after(scene.all("deal")[-1], scene.first("wager", seat=4, wager="ante"))
    return scene.case()


@register("(4)")
def super_6_after_the_first_cards(seed: int) -> Case:
    scene = deal(seed, play(), play(4, super6=500))
    scene.move_after(scene.all("deal")[3], scene.first("wager", seat=4, wager="super-6"))
    return scene.case()


@register("(2)")
def pair_xxx_withdrawn_after_the_deal(seed: int) -> Case:
    scene = deal(seed, play(pair=500), play(4), when=has("high-card"))
    scene.remove(scene.first("collect", seat=1, wager="pair-xxx"))
    scene.move_after(scene.all("deal")[-1], make_event("withdraw", seat=1, wager="pair-xxx", amount=500))
    return scene.case()


# The deal


@register("(6)")
def deal_begins_at_the_dealer_s_right(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    for turn in range(3):
        scene.move_before(scene.all("deal", seat=1)[turn], scene.all("deal", seat=4)[turn])
    return scene.case()


@register("(6)")
def dealer_is_dealt_first(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    for turn in range(3):
        scene.move_before(scene.all("deal", seat=1)[turn], scene.all("deal", place="dealer")[turn])
    return scene.case()


@register("(6)")
def cards_dealt_face_up(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    for event in scene.all("deal", seat=1):
        event["face"] = "up"
    return scene.case()


@register("(6)")
def three_cards_in_a_row_to_each(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    first = scene.all("deal")[0]
    scene.move_after(first, *scene.all("deal", seat=1)[1:])
    return scene.case()


@register("(6)")
def single_cards_where_packets_are_submitted(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    return scene.case(submissions=[submit(PACKETS)])


@register("(6)")
def packets_out_of_turn(seed: int) -> Case:
    scene = deal(seed, play(), play(4), house=PACKETS)
    scene.move_before(scene.first("deal", seat=1), scene.first("deal", seat=4))
    return scene.case()


# Irregularities


def short(hands: list[Hand], dealer: list[str], stub: list[str]) -> None:
    hands[0].cards.pop()


def long(hands: list[Hand], dealer: list[str], stub: list[str]) -> None:
    hands[0].cards.append(stub.pop())


def mark(
    change: Callable[[list[Hand], list[str], list[str]], None],
) -> Callable[[list[Hand], list[str], list[str]], None]:
    """Return a change that also has the hand declared a misdeal."""

    def change_and_mark(hands: list[Hand], dealer: list[str], stub: list[str]) -> None:
        change(hands, dealer, stub)
        hands[0].is_misdealt = True

    return change_and_mark


def long_dealer(hands: list[Hand], dealer: list[str], stub: list[str]) -> None:
    dealer.append(stub.pop())


@register("(7)")
def misdealt_player_loses_the_ante(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=mark(short))
    scene.resettle(1, "ante", ("collect", 1000))
    return scene.case()


@register("(7)")
def misdealt_player_is_paid(seed: int) -> Case:
    scene = deal(seed, play(pair=500), play(4), change=mark(long))
    scene.resettle(1, "pair-xxx", ("pay", 500))
    return scene.case()


@register("(7)")
def misdeal_of_the_dealer_collects_an_ante(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=long_dealer)
    scene.resettle(4, "ante", ("collect", 1000))
    return scene.case()


@register("(7)")
def misdeal_for_an_exposed_card(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    dealt = scene.all("deal", seat=1)[0]
    scene.move_after(dealt, make_event("expose", place="player", seat=1, cards=dealt["cards"], by="dealer"))
    for event in [
        event for event in scene.events if event.get("seat") == 1 and event["event"] in {"decide", "pay", "collect"}
    ]:
        scene.remove(event)
    scene.remove(*scene.all("wager", seat=1, wager="play"))
    scene.resettle(1, "play")
    for event in [
        event for event in scene.events if event.get("seat") == 1 and event["event"] in {"return", "collect-cards"}
    ]:
        scene.remove(event)
    back = make_event("return", seat=1, wager="ante", amount=1000)
    scene.move_after(scene.all("deal")[-1], make_event("misdeal", place="player", seat=1), back)
    return scene.case()


@register("(7)")
def four_cards_played_out(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=mark(long))
    scene.remove(scene.first("misdeal"), *scene.all("return", seat=1), *scene.all("collect-cards", seat=1))
    dealt = scene.all("deal")[-1]
    scene.move_after(
        dealt,
        make_event("decide", seat=1, decision="play"),
        make_event("wager", seat=1, wager="play", amount=1000),
    )
    for wager in ("play", "ante"):
        scene.events.append(make_event("collect", seat=1, wager=wager, amount=1000))
    return scene.case()


@register("(7)")
def exposed_card_left_open(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    dealt = scene.all("deal", seat=1)[0]
    scene.move_after(dealt, make_event("expose", place="player", seat=1, cards=dealt["cards"], by="dealer"))
    return scene.case()


@register("(7)")
def two_cards_played_out(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=mark(short))
    scene.remove(scene.first("misdeal"), *scene.all("return", seat=1), *scene.all("collect-cards", seat=1))
    scene.move_after(scene.all("deal")[-1], make_event("decide", seat=1, decision="fold"))
    scene.move_before(scene.first("reveal"), make_event("collect", seat=1, wager="ante", amount=1000))
    return scene.case()


@register("(7)")
def four_cards_of_the_dealer_played_out(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=long_dealer)
    scene.remove(*scene.all("misdeal"), *scene.all("return"))
    cards = scene.round.list_dealt("dealer")
    for seat in (1, 4):
        scene.events.append(make_event("decide", seat=seat, decision="play"))
        scene.events.append(make_event("wager", seat=seat, wager="play", amount=1000))
    scene.events.append(make_event("reveal", place="dealer", cards=join_cards(cards)))
    for seat in (1, 4):
        for wager in ("play", "ante"):
            scene.events.append(make_event("collect", seat=seat, wager=wager, amount=1000))
    return scene.case()


@register("(7)")
def whole_round_called_off_for_an_exposed_card(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=long_dealer)
    extra = next(event for event in scene.all("deal", place="dealer") if len(event["cards"]) == 4)
    extra["cards"] = extra["cards"][:2]
    scene.move_after(extra, make_event("expose", place="dealer", cards=extra["cards"], by="dealer"))
    return scene.case()


@register("(10)")
def tucked_cards_taken_before_super_6_is_settled(seed: int) -> Case:
    scene = deal(seed, fold(super6=500), play(3), when=is_super("straight"))
    taken = scene.all("collect-cards", seat=1) or [make_event("collect-cards", place="player", seat=1)]
    scene.move_before(scene.first("reveal"), taken[0])
    return scene.case()


@register("(9), (10)")
def ante_without_any_decision(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=no_bonus(is_loss))
    scene.remove(scene.first("decide", seat=1), scene.first("wager", seat=1, wager="play"))
    scene.remove(scene.first("collect", seat=1, wager="play"))
    return scene.case()


@register("(13), (15)")
def super_6_of_a_folder_settled_before_the_reveal(seed: int) -> Case:
    scene = deal(seed, fold(super6=500), play(3), when=is_super(""))
    scene.move_before(scene.first("reveal"), scene.first("collect", seat=1, wager="super-6"))
    return scene.case()


@register("(11), (15)")
def pair_xxx_of_a_player_who_stays_collected_before_the_reveal(seed: int) -> Case:
    scene = deal(seed, play(pair=500), play(4), when=has("high-card"))
    scene.move_before(scene.first("reveal"), scene.first("collect", seat=1, wager="pair-xxx"))
    return scene.case()


@register("(7)")
def wager_of_a_misdealt_hand_kept_by_the_house(seed: int) -> Case:
    scene = deal(seed, play(super6=500), play(4), change=mark(long), house=PACKETS)
    scene.resettle(1, "super-6", ("collect", 500))
    return scene.case()


# Summaries without events


def summary(name: str, clause: str, condition: Condition, hand: Callable[[], Hand], **wrong: int) -> None:
    """Register a wrong outcome in a log that records no events; `ante_paid=0` changes what the Ante was paid."""

    def build(seed: int) -> Case:
        scene = deal(seed, hand(), play(4), when=condition)
        record = drop_all_events(scene.control)
        control = drop_all_events(scene.control)
        for key, amount in wrong.items():
            wager, kind = key.rsplit("_", 1)
            lines = [*record["seats"][0]["wagers"], *record["seats"][0].get("bonuses", [])]
            line = next(line for line in lines if wager in {line.get("wager"), line.get("bonus", "").replace("-", "_")})
            line[kind] = amount
        return Case([record], scene.submissions, scene.round.id, [control])

    build.__name__ = name
    register(clause)(build)


summary("summary_ante_win_short", "(14)(A)", is_win, play, ante_paid=900)
summary("summary_ante_loss_left", "(14)(B)", is_loss, play, ante_taken=0)
summary("summary_play_tie_collected", "(14)(B)(i)", is_tie, play, play_taken=1000)
summary("summary_fold_left", "(10)", always, fold, ante_taken=0)
summary("summary_bonus_overpaid", "(13)(A)", has("straight"), play, ante_bonus_paid=4000)


# Limits and what is offered


def stake(name: str, clause: str, hand: Callable[[], Hand], house: House = HOUSE) -> None:
    """Register a stake that may not be placed, in a round that is otherwise settled rightly."""

    def build(seed: int) -> Case:
        scene = deal(seed, hand(), play(4), house=house)
        return Case([scene.control], scene.submissions, scene.round.id)

    build.__name__ = name
    register(clause)(build)


stake("ante_below_the_minimum", "(2)", lambda: play(ante=400))
stake("ante_above_the_maximum", "(2)", lambda: play(ante=10_100))
stake("pair_xxx_above_the_maximum", "(2)", lambda: play(pair=20_000))
stake("super_6_below_the_minimum", "(2)", lambda: play(super6=100))
stake("super_6_alone", "(2)", lambda: only(super6=500))
stake("tip_without_an_own_wager", "(5)", lambda: add_tip(play(), "tip-alone"))
stake("tip_where_none_is_offered", "(5)", lambda: add_tip(play(), "ante"), replace(HOUSE, tips=frozenset()))
stake("pair_xxx_where_it_is_not_offered", "(4)", lambda: play(pair=500), replace(HOUSE, pair=None))
stake("super_6_where_it_is_not_offered", "(4)", lambda: play(super6=500), replace(HOUSE, super6=None))


class TipAlone(Hand):
    """A hand with a tip on Pair XXX and no own wager there."""

    def stakes(self) -> list[tuple[str, int, bool]]:
        return [*super().stakes(), ("pair-xxx", 500, True)]


def add_tip(hand: Hand, where: str) -> Hand:
    if where == "tip-alone":
        return TipAlone(hand.seat, ante=hand.ante, player=hand.player)
    hand.tips[where] = 500
    return hand


@register("(5)")
def tip_on_play_without_one_on_the_ante(seed: int) -> Case:
    hand = play()
    hand.tips["play"] = 1000
    scene = deal(seed, hand, play(4), when=no_bonus(is_win))
    return Case([scene.control], scene.submissions, scene.round.id)


@register("(2), (3)")
def wager_that_the_game_does_not_have(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_after(scene.first("wager", seat=1), make_event("wager", seat=1, wager="lucky-shine", amount=500))
    scene.events.append(make_event("collect", seat=1, wager="lucky-shine", amount=500))
    return scene.case()


@register("(1)")
def three_hands_of_one_player(seed: int) -> Case:
    hands = [play(1), play(3), play(5)]
    for hand in hands:
        hand.player = "P1"
    scene = deal(seed, *hands)
    return Case([scene.control], scene.submissions, scene.round.id)


@register("(1)")
def one_card_dealt_twice(seed: int) -> Case:
    def change(hands: list[Hand], dealer: list[str], stub: list[str]) -> None:
        hands[1].cards[0] = hands[0].cards[0]

    scene = deal(seed, play(), play(4), change=change)
    return Case([scene.control], scene.submissions, scene.round.id)


@register("(1)")
def two_decks_in_turn(seed: int) -> Case:
    scenes = [
        deal(seed + number, play(), play(4), number=number, deck=("red", "blue")[number % 2]) for number in (1, 2, 3)
    ]
    records = [scene.control for scene in scenes]
    return Case(records, scenes[0].submissions, records[1]["round"])


@register("(1)")
def other_deck_shuffled_and_dealt(seed: int) -> Case:
    scene = deal(seed, play(), play(4), deck="red")
    scene.first("shuffle")["deck"] = "blue"
    return scene.case()


# Tips


@register("(14)(A)")
def tip_on_a_winning_ante_unpaid(seed: int) -> Case:
    hand = play()
    hand.tips["ante"] = 500
    scene = deal(seed, hand, play(4), when=no_bonus(is_win))
    scene.resettle(1, "ante", ("collect", 500), tip=True)
    return scene.case()


@register("(15)")
def tip_on_pair_xxx_at_wrong_odds(seed: int) -> Case:
    hand = play(pair=1000)
    hand.tips["pair-xxx"] = 500
    scene = deal(seed, hand, play(4), when=has("straight"))
    scene.resettle(1, "pair-xxx", ("pay", 500 * (find_row(PAIR["B"], "straight") or 0) - 500), tip=True)
    return scene.case()
