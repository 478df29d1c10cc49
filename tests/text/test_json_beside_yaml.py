"""Why JSON has a tokenizer of its own: read as YAML, good JSON would be refused and bad JSON taken."""

from __future__ import annotations

import json

import pytest

from tests.facade.text import InputError, decode_source, load_json, load_yaml


def _bytes(text: str) -> bytes:
    return text.encode("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        r'{"sign": "\ud83c\udca1"}',  # a pair of escapes
        '{"a"\n: 1}',
        '{"' + "k" * 1100 + '": 1}',
        '{"a": "\u2028"}',
        '{"a": "\x7f"}',
    ],
    ids=["surrogates", "colon on the next line", "long key", "line separator", "delete"],
)
def test_good_json_that_yaml_refuses(text: str) -> None:
    assert load_json(decode_source("f.json", _bytes(text))).data == json.loads(text)
    with pytest.raises(InputError):
        load_yaml(decode_source("f.yaml", _bytes(text)))


@pytest.mark.parametrize(
    "text",
    ['{"a": 1,}', "{'a': 1}", "{a: 1}", '{"a": 1} # c', '{"a": True}', '{"a": 1.}', '{"a": b}'],
)
def test_bad_json_that_yaml_takes(text: str) -> None:
    load_yaml(decode_source("f.yaml", _bytes(text)))
    with pytest.raises(InputError):
        load_json(decode_source("f.json", _bytes(text)))
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
