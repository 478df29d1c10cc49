"""Violations of the rules of Flushes Gone Wild and its Progressive, each in a round that is otherwise lawful."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.lawful.acts import Style
from tests.lawful.flushes_gone_wild import (
    ENVY,
    GAME,
    METER,
    Hand,
    House,
    Play,
    compare,
    draw_five,
    name_five,
    name_rush,
    submit,
)
from tests.lawful.record import Round, drop_all_events, join_cards, make_event, shuffle_deck
from tests.lawful.violations import Case, Scene, Violation

VIOLATIONS: list[Violation] = []

HOUSE = House("House of trial", ("T1",), rush="FGW-01", progressive=500, positions=6)
SINGLE = replace(HOUSE, dealing="one-at-a-time")
BASE = replace(HOUSE, progressive=0)
START = datetime(2026, 3, 1, 18, tzinfo=UTC)
OPENING = 6_000_000

Condition = Callable[[list[Hand], list[str], list[str]], bool]
Change = Callable[[list[Hand], list[str], list[str]], None]


def register(clause: str) -> Callable[[Callable[[int], Case]], Callable[[int], Case]]:
    """Add a builder to the violations of the game."""

    def add(build: Callable[[int], Case]) -> Callable[[int], Case]:
        VIOLATIONS.append(Violation(build.__name__.replace("_", "-"), clause, build))
        return build

    return add


def always(hands: list[Hand], dealer: list[str], used: list[str]) -> bool:
    return True


def deal(
    seed: int,
    *hands: Hand,
    when: Condition = always,
    house: House = HOUSE,
    number: int = 1,
    change: Change | None = None,
    deck: str | None = None,
    award: str = "",
    second: str = "",
) -> Scene:
    """Deal plain rounds until a condition holds, and write the one that meets it.

    The first hand is the Progressive hand `award`, the second is `second`, and no other hand wins the Progressive; an
    empty name requires none.
    """
    rng = random.Random(seed)
    for _ in range(500_000):
        left = shuffle_deck(rng)
        wanted = [award, second, *([""] * len(hands))]
        for hand, name in zip(hands, wanted, strict=False):
            hand.cards = draw_five(rng, left) if name else rng.sample(left, 5)
            left = [card for card in left if card not in hand.cards]
        if any(name_five(hand.cards) != name for hand, name in zip(hands, wanted, strict=False)):
            continue
        dealer = draw_five(rng, left)
        community = rng.sample(left, 5 if house.dealing == "in-packets" else 2)
        used = community[2:4] if len(community) == 5 else community
        left = [card for card in left if card not in community]
        is_clear = all(compare([*hand.cards, *used], [*dealer, *used]) for hand in hands) and all(
            not hand.rush or name_rush([*hand.cards, *used]) != "doubtful" for hand in hands
        )
        if is_clear and when(list(hands), dealer, used):
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
        bonuses={ENVY},
        exchanges={"community"},
    )
    style = Style(rng, is_plain=True, bonuses=frozenset({ENVY}))
    Play(round_, house, list(hands), dealer, community, style, OPENING).write()
    return Scene(round_, [submit(house)])


def play(seat: int = 1, *, ante: int = 1000, rush: int = 0, progressive: bool = False) -> Hand:
    """Return a hand that stays in with Ante and Blind of 10.00."""
    return Hand(seat, ante, rush=rush, progressive=500 if progressive else 0, player=f"P{seat}")


def fold(seat: int = 1, *, rush: int = 0, progressive: bool = False) -> Hand:
    return replace(play(seat, rush=rush, progressive=progressive), folds=True)


def ends(result: str, *margins: int) -> Condition:
    """Return a condition on how the first hand fares, and by how many cards."""

    def holds(hands: list[Hand], dealer: list[str], used: list[str]) -> bool:
        found = compare([*hands[0].cards, *used], [*dealer, *used])
        return found is not None and found[0] == result and (not margins or found[1] in margins)

    return holds


def rushes(length: int, kind: str) -> Condition:
    return lambda hands, dealer, used: name_rush([*hands[0].cards, *used]) == (length, kind)


def loses_rush(hands: list[Hand], dealer: list[str], used: list[str]) -> bool:
    return name_rush([*hands[0].cards, *used]) is None


# Money of Ante, Play and Blind


def money(name: str, clause: str, condition: Condition, wager: str, *outcome: tuple[str, int]) -> None:
    """Register a wrong outcome of a wager of a hand that stays in."""

    def build(seed: int) -> Case:
        scene = deal(seed, play(), play(4), when=condition)
        scene.resettle(1, wager, *outcome)
        return scene.case()

    build.__name__ = name
    register(clause)(build)


money("ante_win_short", "(10)", ends("win"), "ante", ("pay", 900))
money("ante_win_overpaid", "(10)", ends("win"), "ante", ("pay", 2000))
money("ante_win_collected", "(10)", ends("win"), "ante", ("collect", 1000))
money("ante_loss_left", "(11)", ends("loss"), "ante", ("return", 1000))
money("ante_loss_half_collected", "(11)", ends("loss"), "ante", ("collect", 500))
money("ante_tie_collected", "(12)", ends("tie"), "ante", ("collect", 1000))
money("ante_tie_paid", "(12)", ends("tie"), "ante", ("pay", 1000))
money("play_win_short", "(10)", ends("win"), "play", ("pay", 1000))
money("play_win_overpaid", "(10)", ends("win"), "play", ("pay", 4000))
money("play_win_pushed", "(10)", ends("win"), "play", ("return", 2000))
money("play_loss_left", "(11)", ends("loss"), "play", ("return", 2000))
money("play_tie_collected", "(12)", ends("tie"), "play", ("collect", 2000))
money("play_tie_paid", "(12)", ends("tie"), "play", ("pay", 2000))
money("blind_of_two_unpaid", "(10)", ends("win", 2), "blind", ("return", 1000))
money("blind_of_two_at_five", "(10)", ends("win", 2), "blind", ("pay", 5000))
money("blind_of_three_at_three", "(10)", ends("win", 3), "blind", ("pay", 3000))
money("blind_of_four_at_five", "(10)", ends("win", 4), "blind", ("pay", 5000))
money("blind_of_one_paid", "(10)", ends("win", 1), "blind", ("pay", 1000))
money("blind_of_one_collected", "(10)", ends("win", 1), "blind", ("collect", 1000))
money("blind_of_a_kicker_paid", "(10)", ends("win", 0), "blind", ("pay", 1000))
money("blind_of_a_loser_left", "(11)", ends("loss"), "blind", ("return", 1000))
money("blind_of_a_tie_collected", "(12)", ends("tie"), "blind", ("collect", 1000))
money("blind_of_a_tie_paid", "(12)", ends("tie"), "blind", ("pay", 3000))


def winner(name: str, clause: str, condition: Condition, *kinds: tuple[str, str]) -> None:
    """Register a round settled for the wrong winner."""

    def build(seed: int) -> Case:
        scene = deal(seed, play(), when=condition)
        for wager, kind in kinds:
            scene.resettle(1, wager, (kind, 2000 if wager == "play" else 1000))
        return scene.case()

    build.__name__ = name
    register(clause)(build)


LOST = (("ante", "collect"), ("play", "collect"), ("blind", "collect"))
WON = (("ante", "pay"), ("play", "pay"), ("blind", "return"))
winner("longer_flush_loses", "(2), (10)", ends("win", 1), *LOST)
winner("shorter_flush_wins", "(2), (11)", ends("loss", -1), *WON)
winner("higher_kicker_loses", "(2), (10)", ends("win", 0), *LOST)
winner("lower_kicker_wins", "(2), (11)", ends("loss", 0), *WON)
winner(
    "wild_deuce_not_counted",
    "(2), (10)",
    lambda hands, dealer, used: (
        ends("win", 1)(hands, dealer, used)
        and sum(card[0] == "2" for card in hands[0].cards) == 1
        and not any(card[0] == "2" for card in [*dealer, *used])
    ),
    *LOST,
)


# Flush Rush


def rush(name: str, clause: str, condition: Condition, *outcome: tuple[str, int]) -> None:
    """Register a wrong outcome of a Flush Rush of 5.00."""

    def build(seed: int) -> Case:
        scene = deal(seed, play(rush=500), play(4), when=condition)
        scene.resettle(1, "flush-rush", *outcome)
        return scene.case()

    build.__name__ = name
    register(clause)(build)


rush("rush_of_four_unpaid", "(13)", rushes(4, "natural"), ("collect", 500))
rush("rush_of_four_at_two", "(13)", rushes(4, "natural"), ("pay", 1000))
rush("rush_of_five_natural_as_wild", "(13)", rushes(5, "natural"), ("pay", 1500))
rush("rush_of_five_wild_as_natural", "(13)", rushes(5, "wild"), ("pay", 3000))
rush("rush_of_six_wild_short", "(13)", rushes(6, "wild"), ("pay", 1500))
rush("rush_of_six_natural_by_another_table", "(13)", rushes(6, "natural"), ("pay", 30_000))
rush("rush_of_a_loser_paid", "(13)", loses_rush, ("pay", 500))
rush("rush_of_a_loser_left", "(13)", loses_rush, ("return", 500))


@register("(7)(A), (13)")
def rush_of_a_folder_overpaid(seed: int) -> Case:
    scene = deal(seed, fold(rush=500), play(4), when=rushes(5, "natural"))
    scene.resettle(1, "flush-rush", ("pay", 30_000))
    return scene.case()


@register("(13)")
def rush_lost_with_the_hand(seed: int) -> Case:
    def both(hands: list[Hand], dealer: list[str], used: list[str]) -> bool:
        return rushes(4, "natural")(hands, dealer, used) and ends("loss")(hands, dealer, used)

    scene = deal(seed, play(rush=500), play(4), when=both)
    scene.resettle(1, "flush-rush", ("collect", 500))
    return scene.case()


# The Progressive


def pay_progressive(scene: Scene, amount: int, seat: int = 1) -> None:
    scene.first("pay", seat=seat, wager="progressive")["amount"] = amount


def tray(name: str, award: str, amount: int) -> None:
    """Register a wrong pay from the tray on a wager of 5.00."""

    def build(seed: int) -> Case:
        scene = deal(seed, play(progressive=True), play(4, progressive=True), award=award)
        pay_progressive(scene, amount)
        return scene.case()

    build.__name__ = name
    register("progressive/(7)(B)")(build)


tray("trips_short", "three-of-a-kind", 4000)
tray("straight_overpaid", "straight", 20_000)
tray("flush_paid_as_a_full_house", "flush", 25_000)
tray("full_house_short", "full-house", 20_000)
tray("quads_at_three_hundred_and_one", "four-of-a-kind", 150_500)


@register("progressive/footnote-original-wager")
def progressive_stake_given_back_to_a_winner(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="flush")
    scene.resettle(1, "progressive", ("pay", 20_000), ("return", 500))
    return scene.case()


@register("progressive/(6)")
def progressive_winner_unpaid(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="straight")
    scene.resettle(1, "progressive", ("collect", 500))
    return scene.case()


@register("progressive/(6)")
def progressive_of_a_loser_returned(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4))
    scene.resettle(1, "progressive", ("return", 500))
    return scene.case()


@register("progressive/(6)")
def progressive_of_a_folder_paid(seed: int) -> Case:
    scene = deal(seed, fold(progressive=True), play(4), award="flush")
    last = scene.all("collect", seat=1, wager="progressive")[0]
    scene.move_after(last, make_event("pay", seat=1, wager="progressive", amount=20_000))
    end = scene.first("device", what="end-game")
    scene.move_before(end, scene.all("pay", seat=1, wager="progressive")[0])
    return scene.case()


@register("progressive/(2)")
def progressive_paid_with_a_wild_deuce(seed: int) -> Case:
    def holds(hands: list[Hand], dealer: list[str], used: list[str]) -> bool:
        suits = {card[1] for card in hands[0].cards if card[0] != "2"}
        return len(suits) == 1 and sum(card[0] == "2" for card in hands[0].cards) == 1

    scene = deal(seed, play(progressive=True), play(4), when=holds)
    scene.resettle(1, "progressive", ("pay", 20_000), ("collect", 500))
    return scene.case()


@register("progressive/(7)(A)")
def royal_paid_ninety_percent(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="royal-flush")
    pay_progressive(scene, (OPENING + 100) * 9 // 10)
    return scene.case()


@register("progressive/(7)(A)")
def straight_flush_paid_one_percent(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="straight-flush")
    pay_progressive(scene, (OPENING + 100) // 100)
    return scene.case()


@register("progressive/(7)(A)")
def straight_flush_paid_twenty_percent(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="straight-flush")
    pay_progressive(scene, (OPENING + 100) // 5)
    scene.round.keys["meters"][0]["closing"] = (OPENING + 100) * 8 // 10
    return scene.case()


# The meter


def meter(name: str, clause: str, award: str, key: str, amount: int) -> None:
    """Register a wrong reading of the meter."""

    def build(seed: int) -> Case:
        scene = deal(seed, play(progressive=True), play(4), award=award)
        scene.round.keys["meters"][0][key] = amount
        return scene.case()

    build.__name__ = name
    register(clause)(build)


meter("meter_not_reseeded", "progressive/(3)", "royal-flush", "closing", 0)
meter("meter_left_after_a_royal", "progressive/(3)", "royal-flush", "closing", OPENING + 100)
meter("meter_left_after_a_straight_flush", "progressive/(7)(A)", "straight-flush", "closing", OPENING + 100)
meter("meter_reseeded_after_a_straight_flush", "progressive/(7)(A)", "straight-flush", "closing", 5_000_000)
meter("tray_pay_taken_from_the_meter", "progressive/(7)(B)", "four-of-a-kind", "closing", OPENING + 100 - 150_000)


# Envy


@register("progressive/(8)(A)")
def envy_unpaid(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4, progressive=True), award="straight-flush")
    scene.remove(scene.first("pay", seat=4, wager=ENVY))
    return scene.case()


@register("progressive/pay-table-fgwp-02")
def envy_of_a_royal_short(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4, progressive=True), award="royal-flush")
    scene.first("pay", seat=4, wager=ENVY)["amount"] = 100_000
    return scene.case()


@register("progressive/pay-table-fgwp-02")
def envy_of_a_straight_flush_as_of_a_royal(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4, progressive=True), award="straight-flush")
    scene.first("pay", seat=4, wager=ENVY)["amount"] = 500_000
    return scene.case()


@register("progressive/(8)(A)")
def envy_paid_to_the_winner(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4, progressive=True), award="straight-flush")
    scene.first("pay", seat=4, wager=ENVY)["seat"] = 1
    return scene.case()


@register("progressive/(8)(A)")
def envy_paid_without_the_wager(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4, progressive=True), play(5), award="straight-flush")
    paid = scene.first("pay", seat=4, wager=ENVY)
    scene.move_after(paid, make_event("pay", seat=5, wager=ENVY, amount=150_000))
    return scene.case()


@register("progressive/(8)(A)")
def envy_paid_for_four_of_a_kind(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4, progressive=True), award="four-of-a-kind")
    end = scene.first("device", what="end-game")
    scene.move_before(end, make_event("pay", seat=4, wager=ENVY, amount=150_000))
    return scene.case()


@register("progressive/(8)(C)")
def one_of_two_envies_paid(seed: int) -> Case:
    hands = [play(seat, progressive=True) for seat in (1, 3, 5)]
    scene = deal(seed, *hands, award="straight-flush", second="straight-flush")
    scene.remove(scene.all("pay", seat=5, wager=ENVY)[0])
    return scene.case()


@register("progressive/(8)(C)")
def envy_paid_before_the_end(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4, progressive=True), play(5), award="straight-flush")
    scene.move_after(scene.all("reveal")[-1], scene.first("pay", seat=4, wager=ENVY))
    return scene.case()


@register("progressive/(8)(B)")
def envy_hand_taken_up_at_once(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4, progressive=True), award="straight-flush")
    scene.move_before(scene.first("pay", seat=4, wager=ENVY), scene.first("collect-cards", seat=1))
    return scene.case()


# The system


def system(name: str, clause: str, kind: str, what: str) -> None:
    """Register an act of the procedure for winners that is missing."""

    def build(seed: int) -> Case:
        scene = deal(seed, play(progressive=True), play(4), award="full-house")
        scene.remove(*scene.all(kind, what=what))
        return scene.case()

    build.__name__ = name
    register(clause)(build)


system("winner_not_selected", "progressive/(7)(D)", "device", "select-spot")
system("hand_button_not_pressed", "progressive/(7)(D)", "device", "press-hand")
system("supervisor_not_called", "progressive/(7)(E)", "announce", "call-supervisor")
system("game_not_ended", "progressive/(7)(G)", "device", "end-game")


@register("progressive/(7)(D)")
def hand_pressed_before_the_spot(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="full-house")
    scene.move_before(scene.first("device", what="select-spot"), scene.first("device", what="press-hand"))
    return scene.case()


@register("progressive/(7)(F)")
def paid_before_the_supervisor_is_called(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="full-house")
    call = scene.first("announce", what="call-supervisor")
    scene.move_before(call, scene.first("pay", seat=1, wager="progressive"))
    return scene.case()


@register("progressive/(7)(D)")
def loser_keyed_in(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4))
    taken = scene.first("collect", seat=1, wager="progressive")
    scene.move_before(
        taken,
        make_event("device", what="select-spot", by="dealer", seat=1),
        make_event("device", what="press-hand", by="dealer", seat=1),
    )
    return scene.case()


@register("progressive/(7)(G)")
def game_ended_before_the_settlement(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), when=ends("win"))
    scene.move_after(scene.all("reveal")[-1], scene.first("device", what="end-game"))
    return scene.case()


@register("progressive/(7)(D)")
def winner_keyed_in_by_the_player(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="full-house")
    for what in ("select-spot", "press-hand"):
        scene.first("device", what=what)["by"] = "player"
    return scene.case()


# Folds and decisions


@register("(7)(A)")
def folder_keeps_the_blind(seed: int) -> Case:
    scene = deal(seed, fold(), play(4))
    scene.resettle(1, "blind", ("return", 1000))
    return scene.case()


@register("(7)(A)")
def folder_gets_the_ante_back(seed: int) -> Case:
    scene = deal(seed, fold(), play(4))
    scene.resettle(1, "ante", ("return", 1000))
    return scene.case()


@register("(7)(A)")
def folded_cards_not_tucked(seed: int) -> Case:
    scene = deal(seed, fold(rush=500), play(4))
    scene.remove(scene.first("tuck", seat=1))
    return scene.case()


@register("(7)(A)")
def cards_of_a_player_who_stays_are_tucked(seed: int) -> Case:
    scene = deal(seed, play(rush=500), play(4))
    scene.move_before(scene.first("reveal"), make_event("tuck", seat=1, wager="flush-rush"))
    return scene.case()


@register("(7)(A), (8)")
def rush_of_a_folder_settled_before_the_reveal(seed: int) -> Case:
    scene = deal(seed, fold(rush=500), play(4), when=loses_rush)
    scene.move_before(scene.first("reveal"), scene.first("collect", seat=1, wager="flush-rush"))
    return scene.case()


@register("(7)(b)")
def stays_in_without_a_play_wager(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=ends("win"))
    scene.remove(scene.first("wager", seat=1, wager="play"), scene.first("pay", seat=1, wager="play"))
    return scene.case()


def change_play(name: str, amount: int) -> None:
    def build(seed: int) -> Case:
        scene = deal(seed, play(), play(4), when=ends("win"))
        scene.first("wager", seat=1, wager="play")["amount"] = amount
        scene.resettle(1, "play", ("pay", amount))
        return scene.case()

    build.__name__ = name
    register("(7)(b)")(build)


change_play("play_of_once_the_ante", 1000)
change_play("play_of_three_times_the_ante", 3000)


@register("(7)")
def folder_places_play(seed: int) -> Case:
    scene = deal(seed, fold(), play(4))
    scene.move_after(scene.first("decide", seat=1), make_event("wager", seat=1, wager="play", amount=2000))
    scene.move_after(scene.first("collect", seat=1), make_event("collect", seat=1, wager="play", amount=2000))
    return scene.case()


@register("(7)")
def hand_without_any_decision(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=ends("loss"))
    scene.remove(scene.first("decide", seat=1), scene.first("wager", seat=1, wager="play"))
    scene.remove(scene.first("collect", seat=1, wager="play"))
    return scene.case()


@register("(7)")
def player_changes_a_fold_into_play(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("decide", seat=1), make_event("decide", seat=1, decision="fold"))
    return scene.case()


# Order of acts


@register("(7), (8)")
def dealer_shows_before_all_have_acted(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("decide", seat=4), scene.first("reveal", place="dealer"))
    return scene.case()


@register("(8)")
def community_cards_shown_first(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("reveal", place="dealer"), scene.first("reveal", place="community"))
    return scene.case()


@register("(8)")
def dealer_does_not_show(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.remove(scene.first("reveal", place="dealer"))
    return scene.case()


@register("(8)")
def one_community_card_shown(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    shown = scene.first("reveal", place="community")
    shown["cards"] = shown["cards"][:2]
    return scene.case()


@register("(9)")
def settled_from_the_left(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=ends("loss"))
    acts = [
        event for event in scene.events if event.get("seat") == 1 and event["event"] in {"collect", "collect-cards"}
    ]
    scene.move_after(scene.all("reveal")[-1], *acts)
    return scene.case()


@register("(8), (9)")
def loser_collected_before_the_reveal(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=ends("loss"))
    scene.move_before(scene.first("reveal"), *scene.all("collect", seat=1))
    return scene.case()


@register("progressive/(6)")
def progressive_paid_before_the_reveal(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="full-house")
    scene.move_before(scene.first("reveal"), scene.first("pay", seat=1, wager="progressive"))
    return scene.case()


@register("(4)")
def cut_before_the_shuffle(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("shuffle"), scene.first("cut"))
    return scene.case()


@register("(4)")
def no_shuffle(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.remove(scene.first("shuffle"))
    return scene.case()


@register("(4)")
def no_cut(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.remove(scene.first("cut"))
    return scene.case()


@register("(4)")
def second_round_without_a_shuffle(seed: int) -> Case:
    first = deal(seed, play(), play(4), house=BASE).control
    scene = deal(seed + 1, play(), play(4), number=2, house=BASE)
    scene.remove(scene.first("shuffle"))
    return scene.case(others=[first])


@register("(3)")
def ante_and_blind_after_the_deal(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    late = [scene.first("wager", seat=4, wager=wager) for wager in ("ante", "blind")]
    scene.move_after(scene.all("deal")[-1], *late)
    return scene.case()


@register("(3)")
def rush_after_the_deal(seed: int) -> Case:
    scene = deal(seed, play(rush=500), play(4))
    scene.move_before(scene.first("decide"), scene.first("wager", seat=1, wager="flush-rush"))
    return scene.case()


@register("progressive/(4)")
def progressive_after_the_deal(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4))
    scene.move_before(scene.first("decide"), scene.first("wager", seat=1, wager="progressive"))
    return scene.case()


@register("(3)")
def rush_withdrawn_after_the_deal(seed: int) -> Case:
    scene = deal(seed, play(rush=500), play(4), when=loses_rush)
    scene.remove(scene.first("collect", seat=1, wager="flush-rush"))
    scene.move_before(scene.first("decide"), make_event("withdraw", seat=1, wager="flush-rush", amount=500))
    return scene.case()


# The deal


@register("(4), (5)")
def community_packet_dealt_last(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_after(scene.all("deal")[-1], scene.first("deal", place="community"))
    return scene.case()


@register("(5)")
def deal_begins_at_the_dealer_s_right(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("deal", seat=1), scene.first("deal", seat=4))
    return scene.case()


@register("(5)")
def dealer_is_dealt_first(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_before(scene.first("deal", seat=1), scene.first("deal", place="dealer"))
    return scene.case()


@register("(5)")
def cards_dealt_face_up(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.first("deal", seat=4)["face"] = "up"
    return scene.case()


@register("(5)")
def rest_of_the_deck_kept(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.remove(scene.first("discard", place="deck"))
    return scene.case()


@register("(6)")
def wrong_community_cards_removed(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    packet = scene.round.list_dealt("community")
    away = scene.first("discard", place="community")
    away["cards"] = join_cards([packet[0], packet[1], packet[2]])
    away.pop("positions", None)
    shown = scene.first("reveal", place="community")
    shown["cards"] = join_cards([packet[3], packet[4]])
    return scene.case()


@register("(6)")
def positions_of_other_cards_removed(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    away = scene.first("discard", place="community")
    away["positions"] = "345"
    return scene.case()


@register("(6)")
def fewer_positions_than_cards_removed(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    away = scene.first("discard", place="community")
    away["positions"] = "1"
    return scene.case()


@register("(6), (7)")
def community_hand_made_after_a_decision(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_after(scene.first("wager", seat=1, wager="play"), scene.first("discard", place="community"))
    return scene.case()


@register("(6)(A)")
def single_cards_where_packets_are_submitted(seed: int) -> Case:
    scene = deal(seed, play(), play(4), house=SINGLE)
    return scene.case(submissions=[submit(HOUSE)])


@register("(6)(A)")
def single_cards_out_of_rotation(seed: int) -> Case:
    scene = deal(seed, play(), play(4), house=SINGLE)
    first = scene.all("deal")[0]
    scene.move_after(first, *scene.all("deal", seat=1)[1:])
    return scene.case()


@register("(6)(A)")
def community_cards_dealt_before_the_hands(seed: int) -> Case:
    scene = deal(seed, play(), play(4), house=SINGLE)
    scene.move_before(scene.all("deal")[0], scene.first("deal", place="community"))
    return scene.case()


# Irregularities


def long(hands: list[Hand], dealer: list[str], stub: list[str]) -> None:
    hands[0].cards.append(stub.pop())
    hands[0].is_misdealt = True


def short_dealer(hands: list[Hand], dealer: list[str], stub: list[str]) -> None:
    dealer.pop()


@register("progressive/(7)(I)")
def dead_hand_loses_the_blind(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=long, house=BASE)
    scene.resettle(1, "blind", ("collect", 1000))
    return scene.case()


@register("progressive/(7)(I)")
def misdeal_to_the_table_collects_an_ante(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=short_dealer, house=BASE)
    scene.resettle(4, "ante", ("collect", 1000))
    return scene.case()


@register("progressive/(7)(I)")
def dead_hand_without_a_miscount(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=long, house=BASE)
    dealt = scene.first("deal", seat=1)
    dealt["cards"] = dealt["cards"][:10]
    return scene.case()


@register("progressive/(7)(I)")
def six_cards_played_out(seed: int) -> Case:
    scene = deal(seed, play(), play(4), change=long, house=BASE)
    scene.remove(scene.first("misdeal"), *scene.all("return", seat=1), *scene.all("collect-cards", seat=1))
    scene.move_before(
        scene.first("decide", seat=4),
        make_event("decide", seat=1, decision="play"),
        make_event("wager", seat=1, wager="play", amount=2000),
    )
    for wager, amount in (("ante", 1000), ("play", 2000), ("blind", 1000)):
        scene.events.append(make_event("collect", seat=1, wager=wager, amount=amount))
    return scene.case()


# Limits and what is offered


def stake(name: str, clause: str, hand: Callable[[], Hand], house: House = HOUSE, base: House | None = None) -> None:
    """Register a stake that may not be placed, in a round that is otherwise settled rightly."""

    def build(seed: int) -> Case:
        scene = deal(seed, hand(), play(4), house=base or house)
        return Case([scene.control], [submit(house)], scene.round.id)

    build.__name__ = name
    register(clause)(build)


stake("ante_below_the_minimum", "(3)", lambda: play(ante=400))
stake("ante_above_the_maximum", "(3)", lambda: play(ante=10_100))
stake("rush_above_the_maximum", "(3)", lambda: play(rush=10_100))
stake("rush_where_it_is_not_offered", "(2), (3)", lambda: play(rush=500), replace(HOUSE, rush=None))
stake("progressive_where_it_is_not_offered", "progressive/lead", lambda: play(progressive=True), BASE, HOUSE)
stake("progressive_of_another_size", "progressive/(4)", lambda: replace(play(), progressive=1000))


@register("(3)")
def blind_smaller_than_the_ante(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=ends("loss"))
    scene.first("wager", seat=1, wager="blind")["amount"] = 500
    scene.resettle(1, "blind", ("collect", 500))
    return scene.case()


@register("(3)")
def no_blind(seed: int) -> Case:
    scene = deal(seed, play(), play(4), when=ends("loss"))
    scene.remove(scene.first("wager", seat=1, wager="blind"), scene.first("collect", seat=1, wager="blind"))
    return scene.case()


@register("(3)")
def rush_without_ante_and_blind(seed: int) -> Case:
    scene = deal(seed, fold(rush=500), play(4), when=loses_rush)
    for wager in ("ante", "blind"):
        scene.remove(scene.first("wager", seat=1, wager=wager), scene.first("collect", seat=1, wager=wager))
    return scene.case()


@register("(3)")
def wager_that_the_game_does_not_have(seed: int) -> Case:
    scene = deal(seed, play(), play(4))
    scene.move_after(scene.first("wager", seat=1), make_event("wager", seat=1, wager="pairs", amount=500))
    scene.move_before(scene.first("collect-cards", seat=1), make_event("collect", seat=1, wager="pairs", amount=500))
    return scene.case()


@register("(2)")
def one_card_dealt_twice(seed: int) -> Case:
    def change(hands: list[Hand], dealer: list[str], stub: list[str]) -> None:
        hands[1].cards[0] = hands[0].cards[0]

    scene = deal(seed, play(), play(4), change=change)
    return Case([scene.control], scene.submissions, scene.round.id)


@register("(4)")
def two_decks_in_turn(seed: int) -> Case:
    scenes = [
        deal(seed + number, play(), play(4), number=number, deck=("red", "blue")[number % 2], house=BASE)
        for number in (1, 2, 3)
    ]
    records = [scene.control for scene in scenes]
    return Case(records, scenes[0].submissions, records[1]["round"])


# Summaries without events


def summary(name: str, clause: str, condition: Condition, hand: Callable[[], Hand], **wrong: int) -> None:
    """Register a wrong outcome in a log that records no events; `ante_paid=0` changes what the Ante was paid."""

    def build(seed: int) -> Case:
        scene = deal(seed, hand(), play(4), when=condition)
        record, control = drop_all_events(scene.control), drop_all_events(scene.control)
        for key, amount in wrong.items():
            wager, kind = key.rsplit("_", 1)
            line = next(line for line in record["seats"][0]["wagers"] if line["wager"] == wager.replace("_", "-"))
            line[kind] = amount
        return Case([record], scene.submissions, scene.round.id, [control])

    build.__name__ = name
    register(clause)(build)


summary("summary_ante_win_short", "(10)", ends("win"), play, ante_paid=900)
summary("summary_blind_overpaid", "(10)", ends("win", 2), play, blind_paid=5000)
summary("summary_play_loss_left", "(11)", ends("loss"), play, play_taken=0)
summary("summary_tie_collected", "(12)", ends("tie"), play, ante_taken=1000)
summary("summary_fold_left", "(7)(A)", always, fold, blind_taken=0)
summary("summary_rush_short", "(13)", rushes(4, "natural"), lambda: play(rush=500), flush_rush_paid=0)


@register("progressive/(3)")
def meter_of_the_next_round_not_reseeded(seed: int) -> Case:
    scene = deal(seed, play(progressive=True), play(4), award="royal-flush")
    reading = scene.round.keys["meters"][0]
    assert reading["meter"] == METER
    reading["closing"] = reading["shown"] // 2
    return scene.case()
