"""Semantic errors in tables, betting, pots, settlement and pay tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from pydantic import BaseModel

from fairdeal.validator.cards.hand_orders import compile_order
from fairdeal.validator.language.grammar import BUTTON, ReadingIs, walk_models
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.wager_operators import WagerIsPaidAsDue
from fairdeal.validator.rulebook.dependencies import is_step_by_pot_result, iterate_dependencies, list_expressions
from fairdeal.validator.rules.betting_model import Betting, Pots, Table
from fairdeal.validator.rules.game_model import Act, Game
from fairdeal.validator.rules.payment_model import ByTable, Case, Commission, PayTable, Scale
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.positioned_document import DataPath

_BY_OPEN_CARDS = ("best-showing", "worst-showing")


def find_betting_problems(game: Game) -> Iterator[Problem]:
    """Yield problems with positions, betting rounds and the kinds of decisions."""
    table, betting = game.table, game.betting
    if table is not None:
        yield from _check_positions(game, table)
    if betting is None:
        for name, decision in game.decisions.items():
            if decision.kind is not None:
                yield ("decisions", name, "kind"), "has a meaning only in a betting round, but the game has none"
        return
    if table is None:
        yield ("betting",), "betting in turn needs a `table`, but the game has none"
    yield from _check_rounds(game, betting)
    for here, part in walk_models(betting, ("betting",)):  # the sizes of bets must be known before anybody bets
        for expression, _, place in list_expressions(game, part, here):
            yield from check_free_of_betting(game, expression, place)
    forced = [forced_bet.wager for forced_bet in betting.forced]
    for index, wager in enumerate(forced):
        if wager in forced[:index] or wager == betting.wager:
            yield ("betting", "forced", index, "wager"), f"{wager} already has its meaning in the betting"


def _check_positions(game: Game, table: Table) -> Iterator[Problem]:
    if table.players.at_most < table.players.at_least:
        yield ("table", "players", "at-most"), f"the table must take at least {table.players.at_least} players"
    for name, cases in table.positions.items():
        here: DataPath = ("table", "positions", name)
        if name == BUTTON:
            yield here, "the log records the position of the button, so no rule defines it"
        elif name in _collect_base_positions(table, name):
            yield here, f"the position {name} is defined by itself"
        for index, case in enumerate(cases):
            yield from check_free_of_betting(game, case, (*here, index))
            if case.operator in _BY_OPEN_CARDS and game.hands[case.operand].cards != "open":
                yield (*here, index), f"compares open cards, but {case.operand} is no hand of `open` cards"
            if case.operator == "last-bettor" and game.betting is None:
                yield (*here, index), "refers to bets, but the game has no `betting`"


def _collect_base_positions(table: Table, name: str) -> set[str]:
    """Return the positions that a position is derived from."""
    positions: set[str] = set()
    pending = [name]
    while pending:
        for case in table.positions.get(pending.pop(), []):
            if case.operator in ("at", "after") and case.operand not in positions:
                positions.add(case.operand)
                pending.append(case.operand)
    return positions


def _check_rounds(game: Game, betting: Betting) -> Iterator[Problem]:
    earlier_steps: list[str] = []
    for index, betting_round in enumerate(betting.rounds):
        here: DataPath = ("betting", "rounds", index)
        if index == 0 and betting_round.after is not None:
            yield (*here, "after"), "the first betting round begins with the round of play"
        elif index > 0 and betting_round.after is None:
            yield here, "a betting round that is not the first comes `after` a step"
        elif betting_round.after in earlier_steps:
            yield (*here, "after"), "another betting round begins after this step"
        yield from _check_opener_cards(game, betting, index)
        if betting_round.or_larger is not None and betting_round.size is None:
            yield (*here, "or-larger"), "requires the fixed `size` to which it is the alternative"
        if betting_round.after is not None:
            earlier_steps.append(betting_round.after)
            step = game.all_acts[betting_round.after]
            if step.when is not None:
                yield from check_free_of_betting(game, step.when, (*here, "after"))
            if _is_exchange(game, step) and not _has_stand_pat(game, step):
                yield (*here, "after"), "the step lacks the decision to stand pat, so the exchange may leave no event"
        if game.table is not None and any(
            case.operator == "last-bettor"
            for name in {betting_round.opens, *_collect_base_positions(game.table, betting_round.opens)}
            for case in game.table.positions.get(name, [])
        ):
            yield (*here, "opens"), "the opener depends on who bet last"


def _check_opener_cards(game: Game, betting: Betting, index: int) -> Iterator[Problem]:
    """Yield a problem if the opener of a betting round depends on cards that are dealt after the round."""
    next_step = betting.rounds[index + 1].after if index + 1 < len(betting.rounds) else None
    stages = [stage.stage for stage in game.deal.stages]
    next_stage = game.all_acts[next_step].stage if next_step in game.all_acts else None
    opener = betting.rounds[index].opens
    if game.table is None or next_stage is None:
        return
    for position in {opener, *_collect_base_positions(game.table, opener)}:
        for case in game.table.positions.get(position, []):
            if case.operator not in _BY_OPEN_CARDS:
                continue
            through = game.hands[case.operand].through or stages[-1]
            if stages.index(through) >= stages.index(next_stage):
                yield ("betting", "rounds", index, "opens"), f"the opener depends on cards of the later stage {through}"


def _is_exchange(game: Game, step: Act) -> bool:
    """Return whether a step belongs to a stage in which cards are exchanged."""
    return any(game.deal.stages[number].stage == step.stage for number in game.deal.exchanging_stages)


def _has_stand_pat(game: Game, step: Act) -> bool:
    words = {name for name, decision in game.decisions.items() if decision.kind == "stand-pat"}
    return "decide" in step.events and bool(words) and (not step.decisions or not words.isdisjoint(step.decisions))


def check_free_of_betting(game: Game, model: BaseModel, here: DataPath) -> Iterator[Problem]:
    """Yield a problem if a part that determines the betting depends on the betting or on positions."""
    for part in iterate_dependencies(game, model):
        if is_step_by_pot_result(part) or (
            isinstance(part, Condition | Quantity) and OPERATORS.find(part).depends_on_betting
        ):
            yield here, "depends on the result of the betting or on positions, which themselves depend on this"
            return


def find_pot_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield problems with the pots of a game, and steps that refer to pots in a game without them."""
    if game.pots is None:
        for name, act in game.all_acts.items():
            for key, value in (("pot", act.pot), ("of-seats", act.of_seats)):
                if value is not None:
                    yield (*game.locate_act(name), key), "the game has no pots"
        return
    yield from _check_lines(game, game.pots)
    yield from _find_cycles_through_pots(game, game.pots)
    yield from _check_shares(regulation, game, game.pots)
    yield from _check_order_of_readings(game.pots.odd_chips, ("pots", "odd-chips"), otherwise=True)
    yield from _check_order_of_readings(game.pots.rake, ("pots", "rake"), otherwise=False)


