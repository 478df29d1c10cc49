"""What is settled before a run of simulated rounds begins: the rules, the house's choices, the names in use."""

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

_MOST_PARTS = 10_000
_LONGEST_NAME = 150
"""Ids of rounds begin with the name of their table, and ids in logs are bounded."""
_AS_IT_IS = StepHabit()
_ANYTHING = Offer(minimum=None, maximum=None, tips=None)


class Meter(Struct, frozen=True, kw_only=True):
    """A meter as it runs at every table of a house, amounts in minor currency units.

    It starts at `start` and, when all of it was won, again at `seed`. Each wager on `fed_by` adds `increment` and
    `per_mille` of every thousand units staked; where nothing feeds it, `fed_by` is None. `lines` are the wagers and
    bonuses whose pay tables speak of it.
    """

    name: str
    start: int
    seed: int
    fed_by: str | None
    increment: int
    per_mille: int
    lines: tuple[str, ...]


class House(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A house that plays a game.

    `names` are what stakes are recorded under: the game's wagers, then its bonuses. `ways` are the ways of dealing it
    may use, `other_ways` those it has not chosen and uses by a fault alone. `wager_unit` and `tip_unit` are what stakes
    are multiples of, so that every payment comes out whole. Of `rare` hands those come up together now and then that
    are one entry. `course` are the steps of a round in order.
    """

    prepared: Prepared
    simulation: Simulation
    submission: Submission
    configuration: Configuration
    deck: Deck
    names: tuple[str, ...]
    ways: tuple[Way, ...]
    other_ways: tuple[Way, ...]
    seats: tuple[int, int]
    positions: int
    tables: tuple[str, ...]
    wager_unit: int
    tip_unit: int
    meters: tuple[Meter, ...]
    rare: tuple[tuple[Rare, ...], ...]
    course: tuple[Step, ...]

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.prepared.game

    @property
    def stacks(self) -> Stacks:
        """The chips of players. Raises ValueError where the simulation names none."""
        if self.simulation.stacks is None:
            raise ValueError("the simulation does not say how many chips players have")
        return self.simulation.stacks

    @cached_property
    def kinds(self) -> dict[str, Act]:
        """The kind of each decision that is an act of betting."""
        return {name: decision.kind for name, decision in self.game.decisions.items() if decision.kind is not None}

    @cached_property
    def words(self) -> Mapping[Act, str]:
        """The decision of each kind, the first where there are several."""
        return {kind: name for name, kind in reversed(self.kinds.items())}

    def offer(self, name: str) -> Offer | None:
        """A wager as it is offered, None where it is not. A submission without wagers offers all."""
        offers = self.configuration.offers
        return _ANYTHING if offers is None else offers.get(name)

    def habit(self, step: Step) -> StepHabit:
        """How the house does a step, as far as the rules leave it open."""
        return self.simulation.steps.get(step.step, _AS_IT_IS)

    @cached_property
    def steps_at(self) -> Mapping[tuple[str, str | None], Step]:
        """The first step of each kind of event at each place in the course of a round, but for stages of the deal."""
        steps = [step for step in reversed(self.course) if step.stage is None]
        return {(kind, place_of(step)): step for step in steps for kind in step.events}

    @cached_property
    def decks(self) -> tuple[str, ...]:
        """Return the names of the decks dealt in turn, where a table deals from, or keeps, more than a round takes."""
        deck = self.submission.deck
        count = 0 if deck is None else max(deck.decks or 0, deck.kept or 0) // self.game.deck.decks
        if deck is None or count < 2:
            return ()
        backs = tuple(dict.fromkeys(deck.backs or ()))
        return backs if len(backs) == count else tuple(f"deck {number + 1}" for number in range(count))

    @cached_property
    def claimable(self) -> tuple[str, ...]:
        """The wagers on which players declare that they have won."""
        wagers, steps = self.game.wagers, [step for step in self.course if "claim" in step.events]
        return tuple(dict.fromkeys(line for step in steps for line in step.of or wagers if line in wagers))

    @property
    def openings(self) -> tuple[str, ...]:
        """The wagers on offer before the deal."""
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
    """A house that plays by a submission.

    Numbers of hands in a round, and ways of dealing that it has not chosen, may be there for `faults` alone. `seats` is
    the fewest and the most hands in a round, in place of the simulation's. Raises ValueError, with a sentence for
    people, where the game cannot be played so.
    """
    game = prepared.game
    if submission.document != prepared.regulation.id:
        raise ValueError(f"the submission is for {submission.document}, not for {prepared.regulation.id}")
    positions, (least, most) = _positions(simulation, submission, seats)
    model = prepared.regulation.vocabulary.decks[game.deck.cards]
    deck = compile_deck(game.deck.cards, model)
    for _, why in (*unplayable(game), *unstated(game, simulation)):
        raise ValueError(why)
    configuration = configuration_of(submission)
    parts = _parts(prepared, configuration)
    ways = _ways(game, submission)
    otherwise = any(fault.operator == "dealt" for fault in faults)
    others = tuple(way for way in game.deal.ways.values() if otherwise and way not in ways)
    fullest = max([most, *(fault.operand for fault in faults if fault.operator == "seats")])
    if fullest > positions:
        raise ValueError(f"{fullest} hands do not fit a layout of {positions} positions")
    _room_for_all(game, (*ways, *others), fullest, len(deck.cards) * game.deck.decks)
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
        tables=_tables(simulation, submission),
        wager_unit=lcm(simulation.units.wager, parts),
        tip_unit=lcm(simulation.units.tip, parts),
        meters=_meters(game, simulation, submission),
        rare=tuple(
            tuple(rare_hand(prepared, part.hand, part.category, deck.cards) for part in (stacked, *stacked.beside))
            for stacked in simulation.stacked
        ),
        course=course,
    )
    if all(game.wagers[name].needs is not None or game.wagers[name].of is not None for name in house.openings):
        raise ValueError("the submission offers no wager that a round can be started with")
    if game.pots is not None and game.betting is not None:
        _see_to_players(house)
    return house


def _see_to_players(house: House) -> None:
    """Raises ValueError where players cannot play against each other so."""
    players = None if house.game.table is None else house.game.table.players
    if players is not None and not players.least <= house.seats[0] <= house.seats[1] <= players.most:
        raise ValueError(f"the game is for {players.least} to {players.most} players")
    if house.submission.smallest_chip is None:
        raise ValueError("the submission does not say what the smallest chip is, so pots cannot be divided")
    if lacking := [kind for kind in ("fold", "check", "call") if kind not in house.words]:
        raise ValueError(f"betting cannot be simulated without a decision to {lacking[0]}")


def _positions(
    simulation: Simulation, submission: Submission, seats: tuple[int, int] | None
) -> tuple[int, tuple[int, int]]:
    """How many betting positions the table has, and the fewest and the most hands in a round."""
    given = None if submission.layout is None else submission.layout.positions
    least, most = seats or (simulation.seats.least, simulation.seats.most)
    positions = given or most
    if seats is None:
        least, most = min(least, positions), min(most, positions)
    if not 1 <= least <= most <= MOST_SEATS:
        raise ValueError(f"a round cannot have at least {least} and at most {most} hands")
    return positions, (least, most)


def _tables(simulation: Simulation, submission: Submission) -> tuple[str, ...]:
    tables = tuple(dict.fromkeys(submission.tables)) or tuple(dict.fromkeys(simulation.tables))
    if max(map(len, (*tables, submission.licensee.name))) > _LONGEST_NAME:
        raise ValueError(f"the licensee or a table has a name of more than {_LONGEST_NAME} characters")
    return tables


def _room_for_all(game: Game, ways: tuple[Way, ...], most: int, cards: int) -> None:
    """Everybody may get a card too many. Raises ValueError."""
    for way in ways:
        dealt = way.dealt()
        burnt = dealt.pop("burn", 0)
        needed = burnt + sum((count + 1) * (most if place == "player" else 1) for place, count in dealt.items())
        if needed > cards:
            raise ValueError(f"{most} hands may need {needed} cards, and the game has {cards}")
        if max(dealt.values()) >= WIDEST_HAND:
            raise ValueError("hands of this game are too large to be recorded")


def _ways(game: Game, submission: Submission) -> tuple[Way, ...]:
    """The ways of dealing the house may use. Raises ValueError where the submission names none of them."""
    if submission.dealing is None:
        return tuple(game.deal.ways.values())
    if submission.dealing not in game.deal.ways:
        raise ValueError(f"the game is not dealt by `{submission.dealing}`, only by {', '.join(game.deal.ways)}")
    return (game.deal.ways[submission.dealing],)


def _meters(game: Game, simulation: Simulation, submission: Submission) -> tuple[Meter, ...]:
    """The meters of a house. What the simulation leaves open is as the submission has it. Raises ValueError."""
    found: list[Meter] = []
    for name, run in simulation.meters.items():
        told = next((meter for meter in submission.meters or [] if meter.meter == name), SubmittedMeter(meter=name))
        lines = tuple(dict.fromkeys(table.for_ for table in game.pay_tables.values() if table.meter == name))
        fed_by = run.fed_by or told.fed_by or next((line for line in lines if line in game.wagers), None)
        if fed_by is not None and fed_by not in game.wagers:
            raise ValueError(f"the meter `{name}` is fed by `{fed_by}`, which is not a wager")
        meter = Meter(
            name=name,
            start=run.start,
            seed=run.start if told.seed is None else told.seed,
            fed_by=fed_by,
            increment=(told.increment if run.increment is None else run.increment) or 0,
            per_mille=run.per_mille,
            lines=lines,
        )
        found.append(meter)
    return tuple(found)


def _parts(prepared: Prepared, configuration: Configuration) -> int:
    """The common denominator of all odds that may be due. Raises ValueError where it is out of all reason."""
    rates: list[Fraction] = []
    for line, tables in prepared.printed.items():
        size = configuration.only_size(base_of(prepared.game, line))
        for printed in tables:
            posted = [printed.posted_worth(rows, size) for rows in configuration.pay_tables.get(line, ())]
            rates += [worth for rows in posted or [printed.worth] for unit, worth in rows.values() if unit == "stake"]
    rates += [case.due.operand.worth for case in prepared.game.settlement.cases if case.due.operator == "odds"]
    common = lcm(*(rate.denominator for rate in rates))
    if common > _MOST_PARTS:
        raise ValueError("the odds of the pay tables are so odd that no stake is paid in whole")
    return common


def place_of(step: Step) -> str | None:
    """The place a step is about: its own, or that of the seats."""
    return step.place or (None if step.each == "round" else "player")
