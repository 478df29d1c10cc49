"""Layout of rule files: lines of at most 110 columns that mean what they meant."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tools.rule_layout.__main__ import list_rule_files, list_shipped_folders
from tools.rule_layout.file_layout import WIDTH, lay_out
from tools.rule_layout.flow_text import MisplacedCommentError

NAMES = st.from_regex(r"[a-z]{1,12}(-[a-z]{1,12}){0,2}", fullmatch=True)
TEXTS = st.lists(NAMES, min_size=1, max_size=30).map(" ".join)
VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=25,
)


def test_shipped_rule_files_have_the_layout() -> None:
    changed = [
        path for path in list_rule_files(list_shipped_folders()) if lay_out(text := path.read_text("utf-8")) != text
    ]
    assert not changed, "run `make rule-layout`"


def test_no_line_of_a_rule_file_is_too_long() -> None:
    long = [
        f"{path}:{number}"
        for path in list_rule_files(list_shipped_folders())
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > WIDTH and "yaml-language-server" not in line
    ]
    assert not long


@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4), st.booleans())
def test_a_layout_means_the_same_and_is_one(data: object, flow: bool) -> None:
    text = yaml.safe_dump(data, default_flow_style=flow, width=1000)
    once = lay_out(text)
    assert yaml.safe_load(once) == data
    assert lay_out(once) == once


def test_comments_stay_with_their_entries() -> None:
    entry = f"{{fact: {'x' * 40}}}"
    text = f"when: {{all: [{entry}, # why it is asked\n  # before the next\n  {entry}, {entry}]}} # of all\n"
    assert lay_out(text) == (
        f"# of all\nwhen: {{all: [{entry}, # why it is asked\n  # before the next\n  {entry}, {entry}]}}\n"
    )


def test_further_lines_are_indented_by_two_columns() -> None:
    entry = f"{{fact: {'x' * 40}}}"
    text = f"- {{when: {{any: [{entry}, {{all: [{entry}, {entry}]}}]}}, each: seat}}\n"
    assert lay_out(text) == (f"- {{when: {{any: [{entry},\n  {{all: [{entry},\n    {entry}]}}]}}, each: seat}}\n")


def test_a_text_continues_behind_another_entry() -> None:
    text = f"- {{requirement: {'x' * 40}, title: {'word ' * 14}word, broken: done}}\n"
    assert lay_out(text) == (
        f"- {{requirement: {'x' * 40}, title: {'word ' * 8}word\n    {'word ' * 5}word, broken: done}}\n"
    )


def test_a_long_comment_is_folded_above() -> None:
    text = f"fact: yes # {'word ' * 30}\n"
    lines = lay_out(text).splitlines()
    assert lines[-1] == "fact: yes"
    assert all(line.startswith("# word") and len(line) <= WIDTH for line in lines[:-1])


def test_a_comment_between_a_key_and_its_value_has_no_place() -> None:
    with pytest.raises(MisplacedCommentError, match="line 1: move this comment"):
        lay_out("when: {fact: # of what\n  known}\n")


def test_the_last_line_may_lack_its_end() -> None:
    assert lay_out("when: known # why") == "when: known # why\n"
