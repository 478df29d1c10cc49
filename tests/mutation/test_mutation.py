"""The rulebook's examples are complete: whatever in it is changed, some example notices."""

from __future__ import annotations

import pytest

from tests.mutation.__main__ import save
from tests.mutation.run import Report, as_text, proved_documents, run


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    found = [run(document) for document in proved_documents()]
    save(found)
    return found


def test_there_is_a_document_with_examples(reports: list[Report]) -> None:
    assert reports


def test_every_change_is_noticed(reports: list[Report]) -> None:
    told = "\n\n".join(as_text(report) for report in reports)
    print(told)
    assert not any(report.wrong for report in reports), told
    assert not any(report.survivors for report in reports), told
    assert not any(report.stale for report in reports), told
