"""Hands that a player may hold while decisions take cards: the decisions open to each, and the hands that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints
from fairdeal.validator.odds.choosing.rule_draws import RuleDraws
from fairdeal.validator.odds.choosing.taking_rules import HandKey, Situation, TakingRules
from fairdeal.validator.odds.rounds.player_options import NoOdds, TooManyDeals
from fairdeal.validator.rules.deal_model import MOST_CARDS

_MOST_HANDS = 1 << 18
"""Most hands of a player that are followed."""
_MOST_BOX = 32
"""Most hands of a box that are tried."""


class HandLevel(Struct, frozen=True, kw_only=True, eq=False):
    """Hands of one number of cards, each in a situation. Groups are those of the other place's unseen cards."""

    hands: tuple[HandKey, ...]
    counts: Ints
    """Number of cards of each class, int64[n, classes]."""
    open_: Flags
    """True if a decision is open, bool[decisions, n, groups]."""
    takes: Flags
    """True if a decision takes a card, bool[decisions, n, groups]."""
    ends: Ints
    """Kind of the final hand if the seat ends with a decision, or with none (the last row), int64[decisions + 1, n]."""
    next_: Ints
    """Index of the hand with a further card after a decision, int64[decisions, n, classes]; ABSENT if none follows."""
    is_decided: bool
    """True if the seats have decided already, and only take a card."""

    @property
    def may_end(self) -> Flags:
        """True if a hand may be final after a decision, or without any (last), bool[decisions + 1, n, groups]."""
        none = (self.open_.sum(axis=0) < 2) & (not self.is_decided)
        return np.concatenate([self.open_ & ~self.takes, none[None]]) & (self.ends != ABSENT)[:, :, None]


class _Hands(Struct, frozen=True, kw_only=True):
    """Hands of one number of cards in a situation."""

    situation: Situation
    hands: list[HandKey]


class _FollowingHands:
    """Hands with a further card, one for all that no rule distinguishes."""

    def __init__(self, rules: TakingRules) -> None:
        self._rules = rules
        self._numbers: dict[Situation, dict[bytes, int]] = {}
        self._hands: dict[Situation, list[HandKey]] = {}

    def add_cards(self, situation: Situation, hands: Sequence[HandKey]) -> Ints:
        """Return the number of each hand with a card of each class among those of the situation; ABSENT for a card
        that is not left.

        Returns: int64[n, classes].
        """
        rules, classes = self._rules, len(self._rules.stock)
        if not hands:
            return np.full((0, classes), ABSENT, np.int64)
        before = np.array(hands, np.int64)
        cards = np.tile(np.arange(classes), len(before))
        further = np.concatenate([np.repeat(before, classes, axis=0), cards[:, None]], axis=1)
        numbers, known = self._numbers.setdefault(situation, {}), self._hands.setdefault(situation, [])
        result = np.full(len(further), ABSENT, np.int64)
        rows = rules.identify(situation, further)
        left = (rules.count_classes(further) <= rules.stock).all(axis=1)
        for at in np.flatnonzero(left).tolist():
            key = rows[at].tobytes()
            if key not in numbers:
                numbers[key] = len(known)
                known.append(tuple(further[at].tolist()))
            result[at] = numbers[key]
        return result.reshape(-1, classes)

    def find_first(self, situation: Situation) -> int:
        """Return the index of the first hand of a situation among all."""
        names = [*self._hands]
        return sum(len(self._hands[other]) for other in names[: names.index(situation)])

    def list_hands(self) -> list[_Hands]:
        """Return the hands by situation."""
        return [_Hands(situation=situation, hands=hands) for situation, hands in self._hands.items() if hands]


class OwnKind(Struct, frozen=True, kw_only=True):
    """Kind of a player's final hand that settlement distinguishes."""

    situation: Situation
    hand: HandKey
    """Example."""
    tells_suits: bool
    """True if settlement depends on the suits of its cards."""


