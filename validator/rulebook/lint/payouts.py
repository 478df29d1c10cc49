"""Semantic errors in settlement and pay tables."""

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
"""Range of strengths: the lowest, and the first above the highest."""
Spans = dict[str, Span]
"""Range of strengths of each category or band."""


def senseless_money(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield the problems of settlement, pay tables and scales of a game."""
    lines = {*game.wagers, *game.bonuses} - (frozenset() if game.pots is None else game.pots.lines)
    if sorted(game.settlement.order) != sorted(lines):
        left = "" if game.pots is None else " that joins no pot"
        here: Path = ("settlement", "order") if "settlement" in game.model_fields_set else ("settlement",)
        yield here, f"`order` of the settlement must list every wager and bonus{left} once: {', '.join(sorted(lines))}"
    yield from _check_cases(regulation, game)
    yield from _check_caps(regulation, game)
    for name, scale in game.scales.items():
        yield from _check_scale(scale, ("scales", name))
    looks: dict[str, tuple[str, ...]] = {}
    for name, table in game.pay_tables.items():
        yield from _check_pay_table(regulation, game, table, ("pay-tables", name))
        if looks.setdefault(table.for_, table.looks_at) != table.looks_at:
            key = "by" if table.by is not None else "hand"
            yield ("pay-tables", name, key), f"all pay tables of {table.for_} must use the same hands or scale"


def _check_cases(regulation: Regulation, game: Game) -> Iterator[Problem]:
    settled = Counter(
        case
        for requirement in regulation.requirements
        if requirement.check.operator == "settled"
        for case in requirement.check.operand.cases
    )
    for index, case in enumerate(game.settlement.cases):
        here: Path = ("settlement", "cases", index)
        if settled[case.case] != 1:
            yield (
                (*here, "case"),
                f"case {case.case} must be judged by one requirement, not by {settled[case.case]}",
            )
        dependencies = () if case.when is None else worked_out_from(game, case.when)
        if any(isinstance(part, Condition) and isinstance(part.meaning, PaidAsDue) for part in dependencies):
            yield (*here, "when"), f"what is due cannot depend on {PaidAsDue.key}, which compares payments with it"
        yield from _check_due(game, case, (*here, "due"))


def _check_due(game: Game, case: Case, here: Path) -> Iterator[Problem]:
    if case.due.operator == "outcome" and case.due.operand != "open":
        for line in case.lines:
            if (case.due.operand == "nothing") != (line in game.bonuses):
                yield here, f"{case.due.operand} cannot be due on {line}: a bonus is paid or nothing"
    elif case.due.operator == "pay-table":
        due: ByTable = case.due.operand
        looks = next((table.looks_at for table in game.pay_tables.values() if table.for_ == due.of), None)
        if looks is None:
            yield here, f"{due.of} has no pay table"
        elif due.hand is None and len(looks) > 1:
            yield here, f"the pay table of {due.of} has rows of several hands: name one, {' or '.join(looks)}"
        elif due.hand is not None and due.hand not in looks:
            yield here, f"the pay table of {due.of} uses {' and '.join(looks)}, not {due.hand}"


def _check_caps(regulation: Regulation, game: Game) -> Iterator[Problem]:
    judged = Counter(
        requirement.check.operand.cap
        for requirement in regulation.requirements
        if requirement.check.operator == "capped"
    )
    for index, cap in enumerate(game.settlement.caps):
        here: Path = ("settlement", "caps", index)
        if judged[cap.cap] != 1:
            yield (*here, "cap"), f"cap {cap.cap} must be judged by one requirement, not by {judged[cap.cap]}"


def _check_scale(scale: Scale, here: Path) -> Iterator[Problem]:
    for index, (above, below) in enumerate(pairwise(scale.bands)):
        if below.at_least >= above.at_least:
            yield (*here, "bands", index + 1, "at-least"), "bands must be listed from the highest down"


def _check_pay_table(regulation: Regulation, game: Game, table: PayTable, here: Path) -> Iterator[Problem]:
    known: list[list[Spans]] = []
    for name in table.looks_at:
        if table.by is None and "player" not in game.hands[name].from_:
            yield (*here, "hand"), f"{name} holds none of the player's cards, so it pays no player"
        known.append(
            [_get_band_ranges(game.scales[name])]
            if table.by is not None
            else _list_category_ranges(regulation, game, name)
        )
    hand_names = " or ".join(table.looks_at)
    for row, payout in table.rows.items():
        matching = [rankings for rankings in known if all(row in spans for spans in rankings)]
        if not matching:
            what = "a band of" if table.by is not None else "a category that is ranked by"
            yield (*here, "rows", row), f"{row} is not {what} {hand_names}"
        elif len(matching) > 1:
            yield (*here, "rows", row), f"{row} is a category of more than one of {hand_names}"
        if payout.unit == "meter" and table.meter is None:
            yield (*here, "rows", row), f"{payout} needs the name of the meter: `meter`"
        if (
            payout.unit == "stake"
            and 0 < payout.value < 1
            and any(wording.form == "for" for wording in table.otherwise)
        ):
            yield (*here, "rows", row), f"{payout} returns less than the stake if it is worded with `for`"
    ordered = [
        _check_row_order({row: spans[row] for row in table.rows if row in spans}, here)
        for alternatives in known
        for spans in alternatives
    ]
    yield from dict.fromkeys(problem for problems in ordered for problem in problems)
    for index, share in enumerate(table.shared):
        if share.row not in table.rows:
            yield (*here, "shared", index, "row"), f"the table has no row {share.row}"
    bonus = game.bonuses.get(table.for_)
    if table.shared and bonus is not None and bonus.earned_by is not None:
        yield (*here, "shared"), f"{table.for_} pays for each of several hands, so its payout cannot also be shared"


def _check_row_order(rows: Spans, here: Path) -> Iterator[Problem]:
    """Yield rows that are not listed from the highest down, or that overlap."""
    for (above, (low, _)), (below, (_, high)) in pairwise(rows.items()):
        if rows[below] > rows[above]:
            yield (*here, "rows"), "rows must be listed from the highest hand down"
            return
        if high > low:
            yield (*here, "rows", below), f"{below} and {above} have hands in common"


def _list_category_ranges(regulation: Regulation, game: Game, hand: str) -> list[Spans]:
    """Return the ranges of strengths of all categories, for each ranking that a reading may put in force."""
    definition = game.hands[hand]
    models = [
        regulation.vocabulary.rankings[name]
        for name in (definition.rank_by, *(other.rank_by for other in definition.otherwise))
    ]
    rankings = [(model.names(), compile_order(model)) for model in models]
    return [{name: ranking.span(name) for name in names} for names, ranking in rankings]


def _get_band_ranges(scale: Scale) -> Spans:
    ends = [*sorted(band.at_least for band in scale.bands), 2**62]
    return {band.band: (band.at_least, ends[ends.index(band.at_least) + 1]) for band in scale.bands}
