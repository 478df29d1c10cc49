"""Sentences that end with nested lists: phrases about checks, rules of drawing, payments, pay tables and pots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.house_terms import find_spans
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition, join_names, replace_hyphens
from fairdeal.validator.operators.rule_renderer import describe_condition, describe_quantity, read_condition
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rules.check_model import AwardedCheck, CappedCheck, EveryCheck, SettledCheck
from fairdeal.validator.rules.deal_model import DrawingRule, DrawnByCheck
from fairdeal.validator.rules.payment_model import BankShare, Case, Commission, PayTable
from fairdeal.validator.rules.regulation import Regulation, line_title
from fairdeal.validator.text.plain_values import format_money

SIDES = {"dealer-left": "dealer's left", "dealer-right": "dealer's right"}
"""Sides of the table in words."""
_OCCASIONS = {"table-opens": "the table opens", "round-dealt": "the last card of a round is dealt"}


def name_moment(prepared: CompiledGame, name: str) -> str:
    """Return the title of a step or occasion."""
    return _OCCASIONS.get(name) or prepared.steps[name].title


def describe_interval(check: EveryCheck) -> str:
    """Describe how often something must happen: `at least once in every 8 hours, for each deck`."""
    size, each = check.within.operand, ", for each deck" if check.each else ""
    period = {
        "hours": f"every {format_count(size, 'hour')}",
        "rounds": f"any {format_count(size, 'consecutive round')}",
        "blocks-of": f"each {format_count(size, 'round')}, counted from the opening of the table",
    }[check.within.operator]
    return f"at least once in {period}{each}"


def describe_due_steps(prepared: CompiledGame, steps: Sequence[str], before: Sequence[str]) -> str:
    """Describe that steps must come in order before others: `the deck is cut before the cards are dealt`."""
    due = "; then ".join(name_moment(prepared, step) for step in steps)
    waiting = " or ".join(name_moment(prepared, step) for step in before)
    return f"{due}{'; all of it' if len(steps) > 1 else ''} before {waiting}"


def describe_missing_steps(steps: Sequence[str]) -> str:
    """Describe the steps that were not done. Later steps do not count before the first missing one."""
    return "without the first of these" if len(steps) > 1 else "without this"


_JOINTS = {"all": "all of these", "any": "at least one of these"}
_DECIDED = {True: "always", False: "never, under the readings in use"}
_MAX_LENGTH = 100
"""Maximum length in characters of joined parts on one line."""


class Sentence(Struct, frozen=True):
    """Sentence, or item of a list that a sentence ends with."""

    text: str
    depth: int = 0
    """Nesting depth; 0 is a sentence of its own."""


def indent(sentences: Iterable[Sentence], depth: int = 1) -> Iterator[Sentence]:
    """Indent sentences."""
    return (Sentence(sentence.text, sentence.depth + depth) for sentence in sentences)


def list_parts(head: str, parts: Sequence[str], joint: str) -> Iterator[Sentence]:
    """Yield parts after a head: one part on the same line, several as a list; `joint` says how they are combined."""
    if len(parts) == 1:
        yield Sentence(f"{head}: {parts[0]}")
        return
    yield Sentence(f"{head}, {joint}:")
    yield from (Sentence(part, 1) for part in parts)


def list_condition(prepared: CompiledGame, head: str, condition: Condition) -> Iterator[Sentence]:
    """Describe a condition after a head; joined parts become a list, without those that the readings have decided."""
    return _list_condition(head, condition, lambda part: read_condition(prepared, part))


def list_restriction(prepared: CompiledGame, condition: Condition | None, head: str = "Only if") -> Iterator[Sentence]:
    """Describe the condition of a rule, unless it always or never holds under the readings in use."""
    if condition is not None and isinstance(read_condition(prepared, condition), str):
        yield from list_condition(prepared, head, condition)


def list_submission_condition(
    regulation: Regulation, condition: SubmissionCondition | None, head: str = "Only if"
) -> Iterator[Sentence]:
    """Describe a condition on a submission after a head, unless the readings in use decide it."""
    read = condition is None or SUBMISSION_OPERATORS.apply_readings(condition, regulation)
    if not isinstance(read, bool):
        yield from _list_condition(head, read, SUBMISSION_OPERATORS.describe)


def _list_condition(
    head: str, condition: Condition | SubmissionCondition, read: Callable[[Any], str | bool]
) -> Iterator[Sentence]:
    """Describe a condition of either kind as a sentence, or as a list if it joins parts.

    Args:
        head: text before the condition; empty within a list, where short parts stay on one line.
        condition: the condition.
        read: describes a condition, or decides it by the readings in use.
    """
    whole, operand = read(condition), condition.operand
    if isinstance(whole, bool):
        yield Sentence(f"{head}: {_DECIDED[whole]}")
        return
    if condition.operator == "evident":
        yield from _list_condition(head, operand, read)
        return
    parts = [part for part in operand if isinstance(read(part), str)] if condition.operator in _JOINTS else []
    before = f"{head}: " if head else ""
    if len(parts) == 1:
        yield from _list_condition(head, parts[0], read)
    elif parts and (head or len(whole) > _MAX_LENGTH):
        yield Sentence(f"{head}, {_JOINTS[condition.operator]}:" if head else f"{_JOINTS[condition.operator]}:")
        for part in parts:
            yield from indent(_list_condition("", part, read))
    elif condition.operator == "every" and len(whole) > _MAX_LENGTH:
        yield Sentence(f"{before}{whole.removesuffix(str(read(operand.must))).rstrip()}")
        yield from indent(_list_condition("", operand.must, read))
    else:
        yield Sentence(f"{before}{whole}")


def describe_drawn_by(prepared: CompiledGame, check: DrawnByCheck) -> Iterator[Sentence]:
    """Yield the sentences of a check by rules of drawing."""
    drawing = prepared.game.drawing[check.drawing]
    yield Sentence(
        f"{drawing.title[:1].upper()}{drawing.title[1:]}: the first rule that covers a hand, and that the hand can "
        + (
            "follow, determines how the cards are set. Other cards go where the Low Hand is as high as possible. "
            if drawing.sets_cards
            else "follow, determines the cards to keep; the others are discarded. "
        )
        + "Rules checked here:"
    )
    earlier_rules: list[str] = []  # rules that take precedence
    for rule in drawing.rules:
        condition = read_condition(prepared, rule.when)
        if check.checks_rule(rule.rule) and condition is not False:
            earlier = ", ".join(map(replace_hyphens, earlier_rules))
            hand = (
                condition
                if isinstance(condition, str)
                else f"any hand not covered by {earlier}"
                if earlier_rules
                else "any hand"
            )
            yield Sentence(
                f"{replace_hyphens(rule.rule)} ({', '.join(rule.clauses)}): {hand}: {_describe_drawing_rule(rule)}", 1
            )
        if isinstance(condition, str):
            earlier_rules.append(rule.rule)


_PREFERRED = {"best-completed": "those that make the best hand", "highest-cards": "the highest of them"}


def _describe_drawing_rule(rule: DrawingRule) -> str:
    if rule.set_ is None:
        return f"keep {_describe_kept(rule.keep)}"
    parts = []
    for group in rule.set_.groups or ():
        ranks = f" ({join_names(group.ranks, 'or')})" if group.ranks else ""
        low = f"{group.low} in the Low Hand" if group.low else ""
        high = f"{group.cards - group.low} in the High Hand" if group.cards > group.low else ""
        parts.append(f"of {group.cards} of one rank{ranks}, {join_names([part for part in (low, high) if part])}")
    if rule.set_.complete:
        parts.append(f"a High Hand that is a {join_names([*map(replace_hyphens, rule.set_.complete)], 'or')}")
    return "; ".join(parts)


def _describe_kept(keep: Any) -> str:
    if keep == "all":
        return "all cards"
    if hasattr(keep, "toward"):
        by = f", if at least {keep.completed_by} ranks would complete it" if keep.completed_by else ""
        best = f", {_PREFERRED[keep.prefer]}" if keep.prefer else ""
        return f"{keep.cards} cards to a {keep.toward.replace('-', ' ')}{by}{best}"
    groups = ["the cards of its groups"] if keep.groups else []
    number, which = (keep.lowest, "lowest") if keep.lowest else (keep.highest, "highest")
    what = ("other" if groups else "card") + ("" if number == 1 else "s")
    others = [f"the {'' if number == 1 else f'{number} '}{which} {what}"] if number else []
    return " and ".join(groups + others)


_OUTCOMES = {
    "lost": "lost, the stake is taken",
    "returned": "returned, nothing is paid and nothing taken",
    "stays": "not decided, the stake stays on the table",
    "nothing": "nothing is paid",
    "open": "the house chooses the amount",
}
_PAY_TABLE_MATCH = {
    "exactly": "by the pay table in use, which must be a printed one",
    "at-least": "at least by the printed pay table, and as posted where more is posted",
    "at-least-posted": "at least by the pay table in use",
    "at-least-printed": "at least by the printed pay table",
}
_AWARDED = {
    "shares": "Every pot goes in even shares to the best hands among those who may win it",
    "uncalled": "An uncalled bet is returned to its owner",
    "refunds": "Everything that each seat put in is returned to it",
}


def _describe_settled(prepared: CompiledGame, check: SettledCheck) -> Iterator[Sentence]:
    cases = list_checked_cases(prepared, check)
    yield Sentence("The amounts paid and taken are the amounts due:")
    for case in cases:
        yield from indent(_describe_case(prepared, case, list_earlier_cases(prepared, case)))
    for table in list_pay_tables(prepared, cases):
        yield from indent(_describe_table(prepared, table))


def list_checked_cases(prepared: CompiledGame, check: SettledCheck) -> list[Case]:
    """Return the cases of a check that may arise under the readings in use."""
    return [
        candidate
        for candidate in prepared.game.settlement.cases
        if candidate.case in check.cases and may_arise(prepared, candidate)
    ]


def may_arise(prepared: CompiledGame, case: Case) -> bool:
    """Return whether a case can hold under the readings in use, and no earlier case takes all of its lines."""
    cases, when = prepared.game.settlement.cases, read_condition(prepared, case.when)
    before = [
        earlier for earlier in cases[: cases.index(case)] if read_condition(prepared, earlier.when) in (when, True)
    ]
    return when is not False and not {*case.lines} <= {line for earlier in before for line in earlier.lines}


def list_earlier_cases(prepared: CompiledGame, case: Case) -> list[Case]:
    """Return the earlier cases of settlement for the same lines that may arise under the readings in use."""
    cases = prepared.game.settlement.cases
    before = cases[: cases.index(case)]
    return [earlier for earlier in before if {*earlier.lines} & {*case.lines} and may_arise(prepared, earlier)]


def list_pay_tables(prepared: CompiledGame, cases: Sequence[Case]) -> list[PayTable]:
    """Return the pay tables of cases."""
    lines = {case.due.operand.of for case in cases if case.due.operator == "pay-table"}
    return [table for table in prepared.game.pay_tables.values() if table.of in lines]


def _describe_case(prepared: CompiledGame, case: Case, earlier: list[Case]) -> Iterator[Sentence]:
    """Describe a case of settlement; `earlier` are the cases that take precedence."""
    lines = join_names([line_title(prepared.game, line) for line in case.lines])
    due, clauses = _describe_due(prepared, case), ", ".join(case.clauses)
    yield Sentence(f"{lines}: {due} (case “{replace_hyphens(case.case)}”, {clauses})")
    yield from indent(list_restriction(prepared, case.when, "where"))
    if earlier:
        yield Sentence("unless one of these cases applies first:", 1)
        for earlier_case in earlier:
            when = "always" if earlier_case.when is None else describe_condition(prepared, earlier_case.when)
            yield Sentence(f"“{replace_hyphens(earlier_case.case)}”: {when}", 2)


def _describe_table(prepared: CompiledGame, table: PayTable) -> Iterator[Sentence]:
    """Describe a pay table: the hand or number looked up, its rows, and results without a row."""
    game, reads = prepared.game, prepared.regulation.is_option_in_force
    name = next(name for name, candidate in game.pay_tables.items() if candidate is table)
    ladders = [] if table.by else [prepared.hands[hand].ranking for hand in table.lookup_names]
    on = (
        game.scales[table.by].title
        if table.by
        else join_names([game.hands[hand].title for hand in table.lookup_names], "or")
    )
    yield Sentence(f"pay table {name} ({on}): {describe_rows(table)}")
    for unlisted in prepared.unlisted_rows:
        known = any(find_spans(ladder, [unlisted.category]) for ladder in ladders)
        if known and unlisted.category not in table.rows and (unlisted.pays or unlisted.pays_as in table.rows):
            paid, read = (
                unlisted.pays or f"as {replace_hyphens(str(unlisted.pays_as))}",
                ", under the readings in use" if unlisted.reading else "",
            )
            yield Sentence(f"{replace_hyphens(unlisted.category)}: {paid}{read}", 1)
    for share in table.shared:
        if share.reading is None or reads(share.reading.name, share.reading.is_):
            among = describe_condition(prepared, share.when)
            yield Sentence(
                f"{replace_hyphens(share.category)}: shared equally among the seats for which this holds: {among}", 1
            )
    lowest = min((start for ladder in ladders for start, _ in find_spans(ladder, table.rows).values()), default=0)
    if lowest > 0:
        lost = "nothing is paid" if table.of in game.bonuses else "the wager is lost"
        yield Sentence(f"a result without a row: {lost}", 1)


def _describe_due(prepared: CompiledGame, case: Case) -> str:
    match case.due.operator:
        case "outcome":
            return _OUTCOMES[case.due.operand]
        case "odds":
            stays = ", and the stake stays on the table" if case.due.stays else ""
            return f"paid {case.due.operand}{_describe_commission(case.due.commission)}{stays}"
        case "share":
            share: BankShare = case.due.operand
            what = f"{share.percent} % of what the bank wins in the round on {line_title(prepared.game, share.of)}"
            return f"paid {what}{_describe_commission(case.due.commission)}; the same part of a loss is taken"
        case "loses":
            taken, of = case.due.operand.value.as_integer_ratio()
            return f"lost in part, {taken} of every {of} staked is taken and the rest returned"
        case _:
            return _PAY_TABLE_MATCH[case.due.operand.match]


def _describe_commission(commission: Commission | None) -> str:
    if commission is None:
        return ""
    rounded = commission.rounded
    rule = "" if rounded is None else f", rounded {_ROUNDED[rounded.allow]} multiple of {format_money(rounded.to)}"
    share = f"a commission of {commission.percent} % of the payment{rule}"
    return f" less {share}" if commission.owed is None else f", and {share} is owed"


_ROUNDED = {
    "either": "to either",
    "nearest": "to the nearest",
    "down": "down to a",
    "up": "up to a",
}


def describe_rows(table: PayTable) -> str:
    """Describe the rows of a pay table as printed: `pair 1 to 1, flush 3 to 1`."""
    base = "" if table.wager is None else f", for a wager of {format_money(table.wager)} and in proportion for others"
    return ", ".join(f"{replace_hyphens(row)} {payout}" for row, payout in table.rows.items()) + base


def _describe_capped(prepared: CompiledGame, check: CappedCheck) -> Iterator[Sentence]:
    cap = next(limit for limit in prepared.game.settlement.caps if limit.cap == check.cap)
    lines = join_names([line_title(prepared.game, line) for line in cap.lines])
    most = describe_quantity(prepared, cap.at_most, money=True)
    yield Sentence(f"{lines}: the total paid for each {cap.each} is the total due, but at most {most}.")
    yield from list_restriction(prepared, cap.when)


def _describe_awarded(prepared: CompiledGame, check: AwardedCheck) -> Iterator[Sentence]:
    yield Sentence(f"{_AWARDED[check.asks]}.")
    pots = prepared.pots
    if check.asks == "shares":
        for share in pots.shares:
            least = f", {share.at_least.replace('-', ' ')} or better" if share.at_least else ""
            yield Sentence(f"A share is won by {prepared.game.hands[share.hand].title}{least}.")
    for part in pots.parts:
        lines = join_names([line_title(prepared.game, line) for line in part.lines])
        condition = read_condition(prepared, part.when)
        if condition is not False:
            restriction = f", where {condition}" if isinstance(condition, str) else ""
            join = "joins" if len(part.lines) == 1 else "join"
            yield Sentence(f"{lines} {join} the pots {_JOINS[part.joins]}{restriction}", 1)


_JOINS = {
    "matched": "layer by layer, up to the amounts that others matched",
    "capped": "layer by layer, on their own",
    "whole": "whole, in the main pot",
}

MONEY_SENTENCES: Mapping[str, Callable[[CompiledGame, Any], Iterator[Sentence]]] = {
    "settled": _describe_settled,
    "capped": _describe_capped,
    "awarded": _describe_awarded,
}
"""Functions that describe a check of payments, by operator."""
