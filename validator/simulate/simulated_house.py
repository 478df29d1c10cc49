"""Settings of a simulation run: the rules, the choices of the house, rare hands, and random numbers by seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from math import lcm
from random import Random
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import Codes, make_read_only
from fairdeal.validator.cards.card_codes import CompiledDeck
from fairdeal.validator.engine.core import house_terms
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game, compile_game_deck
from fairdeal.validator.engine.core.decision_points import (
    DecisionPoint,
    TurnedCards,
    UnclearRound,
    build_single_point,
    list_decision_points,
    list_turned_cards,
)
from fairdeal.validator.engine.core.house_terms import find_base_wager
from fairdeal.validator.evidence.event_kinds import WIDEST_HAND
from fairdeal.validator.evidence.round_record import MOST_SEATS
from fairdeal.validator.evidence.submission_model import Submission, SubmittedMeter
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.rulebook.simulation_file import find_unplayable_steps, find_unstated_steps
from fairdeal.validator.rules.betting_model import ActKind
from fairdeal.validator.rules.deal_model import DealingWay
from fairdeal.validator.rules.fault_model import EarlierFault, Fault
from fairdeal.validator.rules.game_model import Act, Game
from fairdeal.validator.rules.simulation_model import Simulation, StackLimits, StepHabit


class RandomStream(Random):
    """Random numbers for one purpose."""

    def happens(self, per_mille: int) -> bool:
        """Return whether an event of this chance in a thousand happens."""
        return self.random() * 1000 < per_mille

    def draw_occurrences(self, per_mille: int, number: int) -> Iterator[bool]:
        """Return for each of a number of cases whether an event of this chance in a thousand happens."""
        draw = self.random
        return iter([draw() * 1000 < per_mille for _ in range(number)])


def seed_stream(seed: int, *key: int | str) -> RandomStream:
    """Return random numbers that are independent of those with another key."""
    return RandomStream("/".join(map(str, (seed, *key))))


_AT_RANDOM = 20_000
"""Number of hands that are dealt from the full deck to find rare ones."""
_OF_A_FEW = 2000
"""Number of hands that are dealt from each suit, and from each two ranks."""
_OF_MANY = 200
"""Number of hands that are dealt from each suit together with one rank."""
_ALL_OF = 13
"""Largest number of cards of which all hands are tried."""
_ENOUGH = 64
"""Number of hands of a rare category that are kept."""


class RareHands(Struct, frozen=True, kw_only=True):
    """Hands of a rare category."""

    hands: tuple[tuple[int, ...], ...]
    """Cards of each hand, place by place."""
    places: tuple[Place, ...]
    """Places of the cards."""
    sizes: tuple[int, ...]
    """Number of cards at each place."""
    consists_of_cards_left: bool
    """True if the hand consists of cards that are left after an exchange, so that a place may be dealt more."""

    @property
    def own_place(self) -> Place:
        """Return the place whose hand it is."""
        return "player" if "player" in self.places else self.places[0]


@cached_by_game
def find_rare_hands(prepared: CompiledGame, name: str, category: str, deck: tuple[int, ...]) -> RareHands:
    """Return hands of a category, mark or band; none if none was found. Raises ValueError for an unknown name."""
    hand = prepared.hands[name]
    low, high = hand.ranking.span(category)
    likely = _deal_candidates(deck, sum(hand.sizes))
    strength = hand.strength(likely)
    rare = [tuple(cards) for cards in likely[(strength >= low) & (strength < high)].tolist()]
    seed_stream(0, name, category).shuffle(rare)
    return RareHands(
        hands=tuple(rare[:_ENOUGH]), places=hand.places, sizes=hand.sizes, consists_of_cards_left=hand.cards == "held"
    )


@cache
@make_read_only
def _deal_candidates(deck: tuple[int, ...], size: int) -> Codes:
    """Return hands from the full deck, from suits, from pairs of ranks and from a suit with a rank, uint8[n, size].

    The result is cached, so do not write to it.
    """
    rng = np.random.Generator(np.random.PCG64(size))
    suits, ranks = sorted({card & 3 for card in deck}), sorted({card >> 2 for card in deck})
    pools = [([card for card in deck if card & 3 == suit], _OF_A_FEW) for suit in suits]
    pools += [([card for card in deck if card >> 2 in pair], _OF_A_FEW) for pair in combinations(ranks, 2)]
    pools += [
        ([card for card in deck if card & 3 == suit or card >> 2 == rank], _OF_MANY) for suit in suits for rank in ranks
    ]
    candidates: list[tuple[int, ...]] = []
    for pool, most in [*pools, ([*deck], _AT_RANDOM)]:
        if len(pool) <= _ALL_OF:
            candidates += combinations(pool, size)
        elif len(pool) >= size:
            chosen = np.argsort(rng.integers(0, 2**62, (most, len(pool))), axis=1)[:, :size]
            candidates += [tuple(hand) for hand in np.array(pool)[chosen].tolist()]
    return np.array(candidates, np.uint8).reshape(len(candidates), size)


_MOST_FRACTIONS = 10_000
_SEVERAL = 2
_LONGEST_NAME = 150
"""Longest name of a table. Ids of rounds begin with it, and ids in logs are bounded."""
_NO_HABIT = StepHabit()
_ANY_STAKE = house_terms.PostedOffer(minimum=None, maximum=None, tips=None)


class RunningMeter(Struct, frozen=True, kw_only=True):
    """Meter at every table of a house. Amounts are in minor units."""

    name: str
    start: int
    """First reading."""
    seed: int
    """Reading after all of it was won."""
    fed_by: str | None
    """Wager that feeds the meter; None if nothing does."""
    increment: int
    """Fixed addition for each wager."""
    lines: tuple[str, ...]
    """Wagers and bonuses whose pay tables use the meter."""


class CardsBetween(NamedTuple):
    """Cards that seats receive between two decisions."""

    stages: tuple[int, ...]
    """Stages of the deal by rule, by index."""
    exchange: bool
    """True if seats discard cards and draw others."""


class SimulatedHouse(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """House that plays a simulated game."""

    prepared: CompiledGame
    simulation: Simulation
    submission: Submission
    configuration: house_terms.LicenseeConfiguration
    deck: CompiledDeck | None
    """The cards of one deck; None if the game has no cards."""
    names: tuple[str, ...]
    """Names of stakes: the wagers of the game, then its bonuses."""
    ways: tuple[DealingWay, ...]
    """Ways of dealing that the house may use."""
    other_ways: tuple[DealingWay, ...]
    """Ways of dealing that the house has not chosen and uses only for a fault."""
    seats: tuple[int, int]
    """Smallest and largest number of hands in a round."""
    positions: int
    """Number of betting positions."""
    tables: tuple[str, ...]
    wager_unit: int
    """Unit of stakes, so that every payment is a whole amount."""
    tip_unit: int
    """Unit of tips, so that every payment is a whole amount."""
    meters: tuple[RunningMeter, ...]
    rare_hands: tuple[tuple[RareHands, ...], ...]
    """Rare hands that occur at times. Hands of one entry occur together."""
    acts: tuple[Act, ...]
    """Acts of a round, in order."""
    second_irregularity: int = 0
    """Number of irregular rounds in a thousand in which a second irregularity of another kind happens."""

    @property
    def game(self) -> Game:
        """Return the game."""
        return self.prepared.game

    @property
    def stacks(self) -> StackLimits:
        """Return the chips of players. Raises ValueError if the simulation has none."""
        if self.simulation.stacks is None:
            raise ValueError("the simulation does not state how many chips players have")
        return self.simulation.stacks

    @cached_property
    def kind_of_decision(self) -> dict[str, ActKind]:
        """Return the kind of each decision that is an act of betting."""
        return {name: decision.kind for name, decision in self.game.decisions.items() if decision.kind is not None}

    @cached_property
    def decision_of_kind(self) -> Mapping[ActKind, str]:
        """Return the decision of each kind, the first if there are several."""
        return {kind: name for name, kind in reversed(self.kind_of_decision.items())}

    def find_offer(self, name: str) -> house_terms.PostedOffer | None:
        """Return a wager as it is offered; None if it is not. A submission without wagers offers all."""
        offers = self.configuration.offers
        return _ANY_STAKE if offers is None else offers.get(name)

    def find_habit(self, step: Act) -> StepHabit:
        """Return the habit of the house for a step, where the rules leave it open."""
        return self.simulation.steps.get(step.name, _NO_HABIT)

    @cached_property
    def has_decisions_for_cards(self) -> bool:
        """Return whether seats take cards by decisions."""
        return any(taking.decisions for stage in self.game.deal.stages for taking in (stage.takes or {}).values())

    @cached_property
    def decision_points(self) -> tuple[DecisionPoint, ...]:
        """Return the points at which players decide, in order of play. Raises ValueError."""
        deciding = [step for step in self.acts if "decide" in step.events]
        if self.game.betting is not None or len(deciding) < _SEVERAL:
            return (build_single_point(self.game),)
        try:
            return list_decision_points(self.prepared)
        except UnclearRound as error:
            raise ValueError(str(error)) from error

    @cached_property
    def cards_between_points(self) -> Mapping[int, CardsBetween]:
        """Return the cards that seats receive between decisions, by the index of the decision point that follows."""
        points, found = self.decision_points, dict[int, CardsBetween]()
        names = [act.name for act in self.acts]
        for at in range(1, len(points)):
            first, last = (names.index(points[at + by].steps[by].name) for by in (-1, 0))
            between = self.acts[first + 1 : last]
            dealt = {act.stage for act in between}
            stages = tuple(
                number
                for number, stage in enumerate(self.game.deal.stages)
                if stage.is_by_rule and "player" in (stage.cards or {}) and stage.stage in dealt
            )
            exchange = any("discard" in act.events and act.place == "player" for act in between)
            if stages or exchange:
                found[at] = CardsBetween(stages=stages, exchange=exchange)
        return found

    @cached_property
    def early_stages(self) -> frozenset[int]:
        """Return the stages by rule that come between decisions, by index."""
        return frozenset(number for between in self.cards_between_points.values() for number in between.stages)

    @property
    def has_early_exchange(self) -> bool:
        """Return whether seats exchange cards between decisions."""
        return any(between.exchange for between in self.cards_between_points.values())

    def find_turned_cards(self, step: Act, place: str) -> TurnedCards | None:
        """Return the cards of a place that an act turns up; None if it is the only such act, or the rules leave it
        open."""
        turned = {act: cards for (act, other), cards in self._turned_cards.items() if other == place}
        return turned.get(step.name) if len(turned) >= _SEVERAL else None

    @cached_property
    def _turned_cards(self) -> Mapping[tuple[str, Place], TurnedCards]:
        try:
            return list_turned_cards(self.prepared)
        except UnclearRound:
            return {}

    @cached_property
    def step_by_event_and_place(self) -> Mapping[tuple[str, str | None], Act]:
        """Return the first step of each kind of event at each place in a round, except for stages of the deal."""
        steps = [step for step in reversed(self.acts) if step.stage is None]
        return {(kind, find_step_place(step)): step for step in steps for kind in step.events}

    @cached_property
    def discarding_places(self) -> frozenset[Place]:
        """Return the places of the deal from which cards are set aside."""
        ways, steps = (*self.ways, *self.other_ways), self.step_by_event_and_place
        return frozenset(
            place
            for place in self.game.deal.cards
            if ("discard", place) in steps or any(way.discarded_cards.get(place) for way in ways)
        )

    @cached_property
    def decks(self) -> tuple[str, ...]:
        """Return the names of the decks that are dealt in turn, if a table has more than one round needs."""
        deck = self.submission.deck
        count = 0 if deck is None else max(deck.decks or 0, deck.kept or 0) // max(self.game.decks, 1)
        if deck is None or count < 2:
            return ()
        backs = tuple(dict.fromkeys(deck.backs or ()))
        return backs if len(backs) == count else tuple(f"deck {number + 1}" for number in range(count))

    @cached_property
    def claimable_wagers(self) -> tuple[str, ...]:
        """Return the wagers on which players claim a win."""
        wagers, steps = self.game.wagers, [step for step in self.acts if "claim" in step.events]
        return tuple(dict.fromkeys(line for step in steps for line in step.of or wagers if line in wagers))

    @property
    def opening_wagers(self) -> tuple[str, ...]:
        """Return the wagers on offer before the deal."""
        return tuple(
            name for name, wager in self.game.wagers.items() if wager.is_opening and self.find_offer(name) is not None
        )


def set_up_house(
    prepared: CompiledGame,
    simulation: Simulation,
    submission: Submission,
    *,
    faults: Sequence[Fault | EarlierFault] = (),
    seats: tuple[int, int] | None = None,
) -> SimulatedHouse:
    """Return the house that plays by a submission. Raises ValueError, with a message for users, if that is not
    possible.

    Args:
        prepared: the game.
        simulation: habits and chances.
        submission: choices of the house.
        faults: faults to plant; they may need other numbers of hands or ways of dealing.
        seats: smallest and largest number of hands in a round; None for those of the simulation.
    """
    game = prepared.game
    if submission.document != prepared.regulation.id:
        raise ValueError(f"the submission is for {submission.document}, not for {prepared.regulation.id}")
    positions, (least, most) = _count_positions(simulation, submission, seats)
    deck = compile_game_deck(prepared)
    for _, why in (*find_unplayable_steps(game), *find_unstated_steps(game, simulation)):
        raise ValueError(why)
    configuration = house_terms.build_configuration(submission)
    parts = _find_common_denominator(prepared, configuration)
    ways = _choose_ways(game, submission)
    otherwise = any(fault.operator == "dealt" for fault in faults)
    others = tuple(way for way in game.deal.ways.values() if otherwise and way not in ways)
    fullest = max([most, *(fault.operand for fault in faults if fault.operator == "seats")])
    if fullest > positions:
        raise ValueError(f"{fullest} hands do not fit a layout of {positions} positions")
    _require_enough_cards(game, (*ways, *others), fullest, prepared.regulation.cards_in_play)
    house = SimulatedHouse(
        prepared=prepared,
        simulation=simulation,
        submission=submission,
        configuration=configuration,
        deck=deck,
        names=tuple(dict.fromkeys([*game.wagers, *game.bonuses])),
        ways=ways,
        other_ways=others,
        seats=(least, most),
        positions=positions,
        tables=_name_tables(simulation, submission),
        wager_unit=lcm(simulation.units.wager, parts),
        tip_unit=lcm(simulation.units.tip, parts),
        meters=_make_meters(game, simulation, submission),
        rare_hands=tuple(
            tuple(
                find_rare_hands(prepared, part.hand, part.is_, deck.cards if deck else ())
                for part in (stacked, *stacked.beside)
            )
            for stacked in simulation.stacked
        ),
        acts=tuple(game.acts.values()),
    )
    if game.pots is not None and game.betting is not None:
        _check_player_game(house)
    return house


def _check_player_game(house: SimulatedHouse) -> None:
    """Raise ValueError if players cannot play against each other under these settings."""
    players = None if house.game.table is None else house.game.table.players
    if players is not None and not players.at_least <= house.seats[0] <= house.seats[1] <= players.at_most:
        raise ValueError(f"the game needs {players.at_least} to {players.at_most} players")
    if house.submission.smallest_chip is None:
        raise ValueError("the submission does not state the smallest chip, so pots cannot be divided")
    if lacking := [kind for kind in ("fold", "check", "call") if kind not in house.decision_of_kind]:
        raise ValueError(f"betting cannot be simulated without a decision to {lacking[0]}")


def _count_positions(
    simulation: Simulation, submission: Submission, seats: tuple[int, int] | None
) -> tuple[int, tuple[int, int]]:
    """Return the number of betting positions, and the smallest and largest number of hands in a round."""
    given = None if submission.layout is None else submission.layout.positions
    least, most = seats or (simulation.seats.at_least, simulation.seats.at_most)
    positions = given or most
    if seats is None:
        least, most = min(least, positions), min(most, positions)
    if not 1 <= least <= most <= MOST_SEATS:
        raise ValueError(f"a round cannot have at least {least} and at most {most} hands")
    return positions, (least, most)


def _name_tables(simulation: Simulation, submission: Submission) -> tuple[str, ...]:
    tables = tuple(dict.fromkeys(submission.tables)) or tuple(dict.fromkeys(simulation.tables))
    if max(map(len, (*tables, submission.licensee.name))) > _LONGEST_NAME:
        raise ValueError(f"the licensee or a table has a name of more than {_LONGEST_NAME} characters")
    return tables


def _require_enough_cards(game: Game, ways: tuple[DealingWay, ...], most: int, cards: int) -> None:
    """Raise ValueError if the deck is too small for all hands, each with one card too many."""
    for way in ways:
        dealt = way.count_dealt()
        burnt = dealt.pop("burn", 0)
        needed = burnt + sum((count + 1) * (most if place == "player" else 1) for place, count in dealt.items())
        if needed > cards:
            raise ValueError(f"{most} hands may need {needed} cards, and the game has {cards}")
        if max(dealt.values()) >= WIDEST_HAND:
            raise ValueError("hands of this game are too large to be recorded")


def _choose_ways(game: Game, submission: Submission) -> tuple[DealingWay, ...]:
    """Return the ways of dealing that the house may use. Raises ValueError if the submission names an unknown one."""
    if submission.dealing is None:
        return tuple(game.deal.ways.values())
    if submission.dealing not in game.deal.ways:
        raise ValueError(f"the game is not dealt by `{submission.dealing}`, only by {', '.join(game.deal.ways)}")
    return (game.deal.ways[submission.dealing],)


def _make_meters(game: Game, simulation: Simulation, submission: Submission) -> tuple[RunningMeter, ...]:
    """Return the meters of a house, as the simulation or else the submission states. Raises ValueError."""
    meters: list[RunningMeter] = []
    for name, run in simulation.meters.items():
        stated = next((meter for meter in submission.meters or [] if meter.meter == name), SubmittedMeter(meter=name))
        lines = tuple(dict.fromkeys(table.of for table in game.pay_tables.values() if table.meter == name))
        fed_by = stated.fed_by or next((line for line in lines if line in game.wagers), None)
        if fed_by is not None and fed_by not in game.wagers:
            raise ValueError(f"the meter `{name}` is fed by `{fed_by}`, which is not a wager")
        meter = RunningMeter(
            name=name,
            start=run.start,
            seed=run.start if stated.seed is None else stated.seed,
            fed_by=fed_by,
            increment=stated.increment or 0,
            lines=lines,
        )
        meters.append(meter)
    return tuple(meters)


def _find_common_denominator(prepared: CompiledGame, configuration: house_terms.LicenseeConfiguration) -> int:
    """Return the common denominator of all odds that may be due. Raises ValueError if it is too large."""
    rates: list[Fraction] = []
    for line, tables in prepared.printed_tables.items():
        size = configuration.fixed_stake(find_base_wager(prepared.game, line))
        for printed in tables:
            posted = [printed.compute_posted_worth(rows, size) for rows in configuration.pay_tables.get(line, ())]
            rates += [worth for rows in posted or [printed.worth] for unit, worth in rows.values() if unit == "stake"]
    rates += [
        case.due.operand.worth for case in prepared.game.settlement.cases if case.due.operator in ("odds", "loses")
    ]
    common = lcm(*(rate.denominator for rate in rates))
    if common > _MOST_FRACTIONS:
        raise ValueError(f"the odds of the pay tables have no common denominator up to {_MOST_FRACTIONS}")
    return common


def find_step_place(step: Act) -> str | None:
    """Return the place of a step: its own, or that of the seats."""
    return step.place or (None if step.grain == "round" else "player")
