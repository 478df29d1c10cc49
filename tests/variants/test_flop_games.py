"""Flop games other than Texas hold'em, encoded in YAML alone.

They are pot-limit Omaha, Omaha high-low by fixed limits, and hold'em with a short deck and a blind on the button.
"""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from fairdeal import api
from fairdeal.validator.evidence.poker.phh_rounds import PhhActionCache, convert_hand
from tests.facade.results import Results, Status
from tests.facade.rounds import build_audit_plan
from tests.facade.rules import load_regulation
from tests.facade.text import InputError
from tests.phh import tampering
from tests.phh.audited import REAL, SET_ASIDE
from tests.phh.tampering import Act, Hand, Tampered, acts_of, write_hand
from tests.variants.flop_hands import BIG_BLIND, random_hand
from tests.variants.hands import GAMES, judge, load_recorded, rulebook

DOCUMENTS = {"PO": "pot-limit-omaha", "FO/8": "omaha-eight", "NS": "short-deck"}
RANDOM = 30
TURNS = {
    "only-players-act",
    "in-turn",
    "no-act-after-the-end",
    "betting-completed",
    "betting-completed-at-the-showdown",
}
ALWAYS = {
    "one-deck",
    "hole-cards-in-number",
    "board-in-number",
    "blinds-from-their-seats",
    "table-stakes",
    "nothing-raked",
}
THREE_SHARE = {"FO/8": {70, 120, 1021}, "NS": {1001, 1068}}
"""Hands in which three players share a pot: PokerKit gives the complete remainder to the first of them."""
UNTOLD = {"hole-cards-in-turn", "burnt"}
"""Requirements on facts that hand histories never record."""


def totals(results: Results, variant: str) -> dict[str, dict[str, int]]:
    """Return the number of results of each status, for each requirement of a variant's document."""
    return {
        requirement.requirement.partition("/")[2]: {status.value: count for status, count in requirement.totals.items()}
        for requirement in results.requirements
        if requirement.document == DOCUMENTS[variant]
    }


def submission(variant: str, folder: Path) -> Path:
    """Write a submission with the blinds of the random hands, whose unit is the smallest chip."""
    path = folder / f"{DOCUMENTS[variant]}.yaml"
    amounts = {"button-blind": 10} if variant == "NS" else {"small-blind": 5, "big-blind": 10}
    posted = "\n".join(
        f"- {{wager: {wager}, minimum: {amount}, maximum: {amount}, posted: [signage]}}"
        for wager, amount in amounts.items()
    )
    path.write_text(
        f"""\
submission: a-house
licensee: {{name: A House, license: A-1}}
document: {DOCUMENTS[variant]}
effective: 1970-01-01
smallest-chip: 1
wagers:
{posted}
"""
    )
    return path


# Whole hands


@pytest.mark.skipif(not REAL.is_dir(), reason="there are no recorded hands here")
@pytest.mark.parametrize(("variant", "count"), [("PO", 7), ("FO/8", 14)])
def test_recorded_hands_comply(variant: str, count: int, tmp_path: Path) -> None:
    hands = load_recorded(variant)
    assert len(hands) == count
    results, found = judge(hands, tmp_path)
    assert not found
    for name, total in totals(results, variant).items():
        unseen = {"not-evidenced": count} if name in UNTOLD else {}
        assert name in UNTOLD | {"one-deck"} or "not-evidenced" not in total, name  # not every hand is shown
        assert total.get("pass", 0) > 0 or total == unseen, name


@pytest.mark.parametrize("variant", DOCUMENTS)
def test_hands_made_by_chance_comply(variant: str, tmp_path: Path) -> None:
    # A button that has nothing left for the blind is set aside.
    least = BIG_BLIND + 1 if variant == "NS" else 1
    seeds = [seed for seed in range(RANDOM) if seed not in THREE_SHARE.get(variant, ())]
    hands = {str(seed): random_hand(variant, seed, least_stack=least) for seed in seeds}
    results, found = judge(hands, tmp_path)
    assert not found
    for name, total in totals(results, variant).items():
        seen = total.get("pass", 0) + total.get("not-applicable", 0)
        # The required amount of a blind that took all chips is not recorded.
        assert name in UNTOLD or seen >= RANDOM * 2 // 3, name


@pytest.mark.parametrize("variant", DOCUMENTS)
def test_with_a_submission_all_is_evidenced_down_to_the_chip(variant: str, tmp_path: Path) -> None:
    seeds = [seed for seed in range(1000, 1018) if seed not in THREE_SHARE.get(variant, ())]
    hands = {str(seed): random_hand(variant, seed, least_stack=4 * BIG_BLIND) for seed in seeds}
    results, found = judge(hands, tmp_path, submission(variant, tmp_path))
    assert not found
    told = totals(results, variant)
    assert all(told[name].keys() <= {"pass", "not-applicable"} and told[name]["pass"] for name in ALWAYS | {"in-turn"})
    assert {name for name, counts in told.items() if "not-evidenced" in counts} <= UNTOLD | {
        "pots-to-the-winners",
        "uncalled-bet-returned",
    }
    assert told["pots-to-the-winners"]["pass"] > len(hands) * 9 // 10


