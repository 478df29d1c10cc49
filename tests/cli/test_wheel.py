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
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import cmarkgfm
import pytest

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
    listed = fairdeal("rules", "list")
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
    for name in ("validator.py", "fairdeal_fast.py"):
        (tmp_path / name).write_text(hostile)
    (tmp_path / "house.yaml").write_text(comply())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), sysconfig.get_path("purelib")])}
    environment["FAIRDEAL_FAST"] = "off"
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
