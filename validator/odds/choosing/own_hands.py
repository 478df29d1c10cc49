"""Hands while decisions take cards: those that a player may hold, and final hands of places that draw by a rule.

The rule is followed once from every set of cards that comes before the decisions. Orders of dealing that lead to the
same cards are counted together. The probability of a final hand then depends only on the cards that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Reals
from fairdeal.validator.cards.card_codes import NO_CARD
from fairdeal.validator.odds.choosing.taking_rules import HandKey, Situation, TakingRules
from fairdeal.validator.odds.player_options import NoOdds, TooManyDeals
from fairdeal.validator.rules.deal_model import MOST_CARDS, Stage

_Rows = dict[tuple[int, HandKey], int]
"""Number of orders of hands, by the index of the cards that come before decisions and the hand."""
_MOST_FINALS = 1 << 18
"""Most final hands that are followed."""
_AT_ONCE = 1 << 18
"""Most probabilities that are computed at once."""


class FinalHands(Struct, frozen=True, kw_only=True, eq=False):
    """Final hands of the other place, by the ways in which its first cards and its rule lead to them."""

    start: Ints
    """Index of the cards that come before decisions, int64[n]."""
    counts: Ints
    """Number of cards of each class, int64[n, classes]."""
    orders: Ints
    """Number of orders in which the cards come, int64[n]."""
    kind: Ints
    """Number of the kind of hand that settlement distinguishes, int64[n]."""


class Front(Struct, frozen=True, kw_only=True):
    """Cards of the other place that a player sees, and what the open decisions show about the others."""

    seen: HandKey
    """Classes of the cards seen."""
    group: int
    """Number of the group of cards that the rules of decisions do not distinguish."""


class RuleDraws:
    """Final hands of the other place, for every front."""

    def __init__(self, rules: TakingRules) -> None:
        self.rules = rules
        starts = rules.make_cards(rules.fixed_hands)
        signs = (
            np.zeros((len(starts), 0), np.int64)
            if rules.other is None
            else rules.sign_hands(rules.menu, rules.other, rules.opening, starts)
        )
        _, first, group = np.unique(signs, axis=0, return_index=True, return_inverse=True)
        self.group_of_start: Ints = group.reshape(-1)
        self.group_cards: Codes = starts[first]
        """Example of the first cards of each group."""
        fronts = [
            Front(seen=hand[: rules.seen], group=int(number))
            for hand, number in zip(rules.fixed_hands, self.group_of_start, strict=True)
        ]
        self.fronts = sorted(dict.fromkeys(fronts), key=lambda front: (front.seen, front.group))
        self.front_of_start = np.array([self.fronts.index(front) for front in fronts], np.int64)
        self.group_of_front = np.array([front.group for front in self.fronts], np.int64)
        self.seen_counts = rules.count_classes([front.seen for front in self.fronts])
        self.kinds: dict[tuple[int, ...], int] = {}
        self.kind_hands: list[HandKey] = []
        """Example of each kind of final hand."""
        self._finals: dict[bytes, FinalHands] = {}
        self._draws: dict[bytes, list[_Draws]] = {}

    def follow(self, plays: Flags) -> FinalHands:
        """Return the final hands if the place receives cards after some of its first cards, bool[starts, stages]."""
        key = plays.tobytes()
        if key not in self._finals:
            self._finals[key] = self._follow(plays)
        return self._finals[key]

    def _follow(self, plays: Flags) -> FinalHands:
        rules = self.rules
        rows: _Rows = dict.fromkeys(enumerate(rules.fixed_hands), 1)
        for number, stage in enumerate(rules.later):
            waiting = {key: orders for key, orders in rows.items() if plays[key[0], number]}
            rows = {key: orders for key, orders in rows.items() if key not in waiting}
            for size in sorted({len(hand) for _, hand in waiting}):
                of_size = {key: orders for key, orders in waiting.items() if len(key[1]) == size}
                for key, orders in self._deal_stage(stage, of_size, len(rows)).items():
                    rows[key] = rows.get(key, 0) + orders
        return self._collect([(start, hand, orders) for (start, hand), orders in rows.items()])

    def _deal_stage(self, stage: Stage, rows: _Rows, others: int) -> _Rows:
        """Return hands of one length with the cards of a stage, by the first cards and the hand.

        Raises `TooManyDeals` if there are too many, along with some number of other hands.
        """
        rules, finished, dealt = self.rules, dict[tuple[int, HandKey], int](), 0
        while rows:
            goes_on = self._find_going_on(stage, [hand for _, hand in rows], dealt)
            further: _Rows = {}
            for ((start, hand), orders), more in zip(rows.items(), goes_on.tolist(), strict=True):
                if not more:
                    finished[start, hand] = finished.get((start, hand), 0) + orders
                    continue
                for card in range(len(rules.stock)):
                    if hand.count(card) < rules.stock[card] and rules.other is not None:
                        key = start, rules.add_card(hand, card)
                        further[key] = further.get(key, 0) + orders
            if others + len(finished) + len(further) > _MOST_FINALS:
                raise TooManyDeals(f"more than {_MOST_FINALS:,} hands come by a rule")
            rows, dealt = further, dealt + 1
        return finished

    def _find_going_on(self, stage: Stage, hands: Sequence[HandKey], dealt: int) -> Flags:
        """Return the hands of one length that receive a further card of a stage after some of its cards, bool[n]."""
        rules, size = self.rules, len(hands[0])
        if rules.other is None or size >= MOST_CARDS:  # a hand has no more cards in a log
            return np.zeros(len(hands), bool)
        if stage.takes is None:
            return np.full(len(hands), dealt < (stage.cards or {}).get(rules.other, 0))
        taking = next(iter(stage.takes.values()))
        own = rules.examples[np.zeros((1, rules.own), np.int64)]
        return rules.evaluate_rule(taking.while_, own, rules.make_cards(hands), f"the stage {stage.stage}")

    def _collect(self, finals: list[tuple[int, HandKey, int]]) -> FinalHands:
        rules, kinds = self.rules, np.zeros(len(finals), np.int64)
        counts = np.zeros((len(finals), len(rules.stock)), np.int64)
        lengths = np.array([len(hand) for _, hand, _ in finals])
        for length in np.unique(lengths).tolist():
            rows = np.flatnonzero(lengths == length)
            hands = [finals[row][1] for row in rows]
            counts[rows] = rules.count_classes(hands)
            if rules.other is not None and length:
                signs = rules.sign_hands(rules.settled, rules.other, rules.opening, rules.make_cards(hands))
                kinds[rows] = [
                    self._number_kind(tuple(sign), hand) for sign, hand in zip(signs.tolist(), hands, strict=True)
                ]
            else:
                kinds[rows] = self._number_kind((), ())
        return FinalHands(
            start=np.array([start for start, _, _ in finals], np.int64),
            counts=counts,
            orders=np.array([orders for _, _, orders in finals], np.int64),
            kind=kinds,
        )

    def _number_kind(self, sign: tuple[int, ...], hand: HandKey) -> int:
        if sign not in self.kinds:
            self.kind_hands.append(hand)
        return self.kinds.setdefault(sign, len(self.kinds))

    def find_reached_kinds(self, plays: Flags) -> Flags:
        """Return the kinds that final hands reach at each front, bool[fronts, kinds]."""
        finals = self.follow(plays)
        reached = np.zeros((len(self.fronts), len(self.kinds)), bool)
        reached[self.front_of_start[finals.start], finals.kind] = True
        return reached

    def weigh(self, plays: Flags, gone: Ints) -> Reals:
        """Return the probability of each front and kind of final hand, given the cards seen and others that are gone.

        The probability of a front is that of its unseen cards.

        Args:
            plays: whether the place receives cards after each set of first cards, bool[starts, stages].
            gone: number of cards of each class that are gone, int64[n, classes].

        Returns:
            float64[n, fronts, kinds].
        """
        result = np.zeros((len(gone), len(self.fronts) * len(self.kinds)))
        for draw in self._list_draws(plays):
            left = self.rules.stock - gone - self.seen_counts[draw.fronts[0]]
            columns = draw.front_of_column * len(self.kinds) + draw.kind_of_column
            step = max(_AT_ONCE // len(draw.drawn.parent), 1)
            for begin in range(0, len(gone), step):
                likely = draw.drawn.weigh(left[begin : begin + step])
                result[begin : begin + step, columns] = likely @ draw.orders
        return result.reshape(len(gone), len(self.fronts), len(self.kinds))

    def _list_draws(self, plays: Flags) -> list[_Draws]:
        """Return the sets of unseen cards that come after each set of seen cards."""
        key = plays.tobytes()
        if key not in self._draws:
            self._draws[key] = [*self._make_draws(self.follow(plays))]
        return self._draws[key]

    def _make_draws(self, finals: FinalHands) -> Iterator[_Draws]:
        front = self.front_of_start[finals.start]
        for seen in dict.fromkeys(front.seen for front in self.fronts):
            fronts = np.array([at for at, other in enumerate(self.fronts) if other.seen == seen], np.int64)
            rows = np.flatnonzero(np.isin(front, fronts))
            drawn = CardSets(finals.counts[rows] - self.seen_counts[fronts[0]])
            columns, column = np.unique(np.stack([front[rows], finals.kind[rows]], axis=1), axis=0, return_inverse=True)
            orders = np.zeros((len(drawn.parent), len(columns)))
            np.add.at(orders, (drawn.number, column.reshape(-1)), finals.orders[rows].astype(np.float64))
            yield _Draws(
                fronts=fronts,
                drawn=drawn,
                orders=orders,
                front_of_column=columns[:, 0],
                kind_of_column=columns[:, 1],
            )


class CardSets:
    """Sets of cards by class, each made of a smaller one and a further card."""

    def __init__(self, counts: Ints) -> None:
        """Find the sets, and all smaller ones that they are made of.

        Args:
            counts: number of cards of each class in each set, int64[n, classes].
        """
        hands = [tuple(np.repeat(np.arange(len(count)), count).tolist()) for count in counts]
        parts = dict.fromkeys(hand[:size] for hand in hands for size in range(len(hand) + 1))
        sets = sorted(parts, key=len)
        numbers = {part: number for number, part in enumerate(sets)}
        self.number = np.array([numbers[hand] for hand in hands], np.int64)
        """Index of each set."""
        self.parent = np.array([numbers[part[:-1]] for part in sets], np.int64)
        """Index of the smaller set that each set is made of."""
        self._card = np.array([part[-1] if part else 0 for part in sets], np.int64)
        self._place = np.array([part.count(part[-1]) - 1 if part else 0 for part in sets], np.int64)
        self._first = np.searchsorted(np.array([*map(len, sets)]), np.arange(len(sets[-1]) + 2))

    def weigh(self, left: Ints) -> Reals:
        """Return the probability that the cards of each set come in a given order, float64[n, sets].

        Args:
            left: number of cards of each class that are left, int64[n, classes].
        """
        most, stock = int(self._place.max()) + 1, np.maximum(left, 0).T.astype(np.float64)
        choices = np.maximum(stock[:, None, :] - np.arange(most)[None, :, None], 0.0).reshape(-1, len(left))
        total, factor = stock.sum(axis=0), self._card * most + self._place
        result = np.ones((len(self.parent), len(left)))
        for size in range(1, len(self._first) - 1):
            part = slice(int(self._first[size]), int(self._first[size + 1]))
            scaled = choices / np.maximum(total - (size - 1), 1.0)
            np.multiply(result[self.parent[part]], scaled[factor[part]], out=result[part])
        return result.T


class _Draws(Struct, frozen=True, kw_only=True, eq=False):
    """Unseen cards that come after one set of seen cards."""

    fronts: Ints
    """Fronts with these seen cards."""
    drawn: CardSets
    orders: Reals
    """Number of orders of each set by column, float64[sets, columns]."""
    front_of_column: Ints
    kind_of_column: Ints
    """Kind of the final hand."""


def pad_hands(rules: TakingRules, hands: Sequence[HandKey]) -> Codes:
    """Return examples of hands of any length, uint8[n, k], padded with `NO_CARD`."""
    return pad_cards([rules.examples[np.array(hand, np.int64)] for hand in hands])


def pad_cards(hands: Sequence[Codes]) -> Codes:
    """Return hands of any length as rows, uint8[n, k], padded with `NO_CARD`."""
    width = max((len(hand) for hand in hands), default=0)
    cards = np.full((len(hands), width), NO_CARD, np.uint8)
    for row, hand in enumerate(hands):
        cards[row, : len(hand)] = hand
    return cards


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
                if name in rules.taking.decisions and len(hands[0]) >= MOST_CARDS:
                    open_[at, rows] = False  # a hand has no more cards in a log
                    continue
                after = situation if taken is not None else rules.follow(situation, name)
                if name in rules.taking.decisions:
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
        condition = self.rules.game.decisions[name].when
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
