"""Semantic errors in dealing, hands and steps."""

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
    """Yield stages and ways of dealing that do not deal the number of cards that each place must hold."""
    for place in game.deal.held:
        if place not in game.deal.cards:
            yield ("deal", "held", place), f"the {place} is dealt no cards"
    ways = [name for stage in game.deal.stages for name in stage.ways]
    for number, stage in enumerate(game.deal.stages):
        here: Path = ("deal", "stages", number)
        if stage.exchanges is not None:
            yield from _check_exchange(game, stage, here)
        elif stage.ways:
            missing = [name for name in dict.fromkeys(ways) if name not in stage.ways]
            if missing:
                yield (*here, "ways"), f"another stage has the way `{missing[0]}`, so this one must have it too"
            yield from _check_ways(stage, here)
        else:
            yield from _check_plain_stage(stage, here)


def _check_exchange(game: Game, stage: Stage, here: Path) -> Iterator[Problem]:
    before: set[str] = set()
    for earlier_stage in game.deal.stages[: game.deal.stages.index(stage)]:
        before.update(earlier_stage.cards or ())
    for place in stage.exchanges or ():
        if place not in before:
            yield (*here, "exchanges", place), f"the {place} has been dealt no cards to discard"
    for name in ("each", "ways"):
        if name in stage.model_fields_set:
            yield (*here, name), "an exchange draws as many cards as were discarded, so no way of dealing applies"
    if not stage.clauses:
        yield here, "`clauses` must name the clauses of the text"


def _check_plain_stage(stage: Stage, here: Path) -> Iterator[Problem]:
    if not stage.clauses:
        yield here, "`clauses` must name the clauses of the text, or `ways` the ways of dealing"
    numbers = sorted(set((stage.cards or {}).values()))
    if len(numbers) > 1:
        yield (*here, "cards"), "places that receive different numbers of cards are dealt in passes: give `ways`"
    elif stage.each is not None and numbers[0] % stage.each:
        yield (*here, "each"), f"{numbers[0]} cards are not dealt {stage.each} at a time"


def _check_ways(stage: Stage, here: Path) -> Iterator[Problem]:
    stated = [name for name in ("each", "burn", "by", "clauses") if name in stage.model_fields_set]
    if stated:
        yield (*here, stated[0]), f"in a stage with `ways`, each way has its own `{stated[0]}`"
    for name, way in stage.ways.items():
        passes: Path = (*here, "ways", name, "passes")
        for index, packet in enumerate(way.passes):
            if packet.kept is not None and max(packet.kept) > packet.each:
                yield (*passes, index, "kept"), f"a packet of {packet.each} has no card {max(packet.kept)}"
            elif packet.kept is not None and len(set(packet.kept)) < len(packet.kept):
                yield (*passes, index, "kept"), "names a card twice"
        kept = way.kept()
        dealt: dict[str, int] = dict((stage.cards or {}).items())
        dealt["burn"] = kept.get("burn", 0)
        for served in dict.fromkeys([*dealt, *kept]):
            if kept.get(served, 0) != dealt.get(served, 0):
                yield passes, f"deals {kept.get(served, 0)} cards to the {served}, not {dealt.get(served, 0)}"