def test_more_raises_than_there_may_be(tmp_path: Path) -> None:
    hands = {str(seed): random_hand("FO/8", seed, least_stack=100, most_bets=7) for seed in range(22)}
    _, found = judge(hands, tmp_path)
    beyond = set()
    for name, text in hands.items():
        acts = acts_of(tomllib.loads(text))
        bets = [sum(act.verb == "cbr" for act in acts if act.street == street) for street in range(4)]
        if bets[0] > 3 or max(bets) > 4:
            beyond.add(name)
    assert 5 < len(beyond) < 22
    assert found.keys() == beyond
    assert all("raise-is-open" in failed for failed in found.values())


# Hands tampered with


def _bets_that_may_be_more(hand: Hand) -> list[Act]:
    return [act for act in acts_of(hand) if act.verb == "cbr" and act.total - act.put < act.behind]


def beyond_the_pot(hand: Hand, chance: random.Random) -> Tampered:
    """Make a bet or raise exceed the limit by one; later acts may then be too small."""
    for act in chance.sample(found := _bets_that_may_be_more(hand), len(found)):
        most = act.level + _pot(hand, act) + act.level - act.put
        if act.put + act.behind > most:
            actions = [*hand["actions"][: act.at], f"p{act.player + 1} cbr {most + 1}"]
            return {**{key: value for key, value in hand.items() if key != "finishing_stacks"}, "actions": actions}
    return None


def as_much_as_the_pot(hand: Hand, chance: random.Random) -> Tampered:
    """Make a bet or raise equal the limit, which is lawful."""
    made = beyond_the_pot(hand, chance)
    if made is None:
        return None
    *before, last = made["actions"]
    player, _, total = last.split()
    return {**made, "actions": [*before, f"{player} cbr {int(total) - 1}"]}


def _pot(hand: Hand, until: Act) -> int:
    """Return the amount put in before an act. Nobody was all in before the cards were dealt."""
    pot = sum(hand["antes"]) + sum(hand["blinds_or_straddles"])
    for act in acts_of(hand):
        if act.at < until.at:
            pot += int(act.owed if act.verb == "cc" else act.total - act.put if act.verb == "cbr" else 0)
    return int(pot)


def of_another_size(hand: Hand, chance: random.Random) -> Tampered:
    """Make a last bet or raise exceed the fixed size by one."""
    found = _bets_that_may_be_more(hand)
    if not found:
        return None
    act = chance.choice(found)
    actions = [*hand["actions"][: act.at], f"p{act.player + 1} cbr {act.total + 1}"]
    return {**{key: value for key, value in hand.items() if key != "finishing_stacks"}, "actions": actions}


Kinds = dict[Callable[[Hand, random.Random], Tampered], set[str]]

MONEY = {"pots-to-the-winners", "uncalled-bet-returned", "nothing-raked"}
OF_ALL: Kinds = {
    tampering.out_of_turn: {"in-turn"},
    tampering.missing_call: TURNS,
    tampering.act_after_the_end: {"no-act-after-the-end"},
    tampering.act_after_folding: {"only-players-act"},
    tampering.card_twice: {"one-deck"},
    tampering.wrong_winner: {"pots-to-the-winners", "uncalled-bet-returned"},
    tampering.uneven_split: {"pots-to-the-winners"},
    tampering.finishing_stack_a_chip_more: MONEY,
    tampering.bet_above_the_stack: {"table-stakes", SET_ASIDE},  # where more goes in than the record has
    tampering.showdown_without_the_river: {"board-complete"},
    tampering.two_cards_on_the_turn: {"board-in-number"},
    tampering.three_hole_cards: {"hole-cards-in-number"},
}
"""Requirements that may be found for each kind. At least one of them must fail."""
KINDS: dict[str, Kinds] = {
    "PO": OF_ALL | {tampering.raise_too_small: {"least-raise"}, beyond_the_pot: {"not-beyond-the-pot"}},
    "FO/8": OF_ALL | {tampering.raise_too_small: {"sizes"}, of_another_size: {"sizes"}},
    "NS": OF_ALL | {tampering.raise_too_small: {"least-raise"}},
}
LAWFUL = (tampering.other_suits, tampering.folded_cards_changed, tampering.all_doubled)


@cache
def texts_made_by_chance(variant: str) -> list[str]:
    return [random_hand(variant, seed, least_stack=4 * BIG_BLIND) for seed in range(2_000, 2_010)]


