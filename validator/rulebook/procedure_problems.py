"""Semantic errors in the procedure: dealing, hands, rules of drawing, steps of a round, and milestones.

Acts that precede the betting but depend on it are errors too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import comb

from fairdeal.validator.cards.ranking_models import MOST_SPLITS, AnyRanking, PointsRanking, Ranking, is_by_ranks
from fairdeal.validator.language.grammar import Place, walk_models
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.operators.operator_interface import Problem
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.rulebook.money_problems import check_free_of_betting
from fairdeal.validator.rules.check_model import BoundedMilestone, MilestoneCheck
from fairdeal.validator.rules.deal_model import Drawing, DrawnByCheck, Keep, KeepDraw, KeepGroups, Stage
from fairdeal.validator.rules.game_model import Act, Game, Hand
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.positioned_document import DataPath


def find_dealing_problems(game: Game) -> Iterator[Problem]:
    """Yield stages and ways of dealing that do not deal the number of cards that each place must hold."""
    for place in game.deal.held:
        if place not in game.deal.cards:
            yield ("deal", "held", place), f"the {place} is dealt no cards"
    ways = [name for stage in game.deal.stages for name in stage.ways]
    for number, stage in enumerate(game.deal.stages):
        here: DataPath = ("deal", "stages", number)
        if stage.exchanges is not None:
            yield from _check_exchange(game, stage, here)
        elif stage.ways:
            missing = [name for name in dict.fromkeys(ways) if name not in stage.ways]
            if missing:
                yield (*here, "ways"), f"another stage has the way `{missing[0]}`, so this one must have it too"
            yield from _check_ways(stage, here)
        else:
            yield from _check_plain_stage(stage, here)
    yield from _check_cards_by_rule(game, ("deal", "stages"))


def _check_cards_by_rule(game: Game, here: DataPath) -> Iterator[Problem]:
    """Yield stages by a rule with no card to judge it by, and fixed cards after those that come by a rule."""
    varying: dict[str, str] = {}
    for number, stage in enumerate(game.deal.stages):
        for place in stage.count_most_cards():
            if place in varying and not stage.is_by_rule:
                yield (
                    (*here, number, "cards"),
                    f"the {place} has cards of {varying[place]} by then, whose number varies: give a `when`",
                )
        if stage.is_by_rule:
            varying.update(dict.fromkeys(stage.count_most_cards(), stage.stage))
        for place, taking in (stage.takes or {}).items():
            if taking.decisions and place != "player":
                yield (*here, number, "takes", place, "after"), "only a `player` takes cards by decisions"
            if taking.while_ is not None and not game.deal.count_before(place, number):
                message = f"`while` looks at the cards before: deal the first card of the {place} in a stage of its own"
                yield (*here, number, "takes", place, "while"), message


def _check_exchange(game: Game, stage: Stage, here: DataPath) -> Iterator[Problem]:
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


def _check_plain_stage(stage: Stage, here: DataPath) -> Iterator[Problem]:
    if not stage.clauses:
        yield here, "`clauses` must name the clauses of the text, or `ways` the ways of dealing"
    numbers = sorted(set(stage.count_most_cards().values()))
    if len(numbers) > 1 and (stage.each is not None or stage.takes is not None):
        yield (*here, "cards"), "places that receive different numbers of cards are dealt in passes: give `ways`"
    elif stage.each is not None and numbers[0] % stage.each:
        yield (*here, "each"), f"{numbers[0]} cards are not dealt {stage.each} at a time"


def _check_ways(stage: Stage, here: DataPath) -> Iterator[Problem]:
    stated = [name for name in ("each", "burn", "by", "clauses") if name in stage.model_fields_set]
    if stated:
        yield (*here, stated[0]), f"in a stage with `ways`, each way has its own `{stated[0]}`"
    for name, way in stage.ways.items():
        passes: DataPath = (*here, "ways", name, "passes")
        for index, packet in enumerate(way.passes):
            if packet.kept is not None and max(packet.kept) > packet.each:
                yield (*passes, index, "kept"), f"a packet of {packet.each} has no card {max(packet.kept)}"
            elif packet.kept is not None and len(set(packet.kept)) < len(packet.kept):
                yield (*passes, index, "kept"), "names a card twice"
        kept = way.count_kept()
        dealt: dict[str, int] = dict((stage.cards or {}).items())
        dealt["burn"] = kept.get("burn", 0)
        for served in dict.fromkeys([*dealt, *kept]):
            if kept.get(served, 0) != dealt.get(served, 0):
                yield passes, f"deals {kept.get(served, 0)} cards to the {served}, not {dealt.get(served, 0)}"


def find_hand_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield hands whose number of cards does not fit their rankings."""
    dealt = game.deal.cards
    for name, hand in game.hands.items():
        here: DataPath = ("hands", name)
        undealt = [place for place in hand.from_ if place not in dealt]
        if undealt:
            yield (*here, "from"), f"the {undealt[0]} is dealt no cards"
            continue
        thinned = [
            place
            for place in hand.from_
            if any(way.count_dealt().get(place) != way.count_kept().get(place) for way in game.deal.ways.values())
        ]
        if hand.cards == "dealt" and thinned:
            yield (
                (*here, "cards"),
                f"the {thinned[0]} discards when cards are dealt, so this hand must use `cards: held`",
            )
        yield from _check_open_cards(game, hand, here)
        if hand.is_set:
            yield from _check_set_hand(regulation, game, hand, here)
            continue
        available = sum(hand.count_full_cards(game.deal)[place] for place in hand.from_)
        for ranking in hand.list_rankings():
            model = regulation.vocabulary.rankings[ranking]
            fewest, most = model.size_range()
            if not fewest <= available <= most:
                ranked = fewest if available < fewest else most
                yield here, f"{ranking} ranks {ranked} cards, but this hand holds {available}"
            least = sum(hand.count_fewest_cards(game.deal)[place] for place in hand.from_)
            if least != available and not isinstance(model, PointsRanking):
                yield from _check_varying_cards(hand, ranking, least, available, fewest, here)
        if hand.best_of is not None and (hand.uses is not None or available != hand.best_of):
            message = f"the places of this hand hold {available} cards"
            yield (*here, "best-of"), message if hand.uses is None else "excludes `uses`"
        if hand.uses is not None:
            yield from _check_used_cards(regulation, hand, hand.uses, hand.count_full_cards(game.deal), (*here, "uses"))


