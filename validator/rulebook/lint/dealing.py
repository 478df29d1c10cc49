"""Dealing, hands and quantities that cannot be meant, though every name in them is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.cards.model import by_ranks
from validator.language.conditions import Condition, Problem
from validator.language.terms import Place
from validator.rules.core.regulation import Regulation
from validator.rules.core.visitor import walk
from validator.rules.model.deal import Stage
from validator.rules.model.game import Game, Hand, Step
from validator.text.trees.tree import Path


def dealing_problems(game: Game) -> Iterator[Problem]:
    """Every stage and way of dealing must come to the number of cards that each place is to hold."""
    for place in game.deal.held:
        if place not in game.deal.cards:
            yield ("deal", "held", place), f"the {place} is dealt no cards"
    ways = [name for stage in game.deal.stages for name in stage.ways]
    for number, stage in enumerate(game.deal.stages):
        here: Path = ("deal", "stages", number)
        if stage.exchanges is not None:
            yield from _exchange_problems(game, stage, here)
        elif stage.ways:
            missing = [name for name in dict.fromkeys(ways) if name not in stage.ways]
            if missing:
                yield (*here, "ways"), f"another stage is dealt `{missing[0]}`, so this one must say how it then is"
            yield from _ways_problems(stage, here)
        else:
            yield from _plain_problems(stage, here)


def _exchange_problems(game: Game, stage: Stage, here: Path) -> Iterator[Problem]:
    before: set[str] = set()
    for one in game.deal.stages[: game.deal.stages.index(stage)]:
        before.update(one.cards or ())
    for place in stage.exchanges or ():
        if place not in before:
            yield (*here, "exchanges", place), f"the {place} has been dealt no cards to put away"
    for name in ("each", "ways"):
        if name in stage.model_fields_set:
            yield (*here, name), "cards are drawn as they were put away, which no way of dealing lays down"
    if not stage.clauses:
        yield here, "`clauses` must say where the text says so"


def _plain_problems(stage: Stage, here: Path) -> Iterator[Problem]:
    if not stage.clauses:
        yield here, "`clauses` must say where the text says so, or `ways` what ways there are"
    numbers = sorted(set((stage.cards or {}).values()))
    if len(numbers) > 1:
        yield (*here, "cards"), "places that receive different numbers of cards are served in passes: give `ways`"
    elif stage.each is not None and numbers[0] % stage.each:
        yield (*here, "each"), f"{numbers[0]} cards are not dealt {stage.each} at a time"


def _ways_problems(stage: Stage, here: Path) -> Iterator[Problem]:
    said = [name for name in ("each", "burn", "by", "clauses") if name in stage.model_fields_set]
    if said:
        yield (*here, said[0]), f"where a stage has `ways`, each of them says its own `{said[0]}`"
    for name, way in stage.ways.items():
        passes: Path = (*here, "ways", name, "passes")
        for index, one in enumerate(way.passes):
            if one.kept is not None and max(one.kept) > one.each:
                yield (*passes, index, "kept"), f"a packet of {one.each} has no card {max(one.kept)}"
            elif one.kept is not None and len(set(one.kept)) < len(one.kept):
                yield (*passes, index, "kept"), "names a card twice"
        kept = way.kept()
        held: dict[str, int] = dict((stage.cards or {}).items())
        held["burn"] = kept.get("burn", 0)
        for served in dict.fromkeys([*held, *kept]):
            if kept.get(served, 0) != held.get(served, 0):
                yield passes, f"comes to {kept.get(served, 0)} cards for the {served}, not to {held.get(served, 0)}"


def hand_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Every hand must have enough cards for its rankings."""
    dealt = game.deal.cards
    for name, hand in game.hands.items():
        here: Path = ("hands", name)
        absent = [place for place in hand.from_ if place not in dealt]
        if absent:
            yield (*here, "from"), f"the {absent[0]} is dealt no cards"
            continue
        thinned = [
            place
            for place in hand.from_
            if any(way.dealt().get(place) != way.kept().get(place) for way in game.deal.ways.values())
        ]
        if hand.cards == "dealt" and thinned:
            yield (*here, "cards"), f"the {thinned[0]} discards when cards are dealt, so this hand is of cards `held`"
        yield from _open_problems(game, hand, here)
        held = sum(hand.full(game.deal)[place] for place in hand.from_)
        for ranking in hand.rankings():
            fewest, most = regulation.vocabulary.rankings[ranking].sizes()
            if not fewest <= held <= most:
                wanted = fewest if held < fewest else most
                yield here, f"{ranking} ranks {wanted} cards, but this hand holds {held}"
        if hand.best_of is not None and (hand.uses is not None or held != hand.best_of):
            of_all = f"the places of this hand hold {held} cards"
            yield (*here, "best-of"), of_all if hand.uses is None else "stands instead of `uses`"
        if hand.uses is not None:
            yield from _uses(regulation, hand, hand.uses, hand.full(game.deal), (*here, "uses"))


