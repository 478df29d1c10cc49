"""Invalid YAML files, with their complete messages."""

from __future__ import annotations

YAML_REFUSALS: dict[str, tuple[str, str]] = {
    "a tab indents a key": (
        "a:\n\tb: 1\n",
        """\
error[syntax]: a tab in place of blanks for indentation
 --> file.yaml:2:1
  |
2 |     b: 1
  | ^^^^
  = help: indent with blanks""",
    ),
    "a tab after an indented line": (
        "a:\n  b: 1\n\tc: 2\n",
        """\
error[syntax]: a tab in place of blanks for indentation
 --> file.yaml:3:1
  |
3 |     c: 2
  | ^^^^
  = help: indent with blanks""",
    ),
    "a tab in a block text": (
        "a: |\n\tx\n",
        """\
error[syntax]: a tab in place of blanks for indentation
 --> file.yaml:2:1
  |
2 |     x
  | ^^^^
  = help: indent with blanks""",
    ),
    "a double quote is not closed": (
        'a: "abc\nb: 1\n',
        """\
error[syntax]: this quote is never closed: `"`
 --> file.yaml:1:4
  |
1 | a: "abc
  |    ^^^^
  = help: close it on the same line""",
    ),
    "a single quote is not closed": (
        "a: 'abc\nb: 1\n",
        """\
error[syntax]: this quote is never closed: `'`
 --> file.yaml:1:4
  |
1 | a: 'abc
  |    ^^^^
  = help: close it on the same line""",
    ),
    "a quote runs into a document marker": (
        'a: "x\n---\n"\n',
        """\
error[syntax]: this quote is never closed: `"`
 --> file.yaml:1:4
  |
1 | a: "x
  |    ^^
  = help: close it on the same line""",
    ),
    "a bracket is not closed": (
        "a: [1, 2\nb: 1\n",
        """\
error[syntax]: this `[` is never closed
 --> file.yaml:1:4
  |
1 | a: [1, 2
  |    ^
  = help: put `]` after its last item; reading stopped at line 2, column 2""",
    ),
    "a brace is not closed": (
        "a: {x: 1\nb: 1\n",
        """\
error[syntax]: this `{` is never closed
 --> file.yaml:1:4
  |
1 | a: {x: 1
  |    ^
  = help: put `}` after its last item; reading stopped at line 2, column 2""",
    ),
    "a bracket is open at the end": (
        "a: [1, 2",
        """\
error[syntax]: this `[` is never closed
 --> file.yaml:1:4
  |
1 | a: [1, 2
  |    ^
  = help: put `]` after its last item; reading stopped at line 1, column 9""",
    ),
    "a comma is missing in a list": (
        'a: ["x" "y"]\n',
        """\
error[syntax]: `,` or `]` is missing before this
 --> file.yaml:1:9
  |
1 | a: ["x" "y"]
  |         ^^^
  = help: the `[` is at line 1, column 4""",
    ),
    "a comma is missing on a later line": (
        'a: [x,\n  "y" "z"]\n',
        """\
error[syntax]: `,` or `]` is missing before this
 --> file.yaml:2:7
  |
2 |   "y" "z"]
  |       ^^^
  = help: the `[` is at line 1, column 4""",
    ),
    "a comma is missing in a mapping": (
        "a: {b: 1 c: 2}\n",
        """\
error[syntax]: `,` or `}` is missing before this
 --> file.yaml:1:11
  |
1 | a: {b: 1 c: 2}
  |           ^
  = help: the `{` is at line 1, column 4; a text with `: ` must be in quotes""",
    ),
    "brackets do not match": (
        "a: {b: [1, 2}\n",
        """\
error[syntax]: `,` or `]` is missing before this
 --> file.yaml:1:13
  |
1 | a: {b: [1, 2}
  |             ^
  = help: the `[` is at line 1, column 8""",
    ),
    "an indentation between two levels": (
        "a:\n    b: 1\n  c: 2\n",
        """\
error[syntax]: the indentation of this line fits no mapping above it
 --> file.yaml:3:3
  |
3 |   c: 2
  |   ^
  = help: its mapping begins at line 1, column 1""",
    ),
    "a key indented under a value": (
        "a: 1\n  b: 2\n",
        """\
error[syntax]: a key is not allowed here
 --> file.yaml:2:3
  |
2 |   b: 2
  |   ^
  = help: indent it like the keys it belongs to; the line above may lack its `: ` or a closing quote""",
    ),
    "a colon is missing": (
        "a: 1\nb\nc: 2\n",
        """\
error[syntax]: this line has no `: `
 --> file.yaml:2:1
  |
2 | b
  | ^
  = help: write `key: value`; text that goes on from the line above is indented more""",
    ),
    "a colon is missing under a key": (
        "a:\n  b 1\n  c: 2\n",
        """\
error[syntax]: a key is not allowed here
 --> file.yaml:3:3
  |
3 |   c: 2
  |   ^
  = help: indent it like the keys it belongs to; the line above may lack its `: ` or a closing quote""",
    ),
    "no blank after a colon": (
        "a:1\nb: 2\n",
        """\
error[syntax]: a key is not allowed here
 --> file.yaml:2:1
  |
2 | b: 2
  | ^
  = help: indent it like the keys it belongs to; the line above may lack its `: ` or a closing quote""",
    ),
    "two colons on a line": (
        "a: b: c\n",
        """\
error[syntax]: a second `: ` on the same line
 --> file.yaml:1:5
  |
1 | a: b: c
  |     ^
  = help: put the text in quotes, or start a new line for the key""",
    ),
    "a list item among keys": (
        "a: 1\n- b\n",
        """\
error[syntax]: a list item among the keys of a mapping
 --> file.yaml:2:1
  |
2 | - b
  | ^
  = help: its mapping begins at line 1, column 1""",
    ),
    "a key among list items": (
        "- a\nb: 1\n",
        """\
error[syntax]: a list item must start with `- `
 --> file.yaml:2:1
  |
2 | b: 1
  | ^
  = help: the list begins at line 1, column 1""",
    ),
    "a list on the line of its key": (
        "a: - b\n",
        """\
error[syntax]: a list cannot start here
 --> file.yaml:1:4
  |
1 | a: - b
  |    ^
  = help: start it on a line of its own, or write [a, b]""",
    ),
    "an unknown escape": (
        'a: "\\q"\n',
        """\
error[syntax]: this is not an escape of a double-quoted text
 --> file.yaml:1:5
  |
1 | a: "\\q"
  |     ^^^
  = help: write `\\\\` for a backslash, or use single quotes""",
    ),
    "an escape of half a pair": (
        'a: "\\ud800"\n',
        """\
error[syntax]: this is not an escape of a double-quoted text
 --> file.yaml:1:7
  |
1 | a: "\\ud800"
  |       ^^^^^
  = help: write `\\\\` for a backslash, or use single quotes""",
    ),
    "a text starts with @": (
        "a: @x\n",
        """\
error[syntax]: text cannot start with `@`
 --> file.yaml:1:4
  |
1 | a: @x
  |    ^^
  = help: put the text in quotes""",
    ),
    "a text starts with a backquote": (
        "a: `x`\n",
        """\
error[syntax]: text cannot start with '`'
 --> file.yaml:1:4
  |
1 | a: `x`
  |    ^^^
  = help: put the text in quotes""",
    ),
    "a text starts with a percent sign": (
        "a: %x\n",
        """\
error[syntax]: text cannot start with `%`
 --> file.yaml:1:4
  |
1 | a: %x
  |    ^^
  = help: put the text in quotes""",
    ),
    "a text starts with a star": (
        "a: * x\n",
        """\
error[syntax]: text cannot start with `*` or `&`
 --> file.yaml:1:5
  |
1 | a: * x
  |     ^
  = help: put the text in quotes""",
    ),
    "a text starts with a question mark": (
        "a: ? b\n",
        """\
error[syntax]: `?` cannot start a text
 --> file.yaml:1:4
  |
1 | a: ? b
  |    ^
  = help: put the text in quotes""",
    ),
    "a bracket too many": (
        "a: [1]]\n",
        """\
error[syntax]: this `]` closes nothing
 --> file.yaml:1:7
  |
1 | a: [1]]
  |       ^
  = help: remove it, or put the value in quotes""",
    ),
    "a closing brace alone": (
        "a: }\n",
        """\
error[syntax]: a value is missing before this
 --> file.yaml:1:4
  |
1 | a: }
  |    ^""",
    ),
    "a bracket under a key": (
        "a: b\n]\n",
        """\
error[syntax]: this `]` closes nothing
 --> file.yaml:2:1
  |
2 | ]
  | ^
  = help: remove it, or put the value in quotes""",
    ),
    "text after a quote": (
        'a: "x" y\n',
        """\
error[syntax]: this follows a value that has already ended
 --> file.yaml:1:8
  |
1 | a: "x" y
  |        ^
  = help: put the value in quotes""",
    ),
    "an empty place in a list": (
        "[a,,b]",
        """\
error[syntax]: a value is missing before this
 --> file.yaml:1:4
  |
1 | [a,,b]
  |    ^""",
    ),
    "text after the document": (
        "[a] b\n",
        """\
error[syntax]: this follows the end of the file's one value
 --> file.yaml:1:5
  |
1 | [a] b
  |     ^
  = help: a file holds one mapping or one list""",
    ),
    "an end mark in the line of the document": (
        "[a]...\n",
        """\
error[syntax]: this follows the end of the file's one value
 --> file.yaml:1:4
  |
1 | [a]...
  |    ^^^
  = help: a file holds one mapping or one list""",
    ),
    "a key after the document": (
        "{a: b}\nc: d\n",
        """\
error[syntax]: this follows the end of the file's one value
 --> file.yaml:2:1
  |
2 | c: d
  | ^
  = help: a file holds one mapping or one list""",
    ),
    "text after a block sign": (
        "a: |x\n  b\n",
        """\
error[syntax]: nothing may follow `|` or `>` on its line
 --> file.yaml:1:5
  |
1 | a: |x
  |     ^
  = help: start the text on the next line""",
    ),
    "a zero after a block sign": (
        "a: |0\n  b\n",
        """\
error[syntax]: the indentation after `|` or `>` is at least 1
 --> file.yaml:1:5
  |
1 | a: |0
  |     ^""",
    ),
    "a key missing before its colon": (
        "a: 1\n: 2\n",
        """\
error[syntax]: a key is missing before the `:`
 --> file.yaml:2:1
  |
2 | : 2
  | ^""",
    ),
    "an empty key in braces": (
        "{: 1}",
        """\
error[syntax]: a value is missing before this
 --> file.yaml:1:2
  |
1 | {: 1}
  |  ^""",
    ),
    "a key that never ends": (
        "b: 1\n" + "a" * 1100 + ": 1\n",
        """\
error[syntax]: a key has at most 1,024 characters
 --> file.yaml:2:1
  |
2 | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^""",
    ),
    "a broken tag": (
        "a: !<x\n",
        """\
error[syntax]: tags are not used
 --> file.yaml:1:7
  |
1 | a: !<x
  |       ^
  = help: put the text in quotes""",
    ),
    "an undefined tag handle": (
        "a: !e!x y\n",
        """\
error[syntax]: tags are not used
 --> file.yaml:1:4
  |
1 | a: !e!x y
  |    ^^^^
  = help: put the text in quotes""",
    ),
    "a duplicate key": (
        "a: 1\nb:\n  c: 2\n  c: 3\na: 4\n",
        """\
error[duplicate-key]: `c` is given twice in the same mapping
 --> file.yaml:4:3
  |
4 |   c: 3
  |   ^
  = help: it is first given at line 3, column 3: keep one

error[duplicate-key]: `a` is given twice in the same mapping
 --> file.yaml:5:1
  |
5 | a: 4
  | ^
  = help: it is first given at line 1, column 1: keep one""",
    ),
    "duplicate keys, one quoted": (
        '{a: 1, "a": 2}',
        """\
error[duplicate-key]: `a` is given twice in the same mapping
 --> file.yaml:1:8
  |
1 | {a: 1, "a": 2}
  |        ^^^
  = help: it is first given at line 1, column 2: keep one""",
    ),
    "words that are true or false to some": (
        "a: no\nb: [yes, On, n]\n",
        """\
error[ambiguous-word]: `no` is text to some YAML readers and false to others
 --> file.yaml:1:4
  |
1 | a: no
  |    ^^
  = help: write false, or 'no' for the text

error[ambiguous-word]: `yes` is text to some YAML readers and true to others
 --> file.yaml:2:5
  |
2 | b: [yes, On, n]
  |     ^^^
  = help: write true, or 'yes' for the text

error[ambiguous-word]: `On` is text to some YAML readers and true to others
 --> file.yaml:2:10
  |
2 | b: [yes, On, n]
  |          ^^
  = help: write true, or 'On' for the text

error[ambiguous-word]: `n` is text to some YAML readers and false to others
 --> file.yaml:2:14
  |
2 | b: [yes, On, n]
  |              ^
  = help: write false, or 'n' for the text""",
    ),
    "a key that is a word to some": (
        "no: 1\nY: 2\n",
        """\
error[key-not-text]: `no` is text to some YAML readers and false to others
 --> file.yaml:1:1
  |
1 | no: 1
  | ^^
  = help: put it in quotes: 'no'

error[key-not-text]: `Y` is text to some YAML readers and true to others
 --> file.yaml:2:1
  |
2 | Y: 2
  | ^
  = help: put it in quotes: 'Y'""",
    ),
    "a comma in a number": (
        "{a: 1,000, b: 1,500}\n",
        """\
error[key-not-text]: `000` starts with a zero, and YAML readers disagree on what that means
 --> file.yaml:1:7
  |
1 | {a: 1,000, b: 1,500}
  |       ^^^
  = help: write numbers without commas, and a text with a comma in quotes

error[key-not-text]: the key `500` is not text
 --> file.yaml:1:17
  |
1 | {a: 1,000, b: 1,500}
  |                 ^^^
  = help: write numbers without commas, and a text with a comma in quotes""",
    ),
    "keys that are not text": (
        "1: 2\ntrue: 3\n~: 4\n2.5: 5\n",
        """\
error[key-not-text]: the key `1` is not text
 --> file.yaml:1:1
  |
1 | 1: 2
  | ^
  = help: put it in quotes: '1'

error[key-not-text]: the key `true` is not text
 --> file.yaml:2:1
  |
2 | true: 3
  | ^^^^
  = help: put it in quotes: 'true'

error[key-not-text]: the key `~` is not text
 --> file.yaml:3:1
  |
3 | ~: 4
  | ^
  = help: put it in quotes: '~'

error[key-not-text]: the key `2.5` is not text
 --> file.yaml:4:1
  |
4 | 2.5: 5
  | ^^^
  = help: put it in quotes: '2.5'""",
    ),
    "odds without quotes": (
        "a: 3:2\n",
        """\
error[ambiguous-number]: `3:2` is a number in base 60 to some YAML readers
 --> file.yaml:1:4
  |
1 | a: 3:2
  |    ^^^
  = help: odds must be quoted: "3 to 2" or '3:2'""",
    ),
    "a time without quotes": (
        "a: 12:30:00\n",
        """\
error[ambiguous-number]: `12:30:00` is a number in base 60 to some YAML readers
 --> file.yaml:1:4
  |
1 | a: 12:30:00
  |    ^^^^^^^^
  = help: put it in quotes: '12:30:00'""",
    ),
    "a leading zero": (
        "a: [010, -07, 01.5]\n",
        """\
error[ambiguous-number]: `010` starts with a zero, and YAML readers disagree on what that means
 --> file.yaml:1:5
  |
1 | a: [010, -07, 01.5]
  |     ^^^
  = help: leave the zero out, or put it in quotes for the text

error[ambiguous-number]: `-07` starts with a zero, and YAML readers disagree on what that means
 --> file.yaml:1:10
  |
1 | a: [010, -07, 01.5]
  |          ^^^
  = help: leave the zero out, or put it in quotes for the text

error[ambiguous-number]: `01.5` starts with a zero, and YAML readers disagree on what that means
 --> file.yaml:1:15
  |
1 | a: [010, -07, 01.5]
  |               ^^^^
  = help: leave the zero out, or put it in quotes for the text""",
    ),
    "underscores in a number": (
        "a: [1_000, 0b101, -0x1F]\n",
        """\
error[ambiguous-number]: `1_000` is text to some YAML readers and a number to others
 --> file.yaml:1:5
  |
1 | a: [1_000, 0b101, -0x1F]
  |     ^^^^^
  = help: write plain digits, or put it in quotes for the text

error[ambiguous-number]: `0b101` is text to some YAML readers and a number to others
 --> file.yaml:1:12
  |
1 | a: [1_000, 0b101, -0x1F]
  |            ^^^^^
  = help: write plain digits, or put it in quotes for the text

error[ambiguous-number]: `-0x1F` is text to some YAML readers and a number to others
 --> file.yaml:1:19
  |
1 | a: [1_000, 0b101, -0x1F]
  |                   ^^^^^
  = help: write plain digits, or put it in quotes for the text""",
    ),
    "not numbers": (
        "a: [.inf, -.Inf, .nan]\n",
        """\
error[not-a-number]: `.inf` is not a usable number
 --> file.yaml:1:5
  |
1 | a: [.inf, -.Inf, .nan]
  |     ^^^^
  = help: write a number, or put it in quotes for the text

error[not-a-number]: `-.Inf` is not a usable number
 --> file.yaml:1:11
  |
1 | a: [.inf, -.Inf, .nan]
  |           ^^^^^
  = help: write a number, or put it in quotes for the text

error[not-a-number]: `.nan` is not a usable number
 --> file.yaml:1:18
  |
1 | a: [.inf, -.Inf, .nan]
  |                  ^^^^
  = help: write a number, or put it in quotes for the text""",
    ),
    "too many digits": (
        "a: 12345678901234567890\nb: 1.234567890123456\nc: 1e31\nd: 0xFFFFFFFFFFFFFFFFFFFF\n",
        """\
error[number-too-long]: this number has more than 19 digits
 --> file.yaml:1:4
  |
1 | a: 12345678901234567890
  |    ^^^^^^^^^^^^^^^^^^^^
  = help: put it in quotes if it is text

error[number-too-long]: this number has a point or an exponent and more than 15 digits
 --> file.yaml:2:4
  |
2 | b: 1.234567890123456
  |    ^^^^^^^^^^^^^^^^^
  = help: put it in quotes if it is text

error[number-too-long]: the exponent of this number is beyond 30
 --> file.yaml:3:4
  |
3 | c: 1e31
  |    ^^^^
  = help: put it in quotes if it is text

error[number-too-long]: this number has more than 19 digits
 --> file.yaml:4:4
  |
4 | d: 0xFFFFFFFFFFFFFFFFFFFF
  |    ^^^^^^^^^^^^^^^^^^^^^^
  = help: put it in quotes if it is text""",
    ),
    "a merge key": (
        "<<: {a: 1}\n",
        """\
error[merge-key]: merge keys are not used
 --> file.yaml:1:1
  |
1 | <<: {a: 1}
  | ^^
  = help: write the entries out""",
    ),
    "an anchor": (
        "a: &x 1\n",
        """\
error[anchor]: anchors are not used
 --> file.yaml:1:4
  |
1 | a: &x 1
  |    ^^
  = help: write the value out where it is needed""",
    ),
    "an anchor on a mapping": (
        "a: &x\n  b: 1\n",
        """\
error[anchor]: anchors are not used
 --> file.yaml:1:4
  |
1 | a: &x
  |    ^^
  = help: write the value out where it is needed""",
    ),
    "an alias": (
        "a: 1\nb: *x\n",
        """\
error[alias]: aliases are not used
 --> file.yaml:2:4
  |
2 | b: *x
  |    ^^
  = help: write the value out""",
    ),
    "a python tag": (
        "a: !!python/object/apply:os.system [x]\n",
        """\
error[tag]: tags are not used
 --> file.yaml:1:4
  |
1 | a: !!python/object/apply:os.system [x]
  |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  = help: remove it, or quote the text""",
    ),
    "a plain tag": (
        "a: !!str 1\n",
        """\
error[tag]: tags are not used
 --> file.yaml:1:4
  |
1 | a: !!str 1
  |    ^^^^^
  = help: remove it, or quote the text""",
    ),
    "a lone tag": (
        "a: ! b\n",
        """\
error[tag]: tags are not used
 --> file.yaml:1:4
  |
1 | a: ! b
  |    ^
  = help: remove it, or quote the text""",
    ),
    "a list as a key": (
        "? [a, b]\n: 1\n",
        """\
error[key-not-text]: a list or mapping cannot be a key
 --> file.yaml:1:3
  |
1 | ? [a, b]
  |   ^
  = help: use text for the key""",
    ),
    "a mapping as a key": (
        "{{a: 1}: 2}\n",
        """\
error[key-not-text]: a list or mapping cannot be a key
 --> file.yaml:1:2
  |
1 | {{a: 1}: 2}
  |  ^
  = help: use text for the key""",
    ),
    "an alias as a key": (
        "*a : 1\n",
        """\
error[alias]: aliases are not used
 --> file.yaml:1:1
  |
1 | *a : 1
  | ^^
  = help: write the value out""",
    ),
    "two documents": (
        "a: 1\n---\nb: 2\n",
        """\
error[several-documents]: a second YAML document begins here
 --> file.yaml:2:1
  |
2 | ---
  | ^^^
  = help: keep one a file""",
    ),
    "text after an end mark": (
        "a: 1\n...\nb: 2\n",
        """\
error[syntax]: this follows the end of the file's one value
 --> file.yaml:3:1
  |
3 | b: 2
  | ^
  = help: a file holds one mapping or one list""",
    ),
    "only comments": (
        "# x\n\n# y\n",
        """\
error[empty]: this file holds nothing but comments
 --> file.yaml:1:1
  |
1 | # x
  | ^""",
    ),
    "a tag directive": (
        "# x\n%TAG ! y\n---\na: 1\n",
        """\
error[directive]: directives are not used
 --> file.yaml:2:1
  |
2 | %TAG ! y
  | ^^^^
  = help: remove the line""",
    ),
    "another version": (
        "%YAML 1.1\n---\na: 1\n",
        """\
error[directive]: directives are not used
 --> file.yaml:1:1
  |
1 | %YAML 1.1
  | ^^^^^
  = help: remove the line""",
    ),
    "a second directive": (
        "%YAML 1.2\n%YAML 1.2\n---\na: 1\n",
        """\
error[directive]: directives are not used
 --> file.yaml:2:1
  |
2 | %YAML 1.2
  | ^^^^^
  = help: remove the line""",
    ),
    "a next line character": (
        "a: x\x85b\n",
        """\
error[control-character]: the character U+0085 is a line break to some YAML readers only
 --> file.yaml:1:5
  |
1 | a: x[U+0085]b
  |     ^^^^^^^^
  = help: remove it, or write "\\u0085" in double quotes""",
    ),
    "a line separator": (
        'a: "x\u2028b"\n',
        """\
error[control-character]: the character U+2028 is a line break to some YAML readers only
 --> file.yaml:1:6
  |
1 | a: "x[U+2028]b"
  |      ^^^^^^^^
  = help: remove it, or write "\\u2028" in double quotes""",
    ),
    "a delete character": (
        "a: x\x7fb\n",
        """\
error[control-character]: the character U+007F is not allowed in YAML
 --> file.yaml:1:5
  |
1 | a: x[U+007F]b
  |     ^^^^^^^^^
  = help: remove it, or write "\\u007f" in double quotes""",
    ),
    "a mark inside": (
        "a: x\ufeffb\n",
        """\
error[control-character]: the character U+FEFF is not allowed in YAML
 --> file.yaml:1:5
  |
1 | a: x[U+FEFF]b
  |     ^^^^^^^^^
  = help: remove it, or write "\\ufeff" in double quotes""",
    ),
    "too deep in brackets": (
        "[" * 70,
        """\
error[too-deep]: more than 64 lists and mappings inside each other
 --> file.yaml:1:65
  |
1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
  |                                                                 ^""",
    ),
    "too deep in dashes": (
        "a:\n" + "- " * 70 + "x\n",
        """\
error[too-deep]: more than 64 lists and mappings inside each other
 --> file.yaml:2:127
  |
2 | ... - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - x
  |                                                                                         ^""",
    ),
    "too many blanks": (
        "a: x" + " " * 1001 + "y\n",
        """\
error[too-many-blanks]: more than 1,000 blanks or line breaks in a row
 --> file.yaml:1:5
  |
1 | a: x                                                                                                ...
  |     ^""",
    ),
}
