"""Blocks of the documentation: each is valid for its declared kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, create_model

from fairdeal.validator.schemas.rule_file_schemas import FILE_MODELS
from tests.docs.blocks import Block, blocks, pages
from tests.facade.commands import ROOT
from tests.facade.evidence import decode_records
from tests.facade.rules import Rulebook
from tests.facade.submissions import WaiversFile
from tests.facade.text import ClosedModel, PositionedDocument, decode_source, load_yaml, to_key, validate
from tools.generated_files.schema_builders import collect_models, format_model_title

ALL = [block for page in pages() for block in blocks(page.name)]
MODELS: dict[str, type[BaseModel]] = {"waivers": WaiversFile} | {
    format_model_title(model.__name__).lower().replace(" ", "-"): model
    for root, _ in FILE_MODELS.values()
    for model in collect_models(root)
}


def _tree(block: Block) -> PositionedDocument:
    return load_yaml(decode_source(str(block), block.text.encode()))


def _list_blocks(language: str) -> list[Block]:
    return [block for block in ALL if block.language == language]


def test_every_block_says_what_it_is() -> None:
    assert {block.language for block in ALL} <= {"yaml", "json", "console", "text", "sql", "toml", "python"}
    unclaimed = [
        str(block) for block in _list_blocks("yaml") + _list_blocks("json") if not block.claim and not block.options
    ]
    assert unclaimed == []


@pytest.mark.parametrize("block", [block for block in _list_blocks("yaml") if "file" not in block.options], ids=str)
def test_yaml_is_read_by_the_model_it_claims(block: Block) -> None:
    tree = _tree(block)
    if block.claim:
        validate(tree, MODELS[block.claim])
        return
    model = MODELS[block.options["part"]]
    assert isinstance(tree.data, dict)
    chosen: dict[str, Any] = {
        name: (info.annotation, info) for name, info in model.model_fields.items() if to_key(name) in tree.data
    }
    validate(tree, create_model("Part", __base__=ClosedModel, **chosen))


@pytest.mark.parametrize("block", _list_blocks("json"), ids=str)
def test_json_is_a_round_the_reader_takes(block: Block) -> None:
    assert block.claim == "round"
    batches, quarantined = decode_records([json.loads(block.text)], file=str(block), games=Rulebook().documents)
    assert [entry.reason for entry in quarantined] == []
    assert sum(map(len, batches)) == 1


def _anchors(text: str) -> list[str]:
    """Return the anchors of the headings of a page. The web numbers repeated ones."""
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", plain, re.M)
    ]


WRITTEN = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.is_file(), target
        if anchor:
            assert _anchors(path.read_text("utf-8")).count(anchor) == 1, target
