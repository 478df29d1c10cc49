"""Statistics of what was counted: hold against theory, hands and cards against their probabilities."""

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
"""How often chance alone leaves a win within its interval, as regulators ask for it."""


def statistics_of(
    counts: HoldCounts, rulebook: Rulebook, *, level: float = LEVEL, tell: Callable[[str], None] = lambda _: None
) -> Statistics:
    """The statistics of what was counted. `tell` hears what takes its time."""
    prepared = {document: prepare(rulebook.regulation(document)) for document in _documents(counts)}
    theories = _theories(counts, prepared, tell)
    hold = _judged([*_hold(counts, theories, level)], level)
    hands = _judged([*hand_frequencies(counts.hands, prepared)], level)
    cards = _judged([*card_frequencies(counts.cards, prepared)], level)
    return Statistics(
        level=level,
        looked_at=tuple(
            _looked_at(kind, some, level)
            for kind, some in ((Kind.HOLD, hold), (Kind.HANDS, hands), (Kind.CARDS, cards))
        ),
        wagers=tuple(theory.told for theory in theories.values()),
        hold=tuple(hold),
        rake=tuple(_rake(counts.rake)),
        hands=tuple(hands),
        cards=tuple(cards),
    )


def _documents(counts: HoldCounts) -> list[str]:
    return sorted({terms.document for terms in counts.terms})


def _theories(
    counts: HoldCounts, prepared: Mapping[str, Prepared], tell: Callable[[str], None]
) -> dict[tuple[int, str], Theory]:
    """What stakes on each wager are expected to come to, by terms, in the order of the documents and their wagers."""
    sums: dict[tuple[int, str], StakeSums] = {}
    for (at, wager, _), some in counts.stakes.items():
        sums.setdefault((at, wager), StakeSums()).add(some)
    found: dict[tuple[int, str], Theory] = {}
    for at, terms in sorted(enumerate(counts.terms), key=lambda one: one[1].document):
        game = prepared[terms.document]
        for offered in offers(game, terms.configuration):
            wager = offered.group.wager
            if (at, wager) in sums:
                tell(f"odds of {wager} ({terms.document})")
                found[at, wager] = theory_of(game, terms, offered, sums[at, wager])
    return found


def _at(by: By, place: Place) -> Place | None:
    """A place as far as stakes are put together by something; None where the log does not say."""
    if (by is By.DAY and place.day is None) or (by is By.DEALER and place.dealer is None):
        return None
    return place._replace(
        table=place.table if by in (By.TABLE, By.DAY) else None,
        day=place.day if by is By.DAY else None,
        dealer=place.dealer if by is By.DEALER else None,
    )


def _hold(counts: HoldCounts, theories: Mapping[tuple[int, str], Theory], level: float) -> Iterator[Hold]:
    laws = WinLaws()
    order = {wager: at for at, wager in enumerate(dict.fromkeys(wager for _, wager in theories))}
    for by in By:
        found: dict[tuple[str, str, Place], dict[int, StakeSums]] = {}
        for (at, wager, place), sums in counts.stakes.items():
            there = _at(by, place)
            if there is not None:
                of_terms = found.setdefault((counts.terms[at].document, wager, there), {})
                of_terms.setdefault(at, StakeSums()).add(sums)
        ordered = sorted(found.items(), key=lambda one: (one[0][0], order[one[0][1]], in_order(one[0][2])))
        for (document, wager, place), of_terms in ordered:
            parts = [(theories[at, wager], sums) for at, sums in of_terms.items()]
            yield hold_of(by, document, wager, place, parts, laws, level)


def _rake(rake: Mapping[tuple[str, Place], RakeSums]) -> Iterator[Rake]:
    for by in By:
        found: dict[tuple[str, Place], RakeSums] = {}
        for (document, place), sums in rake.items():
            there = _at(by, place)
            if there is not None:
                found.setdefault((document, there), RakeSums()).add(sums)
        for (document, place), total in sorted(found.items(), key=lambda one: (one[0][0], in_order(one[0][1]))):
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


def _judged(found: Sequence[Tested], level: float) -> list[Tested]:
    """What was tested with its chances corrected, and what lies outside and stands out."""
    tested = [result.p for result in found if result.p is not None]
    chances = iter(corrected(tested))
    return [result if result.p is None else _marked(result, next(chances), level) for result in found]


def _marked(one: Tested, q: float, level: float) -> Tested:
    outside = one.p is not None and one.p < 1 - level
    return replace(one, q=float(f"{q:.6g}"), outside=outside, stands_out=q < 1 - level)


def _looked_at(kind: Kind, found: Iterable[Hold | Frequencies], level: float) -> LookedAt:
    tested = [result for result in found if result.p is not None]
    return LookedAt(
        kind=kind,
        tested=len(tested),
        expected_outside=round(len(tested) * (1 - level), 6),
        outside=sum(result.outside for result in tested),
        stand_out=sum(result.stands_out for result in tested),
        standing_out=tuple(_standing_out(tested))[:MOST_NAMED],
    )


def _standing_out(tested: Sequence[Hold | Frequencies]) -> Iterator[StandsOut]:
    """Yield those that stand out, the least likely first."""
    for result in sorted(tested, key=lambda one: one.p or 0.0):
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
