"""A short example of every operator, for the reference page. A test reads each one with its model.

The names in them belong to no real game: wagers `main`, `raise` and `side`, a bonus `bonus`, hands `player` and
`dealer`.
"""

from __future__ import annotations

from collections.abc import Mapping

from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.submission.submission_operator_table import SUBMISSION_OPERATORS

OPERATOR_SAMPLES: Mapping[str, Mapping[str, str]] = {
    "Quantity": {key: quantity.sample for key, quantity in OPERATORS.quantities.items()},
    "Comparison": {key: bound.sample for key, bound in OPERATORS.comparisons.items()},
    "Condition": {
        key: condition.sample for key, condition in (*OPERATORS.conditions.items(), *Condition.SHORT_FORMS.items())
    },
    "Position": {
        "at": "{when: {number: {of: {players: dealt-in}, equals: 2}}, at: button}",
        "after": "{after: button}",
        "first-with": "{when: {not: {some-seat: {placed: ante}}}, first-with: main}",
        "last-with": "{when: {some-seat: {placed: ante}}, last-with: ante}",
        "best-showing": "{best-showing: open-cards}",
        "worst-showing": "{worst-showing: door-card}",
        "last-bettor": "{last-bettor: last-betting-round}",
    },
    "LeastRaise": {
        "at-least": "{at-least: {minimum: main}}",
        "as-last": "{when: {reading: {name: smallest-raise, is: last-raise}}, as-last: true}",
    },
    "OddTo": {
        "after": "{after: button}",
    },
    "Holds": {
        "at-least": "{hand: dealer, at-least: queen-high}",
        "is": "{hand: player, is: pair}",
    },
    "NumberStated": {
        "equals": "{equals: 52}",
        "differs-from": "{differs-from: 52}",
        "at-least": "{at-least: 10}",
        "at-most": "{at-most: 10}",
    },
    "Due": {
        "outcome": "{outcome: returned}",
        "odds": "{odds: 1 to 1}",
        "pay-table": "{pay-table: {of: main, hand: player, match: at-least}}",
    },
    "Value": {key: value.sample for key, value in SUBMISSION_OPERATORS.values.items()},
    "Counted": {key: count.sample for key, count in SUBMISSION_OPERATORS.counts.items()},
    "SubmissionCondition": {
        key: condition.sample
        for key, condition in (*SUBMISSION_OPERATORS.conditions.items(), *SubmissionCondition.SHORT_FORMS.items())
    },
    "Area": {
        "wager": "{wager: main, legend: Main wager}",
        "for": "{for: discards, legend: Discards, per: table}",
    },
    "SubmittedWaiver": {
        "clause": '{clause: "(2)", reason: Trial of a new shoe, by: The Commission, until: 2026-06-30}',
        "clauses": '{clauses: ["(2)", "(3)"], reason: Trial of a new shoe, by: The Commission}',
    },
    "Check": {
        "submitted": "{submitted: {must: {value: {at: deck.decks, equals: 1}}}}",
        "pay-tables": "{pay-tables: {for: side, match: exactly, one-of: [side-a, side-b]}}",
        "publications": "{publications: {for: [side, bonus]}}",
        "signs": "{signs: {show: odds, for: [side, bonus]}}",
        "rule": "{rule: {each: seat, when: {placed: raise}, must: {placed: main}}}",
        "settled": "{settled: {cases: [player-higher]}}",
        "capped": "{capped: {cap: payout-limit}}",
        "awarded": "{awarded: {asks: shares, when: {fact: played-out}}}",
        "sequence": "{sequence: {steps: [{step: shuffle, times: at-least-one}, {step: deal}]}}",
        "order": "{order: {milestones: [{at: {first: reveal}, before: [raise]}]}}",
        "phase": "{phase: {course: round, begins: reveal, of: [raise]}}",
        "dealt": "{dealt: {asks: turn}}",
        "same-order": "{same-order: {first: fold, then: collect}}",
        "drawn-by": "{drawn-by: {drawing: dealer, rules: [one-pair, no-pair]}}",
        "in-turn": "{in-turn: {steps: [settle, rack], from: dealer-right}}",
        "turns": "{turns: {step: reveal, starting: [button]}}",
        "every": "{every: {step: count, within: {rounds: 5}}}",
        "succession": "{succession: {deck: other}}",
        "needed": "{needed: {per: deck, since: [table-opens, round-dealt], steps: [shuffle], before: deal}}",
        "alike": "{alike: {at: options.version, among: licensee}}",
        "attested": "{attested: {statement: Dealers are trained., by: general manager}}",
    },
    "Within": {
        "rounds": "{rounds: 5}",
        "blocks-of": "{blocks-of: 5}",
        "hours": "{hours: 8}",
    },
    "EveryCheck": {
        "happens": "{happens: {number: {of: {events: count}, at-least: 1}}, within: {blocks-of: 5}}",
        "step": "{step: count, within: {hours: 8}, of-each: deck, counts: {fact: regular}, when: {offered: side}}",
    },
    "SuccessionCheck": {
        "deck": "{deck: other, received: opened, removed: taken-away, when: {option: {name: second-deck, is: true}}}",
        "number": "{number: {of: {events: shuffle}, at-least: {events: cut}}}",
        "must": "{each: player, must: {number: {of: {stack: start}, equals: {previous: {stack: after}}}}}",
    },
    "StakeFault": {
        "more": "{wager: raise, more: 500}",
        "less": "{wager: raise, less: 500}",
        "above-maximum": "{wager: main, above-maximum: 100}",
        "removed": "{wager: main, removed: true}",
        "added": "{wager: side, added: 500}",
        "tipped": "{wager: side, tipped: 100}",
        "renamed": "{wager: side, renamed: unknown-wager}",
    },
    "Moment": {
        "first": "{first: reveal}",
        "last": "{last: [settle, rack]}",
    },
    "Move": {
        "before": "{step: reveal, before: decision}",
        "after": "{step: shuffle, after: deal}",
    },
    "Insert": {
        "before": "{step: misdeal, before: deal}",
        "after": "{step: misdeal, after: deal, times: 2}",
    },
    "Fault": {
        "pay": "{upon: {where: {decided: fold}, stake: {wager: raise, added: 500}}, pay: over}",
        "stake": "{stake: {wager: raise, more: 500}}",
        "stack": "{stack: 30100}",
        "seats": "{seats: 1}",
        "hands-of-one": "{hands-of-one: 3}",
        "decision": "{where: {decided: fold}, decision: none}",
        "other-decision": "{other-decision: double}",
        "card": "{card: repeated}",
        "act": "{act: {out-of-turn: true}}",
        "award": "{award: {short: 100}}",
        "rake": "{rake: {more: 100}}",
        "miscount": "{miscount: {place: player, more: 1}}",
        "between": "{between: {button: stays}}",
        "dealt": "{dealt: otherwise}",
        "omit": "{following: {some-seat: {decided: fold}}, omit: shuffle}",
        "expose": "{expose: card-shown}",
        "insert": "{insert: {step: misdeal, after: deal}}",
        "move": "{move: {step: reveal, before: decision}}",
        "swap": "{swap: deal}",
        "alter": "{alter: {step: deal, face: up}}",
        "discard": "{where: {placed: raise}, discard: {place: player, cards: 3}}",
        "draw": "{draw: {place: dealer, more: 1}}",
        "meter": "{meter: {name: jackpot, more: 500}}",
        "deck": "{deck: same}",
        "withdraw": "{withdraw: {step: withdrawal, wager: main, amount: 50, after: deal}}",
    },
    "ActFault": {
        "omitted": "{omitted: true, rounds: [on-the-river]}",
        "added": "{added: true}",
        "folded": "{folded: true}",
        "dealt-on": "{dealt-on: true}",
        "out-of-turn": "{out-of-turn: true}",
        "decision": "{decision: fold, manner: {as: call, say: decision}}",
        "less": "{less: 100}",
        "more": "{more: 100, manner: {say: total}}",
        "passes-for": "{passes-for: check}",
        "puts-in": "{puts-in: 30100}",
        "below-smallest": "{below-smallest: true}",
        "more-than-stack": "{more-than-stack: 100}",
    },
    "AwardFault": {
        "wrong-seat": "{wrong-seat: true}",
        "short": "{short: 100}",
    },
    "RakeFault": {
        "more": "{more: 100}",
        "less": "{less: 100}",
    },
    "BetweenFault": {
        "button": "{button: stays}",
        "missing": "{missing: 100}",
        "pocketed": "{pocketed: 100}",
        "buys": "{buys: 1900}",
    },
    "MiscountFault": {
        "more": "{place: player, more: 1}",
        "less": "{place: community, less: 1}",
    },
    "Size": {
        "times": "{of: {betting: last-raise}, times: [1, 4]}",
        "between": "{of: {betting: pot}, between: [300, 1000]}",
    },
    "EarlierFault": {
        "stake": "{where: {decided: fold}, stake: {wager: raise, added: 500}}",
        "decision": "{decision: none}",
        "stack": "{stack: 40000}",
    },
    "WithdrawFault": {
        "before": "{step: withdrawal, wager: main, amount: 50, before: settle}",
        "after": "{step: withdrawal, wager: main, amount: 50, after: deal}",
    },
    "MeterFault": {
        "more": "{name: jackpot, more: 500}",
        "less": "{name: jackpot, at: shown, less: 500}",
    },
    "Discarding": {
        "drawing": "{drawing: house, when: {placed: raise}, chance: 800}",
        "cards": "{cards: 2}",
    },
    "Occurrence": {
        "chance": "{chance: 1, steps: [count], when: {not: {fact: void}}, states: 51}",
        "opening": "{opening: true, steps: [deck-opened], of: each-deck, before: shuffle}",
        "rounds": "{rounds: 5, steps: [count], after: settle}",
        "hours": "{hours: 8, steps: [deck-opened]}",
        "following": "{following: {some-seat: {decided: fold}}, steps: [deck-opened]}",
    },
}
"""Examples as flow YAML, by the name of the model and the operator as it is written."""
