"""Posted pay tables held against printed ones, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from validator.evidence.submission import Submission, SubmittedPayTable
from validator.play.submission_conditions import NOT_STATED, Answer, Reason
from validator.rulebook.language.game import Game, PayTable
from validator.rulebook.language.submitted import PayTablesCheck
from validator.text.payouts import Payout
from validator.text.tree import Path
from validator.truth import NO, UNKNOWN, YES

NOT_OFFERED = -1
"""Answer value where the line is not offered at all, so that the check does not apply."""


def pay_tables_answer(game: Game, submission: Submission, check: PayTablesCheck) -> Answer:
    """Whether every posted table of a line is (or pays at least) one of the printed ones.

    A posted table that is none of them is compared with the printed one it differs least from.
    """
    printed = {name: game.pay_tables[name] for name in check.one_of}
    posted = [(index, table) for index, table in enumerate(submission.pay_tables or []) if table.pays == check.for_]
    if not posted:
        return _none_posted(game, submission, check)
    reasons: list[Reason] = []
    for index, table in posted:
        here: Path = ("pay-tables", index)
        differences = [_differences(one, name, table, here, check.match) for name, one in printed.items()]
        reasons += sorted(differences, key=len)[0]
    return Answer(value=NO if reasons else YES, reasons=tuple(reasons))


def _none_posted(game: Game, submission: Submission, check: PayTablesCheck) -> Answer:
    base = game.bonuses[check.for_].reckoned_on if check.for_ in game.bonuses else check.for_
    if submission.wagers is not None and all(offer.wager != base for offer in submission.wagers):
        return Answer(value=NOT_OFFERED)
    reason = Reason(path=("pay-tables",), expected=f"a pay table for {check.for_}", observed=NOT_STATED)
    return Answer(value=UNKNOWN, reasons=(reason,))


def _differences(printed: PayTable, name: str, posted: SubmittedPayTable, here: Path, match: str) -> list[Reason]:
    rows: Mapping[str, Payout] = printed.rows
    seen: set[str] = set()
    reasons: list[Reason] = []
    for index, row in enumerate(posted.rows):
        path: Path = (*here, "rows", index)
        if row.hand in seen:
            reasons.append(_reason((*path, "hand"), "each hand once", f"{row.hand} again"))
        elif row.hand in rows:
            if not _enough(row.odds.profit, rows[row.hand].profit, match):
                wanted = (
                    f"{row.hand} {rows[row.hand]}" if match == "exactly" else f"{row.hand} at least {rows[row.hand]}"
                )
                reasons.append(_reason((*path, "odds"), f"{wanted}, as in pay table {name}", str(row.odds)))
        elif match == "exactly":
            reasons.append(
                _reason((*path, "hand"), f"no row for {row.hand}, as in pay table {name}", f"{row.hand} {row.odds}")
            )
        seen.add(row.hand)
    missing = [row for row in rows if row not in seen]
    reasons += [
        _reason((*here, "rows"), f"{row} {rows[row]}, as in pay table {name}", "no such row") for row in missing
    ]
    return reasons


def _enough(posted: Fraction, printed: Fraction, match: str) -> bool:
    return posted == printed if match == "exactly" else posted >= printed


def _reason(path: Path, expected: str, observed: str) -> Reason:
    return Reason(path=path, expected=expected, observed=observed)
