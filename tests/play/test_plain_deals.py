"""The machines for one round of dealing decide every round as the columns do, which decide only regular rounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from fairdeal.validator.engine.deal_checks import broken_deals, dealing_order, deck_counts
from fairdeal.validator.engine.timeline import deal_stages
from tests.facade.rounds import EvaluationContext
from tests.play import test_exchange_stages as draws
from tests.play.table import PLAY, Data, event, room, round_of, step

SEATS = 3
ROUNDS = 50
IN_TURN = range(1, SEATS + 1)
TO_SEATS: Data = {"cards": {"player": 1}, "face": "down", "clauses": ["1"]}
TO_BOARD: Data = {"cards": {"community": 1}, "face": "up", "clauses": ["1"]}
TO_BOTH: Data = {"cards": {"player": 1, "community": 1}, "face": "up", "clauses": ["1"]}
HOLE: Data = {"stage": "hole", **TO_SEATS, "cards": {"player": 2}, "each": 1}


def bet_between(*stages: Data) -> Data:
    """Build a game of betting with some stages of the deal."""
    name = stages[1]["stage"]
    return {
        **draws.GAME,
        "deal": {"stages": list(stages)},
        "hands": {"high": {"title": "the hand", "from": ["player", "community"], "rank-by": "five-card"}},
        "other-events": {**PLAY["other-events"], **step("second", "deal", stage=name)},
        "betting": {
            **draws.GAME["betting"],
            "rounds": [{"round": "before", "opens": "left"}, {"round": "after", "after": "second", "opens": "left"}],
        },
    }


def deal_to(cards: str, seat: int = 0) -> Data:
    return event("deal", seat, cards=cards) if seat else event("deal", place="community", cards=cards)


def deal_around(cards: str = "??") -> list[Data]:
    return [deal_to(cards, seat) for seat in IN_TURN]


BETS = [draws.checks(seat) for seat in IN_TURN]
FLOP: Data = {"stage": "flop", "burn": 1, **TO_BOARD, "cards": {"community": 3}}
STREETS = bet_between(
    HOLE, {"stage": "fourth", "burn": 1, **TO_BOTH}, FLOP, {"stage": "last", **TO_SEATS}, {"stage": "turn", **TO_BOARD}
)
FOURTH = [draws.burn(), *deal_around(), deal_to("??")]
DEALT_STREETS = [
    *(*deal_around(), *deal_around(), *BETS, *FOURTH, *BETS, draws.burn(), deal_to("??????"), *BETS),
    *(*deal_around(), *BETS, deal_to("??")),
]
UNBURNT = bet_between(
    HOLE, {"stage": "fourth", "burn": 1, **TO_BOTH}, {"stage": "fifth", **TO_BOTH}, {"stage": "sixth", **TO_BOTH}
)
DEALT_UNBURNT = [
    *(*deal_around(), *deal_around(), *BETS, *FOURTH, *BETS),
    *(*deal_around(), deal_to("??"), *BETS, *deal_around(), deal_to("??")),
]
ALL_IN_UNBURNT = [
    *(*deal_around(), *deal_around(), *BETS, *FOURTH),
    *(deal_to("??"), *deal_around(), deal_to("??"), *deal_around()),
]
BOARD = bet_between(
    HOLE,
    FLOP,
    {
        "stage": "turn",
        "cards": {"community": 2},
        "face": "up",
        "ways": {
            "singly": {
                "clauses": ["1"],
                "passes": [{"to": [place], "each": 1} for place in ("burn", "community") * 2],
            },
            "at-once": {"clauses": ["1"], "passes": [{"to": ["burn", "community"], "each": 2}]},
        },
    },
    {"stage": "river", **TO_BOARD},
)
DEALT_BOARD = [
    *(*deal_around(), *deal_around(), *BETS, draws.burn(), deal_to("??????"), *BETS),
    *(draws.burn(), deal_to("??"), draws.burn(), deal_to("??"), *BETS, deal_to("??")),
]
ALL_IN_BOARD = [
    *(*deal_around(), *deal_around(), *BETS, draws.burn(), deal_to("??????")),
    *(event_ for _ in range(3) for event_ in (draws.burn(), deal_to("??"))),
]
EXCHANGED = [
    event_
    for _ in draws.DRAWS
    for event_ in (*draws.exchanges(1), draws.pat(2), draws.discard(3), draws.draw(3), draws.burn(), *BETS)
]
ALL_IN_EXCHANGED = [event_ for event_ in EXCHANGED if event_ not in BETS]
DRAWN_LATE = [*draws.exchanges(1), draws.pat(2), draws.discard(3), *BETS, draws.draw(3)]

Edit = Callable[[Random, list[Data], int], list[Data]]


def move(random: Random, events: list[Data], at: int) -> list[Data]:
    rest = [*events[:at], *events[at + 1 :]]
    to = max(at + random.randint(-6, 6), 0)
    return [*rest[:to], events[at], *rest[to:]]


def repeat(random: Random, events: list[Data], at: int) -> list[Data]:
    to = max(at + random.randint(-4, 4), 0)
    return [*events[:to], events[at], *events[to:]]


def join(_: Random, events: list[Data], at: int) -> list[Data]:
    """Deal the next packet of the same receiver with this one."""
    first = events[at]
    later = (
        number
        for number, other in enumerate(events)
        if number > at and "cards" in first and {**other, "cards": ""} == {**first, "cards": ""}
    )
    if (found := next(later, None)) is None:
        return events
    joined = {**first, "cards": first["cards"] + events[found]["cards"]}
    return [*events[:at], joined, *events[at + 1 : found], *events[found + 1 :]]


def split(_: Random, events: list[Data], at: int) -> list[Data]:
    """Deal the first card of a packet by itself."""
    cards = events[at].get("cards", "")
    parts = [{**events[at], "cards": part} for part in (cards[:2], cards[2:])] if len(cards) > 2 else [events[at]]
    return [*events[:at], *parts, *events[at + 1 :]]


def redirect(random: Random, events: list[Data], at: int) -> list[Data]:
    """Deal cards to another receiver."""
    receivers = [{"place": "player", "seat": seat} for seat in IN_TURN]
    receivers += [{"place": place} for place in ("dealer", "community", "burn")]
    kept = {key: value for key, value in events[at].items() if key not in ("place", "seat")}
    changed = {**kept, **random.choice(receivers)} if events[at]["event"] == "deal" else events[at]
    return [*events[:at], changed, *events[at + 1 :]]


def reorder(random: Random, events: list[Data], at: int) -> list[Data]:
    some = events[at : at + 5]
    return [*events[:at], *random.sample(some, len(some)), *events[at + 5 :]]


def leave_out(random: Random, events: list[Data], at: int) -> list[Data]:
    """Leave out a seat from an event on, for a while or for good."""
    seat, end = events[at].get("seat"), at + random.choice((6, 12, len(events)))
    kept = [other for other in events[at:end] if seat is None or other.get("seat") != seat]
    return [*events[:at], *kept, *events[end:]]


def silence(random: Random, events: list[Data], at: int) -> list[Data]:
    """Leave out all decisions, or all burnt cards, from an event on."""
    key = random.choice(("decision", "place"))
    return [*events[:at], *(other for other in events[at:] if other.get(key) not in (*draws.ACTS, "burn"))]


EDITS: list[Edit] = [
    *(move, move, join, split, redirect, reorder, leave_out, silence),
    *(repeat, repeat, lambda _, events, at: [*events[:at], *events[at + 1 :]], lambda _, events, at: events[:at]),
    lambda _, events, at: [*events[:at], draws.burn(), *events[at:]],
    lambda _, events, at: [*events[: at + 1], *events],
]


def distort(random: Random, events: Sequence[Data]) -> list[Data]:
    """Return events with up to four irregularities."""
    result = list(events)
    for _ in range(random.choice((0, 1, 1, 2, 3, 4))):
        if result:
            result = random.choice(EDITS)(random, result, random.randrange(len(result)))
    return result


SEEDS = st.integers(0, 2**32 - 1).map(Random)
WHOLE = settings(phases=[Phase.generate])
"""No smaller examples: a smaller seed does not make smaller rounds."""


def distrust(module: Any, function: str, nothing: Callable[[Any], Any]) -> Any:
    """Replace the result of a function that decides regular rounds."""
    trusted = getattr(module, function)
    return patch.object(module, function, lambda *arguments: nothing(trusted(*arguments)))


def decide_both_ways(scope: Callable[[], EvaluationContext], decide: Callable[[EvaluationContext], Any]) -> None:
    """Require the same result where the columns leave all rounds to the machines."""
    mixed = decide(scope())
    with (
        distrust(deal_stages, "_follow_regular_deals", lambda found: (found[0], np.zeros_like(found[1]))),
        distrust(deal_stages, "_follow_regular_exchanges", lambda found: (found[0], np.zeros_like(found[1]))),
        distrust(dealing_order, "are_all_served", np.zeros_like),
        distrust(dealing_order, "_are_draws_in_turn", np.zeros_like),
        patch.object(
            dealing_order,
            "find_irregular_rounds",
            lambda scope, _: np.flatnonzero(dealing_order.is_order_recorded(scope)),
        ),
    ):
        plain = decide(scope())
    assert [column.tolist() for column in mixed] == [column.tolist() for column in plain]


def assign(scope: EvaluationContext) -> tuple[Any, ...]:
    return deal_stages.stage_of_events(scope), deal_stages.is_dealt_beyond_stage(scope), *compare_order(scope)


def compare_order(scope: EvaluationContext) -> tuple[Any, ...]:
    stages = scope.compiled_game.game.deal.stages
    turns = dealing_order.check_dealing_order(scope, range(len(stages)))
    ways = [column for stage in stages for name in stage.ways for column in dealing_order.is_dealt_as(scope, name)]
    return (
        turns.broke_at,
        turns.expected,
        turns.size,
        broken_deals.is_dealt_in_turn(scope),
        broken_deals.has_stopped_in_turn(scope),
        *ways,
    )


DEALS = {
    "streets": (STREETS, (DEALT_STREETS,)),
    "unburnt": (UNBURNT, (DEALT_UNBURNT, ALL_IN_UNBURNT)),
    "board": (BOARD, (DEALT_BOARD, ALL_IN_BOARD)),
}


def draw_deals(random: Random, game: str) -> list[Data]:
    records = []
    for number in range(1, ROUNDS + 1):
        idle = random.choice((0, 0, 0, 0, *IN_TURN))
        events = distort(random, random.choice(DEALS[game][1]))
        events = [other for other in events if not idle or other.get("seat") != idle]
        seats = [{"stack": 10_000, **({"wagers": []} if seat == idle else {})} for seat in IN_TURN]
        complete = random.random() < 0.7
        records.append(round_of(*seats, events=events, button=SEATS, number=number, complete=complete))
    return records


@pytest.mark.parametrize("game", DEALS)
@WHOLE
@given(SEEDS)
def test_stages_of_cards(game: str, random: Random) -> None:
    records = draw_deals(random, game)
    decide_both_ways(lambda: room(**DEALS[game][0]).scope(records), assign)


DEALT_BETWEEN: Data = {
    **draws.GAME,
    "deal": {"stages": [*draws.STAGES[:2], {"stage": "street", **TO_SEATS}, *draws.STAGES[2:]]},
}
EXCHANGES = {
    "draws": (draws.GAME, (EXCHANGED, ALL_IN_EXCHANGED, DRAWN_LATE)),
    "dealt-between": (
        DEALT_BETWEEN,
        ([*EXCHANGED[:10], *deal_around(), *EXCHANGED[10:]], [*deal_around(), *EXCHANGED[10:]]),
    ),
}


def draw_exchanges(random: Random, game: str) -> list[Data]:
    seats = [{"stack": 10_000}] * SEATS
    rounds = [[*draws.HANDS, *distort(random, random.choice(EXCHANGES[game][1]))] for _ in range(ROUNDS)]
    return [
        draws.record_all(round_of(*seats, events=events, button=SEATS, number=at)) for at, events in enumerate(rounds)
    ]


@pytest.mark.parametrize("game", EXCHANGES)
@WHOLE
@given(SEEDS)
def test_stages_of_exchanges(game: str, random: Random) -> None:
    records = draw_exchanges(random, game)
    decide_both_ways(lambda: room(**EXCHANGES[game][0]).scope(records), assign)


def deal_once(cards: dict[str, int], passes: dict[str, list[Data]], **more: Any) -> Data:
    """Build a game of one stage of the deal with several ways of dealing."""
    ways = {name: {"clauses": ["1"], "passes": of_way} for name, of_way in passes.items()}
    return {
        "deal": {"stages": [{"stage": "deal", "cards": cards, "face": "down", "ways": ways, **more}]},
        "hands": {"high": {"title": "the hand", "from": [*cards], "rank-by": "longest"}},
        "pay-tables": {},
        "other-events": PLAY["other-events"],
    }


TOGETHER: Data = {"to": ["community"], "each": 2}
AROUND: Data = {"to": ["player", "dealer"], "each": 1, "times": 2}
BURN: Data = {"to": ["burn"], "each": 1}
GIVE_DEALER = event("deal", place="dealer", cards="??")
MISDEAL = [event("misdeal", 2, place="player")]
DOWNWARD = [deal_to("??", seat) for seat in (3, 2, 1)]
SINGLY = [draws.burn(), *DOWNWARD, GIVE_DEALER, *DOWNWARD, GIVE_DEALER, draws.burn(), deal_to("????")]
IN_PACKETS = [deal_to("????"), *(deal_to("????", seat) for seat in (3, 2, 1)), GIVE_DEALER, GIVE_DEALER]
BURNT_INSIDE = [*IN_PACKETS[1:5], draws.burn(), GIVE_DEALER]
BACK = [GIVE_DEALER, *DOWNWARD, *DOWNWARD, GIVE_DEALER]
IN_WAYS = deal_once(
    {"player": 2, "dealer": 2, "community": 2},
    {
        "singly": [BURN, AROUND, BURN, TOGETHER],
        "in-packets": [TOGETHER, {"to": ["player", "dealer"], "each": 2, "parted": True}],
    },
    first="dealer-right",
)
NO_BOARD = deal_once(
    {"player": 2, "dealer": 2},
    {
        "back": [{"to": ["dealer", "player"], "each": 1}, {"to": ["player", "dealer"], "each": 1}],
        "in-packets": [{"to": ["player", "dealer"], "each": 2}],
        "burnt": [AROUND, BURN],
        "burnt-inside": [
            {"to": ["player"], "each": 2},
            *({"to": [place], "each": 1, "parted": True} for place in ("dealer", "burn", "dealer")),
        ],
    },
    first="dealer-right",
)
RING = {
    **deal_once(
        {"player": 2, "dealer": 2},
        {"singly": [AROUND], "in-packets": [{"to": ["player", "dealer"], "each": 2}]},
        first={"outcome": "dice", "places": SEATS + 1},
    ),
    "outcomes": {"dice": {"title": "the number", "values": ["1-8"]}},
}
ORDERS = {
    "ways": (IN_WAYS, (SINGLY, IN_PACKETS)),
    "no-board": (NO_BOARD, (BACK, IN_PACKETS[1:5], [*SINGLY[1:9], draws.burn()], BURNT_INSIDE)),
    "ring": (RING, ()),
}


def serve_ring(random: Random, first: int) -> list[Data]:
    """Deal round the table from a place: the dealer's is 1, and seats follow."""
    ring = [GIVE_DEALER, *deal_around()]
    start = (first - 1) % len(ring)
    ring = [*ring[start:], *ring[:start]]
    return [*ring, *ring] if random.random() < 0.5 else [{**give, "cards": "????"} for give in ring]


