"""`python -m tools.rule_layout [--check] [PATHS]`: lay out rule files, by default the documents and the vocabulary."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from fairdeal.validator.rules.rule_files import list_documents, rules_folder
from tools.rule_layout.file_layout import lay_out
from tools.rule_layout.flow_text import MisplacedCommentError


def list_shipped_folders() -> list[Path]:
    """Return the folders of the documents and of the vocabulary. Templates keep the long lines of their authors."""
    return [rules_folder() / name for name in (*list_documents(), "vocabulary")]


def list_rule_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the rule files in folders, without snapshots, which are generated, and demos, which are submissions."""
    for path in paths:
        files = [path] if path.is_file() else sorted(path.rglob("*.yaml"))
        yield from (file for file in files if not file.name.endswith(".snapshot.yaml") and "demo" not in file.parts)


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; name the files that another layout would change.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
def main(check: bool, paths: tuple[Path, ...]) -> None:
    """Lay out rule files."""
    failed = False
    for path in list_rule_files(paths or list_shipped_folders()):
        text = path.read_text("utf-8")
        try:
            laid_out = lay_out(text)
        except MisplacedCommentError as error:
            print(f"{path}: {error}", file=sys.stderr)
            failed = True
            continue
        if laid_out == text:
            continue
        if check:
            print(f"{path}: run `make rule-layout`", file=sys.stderr)
            failed = True
        else:
            path.write_text(laid_out, "utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
