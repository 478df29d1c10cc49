"""Models of faults, which make a simulated round break a requirement, and of the words of a requirement."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import model_validator

from fairdeal.validator.language import grammar
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    ClosedModel,
    Day,
    Identifier,
    OneOperatorModel,
    Prose,
)
from fairdeal.validator.text.plain_values import CountOrMoney, PositiveMoney


class ActManner(ClosedModel):
    """Words and chips that a player shows before an act of betting."""

    as_: grammar.DecisionName | None = None
    """The decision that is shown, with the least amount that it needs. Left out, the intended decision of the act."""
    say: Literal["decision", "total", "incomplete"] | None = None
    """The words. `decision`: the decision. `total`: the decision and, for a bet or raise, the total bet of the seat.
    `incomplete`: after the first chips, that the bet is not complete. Left out, none."""
    tender: Literal["whole", "one-chip", "larger-chip", "in-parts", "and-more"] | None = None
    """The chips. `whole`: all in one motion and, if possible, in several chips. `one-chip`: one chip of the exact
    value. `larger-chip`: one chip that is worth more. `in-parts`: in two motions. `and-more`: all in one motion, then
    one more chip, the smallest. Left out, none."""


class MannerHabit(ActManner):
    """A manner of players, and how often they follow it."""

    when: Condition | None = None
    """The acts that it applies to, just before each is made. Left out, all. A manner that needs chips that the player
    does not have is not followed."""
    chance: Annotated[int, Ge(0), Le(1000)]
    """Number of acts in a thousand for which it is followed."""


class AlterFault(ClosedModel):
    """A fault in a field of an event of a step."""

    step: grammar.StepName
    """The step. Its first event in the round is altered, if that makes a difference."""
    face: Literal["turned"] | None = None
    """`turned`: its cards lie on the other side."""
    by: grammar.Actor | None = None
    """The actor instead."""
    cards: Literal["reversed", "fewer"] | None = None
    """`reversed`: its cards in the opposite order. `fewer`: all cards but the last."""
    in_: Literal["chips", "plaques", "coupon", "cash", "words"] | None = None
    """The means of the wager instead."""
    number: Annotated[CountOrMoney, Ge(0), Le(10**12)] | None = None
    """The stated number instead, or amount, as `$5` or `2.50`."""
    positions: Annotated[list[Annotated[int, Ge(1), Le(9)]], MinLen(1)] | None = None
    """The positions of its cards instead, counted from the dealer's left."""
    pot: Annotated[int, Ge(0), Le(31)] | None = None
    """The number of the pot instead. The main pot is 0."""

    @property
    def joined_positions(self) -> str | None:
        """Positions in the form of logs."""
        return None if self.positions is None else "".join(str(number) for number in sorted(set(self.positions)))


class Move(OneOperatorModel):
    """A step in the wrong place."""

    COMPANIONS = frozenset({"step"})

    step: grammar.StepName
    """The step. All its events in the round are moved."""
    before: grammar.StepName = NO_OPERAND
    """The events move to just before the first event of this step."""
    after: grammar.StepName = NO_OPERAND
    """The events move to just after the last event of this step."""


class Insert(OneOperatorModel):
    """A step that should not happen."""

    COMPANIONS = frozenset({"step", "times"})

    step: grammar.StepName
    """The step. One event of it is added."""
    times: Annotated[int, Ge(1), Le(8)] = 1
    """Number of events to add."""
    before: grammar.StepName = NO_OPERAND
    """The event comes just before the first event of this step."""
    after: grammar.StepName = NO_OPERAND
    """The event comes just after the last event of this step."""


class DiscardFault(ClosedModel):
    """A wrong number of discarded cards."""

    place: grammar.Place
    """The hand: of one seat, the dealer or the community. A hand that would discard another number is chosen."""
    cards: Annotated[int, Ge(0), Le(12)]
    """Number of cards to discard instead. Low cards without a pair are discarded first."""
    unasked: Literal[True] | None = None
    """The hand is one that may discard no cards."""