class FollowedHands:
    """Kinds of final hands of a player, and the hands that lead to them."""

    def __init__(self, rules: TakingRules, draws: RuleDraws) -> None:
        self.rules, self.draws = rules, draws
        self.kinds: list[OwnKind] = []
        self._numbers: dict[tuple[Situation, frozenset[str], tuple[int, ...]], int] = {}
        self._plays: list[Flags] = []

    def list_plays(self) -> list[Flags]:
        """Return, for each kind of final hand, whether the other place receives cards by rule, bool[starts, stages]."""
        rules = self.rules
        starts = rules.make_cards(rules.fixed_hands)
        for kind in self.kinds[len(self._plays) :]:
            own = np.repeat(rules.make_cards([kind.hand]), len(starts), axis=0)
            plays = np.zeros((len(starts), len(rules.later)), bool)
            for at, stage in enumerate(rules.later):
                plays[:, at] = rules.evaluate(stage.when, kind.situation, own, starts, f"the stage {stage.stage}")
            self._plays.append(plays)
        return self._plays

    def follow(self, first: Mapping[HandKey, Situation], *, takes_first: str | None = None) -> list[HandLevel]:
        """Return the levels of hands that follow from some hands of one length.

        Args:
            first: the hands with their situations.
            takes_first: a decision already made, which takes the first card; None if the seat decides first.
        """
        level = [_Hands(situation=situation, hands=[]) for situation in dict.fromkeys(first.values())]
        for hand, situation in first.items():
            next(each for each in level if each.situation == situation).hands.append(hand)
        levels: list[HandLevel] = []
        while level:
            if sum(len(done.hands) for done in levels) + sum(len(each.hands) for each in level) > _MOST_HANDS:
                raise TooManyDeals(f"a player may hold more than {_MOST_HANDS:,} hands")
            following = _FollowingHands(self.rules)
            levels.append(self._make_level(level, following, takes_first if not levels else None))
            level = following.list_hands()
        return levels

    def _make_level(self, level: Sequence[_Hands], following: _FollowingHands, taken: str | None) -> HandLevel:
        rules, hands = self.rules, [hand for each in level for hand in each.hands]
        number, groups, names = len(hands), len(self.draws.group_cards), rules.decisions
        open_ = np.zeros((len(names), number, groups), bool)
        takes = np.zeros((len(names), number, groups), bool)
        ends = np.full((len(names) + 1, number), ABSENT, np.int64)
        counts, cards = rules.count_classes(hands), rules.make_cards(hands)
        next_ = np.full((len(names), number, len(rules.stock)), ABSENT, np.int64)
        begin, links = 0, list[tuple[int, Ints, Situation]]()
        for each in level:
            situation, rows = each.situation, np.arange(begin, begin + len(each.hands))
            begin += len(each.hands)
            _, example, kind = np.unique(
                rules.sign_hands(rules.menu, "player", situation, cards[rows]),
                axis=0,
                return_index=True,
                return_inverse=True,
            )
            of_kind = kind.reshape(-1)
            if taken is None:
                ends[-1, rows] = self._number_kinds(situation, cards[rows], each.hands)
            for at, name in enumerate(names):
                is_open = self._find_open(situation, name, cards[rows[example]], taken)
                open_[at, rows] = is_open[of_kind]
                if not is_open.any() or (name in rules.splitting and taken is None):
                    continue
                if name in rules.taking.after and len(hands[0]) >= MOST_CARDS:
                    open_[at, rows] = False  # a hand has no more cards in a log
                    continue
                after = situation if taken is not None else rules.follow(situation, name)
                if name in rules.taking.after:
                    # Both hands of a split receive a card.
                    due = is_open if taken is not None else is_open & self._find_due(after, cards[rows[example]])
                    takes[at, rows] = due[of_kind]
                    chosen = rows[np.logical_or.reduce(due, axis=1)[of_kind]]
                    next_[at, chosen] = following.add_cards(after, [hands[row] for row in chosen.tolist()])
                    links.append((at, chosen, after))
                ending = rows[(is_open[of_kind] & ~takes[at, rows]).any(axis=1)] if taken is None else rows[:0]
                if len(ending):
                    ends[at, ending] = self._number_kinds(after, cards[ending], [hands[row] for row in ending])
        for at, rows, after in links:
            next_[at, rows] += np.where(next_[at, rows] == ABSENT, 0, following.find_first(after))
        return HandLevel(
            hands=tuple(hands),
            counts=counts,
            open_=open_,
            takes=takes,
            ends=ends,
            next_=next_,
            is_decided=taken is not None,
        )

    def _find_open(self, situation: Situation, name: str, cards: Codes, taken: str | None = None) -> Flags:
        """Return whether a decision is open to examples of hands, by group, bool[n, groups].

        If a decision is already taken, only that one is.
        """
        if taken is not None:
            return np.full((len(cards), len(self.draws.group_cards)), name == taken)
        condition = self.rules.game.decisions[name].open_to
        own, other = self._pair_with_groups(cards)
        return self.rules.evaluate(condition, situation, own, other, f"who may take {name}").reshape(len(cards), -1)

    def _find_due(self, situation: Situation, cards: Codes) -> Flags:
        """Return whether examples of hands receive the card that follows a decision, by group, bool[n, groups]."""
        rules = self.rules
        own, other = self._pair_with_groups(cards)
        what = f"the stage {rules.stage.stage}"
        due = rules.evaluate(rules.taking.while_, situation, own, other, what)
        return (due & rules.evaluate(rules.stage.when, situation, own, other, what)).reshape(len(cards), -1)

    def _pair_with_groups(self, cards: Codes) -> tuple[Codes, Codes]:
        groups = self.draws.group_cards
        return np.repeat(cards, len(groups), axis=0), np.tile(groups, (len(cards), 1))

    def _number_kinds(self, situation: Situation, cards: Codes, hands: Sequence[HandKey]) -> Ints:
        """Return the kind of each hand as a final one, int64[n]."""
        signs = self.rules.sign_hands(self.rules.settled, "player", situation, cards)
        kinds, first, kind = np.unique(signs, axis=0, return_index=True, return_inverse=True)
        kind, names = kind.reshape(-1), self.rules.list_names(situation, cards.shape[1])
        numbers = np.zeros(len(hands), np.int64)
        for at, (sign, row) in enumerate(zip(kinds.tolist(), first.tolist(), strict=True)):
            if not self.rules.tells_suits(situation, hands[row]):
                numbers[kind == at] = self._number_kind((situation, names, tuple(sign)), hands[row], tells_suits=False)
                continue
            for other in np.flatnonzero(kind == at).tolist():
                key = situation, names, (*sign, *sorted(hands[other]))
                numbers[other] = self._number_kind(key, hands[other], tells_suits=True)
        return numbers

    def _number_kind(
        self, key: tuple[Situation, frozenset[str], tuple[int, ...]], hand: HandKey, *, tells_suits: bool
    ) -> int:
        if key not in self._numbers:
            self.kinds.append(OwnKind(situation=key[0], hand=hand, tells_suits=tells_suits))
        return self._numbers.setdefault(key, len(self._numbers))

    def count_most_hands(self, situation: Situation, name: str, hand: HandKey) -> int:
        """Return the most hands of a box, if a decision splits this hand as long as it is open.

        Args:
            situation: the situation with two hands of the box.
            name: the decision.
            hand: the hand.
        """
        for hands in range(situation.hands, _MOST_BOX):
            if not self._find_open(replace(situation, hands=hands), name, self.rules.make_cards([hand])).any():
                return hands
        raise NoOdds(f"{name} may be taken any number of times")
