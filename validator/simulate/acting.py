"""Betting played forward: act after act, one of every round that still waits for one.

The engine that judges betting says whose turn it is, what is to be met and what is open; seats act by their habits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import fields, replace

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints8, Ints32
from validator.cards.cards import NO_CARD
from validator.engine.betting.action_codes import AS_BET, DEAD, LIVE, OTHER, PUT
from validator.engine.betting.actions_recorded import ACTS, betting_in
from validator.engine.betting.machine import Running, Step
from validator.engine.betting.replay import terms_of
from validator.engine.betting.states import States
from validator.engine.core.context import Scope
from validator.engine.pots.side_pots import members
from validator.engine.seats.seat_order import seating
from validator.engine.seats.seat_sets import bit_of, several
from validator.evidence.columns.batch import Hands
from validator.language.terms import Place
from validator.rules.model.game import Game
from validator.simulate.bets import Bets, Shown
from validator.simulate.choosing import Chooser, Waiting
from validator.simulate.exchange_steps import course
from validator.simulate.exchanges import exchange_in
from validator.simulate.house import House
from validator.simulate.irregularities import dead_rounds
from validator.simulate.manners import Manners, all_shown
from validator.simulate.mistakes import Acted, Mistake
from validator.simulate.openers import Openers
from validator.simulate.opening import with_stakes
from validator.simulate.planting import Planting
from validator.simulate.rounds import OWN, PLACES_HELD, Rounds, scope_of

_FORCED = {"apart": DEAD, "toward-the-bet": LIVE, "as-the-bet": AS_BET}


class _Drawn(NamedTuple):
    """Acts of one turn, as `Bets` has them, with what was shown of them, counted from the first of them."""

    round: Ints
    seat: Ints
    street: int
    turn: int
    decision: Ints
    amount: Ints
    shown: list[Shown]


def bet(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with all acts of betting and what was bet with them; cards that never came are not in them."""
    return _played(house, rounds, rng, None)


def bet_wrongly(house: House, planting: Planting, rounds: Rounds, rng: np.random.Generator) -> tuple[Rounds, Flags]:
    """The same with a fault in every round that it fits; and bool[rounds], which those are."""
    mistake = Mistake(house, planting, len(rounds))
    return _played(house, rounds, rng, mistake), mistake.made


def _played(house: House, rounds: Rounds, rng: np.random.Generator, mistake: Mistake | None) -> Rounds:
    scope = scope_of(house, rounds)
    terms = terms_of(scope)
    running = Running(replace(terms, before=terms.before.copy()), 0)
    _put_in_what_is_forced(house, rounds, scope, running)
    running.players[dead_rounds(house, rounds)] = 0
    betting, chooser = betting_in(house.game), Chooser(house, scope)
    # What is shown of acts is drawn apart, so that the acts are the same whatever is shown of them.
    luck = rng.spawn(1)[0]
    drawn: list[_Drawn] = []
    reached, dealt = np.zeros(len(rounds), np.int8), _stages_dealt(house.game)
    openers = Openers(house, rounds)
    for street in range(len(betting.rounds)):
        running.terms.before[street] = openers.row_before(street, running.players, int(dealt[street]))
        if not street:
            running.last = running.terms.before[0].copy()
        else:
            rounds, chooser = _exchanged(
                house, rounds, chooser, running, range(dealt[street - 1], dealt[street]), seating(scope).row, rng
            )
            begun = np.flatnonzero(several(running.players))
            running.begin(begun, np.full(len(begun), street, np.int8))
            reached[begun] = street
        table = _Table(house, running, chooser, Manners(house, chooser), seating(scope).seats, mistake)
        drawn += _street(table, street, rng, luck)
    whole = len(house.game.deal.stages)
    stages = np.where(several(running.players), whole, dealt[reached])
    if mistake is not None:
        stages = mistake.dealt(stages, running, whole)
    return _with_bets(house, rounds, drawn, stages.astype(np.int8), dealt)


