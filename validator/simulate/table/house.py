"""Settings of a simulation run: the rules, the choices of the house, and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm

from msgspec import Struct

from validator.cards.deck import Deck, compile_deck
from validator.engine.compiled.game import Prepared
from validator.engine.compiled.printed_tables import base_of
from validator.engine.core.house_rules import Configuration, Offer, configuration_of
from validator.evidence.handlog.event_values import WIDEST_HAND
from validator.evidence.handlog.record import MOST_SEATS
from validator.evidence.submission.model import Submission
from validator.evidence.submission.money import SubmittedMeter
from validator.rulebook.lint.playable import unplayable, unstated
from validator.rules.model.betting import Act
from validator.rules.model.deal import Way
from validator.rules.model.faults import EarlierFault, Fault
from validator.rules.model.game import Game, Step
from validator.rules.simulation.simulation import Simulation, Stacks, StepHabit
from validator.simulate.table.rare_hands import Rare, rare_hand

_MOST_FRACTIONS = 10_000
_LONGEST_NAME = 150
"""Longest name of a table. Ids of rounds begin with it, and ids in logs are bounded."""
_NO_HABIT = StepHabit()
_ANY_STAKE = Offer(minimum=None, maximum=None, tips=None)


class Meter(Struct, frozen=True, kw_only=True):
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
    per_mille: int
    """Addition for each thousand units staked."""
    lines: tuple[str, ...]
    """Wagers and bonuses whose pay tables use the meter."""


class House(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """House that plays a simulated game."""

    prepared: Prepared
    simulation: Simulation
    submission: Submission
    configuration: Configuration
    deck: Deck
    names: tuple[str, ...]
    """Names of stakes: the wagers of the game, then its bonuses."""
    ways: tuple[Way, ...]
    """Ways of dealing that the house may use."""
    other_ways: tuple[Way, ...]
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
    meters: tuple[Meter, ...]
    rare: tuple[tuple[Rare, ...], ...]
    """Rare hands that occur at times. Hands of one entry occur together."""
    course: tuple[Step, ...]
    """Steps of a round, in order."""

    @property
    def game(self) -> Game:
        """Return the game."""
        return self.prepared.game

    @property
    def stacks(self) -> Stacks:
        """Return the chips of players. Raises ValueError if the simulation has none."""
        if self.simulation.stacks is None:
            raise ValueError("the simulation does not state how many chips players have")
        return self.simulation.stacks

    @cached_property
    def kinds(self) -> dict[str, Act]:
        """Return the kind of each decision that is an act of betting."""
        return {name: decision.kind for name, decision in self.game.decisions.items() if decision.kind is not None}

    @cached_property
    def words(self) -> Mapping[Act, str]:
        """Return the decision of each kind, the first if there are several."""
        return {kind: name for name, kind in reversed(self.kinds.items())}

    def offer(self, name: str) -> Offer | None:
        """Return a wager as it is offered; None if it is not. A submission without wagers offers all."""
        offers = self.configuration.offers
        return _ANY_STAKE if offers is None else offers.get(name)

    def habit(self, step: Step) -> StepHabit:
        """Return the habit of the house for a step, where the rules leave it open."""
        return self.simulation.steps.get(step.step, _NO_HABIT)

    @cached_property
    def steps_at(self) -> Mapping[tuple[str, str | None], Step]:
        """Return the first step of each kind of event at each place in a round, except for stages of the deal."""
        steps = [step for step in reversed(self.course) if step.stage is None]
        return {(kind, place_of(step)): step for step in steps for kind in step.events}

    @cached_property
    def decks(self) -> tuple[str, ...]:
        """Return the names of the decks that are dealt in turn, if a table has more than one round needs."""
        deck = self.submission.deck
        count = 0 if deck is None else max(deck.decks or 0, deck.kept or 0) // self.game.deck.decks
        if deck is None or count < 2:
            return ()
        backs = tuple(dict.fromkeys(deck.backs or ()))
        return backs if len(backs) == count else tuple(f"deck {number + 1}" for number in range(count))

    @cached_property
    def claimable(self) -> tuple[str, ...]:
        """Return the wagers on which players claim a win."""
        wagers, steps = self.game.wagers, [step for step in self.course if "claim" in step.events]
        return tuple(dict.fromkeys(line for step in steps for line in step.of or wagers if line in wagers))

    @property
    def openings(self) -> tuple[str, ...]:
        """Return the wagers on offer before the deal."""
        return tuple(
            name
            for name, wager in self.game.wagers.items()
            if wager.placed == "before-the-deal" and self.offer(name) is not None
        )


def furnish(
    prepared: Prepared,
    simulation: Simulation,
    submission: Submission,
    *,
    faults: Sequence[Fault | EarlierFault] = (),
    seats: tuple[int, int] | None = None,
) -> House:
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
    model = prepared.regulation.vocabulary.decks[game.deck.cards]
    deck = compile_deck(game.deck.cards, model)
    for _, why in (*unplayable(game), *unstated(game, simulation)):
        raise ValueError(why)
    configuration = configuration_of(submission)
    parts = _find_common_denominator(prepared, configuration)
    ways = _choose_ways(game, submission)
    otherwise = any(fault.operator == "dealt" for fault in faults)
    others = tuple(way for way in game.deal.ways.values() if otherwise and way not in ways)
    fullest = max([most, *(fault.operand for fault in faults if fault.operator == "seats")])
    if fullest > positions:
        raise ValueError(f"{fullest} hands do not fit a layout of {positions} positions")
    _require_enough_cards(game, (*ways, *others), fullest, len(deck.cards) * game.deck.decks)
    course = tuple(step for step in game.procedure if not step.aside)
    house = House(
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
        rare=tuple(
            tuple(rare_hand(prepared, part.hand, part.category, deck.cards) for part in (stacked, *stacked.beside))
            for stacked in simulation.stacked
        ),
        course=course,
    )
    if all(game.wagers[name].needs is not None or game.wagers[name].of is not None for name in house.openings):
        raise ValueError("the submission offers no wager that a round can be started with")
    if game.pots is not None and game.betting is not None:
        _check_player_game(house)
    return house


def _check_player_game(house: House) -> None:
    """Raise ValueError if players cannot play against each other under these settings."""
    players = None if house.game.table is None else house.game.table.players
    if players is not None and not players.least <= house.seats[0] <= house.seats[1] <= players.most:
        raise ValueError(f"the game needs {players.least} to {players.most} players")
    if house.submission.smallest_chip is None:
        raise ValueError("the submission does not state the smallest chip, so pots cannot be divided")
    if lacking := [kind for kind in ("fold", "check", "call") if kind not in house.words]:
        raise ValueError(f"betting cannot be simulated without a decision to {lacking[0]}")


def _count_positions(
    simulation: Simulation, submission: Submission, seats: tuple[int, int] | None
) -> tuple[int, tuple[int, int]]:
    """Return the number of betting positions, and the smallest and largest number of hands in a round."""
    given = None if submission.layout is None else submission.layout.positions
    least, most = seats or (simulation.seats.least, simulation.seats.most)
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


def _require_enough_cards(game: Game, ways: tuple[Way, ...], most: int, cards: int) -> None:
    """Raise ValueError if the deck is too small for all hands, each with one card too many."""
    for way in ways:
        dealt = way.dealt()
        burnt = dealt.pop("burn", 0)
        needed = burnt + sum((count + 1) * (most if place == "player" else 1) for place, count in dealt.items())
        if needed > cards:
            raise ValueError(f"{most} hands may need {needed} cards, and the game has {cards}")
        if max(dealt.values()) >= WIDEST_HAND:
            raise ValueError("hands of this game are too large to be recorded")


def _choose_ways(game: Game, submission: Submission) -> tuple[Way, ...]:
    """Return the ways of dealing that the house may use. Raises ValueError if the submission names an unknown one."""
    if submission.dealing is None:
        return tuple(game.deal.ways.values())
    if submission.dealing not in game.deal.ways:
        raise ValueError(f"the game is not dealt by `{submission.dealing}`, only by {', '.join(game.deal.ways)}")
    return (game.deal.ways[submission.dealing],)


def _make_meters(game: Game, simulation: Simulation, submission: Submission) -> tuple[Meter, ...]:
    """Return the meters of a house, as the simulation or else the submission states. Raises ValueError."""
    meters: list[Meter] = []
    for name, run in simulation.meters.items():
        stated = next((meter for meter in submission.meters or [] if meter.meter == name), SubmittedMeter(meter=name))
        lines = tuple(dict.fromkeys(table.for_ for table in game.pay_tables.values() if table.meter == name))
        fed_by = run.fed_by or stated.fed_by or next((line for line in lines if line in game.wagers), None)
        if fed_by is not None and fed_by not in game.wagers:
            raise ValueError(f"the meter `{name}` is fed by `{fed_by}`, which is not a wager")
        meter = Meter(
            name=name,
            start=run.start,
            seed=run.start if stated.seed is None else stated.seed,
            fed_by=fed_by,
            increment=(stated.increment if run.increment is None else run.increment) or 0,
            per_mille=run.per_mille,
            lines=lines,
        )
        meters.append(meter)
    return tuple(meters)


def _find_common_denominator(prepared: Prepared, configuration: Configuration) -> int:
    """Return the common denominator of all odds that may be due. Raises ValueError if it is too large."""
    rates: list[Fraction] = []
    for line, tables in prepared.printed.items():
        size = configuration.only_size(base_of(prepared.game, line))
        for printed in tables:
            posted = [printed.posted_worth(rows, size) for rows in configuration.pay_tables.get(line, ())]
            rates += [worth for rows in posted or [printed.worth] for unit, worth in rows.values() if unit == "stake"]
    rates += [case.due.operand.worth for case in prepared.game.settlement.cases if case.due.operator == "odds"]
    common = lcm(*(rate.denominator for rate in rates))
    if common > _MOST_FRACTIONS:
        raise ValueError(f"the odds of the pay tables have no common denominator up to {_MOST_FRACTIONS}")
    return common


def place_of(step: Step) -> str | None:
    """Return the place of a step: its own, or that of the seats."""
    return step.place or (None if step.each == "round" else "player")