def _check_lines(game: Game, pots: Pots) -> Iterator[Problem]:
    always: set[str] = set()
    for index, part in enumerate(pots.parts):
        here: DataPath = ("pots", "parts", index)
        for line in part.lines:
            if line not in game.wagers:
                yield (*here, "lines"), f"{line} is no wager: only stakes of players can join a pot"
            elif line in always:
                yield (*here, "lines"), f"an earlier case decides {line} in every round"
        if part.when is None:
            always.update(part.lines)
    for line in sorted(pots.lines - always):
        yield ("pots", "parts"), f"no case without a condition says how {line} joins the pots"
    if pots.uncalled not in pots.lines:
        yield ("pots", "uncalled"), f"{pots.uncalled} joins no pot"
    if game.betting is None:
        yield ("pots",), "the winners of pots depend on betting rounds: the game needs `betting`"
    elif game.betting.wager != pots.uncalled:
        yield ("pots", "uncalled"), f"must be the line that players bet on, {game.betting.wager}"


def _check_shares(regulation: Regulation, game: Game, pots: Pots) -> Iterator[Problem]:
    for index, share in enumerate(pots.shares):
        here: DataPath = ("pots", "shares", index)
        hand = game.hands[share.hand]
        if "player" not in hand.from_:
            yield (*here, "hand"), f"{share.hand} holds none of the player's cards, so it distinguishes no players"
        for name in (hand.rank_by, *(other.rank_by for other in hand.otherwise)):
            if share.at_least is not None and share.at_least not in regulation.vocabulary.rankings[name].list_names():
                yield (*here, "at-least"), f"{share.at_least} is not a category of {name}, which ranks {share.hand}"
    if all(share.at_least is not None for share in pots.shares):
        yield ("pots", "shares"), "one share must be open to any hand, or a pot may have no winner"