def _exchanged(
    house: House,
    rounds: Rounds,
    chooser: Chooser,
    running: Running,
    stages: range,
    row: Ints8,
    rng: np.random.Generator,
) -> tuple[Rounds, Chooser]:
    """The rounds with the cards exchanged in these stages of the deal, where two or more are left; and the habits of
    players who then look at what they hold."""
    exchanging = [number for number in stages if number in house.game.deal.exchanging]
    if not exchanging:
        return rounds, chooser
    left = np.where(several(running.players), running.players, np.uint32(0))
    still_in = (left[rounds.round] & bit_of(row)) != 0
    for number in exchanging:
        rounds = exchange_in(house, rounds, number, still_in, rng)
    return rounds, Chooser(house, scope_of(house, replace(rounds, hands=rounds.held)))


def _put_in_what_is_forced(house: House, rounds: Rounds, scope: Scope, running: Running) -> None:
    seats = seating(scope).seats
    for one in betting_in(house.game).forced:
        amount, offer = rounds.amount[house.names.index(one.wager), OWN], house.offer(one.wager)
        floor = 0 if offer is None or offer.minimum is None else offer.minimum
        for row, of_row in enumerate(seats):
            put = np.where(of_row < 0, 0, amount[of_row])
            if put.any():
                op = np.where(put > 0, _FORCED[one.counts], OTHER).astype(np.uint8)
                _take(running, op, np.where(put > 0, np.int8(row), np.int8(ABSENT)), put, floor=floor)


def _take(running: Running, op: Codes, row: Ints8, amount: Ints, *, floor: int = 0, due: Ints8 | None = None) -> None:
    """Take an act of every round; OTHER where nothing happens. `due` is whose turn it is."""
    step = Step(op=op, row=row, bit=bit_of(row), amount=amount, floor=np.full(len(op), floor, np.int64))
    running.pay(step, row if due is None else due)


class _Table(NamedTuple):
    """What is needed to go on betting."""

    house: House
    running: Running
    chooser: Chooser
    manners: Manners
    seats: Ints32
    mistake: Mistake | None

    def waiting(self, who: Ints8) -> Waiting:
        """The seats that are to act, as the betting stands for them."""
        at, running = np.flatnonzero(who != ABSENT), self.running
        running.see(slice(0, len(who)), who, bit_of(who))
        most = np.where(members(running.players & ~bit_of(who), len(self.seats)), self._held(), 0).max(axis=0)
        states = States(**{one.name: getattr(running.states, one.name)[at] for one in fields(States)})
        return Waiting(
            round=at, seat=self.seats[who[at], at].astype(np.int64), states=states, answered=(most > running.level)[at]
        )

    def _held(self) -> Ints:
        """int64[rows, rounds]: what each seat can have in this betting round at the most."""
        held: Ints = (self.running.put + self.running.behind).reshape(self.seats.shape)
        return held

    def who(self, due: Ints8, street: int, rng: np.random.Generator) -> Ints8:
        """Who acts where it is the turn of these: they themselves, if all is as it should be."""
        if self.mistake is None:
            return due
        waiting = self.waiting(due)
        fits = np.zeros(len(due), np.bool_)
        fits[waiting.round] = self.mistake.fits(self.chooser, self.chooser.moment(waiting), waiting)
        return self.mistake.who(self.running, due, street, fits, rng)

    def act(self, waiting: Waiting, street: int, rng: np.random.Generator) -> Acted:
        """What seats do whose turn it is."""
        moment = self.chooser.moment(waiting)
        chosen = self.chooser.choose(moment, waiting, rng)
        if self.mistake is None:
            return Acted(acts=chosen, wrong=np.zeros(len(waiting.seat), np.bool_), shown=[])
        return self.mistake.act(self.chooser, self.manners, moment, waiting, street, chosen, rng)