def _check_varying_cards(
    hand: Hand, ranking: str, least: int, most: int, ranked: int, here: DataPath
) -> Iterator[Problem]:
    """Yield problems with a hand whose number of cards varies, if its ranking is not by points."""
    holds = f"this hand holds {least} to {most} cards"
    if least < ranked:
        message = f"{holds}, but {ranking} ranks {ranked} or more: only points rank hands of any number"
        yield here, f"{message}; a stage that is missing where the round is over early needs no `when`"
    elif hand.uses is not None:
        yield here, f"{holds}, so it cannot have `uses`"


def _check_set_hand(regulation: Regulation, game: Game, hand: Hand, here: DataPath) -> Iterator[Problem]:
    """Yield problems with a hand into which a place sets cards."""
    if hand.from_ not in (["player"], ["dealer"]):
        yield (*here, "from"), "a hand that is set has the cards of one place: the player, or the dealer"
    elif not any("set" in act.events and act.place in (None, *hand.from_) for act in game.all_acts.values()):
        yield (*here, "cards"), f"no act of the game has the event `set` of the {hand.from_[0]}"
    if hand.uses is not None or hand.best_of is not None or hand.through is not None or hand.stage is not None:
        yield here, "a hand that is set has all its cards: leave out `uses`, `best-of`, `through` and `stage`"
    for name in hand.list_rankings():
        if not is_by_ranks(regulation.vocabulary.rankings[name]):
            yield here, f"needs a ranking by ranks alone and of a fixed size, unlike {name}"


