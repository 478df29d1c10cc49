"""Violations of the rules of the poker room, each in a hand that is otherwise lawful."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from tests.lawful.poker_room import GAME, House, Play, Player, rank_seven, submit
from tests.lawful.record import Event, Record, Round, make_event, split_cards
from tests.lawful.violations import Case, Scene, Violation

VIOLATIONS: list[Violation] = []
HOUSE = House("Room of trial", ("P1",))
START = datetime(2026, 3, 1, 18, tzinfo=UTC)

Step = tuple[str, int]
STANDARD: tuple[Step, ...] = (
    *(("call", 0), ("fold", 0), ("call", 0), ("check", 0)),
    *(("check", 0), ("bet", 400), ("call", 0), ("fold", 0)),
    *(("check", 0), ("check", 0)),
    *(("bet", 800), ("call", 0)),
)
"""Seats 1, 3, 5 and 7, the button at 7: seats 3 and 5 show down for 30.00, of which 2.00 are raked."""


class Scripted(Play):
    """A hand whose decisions are given in the order in which seats act; then everybody checks or calls."""

    script: list[Step]

    def _act(self, player: Player, owed: int, may_raise: bool) -> str:
        word, target = self.script.pop(0) if self.script else ("call" if owed > 0 else "check", 0)
        if word == "fold":
            player.has_folded = True
            self._decide(player, "fold", 0)
            self.round.add("collect-cards", place="player", seat=player.seat)
            return ""
        if word in {"bet", "raise"}:
            least = self.current + max(self.last_raise, self.house.big)
            kind = "full" if target >= least else "short"
            self.last_raise = target - self.current if kind == "full" else self.last_raise
            self.current = target
            amount = player.commit(target - player.street)
            player.bets += amount
            self.last_bettor = player
            self._decide(player, word, amount)
            return kind
        amount = player.commit(owed)
        player.bets += amount
        self._decide(player, "call" if owed > 0 else "check", amount)
        return ""


Condition = Callable[[Scripted], bool]


def beats(first: int, second: int) -> Condition:
    """Return a condition: one seat has the better hand at the showdown."""

    def holds(play: Scripted) -> bool:
        ranks = {player.seat: rank_seven([*player.cards, *play.board]) for player in play.players}
        return ranks[first] > ranks[second]

    return holds


def ties(play: Scripted) -> bool:
    ranks = {player.seat: rank_seven([*player.cards, *play.board]) for player in play.players}
    return ranks[3] == ranks[5]


def deal(
    seed: int,
    script: Sequence[Step] = STANDARD,
    *,
    when: Condition | None = None,
    stacks: dict[int, int] | None = None,
    button: int = 7,
    number: int | None = None,
    house: House = HOUSE,
    before: Sequence[Event] = (),
) -> Scene:
    """Deal scripted hands until a condition holds."""
    rng = random.Random(seed)
    for _ in range(100_000):
        players = [
            Player(seat, f"N{seat}", stack) for seat, stack in (stacks or dict.fromkeys((1, 3, 5, 7), 10_000)).items()
        ]
        round_ = Round(
            f"V{seed}-{number or 1}",
            GAME,
            "P1",
            START + timedelta(minutes=3 * (number or 1)),
            casino=house.name,
            number=number,
            bets="bets",
        )
        play = Scripted(round_, house, players, button, rng, is_plain=True)
        play.script = list(script)
        play.write(before)
        if len(play.board) < 5 or when is None or when(play):
            return Scene(round_, [submit(house)])
    raise AssertionError("no deal meets the condition")


Build = Callable[[int], Case]
Edit = Callable[[Scene], None]


def make_registry(violations: list[Violation]) -> tuple[Callable[[str], Callable[[Build], Build]], Callable[..., None]]:
    """Return a decorator that adds a builder to some violations, and a function that adds an edit of a hand."""

    def register(clause: str) -> Callable[[Build], Build]:
        def add(build: Build) -> Build:
            violations.append(Violation(build.__name__.replace("_", "-"), clause, build))
            return build

        return add

    def change(
        name: str, clause: str, edit: Edit, script: Sequence[Step] = STANDARD, when: Condition | None = None
    ) -> None:
        def build(seed: int) -> Case:
            scene = deal(seed, script, when=when)
            edit(scene)
            return scene.case()

        build.__name__ = name
        register(clause)(build)

    return register, change


register, change = make_registry(VIOLATIONS)


def balance(scene: Scene, seat: int, change: int) -> None:
    """Change what a seat has when the hand is over."""
    scene.round.seats[seat]["stack-after"] += change


# Awards and rake


def _to_the_loser(scene: Scene) -> None:
    award = scene.first("award")
    award["seat"] = 5
    balance(scene, 3, -award["amount"])
    balance(scene, 5, award["amount"])


def _award(amount: int) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        award = scene.first("award")
        award["amount"] += amount
        balance(scene, award["seat"], amount)

    return edit


def _split(scene: Scene) -> None:
    award = scene.first("award")
    half = award["amount"] // 2
    award["amount"] = half
    scene.move_after(award, make_event("award", seat=5, pot=0, amount=half))
    balance(scene, 3, -half)
    balance(scene, 5, half)


def _no_split(scene: Scene) -> None:
    first, second = scene.all("award")
    first["amount"] += second["amount"]
    balance(scene, first["seat"], second["amount"])
    balance(scene, second["seat"], -second["amount"])
    scene.remove(second)


def _to_a_folder(scene: Scene) -> None:
    award = scene.first("award")
    balance(scene, award["seat"], -award["amount"])
    award["seat"] = 7
    balance(scene, 7, award["amount"])


def _rake(amount: int, drop: int | None = None) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        scene.all("rake")[-1]["amount"] += amount
        scene.first("drop")["amount"] += amount if drop is None else drop
        _award(-amount)(scene)

    return edit


change("pot_to_the_lower_hand", "poker-rankings/(3)", _to_the_loser, when=beats(3, 5))
change("award_short", "dealing-procedures/(4)(iv)", _award(-300), when=beats(3, 5))
change("award_too_much", "dealing-procedures/(4)(iv)", _award(300), when=beats(3, 5))
change("pot_split_though_one_wins", "poker-rankings/(3)", _split, when=beats(3, 5))
change("tied_pot_not_split", "poker-rankings/(3)", _no_split, when=ties)
change("pot_to_a_folded_seat", "dealing-procedures/(4)(iv)", _to_a_folder)
change("rake_above_the_sign", "poker-revenue/(2)(A)", _rake(100))
change("rake_below_the_sign", "poker-revenue/(2)(A)", _rake(-50))
change("rake_dropped_short", "poker-revenue/(2)(C)", lambda scene: scene.first("drop").update(amount=100))
change("rake_not_dropped", "poker-revenue/(2)(C)", lambda scene: scene.remove(scene.first("drop")))


@register("poker-revenue/(5)")
def rake_after_the_award(seed: int) -> Case:
    scene = deal(seed)
    scene.move_after(scene.all("award")[-1], scene.all("rake")[-1])
    return scene.case()


@register("poker-revenue/(4)")
def rake_on_an_uncalled_bet(seed: int) -> Case:
    script = (*STANDARD[:10], ("bet", 800), ("fold", 0))
    scene = deal(seed, script)
    scene.move_after(scene.all("rake")[-1], make_event("rake", amount=100, pot=0))
    scene.first("drop")["amount"] += 100
    _award(-100)(scene)
    return scene.case()


@register("poker-revenue/(2)(A)")
def rake_without_a_flop(seed: int) -> Case:
    scene = deal(seed, (("raise", 1000), ("call", 0), ("fold", 0), ("raise", 3000), ("fold", 0), ("fold", 0)))
    scene.move_before(scene.first("award"), make_event("rake", amount=200, pot=0))
    scene.events.append(make_event("drop", amount=200))
    _award(-200)(scene)
    return scene.case()


SHORT = {1: 10_000, 3: 1000, 5: 10_000, 7: 10_000}
SHORT_SCRIPT: tuple[Step, ...] = (
    *(("call", 0), ("fold", 0), ("call", 0), ("raise", 1000), ("call", 0), ("call", 0)),
    *(("bet", 600), ("call", 0)),
)
"""Seat 3 is all-in before the flop; seats 1 and 5 play a side pot of 12.00."""


@register("betting-rules/(3)(ii)(A)")
def short_stack_wins_the_side_pot(seed: int) -> Case:
    scene = deal(seed, SHORT_SCRIPT, stacks=SHORT, when=beats(3, 1))
    side = scene.first("award", pot=1)
    balance(scene, side["seat"], -side["amount"])
    side["seat"] = 3
    balance(scene, 3, side["amount"])
    return scene.case()


@register("betting-rules/(3)(ii)(A)")
def short_stack_wins_a_part_of_the_side_pot(seed: int) -> Case:
    """Seat 3 wins the main pot, and a part of the other that is less than a rake out of a pot that is not recorded."""
    wins = beats(3, 1), beats(3, 5)
    scene = deal(seed, SHORT_SCRIPT, stacks=SHORT, when=lambda play: all(win(play) for win in wins))
    for rake in scene.all("rake"):
        del rake["pot"]
    side = scene.first("award", pot=1)
    side["amount"] -= 100
    balance(scene, side["seat"], -100)
    scene.move_after(side, make_event("award", seat=3, pot=1, amount=100))
    balance(scene, 3, 100)
    return scene.case()


@register("dealing-procedures/(4)(v)")
def main_pot_before_the_side_pot(seed: int) -> Case:
    scene = deal(seed, SHORT_SCRIPT, stacks=SHORT, when=beats(3, 1))
    scene.move_before(scene.first("award", pot=1), *scene.all("award", pot=0))
    return scene.case()


@register("betting-rules/(3)(ii)(C)")
def side_pot_of_the_folded(seed: int) -> Case:
    scene = deal(seed, SHORT_SCRIPT, stacks=SHORT, when=beats(3, 1))
    side = scene.first("award", pot=1)
    balance(scene, side["seat"], -side["amount"])
    side["seat"] = 7
    balance(scene, 7, side["amount"])
    return scene.case()


@register("poker-revenue/(4)")
def unmet_bet_kept_in_the_pot(seed: int) -> Case:
    script = (("raise", 5000), ("fold", 0), ("fold", 0), ("call", 0))
    scene = deal(seed, script, stacks=SHORT, when=beats(3, 5))
    back = scene.first("return")
    scene.remove(back)
    balance(scene, 5, -back["amount"])
    _award(back["amount"])(scene)
    return scene.case()


# Betting


def _amount(seat: int, index: int, amount: int) -> Callable[[Scene], None]:
    """Return an edit that changes what goes in with a decision; stacks and award follow."""

    def edit(scene: Scene) -> None:
        decision = scene.all("decide", seat=seat)[index]
        more = amount - decision["amount"]
        decision["amount"] = amount
        balance(scene, seat, -more)
        _award(more)(scene)

    return edit


def _word(seat: int, index: int, word: str) -> Callable[[Scene], None]:
    return lambda scene: scene.all("decide", seat=seat)[index].update(decision=word)


def _swap(first: tuple[int, int], second: tuple[int, int]) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        scene.move_before(scene.all("decide", seat=first[0])[first[1]], scene.all("decide", seat=second[0])[second[1]])

    return edit


def _drop(seat: int, index: int) -> Callable[[Scene], None]:
    return lambda scene: scene.remove(scene.all("decide", seat=seat)[index])


def _both(first: Callable[[Scene], None], second: Callable[[Scene], None]) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        first(scene)
        second(scene)

    return edit


change("call_short", "hold-em-procedures/(7)", _amount(5, 1, 300))
change("call_of_too_much", "hold-em-procedures/(7)", _amount(5, 1, 500))
change(
    "check_against_a_bet",
    "hold-em-procedures/(7)",
    _both(_amount(5, 1, 0), _word(5, 1, "check")),
)
change("bet_against_a_bet", "hold-em-procedures/(7)", _word(5, 1, "bet"))
change("opening_bet_below_the_big_blind", "betting-rules/(4)", _amount(3, 1, 50))
change("bet_called_a_call", "hold-em-procedures/(7)", _word(3, 1, "call"))
change("seat_acts_out_of_turn", "hold-em-procedures/(7)", _swap((1, 1), (3, 1)))
change("first_act_on_the_flop_by_the_wrong_seat", "hold-em-procedures/(7)", _swap((1, 1), (5, 1)))
change("seat_is_skipped_before_the_flop", "hold-em-procedures/(6)", _drop(5, 0))
change("seat_is_skipped_on_the_turn", "hold-em-procedures/(8)", _drop(5, 2))
change(
    "call_on_the_river_missing",
    "hold-em-procedures/(9)",
    _both(_amount(5, 3, 0), _drop(5, 3)),
)


@register("definitions/raise")
def raise_too_small(seed: int) -> Case:
    scene = deal(seed, (("raise", 600), ("raise", 700)))
    return Case([scene.control], scene.submissions, scene.round.id)


@register("definitions/raise")
def raise_to_the_same_amount(seed: int) -> Case:
    scene = deal(seed, (("raise", 600), ("raise", 600)))
    return Case([scene.control], scene.submissions, scene.round.id)


@register("hold-em-procedures/(7)")
def folded_seat_acts_again(seed: int) -> Case:
    scene = deal(seed)
    scene.move_after(scene.all("decide", seat=5)[2], make_event("decide", seat=1, decision="check", amount=0))
    return scene.case()


@register("hold-em-procedures/(7)")
def flop_before_the_big_blind_has_acted(seed: int) -> Case:
    scene = deal(seed)
    scene.move_after(scene.all("deal", place="community")[0], scene.all("decide", seat=3)[0])
    return scene.case()


@register("hold-em-procedures/(8)")
def turn_before_the_bet_is_called(seed: int) -> Case:
    scene = deal(seed)
    acts = [scene.all("decide", seat=5)[1], scene.all("decide", seat=1)[2]]
    scene.move_after(scene.all("deal", place="community")[1], *acts)
    return scene.case()


@register("hold-em-procedures/(10)")
def award_before_the_river_betting(seed: int) -> Case:
    scene = deal(seed, STANDARD[:10], when=beats(3, 5))
    acts = [event for event in scene.all("decide") if event["decision"] == "check"][-2:]
    scene.move_after(scene.all("award")[-1], *acts)
    return scene.case()


@register("betting-rules/(3)(ii)(C), readings of a short all-in")
def raise_after_a_short_all_in(seed: int) -> Case:
    stacks = {1: 1400, 3: 10_000, 5: 10_000, 7: 10_000}
    script = (("raise", 1000), ("call", 0), ("raise", 1400), ("fold", 0), ("raise", 3000), ("call", 0))
    scene = deal(seed, script, stacks=stacks)
    return Case([scene.control], scene.submissions, scene.round.id)


@register("betting-rules/(3)")
def bet_of_more_than_the_stack(seed: int) -> Case:
    scene = deal(seed, STANDARD[:10], stacks=SHORT, when=beats(3, 5))
    _amount(3, 1, 1200)(scene)
    _amount(5, 1, 1200)(scene)
    return scene.case()


@register("betting-rules/(3)(i)")
def chips_added_during_the_hand(seed: int) -> Case:
    scene = deal(seed)
    scene.move_after(scene.all("deal", place="community")[0], make_event("chips-in", seat=5, amount=3000))
    balance(scene, 5, 3000)
    return scene.case()


@register("betting-rules/(3)(i)")
def chips_taken_off_during_the_hand(seed: int) -> Case:
    scene = deal(seed)
    scene.move_after(scene.all("deal", place="community")[0], make_event("chips-out", seat=5, amount=3000))
    balance(scene, 5, -3000)
    return scene.case()


@register("betting-rules/(3)(i)")
def chips_missing_from_a_stack(seed: int) -> Case:
    scene = deal(seed)
    balance(scene, 7, -500)
    return scene.case()


@register("betting-rules/(4)")
def announced_raise_not_made(seed: int) -> Case:
    scene = deal(seed)
    scene.move_before(scene.all("decide", seat=5)[1], make_event("declare", seat=5, decision="raise"))
    return scene.case()


@register("betting-rules/(5)")
def announced_amount_not_put_in(seed: int) -> Case:
    scene = deal(seed)
    scene.move_before(scene.all("decide", seat=3)[1], make_event("declare", seat=3, decision="bet", amount=700))
    return scene.case()


@register("betting-rules/(4)")
def announced_fold_taken_back(seed: int) -> Case:
    scene = deal(seed)
    scene.move_before(scene.all("decide", seat=5)[1], make_event("declare", seat=5, decision="fold"))
    return scene.case()


# Blinds


def _blind(wager: str, amount: int) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        blind = scene.first("wager", wager=wager)
        more = amount - blind["amount"]
        blind["amount"] = amount
        balance(scene, blind["seat"], -more)
        _award(more)(scene)

    return edit


change("big_blind_too_small", "hold-em-procedures/(4)", _blind("big-blind", 150))
change("big_blind_three_times_the_small_blind", "hold-em-procedures/(4)", _blind("big-blind", 300))
change("small_blind_as_large_as_the_big_blind", "texas-hold-em-object/(3)", _blind("small-blind", 200))
change(
    "big_blind_posted_first",
    "hold-em-procedures/(4)",
    lambda scene: scene.move_before(scene.first("wager", wager="small-blind"), scene.first("wager", wager="big-blind")),
)
change(
    "blind_after_the_cards",
    "dealing-procedures/(2)",
    lambda scene: scene.move_after(scene.all("deal", place="player")[-1], scene.first("wager", wager="big-blind")),
)


@register("hold-em-procedures/(4)")
def blinds_from_the_wrong_seats(seed: int) -> Case:
    scene = deal(seed, button=7)
    scene.round.keys["button"] = 5
    return scene.case()


@register("dealing-procedures/(1), options")
def ante_where_none_is_required(seed: int) -> Case:
    scene = deal(seed)
    scene.move_before(scene.first("wager"), make_event("wager", seat=7, wager="ante", amount=100))
    balance(scene, 7, -100)
    _award(100)(scene)
    return scene.case()


@register("betting-rules/(2)")
def wager_that_the_game_does_not_have(seed: int) -> Case:
    scene = deal(seed)
    scene.move_before(scene.first("wager"), make_event("wager", seat=7, wager="kill", amount=100))
    balance(scene, 7, -100)
    _award(100)(scene)
    return scene.case()


# The deal


def _double(seat: int) -> Callable[[Scene], None]:
    def edit(scene: Scene) -> None:
        scene.all("deal", place="player", seat=seat)[0]["cards"] += find_unused_card(scene)

    return edit


def find_unused_card(scene: Scene) -> str:
    """Return a card that the hand does not use."""
    used = {card for event in scene.events for card in split_cards(event.get("cards", ""))}
    return next(card for card in ("2c", "5d", "8h", "Js", "3d", "6h", "9s", "Qc", "4h", "7s") if card not in used)


def _set(kind: str, key: str, value: str | None, **keys: str | int) -> Callable[[Scene], None]:
    return lambda scene: scene.first(kind, **keys).update({key: value})


change("three_hole_cards", "hold-em-procedures/(5)", _double(7))
change(
    "one_hole_card",
    "hold-em-procedures/(5)",
    lambda scene: scene.remove(scene.all("deal", place="player", seat=7)[1]),
)
change("hole_card_face_up", "hold-em-procedures/(5)", _set("deal", "face", "up", place="player"))
change("hole_card_dealt_by_a_machine", "dealing-procedures/(1)", _set("deal", "by", "machine", place="player"))
change("flop_face_down", "hold-em-procedures/(7)", _set("deal", "face", "down", place="community"))
change("no_burn", "hold-em-procedures/(7)", lambda scene: scene.remove(scene.first("deal", place="burn")))
change(
    "burn_after_the_flop",
    "hold-em-procedures/(7)",
    lambda scene: scene.move_after(scene.first("deal", place="community"), scene.first("deal", place="burn")),
)
change(
    "two_cards_on_the_turn",
    "hold-em-procedures/(8)",
    lambda scene: scene.all("deal", place="community")[1].update(
        cards=scene.all("deal", place="community")[1]["cards"] + find_unused_card(scene)
    ),
)
change(
    "deal_begins_with_the_big_blind",
    "hold-em-procedures/(5)",
    lambda scene: scene.move_before(
        scene.all("deal", place="player", seat=1)[0], scene.all("deal", place="player", seat=3)[0]
    ),
)
change(
    "both_cards_at_once",
    "hold-em-procedures/(5)",
    lambda scene: scene.move_after(
        scene.all("deal", place="player", seat=1)[0], scene.all("deal", place="player", seat=1)[1]
    ),
)
change("no_shuffle_and_rounds_without_numbers", "shuffle-and-cut", lambda scene: scene.remove(scene.first("shuffle")))
change("no_cut", "general-operating-rules/(5)(i)", lambda scene: scene.remove(scene.first("cut")))
change(
    "one_card_twice",
    "cards-number-of-decks",
    lambda scene: scene.all("deal", place="community")[2].update(cards=scene.first("deal", place="player")["cards"]),
)


@register("shuffle-and-cut")
def no_shuffle(seed: int) -> Case:
    scene = deal(seed, number=1)
    scene.remove(scene.first("shuffle"))
    return scene.case()


@register("dealing-procedures/(4)(iv)")
def board_after_the_last_fold(seed: int) -> Case:
    scene = deal(seed, (("fold", 0), ("fold", 0), ("fold", 0)))
    burn = make_event("deal", place="burn", cards="??", face="down", by="dealer")
    board = make_event("deal", place="community", cards="".join(spare(scene, 3)), face="up", by="dealer")
    scene.move_before(scene.first("award"), burn, board)
    return scene.case()


def spare(scene: Scene, count: int) -> list[str]:
    used = {card for event in scene.events for card in split_cards(event.get("cards", ""))}
    return [rank + suit for rank in "3579JQ" for suit in "cdhs" if rank + suit not in used][:count]


# The showdown


def _no_reveal(scene: Scene) -> None:
    scene.remove(*scene.all("reveal"))


change("no_showdown", "hold-em-procedures/(10)", _no_reveal)
change(
    "winning_hand_not_shown",
    "general-operating-rules/(4)",
    lambda scene: scene.remove(scene.first("reveal", seat=3)),
    when=beats(3, 5),
)
change(
    "half_of_the_winning_hand_shown",
    "general-operating-rules/(4)",
    lambda scene: scene.first("reveal", seat=3).update(cards=scene.first("reveal", seat=3)["cards"][:2]),
    when=beats(3, 5),
)
change(
    "shown_after_the_award",
    "general-operating-rules/(4)",
    lambda scene: scene.move_after(scene.all("award")[-1], scene.first("reveal", seat=3)),
    when=beats(3, 5),
)
change(
    "award_before_the_river",
    "hold-em-procedures/(9)",
    lambda scene: scene.move_before(scene.all("deal", place="burn")[-1], *scene.all("award")),
    when=beats(3, 5),
)
change(
    "losing_hand_not_collected",
    "dealing-procedures/(4)(iv)",
    lambda scene: scene.remove(scene.first("collect-cards", seat=5)),
    when=beats(3, 5),
)
change(
    "losing_hand_collected_after_the_award",
    "dealing-procedures/(4)(iv)",
    lambda scene: scene.move_after(scene.all("award")[-1], scene.first("collect-cards", seat=5)),
    when=beats(3, 5),
)
change(
    "winning_hand_collected_first",
    "dealing-procedures/(4)(iv)",
    lambda scene: scene.move_before(scene.first("collect-cards", seat=5), scene.first("collect-cards", seat=3)),
    when=beats(3, 5),
)


@register("general-operating-rules/(4)")
def pot_to_a_hand_that_conceded(seed: int) -> Case:
    scene = deal(seed, when=beats(3, 5))
    scene.move_before(scene.first("reveal", seat=3), make_event("decide", seat=3, decision="concede"))
    scene.remove(scene.first("reveal", seat=3))
    return scene.case()


# Irregularities


def _call_off(scene: Scene, anchor: Event, *, returns: bool = True) -> None:
    """Cut a hand off after an event and declare a misdeal."""
    del scene.events[scene.place(anchor) + 1 :]
    scene.round.add("misdeal", place="table")
    for seat, wager, _ in list(scene.round.stakes()):
        amount = scene.round.stakes()[(seat, wager, False)].amount
        if returns:
            scene.round.add("return", seat=seat, wager=wager, amount=amount)
        scene.round.seats[seat]["stack-after"] = scene.round.seats[seat]["stack"] - (0 if returns else amount)
    for seat in scene.round.seats:
        if not any(key[0] == seat for key in scene.round.stakes()):
            scene.round.seats[seat]["stack-after"] = scene.round.seats[seat]["stack"]


@register("general-operating-rules/(5)")
def misdeal_without_a_cause(seed: int) -> Case:
    scene = deal(seed)
    _call_off(scene, scene.all("deal", place="player")[-1])
    return scene.case()


@register("general-operating-rules/(5)(iv)")
def misdeal_after_two_wagers(seed: int) -> Case:
    scene = deal(seed, (("call", 0), ("call", 0), *STANDARD[2:]))
    anchor = scene.all("decide")[2]
    scene.move_after(anchor, make_event("fault", what="seat-missed", place="player", seat=7))
    _call_off(scene, scene.first("fault"))
    return scene.case()


@register("general-operating-rules/(5)(iii)")
def two_face_up_cards_played_on(seed: int) -> Case:
    scene = deal(seed)
    cards = spare(scene, 2)
    for card in cards:
        scene.move_before(
            scene.first("deal", place="burn"),
            make_event("fault", what="face-up-in-deck", place="deck", cards=card),
            make_event("remedy", what="set-aside", place="deck", cards=card),
        )
    return scene.case()


@register("general-operating-rules/(8)")
def face_up_card_not_set_aside(seed: int) -> Case:
    scene = deal(seed)
    fault = make_event("fault", what="face-up-in-deck", place="deck", cards=spare(scene, 1)[0])
    scene.move_before(scene.first("deal", place="burn"), fault)
    return scene.case()


@register("general-operating-rules/(11)")
def card_off_the_table_not_set_aside(seed: int) -> Case:
    scene = deal(seed)
    card = spare(scene, 1)[0]
    scene.move_before(
        scene.first("deal", place="burn"), make_event("fault", what="off-the-table", place="deck", cards=card)
    )
    return scene.case()


@register("general-operating-rules/(11)")
def card_off_the_table_used(seed: int) -> Case:
    scene = deal(seed)
    turn = scene.all("deal", place="community")[1]
    scene.move_before(
        scene.first("deal", place="burn"),
        make_event("fault", what="off-the-table", place="deck", cards=turn["cards"]),
        make_event("remedy", what="set-aside", place="deck", cards=turn["cards"]),
    )
    return scene.case()


@register("general-operating-rules/(7)")
def wrong_deck_played_on(seed: int) -> Case:
    scene = deal(seed)
    scene.move_before(scene.first("deal", place="burn"), make_event("fault", what="deck-wrong", place="deck"))
    return scene.case()


@register("general-operating-rules/(7)")
def wrong_deck_keeps_the_chips(seed: int) -> Case:
    scene = deal(seed)
    fault = make_event("fault", what="deck-wrong", place="deck")
    scene.move_after(scene.all("deal", place="community")[0], fault)
    _call_off(scene, fault, returns=False)
    return scene.case()


@register("general-operating-rules/(5)(ii)")
def wrong_start_found_and_played_on(seed: int) -> Case:
    scene = deal(seed)
    scene.move_before(scene.first("decide"), make_event("fault", what="wrong-start"))
    return scene.case()


@register("general-operating-rules/(5)(iv)")
def missed_seat_played_on(seed: int) -> Case:
    scene = deal(seed)
    scene.move_before(scene.first("decide"), make_event("fault", what="seat-missed", place="player", seat=9))
    scene.round.seat(9, player="N9", stack=5000)
    scene.round.seats[9]["stack-after"] = 5000
    return scene.case()


# From round to round


def pair(
    seed: int, button: int, stacks: dict[int, int] | None = None, before: Sequence[Event] = ()
) -> tuple[Record, Scene]:
    """Return the record of a numbered hand, and the hand after it with the chips that are left unless stated."""
    first = deal(seed, number=5)
    left = {seat: keys["stack-after"] for seat, keys in first.round.seats.items()}
    scene = deal(seed + 1, number=6, button=button, stacks=left | (stacks or {}), before=before)
    return first.control, scene


@register("hold-em-procedures/(3)(iii)")
def button_does_not_move(seed: int) -> Case:
    first, scene = pair(seed, 7)
    return Case([first, scene.control], scene.submissions, scene.round.id)


@register("hold-em-procedures/(3)(iii)")
def button_moves_two_seats(seed: int) -> Case:
    first, scene = pair(seed, 3)
    return Case([first, scene.control], scene.submissions, scene.round.id)


@register("hold-em-procedures/(3)(iii)")
def button_moves_back(seed: int) -> Case:
    first, scene = pair(seed, 5)
    return Case([first, scene.control], scene.submissions, scene.round.id)


@register("betting-rules/(3)(i)")
def chips_vanish_between_rounds(seed: int) -> Case:
    first, scene = pair(seed, 1, {7: 9000})
    return Case([first, scene.control], scene.submissions, scene.round.id)


@register("betting-rules/(3)(i)")
def chips_appear_between_rounds(seed: int) -> Case:
    first, scene = pair(seed, 1, {7: 12_000})
    return Case([first, scene.control], scene.submissions, scene.round.id)


@register("amendment-12-017/1-2")
def buy_in_below_the_minimum(seed: int) -> Case:
    before = [make_event("leave", seat=7), make_event("arrive", seat=7), make_event("chips-in", seat=7, amount=1000)]
    first, scene = pair(seed, 1, {7: 1000}, before)
    scene.round.seats[7]["player"] = "N10"
    return Case([first, scene.round.record()], scene.submissions, scene.round.id)


@register("amendment-12-017/1-2")
def buy_in_above_the_maximum(seed: int) -> Case:
    before = [make_event("leave", seat=7), make_event("arrive", seat=7), make_event("chips-in", seat=7, amount=20_000)]
    first, scene = pair(seed, 1, {7: 20_000}, before)
    scene.round.seats[7]["player"] = "N10"
    return Case([first, scene.round.record()], scene.submissions, scene.round.id)


@register("amendment-12-017/1-2")
def chips_added_above_the_table_maximum(seed: int) -> Case:
    before = [make_event("chips-in", seat=7, amount=25_000)]
    first, scene = pair(seed, 1, {7: 35_000}, before)
    return Case([first, scene.control], scene.submissions, scene.round.id)


@register("dealing-procedures/(1)")
def twelve_players(seed: int) -> Case:
    scene = deal(seed, (("fold", 0),) * 11, stacks=dict.fromkeys(range(1, 13), 10_000), button=12)
    return Case([scene.control], scene.submissions, scene.round.id)


# Records without events


@register("dealing-procedures/(4)(iv)")
def summary_winner_received_too_little(seed: int) -> Case:
    scene = deal(seed, when=beats(3, 5))
    record = {key: value for key, value in scene.control.items() if key != "events"}
    control = dict(record)
    record["seats"] = [dict(seat) for seat in record["seats"]]
    for seat in record["seats"]:
        if seat["seat"] == 3:
            seat["won"] -= 1000
            seat["stack-after"] -= 1000
    return Case([record], scene.submissions, scene.round.id, [control])
