"""`python -m tools.site.pictures`: take the pictures of a report that the documentation shows, with a Chromium."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from fairdeal.cli.main import main
from tools.generated_files.__main__ import ROOT

DEMO = ROOT / "rules_data" / "co-rule10-3card-shine" / "demo"
PICTURES = ROOT / "docs" / "pictures"
CHROMIUM = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


def take_pictures(report: Path, folder: Path, *, chromium: str) -> None:
    """Write a picture of one finding of a report, and one of the head of the report above the folder.

    Args:
        report: the report of the demo, in HTML.
        folder: where the picture of the finding goes.
        chromium: the path of the browser.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(CHROMIUM))
        page = browser.new_context(viewport={"width": 900, "height": 760}).new_page()
        page.goto(report.as_uri())
        page.locator("#tools").wait_for(state="visible")
        name = page.locator("#findings-title ~ * code", has_text="dealer-not-qualified").first
        name.locator("xpath=ancestor::*[self::section or self::article][1]").screenshot(
            path=str(folder / "finding.png")
        )
        head = browser.new_context(viewport={"width": 1100, "height": 1180}).new_page()
        head.goto(report.as_uri())
        head.locator("#tools").wait_for(state="visible")
        head.screenshot(path=str(folder.parent / "report.png"))
        browser.close()


def write_report(report: Path) -> None:
    """Audit the demo as `make demo` does, and write the report."""
    os.environ["SOURCE_DATE_EPOCH"] = "1775122200"  # some weeks after the rounds
    os.chdir(DEMO)  # so that the report names files without folders
    command = ["audit", "hand-log.jsonl", "--submission", "submission.yaml", "--waivers", "waivers.yaml"]
    try:
        main([*command, "--output", f"html:{report}", "--quiet"])
    except SystemExit as end:
        if end.code != 1:  # the demo has violations
            raise


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        write_report(Path(scratch) / "report.html")
        take_pictures(
            Path(scratch) / "report.html", PICTURES, chromium=sys.argv[1] if sys.argv[1:] else "/usr/bin/chromium"
        )
    print(PICTURES / "finding.png", PICTURES.parent / "report.png")