def draw_order(random: Random, game: str) -> list[Data]:
    """Draw rounds in which some seats have no stake and no cards, or no stake but cards."""
    records = []
    for number in range(1, ROUNDS + 1):
        first = random.randint(1, 8)
        events = serve_ring(random, first) if game == "ring" else random.choice(ORDERS[game][1])
        idle = random.choice((0, 0, *IN_TURN))
        if random.random() < 0.8:
            events = [other for other in events if not idle or other.get("seat") != idle]
        seats: list[Data] = [{"wagers": []} if seat == idle else {} for seat in IN_TURN]
        events = [*distort(random, events), *MISDEAL[random.randrange(2) :]]
        outcomes = {"outcomes": {"dice": str(first)}} if game == "ring" else {}
        records.append(round_of(*seats, events=events, number=number, complete=random.random() < 0.5, **outcomes))
    return records


@pytest.mark.parametrize("game", ORDERS)
@WHOLE
@given(SEEDS)
def test_order_of_packets(game: str, random: Random) -> None:
    records, late = draw_order(random, game), random.random() / 5
    seed = random.randrange(1 << 16)

    def report(scope: EvaluationContext) -> Any:
        """Report some events as out of order: they count as dealt when they were due."""
        return np.random.default_rng(seed).random(len(scope.batch.events.kind)) < late

    with patch.object(dealing_order, "reported_out_of_order", report):
        decide_both_ways(lambda: room(**ORDERS[game][0]).scope(records), compare_order)


