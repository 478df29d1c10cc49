"""A compliant submission for every document: that of the simulation, or the latest of its examples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path as FilePath

from validator.audit.examples.evidence import BASES
from validator.audit.submissions.requirements import Filed, judge_submission
from validator.evidence.submission.model import Submission
from validator.results.statuses import UNPROVEN, Status
from validator.rulebook.loading.simulation_file import FILE, load_simulation
from validator.rules.core.library import rules_folder
from validator.rules.core.regulation import Regulation
from validator.rules.model.example import BasesFile
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.models.validate import validate
from validator.text.source import read_source
from validator.text.trees.yaml_tree import load_yaml


def complying(regulation: Regulation, folder: FilePath | None = None) -> Submission:
    """Return a submission that complies with a regulation. Raises InputError if its folder contains none."""
    submission = next(_list_compliant(regulation, folder), None)
    if submission is None:
        message = f"neither the simulation nor the examples of {regulation.id} have a submission that complies"
        raise InputError((Diagnostic(code="no-example", message=message),))
    return submission


def _list_compliant(regulation: Regulation, folder: FilePath | None) -> Iterator[Submission]:
    home = (folder or rules_folder()) / regulation.id
    if (home / FILE).exists():
        yield load_simulation(regulation, folder).submission
    if not (home / "examples" / BASES).exists():
        return
    tree = load_yaml(read_source(str(home / "examples" / BASES)))
    bases: list[Submission] = []
    for name in validate(tree, BasesFile).submissions:
        with suppress(InputError):
            bases.append(validate(tree, Submission, at=("submissions", name)))
    for submission in sorted(bases, key=lambda submission: submission.effective, reverse=True):
        verdicts = judge_submission(regulation, Filed(submission=submission, tree=tree))
        if not {verdict.status for verdict in verdicts} & {Status.FAIL, *UNPROVEN}:
            yield submission
