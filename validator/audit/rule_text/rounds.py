"""What is asked of rounds, seats, stakes and events, in sentences."""

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
    "turn": "The places are served in their turn",
    "burn": "Before each of these as many cards are burnt as the deal says",
    "count": "Every place that receives cards receives as many as the deal says",
}
_PLACES = {"player": "each player", "dealer": "the dealer", "community": "the community", "burn": "the burnt cards"}
_SIDES = {"dealer-left": "dealer's left", "dealer-right": "dealer's right"}


def _rule(prepared: Prepared, check: RoundCheck) -> Iterator[Sentence]:
    if check.each == "event":
        of = "Of every event" if check.of is None else f"Every time {_title(prepared, check.of)}"
        yield from conditions(prepared, of, check.must)
    else:
        grain = prepared.grain(check.must)
        at = check.each if grain == check.each or check.when is not None or grain == "event" else grain
        yield from conditions(prepared, _EACH[at], check.must)
    yield from where(prepared, check.when)


def _sequence(prepared: Prepared, check: SequenceCheck) -> Iterator[Sentence]:
    yield Sentence(f"{_EACH[check.per]} these steps come in this order; others may come between them:")
    yield from _steps(prepared, check.steps, 1)
    yield from where(prepared, check.when)


def _steps(prepared: Prepared, steps: Sequence[SequenceStep | Repeat], depth: int) -> Iterator[Sentence]:
    for part in steps:
        if isinstance(part, Repeat):
            yield Sentence("any number of times over:", depth)
            yield from _steps(prepared, part.repeat, depth + 1)
        else:
            yield Sentence(f"{_title(prepared, part.step)} ({_TIMES[part.times]})", depth)


def _phase(prepared: Prepared, check: PhaseCheck) -> Iterator[Sentence]:
    made = prepared.courses[check.course].course
    titles = [prepared.game.phase_title(one) for one in made.phases]
    asked = check.boundaries(made)
    for step in check.of:
        times = _times(titles, made.windows(step), asked)
        yield Sentence(f"“{_title(prepared, step)}” comes only {times}.")
    if not check.of:
        which = "Each phase" if len(asked) == len(titles) - 1 else named([f"“{titles[at]}”" for at in asked])
        yield Sentence(f"{which} must not begin before what comes first is over.")
        for step in dict.fromkeys(step for phase in made.phases for step in phase.steps):
            windows = made.windows(step)
            if len(windows) > 1 and any(window.high + 1 in asked for window in windows):
                times = _times(titles, windows, asked)
                yield Sentence(f"“{_title(prepared, step)}” comes, if at all, only {times}.")
    if check.at_least_one:
        yield Sentence(f"{_EACH[made.per]} this must come at all: {_titles(prepared, check.at_least_one)}.")
    yield Sentence(f"The phases of {'the round' if made.per == 'round' else 'each seat'}, and what may come in each:")
    for number, phase in enumerate(made.phases, start=1):
        said = _titles(prepared, phase.steps)
        yield Sentence(f"{number}. {titles[number - 1]}{'' if said == titles[number - 1] else f': {said}'}", 1)
    yield from where(prepared, made.when)


def _times(titles: Sequence[str], windows: Sequence[Window], asked: Sequence[int]) -> str:
    """When a step may come, as far as that is asked of it."""
    times = [_time(titles, window, asked) for window in windows]
    middle = times[0].removeprefix("before ")
    if times == [f"before {middle}", f"after {middle}"]:
        return f"before or after {middle}, not in the midst of it"
    return named(times, "or")


def _time(titles: Sequence[str], window: Window, asked: Sequence[int]) -> str:
    """When a step may come by one of its windows, as far as that is asked of it."""
    after = [f"after “{titles[window.low - 1]}”"] if window.low in asked else []
    before = [f"before “{titles[window.high + 1]}”"] if window.high + 1 in asked else []
    phases = dict.fromkeys((f"“{titles[window.low]}”", f"“{titles[window.high]}”"))
    return " and ".join(after + before) or f"in {' to '.join(phases)}"


