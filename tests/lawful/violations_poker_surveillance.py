"""Further violations of the rules of the poker room, as a surveillance review looks for them."""

from __future__ import annotations

from dataclasses import replace

from tests.lawful.poker_room import House
from tests.lawful.record import Event, Record, make_event
from tests.lawful.violations import Case, Scene, Violation
from tests.lawful.violations_poker_room import (
    HOUSE,
    SHORT,
    SHORT_SCRIPT,
    STANDARD,
    _amount,
    _award,
    _call_off,
    balance,
    beats,
    deal,
    make_registry,
    pair,
    spare,
    ties,
)

VIOLATIONS: list[Violation] = []
register, change = make_registry(VIOLATIONS)

LIMPED = STANDARD[:4]
"""Everybody but the button is in for the big blind: 6.00 before the flop."""


def insert_before(scene: Scene, anchor: Event, *events: Event) -> None:
    scene.move_before(anchor, *events)


def board(scene: Scene, index: int) -> Event:
    """Return the deal of the flop (0), the turn (1) or the river (2)."""
    return scene.all("deal", place="community")[index]


def tender(seat: int, amount: int, chips: int) -> Event:
    return make_event("tender", seat=seat, amount=amount, chips=chips, what="pushed")


# Rake and pots


@register("poker-revenue/(2)(A)")
def rake_of_a_pot_below_the_first_level(seed: int) -> Case:
    scene = deal(seed, (*LIMPED, ("check", 0), ("bet", 400), ("fold", 0), ("fold", 0)))
    insert_before(scene, scene.first("award"), make_event("rake", amount=100, pot=0))
    scene.events.append(make_event("drop", amount=100))
    _award(-100)(scene)
    return scene.case()


@register("poker-revenue/(2)(A)")
def rake_kept_of_a_dead_round(seed: int) -> Case:
    scene = deal(seed, (("raise", 600), ("fold", 0), ("call", 0), ("call", 0)))
    fault = make_event("fault", what="deck-wrong", place="deck")
    scene.move_after(scene.all("rake")[0], fault)
    _call_off(scene, fault)
    scene.round.add("remedy", what="deck-replaced", place="deck")
    scene.round.add("drop", amount=100)
    back = scene.first("return", wager="bets", seat=5)
    back["amount"] -= 100
    balance(scene, 5, -100)
    return scene.case()


change(
    "rake_in_the_container_before_the_award",
    "poker-revenue/(2)(C)",
    lambda scene: scene.move_before(scene.first("award"), scene.first("drop")),
)
change("more_dropped_than_was_raked", "poker-revenue/(2)(C)", lambda scene: scene.first("drop").update(amount=300))


@register("poker-rankings/(3)")
def tied_shares_three_chips_apart(seed: int) -> Case:
    scene = deal(seed, when=ties)
    first, second = scene.all("award")
    first["amount"] += 300
    second["amount"] -= 300
    balance(scene, first["seat"], 300)
    balance(scene, second["seat"], -300)
    return scene.case()


@register("betting-rules/(3)(ii)(A)")
def main_pot_of_the_short_stack_to_another(seed: int) -> Case:
    scene = deal(seed, SHORT_SCRIPT, stacks=SHORT, when=lambda play: beats(3, 1)(play) and beats(3, 5)(play))
    main = scene.first("award", pot=0)
    balance(scene, 3, -main["amount"])
    main["seat"] = 1
    balance(scene, 1, main["amount"])
    return scene.case()


@register("dealing-procedures/(4)(iv)")
def pot_to_somebody_who_sits_out(seed: int) -> Case:
    scene = deal(seed)
    award = scene.first("award")
    balance(scene, award["seat"], -award["amount"])
    award["seat"] = 9
    scene.round.seat(9, player="N9", stack=5000, playing=False)
    scene.round.seats[9]["stack-after"] = 5000 + award["amount"]
    return scene.case()


