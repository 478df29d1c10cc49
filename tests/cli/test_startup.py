"""Quick start of `check`: it imports nothing that a sound submission does not need."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from fairdeal.validator import VERSION
from fairdeal.validator.disk_cache import CACHE_VARIABLE
from fairdeal.validator.evidence.log_events import EVENT_TYPES
from fairdeal.validator.evidence.round_record import BonusRecord, RoundRecord, SeatRecord, WagerRecord
from tests.facade.rules import list_documents, load_regulation, rules_folder
from tests.facade.simulation import load_simulation

NEVER = frozenset(
    {"ctypes", "difflib", "fairdeal.validator.rules.example_model", "jinja2", "numpy", "pyarrow", "ruamel.yaml"}
)
"""Modules that only other commands, formats and wrong inputs need."""

LOADING = frozenset(
    {
        "jsonschema",
        "regress",
        "importlib.metadata",
        "tempfile",
        "fairdeal.validator.rulebook.rule_loader",
        "fairdeal.validator.rulebook.dependencies",
        "fairdeal.validator.rulebook.pattern_model",
        "fairdeal.validator.rulebook.semantic_errors",
        "fairdeal.validator.text.model_problems",
    }
)
"""Modules that are not needed either once the regulation and the accepted submission are cached."""

PROGRAM = """
import sys
from fairdeal.cli.main import main
try:
    main(["check", sys.argv[1], "--output", "text:" + sys.argv[2]])
except SystemExit as end:
    print(end.code, *sys.modules)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished `check`: its exit code, the modules it had imported, and the report."""

    code: int
    modules: frozenset[str]
    report: bytes


def check(submission: Path, home: Path, **environment: str) -> Run:
    kept = {name: value for name, value in os.environ.items() if name != CACHE_VARIABLE}
    report = home / "report.txt"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(submission), str(report)],
        check=True,
        capture_output=True,
        text=True,
        env={**kept, "XDG_CACHE_HOME": str(home), "SOURCE_DATE_EPOCH": "0", **environment},
    )
    code, *modules = done.stdout.split()
    return Run(code=int(code), modules=frozenset(modules), report=report.read_bytes())


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the complying submission of a game, as JSON."""
    name = next(name for name in list_documents() if (rules_folder() / name / "simulation.yaml").exists())
    return load_simulation(load_regulation(name)).submission.model_dump_json(by_alias=True, exclude_unset=True)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for a cache, which is empty at first; the second submission finds the regulation in it."""
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("submission.json", {"yaml", "fairdeal.validator.text.yaml_document"}),
        ("submission.yaml", {"fairdeal.validator.text.json_document"}),  # JSON is YAML
    ],
)
def test_check_imports_no_more_than_it_needs(home: Path, submission: str, name: str, others: set[str]) -> None:
    path = home / name
    path.write_text(submission, "utf-8")
    first, second = check(path, home), check(path, home)
    off = check(path, home, **{CACHE_VARIABLE: "off"})
    assert first.code == second.code == off.code == 0
    assert first.report == second.report == off.report
    assert not NEVER & (first.modules | off.modules)
    assert not (NEVER | LOADING | others) & second.modules
    assert {"fairdeal.validator.audit.run.submission_check", "fairdeal.validator.reports.text_report"} <= second.modules


def test_an_audit_of_lines_imports_neither_arrow_nor_masked_arrays(tmp_path: Path) -> None:
    """Each takes as long to import as a round to judge. `np.unique` imports NumPy's masked arrays."""
    log = rules_folder() / "co-rule10-3card-shine" / "demo" / "hand-log.jsonl"
    program = PROGRAM.replace('"check"', '"audit"')
    done = subprocess.run(
        [sys.executable, "-c", program, str(log), str(tmp_path / "report.txt")],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"SOURCE_DATE_EPOCH": "0"},
    )
    code, *modules = done.stdout.split()
    assert code == "1"
    assert {"numpy", "fairdeal.validator.audit.run.audit_merge"} <= set(modules)
    assert not [name for name in modules if name.startswith(("numpy.ma.", "pyarrow"))]


def test_records_of_logs_annotate_with_types() -> None:
    """Msgspec compiles each annotation that is a text."""
    for record in (*EVENT_TYPES, BonusRecord, RoundRecord, SeatRecord, WagerRecord):
        assert not [name for name, annotation in record.__annotations__.items() if isinstance(annotation, str)]


def test_the_version_is_that_of_the_distribution() -> None:
    assert version("fairdeal") == VERSION


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["no-such-command"], 2)])
def test_the_program_ends_with_its_code_and_all_it_wrote(arguments: list[str], code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fairdeal.cli.main", *arguments],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code
    assert done.stdout == (f"fairdeal {VERSION}\n" if code == 0 else "")
    assert ("no-such-command" in done.stderr) == (code == 2)
