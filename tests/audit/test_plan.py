"""An audit in parts: whoever judges them, in whatever order they are merged, the results are those of one process."""

from __future__ import annotations

import json
import pickle
import random
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context

import pytest

import fairdeal
from fairdeal.api import UNDATED
from fairdeal.validator.audit.run.audit_plan import Partial, build_audit_plan
from fairdeal.validator.audit.run.submission_check import read_submission
from fairdeal.validator.audit.run.verdict_storage import decode_verdicts, encode_verdicts
from fairdeal.validator.hold.hold_counts import HoldCounts
from fairdeal.validator.text.diagnostics import ResourceError
from tests.audit.logs import LOGS, to_bytes
from tests.facade.rules import Rulebook
from tests.facade.text import InputError


@pytest.fixture(scope="session")
def rulebook() -> Rulebook:
    return fairdeal.load_rulebook()


@cache
def audit_in_one_process(*logs: str) -> bytes:
    """Return the results of one process for logs, or for all logs if none are named."""
    return to_bytes(fairdeal.audit(fairdeal.load_rulebook(), *(logs or LOGS), submissions=["house.yaml"]))


@pytest.mark.parametrize("whole", [0, 1 << 20])
def test_parts_in_any_order_come_to_what_one_process_does(rulebook: Rulebook, whole: int) -> None:
    plan = fairdeal.audit_plan(rulebook, ["house.yaml"])
    partials = [plan.judge(part) for part in plan.partition(*LOGS, whole=whole)]
    assert len(partials) > (20 if not whole else len(LOGS) - 1)
    expected = audit_in_one_process()
    logs = [source for source in json.loads(expected)["provenance"]["inputs"] if source["kind"] == "hand log"]
    assert all(any(log[key] for log in logs) for key in ("checked", "quarantined", "repeated", "contradicted"))
    chance = random.Random(whole)
    chance.shuffle(partials)
    assert to_bytes(fairdeal.merge(partials)) == expected
    chance.shuffle(partials)
    assert to_bytes(fairdeal.merge([*partials, *partials[:3]])) == expected, "a part counts once"


def test_partials_are_put_together_in_any_way(rulebook: Rulebook) -> None:
    plan = fairdeal.audit_plan(rulebook, ["house.yaml"])
    a, b, c = (fairdeal.combine(map(plan.judge, plan.partition(name))) for name in LOGS[:3])
    ways = [
        [fairdeal.combine([fairdeal.combine([a, b]), c])],
        [fairdeal.combine([a, fairdeal.combine([b, c])])],
        [c, fairdeal.combine([b, a])],
        [a, b, c],
    ]
    assert len({to_bytes(fairdeal.merge(way)) for way in ways}) == 1


def _judge(plan: bytes, part: bytes) -> bytes:
    return pickle.dumps(pickle.loads(plan).judge(pickle.loads(part)))


def test_partials_travel(rulebook: Rulebook) -> None:
    """Plans, parts and partials go to processes that know nothing of this one, and back."""
    plan = fairdeal.audit_plan(rulebook, ["house.yaml"])
    parts = list(plan.partition(*LOGS[:2], whole=0))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        judged = list(pool.map(_judge, [pickle.dumps(plan)] * len(parts), map(pickle.dumps, parts), chunksize=2))
    assert to_bytes(fairdeal.merge(map(pickle.loads, judged))) == audit_in_one_process(*LOGS[:2])


def test_what_is_missing_is_noticed(rulebook: Rulebook) -> None:
    plan = fairdeal.audit_plan(rulebook, ["house.yaml"])
    partials = [plan.judge(part) for part in plan.partition("clean.jsonl", whole=0)]
    for gone in (0, 2, len(partials) - 1):
        with pytest.raises(ValueError, match=r"clean\.jsonl"):
            fairdeal.merge(partials[:gone] + partials[gone + 1 :])
    with pytest.raises(ValueError, match="no partials"):
        fairdeal.merge([])
    other = fairdeal.audit_plan(rulebook)
    with pytest.raises(ValueError, match="several"):
        fairdeal.merge([*partials, *map(other.judge, other.partition("faulty.jsonl"))])


def test_a_log_that_cannot_be_read_says_so_where_partials_are_merged(rulebook: Rulebook) -> None:
    plan = fairdeal.audit_plan(rulebook)
    partials = [plan.judge(part) for part in plan.partition("clean.jsonl", "nowhere.jsonl")]
    with pytest.raises(InputError, match="there is no such file"):
        fairdeal.merge(partials)


def test_who_has_other_rules_judges_nothing(rulebook: Rulebook) -> None:
    data = pickle.dumps(plan := fairdeal.audit_plan(rulebook))
    with pytest.raises(ResourceError, match="other rules"):
        pickle.loads(data.replace(plan.program_sha256.encode(), plan.program_sha256[::-1].encode()))


@pytest.mark.parametrize("counts", [None, HoldCounts])
def test_bytes_that_are_no_verdicts_are_refused(rulebook: Rulebook, counts: type[HoldCounts] | None) -> None:
    plan = build_audit_plan(rulebook, [read_submission(rulebook, "house.yaml")], counts=counts)
    (part,) = plan.partition("faulty.jsonl")
    data = encode_verdicts(plan.check_part(part))
    assert encode_verdicts(decode_verdicts(data, plan.audit_context.decode_counter)) == data
    chance, refused = random.Random(4), 0
    for _ in range(300):
        at = chance.randrange(len(data))
        spoilt = chance.choice([data[:at], data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]])
        try:
            decode_verdicts(spoilt, plan.audit_context.decode_counter)
        except ValueError:
            refused += 1
    assert refused > 100


def test_a_partial_is_of_its_plan(rulebook: Rulebook) -> None:
    plan = fairdeal.audit_plan(rulebook, ["house.yaml"])
    (part,) = plan.partition("clean.jsonl")
    again: Partial = pickle.loads(pickle.dumps(plan.judge(part)))
    assert again.plan.digest == plan.digest != fairdeal.audit_plan(rulebook).digest
    assert to_bytes(fairdeal.merge([again], generated=UNDATED)) == audit_in_one_process("clean.jsonl")