class WithdrawFault(OneOperatorModel):
    """A part of a wager that is taken back without permission."""

    COMPANIONS = frozenset({"step", "wager", "amount"})

    step: grammar.StepName
    """The step that takes it back."""
    wager: grammar.LineName
    """The wager of one seat that has placed it. The amount is first added to it and then taken back."""
    amount: PositiveMoney
    """The amount."""
    after: grammar.StepName = NO_OPERAND
    """The event comes just after the last event of this step."""


class DrawFault(ClosedModel):
    """More cards drawn than discarded."""

    place: grammar.Place
    """The hand: of one seat, or of the dealer."""
    more: Annotated[int, Ge(1), Le(12)]
    """Number of additional cards."""


class SetFault(ClosedModel):
    """Hands that are set wrongly."""

    place: Literal["player", "dealer"]
    """The place: one seat, or the dealer."""
    how: Literal["otherwise", "wrong-number"]
    """`otherwise`: other hands than the rules require, which are not foul. `wrong-number`: one card of the High Hand is
    in the Low Hand."""


class MeterFault(OneOperatorModel):
    """A wrong value of a meter."""

    COMPANIONS = frozenset({"name", "at"})

    name: Identifier
    """The meter."""
    at: Literal["opening", "shown", "closing"] = "closing"
    """The point in the round."""
    more: PositiveMoney = NO_OPERAND
    """More by this amount."""
    less: PositiveMoney = NO_OPERAND
    """Less by this amount."""


class StakeFault(OneOperatorModel):
    """A wrong wager."""

    COMPANIONS = frozenset({"wager"})

    wager: grammar.LineName
    """The wager of one seat that has placed it or, with `added`, has not."""
    more: PositiveMoney = NO_OPERAND
    """Larger by this amount."""
    less: PositiveMoney = NO_OPERAND
    """Smaller by this amount."""
    above_maximum: PositiveMoney = NO_OPERAND
    """Above the posted maximum by this amount."""
    removed: Literal[True] = NO_OPERAND
    """Neither the wager nor a tip on it is placed."""
    added: PositiveMoney = NO_OPERAND
    """Placed with this amount by a seat that has no such stake."""
    tipped: PositiveMoney = NO_OPERAND
    """A tip of this amount, placed by a seat that has no tip on it."""
    renamed: Identifier = NO_OPERAND
    """Recorded under this name, if it carries no tip."""
    selected: grammar.SelectionText = NO_OPERAND
    """Placed on this selection instead, all of it."""


class ActFault(OneOperatorModel):
    """A wrong act of betting. The round continues from it."""

    COMPANIONS = frozenset({"rounds", "manner"})

    rounds: list[Identifier] = []
    """The betting rounds in which it may happen. Left out, all."""
    manner: ActManner | None = None
    """Words and chips of the player before the act, for the act as intended. Left out, none. Use it for faults in the
    decision or the amount."""
    omitted: Literal[True] = NO_OPERAND
    """The betting round ends although a player must still act."""
    added: Literal[True] = NO_OPERAND
    """A player checks although the betting round is complete."""
    folded: Literal[True] = NO_OPERAND
    """A player who is out checks after a complete betting round without a bet."""
    dealt_on: Literal[True] = NO_OPERAND
    """The next cards are dealt although all but one have folded."""
    out_of_turn: Literal[True] = NO_OPERAND
    """A player acts before the player whose turn it is."""
    decision: Identifier = NO_OPERAND
    """A player takes this decision, with the least amount that it needs."""
    less: PositiveMoney = NO_OPERAND
    """A player who calls puts in less by this amount."""
    more: PositiveMoney = NO_OPERAND
    """A player who bets or raises puts in more by this amount."""
    passes_for: Identifier = NO_OPERAND
    """A bet or raise is recorded under this decision, which puts in no chips."""
    puts_in: PositiveMoney = NO_OPERAND
    """A player who bets or raises puts in this amount; it is more than intended."""
    below_smallest: Literal[True] = NO_OPERAND
    """A player bets or raises by one unit less than the smallest permitted amount."""
    more_than_stack: PositiveMoney = NO_OPERAND
    """A player puts in more than all own chips by this amount."""


