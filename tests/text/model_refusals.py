"""Files that break their model, with their complete messages."""

from __future__ import annotations

MODEL_REFUSALS: dict[str, tuple[str, str]] = {
    "an unknown key and a value misspelt": (
        "box: {shade-of: blu, wide: 1}\n",
        """\
error[unknown-value]: `blu` is not a value of `shade-of`
 --> file.yaml:1:17
  |
1 | box: {shade-of: blu, wide: 1}
  |                 ^^^
  = expected: one of light-red, blue
  = help: did you mean `blue`?

error[unknown-key]: `wide` is not a key of a box size
 --> file.yaml:1:22
  |
1 | box: {shade-of: blu, wide: 1}
  |                      ^^^^
  = expected: width
  = help: did you mean `width`?""",
    ),
    "an unknown key that means a missing one": (
        "boxes:\n  - shade_of: blue\n",
        """\
error[unknown-key]: `shade_of` is not a key of a box size
 --> file.yaml:2:5
  |
2 |   - shade_of: blue
  |     ^^^^^^^^
  = expected: one of shade-of, width
  = help: did you mean `shade-of`?""",
    ),
    "an unknown key like no other": (
        "boxes:\n  - {shade-of: blue, width: 1, zzz: 2}\n",
        """\
error[unknown-key]: `zzz` is not a key of a box size
 --> file.yaml:2:32
  |
2 |   - {shade-of: blue, width: 1, zzz: 2}
  |                                ^^^
  = help: remove it""",
    ),
    "an unknown key of the document": (
        "kount: 1\n",
        """\
error[unknown-key]: `kount` is not a key of an everything
 --> file.yaml:1:1
  |
1 | kount: 1
  | ^^^^^
  = expected: one of amount, day, plain-day, words, pair, distinct, box, shape, end, boxes and 15 more
  = help: did you mean `count`?""",
    ),
    "an unknown key in a list in a mapping": (
        "boxes-by-name:\n  first:\n    shade-of: blue\n    widht: 2\n",
        """\
error[unknown-key]: `widht` is not a key of a box size
 --> file.yaml:4:5
  |
4 |     widht: 2
  |     ^^^^^
  = expected: width
  = help: did you mean `width`?""",
    ),
    "a missing key in a mapping": (
        "box:\n  width: 2\n",
        """\
error[missing-key]: a box size needs the key `shade-of`
 --> file.yaml:1:1
  |
1 | box:
  | ^^^""",
    ),
    "a missing key in a list": (
        "boxes:\n  - shade-of: blue\n  - width: 2\n",
        """\
error[missing-key]: a box size needs the key `shade-of`
 --> file.yaml:3:5
  |
3 |   - width: 2
  |     ^^^^^""",
    ),
    "the option that comes nearest": (
        "box: {hold: x}\n",
        """\
error[unknown-key]: `hold` is not a key of a bag
 --> file.yaml:1:7
  |
1 | box: {hold: x}
  |       ^^^^
  = expected: holds
  = help: did you mean `holds`?""",
    ),
    "no option fits": (
        "box: 3\n",
        """\
error[wrong-type]: `box` must be a mapping, found the number 3
 --> file.yaml:1:6
  |
1 | box: 3
  |      ^""",
    ),
    "no option fits, of text, number and list": (
        "mixed: {}\n",
        """\
error[wrong-type]: `mixed` must be text, a whole number or a list, found a mapping
 --> file.yaml:1:1
  |
1 | mixed: {}
  | ^^^^^""",
    ),
    "an item of an option": (
        "mixed: [a, 1]\n",
        """\
error[wrong-type]: item 2 of `mixed` must be text, found the number 1
 --> file.yaml:1:12
  |
1 | mixed: [a, 1]
  |            ^
  = help: put it in quotes""",
    ),
    "a literal or a number": (
        "all-or: al\n",
        """\
error[unknown-value]: `al` is not a value of `all-or`
 --> file.yaml:1:9
  |
1 | all-or: al
  |         ^^
  = expected: all
  = help: did you mean `all`?""",
    ),
    "neither a literal nor a number": (
        "all-or: 2.5\n",
        """\
error[wrong-type]: `all-or` must be all or a whole number, found the number 2.5
 --> file.yaml:1:9
  |
1 | all-or: 2.5
  |         ^^^""",
    ),
    "a tagged option's value": (
        "shape: {kind: circle, radius: '1'}\n",
        """\
error[wrong-type]: `radius` must be a whole number, found the text `1`
 --> file.yaml:1:31
  |
1 | shape: {kind: circle, radius: '1'}
  |                               ^^^
  = help: remove the quotes""",
    ),
    "a tagged option's unknown key": (
        "shape: {kind: oblong, side: 1, sides: 2}\n",
        """\
error[unknown-key]: `sides` is not a key of a square
 --> file.yaml:1:32
  |
1 | shape: {kind: oblong, side: 1, sides: 2}
  |                                ^^^^^
  = help: remove it""",
    ),
    "an unknown tag": (
        "shape: {kind: sqare, side: 1}\n",
        """\
error[unknown-value]: `sqare` is not a value of `kind`
 --> file.yaml:1:15
  |
1 | shape: {kind: sqare, side: 1}
  |               ^^^^^
  = expected: one of circle, square, oblong
  = help: did you mean `square`?""",
    ),
    "a tag missing": (
        "shape: {side: 1}\n",
        """\
error[missing-key]: this mapping needs the key `kind`
 --> file.yaml:1:1
  |
1 | shape: {side: 1}
  | ^^^^^
  = expected: one of circle, square, oblong""",
    ),
    "a tag's key misspelt": (
        "shape: {knd: circle}\n",
        """\
error[unknown-key]: `knd` is not a key of this mapping
 --> file.yaml:1:9
  |
1 | shape: {knd: circle}
  |         ^^^
  = expected: kind
  = help: did you mean `kind`?""",
    ),
    "a tagged option that is no mapping": (
        "shape: []\n",
        """\
error[wrong-type]: `shape` must be a mapping, found a list
 --> file.yaml:1:1
  |
1 | shape: []
  | ^^^^^""",
    ),
    "a told option's value": (
        "end: {upper: 3}\n",
        """\
error[wrong-type]: `upper` must be text, found the number 3
 --> file.yaml:1:14
  |
1 | end: {upper: 3}
  |              ^
  = help: put it in quotes""",
    ),
    "a told option misspelt": (
        "end: {uper: x}\n",
        """\
error[unknown-key]: `uper` is not a key of this mapping
 --> file.yaml:1:7
  |
1 | end: {uper: x}
  |       ^^^^
  = expected: one of upper, lower
  = help: did you mean `upper`?""",
    ),
    "a told option unknown": (
        "end: {zzz: 1}\n",
        """\
error[missing-key]: no key of this mapping states its kind
 --> file.yaml:1:1
  |
1 | end: {zzz: 1}
  | ^^^
  = expected: one of upper, lower""",
    ),
    "a told option that is no mapping": (
        "end: 3\n",
        """\
error[wrong-type]: `end` must be a mapping, found the number 3
 --> file.yaml:1:6
  |
1 | end: 3
  |      ^""",
    ),
    "nothing to tell an option by": (
        "end: {}\n",
        """\
error[missing-key]: no key of this mapping states its kind
 --> file.yaml:1:1
  |
1 | end: {}
  | ^^^
  = expected: one of upper, lower""",
    ),
    "types of every kind": (
        "words: a\nname: 5\nflag: 'true'\ncount: '3'\nodds: 5\nnames: [a]\noutcome: 3\nscore: x\nboxes: 1\namount: x\n",
        """\
error[wrong-type]: `words` must be a list, found the text `a`
 --> file.yaml:1:8
  |
1 | words: a
  |        ^
  = help: write it in square brackets

error[wrong-type]: `name` must be text, found the number 5
 --> file.yaml:2:7
  |
2 | name: 5
  |       ^
  = help: put it in quotes

error[wrong-type]: `flag` must be true or false, found the text `true`
 --> file.yaml:3:7
  |
3 | flag: 'true'
  |       ^^^^^^
  = help: remove the quotes

error[wrong-type]: `count` must be a whole number, found the text `3`
 --> file.yaml:4:8
  |
4 | count: '3'
  |        ^^^
  = help: remove the quotes

error[wrong-type]: `odds` must be text, found the number 5
 --> file.yaml:5:7
  |
5 | odds: 5
  |       ^
  = help: put it in quotes

error[wrong-type]: `names` must be a mapping, found a list
 --> file.yaml:6:1
  |
6 | names: [a]
  | ^^^^^

error[wrong-type]: `outcome` must be one of push, win, found the number 3
 --> file.yaml:7:10
  |
7 | outcome: 3
  |          ^

error[wrong-type]: `score` must be a whole number, found the text `x`
 --> file.yaml:8:8
  |
8 | score: x
  |        ^

error[wrong-type]: `boxes` must be a list, found the number 1
 --> file.yaml:9:8
  |
9 | boxes: 1
  |        ^
  = help: write it in square brackets

error[wrong-type]: `amount` must be a number, found the text `x`
  --> file.yaml:10:9
   |
10 | amount: x
   |         ^""",
    ),
    "money as people write it": (
        "count: $5\nscore: '1,000.00'\n",
        """\
error[wrong-type]: `count` must be a whole number, found the text `$5`
 --> file.yaml:1:8
  |
1 | count: $5
  |        ^^

error[wrong-type]: `score` must be a whole number, found the text `1,000.00`
 --> file.yaml:2:8
  |
2 | score: '1,000.00'
  |        ^^^^^^^^^^""",
    ),
    "the rest of a text that a comma cut": (
        "box: {holds: apples, and a stone}\n",
        """\
error[unknown-key]: `and a stone` is not a key of a bag
 --> file.yaml:1:22
  |
1 | box: {holds: apples, and a stone}
  |                      ^^^^^^^^^^^
  = help: inside { } a text with a comma must be in quotes""",
    ),
    "numbers of the wrong kind": (
        "count: 2.0\nscore: true\namount: true\nname: 2.5\n",
        """\
error[wrong-type]: `count` must be a whole number, found the number 2.0
 --> file.yaml:1:8
  |
1 | count: 2.0
  |        ^^^
  = help: write it in digits alone

error[wrong-type]: `score` must be a whole number, found true
 --> file.yaml:2:8
  |
2 | score: true
  |        ^^^^

error[wrong-type]: `amount` must be a number, found true
 --> file.yaml:3:9
  |
3 | amount: true
  |         ^^^^

error[wrong-type]: `name` must be text, found the number 2.5
 --> file.yaml:4:7
  |
4 | name: 2.5
  |       ^^^
  = help: put it in quotes""",
    ),
    "nothing where something belongs": (
        "count:\nwords: null\nbox:\n  shade-of: ~\n",
        """\
error[wrong-type]: `count` must be a whole number, found nothing
 --> file.yaml:1:7
  |
1 | count:
  |       ^

error[wrong-type]: `words` must be a list, found nothing
 --> file.yaml:2:8
  |
2 | words: null
  |        ^^^^

error[wrong-type]: `shade-of` must be one of light-red, blue, found nothing
 --> file.yaml:4:13
  |
4 |   shade-of: ~
  |             ^""",
    ),
    "days": (
        "day: 2024-13-01\nplain-day: x\n",
        """\
error[invalid-value]: `2024-13-01` is not a day of the calendar
 --> file.yaml:1:6
  |
1 | day: 2024-13-01
  |      ^^^^^^^^^^

error[wrong-type]: `plain-day` must be a day such as 2024-01-31, found the text `x`
 --> file.yaml:2:12
  |
2 | plain-day: x
  |            ^""",
    ),
    "a day that is a number": (
        "day: 1\nplain-day: 2\n",
        """\
error[wrong-type]: `day` must be a day such as 2024-01-31, found the number 1
 --> file.yaml:1:6
  |
1 | day: 1
  |      ^

error[wrong-type]: `plain-day` must be a day such as 2024-01-31, found the number 2
 --> file.yaml:2:12
  |
2 | plain-day: 2
  |            ^""",
    ),
    "tuples too short and too long": (
        "pair: [1]\nfew: [1, 2, 3]\n",
        """\
error[out-of-bounds]: `pair` has too few entries
 --> file.yaml:1:1
  |
1 | pair: [1]
  | ^^^^

error[out-of-bounds]: `few` must have at most 2 entries, found 3
 --> file.yaml:2:1
  |
2 | few: [1, 2, 3]
  | ^^^""",
    ),
    "a tuple too long": (
        "pair: [1, b, c]\nfew: []\n",
        """\
error[out-of-bounds]: `pair` must have at most 2 entries, found 3
 --> file.yaml:1:1
  |
1 | pair: [1, b, c]
  | ^^^^

error[out-of-bounds]: `few` must have at least 1 entry, found 0
 --> file.yaml:2:1
  |
2 | few: []
  | ^^^""",
    ),
    "a tuple's item": (
        "pair: [a, b]\n",
        """\
error[wrong-type]: item 1 of `pair` must be a whole number, found the text `a`
 --> file.yaml:1:8
  |
1 | pair: [a, b]
  |        ^""",
    ),
    "bounds": (
        "count: 9\neven: 0\n",
        """\
error[out-of-bounds]: `count` must be at most 8, found the number 9
 --> file.yaml:1:8
  |
1 | count: 9
  |        ^

error[out-of-bounds]: `even` must be more than 0, found the number 0
 --> file.yaml:2:7
  |
2 | even: 0
  |       ^""",
    ),
    "more bounds": (
        "count: 0\neven: 10\n",
        """\
error[out-of-bounds]: `count` must be at least 1, found the number 0
 --> file.yaml:1:8
  |
1 | count: 0
  |        ^

error[out-of-bounds]: `even` must be less than 10, found the number 10
 --> file.yaml:2:7
  |
2 | even: 10
  |       ^^""",
    ),
    "a multiple": (
        "even: 3\n",
        """\
error[out-of-bounds]: `even` must be a multiple of 2, found the number 3
 --> file.yaml:1:7
  |
1 | even: 3
  |       ^""",
    ),
    "texts": (
        "code: yyy\nshort: ''\n",
        """\
error[out-of-bounds]: `code` must be text of the form ^x+$, found the text `yyy`
 --> file.yaml:1:7
  |
1 | code: yyy
  |       ^^^

error[out-of-bounds]: `short` must have at least 1 character, found 0
 --> file.yaml:2:8
  |
2 | short: ''
  |        ^^""",
    ),
    "a text too long": (
        "code: xxxxx\n",
        """\
error[out-of-bounds]: `code` must have at most 4 characters, found 5
 --> file.yaml:1:7
  |
1 | code: xxxxx
  |       ^^^^^""",
    ),
    "an enumeration and a literal": (
        "box: {shade-of: light_red}\noutcome: pusch\n",
        """\
error[unknown-value]: `light_red` is not a value of `shade-of`
 --> file.yaml:1:17
  |
1 | box: {shade-of: light_red}
  |                 ^^^^^^^^^
  = expected: one of light-red, blue
  = help: did you mean `light-red`?

error[unknown-value]: `pusch` is not a value of `outcome`
 --> file.yaml:2:10
  |
2 | outcome: pusch
  |          ^^^^^
  = expected: one of push, win
  = help: did you mean `push`?""",
    ),
    "keys that are no identifiers": (
        "names: {Abc: 1, b: x}\n",
        """\
error[invalid-value]: `Abc` is not an identifier: letters a to z and digits, joined by single hyphens
 --> file.yaml:1:9
  |
1 | names: {Abc: 1, b: x}
  |         ^^^

error[wrong-type]: `b` must be a whole number, found the text `x`
 --> file.yaml:1:20
  |
1 | names: {Abc: 1, b: x}
  |                    ^""",
    ),
    "odds": (
        "odds: 5 to one\n",
        """\
error[invalid-value]: `5 to one` is not odds: write odds as "5 to 1", "9 for 1" or "3:2", in whole numbers
 --> file.yaml:1:7
  |
1 | odds: 5 to one
  |       ^^^^^^^^""",
    ),
    "a name": (
        "name: ''\n",
        """\
error[invalid-value]: a name needs at least one visible character
 --> file.yaml:1:7
  |
1 | name: ''
  |       ^^""",
    ),
    "rules of the model itself": (
        "when:\n  not:\n    all:\n      - at-least: x\n      - at-lest: 3\n",
        """\
error[wrong-type]: `at-least` must be a whole number, found the text `x`
 --> file.yaml:4:19
  |
4 |       - at-least: x
  |                   ^

error[unknown-key]: `at-lest` is not a key of a condition
 --> file.yaml:5:9
  |
5 |       - at-lest: 3
  |         ^^^^^^^
  = expected: one of not, all, at-least
  = help: did you mean `at-least`?""",
    ),
    "one of several": (
        "when: {not: {at-least: 1, all: []}}\n",
        """\
error[invalid-value]: exactly one of not, all, at-least is required here
 --> file.yaml:1:8
  |
1 | when: {not: {at-least: 1, all: []}}
  |        ^^^""",
    ),
    "none of several": (
        "when: {}\n",
        """\
error[invalid-value]: exactly one of not, all, at-least is required here
 --> file.yaml:1:1
  |
1 | when: {}
  | ^^^^""",
    ),
    "a list for the document": (
        "- a\n",
        """\
error[wrong-type]: the file must be a mapping, found a list
 --> file.yaml:1:1
  |
1 | - a
  | ^""",
    ),
    "a text for the document": (
        "text\n",
        """\
error[wrong-type]: the file must be a mapping, found the text `text`
 --> file.yaml:1:1
  |
1 | text
  | ^^^^""",
    ),
    "hostile text": (
        '"ev\\e[2Jil": "\\e[2J"\nname: "a\\nb"\noutcome: "\\u202e`"\n',
        """\
error[unknown-key]: `ev[U+001B][2Jil` is not a key of an everything
 --> file.yaml:1:1
  |
1 | "ev\\e[2Jil": "\\e[2J"
  | ^^^^^^^^^^^
  = expected: one of amount, day, plain-day, words, pair, distinct, box, shape, end, boxes and 13 more

error[invalid-value]: a name is one line of plain text; this one holds the character U+000A
 --> file.yaml:2:7
  |
2 | name: "a\\nb"
  |       ^^^^^^

error[unknown-value]: '[U+202E]`' is not a value of `outcome`
 --> file.yaml:3:10
  |
3 | outcome: "\\u202e`"
  |          ^^^^^^^^^
  = expected: one of push, win""",
    ),
}
