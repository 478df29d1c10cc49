"""Coverage of the clauses of documents: requirements that cite each clause, and examples that prove them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from validator.audit.examples.evidence import load_samples
from validator.rulebook.loading.rulebook import Rulebook


def covered(rulebook: Rulebook, documents: Iterable[str]) -> dict[str, Any]:
    """Report every clause of some documents, and totals by status. Raises InputError for broken files."""
    clauses: list[dict[str, Any]] = []
    for regulation in map(rulebook.regulation, documents):
        samples = load_samples(regulation, rulebook.folder)
        for clause in regulation.document.clauses:
            citing = [
                requirement.requirement
                for requirement in regulation.requirements
                if clause.clause in requirement.clauses
            ]
            proving = [sample.example.example for sample in samples if set(citing).intersection(sample.example.proves)]
            clauses.append(
                {
                    "clause": regulation.full_id(clause.clause),
                    "document": regulation.id,
                    "status": clause.status,
                    "requirements": [regulation.full_id(name) for name in citing],
                    "examples": [regulation.full_id(name) for name in proving],
                    "reason": clause.reason,
                }
            )
    totals = Counter(clause["status"] for clause in clauses)
    return {"clauses": clauses, "totals": {"clauses": len(clauses), **dict(sorted(totals.items()))}}
