"""Invalid JSON files, with their complete messages."""

from __future__ import annotations

JSON_REFUSALS: dict[str, tuple[str, str]] = {
    "a duplicate key": (
        '{"a": 1,\n "a": 2}',
        """\
error[duplicate-key]: `a` is given twice in the same mapping
 --> file.json:2:2
  |
2 |  "a": 2}
  |  ^^^
  = help: it is first given at line 1, column 2: keep one""",
    ),
    "not a number": (
        '{"a": NaN}',
        """\
error[syntax]: `NaN` is not a usable number
 --> file.json:1:7
  |
1 | {"a": NaN}
  |       ^^^
  = help: write a number or null""",
    ),
    "minus infinity": (
        "[-Infinity]",
        """\
error[syntax]: `-Infinity` is not a usable number
 --> file.json:1:2
  |
1 | [-Infinity]
  |  ^^^^^^^^^
  = help: write a number or null""",
    ),
    "a comma before a bracket": (
        "[1,]",
        """\
error[syntax]: a `,` precedes the closing `]`
 --> file.json:1:3
  |
1 | [1,]
  |   ^
  = help: remove it""",
    ),
    "a comma before a brace": (
        '{"a":1,}',
        """\
error[syntax]: a `,` precedes the closing `}`
 --> file.json:1:7
  |
1 | {"a":1,}
  |       ^
  = help: remove it""",
    ),
    "a comma is missing": (
        "[1 2]",
        """\
error[syntax]: `,` or `]` is missing before this
 --> file.json:1:4
  |
1 | [1 2]
  |    ^""",
    ),
    "a comma is missing between entries": (
        '{"a":1 "b":2}',
        """\
error[syntax]: `,` or `}` is missing before this
 --> file.json:1:8
  |
1 | {"a":1 "b":2}
  |        ^^^""",
    ),
    "a bracket is not closed": (
        "[1,\n 2",
        """\
error[syntax]: this `[` is never closed
 --> file.json:1:1
  |
1 | [1,
  | ^
  = help: put `]` after its last entry""",
    ),
    "a brace is not closed": (
        '{"a": 1',
        """\
error[syntax]: this `{` is never closed
 --> file.json:1:1
  |
1 | {"a": 1
  | ^
  = help: put `}` after its last entry""",
    ),
    "a colon is missing": (
        '{"a" 1}',
        """\
error[syntax]: `:` is missing after the key `a`
 --> file.json:1:6
  |
1 | {"a" 1}
  |      ^""",
    ),
    "a key without quotes": (
        "{a: 1}",
        """\
error[syntax]: `a` is not in quotes
 --> file.json:1:2
  |
1 | {a: 1}
  |  ^
  = help: put it in double quotes: "a\"""",
    ),
    "a number as a key": (
        "{1: 2}",
        """\
error[syntax]: a key is missing before this
 --> file.json:1:2
  |
1 | {1: 2}
  |  ^""",
    ),
    "single quotes": (
        "{'a': 1}",
        """\
error[syntax]: JSON has no single quotes
 --> file.json:1:2
  |
1 | {'a': 1}
  |  ^^^
  = help: put the text in double quotes: "...\"""",
    ),
    "a leading zero": (
        "[01]",
        """\
error[syntax]: `01` is not a number of JSON
 --> file.json:1:2
  |
1 | [01]
  |  ^^
  = help: a number has no `+`, no leading zero, and digits on both sides of its point""",
    ),
    "nothing after the point": (
        "[1.]",
        """\
error[syntax]: `1.` is not a number of JSON
 --> file.json:1:2
  |
1 | [1.]
  |  ^^
  = help: a number has no `+`, no leading zero, and digits on both sides of its point""",
    ),
    "nothing before the point": (
        "[.5]",
        """\
error[syntax]: `.5` is not a number of JSON
 --> file.json:1:2
  |
1 | [.5]
  |  ^^
  = help: a number has no `+`, no leading zero, and digits on both sides of its point""",
    ),
    "a plus sign": (
        "[+1]",
        """\
error[syntax]: `+1` is not a number of JSON
 --> file.json:1:2
  |
1 | [+1]
  |  ^^
  = help: a number has no `+`, no leading zero, and digits on both sides of its point""",
    ),
    "a word of another language": (
        "[True, None]",
        """\
error[syntax]: `True` is not JSON
 --> file.json:1:2
  |
1 | [True, None]
  |  ^^^^
  = help: write true""",
    ),
    "a word without quotes": (
        "[abc]",
        """\
error[syntax]: `abc` is not in quotes
 --> file.json:1:2
  |
1 | [abc]
  |  ^^^
  = help: put it in double quotes: "abc\"""",
    ),
    "a misspelt word": (
        "tru",
        """\
error[syntax]: `tru` is not in quotes
 --> file.json:1:1
  |
1 | tru
  | ^^^
  = help: put it in double quotes: "tru\"""",
    ),
    "a quote is not closed": (
        '["abc',
        """\
error[syntax]: this quote is never closed: `"`
 --> file.json:1:2
  |
1 | ["abc
  |  ^^^^
  = help: close it on the same line""",
    ),
    "a line break in a text": (
        '"a\nb"',
        """\
error[syntax]: this quote is never closed: `"`
 --> file.json:1:1
  |
1 | "a
  | ^^
  = help: close it on the same line""",
    ),
    "a tab in a text": (
        '"a\tb"',
        """\
error[syntax]: a tab inside a text
 --> file.json:1:3
  |
1 | "a  b"
  |   ^^
  = help: write `\\t`""",
    ),
    "an unknown escape": (
        '["a\\q"]',
        """\
error[syntax]: this is not an escape of JSON
 --> file.json:1:4
  |
1 | ["a\\q"]
  |    ^^^
  = help: write `\\\\` for a backslash""",
    ),
    "a short escape": (
        '"\\u12"',
        """\
error[syntax]: this is not an escape of JSON
 --> file.json:1:3
  |
1 | "\\u12"
  |   ^^^^
  = help: write `\\\\` for a backslash""",
    ),
    "half a pair": (
        '["\\ud800x", "\\udc00"]',
        """\
error[lone-surrogate]: this text holds half of a pair of `\\u` escapes
 --> file.json:1:2
  |
1 | ["\\ud800x", "\\udc00"]
  |  ^^^^^^^^^
  = help: write the character itself

error[lone-surrogate]: this text holds half of a pair of `\\u` escapes
 --> file.json:1:13
  |
1 | ["\\ud800x", "\\udc00"]
  |             ^^^^^^^^
  = help: write the character itself""",
    ),
    "text after the document": (
        "[1] 2",
        """\
error[syntax]: this follows the end of the file's one value
 --> file.json:1:5
  |
1 | [1] 2
  |     ^
  = help: a file holds one mapping or one list""",
    ),
    "a comment before": (
        "// x\n[1]",
        """\
error[syntax]: JSON has no comments
 --> file.json:1:1
  |
1 | // x
  | ^^
  = help: remove it, or use YAML""",
    ),
    "a comment between": (
        "[1, # c\n 2]",
        """\
error[syntax]: JSON has no comments
 --> file.json:1:5
  |
1 | [1, # c
  |     ^
  = help: remove it, or use YAML""",
    ),
    "a comma first": (
        "[,1]",
        """\
error[syntax]: a value is missing before this
 --> file.json:1:2
  |
1 | [,1]
  |  ^""",
    ),
    "a comma first in a mapping": (
        "{,}",
        """\
error[syntax]: a key is missing before this
 --> file.json:1:2
  |
1 | {,}
  |  ^""",
    ),
    "no value": (
        '{"a":}',
        """\
error[syntax]: a value is missing before this
 --> file.json:1:6
  |
1 | {"a":}
  |      ^""",
    ),
    "a brace closes a list": (
        "[1}",
        """\
error[syntax]: `,` or `]` is missing before this
 --> file.json:1:3
  |
1 | [1}
  |   ^""",
    ),
    "a bracket closes a mapping": (
        '{"a":1]',
        """\
error[syntax]: `,` or `}` is missing before this
 --> file.json:1:7
  |
1 | {"a":1]
  |       ^""",
    ),
    "a closing brace alone": (
        "}",
        """\
error[syntax]: a value is missing before this
 --> file.json:1:1
  |
1 | }
  | ^""",
    ),
    "too deep": (
        "[" * 70,
        """\
error[too-deep]: more than 64 lists and mappings inside each other
 --> file.json:1:65
  |
1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
  |                                                                 ^""",
    ),
    "too many digits": (
        "[12345678901234567890, 1.234567890123456, 1e31]",
        """\
error[number-too-long]: this number has more than 19 digits
 --> file.json:1:2
  |
1 | [12345678901234567890, 1.234567890123456, 1e31]
  |  ^^^^^^^^^^^^^^^^^^^^
  = help: put it in quotes if it is text

error[number-too-long]: this number has a point or an exponent and more than 15 digits
 --> file.json:1:24
  |
1 | [12345678901234567890, 1.234567890123456, 1e31]
  |                        ^^^^^^^^^^^^^^^^^
  = help: put it in quotes if it is text

error[number-too-long]: the exponent of this number is beyond 30
 --> file.json:1:43
  |
1 | [12345678901234567890, 1.234567890123456, 1e31]
  |                                           ^^^^
  = help: put it in quotes if it is text""",
    ),
}
