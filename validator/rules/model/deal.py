"""How the cards of a game are dealt: stages of the round, and the ways in which each may be handed out; between them,
stages in which cards are exchanged; and what may go wrong."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import Field, model_validator

from validator.language.conditions import Condition
from validator.language.refs import ClauseName, DrawingName, DrawingRuleName, FirstSeatName, StageName, StepName
from validator.language.terms import Place
from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier

CardCount = Annotated[int, Ge(1), Le(12)]
SIDES = ("dealer-left", "dealer-right")
"""The seats that may be served first besides positions of the table: the lowest number, the highest."""


class Pass(Closed):
    """Packets handed out to places in turn, once or several times over."""

    to: Annotated[list[Place | Literal["burn"]], MinLen(1)]
    """The places served, in order: `player` stands for every seat in turn, `burn` for a card that nobody gets."""
    each: CardCount
    """How many cards a place receives at a time."""
    times: CardCount = 1
    """How many times over."""
    parted: bool = False
    """Whether a place may receive them by and by, as long as no other comes between; else they are one packet."""
    kept: Annotated[list[CardCount], MinLen(1)] | None = None
    """Of the cards of a packet, those that stay, by their place counted from the dealer's left; the others are
    discarded. Left out, all stay."""
    face: Literal["down", "up"] | None = None
    """How the cards lie when dealt; left out, as those of the stage."""


class Way(Closed):
    """One permitted way of handing out cards."""

    by: Literal["dealer", "machine"] | None = None
    """Who parts them from the deck, where the text says: the dealer's hand, or a device that dispenses them."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where the text permits it."""
    passes: Annotated[list[Pass], MinLen(1)]
    """The passes in which cards are handed out, one after the other."""

    def dealt(self) -> dict[str, int]:
        """How many cards each place that is served receives in all, burnt cards included."""
        return self._counted(lambda one: one.each)

    def kept(self) -> dict[str, int]:
        """How many cards each place holds when the dealing is over."""
        return self._counted(lambda one: one.each if one.kept is None else len(one.kept))

    @cached_property
    def set_aside(self) -> dict[str, list[int]]:
        """Which of the cards that each place is dealt are not kept, counted from 0 in the order they are dealt."""
        dealt: dict[str, int] = {}
        found: dict[str, list[int]] = {}
        for one in (part for part in self.passes for _ in range(part.times)):
            for place in one.to:
                first = dealt.get(place, 0)
                dealt[place] = first + one.each
                gone = [] if one.kept is None else [card for card in range(one.each) if card + 1 not in one.kept]
                found.setdefault(place, []).extend(first + card for card in gone)
        return found

    def _counted(self, cards: Callable[[Pass], int]) -> dict[str, int]:
        found: dict[str, int] = {}
        for one in self.passes:
            for place in one.to:
                found[place] = found.get(place, 0) + cards(one) * one.times
        return found