UNMET = (*STANDARD[:10], ("bet", 800), ("fold", 0))
"""Seat 3 bets 8.00 on the river, and nobody calls."""


@register("poker-revenue/(4)")
def unmet_bet_returned_to_another(seed: int) -> Case:
    scene = deal(seed, UNMET)
    back = scene.first("return")
    scene.remove(back)
    insert_before(scene, scene.first("award"), make_event("award", seat=5, pot=1, amount=800))
    balance(scene, 3, -800)
    balance(scene, 5, 800)
    return scene.case()


@register("poker-revenue/(4)")
def unmet_bet_returned_and_awarded_too(seed: int) -> Case:
    scene = deal(seed, UNMET)
    _award(800)(scene)
    return scene.case()


# Words and chips


@register("hold-em-procedures/(7)")
def chips_put_forward_out_of_turn(seed: int) -> Case:
    scene = deal(seed)
    insert_before(scene, scene.all("decide", seat=3)[1], tender(5, 400, 4))
    return scene.case()


RAISED = (*STANDARD[:6], ("raise", 1200), ("fold", 0), ("call", 0), ("check", 0), ("check", 0))
"""Seat 5 raises the bet of 4.00 on the flop to 12.00."""


def raise_of_the_flop(scene: Scene) -> Event:
    return scene.all("decide", seat=5)[1]


@register("betting-rules/(7)(ii)")
def call_in_silence_then_raised(seed: int) -> Case:
    scene = deal(seed, RAISED)
    insert_before(scene, raise_of_the_flop(scene), tender(5, 400, 4), tender(5, 800, 8))
    return scene.case()


@register("betting-rules/(7)(i)")
def bet_in_two_motions_without_a_word(seed: int) -> Case:
    scene = deal(seed)
    insert_before(scene, scene.all("decide", seat=3)[2 - 1], tender(3, 200, 2), tender(3, 200, 2))
    # The first motion is the smallest bet; what is added to it is a bet that was increased.
    return scene.case()


@register("betting-rules/(9)")
def one_larger_chip_taken_as_a_raise(seed: int) -> Case:
    scene = deal(seed, (*STANDARD[:6], ("raise", 2500), ("fold", 0), ("call", 0)))
    insert_before(scene, raise_of_the_flop(scene), tender(5, 2500, 1))
    return scene.case()


@register("hold-em-procedures/(6), without the button")
def short_call_of_a_raise_that_was_answered(seed: int) -> Case:
    """Another seat has called the raise, so that it is the bet wherever the button lies."""
    scene = deal(seed, (("raise", 800), ("call", 0), ("call", 0), ("fold", 0)))
    _amount(1, 0, 600)(scene)
    del scene.round.keys["button"]
    return scene.case()


@register("betting-rules/(6)(i)")
def chips_pushed_forward_taken_back(seed: int) -> Case:
    scene = deal(seed, (*STANDARD[:6], ("fold", 0), ("fold", 0)))
    insert_before(scene, raise_of_the_flop(scene), tender(5, 400, 4))
    return scene.case()


@register("general-operating-rules/(10)(ii)")
def announced_call_escaped_by_a_fold(seed: int) -> Case:
    scene = deal(seed, (*STANDARD[:6], ("fold", 0), ("fold", 0)))
    insert_before(scene, raise_of_the_flop(scene), make_event("declare", seat=5, decision="call"))
    return scene.case()


@register("betting-rules/(4)")
def announced_check_then_a_bet(seed: int) -> Case:
    scene = deal(seed)
    insert_before(scene, scene.all("decide", seat=3)[1], make_event("declare", seat=3, decision="check"))
    return scene.case()


# Betting


@register("hold-em-procedures/(7)")
def bettor_raises_the_own_bet(seed: int) -> Case:
    scene = deal(seed)
    again = make_event("decide", seat=3, decision="raise", amount=400)
    scene.move_after(scene.all("decide", seat=1)[2], again)
    balance(scene, 3, -400)
    _award(400)(scene)
    return scene.case()