class RakeFault(OneOperatorModel):
    """A wrong rake. The pots are awarded after this rake."""

    more: PositiveMoney = NO_OPERAND
    """More by this amount."""
    less: PositiveMoney = NO_OPERAND
    """Less by this amount."""


class BetweenFault(OneOperatorModel):
    """A fault at a table between two rounds."""

    button: Literal["stays", "opens-elsewhere", "at-an-empty-seat"] = NO_OPERAND
    """`stays`: the button does not move on. `opens-elsewhere`: it is one position further when the table opens.
    `at-an-empty-seat`: in any round, it is one position further, where no player is."""
    missing: PositiveMoney = NO_OPERAND
    """A player begins with this amount less than was left."""
    pocketed: PositiveMoney = NO_OPERAND
    """At the end of a round, a player has this amount less than is due."""
    buys: PositiveMoney = NO_OPERAND
    """A player sits down with this amount."""


class MiscountFault(OneOperatorModel):
    """A wrong number of cards dealt to a hand."""

    COMPANIONS = frozenset({"place", "stage"})

    place: Literal["player", "dealer", "community"]
    """The hand: of one seat, of the dealer or of the community."""
    stage: grammar.StageName | None = None
    """The stage in which the cards come by a rule; the round is then settled by the cards as they are. Left out, the
    last cards of a place that gets a fixed number."""
    more: Annotated[int, Ge(1), Le(4)] = NO_OPERAND
    """Number of additional cards, dealt with the last ones."""
    less: Annotated[int, Ge(1), Le(4)] = NO_OPERAND
    """Number of cards missing from the last ones."""


class EarlierFault(OneOperatorModel):
    """An earlier fault in a round, without which the requirement would never apply. It breaks other requirements, which
    are reported as well."""

    COMPANIONS = frozenset({"when"})

    when: Condition | None = None
    """The seats at which it happens. Left out, any."""
    stake: StakeFault = NO_OPERAND
    """A wrong wager."""
    stack: PositiveMoney = NO_OPERAND
    """A seat has this amount of chips when the round begins."""


