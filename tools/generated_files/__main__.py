"""`python -m tools.generated_files`: write `schemas/` and the generated parts of `docs/` from the models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from fairdeal.validator.text.source import write_atomically
from tools.generated_files.check_list import read_examples, render_check_list
from tools.generated_files.reference_pages import GENERATED_PARTS, fill_page
from tools.generated_files.schema_builders import build_published_schemas, format_schema

ROOT = Path(__file__).resolve().parents[2]


def list_generated_files(root: Path = ROOT) -> dict[Path, str]:
    """Return every generated file of a checkout with the text it should have.

    The handwritten parts of pages are kept. Raises ValueError for a page without its markers.
    """
    files = {
        root / "schemas" / f"{name}.json": format_schema(schema) for name, schema in build_published_schemas().items()
    }
    examples = read_examples(root / "docs" / "rule-check-examples.yaml")
    checks: dict[str, Mapping[str, Callable[[], str]]] = {
        "rule-checks.md": {"checks": partial(render_check_list, examples)}
    }
    for name, parts in (*GENERATED_PARTS.items(), *checks.items()):
        page = root / "docs" / name
        files[page] = fill_page(page.read_text("utf-8"), parts)
    return files


def main() -> None:
    """Update the generated files of the checkout and print the changed ones."""
    files = list_generated_files()
    for path, text in files.items():
        if not path.exists() or path.read_text("utf-8") != text:
            with write_atomically(path) as stream:
                stream.write(text.encode())
            print(f"wrote {path.relative_to(ROOT)}")
    for path in sorted((ROOT / "schemas").glob("*.json")):
        if path not in files:
            path.unlink()
            print(f"removed {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