@register("betting-rules/(7)(ii)")
def caller_raises_in_the_same_turn(seed: int) -> Case:
    scene = deal(seed)
    scene.move_after(scene.all("decide", seat=5)[1], make_event("decide", seat=5, decision="raise", amount=400))
    balance(scene, 5, -400)
    _award(400)(scene)
    return scene.case()


@register("texas-hold-em-object/(3)")
def big_blind_has_no_option(seed: int) -> Case:
    scene = deal(seed)
    scene.remove(scene.all("decide", seat=3)[0])
    return scene.case()


@register("definitions/raise")
def raise_on_the_river_too_small(seed: int) -> Case:
    scene = deal(seed, (*STANDARD[:10], ("bet", 800), ("raise", 1200), ("call", 0)))
    return Case([scene.control], scene.submissions, scene.round.id)


@register("betting-rules/(3)(ii)(C), readings of a short all-in")
def short_all_in_on_the_flop_reopens(seed: int) -> Case:
    stacks = {1: 10_000, 3: 10_000, 5: 700, 7: 10_000}
    script = (*LIMPED, ("bet", 400), ("call", 0), ("raise", 500), ("raise", 1200), ("call", 0))
    scene = deal(seed, script, stacks=stacks)
    return Case([scene.control], scene.submissions, scene.round.id)


@register("hold-em-procedures/(7)")
def bet_where_nobody_can_answer(seed: int) -> Case:
    script = (("raise", 1000), ("fold", 0), ("fold", 0), ("call", 0))
    scene = deal(seed, script, stacks=SHORT, when=beats(3, 5))
    scene.move_after(board(scene, 0), make_event("decide", seat=5, decision="bet", amount=500))
    insert_before(scene, scene.first("award"), make_event("return", seat=5, wager="bets", amount=500))
    return scene.case()


@register("betting-rules/(3)")
def blind_posted_with_a_coupon(seed: int) -> Case:
    scene = deal(seed)
    scene.first("wager", wager="big-blind")["in"] = "coupon"
    return scene.case()


@register("betting-rules/(1)")
def somebody_who_left_bets_on(seed: int) -> Case:
    scene = deal(seed)
    scene.move_after(board(scene, 1), make_event("leave", seat=5))
    return scene.case()


@register("betting-rules/(1)")
def somebody_without_cards_calls(seed: int) -> Case:
    scene = deal(seed)
    scene.round.seat(9, player="N9", stack=5000, playing=False)
    scene.round.seats[9]["stack-after"] = 4600
    scene.move_after(scene.all("decide", seat=5)[1], make_event("decide", seat=9, decision="call", amount=400))
    _award(400)(scene)
    return scene.case()


ANTED: House = replace(HOUSE, ante=100)
BIG_BLIND_ANTES: House = replace(HOUSE, ante=200, ante_of="big-blind")


@register("betting-rules/(2)(i)")
def one_player_without_the_ante(seed: int) -> Case:
    scene = deal(seed, house=ANTED, when=beats(3, 5))
    scene.remove(scene.first("wager", wager="ante", seat=7))
    balance(scene, 7, 100)
    _award(-100)(scene)
    return scene.case()


@register("betting-rules/(2)(i)")
def two_antes_where_one_is_for_all(seed: int) -> Case:
    scene = deal(seed, house=BIG_BLIND_ANTES, when=beats(3, 5))
    scene.move_after(scene.first("wager", wager="ante"), make_event("wager", seat=5, wager="ante", amount=200))
    balance(scene, 5, -200)
    _award(200)(scene)
    return scene.case()


# The deal


@register("hold-em-procedures/(5)")
def seat_skipped_in_the_first_pass(seed: int) -> Case:
    scene = deal(seed)
    first, second = scene.all("deal", place="player", seat=5)
    scene.move_after(second, first)
    return scene.case()