class Fault(OneOperatorModel):
    """A change to a simulated round that breaks the requirement, and nothing that does not follow from it.

    The round continues from the fault: a stake that is too large is settled with its amount, and a seat that should
    not have folded is treated as folded.
    """

    COMPANIONS = frozenset({"when", "following", "upon"})

    following: Condition | None = None
    """A condition on the previous round at the table. The fault is planted only after rounds that satisfy it. If steps
    are needed for each deck, it applies to the last round of the deck in play. Use it for steps."""
    upon: EarlierFault | None = None
    """An earlier fault in the same round."""
    when: Condition | None = None
    """The seats or rounds in which it is planted. Left out, any. The condition sees the round up to that point: only
    the wagers for an opening wager, everything for a step."""
    pay: Literal["over", "under"] = NO_OPERAND
    """A judged stake is paid otherwise than due or, if nothing is to be paid, taken otherwise than due."""
    stake: StakeFault = NO_OPERAND
    """A wrong wager."""
    stack: PositiveMoney = NO_OPERAND
    """A seat has this amount of chips when the round begins. If that is more than players
    sit down with, the table opens anew with the round."""
    seats: Annotated[int, Ge(1), Le(32)] = NO_OPERAND
    """Number of hands that take part in the round."""
    hands_of_one: Annotated[int, Ge(2), Le(32)] = NO_OPERAND
    """All hands of a round with at least this number of hands belong to one player."""
    discard: DiscardFault = NO_OPERAND
    """A wrong number of cards is discarded, and the same number drawn; with several exchanges, in the last."""
    withdraw: WithdrawFault = NO_OPERAND
    """A part of a wager is taken back."""
    draw: DrawFault = NO_OPERAND
    """More cards are drawn than discarded; with several exchanges, in the last."""
    set_: SetFault = NO_OPERAND
    """A place sets its cards wrongly into a High Hand and a Low Hand."""
    meter: MeterFault = NO_OPERAND
    """A meter has a wrong value."""
    deck: Literal["same"] = NO_OPERAND
    """The deck in play is not changed for the round. Afterwards decks alternate again."""
    dealt: Literal["otherwise"] = NO_OPERAND
    """The cards are dealt in another way of the game than the submitted one."""
    decision: Identifier = NO_OPERAND
    """A seat takes this decision instead of its own. `none`: it takes no decision."""
    other_decision: Identifier = NO_OPERAND
    """A seat takes this decision instead of its own; it is no decision of the game."""
    card: Literal["repeated"] = NO_OPERAND
    """The first card of the dealer equals a card of the first seat. In a game without a dealer hand, it is the first
    card of the community; if players play against each other, that of the second seat."""
    miscount: MiscountFault = NO_OPERAND
    """A hand is dealt a wrong number of cards."""
    between: BetweenFault = NO_OPERAND
    """A fault between the previous round and this one."""
    act: ActFault = NO_OPERAND
    """A wrong act of betting. `when` is then a condition on the act, with the decision and amount after the fault."""
    award: Literal["wrong-seat"] = NO_OPERAND
    """Everything that one seat won goes to another seat that was in at the end."""
    rake: RakeFault = NO_OPERAND
    """A wrong rake is taken."""
    omit: grammar.StepName = NO_OPERAND
    """A step does not happen."""
    expose: grammar.StepName = NO_OPERAND
    """A card of a packet is exposed in the middle of the deal, recorded as an event of this step."""
    insert: Insert = NO_OPERAND
    """A step happens that should not. A step of each seat happens for a suitable seat."""
    move: Move = NO_OPERAND
    """A step happens in the wrong place."""
    swap: grammar.StepName = NO_OPERAND
    """The first two seats of a step are swapped, for all steps that share its turn."""
    alter: AlterFault = NO_OPERAND
    """A step happens, but wrongly."""


class RequirementWords(ClosedModel):
    """A requirement without its check."""

    requirement: Identifier
    """Name of the requirement within the document."""
    title_: Prose | None = None
    """Title: the requirement in a phrase. Left out, the message, or else the title of the statement."""
    clauses: list[grammar.ClauseName] = []
    """The clauses that it rests on. Left out, those of the statement."""
    severity_: Severity | None = None
    """Severity of a failure. Left out, that of the enclosing file or part."""
    message_: Prose | None = None
    """Meaning of a failure, in a sentence that a casino understands. Left out, the title."""
    broken: Prose | None = None
    """Sentence on what went wrong if the requirement failed, in the past tense, beginning with who acted. Reports print
    it first. Left out, they print the message."""
    remedy: Prose | None = None
    """Corrective action. Left out, that of the enclosing file or part, or else one by the check."""
    from_: Day | None = None
    """The first day on which it is in force. Left out, that of the document."""
    until: Day | None = None
    """The last day on which it is in force."""
    readings_: list[grammar.ReadingName] = []
    """Further readings of the text that it rests on. It also rests on those to which its check, its fault, and the
    cases or the limit that it judges refer."""
    fault_: Fault | Literal["none"] | None = None
    """The change to a simulated round that breaks it. Left out, it follows from the check: what must happen or be
    placed is left out, an act crosses its milestone, or two seats are swapped. Or a number, an amount or a feature of
    an event is wrong. Of amounts due, more is paid if nothing is due, and less if something is due. `none`: no
    simulated round can break it."""

    @property
    def stated_fault(self) -> Fault | None:
        """The change to a simulated round that is stated for it."""
        return self.fault_ if isinstance(self.fault_, Fault) else None


class StatementRequirement(RequirementWords):
    """The requirement that play follows a statement of the game. Several statements may share one requirement: one of
    them has its words, and the others have only its name, which may be bare text."""

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_name(cls, value: object) -> object:
        return {"requirement": value} if isinstance(value, str) else value
