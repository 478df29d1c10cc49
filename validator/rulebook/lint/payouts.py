"""Settlement and pay tables that contradict themselves or lead nowhere, though every name in them is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from validator.cards.ranking_protocol import compile_order
from validator.language.conditions import Condition, Problem
from validator.operators.stakes import PaidAsDue
from validator.rulebook.lint.worked_out_from import worked_out_from
from validator.rules.core.regulation import Regulation
from validator.rules.model.game import Game
from validator.rules.model.pay_tables import PayTable, Scale
from validator.rules.model.settlement import ByTable, Case
from validator.text.trees.tree import Path

Span = tuple[int, int]
Spans = dict[str, Span]


def senseless_money(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """What cannot be meant in the settlement, the pay tables and the scales of a game."""
    lines = {*game.wagers, *game.bonuses} - (frozenset() if game.pots is None else game.pots.lines)
    if sorted(game.settlement.order) != sorted(lines):
        left = "" if game.pots is None else " that joins no pot"
        here: Path = ("settlement", "order") if "settlement" in game.model_fields_set else ("settlement",)
        yield here, f"`order` of the settlement must list every wager and bonus{left} once: {', '.join(sorted(lines))}"
    yield from _cases(regulation, game)
    yield from _caps(regulation, game)
    for name, scale in game.scales.items():
        yield from _scale(scale, ("scales", name))
    looks: dict[str, tuple[str, ...]] = {}
    for name, table in game.pay_tables.items():
        yield from _table(regulation, game, table, ("pay-tables", name))
        if looks.setdefault(table.for_, table.looks_at) != table.looks_at:
            key = "by" if table.by is not None else "hand"
            yield ("pay-tables", name, key), f"all pay tables of {table.for_} must look at the same"


def _cases(regulation: Regulation, game: Game) -> Iterator[Problem]:
    settled = Counter(
        case for one in regulation.requirements if one.check.operator == "settled" for case in one.check.operand.cases
    )
    for index, case in enumerate(game.settlement.cases):
        here: Path = ("settlement", "cases", index)
        if settled[case.case] != 1:
            yield (
                (*here, "case"),
                f"case {case.case} must be judged by one requirement, not by {settled[case.case]}",
            )
        asked = () if case.when is None else worked_out_from(game, case.when)
        if any(isinstance(one, Condition) and isinstance(one.meaning, PaidAsDue) for one in asked):
            yield (*here, "when"), f"what is due cannot hang on {PaidAsDue.key}, which holds payments against it"
        yield from _due(game, case, (*here, "due"))


def _due(game: Game, case: Case, here: Path) -> Iterator[Problem]:
    if case.due.operator == "outcome" and case.due.operand != "open":
        for line in case.lines:
            if (case.due.operand == "nothing") != (line in game.bonuses):
                yield here, f"{case.due.operand} cannot be due on {line}: a bonus is paid or nothing"
    elif case.due.operator == "pay-table":
        due: ByTable = case.due.operand
        looks = next((table.looks_at for table in game.pay_tables.values() if table.for_ == due.of), None)
        if looks is None:
            yield here, f"no pay table is printed for {due.of}"
        elif due.hand is None and len(looks) > 1:
            yield here, f"the pay table of {due.of} has rows of several hands: say which, {' or '.join(looks)}"
        elif due.hand is not None and due.hand not in looks:
            yield here, f"the pay table of {due.of} looks at {' and '.join(looks)}, not at {due.hand}"


def _caps(regulation: Regulation, game: Game) -> Iterator[Problem]:
    judged = Counter(one.check.operand.cap for one in regulation.requirements if one.check.operator == "capped")
    for index, cap in enumerate(game.settlement.caps):
        here: Path = ("settlement", "caps", index)
        if judged[cap.cap] != 1:
            yield (*here, "cap"), f"cap {cap.cap} must be judged by one requirement, not by {judged[cap.cap]}"


def _scale(scale: Scale, here: Path) -> Iterator[Problem]:
    for index, (above, below) in enumerate(pairwise(scale.bands)):
        if below.at_least >= above.at_least:
            yield (*here, "bands", index + 1, "at-least"), "bands must stand from the highest down"


def _table(regulation: Regulation, game: Game, table: PayTable, here: Path) -> Iterator[Problem]:
    known: list[list[Spans]] = []
    for name in table.looks_at:
        if table.by is None and "player" not in game.hands[name].from_:
            yield (*here, "hand"), f"{name} holds none of the player's cards, so it pays no player"
        known.append([_spans_of_scale(game.scales[name])] if table.by is not None else _spans(regulation, game, name))
    looked = " or ".join(table.looks_at)
    for row, payout in table.rows.items():
        of = [rankings for rankings in known if all(row in spans for spans in rankings)]
        if not of:
            what = "a band of" if table.by is not None else "a category that is ranked by"
            yield (*here, "rows", row), f"{row} is not {what} {looked}"
        elif len(of) > 1:
            yield (*here, "rows", row), f"{row} is a category of more than one of {looked}"
        if payout.unit == "meter" and table.meter is None:
            yield (*here, "rows", row), f"{payout} needs the name of the meter: `meter`"
        if payout.unit == "stake" and 0 < payout.value < 1 and any(one.form == "for" for one in table.otherwise):
            yield (*here, "rows", row), f"{payout} pays back less than the stake once it is worded with `for`"
    ordered = [
        _in_order({row: spans[row] for row in table.rows if row in spans}, here) for one in known for spans in one
    ]
    yield from dict.fromkeys(problem for problems in ordered for problem in problems)
    for index, one in enumerate(table.shared):
        if one.row not in table.rows:
            yield (*here, "shared", index, "row"), f"the table has no row {one.row}"
    bonus = game.bonuses.get(table.for_)
    if table.shared and bonus is not None and bonus.earned_by is not None:
        yield (*here, "shared"), f"what {table.for_} pays for each of several hands cannot be shared as well"


def _in_order(rows: Spans, here: Path) -> Iterator[Problem]:
    """Rows must stand from the highest down and not reach into each other."""
    for (above, (low, _)), (below, (_, high)) in pairwise(rows.items()):
        if rows[below] > rows[above]:
            yield (*here, "rows"), "rows must stand from the highest hand down"
            return
        if high > low:
            yield (*here, "rows", below), f"{below} and {above} have hands in common"


def _spans(regulation: Regulation, game: Game, hand: str) -> list[Spans]:
    """The strengths of everything that hands can be called by, in each ranking that a reading may put in force."""
    one = game.hands[hand]
    models = [
        regulation.vocabulary.rankings[name] for name in (one.rank_by, *(other.rank_by for other in one.otherwise))
    ]
    rankings = [(model.names(), compile_order(model)) for model in models]
    return [{name: ranking.span(name) for name in names} for names, ranking in rankings]


def _spans_of_scale(scale: Scale) -> Spans:
    ends = [*sorted(band.at_least for band in scale.bands), 2**62]
    return {band.band: (band.at_least, ends[ends.index(band.at_least) + 1]) for band in scale.bands}