def made_by_chance(variant: str) -> list[Hand]:
    return [tomllib.loads(text, parse_float=Decimal) for text in texts_made_by_chance(variant)]


@pytest.mark.parametrize("variant", DOCUMENTS)
def test_hands_tampered_with_fail_the_right_requirement(variant: str, tmp_path: Path) -> None:
    kinds = KINDS[variant]
    made: dict[str, tuple[Any, str]] = {}
    for number, hand in enumerate(made_by_chance(variant)):
        for kind in kinds:
            changed = kind(hand, random.Random(number))
            if changed is not None and changed != hand:
                made[f"{kind.__name__}-{number}"] = kind, write_hand(changed)
    _, found = judge({name: text for name, (_, text) in made.items()}, tmp_path, submission(variant, tmp_path))
    assert [
        (name, found.get(name)) for name, (kind, _) in made.items() if not found.get(name, set()) & kinds[kind]
    ] == []
    assert {kind for kind, _ in made.values()} == kinds.keys()


def deals_low_cards(hand: Hand) -> bool:
    """Return whether cards are dealt that a short deck lacks."""
    dealt = [action.split()[-1] for action in hand["actions"] if action.startswith("d ")]
    return any(rank in "2345" for cards in dealt for rank in cards[::2])


@pytest.mark.parametrize("variant", DOCUMENTS)
def test_hands_that_are_lawful_all_the_same(variant: str, tmp_path: Path) -> None:
    made: dict[str, str] = {}
    for number, hand in enumerate(made_by_chance(variant)):
        for kind in (*LAWFUL, as_much_as_the_pot) if variant == "PO" else LAWFUL:
            changed = kind(hand, random.Random(number))
            if changed is not None and changed != hand and not (variant == "NS" and deals_low_cards(changed)):
                made[f"{kind.__name__}-{number}"] = write_hand(changed)
    _, found = judge(made, tmp_path)
    assert not found
    assert len(made) > 15


def test_a_call_that_is_too_small(tmp_path: Path) -> None:
    """Hand histories do not record the amount of a call, hand logs do."""
    acts, variants = PhhActionCache(), build_audit_plan(rulebook(), []).load_variants()
    lines: list[str] = []
    for variant in DOCUMENTS:
        for hand in made_by_chance(variant)[:20]:
            record = json.loads(convert_hand(hand, variants, acts, file="", name=str(len(lines))))
            calls = [event for event in record["events"] if event.get("decision") == "call"]
            if calls:
                calls[-1]["amount"] -= 100
                lines.append(json.dumps(record))
    path = tmp_path / "hands.jsonl"
    path.write_text("\n".join(lines))
    failed = {
        finding.where.round
        for finding in api.audit(rulebook(), path).findings
        if finding.status is Status.FAIL and finding.requirement.endswith("/call-meets-the-bet")
    }
    assert len(lines) > 20 and len(failed) == len(lines)


# Hands that the rules settle

CALLED = ["p3 cc", "p1 cc", "p2 cc"]
ROUND = ["p1 cc", "p2 cc", "p3 cc"]


def eight_or_better(board: str, *hands: str, shown: Iterable[int] = (1, 2, 3), third_stack: int = 1000) -> list[str]:
    """Return the lines of a hand in which three players call the big blind, or all chips of the third, to the end."""
    first = CALLED if third_stack > BIG_BLIND else ["p3 cc", "p1 cc", "p2 cc"]
    opening = [f"p3 cbr {third_stack}", *first[1:]] if BIG_BLIND < third_stack < 1000 else first
    later = ["p1 cc", "p2 cc"] if third_stack < 1000 else ROUND
    actions = [f"d dh p{number} {cards}" for number, cards in enumerate(hands, 1)] + opening
    for cards in (board[:6], board[6:8], board[8:]):
        actions += [f"d db {cards}", *later]
    actions += [f"p{number} sm {hands[number - 1]}" for number in shown]
    return [
        "variant = 'FO/8'",
        "antes = [0, 0, 0]",
        "blinds_or_straddles = [5, 10, 0]",
        "small_bet = 10",
        "big_bet = 20",
        f"starting_stacks = [1000, 1000, {third_stack}]",
        f"actions = {actions}",
    ]


LOW = "As2sKhJc"
SAME_LOW = "Ad2d9c9h"
KINGS = "KcKsTc8h"
NO_LOW = "9c9hJdTd"