def _check_used_cards(
    regulation: Regulation, hand: Hand, uses: Mapping[Place, int], full: Mapping[Place, int], here: DataPath
) -> Iterator[Problem]:
    """Yield problems if a hand uses more cards of a place than it holds (`full`), or another number than it ranks."""
    if set(uses) != set(hand.from_):
        yield here, f"must state how many cards it uses of each of its places: {', '.join(hand.from_)}"
        return
    for place, used in uses.items():
        if used > full[place]:
            yield (*here, place), f"the {place} holds {full[place]} cards"
    for name in hand.list_rankings():
        ranking = regulation.vocabulary.rankings[name]
        if not is_by_ranks(ranking):
            yield here, f"needs a ranking by ranks alone and of a fixed size, unlike {name}"
        elif sum(uses.values()) != ranking.cards:
            yield here, f"uses {sum(uses.values())} cards, but {name} ranks hands of {ranking.cards}"


def _check_open_cards(game: Game, hand: Hand, here: DataPath) -> Iterator[Problem]:
    """Yield problems with hands of some stages, and with hands of open cards: these are of one place, and every way
    deals as many face up."""
    if hand.cards == "held" and (hand.through or hand.stage):
        yield (*here, "through" if hand.through else "stage"), "does not apply to the cards `held` at the end"
    if hand.stage is not None and (hand.through is not None or hand.cards == "open"):
        yield (*here, "stage"), "excludes `through` and `open` cards"
    names = [stage.stage for stage in game.deal.stages]
    for stage in game.deal.stages[: names.index(hand.only_stages[-1]) if hand.only_stages else 0]:
        for place in hand.from_:
            if stage.is_by_rule and place in stage.count_most_cards():
                yield (*here, "of"), f"the number of cards that the {place} has from {stage.stage} varies"
    places = [names.index(name) for name in hand.only_stages]
    if places != [*range(places[0], places[0] + len(places))] if places else False:
        yield (*here, "of"), "must list stages that follow each other, in order"
    if hand.cards != "open":
        return
    if len(hand.from_) != 1:
        yield (*here, "from"), "a hand of `open` cards consists of the cards of one place"
    for place in hand.from_:
        for number, stage in enumerate(game.deal.stages):
            if len({stage.list_faces(way, place).count("up") for way in stage.permitted_ways.values()}) > 1:
                yield (
                    ("deal", "stages", number, "ways"),
                    "the ways deal different numbers of cards face up, but a hand counts open cards",
                )


def find_step_problems(game: Game) -> Iterator[Problem]:
    """Yield problems with steps that refer to each other.

    A step that covers cards is one of turning down, and the covered step one of exposing. A step that is named by
    `after` or `before` has no condition of its own.
    """
    steps = game.all_acts
    for name, step in steps.items():
        for side, other in (("after", step.after), ("before", step.before)):
            if other is not None and not _is_unconditional(steps, steps[other]):
                yield (*game.locate_act(name), side), f"{other} has a condition of its own: name an act without one"
        if step.covers is None:
            continue
        here: DataPath = (*game.locate_act(name), "covers")
        shown = steps[step.covers]
        if set(step.events) != {"turn-down"} or set(shown.events) != {"expose"}:
            yield here, "only `turn-down` events cover cards, and only cards that `expose` events show"
        elif shown.when is not None:
            yield here, f"{shown.name} has a condition of its own: name an act without one"


def _is_unconditional(steps: Mapping[str, Act], step: Act) -> bool:
    """Return whether neither a step nor any step it excludes has a condition or a relation to another step."""
    parts = [step, *(steps[other] for other in _collect_excluded_steps(steps, step))]
    return all(relation is None for part in parts for relation in (part.when, part.after, part.before, part.covers))


def _collect_excluded_steps(steps: Mapping[str, Act], step: Act) -> set[str]:
    """Return the steps that a step excludes, directly or through other excluded steps."""
    excluded: set[str] = set()
    pending = [*step.but]
    while pending:
        if (other := pending.pop()) not in excluded:
            excluded.add(other)
            pending += steps[other].but
    return excluded


def find_evident_in_must(must: Condition, here: DataPath) -> Iterator[Problem]:
    """Yield uses of `evident` in what must hold, which would turn missing evidence into failures."""
    for path, part in walk_models(must, here):
        if isinstance(part, Condition) and OPERATORS.find(part).never_unknown:
            yield path, "`evident` would turn missing evidence into a failure; use the condition itself"


