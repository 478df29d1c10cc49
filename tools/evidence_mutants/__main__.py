"""`python -m tools.evidence_mutants [DOCUMENT...]`: complying rounds with one event changed, which must be noticed."""

from __future__ import annotations

import sys

from fairdeal.validator.rules.rule_files import list_documents, rules_folder
from tools.evidence_mutants.run import Report, run


def format_report(report: Report) -> str:
    """Format a report as text."""
    counts = ", ".join(
        f"{report.count(kind)} {kind}" for kind in ("failed", "set aside", "open", "free", "unexplained")
    )
    lines = [f"{report.document}: {report.score:.1%} of {report.tried} mutants of {report.rounds} rounds: {counts}"]
    lines.append(f"  {report.found_once:.1%} of those that failed are found by one requirement alone")
    lines += [f"  {number:6d}  {name}" for name, number in report.unexplained.most_common()]
    lines += [f"  stale: {name}" for name in report.stale]
    return "\n".join(lines)


def main(names: list[str]) -> int:
    """Run and print; 0 where every mutant was noticed or is free."""
    root, good = rules_folder(), True
    for document in names or [
        document for document in list_documents(root) if (root / document / "simulation.yaml").exists()
    ]:
        report = run(document)
        print(format_report(report), flush=True)
        good &= not report.unexplained and not report.stale
    return int(not good)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
