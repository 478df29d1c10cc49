"""Hand-written results for the reports' tests: every status, severity and mark, and a hostile twin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import fields, replace

from tests.facade.results import (
    AppliedDocument,
    AppliedReading,
    AreaUnit,
    Baseline,
    Cause,
    ClauseText,
    Evidence,
    EvidencePlace,
    Explanation,
    ExplanationPart,
    Finding,
    FindingState,
    InputFile,
    InputKind,
    Layout,
    LayoutArea,
    LayoutMark,
    LayoutSign,
    LicenseeDetails,
    Money,
    MoneySum,
    Provenance,
    Quarantined,
    RequirementResult,
    Results,
    SessionGap,
    Severity,
    Status,
    Subject,
    TableCoverage,
    TableSession,
    UnresolvedItem,
    Verdict,
    Waiver,
    WaiverClaim,
    WaiverClaimed,
)

DOCUMENT = "xx-rule7-harbour-draw"
SUBMISSION = "submissions/blue-lantern.yaml"
LOG = "logs/2026-03.jsonl"

WAIVER = Waiver(
    regulator="Gaming Division",
    by="J. Marlow, director",
    granted="2026-01-20",
    file="waivers/26-114.yaml",
    reason="The cabinet ordered in January arrives in May; the pit keeps a written count until then.",
    from_="2026-02-01",
    until="2026-05-31",
)
CLAIM = WaiverClaim(reason="We have always dealt it so.", by="the shift manager", until="2099-12-31")

REQUIREMENTS = (
    RequirementResult(
        requirement="pay-table-floor",
        title="Every row of the pay table pays at least the published floor",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(12)(A)", "xx-rule7-harbour-draw/(12)(B)"),
        evidence=Evidence.SUBMISSION,
        severity=Severity.CRITICAL,
        status=Status.FAIL,
        reason="Two of nine rows pay less than the floor.",
        totals={Status.FAIL: 1},
    ),
    RequirementResult(
        requirement="settled-in-full",
        title="Every wager is paid what the settlement gives it",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(14)(A)",),
        evidence=Evidence.ROUND,
        severity=Severity.CRITICAL,
        status=Status.FAIL,
        reason="3 of 12,480 rounds were settled for less or more than was due.",
        totals={Status.FAIL: 3, Status.PASS: 12_477},
        reading=("margin-of-equal-hands",),
    ),
    RequirementResult(
        requirement="legend-in-each-area",
        title="Each betting area carries the legend of its wager",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(3)",),
        evidence=Evidence.SUBMISSION,
        severity=Severity.MAJOR,
        status=Status.FAIL,
        reason="One legend differs from the wager's name.",
        totals={Status.FAIL: 1},
    ),
    RequirementResult(
        requirement="meter-displayed",
        title="The progressive meter is displayed at the table",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(21)",),
        evidence=Evidence.SUBMISSION,
        severity=Severity.MINOR,
        status=Status.FAIL,
        reason="The layout names no meter.",
        totals={Status.FAIL: 1},
        waived=WAIVER,
    ),
    RequirementResult(
        requirement="tip-is-no-wager",
        title="A tip placed beside a wager is settled as the wager is",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(18)(C)",),
        evidence=Evidence.ROUND,
        severity=Severity.MINOR,
        status=Status.ERROR,
        reason="The rule asks for the amount of a wager that this version of the game does not have.",
        totals={Status.ERROR: 4, Status.PASS: 12_476},
    ),
    RequirementResult(
        requirement="cut-before-deal",
        title="The cards are cut before they are dealt",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(8)(A)",),
        evidence=Evidence.ROUND,
        severity=Severity.MAJOR,
        status=Status.NOT_EVIDENCED,
        reason="27 rounds were logged without events.",
        totals={Status.NOT_EVIDENCED: 27, Status.PASS: 12_453},
    ),
    RequirementResult(
        requirement="deck-inspected",
        title="A dealer inspected both decks before the table opened",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(6)",),
        evidence=Evidence.ATTESTATION,
        severity=Severity.MAJOR,
        status=Status.NEEDS_ATTESTATION,
        reason="No attestation for this clause was handed in.",
        totals={Status.NEEDS_ATTESTATION: 1},
    ),
    RequirementResult(
        requirement="dealer-draws-last",
        title="The dealer draws after every player has decided",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(11)",),
        evidence=Evidence.ROUND,
        severity=Severity.CRITICAL,
        status=Status.PASS,
        reason="",
        totals={Status.PASS: 12_480},
    ),
    RequirementResult(
        requirement="decks-alternate",
        title="Two decks of different backs alternate at the table",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(5)(D)",),
        evidence=Evidence.SESSION,
        severity=Severity.MAJOR,
        status=Status.NOT_APPLICABLE,
        reason="The table has no automated shuffler.",
        totals={Status.NOT_APPLICABLE: 12_480},
    ),
    RequirementResult(
        requirement="odds-wording",
        title="Odds are stated as “to”, never as “for”",
        document=DOCUMENT,
        clauses=("xx-rule7-harbour-draw/(4)",),
        evidence=Evidence.SUBMISSION,
        severity=Severity.MINOR,
        status=Status.NOT_IN_FORCE,
        reason="The clause takes effect on 2026-07-01.",
        totals={Status.NOT_IN_FORCE: 1},
    ),
)


def _build_settlement(
    number: int,
    *,
    observed: str,
    expected: str,
    line: int,
    seat: int,
    event: int,
    owed: int = 0,
    overpaid: int = 0,
    state: FindingState = FindingState.KNOWN,
) -> Finding:
    return Finding(
        requirement="settled-in-full",
        clauses=("xx-rule7-harbour-draw/(14)(A)",),
        document=DOCUMENT,
        status=Status.FAIL,
        severity=Severity.CRITICAL,
        message="The wager was not paid what the settlement gives it.",
        broken="The dealer did not pay a wager what it was due.",
        expected=expected,
        observed=observed,
        where=EvidencePlace(
            file=LOG,
            line=line,
            column=1,
            pointer=f"/seats/{seat - 1}/wagers/0/paid",
            casino="Blue Lantern",
            table="HD-3",
            round=f"HD-3/{number}",
            time="2026-03-14T21:07:09Z",
            seat=seat,
            wager="opening",
            event=event,
            context={"dealer": "Ann", "video": f"V-{number}"},
        ),
        reading=("margin-of-equal-hands",),
        remedy="Pay the player the difference and keep the record of it.",
        owed=owed,
        overpaid=overpaid,
        id=f"f{number}",
        state=state,
    )


FINDINGS = (
    Finding(
        requirement="legend-in-each-area",
        clauses=("xx-rule7-harbour-draw/(3)",),
        document=DOCUMENT,
        status=Status.FAIL,
        severity=Severity.MAJOR,
        message="The area of the second wager carries the legend of another wager.",
        expected="SECOND",
        observed="BONUS",
        where=EvidencePlace(file=SUBMISSION, line=48, column=15, pointer="/layout/areas/1/legend"),
        remedy="Print “SECOND” in this area, or rename the wager in the submission.",
        claimed=CLAIM,
        state=FindingState.KNOWN,
    ),
    Finding(
        requirement="meter-displayed",
        clauses=("xx-rule7-harbour-draw/(21)",),
        document=DOCUMENT,
        status=Status.FAIL,
        severity=Severity.MINOR,
        message="The submission names no display of the meter.",
        expected="a meter display among the signage",
        observed="no such sign",
        where=EvidencePlace(file=SUBMISSION, line=61, column=3, pointer="/signage"),
        remedy="Add the display to the signage.",
        waived=WAIVER,
        claimed=CLAIM,
        state=FindingState.KNOWN,
    ),
    Finding(
        requirement="pay-table-floor",
        clauses=("xx-rule7-harbour-draw/(12)(A)",),
        document=DOCUMENT,
        status=Status.FAIL,
        severity=Severity.CRITICAL,
        message="A row of the pay table pays less than the published floor.",
        expected="straight: at least 4 to 1",
        observed="straight: 3 to 1",
        where=EvidencePlace(file=SUBMISSION, line=23, column=17, pointer="/pay-tables/0/rows/4/pays"),
        remedy="Raise the row to the floor, or choose a pay table that meets it.",
        state=FindingState.KNOWN,
    ),
    Finding(
        requirement="pay-table-floor",
        clauses=("xx-rule7-harbour-draw/(12)(B)",),
        document=DOCUMENT,
        status=Status.FAIL,
        severity=Severity.CRITICAL,
        message="A row of the pay table pays less than the published floor.",
        expected="flush: at least 5 to 1",
        observed="no such row",
        where=EvidencePlace(file=SUBMISSION, line=18, column=5, pointer="/pay-tables/0/rows"),
        remedy="Raise the row to the floor, or choose a pay table that meets it.",
        state=FindingState.KNOWN,
    ),
    _build_settlement(
        4417,
        expected="paid $40.00 (4 to 1)",
        observed="paid $30.00, $10.00 under",
        line=4417,
        seat=2,
        event=51,
        owed=1_000,
    ),
    _build_settlement(
        9003,
        expected="paid $15.00 (1 to 1)",
        observed="paid $0.00, $15.00 under",
        line=9003,
        seat=5,
        event=47,
        owed=1_500,
        state=FindingState.NEW,
    ),
    _build_settlement(
        9118,
        expected="push: $0.00",
        observed="paid $25.00, $25.00 over",
        line=9118,
        seat=1,
        event=39,
        overpaid=2_500,
    ),
    Finding(
        requirement="tip-is-no-wager",
        clauses=("xx-rule7-harbour-draw/(18)(C)",),
        document=DOCUMENT,
        status=Status.ERROR,
        severity=Severity.MINOR,
        message="The requirement could not be judged for this round.",
        expected="a wager the tip stands beside",
        observed="the game as submitted has no such wager",
        where=EvidencePlace(file=LOG, line=77, casino="Blue Lantern", table="HD-1", round="77", time="2026-03-02"),
        count=4,
        state=FindingState.KNOWN,
    ),
    Finding(
        requirement="cut-before-deal",
        clauses=("xx-rule7-harbour-draw/(8)(A)",),
        document=DOCUMENT,
        status=Status.NOT_EVIDENCED,
        severity=Severity.MAJOR,
        message="The log does not show whether the cards were cut before the deal.",
        expected="a cut between the shuffle and the first card dealt",
        observed="no events were recorded",
        where=EvidencePlace(file=LOG, line=301, round="301", table="HD-1"),
        remedy="Record the events of a round, at least shuffle, cut and deal.",
        count=27,
        state=FindingState.KNOWN,
    ),
    Finding(
        requirement="deck-inspected",
        clauses=("xx-rule7-harbour-draw/(6)",),
        document=DOCUMENT,
        status=Status.NEEDS_ATTESTATION,
        severity=Severity.MAJOR,
        message="Only the person who inspected the decks can vouch for it.",
        expected="an attestation with name and date",
        observed="none for this clause",
        where=EvidencePlace(),
        state=FindingState.KNOWN,
    ),
)

SUBJECT = Subject(
    licensees=(
        LicenseeDetails(name="Blue Lantern", license="HD-114"),
        LicenseeDetails(name="Harbour House", license=None),
    ),
    law=(
        AppliedDocument(
            document=DOCUMENT,
            title="Harbour Draw (Rule 7)",
            citation="Rule 7, Harbour Draw, (1) to (24)",
            regulator="Gaming Division",
            game="Harbour Draw",
        ),
    ),
    casinos=("Blue Lantern", "Harbour House"),
    tables=(
        TableCoverage(document=DOCUMENT, casino=None, table="5", rounds=4_284, first="2026-03-01", last="2026-03-31"),
        TableCoverage(
            document=DOCUMENT, casino="Blue Lantern", table="4", rounds=8_196, first="2026-03-01", last="2026-03-31"
        ),
    ),
    tables_read=2,
    first="2026-03-01",
    last="2026-03-31",
    currency="USD",
)


def build_sums(by: str, *of: tuple[str | None, str | None, int, int, int]) -> tuple[MoneySum, ...]:
    """Build sums of one kind: casino and name, findings, owed and overpaid."""
    return tuple(
        MoneySum(by=by, casino=casino, name=name, findings=findings, owed=owed, overpaid=overpaid)
        for casino, name, findings, owed, overpaid in of
    )


MONEY = Money(
    findings=3,
    owed=2_500,
    overpaid=2_500,
    sums=(
        *build_sums("requirement", (None, f"{DOCUMENT}/paid-as-due", 3, 2_500, 2_500)),
        *build_sums("casino", (None, "Blue Lantern", 2, 2_500, 0), (None, None, 1, 0, 2_500)),
        *build_sums("table", ("Blue Lantern", "HD-1", 2, 2_500, 0), (None, "5", 1, 0, 2_500)),
        *build_sums("day", (None, "2026-03-02", 2, 1_000, 2_500), (None, "2026-03-09", 1, 1_500, 0)),
        *build_sums("dealer", (None, "Ann", 1, 1_000, 0)),
    ),
)

RESULTS = Results(
    subject=SUBJECT,
    money=MONEY,
    baseline=Baseline(
        file="results-of-february.json",
        sha256="9c31a4bd60e7f2c815d09b3ea7f4462d1c8b05e9f37a6d2480bb1ce5f6079a3d",
        generated="2026-03-02T08:15:00Z",
        gone=(
            _build_settlement(
                3310,
                expected="push: $0.00",
                observed="paid $5.00, $5.00 over",
                line=3310,
                seat=3,
                event=8,
                overpaid=500,
            ),
        ),
        set_aside=1,
        gone_found=2,
    ),
    open=(
        UnresolvedItem(
            document=DOCUMENT,
            cause=Cause.NO_EVENTS,
            says="The log records no events of 27 rounds (of 12,480).",
            items=27,
            of=12_480,
            requirements=("cut-before-deal", "not-in-this-report"),
            first=EvidencePlace(file=LOG, line=301, casino="Blue Lantern", round="301", table="HD-1"),
        ),
        UnresolvedItem(
            document=DOCUMENT,
            cause=Cause.NO_ATTESTATION,
            says="No attestation was submitted.",
            items=1,
            of=1,
            requirements=("deck-inspected",),
            first=None,
        ),
    ),
    explanations=(
        Explanation(
            requirements=("settled-in-full",),
            where=FINDINGS[4].where,
            chapters=(ExplanationPart(title="What every wager is due", lines=("seat 2: due: 40.00; done: 30.00",)),),
        ),
        Explanation(
            requirements=("paid-as-due",),
            where=EvidencePlace(file=LOG, line=77, casino="Blue Lantern", table="HD-1", round="77", time="2026-03-02"),
            chapters=(
                ExplanationPart(title="The round", lines=("Harbour Draw, round 77 at table HD-1", "judged by s")),
                ExplanationPart(
                    title="What happened", lines=("1. shuffle, by the dealer", "2. deal, seat 1, AsKd, face down")
                ),
            ),
        ),
    ),
    clauses=(
        ClauseText(
            clause=f"{DOCUMENT}/(12)(A)",
            document=DOCUMENT,
            gist="A pay table pays no less than the published floor.",
            source="harbour-draw.txt",
            first_line=101,
            last_line=104,
        ),
        ClauseText(
            clause=f"{DOCUMENT}/(6)",
            document=DOCUMENT,
            gist="Decks are inspected.",
            source="harbour-draw.txt",
            first_line=7,
            last_line=7,
        ),
    ),
    verdict=Verdict.VIOLATIONS,
    findings=FINDINGS,
    requirements=REQUIREMENTS,
    readings=(
        AppliedReading(
            reading="margin-of-equal-hands",
            document=DOCUMENT,
            clauses=("xx-rule7-harbour-draw/(14)(A)", "xx-rule7-harbour-draw/(14)(C)"),
            question="Is a wager with equal hands a push, or is it lost, where two clauses differ?",
            adopted="It is a push.",
            why="The later clause names equal hands; the earlier one only speaks of higher and lower ones.",
        ),
        AppliedReading(
            reading="last-digit-of-the-cap",
            document=DOCUMENT,
            clauses=("xx-rule7-harbour-draw/(15)",),
            question="Is the cap on one round $50,000 or $60,000? The source is damaged here.",
            adopted="$50,000",
            why="Every other version of the rule gives this amount.",
            from_profile=True,
        ),
    ),
    claims=(
        WaiverClaimed(
            file=SUBMISSION,
            line=70,
            column=3,
            casino="Blue Lantern",
            document=DOCUMENT,
            clauses=("xx-rule7-harbour-draw/(21)", "xx-rule7-harbour-draw/(3)"),
            claim=CLAIM,
            granted=(WAIVER,),
            not_granted=("xx-rule7-harbour-draw/(3)",),
        ),
        WaiverClaimed(
            file=SUBMISSION,
            line=72,
            column=3,
            casino="Blue Lantern",
            document=DOCUMENT,
            clauses=("xx-rule7-harbour-draw/(6)",),
            claim=WaiverClaim(reason="Agreed on the telephone.", by="the commission"),
            granted=(),
            not_granted=("xx-rule7-harbour-draw/(6)",),
        ),
    ),
    quarantined=(
        Quarantined(file=LOG, line=512, column=88, reason="`paid` must be a whole number of cents, found 12.5"),
        Quarantined(file=LOG, line=513, column=None, reason="the line ends in the middle of a record"),
    ),
    provenance=Provenance(
        program="fairdeal 0.1.0",
        rulebook_version="0.3.0",
        rulebook_date="2026-03-31",
        rulebook_sha256="4f0d2c9b7a61e83545d1b0c77e02f9a8d36c54e1f2b79a0866cd31eb5a90e7d4",
        documents=(DOCUMENT,),
        as_of=None,
        generated="2026-04-02T09:30:00Z",
        inputs=(
            InputFile(
                file=SUBMISSION,
                sha256="b1946ac92492d2347c6235b4d2611184c1d8e33b0a7f9e25640fd8ca73be9012",
                kind=InputKind.SUBMISSION,
                read=1,
                checked=1,
                quarantined=0,
            ),
            InputFile(
                file=LOG,
                sha256="591785b794601e212b260e25925636fd3f2a8d0c4be790155a6f0e8d7c91b342",
                kind=InputKind.HAND_LOG,
                read=12_482,
                checked=12_480,
                quarantined=2,
            ),
            InputFile(
                file=WAIVER.file,
                sha256="8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92",
                kind=InputKind.WAIVERS,
                read=1,
                checked=1,
                quarantined=0,
            ),
        ),
        profile="cap-as-printed",
    ),
    layouts=(
        Layout(
            file=SUBMISSION,
            title="Harbour Draw, seven positions",
            positions=7,
            areas=(
                LayoutArea(area="opening", legend="OPENING"),
                LayoutArea(
                    area="second",
                    legend="BONUS",
                    legend_marks=(LayoutMark(requirement="legend-in-each-area", status=Status.FAIL),),
                ),
                LayoutArea(area="side", legend="LUCKY HARBOUR SIDE"),
                LayoutArea(area="cards", legend="CARDS", wager=False),
                LayoutArea(
                    area="discards",
                    legend="DISCARDED CARDS",
                    wager=False,
                    per=AreaUnit.TABLE,
                    marks=(LayoutMark(requirement="cut-before-deal", status=Status.NOT_EVIDENCED),),
                ),
            ),
            signage=(
                LayoutSign(text="Dealer draws to seventeen"),
                LayoutSign(
                    text="Table limits $5 to $500, posted for each wager of the game and for the session",
                    marks=(LayoutMark(requirement="meter-displayed", status=Status.FAIL),),
                ),
            ),
            marks=(LayoutMark(requirement="meter-displayed", status=Status.FAIL),),
            lacks=(
                LayoutArea(
                    area="meter",
                    legend="METER",
                    wager=False,
                    per=AreaUnit.TABLE,
                    marks=(LayoutMark(requirement="meter-displayed", status=Status.FAIL),),
                ),
            ),
        ),
    ),
    sessions=(
        TableSession(
            document=DOCUMENT,
            casino="Blue Lantern",
            table="4",
            first="R-0001",
            begins="2026-03-01 18:00:00",
            last="R-8200",
            ends="2026-03-31 02:40:12",
            rounds=8_196,
            openings=30,
            gaps=(
                SessionGap(after="R-0412", before="R-0416", missing=3, why="the numbers of the rounds jump"),
                SessionGap(after="R-0999", before="R-1000", missing=1, why="the numbers of the rounds jump"),
            ),
            gaps_found=2,
        ),
        TableSession(
            document=DOCUMENT,
            casino=None,
            table="5",
            first="R-8201",
            begins="2026-03-01 18:05:00",
            last="R-12482",
            ends="2026-03-31 02:39:50",
            rounds=4_284,
            openings=0,
            gaps=(
                SessionGap(
                    after=None,
                    before="R-12482",
                    missing=None,
                    why="rounds that are not numbered prove nothing about others",
                ),
            ),
            gaps_found=1,
        ),
    ),
)

NOBODY = Subject(licensees=(), law=(), casinos=(), tables=(), tables_read=0, first=None, last=None, currency=None)
NOTHING = Money(findings=0, owed=0, overpaid=0, sums=())

EMPTY = Results(
    subject=NOBODY,
    money=NOTHING,
    verdict=Verdict.INCONCLUSIVE,
    findings=(),
    requirements=(),
    readings=(),
    quarantined=(),
    provenance=Provenance(
        program="fairdeal 0.1.0",
        rulebook_sha256="0" * 64,
        documents=(),
        as_of="2026-01-31",
        generated="2026-04-02T09:30:00Z",
        inputs=(),
    ),
)

COMPLIANT = replace(
    RESULTS,
    baseline=None,
    verdict=Verdict.COMPLIANT,
    findings=(),
    requirements=tuple(r for r in REQUIREMENTS if r.status in {Status.PASS, Status.NOT_APPLICABLE}),
    readings=(),
    quarantined=(),
    layouts=(),
    provenance=replace(RESULTS.provenance, inputs=RESULTS.provenance.inputs[:1], profile=None),
)

HOSTILE_TEXTS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "a\x00b\x1b[31mc\nd\te\x85f",
    "\u202etxt.exe\u202c \u2066\u2069 \u200b",
    "&amp; 'quoted' \"twice\" --> <!--",
    "e" + "\u0301" * 50,
    "</script><script>alert(2)</script><!--<script>",
    "]]>\u2028alert(3)\u2029//",
    "javascript:alert(4)",
    "${alert(5)}{{constructor.constructor('alert(6)')()}}<%= 7 * 7 %>",
)


def with_text(results: Results, change: Callable[[str], str]) -> Results:
    """Return the same results with every free text replaced; statuses and other fixed words do not change."""
    changed: Results = _replace_all(results, change)
    day = results.provenance.rulebook_date  # results with an invalid day are refused
    return replace(changed, provenance=replace(changed.provenance, rulebook_date=day))


def _replace_all(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Struct):
        parts = {part.name: _replace_all(getattr(value, part.name), change) for part in fields(value)}
        return type(value)(**parts)
    if isinstance(value, tuple):
        return tuple(_replace_all(part, change) for part in value)
    if isinstance(value, Mapping):
        return {_replace_all(key, change): _replace_all(part, change) for key, part in value.items()}
    return change(value) if type(value) is str else value


def hostile(results: Results = RESULTS) -> Results:
    """Return the results with a hostile text after every free text."""
    return with_text(results, lambda text: text + "".join(HOSTILE_TEXTS))


def long_names(results: Results = RESULTS) -> Results:
    """Return the results with every free text 10,000 characters long and without a blank."""
    return with_text(results, lambda text: (text.replace(" ", "") + "W" * 10_000)[:10_000])


def crowd(results: Results = RESULTS, *, many: int = 450) -> Results:
    """Return the results with far more findings and quarantined records than a report shows."""
    first = FINDINGS[4]
    swarm = tuple(
        replace(first, where=replace(first.where, line=line), id=f"f{line:07}") for line in range(1, many + 1)
    )
    rest = [f for f in FINDINGS if f.requirement != first.requirement]
    findings = sorted([*rest, *swarm], key=lambda f: (f.status is not Status.FAIL, f.status, f.requirement))
    record = results.quarantined[0]
    log = replace(results.provenance.inputs[1], read=12_480 + many, quarantined=many)
    return replace(
        results,
        findings=tuple(findings),
        quarantined=tuple(replace(record, line=line) for line in range(1, many + 1)),
        sessions=tuple(replace(results.sessions[0], table=str(table), gaps_found=many) for table in range(many)),
        provenance=replace(results.provenance, inputs=(results.provenance.inputs[0], log)),
    )