def hand_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield hands whose number of cards does not fit their rankings."""
    dealt = game.deal.cards
    for name, hand in game.hands.items():
        here: Path = ("hands", name)
        undealt = [place for place in hand.from_ if place not in dealt]
        if undealt:
            yield (*here, "from"), f"the {undealt[0]} is dealt no cards"
            continue
        thinned = [
            place
            for place in hand.from_
            if any(way.dealt().get(place) != way.kept().get(place) for way in game.deal.ways.values())
        ]
        if hand.cards == "dealt" and thinned:
            yield (
                (*here, "cards"),
                f"the {thinned[0]} discards when cards are dealt, so this hand must use `cards: held`",
            )
        yield from _check_open_cards(game, hand, here)
        available = sum(hand.full(game.deal)[place] for place in hand.from_)
        for ranking in hand.rankings():
            fewest, most = regulation.vocabulary.rankings[ranking].sizes()
            if not fewest <= available <= most:
                ranked = fewest if available < fewest else most
                yield here, f"{ranking} ranks {ranked} cards, but this hand holds {available}"
        if hand.best_of is not None and (hand.uses is not None or available != hand.best_of):
            message = f"the places of this hand hold {available} cards"
            yield (*here, "best-of"), message if hand.uses is None else "excludes `uses`"
        if hand.uses is not None:
            yield from _check_used_cards(regulation, hand, hand.uses, hand.full(game.deal), (*here, "uses"))


def _check_used_cards(
    regulation: Regulation, hand: Hand, uses: Mapping[Place, int], full: Mapping[Place, int], here: Path
) -> Iterator[Problem]:
    """Yield problems if a hand uses more cards of a place than it holds (`full`), or another number than it ranks."""
    if set(uses) != set(hand.from_):
        yield here, f"must state how many cards it uses of each of its places: {', '.join(hand.from_)}"
        return
    for place, used in uses.items():
        if used > full[place]:
            yield (*here, place), f"the {place} holds {full[place]} cards"
    for name in hand.rankings():
        ranking = regulation.vocabulary.rankings[name]
        if not by_ranks(ranking):
            yield here, f"needs a ranking by ranks alone and of a fixed size, unlike {name}"
        elif sum(uses.values()) != ranking.cards:
            yield here, f"uses {sum(uses.values())} cards, but {name} ranks hands of {ranking.cards}"


def _check_open_cards(game: Game, hand: Hand, here: Path) -> Iterator[Problem]:
    """Yield problems with hands of open cards: they are of one player, and every way deals as many face up."""
    if hand.cards != "open":
        if hand.through is not None:
            yield (*here, "through"), "applies only to hands of `open` cards"
        return
    if hand.from_ != ["player"]:
        yield (*here, "from"), "a hand of `open` cards consists of the cards of one `player`"
    for number, stage in enumerate(game.deal.stages):
        if len({stage.faces(way, "player").count("up") for way in stage.permitted.values()}) > 1:
            yield (
                ("deal", "stages", number, "ways"),
                "the ways deal different numbers of cards face up, but a hand counts open cards",
            )


def step_problems(game: Game) -> Iterator[Problem]:
    """Yield problems with steps that refer to each other.

    A step that covers cards is one of turning down, and the covered step one of exposing. A step that is named by
    `after` or `before` has no condition of its own.
    """
    steps = {step.step: step for step in game.procedure}
    for index, step in enumerate(game.procedure):
        for side, other in (("after", step.after), ("before", step.before)):
            if other is not None and not _is_unconditional(steps, steps[other]):
                yield ("procedure", index, side), f"{other} has a condition of its own: name a step without one"
        if step.covers is None:
            continue
        here: Path = ("procedure", index, "covers")
        shown = steps[step.covers]
        if set(step.events) != {"turn-down"} or set(shown.events) != {"expose"}:
            yield here, "only `turn-down` events cover cards, and only cards that `expose` events show"
        elif shown.when is not None:
            yield here, f"{shown.step} has a condition of its own: name a step without one"


def _is_unconditional(steps: Mapping[str, Step], step: Step) -> bool:
    """Return whether neither a step nor any step it excludes has a condition or a relation to another step."""
    parts = [step, *(steps[other] for other in _collect_excluded_steps(steps, step))]
    return all(relation is None for part in parts for relation in (part.when, part.after, part.before, part.covers))


def _collect_excluded_steps(steps: Mapping[str, Step], step: Step) -> set[str]:
    """Return the steps that a step excludes, directly or through other excluded steps."""
    excluded: set[str] = set()
    pending = [*step.but]
    while pending:
        if (other := pending.pop()) not in excluded:
            excluded.add(other)
            pending += steps[other].but
    return excluded


def taken_for_granted(must: Condition, here: Path) -> Iterator[Problem]:
    """Yield uses of `evident` in what must hold, which would turn missing evidence into failures."""
    for path, part in walk(must, here):
        if isinstance(part, Condition) and part.meaning.never_unknown:
            yield path, "`evident` would turn missing evidence into a failure; use the condition itself"
