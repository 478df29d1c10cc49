"""Models of the deal: its stages, the permitted ways of dealing, exchanges of cards, drawing rules, and checks on
them.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Discriminator, Tag, model_validator

from fairdeal.validator.cards.ranking_models import Rank
from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import Place
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.text.closed_model import ClosedModel, Identifier, Prose

KeptCount = Annotated[int, Ge(1), Le(5)]


class KeepGroups(ClosedModel):
    """A rule to keep the cards that make the category of the hand, the highest or lowest of the others, or both.

    A hand cannot follow it if its category has no groups, or if it has too few other cards.
    """

    groups: Literal[True] | None = None
    """The cards that form the groups of the hand's category: the pair, both pairs, the three of a kind."""
    highest: KeptCount | None = None
    """Number of the highest other cards to keep as well. An ace is high. Among cards of one rank, any may be kept."""
    lowest: KeptCount | None = None
    """Number of the lowest other cards to keep instead, with the same order."""

    @model_validator(mode="after")
    def _require_choice(self) -> Self:
        if self.groups is None and self.highest is None and self.lowest is None:
            raise ValueError("`groups`, `highest` or `lowest` must be given")
        if self.highest is not None and self.lowest is not None:
            raise ValueError("either `highest` or `lowest` may be given, not both")
        return self


class KeepDraw(ClosedModel):
    """A rule to keep cards that further cards can improve to a category. A hand without such cards cannot follow it.

    Cards that have been dealt are ignored: a rank may still come even if other cards of it are on the table.
    """

    toward: grammar.CategoryName
    """The category that further cards of the deck can complete."""
    cards: KeptCount
    """Number of cards to keep."""
    completed_by: Annotated[int, Ge(1), Le(13)] | None = None
    """The least number of different ranks of a single missing card that complete the category: 2 for an open end."""
    prefer: Literal["best-completed", "highest-cards"] | None = None
    """The choice to keep if there are several: the one that makes the highest hand of the category, or the one with the
    highest cards. Left out, any of them."""


def _find_tag(value: object) -> str:
    """Return the tag of the form of a value; only `toward` names a category."""
    if isinstance(value, str):
        return "all"
    return "toward" if isinstance(value, KeepDraw) or (isinstance(value, dict) and "toward" in value) else "groups"


Keep = Annotated[
    Annotated[Literal["all"], Tag("all")] | Annotated[KeepGroups, Tag("groups")] | Annotated[KeepDraw, Tag("toward")],
    Discriminator(_find_tag),
]
"""The cards that a hand keeps: `all` of them, or those of a mapping."""


class RankGroup(ClosedModel):
    """Cards of one rank. A joker counts as an ace."""

    cards: Annotated[int, Ge(1), Le(12)]
    """The fewest cards of the rank. Of groups with the same number, the first has the highest rank."""
    ranks: list[Rank] = []
    """The only ranks allowed; left out, all. Digits are quoted."""
    low: Annotated[int, Ge(0), Le(12)] = 0
    """Number of them that go into the Low Hand. The others go into the High Hand."""

    @model_validator(mode="after")
    def _require_enough(self) -> Self:
        if self.low > self.cards:
            raise ValueError(f"`low` takes {self.low} of {self.cards} cards")
        return self


class SetCards(ClosedModel):
    """A rule to set cards into a High Hand and a Low Hand. A hand without the groups or the category cannot follow it.

    Of the ways that remain, the Low Hand must be as high as possible, and then the High Hand.
    """

    groups: Annotated[list[RankGroup], MinLen(1), MaxLen(12)] | None = None
    """Cards of equal rank that the hand has, each group of another rank."""
    complete: Annotated[list[grammar.CategoryName], MinLen(1)] | None = None
    """The categories one of which the High Hand must have."""

    @model_validator(mode="after")
    def _require_choice(self) -> Self:
        if self.groups is None and self.complete is None:
            raise ValueError("`groups`, `complete` or both must be given")
        return self


