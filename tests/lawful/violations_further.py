"""Further violations of every game: acts of the wrong seat, acts left out, and acts a step too early or late."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.lawful import (
    violations_caribbean_draw,
    violations_flushes_gone_wild,
    violations_poker_room,
    violations_section38,
    violations_three_card_shine,
)
from tests.lawful.edits import Edit, drop, find, insert_event, move
from tests.lawful.record import Round, make_event
from tests.lawful.violations import Case

carib, fgw, poker, s38, shine = (
    violations_caribbean_draw,
    violations_flushes_gone_wild,
    violations_poker_room,
    violations_section38,
    violations_three_card_shine,
)
Build = Callable[[int], Case]
SHOWN = s38.Scene(hands=(s38.INSTANT, s38.LOSER, s38.WINNER))
FOLDING = s38.Scene(house=s38.REQUIRED, hands=(s38.LOSER, s38.FOLDER, s38.TRIPS))
PLAIN = s38.Scene()
DRAWN = carib.Scene()


def repeat_wager(seat: int, wager: str, *, after: tuple[str, dict[str, object]]) -> Edit:
    """Add to a stake, as much again, after some event."""

    def edit(round_: Round) -> None:
        amount = round_.stakes()[seat, wager, False].amount
        insert_event("wager", {"seat": seat, "wager": wager, "amount": amount}, after=after)(round_)

    return edit


def pay_again(seat: int, wager: str) -> Edit:
    """Pay what a line was paid once more."""

    def edit(round_: Round) -> None:
        at = find(round_, "pay", seat=seat, wager=wager)
        round_.events.insert(at, dict(round_.events[at]))

    return edit


def spare_card(round_: Round) -> str:
    used = "".join(event.get("cards", "") for event in round_.events)
    return next(rank + suit for rank in "23456789" for suit in "cdhs" if rank + suit not in used)


def discard_of_a_folder(round_: Round) -> None:
    """Let a player who folded put two cards down."""
    cards = "".join(e["cards"] for e in round_.events if e["event"] == "deal" and e.get("seat") == 4)[:4]
    insert_event(
        "discard", {"place": "player", "seat": 4, "cards": cards, "face": "down"}, after=("decide", {"seat": 1})
    )(round_)


def draw_of_a_folder(round_: Round) -> None:
    card = make_event("draw", place="player", seat=4, cards=spare_card(round_), face="down")
    round_.events.insert(find(round_, "draw", last=True, place="player") + 1, card)


TableScene = violations_section38.Scene | violations_caribbean_draw.Scene
TABLES: Mapping[str, list[tuple[str, str, TableScene, Edit]]] = {
    "s38": [
        ("instant-winner-not-racked", "(l)(2)(ii)(A)", SHOWN, drop("collect-cards", place="player", seat=1)),
        (
            "instant-winner-racked-after-the-community-cards",
            "(l)(2)(ii)(A)",
            SHOWN,
            move("collect-cards", place="player", seat=1, after=("reveal", {"place": "community"})),
        ),
        (
            "push-racked-before-the-loser",
            "(l)(6)",
            PLAIN,
            move("collect-cards", place="player", seat=5, before=("collect", {"seat": 2})),
        ),
        (
            "ante-added-to-after-the-decision",
            "(f)(3)",
            PLAIN,
            repeat_wager(3, "ante", after=("decide", {"seat": 3})),
        ),
        ("folded-cards-not-racked", "(k)(3)", FOLDING, drop("collect-cards", place="player", seat=4)),
        (
            "bet-of-a-folder",
            "(k)(2)",
            FOLDING,
            insert_event("wager", {"seat": 4, "wager": "bet", "amount": 1000}, after=("decide", {"seat": 4})),
        ),
        (
            "stub-racked-before-the-last-cards",
            "(h)(4)",
            PLAIN,
            move("discard", place="deck", before=("deal", {"place": "community"})),
        ),
        (
            "losing-cards-left-until-winners-are-paid",
            "(l)(5)",
            PLAIN,
            move("collect-cards", place="player", seat=2, after=("pay", {"seat": 3})),
        ),
        (
            "shown-before-the-community-cards",
            "(l)(4)",
            PLAIN,
            move("reveal", place="player", seat=3, before=("reveal", {"place": "community"})),
        ),
    ],
    "caribbean-draw": [
        ("ante-added-to-after-the-deal", "5", DRAWN, repeat_wager(3, "ante", after=("deal", {}))),
        ("bet-before-the-deal", "7.2", DRAWN, move("wager", seat=3, wager="bet", before=("deal", {}))),
        ("bet-added-to-after-the-draw", "7.2", DRAWN, repeat_wager(3, "bet", after=("draw", {"place": "player"}))),
        (
            "jackpot-hand-racked-before-the-award",
            "9.2",
            DRAWN,
            move("collect-cards", place="player", seat=6, before=("announce", {"what": "jackpot-award"})),
        ),
        ("award-paid-twice", "9.3", DRAWN, pay_again(6, "progressive")),
        ("bet-lost-and-left-for-the-next-round", "14", DRAWN, drop("collect", seat=1, wager="bet")),
        ("discard-of-a-folder", "8", DRAWN, discard_of_a_folder),
        ("draw-of-a-folder", "11", DRAWN, draw_of_a_folder),
        (
            "dealer-discards-before-showing",
            "12",
            DRAWN,
            move("discard", place="dealer", before=("reveal", {"place": "dealer"})),
        ),
        (
            "lockout-cleared-before-the-lock",
            "3.3",
            DRAWN,
            insert_event("device", {"what": "clear-lockout", "by": "dealer"}, after=("deal", {})),
        ),
        (
            "decision-before-the-last-card",
            "7",
            DRAWN,
            move("decide", seat=1, before=("deal", {"place": "dealer"})),
        ),
    ],
}
"""Violations of games whose scenes are changed by an edit: name, clause, scene, edit."""


def shine_pair_added_to(seed: int) -> Case:
    scene = shine.deal(seed, shine.play(pair=500), shine.play(4))
    scene.move_before(scene.first("decide", seat=1), make_event("wager", seat=1, wager="pair-xxx", amount=500))
    scene.events.append(make_event("collect", seat=1, wager="pair-xxx", amount=500))
    return scene.case()


def shine_play_in_part_after_the_reveal(seed: int) -> Case:
    scene = shine.deal(seed, shine.play(), shine.play(4))
    wager = scene.first("wager", seat=1, wager="play")
    late = dict(wager) | {"amount": wager["amount"] // 2}
    wager["amount"] -= late["amount"]
    scene.move_after(scene.first("reveal", place="dealer"), late)
    return scene.case()


def shine_decision_before_the_dealer_s_cards(seed: int) -> Case:
    scene = shine.deal(seed, shine.play(), shine.play(4))
    scene.move_before(scene.all("deal", place="dealer")[-1], scene.first("decide", seat=1))
    return scene.case()


def shine_super_6_after_the_decision(seed: int) -> Case:
    scene = shine.deal(seed, shine.play(), shine.play(4))
    scene.move_after(scene.first("decide", seat=1), make_event("wager", seat=1, wager="super-6", amount=500))
    scene.events.append(make_event("collect", seat=1, wager="super-6", amount=500))
    return scene.case()


def shine_ante_paid_to_the_neighbour(seed: int) -> Case:
    scene = shine.deal(seed, shine.play(), shine.play(4), when=shine.is_win)
    scene.first("pay", seat=1, wager="ante")["seat"] = 4
    return scene.case()


def fgw_play_after_the_reveal(seed: int) -> Case:
    scene = fgw.deal(seed, fgw.play(), fgw.play(4))
    scene.move_after(scene.first("reveal", place="dealer"), scene.first("wager", seat=1, wager="play"))
    return scene.case()


def fgw_blind_added_to(seed: int) -> Case:
    scene = fgw.deal(seed, fgw.play(), fgw.play(4))
    blind = scene.first("wager", seat=1, wager="blind")
    scene.move_before(scene.first("decide", seat=1), dict(blind))
    scene.events.append(make_event("collect", seat=1, wager="blind", amount=blind["amount"]))
    return scene.case()


def fgw_community_shown_before_the_decisions(seed: int) -> Case:
    scene = fgw.deal(seed, fgw.play(), fgw.play(4))
    scene.move_before(scene.first("decide"), scene.first("reveal", place="community"))
    return scene.case()


def fgw_rush_added_to(seed: int) -> Case:
    scene = fgw.deal(seed, fgw.play(rush=500), fgw.play(4))
    scene.move_before(scene.first("decide", seat=1), make_event("wager", seat=1, wager="flush-rush", amount=500))
    scene.events.append(make_event("collect", seat=1, wager="flush-rush", amount=500))
    return scene.case()


def fgw_decision_before_the_last_packet(seed: int) -> Case:
    scene = fgw.deal(seed, fgw.play(), fgw.play(4))
    scene.move_before(scene.all("deal", place="dealer")[-1], scene.first("decide", seat=1))
    return scene.case()


def poker_big_blind_posted_twice(seed: int) -> Case:
    scene = poker.deal(seed)
    blind = scene.first("wager", wager="big-blind")
    scene.move_after(blind, dict(blind))
    poker.balance(scene, 3, -200)
    return scene.case()


def poker_bet_given_back_to_a_folder(seed: int) -> Case:
    scene = poker.deal(seed)
    scene.move_before(scene.first("award"), make_event("return", seat=1, wager="bets", amount=100))
    poker.balance(scene, 1, 100)
    return scene.case()


def poker_burn_after_the_flop(seed: int) -> Case:
    scene = poker.deal(seed)
    scene.move_after(scene.all("deal", place="community")[0], scene.all("deal", place="burn")[0])
    return scene.case()


def poker_pot_left_on_the_table(seed: int) -> Case:
    scene = poker.deal(seed)
    award = scene.first("award")
    poker.balance(scene, award["seat"], -award["amount"])
    scene.remove(award)
    return scene.case()


def poker_blind_posted_after_the_flop(seed: int) -> Case:
    scene = poker.deal(seed)
    scene.move_after(scene.all("deal", place="community")[0], scene.first("wager", wager="big-blind"))
    return scene.case()


def poker_third_hole_card_on_the_turn(seed: int) -> Case:
    scene = poker.deal(seed)
    card = make_event("deal", place="player", seat=5, cards=poker.spare(scene, 1)[0], face="down", by="dealer")
    scene.move_before(scene.all("deal", place="burn")[1], card)
    return scene.case()


def poker_misdeal_after_the_award(seed: int) -> Case:
    scene = poker.deal(seed)
    scene.events.append(make_event("misdeal", place="table"))
    return scene.case()


def poker_two_shares_of_one_hand(seed: int) -> Case:
    """Award a part of the pot to a winner, and the rest to the loser of the showdown."""
    scene = poker.deal(seed, when=poker.beats(3, 5))
    award = scene.first("award")
    scene.move_after(award, make_event("award", seat=5, pot=0, amount=500))
    award["amount"] -= 500
    poker.balance(scene, 3, -500)
    poker.balance(scene, 5, 500)
    return scene.case()


def poker_act_of_a_hand_declared_dead(seed: int) -> Case:
    scene = poker.deal(seed)
    scene.move_before(scene.all("decide", seat=5)[1], make_event("misdeal", place="player", seat=5))
    return scene.case()


BUILDERS: Mapping[str, tuple[Build, ...]] = {
    "co-rule10-3card-shine": (
        shine_pair_added_to,
        shine_play_in_part_after_the_reveal,
        shine_decision_before_the_dealer_s_cards,
        shine_super_6_after_the_decision,
        shine_ante_paid_to_the_neighbour,
    ),
    "co-rule10-flushes-gone-wild": (
        fgw_play_after_the_reveal,
        fgw_blind_added_to,
        fgw_community_shown_before_the_decisions,
        fgw_rush_added_to,
        fgw_decision_before_the_last_packet,
    ),
    "poker-room": (
        poker_big_blind_posted_twice,
        poker_bet_given_back_to_a_folder,
        poker_burn_after_the_flop,
        poker_pot_left_on_the_table,
        poker_blind_posted_after_the_flop,
        poker_third_hole_card_on_the_turn,
        poker_misdeal_after_the_award,
        poker_two_shares_of_one_hand,
        poker_act_of_a_hand_declared_dead,
    ),
}


def build_cases(game: str, seed: int = 1) -> dict[str, Case]:
    """Return the further violations of a game by name."""
    cases = {name: scene.case(seed, edit) for name, _, scene, edit in TABLES.get(game, ())}
    return cases | {build.__name__.replace("_", "-"): build(seed) for build in BUILDERS.get(game, ())}
