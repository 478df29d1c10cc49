"""A small example of every operator, for the reference page. A test reads each one with its model.

The names in them are those of no real game: wagers `main`, `raise` and `side`, a bonus `bonus`, hands
`player` and `dealer`.
"""

from __future__ import annotations

from collections.abc import Mapping

SAMPLES: Mapping[str, Mapping[str, str]] = {
    "Quantity": {
        "exactly": "{exactly: 2}",
        "amount": "{amount: main}",
        "tip": "{tip: main}",
        "minimum": "{minimum: this}",
        "maximum": "{maximum: main}",
        "cards": "{cards: dealer}",
        "hands-of-player": "{hands-of-player: so-far}",
        "events": "{events: reveal}",
        "times": "{times: {by: 3, of: {amount: main}}}",
    },
    "Comparison": {
        "equals": "{of: {amount: raise}, equals: {amount: main}}",
        "differs-from": "{of: {cards: player}, differs-from: 3}",
        "at-least": "{of: {amount: this}, at-least: {minimum: this}}",
        "at-most": "{of: {hands-of-player: so-far}, at-most: 2}",
        "more-than": "{of: {events: reveal}, more-than: 0}",
    },
    "Holds": {
        "at-least": "{hand: dealer, at-least: queen-high}",
        "is": "{hand: player, is: pair}",
    },
    "Condition": {
        "all": "{all: [{placed: main}, {not: {decided: fold}}]}",
        "any": "{any: [{placed: main}, {placed: side}]}",
        "not": "{not: {decided: fold}}",
        "fact": "{fact: dealer-qualifies}",
        "placed": "{placed: main}",
        "tipped": "{tipped: main}",
        "decided": "{decided: fold}",
        "decision-is-open": "{decision-is-open: true}",
        "holds": "{holds: {hand: player, at-least: pair}}",
        "compare": "{compare: {hand: player, is: higher, to: dealer}}",
        "number": "{number: {of: {cards: player}, equals: 3}}",
        "some-seat": "{some-seat: {decided: fold}}",
        "every-seat": "{every-seat: {placed: main}}",
        "wager-is": "{wager-is: [main, side]}",
        "is-tip": "{is-tip: true}",
        "cards-from-deck": "{cards-from-deck: true}",
        "takes-tips": "{takes-tips: this}",
        "offered": "{offered: side}",
        "option": "{option: {name: second-deck, is: true}}",
        "reading": "{reading: {name: after-a-fold, is: lost}}",
        "event": "{event: {face: down, by: dealer}}",
    },
    "Due": {
        "outcome": "{outcome: returned}",
        "odds": "{odds: 1 to 1}",
        "pay-table": "{pay-table: bonus}",
    },
    "Value": {
        "equals": "{at: deck.decks, equals: 1}",
        "equals-value": "{at: .wager, equals-value: ..wager}",
        "equals-list": "{at: hand-order, equals-list: [straight, flush, pair]}",
        "one-of": "{at: dealing, one-of: [singly, in-packets]}",
        "at-least": "{at: layout.positions, at-least: 1}",
        "at-most": "{at: hands-per-player, at-most: 2}",
        "at-most-value": "{at: .minimum, at-most-value: .maximum}",
        "includes": "{at: .posted, includes: layout}",
    },
    "SubmissionCondition": {
        "all": "{all: [{given: deck}, {value: {at: deck.decks, equals: 1}}]}",
        "any": "{any: [{given: layout}, {given: equipment}]}",
        "not": "{not: {value: {at: equipment.shoe, equals: none}}}",
        "value": "{value: {at: deck.cards, equals: standard-52}}",
        "given": "{given: hand-order}",
        "every": "{every: {in: wagers, must: {given: .minimum}}}",
        "some": "{some: {in: wagers, where: {value: {at: .wager, equals: main}}}}",
        "distinct": "{distinct: {in: pay-tables, by: .pays}}",
        "reading": "{reading: {name: tables-a-wager, is: one}}",
    },
    "Check": {
        "submitted": "{submitted: {must: {value: {at: deck.decks, equals: 1}}}}",
        "pay-tables": "{pay-tables: {for: side, match: exactly, one-of: [side-a, side-b]}}",
        "rule": "{rule: {each: seat, when: {placed: raise}, must: {placed: main}}}",
        "settled": "{settled: {cases: [player-higher]}}",
        "sequence": "{sequence: {steps: [{step: shuffle, times: at-least-one}, {step: deal}]}}",
        "dealt": "{dealt: {step: deal}}",
        "same-order": "{same-order: {first: fold, then: collect}}",
        "every": "{every: {step: count, within: {rounds: 5}}}",
        "succession": "{succession: {deck: other}}",
        "needed": "{needed: {per: deck, since: [table-opens, round-dealt], steps: [shuffle], before: deal}}",
        "alike": "{alike: {at: options.version, among: licensee}}",
        "unchanged": "{unchanged: {in: pay-tables, by: .pays, at: .rows}}",
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
        "deck": "{deck: other, when: {option: {name: second-deck, is: true}}}",
        "number": "{number: {of: {events: shuffle}, at-least: {events: cut}}}",
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
    "Move": {
        "before": "{step: reveal, before: decision}",
        "after": "{step: shuffle, after: deal}",
    },
    "Insert": {
        "before": "{step: misdeal, before: deal}",
        "after": "{step: misdeal, after: deal}",
    },
    "Fault": {
        "pay": "{pay: over}",
        "stake": "{stake: {wager: raise, more: 500}}",
        "hands-of-one": "{hands-of-one: 3}",
        "decision": "{where: {decided: fold}, decision: none}",
        "card": "{card: repeated}",
        "omit": "{omit: shuffle}",
        "insert": "{insert: {step: misdeal, after: deal}}",
        "move": "{move: {step: reveal, before: decision}}",
        "swap": "{swap: deal}",
        "alter": "{alter: {step: deal, face: up}}",
    },
}
"""Examples as flow YAML, by the name of the model and the operator as it is written."""
