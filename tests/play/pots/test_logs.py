"""Random rounds as log records: awards of the referee pass, and any others are found.

Neither the order of seats in a record nor other rounds of the batch change a result.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest
from phevaluator import evaluate_cards

from tests.facade.cards import RANKS, SUITS
from tests.facade.rounds import check_context
from tests.play.pots import referee
from tests.play.pots.referee import Hand
from tests.play.pots.table import Data, Told, house, judge, open_in

ROUNDS = 400
CHIP = house(smallest_chip=1)
DECK = [rank + suit for rank in RANKS for suit in SUITS]
JUDGED = ("shares", "uncalled", "adds-up")
WORST = 7462
"""The rank of the worst hand, by the evaluator's count from 1 for the best."""


@dataclass(frozen=True)
class Dealt:
    """Round up to the award, with seats clockwise from the button and the referee's result in dollars."""

    told: Told
    seats: list[int]
    back: tuple[int, int]
    won: list[int]

    def award(self, won: list[int] | None = None) -> Told:
        back, owner = self.back
        if back:
            self._give_back(self.seats[owner], back)
        for seat, amount in zip(self.seats, self.won if won is None else won, strict=True):
            if amount:
                self.told.award(seat, amount)
        return self.told

    def _give_back(self, seat: int, amount: int) -> None:
        for line in ("bets", "big-blind", "small-blind"):
            part = min(amount, self.told.staked.get((seat, line), 0) // 100)
            if part:
                self.told.refund(seat, part, line)
            amount -= part


def deal(rng: Random, name: str) -> Dealt:
    """Play a round in which every player acts once, at random within the available chips."""
    seats = sorted(rng.sample(range(1, 11), rng.randint(2, 8)))
    button = rng.choice(seats)
    order = sorted(seats, key=lambda seat: (seat - button - 1) % 100)
    deck = rng.sample(DECK[: rng.choice([20, 52])], 2 * len(seats) + 5) if len(seats) < 8 else rng.sample(DECK, 21)
    board = [deck.pop() for _ in range(5)]
    hole = {seat: [deck.pop(), deck.pop()] for seat in seats}
    stacks = {seat: rng.choice([2, 3, 5, 8, 20, 50]) for seat in seats}
    told = Told(
        stacks=stacks,
        button=button,
        cards={seat: "".join(cards) for seat, cards in hole.items()},
        board="".join(board),
        name=name,
    )
    left = dict(stacks)
    put = {line: dict.fromkeys(seats, 0) for line in ("ante", "dead-blind", "matched")}

    def post(seat: int, line: str, amount: int) -> None:
        amount = min(amount, left[seat])
        if amount:
            told.post(seat, line, amount)
            left[seat] -= amount
            put[line if line in put else "matched"][seat] += amount

    for seat in seats if rng.random() < 0.3 else ():
        post(seat, "ante", 1)
    post(order[0], "small-blind", 1)
    post(order[1], "big-blind", 2)
    if rng.random() < 0.2:
        post(rng.choice(order), "dead-blind", 1)
    level = rng.choice([2, 7, 30])
    contend = []
    for seat in [*order[2:], *order[:2]]:
        if rng.random() < 0.35 and seat != order[-1]:
            told.act(seat, "fold")
            continue
        contend.append(seat)
        amount = min(left[seat], max(rng.choice([level, level, 40]) - put["matched"][seat], 0))
        told.act(seat, "call" if amount else "check", amount)
        put["matched"][seat] += amount
    told.flop()
    for seat in contend:  # a seat that has not answered a raise may have folded, unless its hand is shown
        told.shows(seat)
    hand = Hand(
        matched=tuple(put["matched"][seat] for seat in order),
        capped=tuple(put["ante"][seat] for seat in order),
        whole=tuple(put["dead-blind"][seat] for seat in order),
        contend=frozenset(order.index(seat) for seat in contend),
        ranks=(tuple(WORST - evaluate_cards(*hole[seat], *board) for seat in order),),
    )
    return Dealt(told=told, seats=order, back=referee.take_uncalled(hand), won=referee.award_pots(hand, 1))


@pytest.fixture(scope="module")
def records() -> list[Data]:
    rng = Random(5)
    return [deal(rng, f"H{at}").award().record() for at in range(ROUNDS)]


def _verdicts(records: list[Data]) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
    return [
        (
            verdict.counts,
            tuple(sorted(f"{item.where.round} {item.where.seat} {item.expected}" for item in verdict.findings)),
        )
        for verdict in check_context(open_in(records, submission=CHIP))
    ]


@pytest.mark.parametrize("seed", range(20))
def test_what_the_referee_awards_is_right(seed: int) -> None:
    for record in (deal(Random(seed), "H").award().record(), deal(Random(seed), "H").award().public()):
        verdict = judge(record, submission=CHIP)
        for name in JUDGED:
            assert verdict.status[name] in ("pass", "not-applicable"), (name, verdict.found[name], verdict.gaps)


def test_hundreds_of_rounds_are_all_right(records: list[Data]) -> None:
    for verdict in check_context(open_in(records, submission=CHIP)):
        if verdict.requirement in JUDGED:
            assert verdict.counts[-1] == verdict.counts[3] == 0, (verdict.findings[:3], verdict.gap)


@pytest.mark.parametrize("seed", range(30))
def test_a_chip_pushed_to_another_seat_is_found(seed: int) -> None:
    dealt = deal(Random(seed), "H")
    won = list(dealt.won)
    winner = max(range(len(won)), key=won.__getitem__)
    other = Random(seed).choice([seat for seat in range(len(won)) if seat != winner])
    won[winner] -= 1
    won[other] += 1
    wrong = {dealt.seats[winner], dealt.seats[other]}
    verdict = judge(dealt.award(won).record(), submission=CHIP)
    assert verdict.status["adds-up"] == "pass"
    assert {seat for seat, *_ in verdict.found["shares"]} == wrong
    public = judge(dealt.told.public(), submission=CHIP)
    assert public.status["adds-up"] == "pass"
    if dealt.back == (1, winner):  # by chips before and after, it is the uncalled bet that the other seat was given
        assert {seat for seat, *_ in public.found["uncalled"]} == {dealt.seats[winner]}
    else:
        assert {seat for seat, *_ in public.found["shares"]} == wrong


def test_the_order_of_seats_in_a_record_does_not_matter(records: list[Data]) -> None:
    rng = Random(9)
    turned = [{**record, "seats": rng.sample(record["seats"], len(record["seats"]))} for record in records]
    assert _verdicts(turned) == _verdicts(records)


def test_turning_the_table_turns_the_awards() -> None:
    """With every seat moved one place on, only the numbers of seats change."""
    for seed in range(30):
        told = deal(Random(seed), "H").award().record()

        def turn(seat: int) -> int:
            return seat % 99 + 1

        turned = {
            **told,
            "button": turn(told["button"]),
            "seats": [{**seat, "seat": turn(seat["seat"])} for seat in told["seats"]],
            "events": [
                {**event, "seat": turn(event["seat"])} if "seat" in event else event for event in told["events"]
            ],
        }
        assert judge(turned, submission=CHIP).status == judge(told, submission=CHIP).status


def test_rounds_together_are_judged_as_each_alone() -> None:
    rng = Random(11)
    records = []
    for at in range(60):
        dealt = deal(rng, f"H{at}")
        won = list(dealt.won)
        if at % 3 == 0:
            won.reverse()
        told = dealt.award(won)
        records.append(told.record() if at % 2 else told.public())
    together = _verdicts(records)
    alone = [_verdicts([record]) for record in records]
    for at, (counts, findings) in enumerate(together):
        assert counts == tuple(map(sum, zip(*(single[at][0] for single in alone), strict=True)))
        assert findings == tuple(sorted(item for single in alone for item in single[at][1]))