@pytest.mark.parametrize(
    ("game", "events"),
    [
        (STREETS, DEALT_STREETS),
        (UNBURNT, DEALT_UNBURNT),
        (BOARD, DEALT_BOARD),
        (BOARD, ALL_IN_BOARD),
        (draws.GAME, [*draws.HANDS, *EXCHANGED]),
    ],
)
def test_a_round_as_it_should_be_is_decided_by_columns(game: Data, events: list[Data]) -> None:
    scope = room(**game).scope([round_of(*[{"stack": 10_000}] * SEATS, events=events, button=SEATS)])
    with (
        patch.object(deal_stages, "RoundDeal", side_effect=AssertionError),
        patch.object(deal_stages, "assign_exchanges", side_effect=AssertionError),
        patch.object(dealing_order, "RoundDealing", side_effect=AssertionError),
    ):
        assert max(deal_stages.stage_of_events(scope)) == len(game["deal"]["stages"]) - 1
        compare_order(scope)


FACES = ("2c", "3c", "4c", "5c", "6c", "7c")


def list_faces(moved: Data) -> list[str]:
    cards = moved.get("cards", "")
    return [cards[at : at + 2] for at in range(0, len(cards), 2)]


def draw_moves(random: Random) -> list[Data]:
    """Draw events that deal, exchange, burn, fold and shuffle known cards; some discards are unknown."""
    hands = {seat: random.choices(FACES, k=random.randint(1, 3)) for seat in IN_TURN}
    events = [deal_to("".join(hands[seat]), seat) for seat in IN_TURN]
    kinds = ("deal", "draw", "draw", "discard", "discard", "discard", "burn", "board", "fold", "shuffle", "shuffle")
    for kind in random.choices(kinds, k=random.randint(1, 14)):
        seat, faces = random.choice(IN_TURN), random.choices(FACES, k=random.randint(1, 2))
        match kind:
            case "fold":
                events.append(draws.says(seat, "fold"))
            case "shuffle":
                events.append(draws.SHUFFLE)
            case "burn" | "board":
                events.append(event("deal", place="burn" if kind == "burn" else "community", cards="".join(faces)))
            case "discard":
                random.shuffle(hands[seat])
                gone, hands[seat] = hands[seat][:2], hands[seat][2:]
                hidden = random.choice((0, 0, 0, 0, 1, 2))
                events.append(event(kind, seat, cards="".join(["??", "??", *gone][2 - hidden :][: len(gone)])))
            case _:
                hands[seat] += faces
                events.append(event(kind, seat, cards="".join(faces)))
    return events


