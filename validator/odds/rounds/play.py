"""What a player may do with a wager: which others go with it, what there is to decide, what that puts at stake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice

from msgspec import Struct
from msgspec.structs import replace

from validator.engine.compiled.game import Prepared
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.engine.payouts.settlement import settle
from validator.evidence.columns.recorded_kinds import mask_at
from validator.language.conditions import Condition
from validator.odds.rounds.columns import MadeUp, batch_of, cards_not_known
from validator.odds.rounds.decision_points import DecisionPoint, decision_points
from validator.odds.rounds.refusals import NotWorkedOut
from validator.rulebook.lint.worked_out_from import worked_out_from
from validator.rules.model.game import Game, Step

DEFAULT_STAKE = 100
"""In minor units, where neither the text nor a submission fixes what is staked."""
_MOST_BESIDE = 2
_MOST_ALTERNATIVES = 1_000
_MODELLED = frozenset({"wager", "decide", "deal", "draw", "discard", "claim", "tender", "pay", "collect", "return"})
"""The kinds of event that the cards, stakes, claims and decisions of made-up rounds stand for, or that settle them."""


class Group(Struct, frozen=True, kw_only=True):
    """A wager of a player's choice, and what goes with it: `lines` are the wager itself, those that equal a multiple
    of it, and the bonuses reckoned on any of them, in the order of settlement."""

    wager: str
    lines: tuple[str, ...]


class Option(Struct, frozen=True, kw_only=True):
    """A decision that may be open to a seat at a decision point, or None: the seat decides nothing there."""

    decision: str | None
    stakes: Mapping[str, int]
    """The stakes on each wager after the decision, in minor units."""
    open_to: Condition | None
    """The condition on the seat, None unless its answer depends on the cards."""
    is_fallback: bool = False
    """True for what a seat does to which no other option is open."""


class Alternative(Struct, frozen=True, kw_only=True):
    """Decisions that a seat may take in a round, one after the other."""

    decisions: tuple[str, ...]
    """The decisions in order; the seat decides nothing at a point without one."""
    discards: int
    """How many cards the seat puts aside."""
    stakes: Mapping[str, int]
    """The stakes on each wager in the end, in minor units."""
    counted: int
    """The stakes at risk on the wager that is worked out and on the lines that go with it, in minor units."""
    open_to: tuple[Condition, ...]
    """The conditions on the seat whose answer depends on the cards."""
    is_fallback: bool = False
    """True where the seat has no other option at one of the points."""

    @property
    def name(self) -> str | None:
        """The decisions in words."""
        return ", ".join(self.decisions) or None


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
    points: tuple[DecisionPoint, ...]
    """The decision points of a round, in order of play."""
    unrecorded: int = 0
    """The kinds of event, as a mask, that regular rounds have and made-up ones leave out."""

    @property
    def beside(self) -> Group | None:
        """The group of the wager that this one needs, if it needs one."""
        needed = [wager for wager in self.opening if wager not in self.group.lines]
        return next((group for group in groups_of(self.prepared.game) if group.wager in needed), None)

    @property
    def stake(self) -> int:
        """What is staked on the wager that is looked at, in minor units."""
        return self.base[self.group.wager]

    def not_known(self, stakes: Mapping[str, int], decisions: tuple[str, ...] = ()) -> Scope:
        """A round of which no card is known."""
        rounds = MadeUp(dealt=cards_not_known(self.prepared), stakes=stakes, decisions=decisions)
        return self.opened(rounds)

    def opened(self, rounds: MadeUp, dealing: str | None = None) -> Scope:
        """Open made-up rounds under the house's configuration, dealt in its own way unless another is named."""
        batch = batch_of(self.prepared, rounds, dealing or self.configuration.dealing, self.unrecorded)
        return Scope(batch, self.prepared, self.configuration)

    @property
    def is_by_own_cards(self) -> bool:
        """Return whether a seat decides once at most, when its player sees all of the own cards and no other."""
        own = self.prepared.game.deal.cards.get("player", 0)
        return len(self.points) <= 1 and all(point.seen == ({"player": own} if own else {}) for point in self.points)

    def options(self, point: DecisionPoint, before: tuple[str, ...], stakes: Mapping[str, int]) -> list[Option]:
        """Return what a seat may do at a point after other decisions, what the game lists last first. Where there is
        nothing to choose between, the seat may also decide nothing."""
        scope, found = self.not_known(stakes, before), list[Option]()
        if point.steps and all(int(scope.truth(step.when, "seat")[0]) == NO for step in point.steps):
            return [Option(decision=None, stakes=stakes, open_to=None)]
        for name in reversed(point.decisions):
            decision = self.prepared.game.decisions[name]
            answer = int(scope.truth(decision.open_to, "seat")[0])
            if answer != NO:
                placed = {} if decision.places is None else self._placed(decision.places)
                open_to = decision.open_to if answer == UNKNOWN else None
                found.append(Option(decision=name, stakes={**stakes, **placed}, open_to=open_to))
        if len(found) < 2:
            found.insert(0, Option(decision=None, stakes=stakes, open_to=None))
        elif all(option.open_to is not None for option in found):
            found.append(Option(decision=None, stakes=stakes, open_to=None, is_fallback=True))
        return found

    def alternatives(self) -> list[Alternative]:
        """Return all sequences of decisions and numbers of cards put aside, by what is then at risk: the least first,
        and of equal stakes what the game lists last. Raises NotWorkedOut where there are too many."""
        found = list(islice(self._alternatives(self.points, (), self.opening), _MOST_ALTERNATIVES + 1))
        if len(found) > _MOST_ALTERNATIVES:
            raise NotWorkedOut(f"a player may decide in more than {_MOST_ALTERNATIVES} ways in a round")
        return sorted(found, key=lambda alternative: alternative.counted)

    def _alternatives(
        self,
        points: tuple[DecisionPoint, ...],
        before: tuple[str, ...],
        stakes: Mapping[str, int],
        open_to: tuple[Condition, ...] = (),
        is_fallback: bool = False,
    ) -> Iterator[Alternative]:
        if points:
            for option in self.options(points[0], before, stakes):
                decisions = before if option.decision is None else (*before, option.decision)
                conditions = open_to if option.open_to is None else (*open_to, option.open_to)
                rest = is_fallback or option.is_fallback
                yield from self._alternatives(points[1:], decisions, option.stakes, conditions, rest)
            return
        for discards in self._discards(before):
            yield Alternative(
                decisions=before,
                discards=discards,
                stakes=stakes,
                counted=self._at_risk(stakes, before),
                open_to=open_to,
                is_fallback=is_fallback,
            )

    def _discards(self, decisions: tuple[str, ...]) -> range:
        """Return how many cards a seat may put aside with its decisions. Raises NotWorkedOut."""
        bounds = [self.prepared.game.decisions[name].discards for name in decisions]
        discards = [bound for bound in bounds if bound is not None]
        if not discards:
            return range(1)
        if not self.is_by_own_cards:
            raise NotWorkedOut("cards are put aside in a game in which players see other cards or decide several times")
        return range(discards[0].least, discards[0].most + 1)

    def _placed(self, wager: str) -> dict[str, int]:
        root = _root(self.prepared.game, wager)
        return {wager: self.base[root] * _multiple(self.prepared.game, wager)} if root in self.opening else {}

    def _at_risk(self, stakes: Mapping[str, int], decisions: tuple[str, ...]) -> int:
        """Return the stakes of the group, without those that come back to the seat whatever the cards are."""
        lines = settle(self.not_known(stakes, decisions)) if decisions else {}
        back = {
            name
            for name, line in lines.items()
            if line.settled.all() and not line.due_paid.any() and not line.due_taken.any()
        }
        return sum(amount for wager, amount in stakes.items() if wager in self.group.lines and wager not in back)


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
    if game.wagers[group.wager].placed == "with-a-decision":
        raise NotWorkedOut("it is placed with a decision, and how much of it does not follow from another wager")
    points = decision_points(prepared)
    names = [other.wager for other in groups_of(game)]
    base = {name: _size(prepared, configuration, name) for name in names}
    others = [name for name in names if name != group.wager]
    for number in range(_MOST_BESIDE + 1):
        for beside in combinations(others, number):
            opening = dict(_opening(game, base, (group.wager, *beside)))
            table = Table(
                prepared=prepared,
                configuration=configuration,
                group=group,
                base=base,
                opening=opening,
                points=points,
            )
            scope = table.not_known(opening)
            if all(int(scope.truth(game.wagers[wager].needs, "seat")[0]) == YES for wager in opening):
                return replace(table, unrecorded=_left_out(table))
    raise NotWorkedOut(f"no {_MOST_BESIDE} wagers beside {group.wager} are what it needs")