SPLIT: dict[str, tuple[list[str], list[int]]] = {
    # Three kings take one half of 30; ace and two with 3-5-7 of the board share the other, the odd chip to the first.
    "quartered": (eight_or_better("3s7hKd5cQs", LOW, SAME_LOW, KINGS), [998, 997, 1005]),
    # Of 33 the high half gets the odd chip.
    "odd-chip": (eight_or_better("3s7hKd5cQs", LOW, NO_LOW, KINGS, third_stack=11), [1005, 989, 17]),
    # Only two cards of the board are eight or lower: nobody has a low, three kings take all.
    "no-low": (eight_or_better("3s7hKd9dQs", LOW, SAME_LOW, KINGS), [990, 990, 1020]),
    # Ace and two make the lowest hand and the highest, a straight to the five.
    "both": (eight_or_better("3s4hKd5cQs", LOW, NO_LOW, KINGS), [1020, 990, 990]),
    # A pair is no low: 2-3 on the board and 2-3 in the hand leave too few ranks.
    "counterfeit": (eight_or_better("3s2hKd7cQs", "2c3dAhAc", NO_LOW, KINGS), [990, 990, 1020]),
}


@pytest.mark.parametrize("name", SPLIT)
def test_pots_of_high_and_low(name: str, tmp_path: Path) -> None:
    lines, right = SPLIT[name]
    moved = [(giver, taker) for giver in range(3) for taker in range(3) if giver != taker and right[giver]]
    hands = {"right": right}
    for giver, taker in moved:
        wrong = list(right)
        wrong[giver] -= 1
        wrong[taker] += 1
        hands[f"{giver + 1} to {taker + 1}"] = wrong
    texts = {key: "\n".join([*lines, f"finishing_stacks = {stacks}"]) for key, stacks in hands.items()}
    results, found = judge(texts, tmp_path, submission("FO/8", tmp_path))
    assert found == {key: {"pots-to-the-winners"} for key in hands if key != "right"}
    assert totals(results, "FO/8")["pots-to-the-winners"] == {"pass": 1, "fail": len(moved)}


def test_hands_that_win_a_share_are_named(tmp_path: Path) -> None:
    hands = {name: "\n".join([*SPLIT[name][0], "finishing_stacks = [1000, 1000, 1000]"]) for name in ("both", "no-low")}
    results, _ = judge(hands, tmp_path, submission("FO/8", tmp_path))
    told = {
        (finding.where.round, finding.where.seat): finding.expected
        for finding in results.findings
        if finding.status is Status.FAIL
    }
    both = "straight to the five and five-four low: five, four, three, two, ace"
    assert told["both", 1] == f"seat 1 should receive the pot of 30.00 ({both})"
    assert told["no-low", 3] == "seat 3 should receive the pot of 30.00 (three of a kind: kings, kickers queen, nine)"


# Contradictory rules


@pytest.mark.parametrize(
    ("uses", "says"),
    [
        ("{player: 2}", "must state how many cards it uses of each of its places: player, community"),
        ("{player: 2, dealer: 3}", "must state how many cards it uses of each"),
        ("{player: 5, community: 1}", "the player holds 4 cards"),
        ("{player: 2, community: 2}", "uses 4 cards, but five-card ranks hands of 5"),
        ("{player: 0, community: 5}", "`player` must be at least 1"),
    ],
)
def test_cards_used_that_make_no_hand_are_refused(uses: str, says: str, tmp_path: Path) -> None:
    assert_refused(tmp_path, "uses: {player: 2, community: 3}", f"uses: {uses}", says)


def test_only_ranks_can_order_hands_of_so_many_cards_of_each_place(tmp_path: Path) -> None:
    says = "needs a ranking by ranks alone and of a fixed size, unlike longest"
    assert_refused(tmp_path, "rank-by: five-card", "rank-by: longest", says)


def assert_refused(folder: Path, old: str, new: str, says: str) -> None:
    """Assert that the rules with a change of the game are refused for this reason."""
    root, path = folder / "rules", folder / "rules" / "pot-limit-omaha" / "game.yaml"
    copytree(GAMES, root)
    with (root / "vocabulary" / "rankings.yaml").open("a") as stream:
        stream.write("\n  longest:\n    makes: longest-suited\n    categories: [{category: any}]\n")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        load_regulation("pot-limit-omaha", root)
    assert says in "".join(problem.message for problem in caught.value.diagnostics)


@pytest.mark.parametrize(("card", "found"), [("6c", []), ("2c", ["one-deck"])])
def test_a_card_that_the_deck_lacks_is_not_from_the_deck(card: str, found: list[str], tmp_path: Path) -> None:
    seats = [{"seat": 1, "cards": f"Ac{card}", "wagers": []}, {"seat": 2, "cards": "AdKd", "wagers": []}]
    round_ = {"round": "R1", "table": "T1", "time": "2026-03-02T18:00:00Z", "game": "short-deck", "seats": seats}
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(round_) + "\n", "utf-8")
    findings = [finding for finding in api.audit(rulebook(), log).findings if finding.status is Status.FAIL]
    names = [finding.requirement.partition("/")[2] for finding in findings]
    assert [name for name in names if name == "one-deck"] == found
