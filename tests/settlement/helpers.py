"""Game that uses every feature of settlement, and functions that evaluate rounds of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from msgspec.structs import replace

from fairdeal.validator.rulebook.pattern_instances import expand_patterns
from fairdeal.validator.rulebook.pattern_model import Pattern, PatternContext
from tests.facade.evidence import decode_records
from tests.facade.results import Status
from tests.facade.rounds import STATUSES, compile_game, evaluate_batch
from tests.facade.rules import (
    Document,
    Game,
    PatternsFile,
    ReadingFile,
    Regulation,
    RequirementFile,
    RuleFile,
    build_regulation,
    read_rule_files,
    rules_folder,
)
from tests.facade.submissions import evaluate_submission, file_submission, read_configuration
from tests.facade.text import decode_source, load_yaml, validate

NAME = "purse"

DOCUMENT = """
document: purse
title: Purse
regulator: Commission
source: {file: rules.txt, citation: Rules}
clauses:
- {clause: "(1)", lines: [1, 1], gist: What wagers are due.}
- {clause: "(2)", lines: [2, 2], gist: Pay tables.}
- {clause: "(3)", lines: [3, 3], gist: Sharing.}
- {clause: "(4)", lines: [4, 4], gist: Limits.}
"""

READINGS = """
readings:
- {reading: wording, clauses: ["(2)"], question: To or for?, adopted: {to: To.}, alternatives: {for: For.},
   reason: As printed., changes: money}
- {reading: pushing, clauses: ["(2)"], question: Two pairs?, adopted: {unpaid: Lost.},
   alternatives: {paid: Paid., as-tens: As a pair of tens.}, reason: Not printed., changes: money}
- {reading: sharing, clauses: ["(3)"], question: Shared?, adopted: {shared: Shared.},
   alternatives: {in-full: Each in full.}, reason: As said., changes: money}
- {reading: cents, clauses: ["(2)"], question: Parts of a cent?, adopted: {none: None.},
   alternatives: {either: Either., down: Down., up: Up.}, reason: As said., changes: money}
"""

GAME = """
game: purse
title: Purse
deck: {cards: standard-52, decks: 1}
deal:
  stages:
  - stage: deal
    first: dealer-left
    cards: {player: 5, dealer: 5}
    face: down
    ways: {singly: {by: dealer, clauses: ["(1)"], passes: [{to: [player, dealer], each: 1, times: 5}]}}
