"""What a player may do with a wager: which others go with it, what there is to decide, what that puts at stake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from msgspec import Struct

from validator.engine.compiled.game import Prepared
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.language.conditions import Condition
from validator.odds.rounds.columns import MadeUp, batch_of, cards_not_known
from validator.rules.model.game import Game

DEFAULT_STAKE = 100
"""In minor units, where neither the text nor a submission fixes what is staked."""
_MOST_BESIDE = 2


class NotWorkedOut(Exception):
    """Why a wager has no house advantage, or none that is worked out here."""


class Group(Struct, frozen=True, kw_only=True):
    """A wager of a player's choice, and what goes with it: `lines` are the wager itself, those that equal a multiple
    of it, and the bonuses reckoned on any of them, in the order of settlement."""

    wager: str
    lines: tuple[str, ...]


class Alternative(Struct, frozen=True, kw_only=True):
    """Something a player may do: a decision (None is to decide nothing), and how many cards to put aside.

    `stakes` are what then lies on the wagers, in minor units, `counted` as much of it as is on the wager that is
    looked at and what goes with it. `open_to` is what of a condition hangs on the cards; None is nothing.
    """

    decision: str | None
    discards: int
    stakes: Mapping[str, int]
    counted: int
    open_to: Condition | None


def groups_of(game: Game) -> list[Group]:
    """The wagers that players place by choice, in the order of the game, each with what goes with it."""
    roots = {name: _root(game, name) for name in game.wagers}
    found = []
    for wager in dict.fromkeys(roots.values()):
        names = {name for name, root in roots.items() if root == wager}
        names |= {name for name, bonus in game.bonuses.items() if bonus.reckoned_on in names}
        found.append(Group(wager=wager, lines=tuple(line for line in game.settlement.order if line in names)))
    return found


def _root(game: Game, wager: str) -> str:
    seen = [wager]
    while (of := game.wagers[seen[-1]].of) is not None and of not in seen:
        seen.append(of)
    return seen[-1]


class Table(Struct, frozen=True, kw_only=True):
    """A game as a house offers it, with what is staked before the deal for a group to be in play."""

    prepared: Prepared
    configuration: Configuration
    group: Group
    base: Mapping[str, int]
    """What is staked on each wager that a player may choose, in minor units."""
    opening: Mapping[str, int]

    @property
    def beside(self) -> Group | None:
        """The group of the wager that this one needs, if it needs one."""
        needed = [wager for wager in self.opening if wager not in self.group.lines]
        return next((one for one in groups_of(self.prepared.game) if one.wager in needed), None)

    @property
    def stake(self) -> int:
        """What is staked on the wager that is looked at, in minor units."""
        return self.base[self.group.wager]

    def not_known(self, stakes: Mapping[str, int], decision: str | None = None) -> Scope:
        """A round of which no card is known."""
        rounds = MadeUp(dealt=cards_not_known(self.prepared), stakes=stakes, decision=decision)
        return Scope(batch_of(self.prepared, rounds), self.prepared, self.configuration)

    def alternatives(self) -> list[Alternative]:
        """Everything the player may do, by what it puts at stake: the least first, and of equal stakes what the game
        lists last. Where there is nothing to choose between, to decide nothing is among it."""
        game, scope = self.prepared.game, self.not_known(self.opening)
        found = []
        for name, decision in reversed(game.decisions.items()):
            answer = int(scope.truth(decision.open_to, "seat")[0])
            if answer == NO:
                continue
            placed = {} if decision.places is None else self._placed(decision.places)
            stakes = {**self.opening, **placed}
            least, most = (0, 0) if decision.discards is None else (decision.discards.least, decision.discards.most)
            found += [
                Alternative(
                    decision=name,
                    discards=cards,
                    stakes=stakes,
                    counted=self._counted(stakes),
                    open_to=decision.open_to if answer == UNKNOWN else None,
                )
                for cards in range(least, most + 1)
            ]
        if len({one.decision for one in found}) < 2:
            nothing = Alternative(
                decision=None,
                discards=0,
                stakes=self.opening,
                counted=self._counted(self.opening),
                open_to=None,
            )
            found.insert(0, nothing)
        return sorted(found, key=lambda one: one.counted)

    def _placed(self, wager: str) -> dict[str, int]:
        root = _root(self.prepared.game, wager)
        return {wager: self.base[root] * _multiple(self.prepared.game, wager)} if root in self.opening else {}

    def _counted(self, stakes: Mapping[str, int]) -> int:
        return sum(amount for wager, amount in stakes.items() if wager in self.group.lines)


def _multiple(game: Game, wager: str) -> int:
    """How many times the wager of choice it goes with a wager is."""
    times, one = 1, wager
    while (of := game.wagers[one].of) is not None and of != wager:
        times, one = times * (game.wagers[one].amount or 1), of
    return times


def table_for(prepared: Prepared, configuration: Configuration, group: Group) -> Table:
    """The table at which a group is in play, with the fewest other wagers that it needs. Raises NotWorkedOut where no
    two of them are enough."""
    game = prepared.game
    names = [one.wager for one in groups_of(game)]
    base = {name: _size(prepared, configuration, name) for name in names}
    others = [name for name in names if name != group.wager]
    for number in range(_MOST_BESIDE + 1):
        for beside in combinations(others, number):
            opening = dict(_opening(game, base, (group.wager, *beside)))
            table = Table(prepared=prepared, configuration=configuration, group=group, base=base, opening=opening)
            scope = table.not_known(opening)
            if all(int(scope.truth(game.wagers[wager].needs, "seat")[0]) == YES for wager in opening):
                return table
    raise NotWorkedOut(f"no {_MOST_BESIDE} wagers beside {group.wager} are what it needs")


def _opening(game: Game, base: Mapping[str, int], chosen: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for name, wager in game.wagers.items():
        root = _root(game, name)
        if wager.placed == "before-the-deal" and root in chosen:
            yield name, base[root] * _multiple(game, name)


def _size(prepared: Prepared, configuration: Configuration, wager: str) -> int:
    """The one stake that a house offers on a wager; else that which amounts in a printed table are for."""
    printed = [one.table.wager for one in prepared.printed.get(wager, ()) if one.table.wager is not None]
    return configuration.only_size(wager) or next(iter(printed), DEFAULT_STAKE)