def find_drawing_problems(regulation: Regulation, game: Game) -> Iterator[Problem]:
    """Yield problems with the rules of drawing of a game."""
    judged = Counter(
        rule.rule
        for requirement in regulation.requirements
        if requirement.check.operator == "drawn-by"
        for rule in game.drawing[requirement.check.operand.drawing].rules
        if requirement.check.operand.checks_rule(rule.rule)
    )
    named = Counter(rule.rule for drawing in game.drawing.values() for rule in drawing.rules)
    for name, drawing in game.drawing.items():
        here: DataPath = ("drawing", name)
        problems = list(
            _find_setting_problems(regulation, game, drawing, here)
            if drawing.hand is None
            else _find_exchange_problems(regulation, drawing, game.hands[drawing.hand], game, here)
        )
        yield from problems
        if problems:
            continue
        rankings = list(_list_rankings(regulation, game, drawing))
        for index, rule in enumerate(drawing.rules):
            place: DataPath = (*here, "rules", index)
            if named[rule.rule] > 1:
                yield (*place, "rule"), f"{rule.rule} names {named[rule.rule]} rules"
            elif judged[rule.rule] != 1:
                yield (
                    (*place, "rule"),
                    f"rule {rule.rule} must be judged by one requirement, not by {judged[rule.rule]}",
                )
            for ranking_name, ranking in rankings:
                if rule.keep is not None and is_by_ranks(ranking):
                    yield from _check_kept_cards(rule.keep, ranking_name, ranking, (*place, "keep"))
                for at, category in enumerate((rule.set_ and rule.set_.complete) or ()):
                    if category not in ranking.list_names():
                        yield (*place, "set", "complete", at), f"{category} is not a category of {ranking_name}"


def _find_exchange_problems(
    regulation: Regulation, drawing: Drawing, hand: Hand, game: Game, here: DataPath
) -> Iterator[Problem]:
    """Yield problems with the hand of rules that keep cards."""
    if hand.from_ != [drawing.place]:
        yield (*here, "hand"), f"{drawing.hand} must be the {drawing.place}'s own cards and no others"
        return
    dealt = game.deal.cards.get(drawing.place, 0)
    for name, ranking in _list_rankings(regulation, game, drawing):
        if not is_by_ranks(ranking) or ranking.cards != dealt:
            message = f"{name} must rank hands of the {dealt} cards that the {drawing.place} is dealt, by ranks alone"
            yield (*here, "hand"), message
            return


def _find_setting_problems(regulation: Regulation, game: Game, drawing: Drawing, here: DataPath) -> Iterator[Problem]:
    """Yield problems with the hands of rules that set cards."""
    sizes = []
    for part in ("set-high", "set-low"):
        hands = [hand for hand in game.hands.values() if hand.cards == part and hand.from_ == [drawing.place]]
        if len(hands) != 1:
            yield here, f"the {drawing.place} needs one hand with `cards: {part}`, but has {len(hands) or 'none'}"
            return
        sizes.append(regulation.vocabulary.rankings[hands[0].rank_by].size_range()[0])
    dealt = game.deal.cards.get(drawing.place, 0)
    if sum(sizes) != dealt:
        yield here, f"the {drawing.place} is dealt {dealt} cards, but sets {sizes[0]} and {sizes[1]}"
    elif comb(dealt, sizes[1]) > MOST_SPLITS:
        yield here, f"{dealt} cards can be set in more than {MOST_SPLITS} ways, the most that rules decide"


def _list_rankings(regulation: Regulation, game: Game, drawing: Drawing) -> Iterator[tuple[str, AnyRanking]]:
    """Yield the rankings of the hand of some rules: of the dealt hand, or of the High Hand that is set."""
    hands = [hand for hand in game.hands.values() if hand.cards == "set-high" and hand.from_ == [drawing.place]]
    for hand in [game.hands[drawing.hand]] if drawing.hand is not None else hands:
        for name in hand.list_rankings():
            yield name, regulation.vocabulary.rankings[name]