def _dealt(prepared: Prepared, check: DealtCheck) -> Iterator[Sentence]:
    stages = [one for one in prepared.game.deal.stages if not check.stages or one.stage in check.stages]
    yield Sentence(f"{_DEALT[check.asks]}:")
    for stage in stages:
        cards = stage.exchanges if stage.cards is None else stage.cards
        verb = "exchanged, at most" if stage.cards is None else "dealt"
        told = ", ".join(f"{count} to {_PLACES[place]}" for place, count in (cards or {}).items())
        first = _SIDES.get(stage.first) or f"position {spaced(stage.first)}"
        head = f"{spaced(stage.stage)}: {verb} {told}, face {stage.face}, beginning at the {first}"
        ways = {name: "; then ".join(map(_pass, way.passes)) for name, way in stage.permitted.items() if way.passes}
        if not stage.ways:
            yield Sentence(": ".join((head, *ways.values())), 1)
            continue
        yield Sentence(f"{head}, in one of these ways:", 1)
        yield from (Sentence(f"{spaced(name)}: {passes}", 2) for name, passes in ways.items())
    yield from where(prepared, check.when)


def _pass(one: Pass) -> str:
    cards = f"{one.each} card{'' if one.each == 1 else 's'}"
    if one.to == ["burn"]:
        handed = f"{cards} burnt"
    else:
        at_a_time = "" if one.each == 1 else " by and by" if one.parted else " at a time"
        handed = f"{cards}{at_a_time} to {', then '.join(_PLACES[place] for place in one.to)}"
    kept = "" if one.kept is None else f", of which those in the places {named(list(map(str, one.kept)))} are kept"
    face = "" if one.face is None or one.to == ["burn"] else f", face {one.face}"
    return f"{handed}{face}{kept}{'' if one.times == 1 else f', {one.times} times over'}"


def _same_order(prepared: Prepared, check: SameOrderCheck) -> Iterator[Sentence]:
    first, then = (_title(prepared, one) for one in (check.first, check.then))
    yield Sentence(f"Seats come up for “{then}” in the order in which they came up for “{first}”.")


def _in_turn(prepared: Prepared, check: InTurnCheck) -> Iterator[Sentence]:
    side = check.from_
    for other in check.otherwise:
        if prepared.regulation.applies(other.reading.name, other.reading.is_):
            side = other.from_
    yield Sentence(
        f"The seats come up one after the other, beginning at the {_SIDES[side]}; at each of them these steps are gone "
        f"through in this order before the next seat: {_titles(prepared, check.steps)}."
    )
    yield from where(prepared, check.when)


def _turns(prepared: Prepared, check: TurnsCheck) -> Iterator[Sentence]:
    starting = check.starting
    for other in check.otherwise:
        if prepared.regulation.applies(other.reading.name, other.reading.is_):
            starting = other.starting
    first = "; or, where no seat has that, at ".join(f"the position “{spaced(one)}”" for one in starting)
    yield Sentence(f"The seats come up clockwise for “{_title(prepared, check.step)}”, beginning at {first}.")
    yield from where(prepared, check.when)


def _drawn_by(prepared: Prepared, check: DrawnByCheck) -> Iterator[Sentence]:
    drawing = prepared.game.drawing[check.drawing]
    yield Sentence(
        f"{drawing.title[:1].upper()}{drawing.title[1:]}: the first rule that speaks of a hand, and that the hand can "
        "follow, says which cards it keeps; the others are discarded. Asked here:"
    )
    before: list[str] = []  # the hands of which rules speak that come first
    for rule in drawing.rules:
        speaks = ANYTHING if rule.when is None else demanded(prepared, rule.when)
        if rule.rule in check.rules and speaks != NOTHING:
            earlier = ", ".join(map(spaced, before))
            hand = speaks if speaks != ANYTHING else f"any hand but those of {earlier}" if before else "any hand"
            yield Sentence(f"{spaced(rule.rule)} ({', '.join(rule.clauses)}): {hand}: keep {_kept(rule.keep)}", 1)
        if speaks not in (ANYTHING, NOTHING):
            before.append(rule.rule)
    yield from where(prepared, check.when)


_PREFERRED = {"best-completed": "those that make the best hand", "highest-cards": "the highest of them"}


def _kept(keep: Any) -> str:
    if keep == "all":
        return "all cards"
    if hasattr(keep, "toward"):
        by = f", where {keep.completed_by} ranks at least would complete it" if keep.completed_by else ""
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
    "rule": _rule,
    "sequence": _sequence,
    "phase": _phase,
    "dealt": _dealt,
    "same-order": _same_order,
    "in-turn": _in_turn,
    "turns": _turns,
    "drawn-by": _drawn_by,
}
"""What a check on rounds asks, by its operator."""
