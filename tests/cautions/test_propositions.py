"""Formulas compared with all values of their variables, tried one by one."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.engine.core.propositions import (
    CellValues,
    Formula,
    Junction,
    Variable,
    conjoin,
    disjoin,
    find_example,
    iterate_atoms,
    make_atom,
    may_be_true,
    negate,
)

VARIABLES = [
    Variable(key=name, low=low, high=high, describe=str) for name, low, high in (("a", 0, 2), ("b", -1, 2), ("c", 0, 9))
]
SPAN = st.tuples(st.integers(-2, 10), st.integers(-2, 10))
ATOM = st.builds(make_atom, st.sampled_from(VARIABLES), st.lists(SPAN, max_size=3))
FORMULA: st.SearchStrategy[Formula] = st.recursive(
    ATOM,
    lambda inner: st.one_of(
        st.builds(negate, inner),
        st.builds(conjoin, st.lists(inner, max_size=4)),
        st.builds(disjoin, st.lists(inner, max_size=4)),
    ),
    max_leaves=12,
)


def evaluate(formula: Formula, values: dict[object, int]) -> bool:
    """Return whether a formula is true of values."""
    if isinstance(formula, bool):
        return formula
    if isinstance(formula, Junction):
        return (all if formula.is_conjunction else any)(evaluate(part, values) for part in formula.parts)
    return any(low <= values[formula.variable.key] < high for low, high in formula.spans)


def everything() -> list[dict[object, int]]:
    spans = (range(variable.low, variable.high) for variable in VARIABLES)
    return [dict(zip("abc", values, strict=True)) for values in product(*spans)]


def anything(_: CellValues) -> bool:
    return True


@given(FORMULA)
def test_something_is_found_where_there_is_something(formula: Formula) -> None:
    there = [values for values in everything() if evaluate(formula, values)]
    assert may_be_true(formula, anything) == bool(there)
    found = find_example(formula, anything)
    assert (found is not None) == bool(there)
    if found is not None:  # what is left out of an example does not matter, and what is in it does
        within = [
            values
            for values in everything()
            if all(low <= values[key] < high for key, (_, (low, high)) in found.items())
        ]
        assert within and all(evaluate(formula, values) for values in within)


@given(FORMULA)
def test_a_denial_is_true_of_all_else(formula: Formula) -> None:
    assert all(evaluate(negate(formula), values) is not evaluate(formula, values) for values in everything())
    assert {atom.variable.key for atom in iterate_atoms(formula)} <= {"a", "b", "c"}


@given(FORMULA)
def test_values_that_cannot_go_together_are_no_example(formula: Formula) -> None:
    def may_go_together(values: CellValues) -> bool:
        return not {"a", "b"} <= set(values) or values["a"][1][0] == 0

    found = find_example(formula, may_go_together)
    assert found is None or may_go_together(found)