def count_at_once(events: Sequence[Data], *, are_shuffles_recorded: bool) -> int:
    """Count the copies of each card in play anew after each event, and return the most."""
    most = 0
    for end in range(1, len(events) + 1):
        past = events[:end]
        shuffles = [at for at, moved in enumerate(past) if moved["event"] == "shuffle"]
        returned = max(shuffles, default=-1) if are_shuffles_recorded else end - 1
        in_play = sum_moves(moved for at, moved in enumerate(past) if at > returned or moved.get("place") != "burn")
        in_play.update(face for moved in past[returned + 1 :] if is_discard(moved) for face in list_faces(moved))
        for seat in IN_TURN:
            hides = (at for at, moved in enumerate(past) if moved.get("seat") == seat and may_discard_all(moved))
            if (folded := next(hides, end)) <= returned:
                in_play.subtract(sum_moves(moved for moved in past[:folded] if moved.get("seat") == seat))
        most = max(most, *(in_play[face] for face in FACES))
    return most


def sum_moves(events: Iterable[Data]) -> Counter[str]:
    """Sum up the cards dealt and drawn, without those discarded."""
    total = Counter[str]()
    for moved in events:
        (total.subtract if is_discard(moved) else total.update)(list_faces(moved))
    return total


def is_discard(moved: Data) -> bool:
    return bool(moved["event"] == "discard")