def _street(table: _Table, street: int, rng: np.random.Generator, luck: np.random.Generator) -> Iterator[_Drawn]:
    """One betting round of all rounds of play; with `luck` seats show what they do."""
    house, running = table.house, table.running
    kinds = [house.game.decisions[name].kind if name in house.game.decisions else None for name in house.decisions]
    ops = np.array([ACTS.get(kind or "", PUT) for kind in kinds], np.uint8)
    length = table.seats.shape[1]
    everything, nobody = slice(0, length), np.full(length, ABSENT, np.int8)
    for turn in count():
        due = running.see(everything, nobody, bit_of(nobody))
        who = table.who(due, street, rng)
        if (who == ABSENT).all():
            return
        waiting = table.waiting(who)
        acted = table.act(waiting, street, rng)
        decision, amount = acted.acts
        silent = acted.wrong | (who != due)[waiting.round]
        shown = [*acted.shown, *table.manners.usual(waiting, acted.acts, silent, luck)]
        op, put = np.full(length, OTHER, np.uint8), np.zeros(length, np.int64)
        op[waiting.round], put[waiting.round] = ops[decision], amount
        _take(running, op, who, put, due=due)
        yield _Drawn(
            round=waiting.round,
            seat=waiting.seat,
            street=street,
            turn=turn,
            decision=decision,
            amount=amount,
            shown=shown,
        )


def _stages_dealt(game: Game) -> Ints:
    """int64[betting rounds]: how many stages of the deal have come when each begins."""
    names, steps = [one.stage for one in game.deal.stages], {one.step: one for one in course(game)}
    found = []
    for one in betting_in(game).rounds:
        stage = None if one.after is None or one.after not in steps else steps[one.after].stage
        found.append(1 if stage is None else names.index(stage) + 1)
    return np.array(found)


def _with_bets(house: House, rounds: Rounds, drawn: list[_Drawn], stages: Ints8, dealt: Ints) -> Rounds:
    """The rounds with what was bet; `dealt` is how many stages of the deal had come when each betting round began."""
    seat, decision = _joined([one.seat for one in drawn]), _joined([one.decision for one in drawn])
    amount, each = _joined([one.amount for one in drawn]), [len(one.seat) for one in drawn]
    firsts = [0, *np.cumsum(each).tolist()][: len(drawn)]
    folds = [name for name, one in house.game.decisions.items() if one.kind == "fold"]
    folded = np.zeros(len(rounds.round), np.bool_)
    folded[seat[np.isin(decision, [house.decisions.index(name) for name in folds])]] = True
    bets = Bets(
        round=rounds.round[seat],
        seat=seat,
        street=np.repeat([one.street for one in drawn], each).astype(np.int8),
        turn=np.repeat([one.turn for one in drawn], each).astype(np.int64),
        decision=decision.astype(np.int32),
        amount=amount,
        shown=all_shown([(first, one) for first, turn in zip(firsts, drawn, strict=True) for one in turn.shown]),
        stages=stages,
        folded=folded,
    )
    line = betting_in(house.game).wager
    total = np.zeros(len(rounds.round), np.int64)
    np.add.at(total, seat, amount)
    came = stages[rounds.round]
    gone = np.isin(decision, [house.decisions.index(name) for name in folds])
    came[seat[gone]] = np.minimum(came[seat[gone]], dealt[bets.street[gone]])
    return replace(with_stakes(house, rounds, line, OWN, total), bets=bets, **_dealt(house, rounds, stages, came))


def _joined(columns: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *columns])


def _dealt(house: House, rounds: Rounds, stages: Ints8, to_seats: Ints8) -> Mapping[str, Any]:
    """The cards of every place, those of stages left out that never came to the round, or to the seat."""
    names: Mapping[Place, str] = {"player": "hands", "dealer": "dealer", "community": "community"}
    found: dict[str, Any] = {}
    for place in PLACES_HELD:
        if place not in house.game.deal.cards:
            continue
        each = [0, *np.cumsum([(one.cards or {}).get(place, 0) for one in house.game.deal.stages]).tolist()]
        hands = rounds.hands_at(place)
        came = np.array(each)[to_seats if place == "player" else stages]
        kept = np.minimum(hands.count, came)
        cards = np.where(np.arange(hands.cards.shape[1]) < kept[:, None], hands.cards, NO_CARD)
        found[names[place]] = Hands(cards=cards.astype(np.uint8), count=kept.astype(np.int16))
    return found


def contending(rounds: Rounds) -> Flags:
    """bool[seats]: the seats that are in when the betting is over."""
    return np.ones(len(rounds.round), np.bool_) if rounds.bets is None else ~rounds.bets.folded