def _uses(
    regulation: Regulation, hand: Hand, uses: Mapping[Place, int], full: Mapping[Place, int], here: Path
) -> Iterator[Problem]:
    """So many cards of each place must be there, and come to what the rankings count. `full` is what places hold."""
    if set(uses) != set(hand.from_):
        yield here, f"must say how many cards it uses of each place that it is made from: {', '.join(hand.from_)}"
        return
    for place, used in uses.items():
        if used > full[place]:
            yield (*here, place), f"the {place} holds {full[place]} cards"
    for name in hand.rankings():
        ranking = regulation.vocabulary.rankings[name]
        if not by_ranks(ranking):
            yield here, f"only a hand that is ranked by ranks alone, and of a fixed size, can be made so, not by {name}"
        elif sum(uses.values()) != ranking.cards:
            yield here, f"comes to {sum(uses.values())} cards, but {name} ranks hands of {ranking.cards}"


def _open_problems(game: Game, hand: Hand, here: Path) -> Iterator[Problem]:
    """Cards that lie open are a player's, and every way of dealing turns up as many."""
    if hand.cards != "open":
        if hand.through is not None:
            yield (*here, "through"), "says which `open` cards count, but this hand is not of those"
        return
    if hand.from_ != ["player"]:
        yield (*here, "from"), "a hand of `open` cards is of those of one `player`"
    for number, stage in enumerate(game.deal.stages):
        if len({stage.faces(way, "player").count("up") for way in stage.permitted.values()}) > 1:
            yield (
                ("deal", "stages", number, "ways"),
                "not every way deals as many face up, but a hand counts those",
            )


def step_problems(game: Game) -> Iterator[Problem]:
    """What covers cards must be a step of turning down, and what it covers one of showing; what comes after a step, or
    before it, must not be asked for by that step in turn."""
    steps = {step.step: step for step in game.procedure}
    for index, step in enumerate(game.procedure):
        for side, other in (("after", step.after), ("before", step.before)):
            if other is not None and not _told_by_itself(steps, steps[other]):
                yield ("procedure", index, side), f"{other} has a condition of its own: name a step without one"
        if step.covers is None:
            continue
        here: Path = ("procedure", index, "covers")
        shown = steps[step.covers]
        if set(step.events) != {"turn-down"} or set(shown.events) != {"expose"}:
            yield here, "only events `turn-down` can cover cards, and only those that events `expose` show"
        elif shown.when is not None:
            yield here, f"{shown.step} has a condition of its own: name a step without one"


def _told_by_itself(steps: Mapping[str, Step], step: Step) -> bool:
    """Whether no condition, and nothing that comes before or after, decides which events belong to a step, or to one
    that it leaves out."""
    parts = [step, *(steps[other] for other in _left_out(steps, step))]
    return all(one is None for part in parts for one in (part.when, part.after, part.before, part.covers))


def _left_out(steps: Mapping[str, Step], step: Step) -> set[str]:
    """The steps that a step leaves out, and those that they leave out."""
    found: set[str] = set()
    waiting = [*step.but]
    while waiting:
        if (other := waiting.pop()) not in found:
            found.add(other)
            waiting += steps[other].but
    return found


def taken_for_granted(must: Condition, here: Path) -> Iterator[Problem]:
    """What must hold is not made a failure by evidence that does not show it."""
    for path, found in walk(must, here):
        if isinstance(found, Condition) and found.meaning.never_unknown:
            yield path, "`evident` would make what is not known a failure; ask the condition itself"