def may_discard_all(moved: Data) -> bool:
    return "decision" in moved or (is_discard(moved) and "??" in moved["cards"])


def hide_faces(random: Random, events: Sequence[Data]) -> list[Data]:
    """Hide the faces of some cards that seats are dealt or draw."""
    return [
        {**moved, "cards": "??" * len(list_faces(moved))}
        if moved["event"] in ("deal", "draw") and "seat" in moved and random.random() < 0.3
        else moved
        for moved in events
    ]


def list_hands(events: Sequence[Data]) -> list[Data]:
    """Return the cards of each seat as a summary lists them."""
    return [
        {
            name: "".join(moved["cards"] for moved in events if moved["event"] == kind and moved.get("seat") == seat)
            for name, kind in (("cards", "deal"), ("drawn", "draw"))
        }
        for seat in IN_TURN
    ]


@WHOLE
@given(SEEDS)
def test_copies_of_cards(random: Random) -> None:
    records, expected = [], []
    for number in range(ROUNDS):
        events = draw_moves(random)
        unrecorded = random.choice(((), (), ("shuffle",), ("deal",)))
        if unrecorded:
            events = [moved for moved in events if moved["event"] != "shuffle" or "shuffle" not in unrecorded]
        if "deal" in unrecorded:  # the summary lists the hands as dealt before all events
            events = [moved for moved in events if "place" not in moved or "seat" in moved]
            events.sort(key=lambda moved: moved["event"] != "deal")
        elif random.random() < 0.3:  # some faces stay unknown, in the summary as well
            events = hide_faces(random, events)
        is_recorded = "shuffle" not in unrecorded
        hides = any(is_discard(moved) and "??" in moved["cards"] for moved in events)
        expected.append((count_at_once(events, are_shuffles_recorded=is_recorded), is_recorded and not hides))
        shown = [moved for moved in hide_faces(random, events) if moved["event"] not in unrecorded]
        record = round_of(*list_hands(events), events=shown, button=SEATS, number=number)
        records.append(draws.record_all(record, *unrecorded))
    scope = room(**draws.GAME).scope(records)
    most, known = deck_counts.find_most_at_once(scope, np.arange(len(records)))
    assert [*zip(most.tolist(), known.tolist(), strict=True)] == expected
    assert deck_counts.is_within_decks(scope)[0].tolist() == [count <= 1 for count, _ in expected]


def test_a_burnt_card_before_the_board_parts_the_packets_of_seats() -> None:
    """The first card at a seat begins the next stage, because its packet includes a seat that had all of the stage."""
    events = [deal_to("??", 2), deal_to("??", 3)] * 2 + [draws.checks(3), deal_to("??", 3), draws.burn()]
    events += [deal_to("??"), deal_to("??", 2), deal_to("??"), deal_to("??", 3)]
    scope = room(**UNBURNT).scope([round_of(*[{"stack": 10_000}] * SEATS, events=events, button=SEATS)])
    assert deal_stages.stage_of_events(scope).tolist() == [0, 0, 0, 0, -1, 1, 1, 1, 2, 2, 2]


def test_a_deal_that_stops_before_a_card_is_burnt_inside_fits_its_way() -> None:
    events = [draws.burn(), *DOWNWARD, *MISDEAL]
    scope = room(**IN_WAYS).scope([round_of(*[{}] * SEATS, events=events, complete=True)])
    for way in ("singly", "in-packets"):  # no place has all its cards, so that none distinguishes them
        assert dealing_order.is_dealt_as(scope, way)[0].tolist() == [True]
