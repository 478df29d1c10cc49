"""Statistics of the counts: win compared with theory, hands and cards compared with their probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from msgspec.structs import replace

from validator.engine.compiled.game import Prepared, prepare
from validator.hold.chances import corrected
from validator.hold.counted import HoldCounts, RakeSums
from validator.hold.frequencies import card_frequencies, hand_frequencies
from validator.hold.hold import hold_of
from validator.hold.offers import offers
from validator.hold.places import Place, in_order
from validator.hold.stakes import StakeSums
from validator.hold.theory import Theory, theory_of
from validator.hold.win_law import WinLaws
from validator.results.statistics import (
    MOST_NAMED,
    By,
    Frequencies,
    Hold,
    Kind,
    LookedAt,
    Rake,
    StandsOut,
    Statistics,
)
from validator.rulebook.loading.rulebook import Rulebook

Tested = TypeVar("Tested", Hold, Frequencies)
LEVEL = 0.95
"""Probability that chance alone leaves a win within its interval, as regulators require."""


def statistics_of(
    counts: HoldCounts, rulebook: Rulebook, *, level: float = LEVEL, tell: Callable[[str], None] = lambda _: None
) -> Statistics:
    """Return the statistics of some counts. Calls `tell` with the name of each slow step.

    Args:
        counts: the counts.
        rulebook: rules of the games.
        level: probability that chance alone leaves a win within its interval.
    """
    prepared = {document: prepare(rulebook.regulation(document)) for document in _list_documents(counts)}
    theories = _work_out_theories(counts, prepared, tell)
    hold = _correct([*_compare_holds(counts, theories, level)], level)
    hands = _correct([*hand_frequencies(counts.hands, prepared)], level)
    cards = _correct([*card_frequencies(counts.cards, prepared)], level)
    return Statistics(
        level=level,
        looked_at=tuple(
            _summarise(kind, results, level)
            for kind, results in ((Kind.HOLD, hold), (Kind.HANDS, hands), (Kind.CARDS, cards))
        ),
        wagers=tuple(theory.told for theory in theories.values()),
        hold=tuple(hold),
        rake=tuple(_sum_rake(counts.rake)),
        hands=tuple(hands),
        cards=tuple(cards),
    )


def _list_documents(counts: HoldCounts) -> list[str]:
    return sorted({terms.document for terms in counts.terms})


def _work_out_theories(
    counts: HoldCounts, prepared: Mapping[str, Prepared], tell: Callable[[str], None]
) -> dict[tuple[int, str], Theory]:
    """Return the theory of each wager by terms, in the order of the documents and their wagers."""
    sums: dict[tuple[int, str], StakeSums] = {}
    for (at, wager, _), sums_at_place in counts.stakes.items():
        sums.setdefault((at, wager), StakeSums()).add(sums_at_place)
    theories: dict[tuple[int, str], Theory] = {}
    for at, terms in sorted(enumerate(counts.terms), key=lambda numbered: numbered[1].document):
        game = prepared[terms.document]
        for offered in offers(game, terms.configuration):
            wager = offered.group.wager
            if (at, wager) in sums:
                tell(f"odds of {wager} ({terms.document})")
                theories[at, wager] = theory_of(game, terms, offered, sums[at, wager])
    return theories


def _group_place(by: By, place: Place) -> Place | None:
    """Return the part of a place that a unit of statistics keeps; None if the log does not state the unit."""
    if (by is By.DAY and place.day is None) or (by is By.DEALER and place.dealer is None):
        return None
    return place._replace(
        table=place.table if by in (By.TABLE, By.DAY) else None,
        day=place.day if by is By.DAY else None,
        dealer=place.dealer if by is By.DEALER else None,
    )


def _compare_holds(counts: HoldCounts, theories: Mapping[tuple[int, str], Theory], level: float) -> Iterator[Hold]:
    laws = WinLaws()
    order = {wager: at for at, wager in enumerate(dict.fromkeys(wager for _, wager in theories))}
    for by in By:
        by_group: dict[tuple[str, str, Place], dict[int, StakeSums]] = {}
        for (at, wager, place), sums in counts.stakes.items():
            there = _group_place(by, place)
            if there is not None:
                of_terms = by_group.setdefault((counts.terms[at].document, wager, there), {})
                of_terms.setdefault(at, StakeSums()).add(sums)
        ordered = sorted(by_group.items(), key=lambda entry: (entry[0][0], order[entry[0][1]], in_order(entry[0][2])))
        for (document, wager, place), of_terms in ordered:
            parts = [(theories[at, wager], sums) for at, sums in of_terms.items()]
            yield hold_of(by, document, wager, place, parts, laws, level)


def _sum_rake(rake: Mapping[tuple[str, Place], RakeSums]) -> Iterator[Rake]:
    for by in By:
        by_group: dict[tuple[str, Place], RakeSums] = {}
        for (document, place), sums in rake.items():
            there = _group_place(by, place)
            if there is not None:
                by_group.setdefault((document, there), RakeSums()).add(sums)
        for (document, place), total in sorted(
            by_group.items(), key=lambda entry: (entry[0][0], in_order(entry[0][1]))
        ):
            yield Rake(
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
    chances = iter(corrected(tested))
    return [result if result.p is None else _mark_result(result, next(chances), level) for result in results]


def _mark_result(result: Tested, q: float, level: float) -> Tested:
    outside = result.p is not None and result.p < 1 - level
    return replace(result, q=float(f"{q:.6g}"), outside=outside, stands_out=q < 1 - level)


def _summarise(kind: Kind, results: Iterable[Hold | Frequencies], level: float) -> LookedAt:
    tested = [result for result in results if result.p is not None]
    return LookedAt(
        kind=kind,
        tested=len(tested),
        expected_outside=round(len(tested) * (1 - level), 6),
        outside=sum(result.outside for result in tested),
        stand_out=sum(result.stands_out for result in tested),
        standing_out=tuple(_list_outliers(tested))[:MOST_NAMED],
    )


def _list_outliers(tested: Sequence[Hold | Frequencies]) -> Iterator[StandsOut]:
    """Yield the results that are too far off for chance after the correction, the least likely first."""
    for result in sorted(tested, key=lambda tested_result: tested_result.p or 0.0):
        if result.stands_out and result.p is not None and result.q is not None:
            hold = result if isinstance(result, Hold) else None
            yield StandsOut(
                document=result.document,
                of=result.wager if isinstance(result, Hold) else result.of,
                casino=result.casino,
                table=result.table,
                day=None if hold is None else hold.day,
                dealer=None if hold is None else hold.dealer,
                deck=None if isinstance(result, Hold) else result.deck,
                p=result.p,
                q=result.q,
            )