def _check_kept_cards(keep: Keep, name: str, ranking: Ranking, here: DataPath) -> Iterator[Problem]:
    match keep:
        case KeepGroups() if max(keep.highest or 0, keep.lowest or 0) > ranking.cards:
            yield (*here, "lowest" if keep.lowest else "highest"), f"a hand has {ranking.cards} cards"
        case KeepDraw():
            if keep.toward not in ranking.list_names():
                yield (*here, "toward"), f"{keep.toward} is not a category of {name}"
            if keep.cards >= ranking.cards:
                yield (*here, "cards"), f"no card is drawn to {keep.cards} cards: a hand has {ranking.cards}"
            elif keep.completed_by is not None and keep.cards != ranking.cards - 1:
                yield (*here, "completed-by"), "applies only if one card is missing: it lists the ranks of that card"


def find_drawn_by_problems(game: Game, check: DrawnByCheck, here: DataPath) -> Iterator[Problem]:
    """Yield rules in a `drawn-by` check that its drawing does not have."""
    own = [rule.rule for rule in game.drawing[check.drawing].rules]
    for index, rule in enumerate(check.rules):
        if rule not in own:
            yield (*here, "rules", index), f"{rule} is no rule of {check.drawing}"


def find_milestone_problems(
    regulation: Regulation, game: Game, requirement: Requirement, here: DataPath
) -> Iterator[Problem]:
    """Yield problems with the milestones of a requirement."""
    check = requirement.check.operand
    for index, bounds in enumerate(check.milestones):
        place: DataPath = (*here, "milestones", index)
        yield from _find_acts_on_both_sides(bounds, place)
        yield from _find_reversed_play(game, bounds, place)
        if game.precedes_betting(bounds.at):
            acts = (*bounds.acts, *(() if bounds.again_after is None else bounds.again_after.acts))
            conditions = [game.all_acts[act].model_copy(update={"requirements": []}) for act in acts]
            for part in (check.when, *conditions):
                if part is not None:
                    yield from check_free_of_betting(game, part, place)
        for other in regulation.requirements:
            if other is not requirement and isinstance(other.check.operand, MilestoneCheck):
                yield from _find_shared_acts(check, bounds, other, place)


def _find_acts_on_both_sides(bounds: BoundedMilestone, here: DataPath) -> Iterator[Problem]:
    if not (bounds.before or bounds.after or bounds.must_happen):
        yield here, "`before`, `after` or `must-happen` must name an act"
    if bounds.again_after is not None and not bounds.before:
        yield (*here, "again-after"), "`again-after` needs `before`"
    for key, acts in (("before", bounds.before), ("after", bounds.after)):
        for index, act in enumerate(acts):
            if act in bounds.at.acts:
                yield (*here, key, index), f"{act} makes the milestone, so it cannot come {key} it"
            if key == "after" and act in bounds.before:
                yield (*here, key, index), f"{act} is also under `before`, so it could never happen"


def _find_reversed_play(game: Game, bounds: BoundedMilestone, here: DataPath) -> Iterator[Problem]:
    """Yield acts that come on the other side of the milestone in the usual order of play."""
    played = list(game.acts)
    turns = {name: act.turn for name, act in game.all_acts.items()}
    makers = [act for act in bounds.at.acts if act in played]
    if not makers:
        return
    at = makers[0] if bounds.at.operator == "first" else makers[-1]
    for key, acts in (("before", bounds.before), ("after", bounds.after)):
        for index, act in enumerate(acts):
            if act not in played or (turns[act] is not None and turns[act] == turns[at]):
                continue
            is_reversed = (
                played.index(act) > played.index(at) if key == "before" else played.index(act) < played.index(at)
            )
            if is_reversed and bounds.again_after is None:
                first, then = (at, act) if key == "before" else (act, at)
                yield (*here, key, index), f"the game is played in the other order: {first} before {then}"


def _find_shared_acts(
    check: MilestoneCheck, bounds: BoundedMilestone, other: Requirement, here: DataPath
) -> Iterator[Problem]:
    """Yield acts that another requirement bounds at the same milestone."""
    other_check = other.check.operand
    if (other_check.each, other_check.when) != (check.each, check.when):
        return
    for shared in other_check.milestones:
        for key in ("before", "after"):
            for index, act in enumerate(getattr(bounds, key)):
                if (shared.at, shared.again_after) == (bounds.at, bounds.again_after) and act in getattr(shared, key):
                    yield (*here, key, index), f"{other.requirement} also bounds {act} at this milestone"
