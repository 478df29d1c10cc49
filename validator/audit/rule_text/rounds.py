"""Sentences about checks of rounds, seats, stakes and events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from validator.audit.rule_text.sentences import Sentence, conditions, where
from validator.engine.compiled.game import Prepared
from validator.language.conditions import ANYTHING, NOTHING
from validator.language.wording import demanded, named, spaced
from validator.rules.model.betting import InTurnCheck, TurnsCheck
from validator.rules.model.course import Window
from validator.rules.model.deal import DealtCheck, DrawnByCheck, Pass, SameOrderCheck
from validator.rules.model.requirement import PhaseCheck, Repeat, RoundCheck, SequenceCheck, SequenceStep

_EACH = {"round": "In every round", "seat": "At every seat", "stake": "For every stake"}
_TIMES = {
    "any": "any number of times",
    "optional": "at most once",
    "one": "once",
    "at-least-one": "at least once",
}
_DEALT = {
    "turn": "Places receive cards in turn",
    "burn": "Before each stage, the number of cards that the deal defines is burnt",
    "count": "Every place that receives cards receives the number that the deal defines",
}
_PLACES = {"player": "each player", "dealer": "the dealer", "community": "the community", "burn": "the burnt cards"}
_SIDES = {"dealer-left": "dealer's left", "dealer-right": "dealer's right"}


def _describe_rule(prepared: Prepared, check: RoundCheck) -> Iterator[Sentence]:
    if check.each == "event":
        of = "At every event" if check.of is None else f"Every time {_title(prepared, check.of)}"
        yield from conditions(prepared, of, check.must)
    else:
        grain = prepared.grain(check.must)
        at = check.each if grain == check.each or check.when is not None or grain == "event" else grain
        yield from conditions(prepared, _EACH[at], check.must)
    yield from where(prepared, check.when)


def _describe_sequence_check(prepared: Prepared, check: SequenceCheck) -> Iterator[Sentence]:
    yield Sentence(f"{_EACH[check.per]} these steps come in this order, possibly with others in between:")
    yield from _describe_steps(prepared, check.steps, 1)
    yield from where(prepared, check.when)


def _describe_steps(prepared: Prepared, steps: Sequence[SequenceStep | Repeat], depth: int) -> Iterator[Sentence]:
    for part in steps:
        if isinstance(part, Repeat):
            yield Sentence("any number of times:", depth)
            yield from _describe_steps(prepared, part.repeat, depth + 1)
        else:
            yield Sentence(f"{_title(prepared, part.step)} ({_TIMES[part.times]})", depth)


def _describe_phase(prepared: Prepared, check: PhaseCheck) -> Iterator[Sentence]:
    course = prepared.courses[check.course].course
    titles = [prepared.game.phase_title(phase) for phase in course.phases]
    boundaries = check.boundaries(course)
    for step in check.of:
        times = _allowed_times(titles, course.windows(step), boundaries)
        yield Sentence(f"“{_title(prepared, step)}” comes only {times}.")
    if not check.of:
        which = "Each phase" if len(boundaries) == len(titles) - 1 else named([f"“{titles[at]}”" for at in boundaries])
        yield Sentence(f"{which} must not begin before the preceding phases are over.")
        for step in dict.fromkeys(step for phase in course.phases for step in phase.steps):
            windows = course.windows(step)
            if len(windows) > 1 and any(window.high + 1 in boundaries for window in windows):
                times = _allowed_times(titles, windows, boundaries)
                yield Sentence(f"“{_title(prepared, step)}” comes, if at all, only {times}.")
    if check.at_least_one:
        yield Sentence(f"{_EACH[course.per]} this must happen: {_titles(prepared, check.at_least_one)}.")
    yield Sentence(f"The phases of {'the round' if course.per == 'round' else 'each seat'}, and the steps of each:")
    for number, phase in enumerate(course.phases, start=1):
        steps = _titles(prepared, phase.steps)
        yield Sentence(f"{number}. {titles[number - 1]}{'' if steps == titles[number - 1] else f': {steps}'}", 1)
    yield from where(prepared, course.when)


def _allowed_times(titles: Sequence[str], windows: Sequence[Window], asked: Sequence[int]) -> str:
    """Describe when a step may come, where a check restricts it."""
    times = [_allowed_time(titles, window, asked) for window in windows]
    middle = times[0].removeprefix("before ")
    if times == [f"before {middle}", f"after {middle}"]:
        return f"before or after {middle}, not during it"
    return named(times, "or")


def _allowed_time(titles: Sequence[str], window: Window, asked: Sequence[int]) -> str:
    """Describe when a step may come by one of its windows, where a check restricts it."""
    after = [f"after “{titles[window.low - 1]}”"] if window.low in asked else []
    before = [f"before “{titles[window.high + 1]}”"] if window.high + 1 in asked else []
    phases = dict.fromkeys((f"“{titles[window.low]}”", f"“{titles[window.high]}”"))
    return " and ".join(after + before) or f"in {' to '.join(phases)}"


def _describe_dealt(prepared: Prepared, check: DealtCheck) -> Iterator[Sentence]:
    stages = [stage for stage in prepared.game.deal.stages if not check.stages or stage.stage in check.stages]
    yield Sentence(f"{_DEALT[check.asks]}:")
    for stage in stages:
        cards = stage.exchanges if stage.cards is None else stage.cards
        verb = "exchanged, at most" if stage.cards is None else "dealt"
        counts = ", ".join(f"{count} to {_PLACES[place]}" for place, count in (cards or {}).items())
        first = _SIDES.get(stage.first) or f"position {spaced(stage.first)}"
        head = f"{spaced(stage.stage)}: {verb} {counts}, face {stage.face}, beginning at the {first}"
        passes_by_way = {
            name: "; then ".join(map(_describe_pass, way.passes)) for name, way in stage.permitted.items() if way.passes
        }
        if not stage.ways:
            yield Sentence(": ".join((head, *passes_by_way.values())), 1)
            continue
        yield Sentence(f"{head}, in one of these ways:", 1)
        yield from (Sentence(f"{spaced(name)}: {passes}", 2) for name, passes in passes_by_way.items())
    yield from where(prepared, check.when)


def _describe_pass(pass_: Pass) -> str:
    cards = f"{pass_.each} card{'' if pass_.each == 1 else 's'}"
    if pass_.to == ["burn"]:
        handed = f"{cards} burnt"
    else:
        at_a_time = "" if pass_.each == 1 else " by and by" if pass_.parted else " at a time"
        handed = f"{cards}{at_a_time} to {', then '.join(_PLACES[place] for place in pass_.to)}"
    kept = "" if pass_.kept is None else f"; the cards in the places {named(list(map(str, pass_.kept)))} are kept"
    face = "" if pass_.face is None or pass_.to == ["burn"] else f", face {pass_.face}"
    return f"{handed}{face}{kept}{'' if pass_.times == 1 else f', {pass_.times} times'}"


def _describe_same_order(prepared: Prepared, check: SameOrderCheck) -> Iterator[Sentence]:
    first, then = (_title(prepared, step) for step in (check.first, check.then))
    yield Sentence(f"Seats come for “{then}” in the order in which they came for “{first}”.")


def _describe_in_turn(prepared: Prepared, check: InTurnCheck) -> Iterator[Sentence]:
    side = check.from_
    for other in check.otherwise:
        if prepared.regulation.applies(other.reading.name, other.reading.is_):
            side = other.from_
    yield Sentence(
        f"The seats come one after the other, beginning at the {_SIDES[side]}. At each seat these steps come in this "
        f"order, before the next seat: {_titles(prepared, check.steps)}."
    )
    yield from where(prepared, check.when)


def _describe_turns(prepared: Prepared, check: TurnsCheck) -> Iterator[Sentence]:
    starting = check.starting
    for other in check.otherwise:
        if prepared.regulation.applies(other.reading.name, other.reading.is_):
            starting = other.starting
    first = "; or, if no seat has it, at ".join(f"the position “{spaced(position)}”" for position in starting)
    yield Sentence(f"The seats come clockwise for “{_title(prepared, check.step)}”, beginning at {first}.")
    yield from where(prepared, check.when)


def _describe_drawn_by(prepared: Prepared, check: DrawnByCheck) -> Iterator[Sentence]:
    drawing = prepared.game.drawing[check.drawing]
    yield Sentence(
        f"{drawing.title[:1].upper()}{drawing.title[1:]}: the first rule that covers a hand, and that the hand can "
        "follow, determines the cards to keep; the others are discarded. Rules checked here:"
    )
    earlier_rules: list[str] = []  # rules that take precedence
    for rule in drawing.rules:
        condition = ANYTHING if rule.when is None else demanded(prepared, rule.when)
        if rule.rule in check.rules and condition != NOTHING:
            earlier = ", ".join(map(spaced, earlier_rules))
            hand = (
                condition
                if condition != ANYTHING
                else f"any hand not covered by {earlier}"
                if earlier_rules
                else "any hand"
            )
            yield Sentence(
                f"{spaced(rule.rule)} ({', '.join(rule.clauses)}): {hand}: keep {_describe_kept(rule.keep)}", 1
            )
        if condition not in (ANYTHING, NOTHING):
            earlier_rules.append(rule.rule)
    yield from where(prepared, check.when)


_PREFERRED = {"best-completed": "those that make the best hand", "highest-cards": "the highest of them"}


def _describe_kept(keep: Any) -> str:
    if keep == "all":
        return "all cards"
    if hasattr(keep, "toward"):
        by = f", if at least {keep.completed_by} ranks would complete it" if keep.completed_by else ""
        best = f", {_PREFERRED[keep.prefer]}" if keep.prefer else ""
        return f"{keep.cards} cards to a {keep.toward.replace('-', ' ')}{by}{best}"
    groups = ["the cards of its groups"] if keep.groups else []
    what = ("other" if groups else "card") + ("" if keep.highest == 1 else "s")
    highest = [f"the {'' if keep.highest == 1 else f'{keep.highest} '}highest {what}"] if keep.highest else []
    return " and ".join(groups + highest)


def _title(prepared: Prepared, step: str) -> str:
    return prepared.steps[step].title


def _titles(prepared: Prepared, steps: Sequence[str]) -> str:
    return "; ".join(_title(prepared, step) for step in steps)


ROUNDS: Mapping[str, Callable[[Prepared, Any], Iterator[Sentence]]] = {
    "rule": _describe_rule,
    "sequence": _describe_sequence_check,
    "phase": _describe_phase,
    "dealt": _describe_dealt,
    "same-order": _describe_same_order,
    "in-turn": _describe_in_turn,
    "turns": _describe_turns,
    "drawn-by": _describe_drawn_by,
}
"""Functions that describe a check of rounds, by operator."""
