"""Conditions on what was chosen: by the licensee, as submitted, and by whoever reads the text."""

from __future__ import annotations

import numpy as np

from validator.arrays import Tri
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.engine.submission.conditions import View, answer
from validator.rules.conditions.particulars import OptionIs, ReadingIs
from validator.rules.conditions.submission import SubmissionCondition
from validator.rules.core.grain import Grain


def is_offered(scope: Scope, line: str, grain: Grain) -> Tri:
    """Whether the house offers a wager, or each stake's own."""
    offers = None if scope.configuration is None else scope.configuration.offers
    if offers is None:
        return kleene.constant(UNKNOWN, scope.length(grain))
    if line != "this":
        return kleene.constant(YES if line in offers else NO, scope.length(grain))
    wager = scope.batch.stakes.wager
    return kleene.known(np.array([name in offers for name in wager.names], bool)[wager.codes])


def takes_tips(scope: Scope, line: str, grain: Grain) -> Tri:
    """Whether tips are taken on a wager, or on each stake's own."""
    offers = {} if scope.configuration is None else scope.configuration.offers or {}

    def stated(name: str) -> int:
        taken = offers[name].tips if name in offers else None
        return UNKNOWN if taken is None else YES if taken else NO

    if line != "this":
        return kleene.constant(stated(line), scope.length(grain))
    wager = scope.batch.stakes.wager
    return np.array([stated(name) for name in wager.names], np.uint8)[wager.codes]


def option_is(scope: Scope, operand: OptionIs, grain: Grain) -> Tri:
    """Whether a choice of the licensee is the one asked for."""
    options = {} if scope.configuration is None else scope.configuration.options
    if operand.name not in options:
        return kleene.constant(UNKNOWN, scope.length(grain))
    return kleene.constant(YES if options[operand.name] == operand.is_ else NO, scope.length(grain))


def view_of(scope: Scope, configuration: Configuration) -> View:
    """The submission in force, as conditions on submissions look at it."""
    return View(data=configuration.data, regulation=scope.prepared.regulation, day=configuration.effective)


def is_submitted(scope: Scope, operand: SubmissionCondition, grain: Grain) -> Tri:
    """Whether a statement holds of the submission in force."""
    if scope.configuration is None:
        return kleene.constant(UNKNOWN, scope.length(grain))
    view = view_of(scope, scope.configuration)
    return kleene.constant(answer(view, operand).value, scope.length(grain))


def reading_is(scope: Scope, operand: ReadingIs, grain: Grain) -> Tri:
    """Whether an option of a reading is in force."""
    applies = scope.prepared.regulation.applies(operand.name, operand.is_)
    return kleene.constant(YES if applies else NO, scope.length(grain))
