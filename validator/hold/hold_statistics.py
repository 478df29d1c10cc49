"""Statistics of the counts: win compared with theory, hands and cards compared with their probabilities.

Tests use SciPy and are corrected for their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from math import sqrt
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from msgspec.structs import replace
from scipy import stats

from fairdeal.validator.arrays import Codes, Ints, Ints32
from fairdeal.validator.cards.card_codes import CARDS
from fairdeal.validator.cards.hand_orders import LongestFlushRanking
from fairdeal.validator.engine.core.compiled_game import CompiledGame, CompiledHand
from fairdeal.validator.hold import card_census, hold_counts
from fairdeal.validator.hold.expected_hold import HoldTheory, compare_hold, work_out_theory
from fairdeal.validator.hold.hold_files import compare_rates
from fairdeal.validator.hold.stake_counts import StakeGroup, StakeSums, TableDeck, list_offered_wagers, place_sort_key
from fairdeal.validator.hold.win_interval import WinTests
from fairdeal.validator.odds.card_sets import count_category_strengths, count_set_strengths
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.results import game_statistics
from fairdeal.validator.results.findings import Finding
from fairdeal.validator.rulebook.rulebook import Rulebook

LEAST_EXPECTED = 10.0
"""Smallest expected count of a chi-square cell. Rarer cells are put together."""
_UNITS = tuple(game_statistics.Grouping)


class ChiSquare(NamedTuple):
    """Result of a chi-square test."""

    statistic: float
    degrees: int
    """Degrees of freedom."""
    p: float
    """Probability that chance alone deviates as much or more."""


def compare_independent_counts(count: Sequence[int], chance: Sequence[float]) -> ChiSquare | None:
    """Return Pearson's chi-square test of independent items; None if there are too few of them.

    Cells with a small expected count are put together, the rarest first.

    Args:
        count: number of items in each cell.
        chance: probability of each cell.
    """
    total = sum(count)
    cells = sorted(zip((total * share for share in chance), count, strict=True))
    merged: list[tuple[float, int]] = []
    expected, seen = 0.0, 0
    for number, (expected_here, seen_here) in enumerate(cells):
        expected, seen = expected + expected_here, seen + seen_here
        left = sum(likely_later for likely_later, _ in cells[number + 1 :])
        if expected >= LEAST_EXPECTED and (left >= LEAST_EXPECTED or number == len(cells) - 1):
            merged.append((expected, seen))
            expected, seen = 0.0, 0
    if expected or seen:
        merged.append((expected, seen))
    if len(merged) < 2 or merged[-1][0] < LEAST_EXPECTED:
        return None
    likely_of, came_of = (np.array(column, np.float64) for column in zip(*merged, strict=True))
    statistic = float(((came_of - likely_of) ** 2 / likely_of).sum())
    return ChiSquare(statistic, len(merged) - 1, float(stats.chi2.sf(statistic, len(merged) - 1)))


def compare_card_counts(
    count: Sequence[int], each: Sequence[int], seen: int, cards: int, spread: float
) -> ChiSquare | None:
    """Return the chi-square test of cards that are dealt without replacement; None if there are too few of them.

    The count of one card has the variance `spread * (1 - 1 / cards)`, less than with replacement.

    Args:
        count: number of times that each card (or each rank) was dealt.
        each: number of copies of each in the deck, which together are all its cards.
        seen: number of dealt cards in all.
        cards: number of cards in the deck, N.
        spread: sum of m (N - m) / (N (N - 1)) over rounds with m dealt cards.
    """
    if seen * min(each) / cards < LEAST_EXPECTED or spread <= 0:
        return None
    statistic = sum(
        (number - seen * copies / cards) ** 2 / (spread * copies) for number, copies in zip(count, each, strict=True)
    )
    return ChiSquare(statistic, len(count) - 1, float(stats.chi2.sf(statistic, len(count) - 1)))


def correct_for_multiple_tests(chances: Iterable[float]) -> list[float]:
    """Return the probabilities, corrected for their number by the false discovery rate of Benjamini and Hochberg."""
    given = list(chances)
    return [float(chance) for chance in stats.false_discovery_control(given)] if given else []


MOST_LEFT_OUT = 0.01
"""Largest share of rounds that may lack cards. With more, the recorded rounds may be a biased sample."""
_TOO_FEW = "too few for a test: some are expected fewer than ten times"


def compare_hand_frequencies(
    hands: Mapping[tuple[str, str, TableDeck], hold_counts.HandSums], prepared: Mapping[str, CompiledGame]
) -> Iterator[game_statistics.FrequencyResult]:
    """Yield the frequencies of the hands of every table and deck, by category."""
    order = {document: list(game.hands) for document, game in prepared.items()}
    chances: dict[tuple[str, str], dict[str, tuple[int, float]]] = {}
    ordered = sorted(
        hands.items(),
        key=lambda entry: (entry[0][0], order[entry[0][0]].index(entry[0][1]), place_sort_key(entry[0][2])),
    )
    for (document, name, cloth), sums in ordered:
        if (document, name) not in chances:
            chances[document, name] = _compute_chances(prepared[document].hands[name])
        cells = chances[document, name]
        count = [int(sums.count[at]) for at, _ in cells.values()]
        seen = sum(count)
        outcomes = [
            _count_outcome(category, number, seen * chance, sqrt(seen * chance * (1 - chance)))
            for (category, (_, chance)), number in zip(cells.items(), count, strict=True)
        ]
        why = _explain_missing_test(sums.left_out, seen)
        test = None if why else compare_independent_counts(count, [chance for _, chance in cells.values()])
        yield _make_result(document, cloth, name, seen, outcomes, test, sums.left_out, why)


def _compute_chances(hand: CompiledHand) -> dict[str, tuple[int, float]]:
    """Return for each category, the best first, the index of its count and its probability."""
    ends, size = np.array(hold_counts.find_category_bounds(hand), np.int64), sum(hand.sizes)
    if isinstance(hand.ranking, LongestFlushRanking):
        spread = count_category_strengths(size, hand.ranking)
    else:
        spread = count_set_strengths(size, partial(_find_cells, hand, ends))
    at: Ints = spread.strengths.astype(np.int64)
    if isinstance(hand.ranking, LongestFlushRanking):
        at = np.searchsorted(ends, spread.strengths, "right")
    number = np.bincount(at, spread.count, minlength=len(ends) + 1)
    chances = {}
    for category in reversed(hand.ranking.categories):
        place = int(np.searchsorted(ends, hand.ranking.span(category)[0], "right"))
        chances[category] = place, float(number[place] / number.sum())
    return chances


def _find_cells(hand: CompiledHand, ends: Ints, cards: Codes) -> Ints32:
    """Return for each hand the index of the cell between two bounds, int32[n]."""
    return np.searchsorted(ends, hand.strength(cards), "right").astype(np.int32)


def select_card_sums(
    cards: Mapping[tuple[str, str, TableDeck], hold_counts.CardSums],
) -> Iterator[tuple[str, TableDeck, hold_counts.CardSums]]:
    """Yield the document, and the cards to compare, of every table with a deck.

    All cards that are dealt first count. If too many rounds do not record them, only those of players count.
    """
    places = dict.fromkeys((document, cloth) for document, _, cloth in cards)
    for document, cloth in sorted(places, key=lambda key: (key[0], place_sort_key(key[1]))):
        every, of_players = (cards.get((document, whose, cloth)) for whose in ("all", "player"))
        sums = every or of_players
        if sums is None:
            continue
        if (
            of_players is not None
            and _explain_missing_test(sums.left_out, sums.rounds)
            and not _explain_missing_test(of_players.left_out, of_players.rounds)
        ):
            sums = of_players
        yield document, cloth, sums


def _compare_cards(
    prepared: CompiledGame, document: str, cloth: TableDeck, sums: hold_counts.CardSums
) -> game_statistics.FrequencyResult:
    codes, size, decks = (
        hold_counts.list_deck_cards(prepared),
        hold_counts.count_deck_cards(prepared),
        prepared.game.decks,
    )
    is_by_rank, by_name = sums.seen * decks / size < LEAST_EXPECTED, dict[str, list[int]]()
    for code in codes:  # by rank, where single cards are too few
        name = card_census.name_card(code)
        by_name.setdefault(name[0] if is_by_rank and code < CARDS else name, []).append(code)
    count = [sum(int(sums.count[code]) for code in alike) for alike in by_name.values()]
    each = [decks * len(alike) for alike in by_name.values()]
    spread = sums.spread / (size * (size - 1))
    outcomes = [
        _count_outcome(name, number, sums.seen * copies / size, sqrt(spread * copies * (1 - copies / size)))
        for name, number, copies in zip(by_name, count, each, strict=True)
    ]
    why = _explain_missing_test(sums.left_out, sums.rounds)
    test = None if why else compare_card_counts(count, each, sums.seen, size, spread)
    return _make_result(document, cloth, None, sums.seen, outcomes, test, sums.left_out, why)


def _explain_missing_test(left_out: int, recorded: int) -> str | None:
    """Return why there is no test; None if there is one.

    Args:
        left_out: number of rounds that do not record the cards.
        recorded: number of rounds that record them.
    """
    if not recorded:
        return "the log does not record them"
    if left_out > MOST_LEFT_OUT * (left_out + recorded):
        return f"{left_out} rounds do not record all of them, so the others may be a biased sample"
    return None


def _count_outcome(name: str, count: int, expected: float, deviation: float) -> game_statistics.OutcomeCount:
    off = (count - expected) / deviation if deviation else 0.0
    return game_statistics.OutcomeCount(name=name, count=count, expected=round(expected, 4), off=round(off, 4))


def _make_result(
    document: str,
    cloth: TableDeck,
    hand: str | None,
    seen: int,
    outcomes: Sequence[game_statistics.OutcomeCount],
    test: ChiSquare | None,
    left_out: int,
    why: str | None,
) -> game_statistics.FrequencyResult:
    return game_statistics.FrequencyResult(
        document=document,
        **cloth._asdict(),
        of=hand,
        seen=seen,
        came=tuple(outcomes),
        chi_square=None if test is None else round(test.statistic, 4),
        degrees=None if test is None else test.degrees,
        p=None if test is None else float(f"{test.p:.6g}"),
        q=None,
        outside=False,
        stands_out=False,
        left_out=left_out,
        why=why or (_TOO_FEW if test is None else None),
    )


Tested = TypeVar("Tested", game_statistics.HoldResult, game_statistics.FrequencyResult, game_statistics.RoundRate)
AnyTested: TypeAlias = game_statistics.HoldResult | game_statistics.FrequencyResult | game_statistics.RoundRate
LEVEL = 0.95
"""Probability that chance alone leaves a win within its interval, as regulators require."""


def compute_game_statistics(
    counts: hold_counts.HoldCounts,
    rulebook: Rulebook,
    *,
    findings: Iterable[Finding] | None = None,
    level: float = LEVEL,
    report_progress: Callable[[str], None] = lambda _: None,
) -> game_statistics.Statistics:
    """Return the statistics of some counts. `report_progress` receives the name of each slow step.

    Args:
        counts: the counts.
        rulebook: rules of the games.
        findings: findings of an audit of these rounds; None if nothing was checked.
        level: probability that chance alone leaves a win within its interval.
    """
    prepared = {document: compile_game(rulebook.regulation(document)) for document in _list_documents(counts)}
    theories = _work_out_theories(counts, prepared, report_progress)
    hold = _correct([*_compare_holds(counts, theories, level)], level)
    hands = _correct([*compare_hand_frequencies(counts.hands, prepared)], level)
    dealt = [*select_card_sums(counts.cards)]
    cards = _correct(
        [_compare_cards(prepared[document], document, cloth, sums) for document, cloth, sums in dealt], level
    )
    rates = _correct([*compare_rates(counts.rounds, findings, level)], level)
    rated = () if findings is None else ((game_statistics.TestKind.RATES, rates),)
    return game_statistics.Statistics(
        level=level,
        looked_at=tuple(
            _summarise(kind, results, level)
            for kind, results in (
                (game_statistics.TestKind.HOLD, hold),
                (game_statistics.TestKind.HANDS, hands),
                (game_statistics.TestKind.CARDS, cards),
                *rated,
            )
        ),
        wagers=tuple(theory.published for theory in theories.values()),
        hold=tuple(hold),
        rake=tuple(_sum_rake(counts.rake)),
        hands=tuple(hands),
        cards=tuple(cards),
        rates=tuple(rates),
        absent_cards=tuple(islice(_list_absent_cards(dealt, prepared), game_statistics.MOST_OUTLIERS)),
        repeated_orders=tuple(islice(_list_repeated_orders(dealt, prepared), game_statistics.MOST_OUTLIERS)),
    )


LEAST_CHANCE = 1e-6
"""Probability below which chance does not explain a card that does not come, or an order that comes again."""
_Dealt: TypeAlias = Sequence[tuple[str, TableDeck, hold_counts.CardSums]]


def _list_absent_cards(dealt: _Dealt, prepared: Mapping[str, CompiledGame]) -> Iterator[game_statistics.AbsentCard]:
    for document, cloth, sums in dealt:
        if cloth.table == hold_counts.OVERFLOW_NAME or _explain_missing_test(sums.left_out, sums.rounds):
            continue
        codes = hold_counts.list_deck_cards(prepared[document])
        for span in card_census.find_absent_cards(sums.spans, codes, sums.left_out, LEAST_CHANCE / len(dealt)):
            yield game_statistics.AbsentCard(
                document=document,
                **cloth._asdict(),
                card=card_census.name_card(span.card),
                first=card_census.format_start(span.first),
                last=card_census.format_start(span.last),
                rounds=span.rounds,
                chance=float(f"{span.chance * len(dealt):.6g}"),
            )


def _list_repeated_orders(
    dealt: _Dealt, prepared: Mapping[str, CompiledGame]
) -> Iterator[game_statistics.RepeatedOrder]:
    for document, cloth, sums in dealt:
        if cloth.table == hold_counts.OVERFLOW_NAME:
            continue
        copies, size = prepared[document].game.decks, hold_counts.count_deck_cards(prepared[document])
        for same in card_census.find_same_orders(sums.orders, copies, size, LEAST_CHANCE / len(dealt)):
            yield game_statistics.RepeatedOrder(
                document=document,
                **cloth._asdict(),
                cards=same.cards,
                first=card_census.format_start(same.first[0]),
                first_number=same.first[1] if same.first[1] >= 0 else None,
                second=card_census.format_start(same.second[0]),
                second_number=same.second[1] if same.second[1] >= 0 else None,
                chance=float(f"{same.chance * len(dealt):.6g}"),
            )


def _list_documents(counts: hold_counts.HoldCounts) -> list[str]:
    return sorted({terms.document for terms in counts.terms})


def _work_out_theories(
    counts: hold_counts.HoldCounts, prepared: Mapping[str, CompiledGame], report_progress: Callable[[str], None]
) -> dict[tuple[int, str], HoldTheory]:
    """Return the theory of each wager by terms, in the order of the documents and their wagers."""
    sums: dict[tuple[int, str], StakeSums] = {}
    for (by, at, wager, _), sums_at_place in counts.stakes.items():
        if by is game_statistics.Grouping.CASINO:
            sums.setdefault((at, wager), StakeSums()).add(sums_at_place)
    theories: dict[tuple[int, str], HoldTheory] = {}
    for at, terms in sorted(enumerate(counts.terms), key=lambda numbered: numbered[1].document):
        game = prepared[terms.document]
        for offered in list_offered_wagers(game, terms.configuration):
            wager = offered.group.wager
            if (at, wager) in sums:
                report_progress(f"odds of {wager} ({terms.document})")
                theories[at, wager] = work_out_theory(game, terms, offered, sums[at, wager])
    return theories


def _compare_holds(
    counts: hold_counts.HoldCounts, theories: Mapping[tuple[int, str], HoldTheory], level: float
) -> Iterator[game_statistics.HoldResult]:
    laws = WinTests()
    order = {wager: at for at, wager in enumerate(dict.fromkeys(wager for _, wager in theories))}
    by_group: dict[tuple[game_statistics.Grouping, str, str, StakeGroup], dict[int, StakeSums]] = {}
    for (by, at, wager, place), sums in counts.stakes.items():
        by_group.setdefault((by, counts.terms[at].document, wager, place), {})[at] = sums
    ordered = sorted(
        by_group.items(),
        key=lambda entry: (_UNITS.index(entry[0][0]), entry[0][1], order[entry[0][2]], place_sort_key(entry[0][3])),
    )
    for (by, document, wager, place), of_terms in ordered:
        parts = [(theories[at, wager], sums) for at, sums in of_terms.items()]
        yield compare_hold(by, document, wager, place, parts, laws, level)


def _sum_rake(
    rake: Mapping[tuple[game_statistics.Grouping, str, StakeGroup], hold_counts.RakeSums],
) -> Iterator[game_statistics.RakeResult]:
    ordered = sorted(
        rake.items(), key=lambda entry: (_UNITS.index(entry[0][0]), entry[0][1], place_sort_key(entry[0][2]))
    )
    for (by, document, place), total in ordered:
        yield game_statistics.RakeResult(
            by=by,
            document=document,
            **place._asdict(),
            rounds=total.rounds,
            pots=total.pots,
            raked=total.raked,
            share=float(Fraction(total.raked, total.pots)) if total.pots else None,
            left_out=total.left_out,
        )


def _correct(results: Sequence[Tested], level: float) -> list[Tested]:
    """Return the tested results, with corrected probabilities, and with their marks."""
    tested = [result.p for result in results if result.p is not None]
    chances = iter(correct_for_multiple_tests(tested))
    return [result if result.p is None else _mark_result(result, next(chances), level) for result in results]


def _mark_result(result: Tested, q: float, level: float) -> Tested:
    outside = result.p is not None and result.p < 1 - level
    return replace(result, q=float(f"{q:.6g}"), outside=outside, stands_out=q < 1 - level)


def _summarise(
    kind: game_statistics.TestKind,
    results: Iterable[AnyTested],
    level: float,
) -> game_statistics.TestSummary:
    tested = [result for result in results if result.p is not None]
    return game_statistics.TestSummary(
        kind=kind,
        tested=len(tested),
        expected_outside=round(len(tested) * (1 - level), 6),
        outside=sum(result.outside for result in tested),
        stand_out=sum(result.stands_out for result in tested),
        standing_out=tuple(_list_outliers(tested))[: game_statistics.MOST_OUTLIERS],
    )


def _list_outliers(tested: Sequence[AnyTested]) -> Iterator[game_statistics.Outlier]:
    """Yield the results that are too far off for chance after the correction, the least likely first."""
    for result in sorted(tested, key=lambda tested_result: tested_result.p or 0.0):
        if result.stands_out and result.p is not None and result.q is not None:
            yield game_statistics.Outlier(
                document=result.document,
                of=_name_tested(result),
                casino=result.casino,
                table=getattr(result, "table", None),
                day=getattr(result, "day", None),
                dealer=getattr(result, "dealer", None),
                deck=getattr(result, "deck", None),
                p=result.p,
                q=result.q,
            )


def _name_tested(result: AnyTested) -> str | None:
    match result:
        case game_statistics.HoldResult():
            return result.wager
        case game_statistics.FrequencyResult():
            return result.of
        case _:
            return f"{result.by} {result.name}"
