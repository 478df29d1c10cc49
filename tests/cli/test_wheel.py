"""The program installed from a wheel, away from the checkout: it finds its rulebook and its schemas."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from importlib.metadata import Distribution, PathDistribution, distribution, version
from pathlib import Path
from urllib.parse import urlsplit

import cmarkgfm
import pytest
from packaging.requirements import Requirement

from fairdeal.validator import VERSION
from tests.facade.commands import ROOT
from tests.facade.demo import comply
from tests.facade.rules import load_bundle


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with the installed tools."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", str(ROOT), *options, "-w", str(folder)], check=True)
    (built,) = folder.glob("*.whl")
    return built


def list_shipped(folder: str) -> set[str]:
    """Return the files of a folder of the checkout, by their paths in it."""
    root = ROOT / folder
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_the_wheel_holds_the_rules_the_schemas_and_the_program(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert wheel.name == f"fairdeal-{VERSION}-py3-none-any.whl"
    for folder in ("rules_data", "schemas"):
        inside = f"fairdeal/validator/_shipped/{folder}/"
        assert {name.removeprefix(inside) for name in names if name.startswith(inside)} == list_shipped(folder)
    for package in ("validator", "cli"):
        modules = {f"fairdeal/{package}/{name}" for name in list_shipped(package) if name.endswith(".py")}
        assert {name for name in names if name.startswith(f"fairdeal/{package}/") and name.endswith(".py")} == modules
    assert {name.partition("/")[0] for name in names} == {"fairdeal", f"fairdeal-{VERSION}.dist-info"}
    assert f"fairdeal-{VERSION}.dist-info/licenses/LICENSE" in names


def test_the_page_of_a_package_index_has_no_link_into_the_repository(wheel: Path) -> None:
    """A package index shows the README away from the repository, so only addresses with a scheme lead anywhere."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"fairdeal-{VERSION}.dist-info/METADATA").decode("utf-8")
    head, _, page = metadata.partition("\n\n")
    assert "\nDescription-Content-Type: text/markdown" in head
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.findall(r"(?m)^#.*$", page) == re.findall(r"(?m)^#.*$", readme)
    targets = Page(cmarkgfm.github_flavored_markdown_to_html(page)).targets
    assert targets
    assert [target for target in targets if not urlsplit(target).scheme] == []


class Page(HTMLParser):
    """Addresses that a page leads to or loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.targets += [value or "" for name, value in attrs if name in {"href", "src"}]


@pytest.fixture(scope="module")
def home(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel alone; its dependencies are borrowed from the environment of these tests."""
    home = tmp_path_factory.mktemp("home") / "env"
    venv.create(home, with_pip=False, symlinks=True)
    # `--python` and not `--prefix`, which would first remove fairdeal from the environment of these tests.
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--quiet", str(wheel)], check=True)
    return home


def find_site(home: Path) -> str:
    return sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)})


def test_the_installed_program_works_anywhere(home: Path, tmp_path: Path) -> None:
    site = find_site(home)
    work = tmp_path / "elsewhere"
    work.mkdir()
    (work / "house.yaml").write_text(comply())
    borrowed = sysconfig.get_path("purelib")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([site, borrowed]), "PYTHONSAFEPATH": "1"}

    def fairdeal(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(home / "bin" / "python"), str(home / "bin" / "fairdeal"), *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=work,
            env=environment,
        )

    where = [str(home / "bin" / "python"), "-c", "import fairdeal.validator; print(fairdeal.validator.__file__)"]
    found = subprocess.run(where, check=True, capture_output=True, text=True, cwd=work, env=environment).stdout
    assert Path(found.strip()).is_relative_to(home)
    assert version("fairdeal") == VERSION  # that of these tests is untouched
    assert fairdeal("--version").stdout.split()[:2] == ["fairdeal", VERSION]
    listed = fairdeal("rules", "list", "s38", "poker-room")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout.splitlines()[-1].endswith(" requirements")
    checked = fairdeal("check", "house.yaml", "-o", "html:out.html", "-o", "text")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("+ COMPLIANT\n")
    assert (work / "out.html").stat().st_size > 10_000
    assert json.loads(fairdeal("schema", "submission").stdout) == load_bundle("submission")