class DrawingRule(ClosedModel):
    """A drawing rule. The first rule that applies to a hand and that the hand can follow decides."""

    rule: Identifier
    """Name of the rule, unique among all drawing rules."""
    when: Condition | None = None
    """The hands that it applies to. Left out, every hand that no earlier rule decided."""
    keep: Keep | None = None
    """The cards that are kept; the others are discarded."""
    set_: SetCards | None = None
    """The way in which cards are set into two hands. Used instead of `keep`."""
    clauses: Annotated[list[grammar.ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    readings: list[grammar.ReadingName] = []
    """The readings that it rests on."""

    @model_validator(mode="after")
    def _require_choice(self) -> Self:
        if (self.keep is None) == (self.set_ is None):
            raise ValueError("either `keep` or `set` must be given")
        return self


class Drawing(ClosedModel):
    """Rules by which a place exchanges cards or sets them into two hands, if its holder has no choice."""

    title: Prose
    """Title, in a few words."""
    place: Literal["player", "dealer"]
    """The place whose cards are exchanged."""
    hand: grammar.HandName | None = None
    """The place's cards as they were dealt, for rules that keep cards. Rules that set cards apply to the hands of the
    place with `cards: set-high` and `set-low`."""
    rules: Annotated[list[DrawingRule], MinLen(1)]
    """The rules, in order. All of them keep cards, or all set them."""

    @property
    def sets_cards(self) -> bool:
        """Return whether the rules set cards into two hands."""
        return self.hand is None

    @model_validator(mode="after")
    def _require_one_kind(self) -> Self:
        if any((rule.keep is None) != self.sets_cards for rule in self.rules):
            raise ValueError("with `hand`, all rules must `keep` cards; without it, all must `set` them")
        return self


CardCount = Annotated[int, Ge(1), Le(12)]
SIDES = ("dealer-left", "dealer-right")
"""Seats that may be served first, other than positions of the table: lowest number, highest number."""


class DealPass(ClosedModel):
    """A pass of the deal: packets for places in turn, once or several times."""

    to: Annotated[list[Place | Literal["burn"]], MinLen(1)]
    """The places served, in order. `player` means every seat in turn, `burn` a card that nobody gets."""
    each: CardCount
    """Number of cards that a place receives at a time."""
    times: CardCount = 1
    """Number of repetitions."""
    parted: bool = False
    """True if a place may receive its cards one after another, with no other place between; else they are one
    packet."""
    kept: Annotated[list[CardCount], MinLen(1)] | None = None
    """Cards of a packet that stay, by position counted from the dealer's left; the others are discarded. Left out, all
    stay."""
    face: Literal["down", "up"] | None = None
    """Side of the cards when dealt. Left out, that of the stage."""


class DealingWay(ClosedModel):
    """A permitted way of dealing."""

    by: Literal["dealer", "machine"] | None = None
    """The dealer, or the machine that dispenses the cards, if the text names one."""
    clauses: Annotated[list[grammar.ClauseName], MinLen(1)]
    """The clauses that permit it."""
    passes: Annotated[list[DealPass], MinLen(1)]
    """The passes, in order."""

    def count_dealt(self) -> dict[str, int]:
        """Return the number of cards that each place receives, burnt cards included."""
        return self._count_cards(lambda deal_pass: deal_pass.each)

    def count_kept(self) -> dict[str, int]:
        """Return the number of cards that each place holds after the deal."""
        return self._count_cards(lambda deal_pass: deal_pass.each if deal_pass.kept is None else len(deal_pass.kept))

    @cached_property
    def discarded_cards(self) -> dict[str, list[int]]:
        """Cards of each place that are not kept, as indices in the order of dealing."""
        dealt: dict[str, int] = {}
        discarded: dict[str, list[int]] = {}
        for packet in (deal_pass for deal_pass in self.passes for _ in range(deal_pass.times)):
            for place in packet.to:
                first = dealt.get(place, 0)
                dealt[place] = first + packet.each
                kept = packet.kept
                gone = [] if kept is None else [card for card in range(packet.each) if card + 1 not in kept]
                discarded.setdefault(place, []).extend(first + card for card in gone)
        return discarded

    def _count_cards(self, cards: Callable[[DealPass], int]) -> dict[str, int]:
        counts: dict[str, int] = {}
        for deal_pass in self.passes:
            for place in deal_pass.to:
                counts[place] = counts.get(place, 0) + cards(deal_pass) * deal_pass.times
        return counts


MOST_CARDS = 12
"""Most cards of a hand."""


class Taking(ClosedModel):
    """The cards that a place takes one by one.

    With `while`, each card is due as long as the condition holds, and none after it. With `decisions`, each card
    follows one of them; a `while` then only permits it.
    """

    decisions: list[grammar.DecisionName] = []
    """Decisions of the seat that ask for one card each."""
    while_: Condition | None = None
    """A condition that holds before each card, evaluated with the cards that the place has by then."""

    @model_validator(mode="after")
    def _require_cause(self) -> Self:
        if not self.decisions and self.while_ is None:
            raise ValueError("`decisions`, `while` or both must be given")
        return self


class FirstByOutcome(ClosedModel):
    """The place that is served first, by the number of an outcome.

    The dealer's place counts 1, the seat at the dealer's left 2, and so on. The count goes round the table again.
    """

    outcome: grammar.OutcomeName
    """The outcome, such as the total of dice."""
    places: Annotated[int, Ge(2), Le(100)]
    """Number of places that are counted: the dealer's, and the seats from number 1 up."""


class Stage(ClosedModel):
    """A stage of the deal: cards dealt at one point of the round, or cards exchanged for others.

    A stage with only one way of dealing has the keys of the way itself. The places of `cards` are then served in turn,
    `each` cards at a time, until all have their cards, after `burn` cards are burnt.
    """

    stage: Identifier
    """Name of the stage."""
    cards: Annotated[dict[Place, CardCount], MinLen(1)] | None = None
    """Number of cards of the stage that each place holds when it is over, whatever the way of dealing."""
    exchanges: Annotated[dict[Place, CardCount], MinLen(1)] | None = None
    """Places that may discard cards in it and draw the same number, each with the most cards. Used instead of
    `cards`."""
    takes: Annotated[dict[Literal["player", "dealer", "community"], Taking], MinLen(1), MaxLen(1)] | None = None
    """The place that takes cards one by one, by a rule or by decisions. Used instead of `cards`."""
    when: Condition | None = None
    """The rounds, or the seats that are dealt cards, for which the stage happens. Left out, all. With it, a missing
    card is found as well as a card too many."""
    first: grammar.FirstSeatName | FirstByOutcome = "dealer-left"
    """The seat that is served first. `dealer-left`: the lowest number. `dealer-right`: the highest number, then
    downward. A position of the table: from its seat clockwise. Or the outcome that decides which place is served first.
    All places of the stage then follow in turn, the dealer's place before seat 1."""
    face: Literal["down", "up"]
    """Side of the cards when dealt."""
    each: CardCount | None = None
    """Number of cards that a place receives at a time. Left out, all of them, in one packet or in several."""
    burn: CardCount | None = None
    """Number of cards burnt before it."""
    by: Literal["dealer", "machine"] | None = None
    """The dealer or the machine that dispenses the cards, if the text names one."""
    clauses: list[grammar.ClauseName] = []
    """The clauses that it rests on."""
    ways: dict[Identifier, DealingWay] = {}
    """The ways of dealing that the licensee may choose from, by name."""

    @model_validator(mode="after")
    def _require_cards_or_exchanges(self) -> Self:
        if sum(kind is not None for kind in (self.cards, self.exchanges, self.takes)) != 1:
            raise ValueError("either `cards`, `exchanges` or `takes` must be given")
        if self.when is not None and self.exchanges is not None:
            raise ValueError("`when` applies to cards that are dealt, not to exchanges")
        if self.first_by is not None and (self.cards is None or "community" in self.cards):
            raise ValueError("an outcome decides the `first` place only of cards that seats and the dealer are dealt")
        if self.ways and (self.when is not None or self.takes is not None):
            raise ValueError("cards that come by a rule have one way of dealing: leave out `ways`")
        return self

    @property
    def first_seat(self) -> str:
        """The side or position that is served first, unless an outcome decides it."""
        return self.first if isinstance(self.first, str) else SIDES[0]

    @property
    def first_by(self) -> FirstByOutcome | None:
        """The outcome that decides which place is served first."""
        return None if isinstance(self.first, str) else self.first

    @property
    def is_by_rule(self) -> bool:
        """Return whether the cards of the stage come by a condition or by decisions, and not in every round."""
        return self.when is not None or self.takes is not None

    def count_most_cards(self) -> dict[Place, int]:
        """Return the most cards that each place receives, or takes, in the stage."""
        return {**(self.cards or {}), **dict.fromkeys(self.takes or (), MOST_CARDS)}

    @cached_property
    def permitted_ways(self) -> dict[str, DealingWay]:
        """Permitted ways of dealing the stage, by name; a single way has the name of the stage.

        In a stage of exchanges, the way contains only burnt cards, because the players decide how many cards they draw.
        """
        if self.ways:
            return self.ways
        passes = [] if self.burn is None else [DealPass(to=["burn"], each=self.burn, face="down")]
        if self.takes is not None:
            passes.append(DealPass(to=[*self.takes], each=1, times=MOST_CARDS))
        if self.cards is not None:
            most = max(self.cards.values())
            if self.each is not None:
                passes.append(DealPass(to=[*self.cards], each=self.each, times=max(most // self.each, 1)))
            elif most == min(self.cards.values()):
                passes.append(DealPass(to=[*self.cards], each=most, parted=most > 1))
            else:
                passes += [DealPass(to=[place], each=number, parted=number > 1) for place, number in self.cards.items()]
        return {self.stage: DealingWay.model_construct(by=self.by, clauses=self.clauses, passes=passes)}

    def list_faces(self, way: DealingWay, place: Place) -> list[Literal["down", "up"]]:
        """Return the sides of the cards of a place in a way of dealing, in the order of dealing."""
        return [
            deal_pass.face or self.face
            for deal_pass in way.passes
            if place in deal_pass.to
            for _ in range(deal_pass.each * deal_pass.times)
        ]


class Deal(ClosedModel):
    """The deal of a game: its stages in order."""

    stages: Annotated[list[Stage], MinLen(1)]
    """The stages, in order of play. A round that ends early has only the first of them."""
    held: dict[Place, CardCount] = {}
    """Number of cards that a place holds at the end, if discards change the number dealt."""
    titles: dict[Place, Prose] = {}
    """Titles of places, as texts of findings name them: `the Banker's Hand`. Left out, "the dealer" and so on."""

    def name_place(self, place: str) -> str:
        """Return the title of a place for use in a sentence."""
        return next((title for named, title in self.titles.items() if named == place), f"the {place}")

    @cached_property
    def cards(self) -> dict[Place, int]:
        """Most cards that each place holds after all stages."""
        return self._count_through(None, fewest=False)

    @cached_property
    def fewest_cards(self) -> dict[Place, int]:
        """Number of cards that each place is dealt in any case, without stages that come by a rule."""
        return {place: count for place, count in self._count_through(None, fewest=True).items() if count}

    @cached_property
    def stages_by_rule(self) -> list[int]:
        """Indices of the stages whose cards come by a rule or by decisions."""
        return [number for number, stage in enumerate(self.stages) if stage.is_by_rule]

    def _count_through(self, through: str | None, *, fewest: bool) -> dict[Place, int]:
        counts: dict[Place, int] = {}
        for stage in self.stages:
            for place, count in stage.count_most_cards().items():
                added = 0 if fewest and stage.is_by_rule else count
                counts[place] = min(counts.get(place, 0) + added, MOST_CARDS)
            if stage.stage == through:
                break
        return counts

    def count_before(self, place: Place, stage: int) -> int:
        """Return the number of cards that a place has before a stage, if none of them came by a rule."""
        return sum(earlier.count_most_cards().get(place, 0) for earlier in self.stages[:stage])

    def locate_cards(self, place: Place, through: str | None, of: Sequence[str] = ()) -> tuple[int, int, int]:
        """Return the cards of a place that belong to some stages, as positions in the order of dealing.

        Args:
            place: the place.
            through: the last stage that counts; None for all.
            of: the only stages that count, which follow each other; empty for all.

        Returns:
            the first position, the fewest cards from there on, and the most.
        """
        if not of:
            return (
                0,
                self._count_through(through, fewest=True).get(place, 0),
                self._count_through(through, fewest=False).get(place, 0),
            )
        names = [stage.stage for stage in self.stages]
        before = sum(stage.count_most_cards().get(place, 0) for stage in self.stages[: names.index(of[0])])
        stages = [stage for stage in self.stages if stage.stage in of]
        most = min(sum(stage.count_most_cards().get(place, 0) for stage in stages), MOST_CARDS - before)
        fixed = sum(stage.count_most_cards().get(place, 0) for stage in stages if not stage.is_by_rule)
        return before, min(max(fixed, 1), most), most

    @cached_property
    def served_places(self) -> frozenset[str]:
        """Places that receive cards in any stage, in any way of dealing."""
        return frozenset(
            place for stage in self.stages for way in stage.permitted_ways.values() for place in way.count_dealt()
        )

    @cached_property
    def exchanging_stages(self) -> list[int]:
        """Indices of the stages in which cards are exchanged."""
        return [number for number, stage in enumerate(self.stages) if stage.exchanges is not None]

    @cached_property
    def ways(self) -> dict[str, DealingWay]:
        """Ways of dealing the whole round without cards that come by a rule, by name: each stage in its way of that
        name, or in its only way."""
        names = [*dict.fromkeys(name for stage in self.stages for name in stage.ways)]
        names = names or [stage.stage for stage in self.stages[:1]]
        return {name: _join_fixed_stages(self.pair_stages_with_ways(name)) for name in names}

    def list_faces(self, place: Place) -> list[Literal["down", "up"]]:
        """Return the sides of the cards of a place in all stages, in the order of dealing, in the first way."""
        return [
            face
            for stage, way in self.pair_stages_with_ways(next(iter(self.ways), ""))
            for face in stage.list_faces(way, place)
        ]

    def count_open_cards(self, place: Place, through: str | None) -> int:
        """Return the number of cards dealt face up to a place through a stage; through all stages if it is None."""
        count = 0
        for stage, way in self.pair_stages_with_ways(next(iter(self.ways), "")):
            count += stage.list_faces(way, place).count("up")
            if stage.stage == through:
                break
        return count

    def pair_stages_with_ways(self, way: str) -> list[tuple[Stage, DealingWay]]:
        """Return each stage with the way in which it is dealt, for a way of dealing the whole round."""
        return [(stage, _find_way(stage, way)) for stage in self.stages]


def _find_way(stage: Stage, name: str) -> DealingWay:
    return stage.permitted_ways.get(name, next(iter(stage.permitted_ways.values())))


def _join_fixed_stages(parts: Sequence[tuple[Stage, DealingWay]]) -> DealingWay:
    """Join stages into one way of dealing, without cards that come by a rule: there may be no others."""
    return DealingWay.model_construct(
        by=parts[0][1].by,
        clauses=list(dict.fromkeys(clause for stage, way in parts if not stage.is_by_rule for clause in way.clauses)),
        passes=[
            deal_pass.model_copy(update={"face": deal_pass.face or stage.face})
            for stage, way in parts
            if not stage.is_by_rule
            for deal_pass in way.passes
        ],
    )


class Miscount(ClosedModel):
    """A wrong number of cards dealt to a place, for simulated rounds."""

    place: Place
    """The place with the wrong number."""
    declared: grammar.StepName
    """The step in which the dealer declares it."""
    voids: Literal["seat", "round"]
    """`seat`: only the hand of the seat is void. `round`: the whole round is void."""


class DealtCheck(ClosedModel):
    """A comparison of the recorded deal with `deal` of the game. A stage that did not happen because the round ended
    before it is not checked."""

    asks: Literal["turn", "burn", "count"] = "turn"
    """`turn`: places receive cards in turn. `burn`: before the first card of a stage, the required number of cards is
    burnt; `turn` then does not report that number again. `count`: a place that receives cards in a stage receives the
    number of the stage. With betting, every player still in receives cards, and no player who is out. For exchanged
    cards, `turn` and `burn` check the cards drawn. `count` then checks that a place draws as many cards as it
    discarded, and discards no more than it may."""
    stage: grammar.StageName | Annotated[list[grammar.StageName], MinLen(1)] | None = None
    """The stage or stages that are checked. Left out, all."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the stages that are checked; empty for all."""
        return () if self.stage is None else (self.stage,) if isinstance(self.stage, str) else tuple(self.stage)


class SameOrderCheck(ClosedModel):
    """Two steps happen in the same order of seats."""

    steps: Annotated[list[grammar.StepName], MinLen(2), MaxLen(2)]
    """The step that sets the order, and the step that must follow it."""


class DrawnByCheck(ClosedModel):
    """A comparison of the discarded cards, or of the hands that were set, with the drawing rules of the game."""

    drawing: grammar.DrawingName
    """The drawing rules."""
    rules: list[grammar.DrawingRuleName] = []
    """The rules that are checked: every hand that one of them decides. Left out, all."""
    when: Condition | None = None
    """The hands that must be exchanged or set. Left out, all."""

    def checks_rule(self, name: str) -> bool:
        """Return whether a rule of the drawing is checked."""
        return not self.rules or name in self.rules