class _CaseByReading(Protocol):
    @property
    def reading(self) -> ReadingIs | None: ...


def _check_order_of_readings(cases: Sequence[_CaseByReading], here: DataPath, *, otherwise: bool) -> Iterator[Problem]:
    """Yield cases after one that always holds; with `otherwise`, the last case must always hold."""
    for index, case in enumerate(cases[:-1]):
        if case.reading is None:
            yield (*here, index + 1), "an earlier case always holds"
            return
    if otherwise and cases[-1].reading is not None:
        yield (*here, len(cases) - 1, "reading"), "the last case must always hold"


def _find_cycles_through_pots(game: Game, pots: Pots) -> Iterator[Problem]:
    """Yield conditions that determine the pots and depend on them."""
    for index, part in enumerate(pots.parts):
        if part.when is not None and _depends_on_pots(game, part.when):
            yield ("pots", "parts", index, "when"), "depends on pots, which depend on it"
    if pots.refunded is not None and _depends_on_pots(game, pots.refunded):
        yield ("pots", "refunded"), "depends on pots, which depend on it"
    if pots.untold is not None and _depends_on_pots(game, pots.untold, amounts=False):
        yield ("pots", "untold"), "depends on the winners of pots, which depend on it"
    before = {"betting": game.betting, "table": game.table}
    for key, model in before.items():
        if model is not None and _depends_on_pots(game, model):
            yield (key,), "depends on pots, which depend on it"


def _depends_on_pots(game: Game, model: BaseModel, *, amounts: bool = True) -> bool:
    """Return whether a model depends on the winners of pots, or with `amounts` on pots at all."""
    return any(
        is_step_by_pot_result(part)
        or (amounts and isinstance(part, Quantity) and OPERATORS.find(part).needs_pots(part.operand))
        for part in iterate_dependencies(game, model)
    )


StrengthRange = tuple[int, int]
"""Range of strengths: the lowest, and the first above the highest."""
StrengthRanges = dict[str, StrengthRange]
"""Range of strengths of each category or band."""