class Stage(Closed):
    """Cards handed out at one point of the round, or exchanged: put away, and others drawn in their stead.

    Where there is only one way, its keys stand here: the places of `cards` are served one after the other, `each`
    cards at a time, over and over, after `burn` cards have been burnt.
    """

    stage: Identifier
    """Its name."""
    cards: Annotated[dict[Place, CardCount], MinLen(1)] | None = None
    """How many cards of it each place holds when the stage is over. Every way comes to this."""
    exchanges: Annotated[dict[Place, CardCount], MinLen(1)] | None = None
    """The places that may put cards away in it and draw as many in their stead, and how many cards at the most. It
    stands instead of `cards`."""
    first: FirstSeatName = "dealer-left"
    """The seat that is served first. `dealer-left`: the lowest number; `dealer-right`: the highest, and so on
    down. A position of the table: from there on clockwise."""
    face: Literal["down", "up"]
    """How the cards lie when dealt."""
    each: CardCount | None = None
    """How many cards a place receives at a time; left out, all at once."""
    burn: CardCount | None = None
    """How many cards are burnt before it."""
    by: Literal["dealer", "machine"] | None = None
    """Who parts the cards from the deck, where the text says."""
    clauses: list[ClauseName] = Field(default_factory=list)
    """Where the text says so."""
    ways: dict[Identifier, Way] = Field(default_factory=dict)
    """The ways of dealing the licensee may choose from, by name."""

    @model_validator(mode="after")
    def _deals_or_exchanges(self) -> Self:
        if (self.cards is None) == (self.exchanges is None):
            raise ValueError("either `cards` or `exchanges` must stand here")
        return self

    @cached_property
    def permitted(self) -> dict[str, Way]:
        """The permitted ways of dealing it, by name; one that is not chosen bears the name of the stage. Where cards
        are exchanged, how many are dealt is for those who put them away: a way has nothing but what is burnt."""
        if self.ways:
            return self.ways
        passes = [] if self.burn is None else [Pass(to=["burn"], each=self.burn, face="down")]
        if self.cards is not None:
            most = max(self.cards.values())
            each = self.each or most
            passes.append(Pass(to=[*self.cards], each=each, times=max(most // each, 1)))
        return {self.stage: Way.model_construct(by=self.by, clauses=self.clauses, passes=passes)}

    def faces(self, way: Way, place: Place) -> list[Literal["down", "up"]]:
        """How the cards of a place lie that are dealt in one of its ways, in the order of dealing."""
        return [one.face or self.face for one in way.passes if place in one.to for _ in range(one.each * one.times)]


class Deal(Closed):
    """Who receives cards, in which turn, how many: stage after stage."""

    stages: Annotated[list[Stage], MinLen(1)]
    """The stages, in order of play. A round that is over early has the first of them only."""
    held: dict[Place, CardCount] = Field(default_factory=dict)
    """How many cards a place holds in the end, where discarding leaves it another number than dealing."""

    @cached_property
    def cards(self) -> dict[Place, int]:
        """How many cards each place holds when all stages are dealt."""
        found: dict[Place, int] = {}
        for stage in self.stages:
            for place, count in (stage.cards or {}).items():
                found[place] = found.get(place, 0) + count
        return found

    @cached_property
    def serves(self) -> frozenset[str]:
        """The places that cards go to in any stage, however it is dealt."""
        return frozenset(place for stage in self.stages for way in stage.permitted.values() for place in way.dealt())

    @cached_property
    def exchanging(self) -> list[int]:
        """The stages in which cards are exchanged, by their places in the list."""
        return [number for number, stage in enumerate(self.stages) if stage.exchanges is not None]

    @cached_property
    def ways(self) -> dict[str, Way]:
        """The ways of dealing the round through, by name: every stage in the way of that name, or in its only one."""
        names = dict.fromkeys(name for stage in self.stages for name in stage.ways) or [self.stages[0].stage]
        return {name: _joined(self.in_stages(name)) for name in names}

    def faces(self, place: Place) -> list[Literal["down", "up"]]:
        """How the cards of a place lie that it is dealt in all stages, in the order of dealing; where there are
        several ways, by the first of them."""
        return [face for stage, way in self.in_stages(next(iter(self.ways))) for face in stage.faces(way, place)]

    def open_cards(self, place: Place, through: str | None) -> int:
        """How many cards a place is dealt face up, up to a stage and in it; in all stages where none is named."""
        found = 0
        for stage, way in self.in_stages(next(iter(self.ways))):
            found += stage.faces(way, place).count("up")
            if stage.stage == through:
                break
        return found

    def in_stages(self, way: str) -> list[tuple[Stage, Way]]:
        """Every stage, and how it is dealt in a way of dealing the round through."""
        return [(stage, _way(stage, way)) for stage in self.stages]


def _way(stage: Stage, name: str) -> Way:
    return stage.permitted.get(name, next(iter(stage.permitted.values())))


def _joined(parts: Iterable[tuple[Stage, Way]]) -> Way:
    parts = list(parts)
    return Way.model_construct(
        by=parts[0][1].by,
        clauses=list(dict.fromkeys(clause for _, way in parts for clause in way.clauses)),
        passes=[one.model_copy(update={"face": one.face or stage.face}) for stage, way in parts for one in way.passes],
    )


class Miscount(Closed):
    """Cards dealt in the wrong number to a place, as a simulated round may have it."""

    place: Place
    """Where the count goes wrong."""
    declared: StepName
    """The step in which the dealer says so."""
    voids: Literal["seat", "round"]
    """Whether the seat alone or the whole round is over."""


class Exposure(Closed):
    """Cards shown while dealing, as a simulated round may have it."""

    shown: StepName
    """The step in which a card comes to light."""
    covered: StepName
    """The step that follows at once."""


class Irregularities(Closed):
    """What may go wrong in a regular game and how play goes on."""

    miscounts: list[Miscount] = Field(default_factory=list)
    """Wrong numbers of cards."""
    exposures: list[Exposure] = Field(default_factory=list)
    """Cards shown by the dealer."""


class DealtCheck(Closed):
    """How cards are dealt, held against the game's `deal`. A stage that never came, as the round was over before it,
    is not asked for."""

    asks: Literal["turn", "burn", "count"] = "turn"
    """`turn`: places receive cards in their turn. `burn`: before the first card of a stage as many cards are burnt
    as it begins with, and `turn` does not find a wrong number of them once more. `count`: a place that receives cards
    in a stage receives as many as the stage has for it, and where players bet, every player still in does and nobody
    who is out. Of cards exchanged, `turn` and `burn` speak of those that are drawn; `count`: a place draws as many as
    it put away, and puts no more away than it may."""
    stage: StageName | Annotated[list[StageName], MinLen(1)] | None = None
    """The stages that are judged: one or several; left out, all."""
    when: Condition | None = None
    """The rounds it speaks of."""

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages it names; none where it speaks of all."""
        return () if self.stage is None else (self.stage,) if isinstance(self.stage, str) else tuple(self.stage)


class SameOrderCheck(Closed):
    """Seats come up in one step in the order in which they came up in another."""

    first: StepName
    """The step that sets the order."""
    then: StepName
    """The step that must follow it."""


class DrawnByCheck(Closed):
    """The cards that were put aside held against the game's rules of drawing."""

    drawing: DrawingName
    """The rules of drawing."""
    rules: Annotated[list[DrawingRuleName], MinLen(1)]
    """Those of the rules that are judged: every hand one of them decides."""
    when: Condition | None = None
    """The hands that are to be exchanged at all; left out, every one."""
