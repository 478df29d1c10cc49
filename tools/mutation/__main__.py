"""`python -m tools.mutation [DOCUMENT...]`: the mutation test of some documents, or of all that have examples."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tools.mutation.run import Report, build_data, format_text, list_proved_documents, run

RESULTS = Path(__file__).resolve().parents[2] / "out" / "mutation.json"


def save(reports: list[Report]) -> None:
    """Write what runs found to `out/mutation.json`."""
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([build_data(report) for report in reports], indent=1) + "\n", encoding="utf-8")


def main(names: list[str]) -> int:
    """Run, print, save; 0 where every mutant was noticed."""
    reports = []
    for document in names or list_proved_documents():
        reports.append(run(document, tell=lambda line: print(line, file=sys.stderr, flush=True)))
        print(format_text(reports[-1]), flush=True)
    save(reports)
    return int(any(report.survivors or report.stale or report.wrong or report.otherwise_alone for report in reports))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