def find_payout_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield the problems of settlement, pay tables and scales of a game."""
    lines = {*game.wagers, *game.bonuses} - (frozenset() if game.pots is None else game.pots.lines)
    if sorted(game.settlement.order) != sorted(lines):
        left = "" if game.pots is None else " that joins no pot"
        here: DataPath = ("settlement", "order") if "settlement" in game.model_fields_set else ("settlement",)
        yield here, f"`order` of the settlement must list every wager and bonus{left} once: {', '.join(sorted(lines))}"
    yield from _check_cases(regulation, game)
    yield from _check_caps(regulation, game)
    for name, scale in game.scales.items():
        yield from _check_scale(scale, ("scales", name))
    looks: dict[str, tuple[str, ...]] = {}
    for name, table in game.pay_tables.items():
        yield from _check_pay_table(regulation, game, table, ("pay-tables", name))
        if looks.setdefault(table.of, table.lookup_names) != table.lookup_names:
            key = "by" if table.by is not None else "hand"
            yield ("pay-tables", name, key), f"all pay tables of {table.of} must use the same hands or scale"


def _check_cases(regulation: Regulation, game: Game) -> Iterator[Problem]:
    settled = Counter(
        case
        for requirement in regulation.requirements
        if requirement.check.operator == "settled"
        for case in requirement.check.operand.cases
    )
    for index, case in enumerate(game.settlement.cases):
        here: DataPath = ("settlement", "cases", index)
        if settled[case.case] != 1:
            yield (
                (*here, "case"),
                f"case {case.case} must be judged by one requirement, not by {settled[case.case]}",
            )
        dependencies = () if case.when is None else iterate_dependencies(game, case.when)
        if any(
            isinstance(part, Condition) and isinstance(OPERATORS.find(part), WagerIsPaidAsDue) for part in dependencies
        ):
            yield (
                (*here, "when"),
                f"what is due cannot depend on {WagerIsPaidAsDue.key}, which compares payments with it",
            )
        yield from _check_due(game, case, (*here, "due"))
    for name, wager in game.wagers.items():
        if wager.against is not None:
            yield from _check_debt(game, wager.against.commission, ("wagers", name, "against"))
            banker = wager.against.outcome
            outcome = game.outcomes[banker]
            if None not in map(outcome.read_number, outcome.weights):
                message = f"each value of {banker} is a number: one must mean that the house has the bank"
                yield ("wagers", name, "against", "outcome"), message


def _check_debt(game: Game, commission: Commission | None, here: DataPath) -> Iterator[Problem]:
    debt = None if commission is None else commission.owed
    if debt is not None and game.wagers[debt].placed != "with-a-payment":
        yield (*here, "commission", "owed"), f"{debt} is no debt: a debt has `placed: with-a-payment`"


def _check_due(game: Game, case: Case, here: DataPath) -> Iterator[Problem]:
    yield from _check_debt(game, case.due.commission, here)
    if case.due.operator == "outcome" and case.due.operand != "open":
        for number, line in enumerate(case.lines):
            if (case.due.operand == "nothing") != (line in game.bonuses):
                message = (
                    "a bonus has no stake: leave it out here, and give it a case with `due: nothing`"
                    if line in game.bonuses
                    else "a wager has a stake, which is returned or lost"
                )
                yield (*here[:-1], "lines", number), f"{case.due.operand} cannot be due on {line}: {message}"
    elif case.due.operator == "share":
        order = game.settlement.order
        for line in case.lines:
            if line in game.bonuses:
                yield here, f"{line} has no stake, so no part of a loss can be taken of it"
            elif order.index(line) <= order.index(case.due.operand.of):
                yield (*here, "share", "of"), f"{line} must come after {case.due.operand.of} in the order of settlement"
    elif case.due.operator == "loses":
        for line in (line for line in case.lines if line in game.bonuses):
            yield here, f"{line} has no stake, so no part of it can be taken: a bonus is paid or nothing"
    elif case.due.operator == "pay-table":
        due: ByTable = case.due.operand
        looks = next((table.lookup_names for table in game.pay_tables.values() if table.of == due.of), None)
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
        here: DataPath = ("settlement", "caps", index)
        if judged[cap.cap] != 1:
            yield (*here, "cap"), f"cap {cap.cap} must be judged by one requirement, not by {judged[cap.cap]}"


def _check_scale(scale: Scale, here: DataPath) -> Iterator[Problem]:
    for above, below in pairwise(scale.bands):
        if scale.bands[below] >= scale.bands[above]:
            yield (*here, "bands", below), "bands must be listed from the highest down"


def _check_pay_table(regulation: Regulation, game: Game, table: PayTable, here: DataPath) -> Iterator[Problem]:
    known: list[list[StrengthRanges]] = []
    for name in table.lookup_names:
        if table.by is None and "player" not in game.hands[name].from_:
            yield (*here, "hand"), f"{name} holds none of the player's cards, so it pays no player"
        known.append(
            [_get_band_ranges(game.scales[name])]
            if table.by is not None
            else _list_category_ranges(regulation, game, name)
        )
    hand_names = " or ".join(table.lookup_names)
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
        if share.category not in table.rows:
            yield (*here, "shared", index, "category"), f"the table has no row {share.category}"
    bonus = game.bonuses.get(table.of)
    if table.shared and bonus is not None and bonus.earned_by is not None:
        yield (*here, "shared"), f"{table.of} pays for each of several hands, so its payout cannot also be shared"


def _check_row_order(rows: StrengthRanges, here: DataPath) -> Iterator[Problem]:
    """Yield rows that are not listed from the highest down, or that overlap."""
    for (above, (low, _)), (below, (_, high)) in pairwise(rows.items()):
        if rows[below] > rows[above]:
            message = f"rows must be listed from the highest hand down, but {below} is higher than {above}"
            yield (*here, "rows", below), message
            return
        if high > low:
            yield (
                (*here, "rows", below),
                (
                    f"{below} and {above} have hands in common: name a band of the ranking without them, or make the "
                    "better one a category of its own"
                ),
            )


def _list_category_ranges(regulation: Regulation, game: Game, hand: str) -> list[StrengthRanges]:
    """Return the ranges of strengths of all categories, for each ranking that a reading may put in force."""
    definition = game.hands[hand]
    models = [
        regulation.vocabulary.rankings[name]
        for name in (definition.rank_by, *(other.rank_by for other in definition.otherwise))
    ]
    rankings = [(model.list_names(), compile_order(model)) for model in models]
    return [{name: ranking.span(name) for name in names} for names, ranking in rankings]


def _get_band_ranges(scale: Scale) -> StrengthRanges:
    ends = [*sorted(scale.bands.values()), 2**62]
    return {band: (least, ends[ends.index(least) + 1]) for band, least in scale.bands.items()}