@register("general-operating-rules/(5)(iv)")
def player_left_out_of_the_deal(seed: int) -> Case:
    scene = deal(seed)
    own = [
        *scene.all("deal", place="player", seat=7),
        *scene.all("decide", seat=7),
        *scene.all("collect-cards", seat=7),
    ]
    scene.remove(*own)
    fault = make_event("fault", what="seat-missed", place="player", seat=7)
    insert_before(scene, scene.first("decide"), fault)
    return scene.case()


@register("hold-em-procedures/(8)")
def river_before_the_betting_on_the_turn(seed: int) -> Case:
    scene = deal(seed)
    acts = [scene.all("decide", seat=3)[2], scene.all("decide", seat=5)[2]]
    scene.move_after(board(scene, 2), *acts)
    return scene.case()


@register("hold-em-procedures/(7)")
def burnt_card_used_on_the_board(seed: int) -> Case:
    scene = deal(seed)
    scene.all("deal", place="burn")[1]["cards"] = board(scene, 1)["cards"]
    return scene.case()


@register("hold-em-procedures/(9)")
def river_without_a_burnt_card(seed: int) -> Case:
    scene = deal(seed)
    scene.remove(scene.all("deal", place="burn")[2])
    return scene.case()


@register("hold-em-procedures/(7)")
def four_cards_on_the_flop(seed: int) -> Case:
    scene = deal(seed, STANDARD[:8])
    board(scene, 0)["cards"] += spare(scene, 1)[0]
    return scene.case()


@register("shuffle-and-cut")
def deck_shuffled_before_the_turn(seed: int) -> Case:
    scene = deal(seed)
    insert_before(scene, scene.all("deal", place="burn")[1], make_event("shuffle", by="dealer"))
    return scene.case()


@register("cards-number-of-decks")
def deck_replaced_during_the_round(seed: int) -> Case:
    scene = deal(seed)
    insert_before(scene, scene.all("deal", place="burn")[1], make_event("remedy", what="deck-replaced", place="deck"))
    return scene.case()


# Irregularities


@register("general-operating-rules/(8)")
def face_up_card_used_on_the_turn(seed: int) -> Case:
    scene = deal(seed)
    card = board(scene, 1)["cards"]
    insert_before(
        scene,
        scene.all("deal", place="burn")[1],
        make_event("fault", what="face-up-in-deck", place="deck", cards=card),
        make_event("remedy", what="set-aside", place="deck", cards=card),
    )
    return scene.case()


@register("general-operating-rules/(5)(iii)")
def misdeal_for_one_face_up_card(seed: int) -> Case:
    scene = deal(seed)
    fault = make_event("fault", what="face-up-in-deck", place="deck", cards=spare(scene, 1)[0])
    insert_before(scene, scene.first("decide"), fault)
    _call_off(scene, fault)
    for seat in scene.round.seats:
        scene.round.add("collect-cards", place="player", seat=seat)
    return scene.case()


def call_off_for_two_cards(seed: int) -> Scene:
    scene = deal(seed)
    faults = [make_event("fault", what="face-up-in-deck", place="deck", cards=card) for card in spare(scene, 2)]
    insert_before(scene, scene.first("decide"), *faults)
    _call_off(scene, faults[-1])
    return scene


@register("general-operating-rules/(5)")
def misdeal_without_the_return_of_a_blind(seed: int) -> Case:
    scene = call_off_for_two_cards(seed)
    for seat in scene.round.seats:
        scene.round.add("collect-cards", place="player", seat=seat)
    scene.remove(scene.first("return", wager="big-blind"))
    balance(scene, 3, -200)
    return scene.case()


@register("general-operating-rules/(5)")
def misdeal_with_a_hand_left_at_its_seat(seed: int) -> Case:
    scene = call_off_for_two_cards(seed)
    for seat in (1, 3, 5):
        scene.round.add("collect-cards", place="player", seat=seat)
    return scene.case()


