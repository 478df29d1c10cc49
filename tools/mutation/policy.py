"""Policy of mutation: fields left unchanged and why, lists whose order counts, and operators that replace each
other."""

from __future__ import annotations

from collections.abc import Mapping

_WORDS = "words for people"
_NAME = "the name itself: what refers to it is changed instead"
_TOLD = "only simulated rounds are made by it; requirements judge what the law demands of it"
_LISTED = "listed and cited, never judged by"
_WRITTEN = "the facts, cases and requirements that it writes out are changed, as any other"

UNCHANGED: Mapping[str, str] = {
    "*.title": _WORDS,
    "*.title_": _WORDS,
    "*.message_": _WORDS,
    "*.broken": _WORDS,
    "*.remedy": _WORDS,
    "*.severity_": "a judgement of ours, not of the text",
    "*.severity": "a judgement of ours, not of the text",
    "*.fault_": "says how a simulated round breaks it; the simulator's own tests hold every fault to account",
    "Attested.statement": _WORDS,
    "Attested.by": _WORDS,
    "*.requirement": _NAME,
    "Requirement.pattern": "its expansion is changed, with the parameters in it",
    "MilestoneRequirement.pattern": "its expansion is changed, with the parameters in it",
    "PatternsFile.patterns": "their instances are changed one by one",
    "RequirementFile.lends": "their expansions are changed, with the parameters in them",
    "Case.case": _NAME,
    "Cap.cap": _NAME,
    "DrawingRule.rule": _NAME,
    "SuitedCategory.category": _NAME,
    "Category.category": _NAME,
    "PointsCategory.category": _NAME,
    "Game.game": _NAME,
    "Game.pay_matrices": "each of their tables is changed, as any other",
    **{
        f"{model}.{field}": _WRITTEN
        for model, fields in (
            ("Void", "clauses readings declared returned cases"),
            ("VoidCause", "cause when voids clauses declared miscounts returned cases"),
            ("VoidRequirement", "pattern"),
        )
        for field in fields.split()
    },
    "Hand.best_of": "says that the best of more cards is meant; any other number is refused",
    "Game.miscounts": _TOLD,
    "Stage.stage": _NAME,
    "Stage.face": _TOLD,
    "Stage.by": _TOLD,
    "Stage.clauses": _LISTED,
    "BettingRound.round": _NAME,
    "Game.histories": "says how rounds of other formats are read; examples are in ours",
    "Pots.clauses": _LISTED,
    "Table.players": _TOLD,
    "DealingWay.by": _TOLD,
    "DealingWay.clauses": _LISTED,
    "Wager.placed": _TOLD,
    "Wager.amount": _TOLD,
    "Wager.of": _TOLD,
    "Wager.when": _TOLD,
    "Wager.tip": _TOLD,
    "Settlement.order": _TOLD,
    "Decision.discards": "says what players may choose from where odds are worked out; their tests hold it to account",
    "Act.turn": _TOLD,
    "DeckInPlay.cards": "rounds are judged by the number of decks; the submission is judged for the deck",
    "DecksFile.decks": "cards are dealt from it in simulated rounds; a hand log cannot hold any other",
    "Document.document": _LISTED,
    "Document.regulator": _LISTED,
    "Document.source": _LISTED,
    "Document.clauses": _LISTED,
    "NameList.clauses": _LISTED,
    "Reading.reading": _NAME,
    "Reading.clauses": _LISTED,
    "Reading.question": _WORDS,
    "Reading.alternatives": "each is adopted instead",
    "Reading.reason": _WORDS,
    "Reading.changes": _LISTED,
    "RulebookEdition.version": _WORDS,
    "RulebookEdition.date": _WORDS,
}
"""Fields that are left as they are, `Model.field` (or `*.field` in any model), each with the reason."""

UNCHANGED_STEP = _TOLD
"""Reason why a step that no requirement mentions is neither changed nor taken away. The same applies to a fact that
only says where a simulated round breaks a requirement."""

UNCHANGED_EACH = "records by seat and by stake are judged alike, and without a condition all are alike"
"""Reason why `each` of a step is only changed between a round and its parts, and only if the step has a condition."""

UNCHANGED_CITATIONS = (
    "findings on payments cite the case and the pay table, or the limit, those on a draw the rule of drawing; the "
    "requirement's list is given in addition"
)
"""Reason why `clauses` of a requirement that judges settlement, a limit on it or drawing are left unchanged."""

AS_STATED: Mapping[str, str] = {
    "RoundCheck.once": "left out, a lapse is reported at every event, as by all checks",
    "Act.evident": "left out, it is open whether what is in doubt belongs to the step, which is the way of all steps",
}
"""Fields that are changed where a rule states them, and not added where it leaves them out, each with the reason."""

KEPT: Mapping[str, str] = {
    "ReadingFile.readings": "a reading that nothing depends on is documentation",
    "RankingsFile.rankings": "what is not used cannot be missed, what is used is refused when missing",
}
"""Lists and mappings whose entries are changed, but not taken away, each with the reason."""

NAMED = frozenset({"Ranking.marks", "Ranking.bands", "SuitedRanking.bands"})
"""Mappings of the vocabulary of which only those entries are changed that the document names: the others are there
for other documents."""

CITATIONS = frozenset({"clauses", "readings"})
"""Fields that cite: what they cite is taken away and, where nothing would be left, replaced."""

ORDERED = frozenset(
    {
        "DealPass.to",
        "Mark.ranks",
        "Ranking.categories",
        "Repeat.repeat",
        "SequenceCheck.steps",
        "SetCards.groups",
        "Value.equals",
    }
)
"""Lists whose order has a meaning, in addition to the cases of settlement."""

INSTEAD: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Comparison": {
        "equals": ("at-least", "at-most"),
        "differs-from": ("equals",),
        "at-least": ("more-than", "equals"),
        "at-most": ("equals", "at-least"),
        "more-than": ("at-least", "equals"),
    },
    "Value": {
        "equals": ("at-least", "at-most"),
        "at-least": ("equals", "at-most"),
        "at-most": ("equals", "at-least"),
        "more-than": ("at-most",),
    },
    "Counted": {
        "equals": ("at-least", "at-most"),
        "at-least": ("equals", "at-most"),
        "at-most": ("equals", "at-least"),
    },
    "Quantity": {
        "amount": ("tip",),
        "tip": ("amount",),
        "minimum": ("maximum",),
        "maximum": ("minimum",),
        "paid": ("taken",),
        "taken": ("paid",),
        "discarded": ("drawn",),
        "drawn": ("discarded",),
        "held": ("cards",),
    },
    "NumberStated": {
        "equals": ("at-least", "at-most"),
        "differs-from": ("equals",),
        "at-least": ("equals", "at-most"),
        "at-most": ("equals", "at-least"),
    },
    "Holds": {"at-least": ("is",), "is": ("at-least",)},
    "Moment": {"first": ("last",), "last": ("first",)},
    "Condition": {
        "placed": ("tipped",),
        "tipped": ("placed",),
        "some-seat": ("every-seat",),
        "every-seat": ("some-seat",),
    },
}
"""By model: an operator and those that are put in its place."""

MANY = 5
"""A closed list of more values than this is a scale or a catalogue: a value is changed to its neighbours only."""

NEIGHBOURS = 2
"""Number of names that replace a name."""


def is_left_unchanged(model: str, field: str) -> bool:
    """Return whether a field is left unchanged."""
    return f"{model}.{field}" in UNCHANGED or f"*.{field}" in UNCHANGED