hands:
  final: {title: the player's five cards, from: [player], rank-by: five-card}
  suits: {title: the player's longest flush, from: [player], rank-by: longest-flush}
  dealer-suits: {title: the dealer's longest flush, from: [dealer], rank-by: longest-flush}
wagers:
  main: {title: Main, placed: before-the-deal}
  twin: {title: Twin, placed: before-the-deal}
  side: {title: Side, placed: before-the-deal}
  token: {title: Token, placed: before-the-deal, stake: spent}
bonuses:
  gift: {title: Gift, of: token, earned-by: noble}
facts:
  wide: {option: {version: wide}}
  narrow: {option: {version: narrow}}
  royal-token: [{placed: token}, {holds: {hand: final, is: royal-flush}}]
  noble: {holds: {hand: final, at-least: straight-flush}}
decisions:
  stay: {title: stay, when: {placed: main}}
  fold: {title: fold, when: {placed: main}}
  flash: {title: show five of a suit, when: {placed: main}}
scales:
  margin:
    title: by how many cards the flush is longer
    of: {difference: {length: suits}, less: {length: dealer-suits}}
    bands: {2-or-more: 2, 1-card: 1, level: 0}
pay-tables:
  main-wide:
    of: main
    hand: [final, suits]
    when: wide
    clauses: ["(2)"]
    rows: {royal-flush: 100 to 1, flush: 8 to 1, 5-card-flush: 3 to 2, three-of-a-kind: 3 to 1, two-pair: push,
           pair-of-tens-or-better: 1 to 1}
  main-narrow:
    of: main
    hand: [final, suits]
    when: narrow
    clauses: ["(2)"]
    rows: {royal-flush: 50 to 1, flush: 6 to 1, 5-card-flush: 3 to 2, three-of-a-kind: 3 to 1, two-pair: push,
           pair-of-jacks-or-better: 1 to 1}
  side:
    of: side
    by: margin
    clauses: ["(2)"]
    rows: {2-or-more: 5 to 1, 1-card: 2 to 1, level: push}
    otherwise: [{reading: {wording: for}, form: for}]
  token-share:
    of: token
    hand: final
    meter: pot
    clauses: ["(2)"]
    rows: {royal-flush: 100% of meter, straight-flush: 10% of meter, four-of-a-kind: 300 for 1, flush: "$50"}
    shared: [{category: royal-flush, when: royal-token, clauses: ["(3)"], reading: {sharing: shared}}]
  token-amount:
    of: token
    hand: final
    meter: pot
    clauses: ["(2)"]
    rows: {royal-flush: 100% of meter, straight-flush: "$5,000", four-of-a-kind: 300 for 1, flush: "$50"}
    shared: [{category: royal-flush, when: royal-token, clauses: ["(3)"], reading: {sharing: shared}}]
  gift:
    of: gift
    hand: final
    wager: 1
    clauses: ["(2)"]
    rows: {royal-flush: "$1,000", straight-flush: "$300"}
settlement:
  order: [main, twin, side, token, gift]
  unlisted:
  - {category: full-house, pays: 7 to 2, reading: {pushing: paid}}
  - {category: full-house, pays-as: three-of-a-kind, reading: {pushing: as-tens}}
  rounded:
  - {allow: either, reading: {cents: either}}
  - {allow: down, reading: {cents: down}}
  - {allow: up, reading: {cents: up}}
  caps:
  - {cap: hand-limit, lines: [main, twin], each: hand, at-most: {submitted: payout-limit.amount}, not-below: 500,
     clauses: ["(4)"], readings: [cents]}
  cases:
  - {case: folded, lines: [main, twin, side], when: {decided: fold}, due: lost, clauses: ["(1)"]}
  - {case: flashed, lines: [main, twin], when: {decided: flash}, due: {pay-table: {of: main, hand: suits}},
     clauses: ["(1)"]}
  - {case: main-paid, lines: [main, twin], due: {pay-table: {of: main, hand: final, match: at-least}}, clauses: ["(1)"]}
  - {case: side-paid, lines: [side], due: {pay-table: side}, clauses: ["(1)"]}
  - {case: token-back, lines: [token], when: {decided: fold}, due: returned, clauses: ["(1)"]}
  - {case: token-open, lines: [token], when: {seats: noble, at-least: 3}, due: open,
     clauses: ["(3)"]}
  - {case: token-paid, lines: [token], due: {pay-table: token}, clauses: ["(1)"]}
  - {case: gift-paid, lines: [gift], due: {pay-table: gift}, clauses: ["(1)"]}
acts:
  deal: {title: cards are dealt, event: deal}
"""

REQUIREMENTS = """
title: Money
requirements:
- {requirement: main-settled, title: Main, clauses: ["(1)"], severity: critical, message: Wrong.,
   settled: {cases: [folded, flashed, main-paid]}}
- {requirement: side-settled, title: Side, clauses: ["(1)"], severity: critical, message: Wrong.,
   settled: {cases: [side-paid]}}
- {requirement: token-settled, title: Token, clauses: ["(1)"], severity: critical, message: Wrong.,
   settled: {cases: [token-back, token-paid]}}
- {requirement: token-left-open, title: Open, clauses: ["(3)"], severity: critical, message: Wrong.,
   settled: {cases: [token-open]}}
- {requirement: gift-settled, title: Gift, clauses: ["(1)"], severity: critical, message: Wrong.,
   settled: {cases: [gift-paid]}}
- {requirement: limited, title: Limit, clauses: ["(4)"], severity: critical, message: Wrong.,
   capped: {cap: hand-limit}}
- {requirement: main-table, title: Table, clauses: ["(2)"], severity: critical, message: Wrong.,
   pay-tables: {of: main, match: at-least, one-of: [main-wide],
                        when: {at: options.version, equals: wide}}}
- {requirement: token-table, title: Table, clauses: ["(2)"], severity: critical, message: Wrong.,
   pay-tables: {of: token, match: exactly, one-of: [token-share, token-amount]}}
- {requirement: side-wording, title: Words, clauses: ["(2)"], severity: critical, message: Wrong.,
   pay-tables: {of: side, match: wording, one-of: [side]}}
- {requirement: gift-table, title: Gift, clauses: ["(2)"], severity: critical, message: Wrong.,
   pay-tables: {of: gift, match: exactly, one-of: [gift]}}
- {requirement: sharing, title: Sharing, clauses: ["(3)"], severity: minor, message: Wrong.,
   attested: {statement: So it is., by: manager}}
"""

ROYAL, ROYAL_HEARTS, STRAIGHT_FLUSH = "AsKsQsJsTs", "AhKhQhJhTh", "9h8h7h6h5h"
QUADS, FULL, FLUSH = "7c7d7h7sKd", "QcQdQh8c8d", "KdJd9d6d4d"
TRIPS, TWO_PAIR, TENS, NINES, NOTHING = "8s8h8dKc4s", "KcKs5d5s9c", "TcTdAc6s4h", "9c9dAc6s4h", "KcJd9s6h4c"
DEALER = "3c4d5h6s8c"


def rule_file(
    name: str,
    text: str,
    model: Any,
    patterns: Mapping[str, Pattern] | None = None,
    stated: PatternContext | None = None,
) -> RuleFile:
    """Parse a text as a rule file."""
    source = decode_source(name, text.encode())
    tree = expand_patterns(load_yaml(source), patterns or {}, stated or PatternContext(document=NAME))
    return RuleFile(name=name, sha256=source.sha256, tree=tree, model=validate(tree, model))


def load(game: str = GAME, requirements: str = REQUIREMENTS) -> Regulation:
    """Load the toy game, or a changed one, with its instances of shipped patterns expanded. Raises InputError."""
    vocabulary = [file for file in read_rule_files("co-rule8-burnout", rules_folder()) if "vocabulary" in file.name]
    (patterns,) = (file.model.patterns for file in vocabulary if isinstance(file.model, PatternsFile))
    said = load_yaml(decode_source("game.yaml", game.encode())).data
    stated = PatternContext(document=NAME, game=said if isinstance(said, dict) else {})
    return build_regulation(
        [
            *vocabulary,
            rule_file("document.yaml", DOCUMENT, Document),
            rule_file("readings.yaml", READINGS, ReadingFile),
            rule_file("game.yaml", game, Game, patterns, stated),
            rule_file("requirements/money.yaml", requirements, RequirementFile, patterns, stated),
        ]
    )


@cache
def regulation() -> Regulation:
    """Load the toy game."""
    return load()


def stake(wager: str, amount: int, paid: int | None = 0, taken: int | None = 0, **more: Any) -> dict[str, Any]:
    """Build a wager as in a log."""
    known = {"paid": paid, "taken": taken}
    return {
        "wager": wager,
        "amount": amount,
        **{key: value for key, value in known.items() if value is not None},
        **more,
    }


def gift(paid: int) -> dict[str, Any]:
    """Build a bonus that was paid."""
    return {"wager": "gift", "bonus": True, "paid": paid}


def seat(cards: str | None, *wagers: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Build a seat as in a log."""
    wagered = [wager for wager in wagers if not wager.get("bonus")]
    bonuses = [{"bonus": wager["wager"], "paid": wager["paid"]} for wager in wagers if wager.get("bonus")]
    known = {"cards": cards} if cards is not None else {}
    return {"decision": "stay", **known, "wagers": wagered, **({"bonuses": bonuses} if bonuses else {}), **more}


def round_of(*seats: dict[str, Any], meter: int | None = None, dealer: str = DEALER) -> dict[str, Any]:
    """Build a round as in a log."""
    meters = {} if meter is None else {"meters": [{"meter": "pot", "shown": meter}]}
    numbered = [{"seat": number, **seat} for number, seat in enumerate(seats, 1)]
    about = {"round": "R", "table": "T", "time": "2026-03-01T20:00:00Z", "game": NAME, "dealer": dealer}
    return {**about, "seats": numbered, **meters}


def submission(text: str = "") -> str:
    """Write a minimal submission and a text with more."""
    return f"submission: spring\nlicensee: {{name: House}}\ndocument: purse\neffective: 2026-01-01\n{text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Results of rounds: statuses by requirement for each round, and the texts of failures and gaps."""

    statuses: list[dict[str, Status]]
    said: list[tuple[str, str, str | None, str, str]]
    clauses: list[tuple[str, ...]]


def judge(
    *records: dict[str, Any],
    under: str | None = None,
    readings: Mapping[str, str] | None = None,
    of: Regulation | None = None,
) -> Judged:
    """Evaluate rounds by the toy game, under a submission if one is given."""
    read_as = of or regulation()
    read_as = replace(read_as, choices={**read_as.choices, **(readings or {})})
    numbered = [{**record, "round": f"R{number}"} for number, record in enumerate(records, 1)]
    batches, bad = decode_records(numbered, file="log", games={NAME})
    assert not bad, bad
    configuration = None if under is None else read_configuration(under)
    statuses: list[dict[str, Status]] = [{} for _ in records]
    found: list[Any] = []
    for batch in batches:
        for weighed in evaluate_batch(compile_game(read_as), batch, configuration):
            name = weighed.requirement.requirement
            for index, mark in zip((batch.line - 1).tolist(), weighed.status_codes.tolist(), strict=True):
                statuses[index][name] = STATUSES[mark]
            gap = weighed.find_gap()
            found += [*weighed.build_findings(), *([gap.first] if gap is not None else [])]
    said = [
        (
            finding.requirement.removeprefix("purse/"),
            finding.status.value,
            finding.where.wager,
            finding.expected,
            finding.observed,
        )
        for finding in found
    ]
    return Judged(statuses=statuses, said=said, clauses=[finding.clauses for finding in found])


def judge_posted(text: str) -> dict[str, tuple[str, list[tuple[str, str, str]]]]:
    """Return for each requirement its status for a submission, and its texts."""
    filed = file_submission(decode_source("house.yaml", submission(text).encode()))[0]
    return {
        verdict.requirement: (
            verdict.status.value,
            [(finding.where.pointer or "", finding.expected, finding.observed) for finding in verdict.findings],
        )
        for verdict in evaluate_submission(regulation(), filed)
    }


def dump(value: Any) -> str:
    """Write a value as YAML can hold it."""
    return json.dumps(value)
