"""Why a line of a hand log is not a record of a round, in a sentence for people."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches

import msgspec

from validator.evidence.events import TYPES
from validator.evidence.handlog import Annotations, BonusRecord, RoundRecord, SeatRecord, WagerRecord

CUT_OFF = "the line ends in the middle of a record"

_ARTICLES = {
    "int": "an integer",
    "float": "a number with a fraction",
    "str": "text",
    "bool": "true or false",
    "null": "nothing (null)",
    "array": "a list",
    "object": "a mapping of keys",
}
_KEYS = sorted(
    {
        part.encode_name
        for struct in (RoundRecord, SeatRecord, WagerRecord, BonusRecord, Annotations, *TYPES)
        for part in msgspec.structs.fields(struct)
    }
    | {"event"}
)
_AT = re.compile(r" - at `(?P<path>.*)`$", re.DOTALL)
_BYTE = re.compile(r" \(byte (?P<byte>\d+)\)$")
_TYPES = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>[^`]+)`$")
_BOUND = re.compile(r"Expected `(?P<wanted>\w+)` (?P<bound>.+)$")
_LENGTH = re.compile(r"of length (?P<sign><=|>=) (?P<length>\d+)$")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<key>[^`]*)`$")
_VALUE = re.compile(r"Invalid (?:enum )?value (?P<value>.*)$", re.DOTALL)
"""
"""
