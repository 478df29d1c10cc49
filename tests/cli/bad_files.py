"""Files that are wrong in every way a file can be, by what is wrong with them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

import zstandard

from tests.facade.demo import demo_lines, demo_submission, to_log

_YAML = demo_submission().encode()
_LOG = to_log(demo_lines()[:14])
_FOLDED = b"\n".join(b"%b: &%b [%b]" % (b"b" * n, b"b" * n, b"*" + b"b" * (n - 1)) for n in range(2, 12))

NO_TEXT: Mapping[str, bytes] = {
    "empty": b"",
    "blank": b"\n \n\n",
    "junk": bytes(range(256)) * 40,
    "utf-16": _YAML.decode().encode("utf-16"),
    "utf-16-without-mark": _YAML.decode().encode("utf-16-le"),
    "utf-32": _YAML.decode().encode("utf-32"),
    "latin-1": _YAML.replace(b"Golden", b"G\xf6lden"),
    "zeros": bytes(5000),
    "control": b"submission: a\x07b\n",
    "gzip": gzip.compress(_YAML),
    "too-large": b"# " + b"x" * (9 << 20),
}
"""Not even text, or none that fairdeal reads."""

NO_DATA: Mapping[str, bytes] = {
    "cut-off": _YAML[: len(_YAML) // 2],
    "cut-off-in-quotes": b'submission: "unclo',
    "cut-off-json": json.dumps({"submission": "x", "licensee": {"name": "y"}}).encode()[:-5],
    "deep-lists": b"[" * 100_000,
    "deep-mappings": b'{"a":' * 100_000,
    "deep-indents": b"\n".join(b" " * depth + b"a:" for depth in range(500)),
    "huge-number": b"submission: a\nhands-per-player: " + b"9" * 5000 + b"\n",
    "huge-exponent": b"submission: a\nhands-per-player: 1e999999999\n",
    "duplicate-key": _YAML + b"\ndealing: one-at-a-time\n",
    "duplicate-key-json": b'{"submission": "a", "submission": "b"}',
    "alias-bomb": b"b: &b [x, x, x, x]\n" + _FOLDED,
    "unquoted-odds": _YAML.replace(b"odds: 40 to 1}", b"odds: 3:2}", 1),
    "tag": b'!!python/object/apply:os.system ["id"]\n',
    "two-documents": _YAML + b"\n---\n" + _YAML,
    "tabs": b"submission:\n\tname: a\n",
    "only-a-comment": b"# nothing\n",
}
"""Text, but not data in YAML or JSON that fairdeal takes."""

NO_MODEL: Mapping[str, bytes] = {
    "list": b"[1, 2, 3]\n",
    "scalar": b"hello\n",
    "null": b"null\n",
    "number": b"12\n",
    "empty-mapping": b"{}\n",
    "another-model": b"{round: a, table: b, seats: []}\n",
}
"""Data, but of nothing that fairdeal knows."""

CUT_LOGS: Mapping[str, bytes] = {
    "cut-off.jsonl": _LOG[:-300],
    "cut-off.jsonl.gz": gzip.compress(b"".join([_LOG] * 20), compresslevel=0)[:-9000],
    "cut-off-trailer.jsonl.gz": gzip.compress(_LOG)[:-4],
    "two-frames.jsonl.zst": zstandard.compress(_LOG) + zstandard.compress(_LOG)[:-100],
    "junk-after.jsonl.gz": gzip.compress(_LOG) + b"junk",
}
"""Logs of which some records can be read and others not."""

LOST_LOGS: Mapping[str, bytes] = {
    "header-alone.gz": b"\x1f\x8b",
    "no-gzip.gz": b"\x1f\x8b" + b"junk" * 100,
    "spoiled.jsonl.gz": gzip.compress(_LOG)[:-8] + bytes(8),
    "no-zstd.zst": b"\x28\xb5\x2f\xfd" + b"junk" * 100,
    "cut-off.zst": zstandard.compress(_LOG)[:-200],
    "no-parquet.parquet": b"PAR1" + b"junk" * 100 + b"PAR1",
    "magic-alone.parquet": b"PAR1",
    "lines.parquet": _LOG,
}
"""Packed logs of which nothing can be read."""

BAD_LINES: Mapping[str, bytes] = {
    "not-json": b"hello\n",
    "half": b'{"round":"a",\n',
    "list": b"[]\n",
    "null": b"null\n",
    "latin-1": _LOG.partition(b"\n")[0].replace(b"Golden", b"G\xf6lden") + b"\n",
    "deep": b"[" * 200_000 + b"\n",
    "deep-and-closed": b"[" * 200_000 + b"]" * 200_000 + b"\n",
    "deep-mappings": b'{"a":' * 100_000 + b"\n",
    "not-a-number": _LOG.partition(b"\n")[0].replace(b'"amount":1000', b'"amount":NaN', 1) + b"\n",
    "infinite": _LOG.partition(b"\n")[0].replace(b'"amount":1000', b'"amount":1e999', 1) + b"\n",
    "fraction": _LOG.partition(b"\n")[0].replace(b'"amount":1000', b'"amount":0.5', 1) + b"\n",
    "huge": _LOG.partition(b"\n")[0].replace(b'"amount":1000', b'"amount":' + b"9" * 4000, 1) + b"\n",
    "negative": _LOG.partition(b"\n")[0].replace(b'"amount":1000', b'"amount":-1', 1) + b"\n",
    "half-a-character": _LOG.partition(b"\n")[0].replace(b"Golden", b"\\ud800") + b"\n",
    "zeros": bytes(3000) + b"\n",
    "key-twice": _LOG.partition(b"\n")[0].replace(b'"table":"S1"', b'"table":"S1","table":"S2"', 1) + b"\n",
    "key-unknown": _LOG.partition(b"\n")[0].replace(b'"table":"S1"', b'"table":"S1","tabel":"S2"', 1) + b"\n",
    "key-missing": _LOG.partition(b"\n")[0].replace(b'"table":"S1",', b"", 1) + b"\n",
    "no-such-card": _LOG.partition(b"\n")[0].replace(b"KdKs7c", b"KdKs1c") + b"\n",
    "no-such-day": _LOG.partition(b"\n")[0].replace(b"2026-03-02", b"2026-02-30") + b"\n",
    "no-such-game": _LOG.partition(b"\n")[0].replace(b"co-rule10-3card-shine", b"no-such-game") + b"\n",
    "too-long": b'{"round":"' + b"x" * (2 << 20) + b'"}\n',
}
"""Lines of a log, none of which can be read."""