def _left_out(table: Table) -> int:
    """Return the kinds of event, as a mask, that settlement may look at in regular rounds and made-up ones leave out:
    cards drawn by other rules than those of odds, and steps that no card, stake or decision represents."""
    game, found = table.prepared.game, 0
    modelled = {drawing.place for drawing in game.drawing.values()}
    modelled |= {"player"} if any(decision.discards for decision in game.decisions.values()) else set()
    for step in game.procedure:
        if "draw" in step.events and not step.aside:
            for place in game.deal.cards:
                if step.place in (None, place) and place not in modelled:
                    found |= mask_at(["draw"], place)
    cases = [case for case in game.settlement.cases if not {*table.group.lines}.isdisjoint(case.lines)]
    named = {part.step: part for case in cases for part in worked_out_from(game, case) if isinstance(part, Step)}
    for step in named.values():
        for regular in game.procedure if step.aside else (step,):
            kinds = [kind for kind in step.events if kind in regular.events and kind not in _MODELLED]
            if kinds and not regular.aside and _is_like(step, regular) and _may_happen(table, regular):
                found |= mask_at(kinds, step.place)
    return found


def _is_like(step: Step, regular: Step) -> bool:
    """Return whether events of one step may be such as another step of the procedure is about."""
    pairs = ((step.place, regular.place), (step.what, regular.what), (step.face, regular.face), (step.by, regular.by))
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in pairs)


def _may_happen(table: Table, step: Step) -> bool:
    """Return whether a step happens in some regular round."""
    ways = table.alternatives() if step.when is not None else []
    scopes = (table.not_known(alternative.stakes, alternative.decisions) for alternative in ways)
    return step.when is None or any((scope.truth(step.when, "seat") != NO).any() for scope in scopes)


def _opening(game: Game, base: Mapping[str, int], chosen: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for name, wager in game.wagers.items():
        root = _root(game, name)
        if wager.placed == "before-the-deal" and root in chosen:
            yield name, base[root] * _multiple(game, name)


def _size(prepared: Prepared, configuration: Configuration, wager: str) -> int:
    """The one stake that a house offers on a wager; else that which amounts in a printed table are for."""
    printed = [table.table.wager for table in prepared.printed.get(wager, ()) if table.table.wager is not None]
    return configuration.only_size(wager) or next(iter(printed), DEFAULT_STAKE)