@register("general-operating-rules/(6)")
def cards_of_a_bystander_left_in_play(seed: int) -> Case:
    scene = deal(seed)
    for first, card in zip((1, 1), spare(scene, 2), strict=True):
        own = make_event("deal", place="player", seat=8, cards=card, face="down", by="dealer")
        scene.move_before(scene.all("deal", place="player", seat=first)[len(scene.all("deal", seat=8))], own)
    scene.round.seat(8, player="N8", playing=False)
    insert_before(scene, scene.first("decide"), make_event("fault", what="ineligible-dealt", place="player", seat=8))
    return scene.case()


def lose_a_hand(scene: Scene, what: str) -> Event:
    """Let seat 1 lose its hand on the flop, where it would fold; return the collection of its cards."""
    fold = scene.all("decide", seat=1)[2]
    collected = make_event("collect-cards", place="player", seat=1)
    scene.remove(scene.first("collect-cards", seat=1))
    insert_before(scene, fold, make_event("fault", what=what, place="player", seat=1), collected)
    scene.remove(fold)
    return collected


@register("general-operating-rules/(9)(ii)")
def lost_protected_hand_without_a_refund(seed: int) -> Case:
    scene = deal(seed)
    lose_a_hand(scene, "protected-hand-lost")
    return scene.case()


@register("general-operating-rules/(9)")
def unprotected_hand_refunded(seed: int) -> Case:
    scene = deal(seed)
    collected = lose_a_hand(scene, "unprotected-hand-lost")
    scene.move_after(collected, make_event("return", seat=1, wager="small-blind", amount=100))
    balance(scene, 1, 100)
    _award(-100)(scene)
    return scene.case()


@register("general-operating-rules/(9)(iii)")
def hand_left_behind_wins(seed: int) -> Case:
    scene = deal(seed)
    lose_a_hand(scene, "left-the-table")
    award = scene.first("award")
    balance(scene, award["seat"], -award["amount"])
    award["seat"] = 1
    balance(scene, 1, award["amount"])
    return scene.case()


# From round to round


def follow(seed: int, *before: Event, stacks: dict[int, int] | None = None) -> tuple[Record, Scene]:
    return pair(seed, 1, stacks, list(before))


@register("betting-rules/(3)(i)")
def chips_taken_off_between_rounds(seed: int) -> Case:
    before = make_event("chips-out", seat=7, amount=3000)
    first, scene = follow(seed, before, stacks={7: 7000})
    return Case([first, scene.control], scene.submissions, scene.round.id)


@register("betting-rules/(3)(i)")
def player_leaves_with_a_part_of_the_chips(seed: int) -> Case:
    first = deal(seed, number=5)
    left = {seat: keys["stack-after"] for seat, keys in first.round.seats.items() if seat != 7}
    before = [make_event("chips-out", seat=7, amount=5000), make_event("leave", seat=7)]
    scene = deal(seed + 1, LIMPED[:3], number=6, button=1, stacks=left, before=before)
    scene.round.seat(7, player="N7", playing=False)
    return Case([first.control, scene.round.record()], scene.submissions, scene.round.id)


@register("opening-the-table/(3)")
def new_deck_dealt_without_a_wash(seed: int) -> Case:
    steps = [make_event("deck", what=what, by="dealer") for what in ("opened", "inspected", "spread")]
    scene = deal(seed, number=1, before=steps)
    return Case([scene.control], scene.submissions, scene.round.id)


@register("hold-em-procedures/(3)(ii)")
def button_starts_at_the_dealer_s_left(seed: int) -> Case:
    scene = deal(seed, (("call", 0), ("fold", 0), ("call", 0), ("check", 0)), number=1, button=1)
    return Case([scene.control], scene.submissions, scene.round.id)