def test_other_packages_and_files_named_validator_and_cli_do_not_matter(home: Path, tmp_path: Path) -> None:
    """Another distribution of the name validator is installed, and the working folder has hostile modules."""
    hostile = "raise SystemExit('another module was imported')\n"
    site = Path(find_site(home))
    for folder in (site / "validator", site / "cli", tmp_path / "cli", tmp_path / "rules_data"):
        folder.mkdir()
        (folder / "__init__.py").write_text(hostile)
    (tmp_path / "validator.py").write_text(hostile)
    (tmp_path / "house.yaml").write_text(comply())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), sysconfig.get_path("purelib")])}
    for command in (["-m", "fairdeal", "check", "house.yaml"], ["-c", "import fairdeal; fairdeal.load_rulebook()"]):
        done = subprocess.run(
            [str(home / "bin" / "python"), *command],
            check=False,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
        )
        assert (done.returncode, done.stderr) == (0, "")
    assert not [path for path in (site / "fairdeal").iterdir() if path.is_symlink()]


def list_required(given: Distribution, extras: Sequence[str] = ()) -> Iterator[Distribution]:
    """Yield the distributions that a distribution requires with some extras, and all that those require."""
    for text in given.requires or ():
        needed = Requirement(text)
        environments = [{"extra": extra} for extra in ("", *extras)]
        if needed.marker is not None and not any(map(needed.marker.evaluate, environments)):
            continue
        package = given if needed.name == "fairdeal" else distribution(needed.name)
        if package is not given:
            yield package
        yield from list_required(package, [*needed.extras])


def borrow_packages(home: Path, folder: Path, *extras: str) -> dict[str, str]:
    """Return an environment with the installed wheel and only what it declares to need, linked into a folder."""
    (metadata,) = Path(find_site(home)).glob("fairdeal-*.dist-info")
    folder.mkdir()
    for package in list_required(PathDistribution(metadata), extras):
        for name in {path.parts[0] for path in package.files or ()} - {"..", "__pycache__"}:
            if not (folder / name).exists():
                (folder / name).symlink_to(Path(str(package.locate_file(name))))
    paths = os.pathsep.join([find_site(home), str(folder)])
    # The first command loads the rules, the others find them in a cache of this installation.
    cache = str(folder.with_name("cache"))
    return {**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1", "XDG_CACHE_HOME": cache}


def run_installed(home: Path, environment: dict[str, str], cwd: Path, *arguments: str) -> tuple[int, str, str]:
    """Run the installed command, and return its exit code and what it wrote."""
    command = [str(home / "bin" / "python"), str(home / "bin" / "fairdeal"), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd, env=environment)
    return done.returncode, done.stdout, done.stderr


AUDIT = "pip install 'fairdeal[audit]'"


@pytest.fixture(scope="module")
def light(home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of an installation without extras."""
    return borrow_packages(home, tmp_path_factory.mktemp("light") / "site")


def test_without_extras_nothing_of_arrays_is_installed(light: dict[str, str]) -> None:
    names = {path.name.partition("-")[0] for path in Path(light["PYTHONPATH"].rpartition(os.pathsep)[2]).iterdir()}
    assert {"click", "msgspec", "pydantic", "yaml"} <= names
    assert not names & {"numpy", "pyarrow", "scipy", "zstandard", "xlsxwriter", "toml_rs"}


SEVERAL = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO, TextIOWrapper, BytesIO
from fairdeal.cli.main import main
for command in json.loads(sys.argv[1]):
    out, err = TextIOWrapper(BytesIO(), "utf-8"), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(command)
        except SystemExit as end:
            code = end.code
    out.flush()
    print(json.dumps([code, out.buffer.getvalue().decode(), err.getvalue()]))
"""


def run_several(
    home: Path, environment: dict[str, str], cwd: Path, commands: Iterable[Sequence[str]]
) -> list[list[int | str]]:
    """Run commands in one process of the installed program; return the exit code of each and what it wrote."""
    command = [str(home / "bin" / "python"), "-c", SEVERAL, json.dumps([*commands])]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=cwd, env=environment)
    return [*map(json.loads, done.stdout.splitlines())]


READING = {
    ("--version",): f"fairdeal {VERSION}",
    ("check", "house.yaml", "-o", "html:out.html", "-o", "json:out.json", "-o", "text"): "",
    ("check", "house.yaml", "-o", "concise"): "",
    ("new", "poker-room", "-o", "form.yaml"): "",
    ("layout", "house.yaml", "-o", "layout.svg"): "",
    ("rules", "list", "poker-room"): " requirements",
    ("rules", "coverage", "s38"): "",
    ("rules", "show", "s38"): "",
    ("schema", "submission", "--game", "s38"): "}",
}
"""Commands that read submissions and rules, and how what they print ends."""


def test_without_extras_submissions_and_rules_are_read(home: Path, light: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "house.yaml").write_text(comply())
    ended = run_several(home, light, tmp_path, READING)
    for (arguments, last), (code, out, err) in zip(READING.items(), ended, strict=True):
        assert code == 0, (arguments, err)
        assert "pip install" not in str(err), arguments
        assert str(out).rstrip().endswith(last), arguments


def test_without_extras_rules_are_checked_but_not_played(home: Path, light: dict[str, str], tmp_path: Path) -> None:
    code, out, err = run_installed(home, light, tmp_path, "rules", "check", "co-rule10-3card-shine")
    assert (code, err) == (0, f"co-rule10-3card-shine was not played and its odds were not tried: {AUDIT}\n")
    assert out.startswith("co-rule10-3card-shine: ")
    code, out, err = run_installed(home, light, tmp_path, "rules", "show", "co-rule10-3card-shine/play-equals-ante")
    assert (code, err) == (0, f"examples of violations were not evaluated: {AUDIT}\n")
    assert "\n  Requirement:\n" in out


PLAYING = (
    ("audit", "log.jsonl"),
    ("demo",),
    ("explain", "log.jsonl", "--round", "1"),
    ("simulate", "s38", "--rounds", "1"),
    ("odds", "s38"),
    ("rules", "test", "s38"),
)
"""Commands that need rounds."""


def test_without_extras_rounds_need_one_line(home: Path, light: dict[str, str], tmp_path: Path) -> None:
    for arguments, ended in zip(PLAYING, run_several(home, light, tmp_path, PLAYING), strict=True):
        assert ended == [3, "", f"this needs the extra `audit`: {AUDIT}\n"], arguments
    assert not [*tmp_path.iterdir()]


def test_without_extras_a_workbook_is_refused_with_what_to_type(
    home: Path, light: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "house.yaml").write_text(comply())
    code, _, err = run_installed(home, light, tmp_path, "check", "house.yaml", "-o", "xlsx:out.xlsx")
    assert code == 2
    assert AUDIT in err


def test_with_the_extra_audit_the_demo_runs(home: Path, tmp_path: Path) -> None:
    environment = borrow_packages(home, tmp_path / "site", "audit")
    assert (tmp_path / "site" / "numpy").exists()
    assert not (tmp_path / "site" / "scipy").exists()
    code, out, err = run_installed(home, environment, tmp_path, "demo")
    assert code == 0, err
    assert "report:   fairdeal-demo/report.html" in out.splitlines()
    assert (tmp_path / "fairdeal-demo" / "report.html").stat().st_size > 10_000
