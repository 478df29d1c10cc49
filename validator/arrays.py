"""NumPy at its first use, types of arrays by their content, and functions on arrays that every part uses.

Submissions and rule files are read where NumPy is not installed. Modules that those commands import take `np` from
here; modules that only rounds need import NumPy themselves (ADR 0049).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    np = numpy
else:

    class DeferredModule(ModuleType):
        """Module that is imported when one of its names is first used."""

        def __getattr__(self, name: str) -> Any:
            """Import the module, and keep the name so that each further use is a plain lookup."""
            value = getattr(import_module(self.__name__), name)
            setattr(self, name, value)
            return value

    np = DeferredModule("numpy")

__all__ = ["np"]  # the one name that is imported here for others

Number = TypeVar("Number", bound="np.integer")
Item = TypeVar("Item", bound="np.generic")
Params = ParamSpec("Params")
Arrays = TypeVar("Arrays", bound="NDArray[Any] | tuple[NDArray[Any], ...]")

Ints: TypeAlias = "NDArray[np.int64]"
"""Amounts in minor currency units, counts, and indices for arithmetic."""
Ints32: TypeAlias = "NDArray[np.int32]"
"""Rows of tables, codes of names, strengths of hands."""
Ints16: TypeAlias = "NDArray[np.int16]"
"""Small counts."""
Ints8: TypeAlias = "NDArray[np.int8]"
"""Very small numbers: seats of a table, kinds, optional answers."""
Indices: TypeAlias = "NDArray[np.intp]"
"""Positions as NumPy returns them."""
Codes: TypeAlias = "NDArray[np.uint8]"
"""Numbers that encode names or choices; a list next to the array resolves them."""
Cards: TypeAlias = "NDArray[np.uint8]"
"""Card codes."""
Truths: TypeAlias = "NDArray[np.uint8]"
"""Truth values: 0 is no, 1 unknown, 2 yes."""
Statuses: TypeAlias = "NDArray[np.uint8]"
"""Statuses of a requirement, by `audit.statuses.status_codes`."""
Identities: TypeAlias = "NDArray[np.uint64]"
"""Hashes that identify names without storing them."""
Flags: TypeAlias = "NDArray[np.bool_]"
"""Booleans."""
Reals: TypeAlias = "NDArray[np.float64]"
"""Means and probabilities; also counts in matrix products, which are exact below 2^53."""
Bits32: TypeAlias = "NDArray[np.uint32]"
"""Sets of up to 32 items, one bit each."""
Bits64: TypeAlias = "NDArray[np.uint64]"
"""Sets of up to 64 items, one bit each."""

Bounds: TypeAlias = tuple[Ints, Ints]
"""Least and largest possible value of each number; the same array twice if all are known (`engine.core.kleene`)."""
Column: TypeAlias = tuple[str, "NDArray[Any]"]
"""Name of a part of a statement, and what rounds or seats show of it."""

ABSENT = -1
"""Missing value among numbers that are never negative: no amount recorded, no seat, no name, or an unknown strength."""


def make_read_only(compute: Callable[Params, Arrays]) -> Callable[Params, Arrays]:
    """Make the arrays that a function returns read-only, so that a cache can hand the same ones to all callers."""

    @wraps(compute)
    def compute_read_only(*args: Params.args, **named: Params.kwargs) -> Arrays:
        result = compute(*args, **named)
        for array in result if isinstance(result, tuple) else (result,):
            array.flags.writeable = False
        return result

    return compute_read_only


def has_numpy() -> bool:
    """Return whether NumPy is installed, so that rounds can be evaluated."""
    return find_spec("numpy") is not None


def find_true(flags: NDArray[Any]) -> Ints:
    """Return the indices of the items that are not zero. On few items this takes a tenth of `np.flatnonzero`."""
    return flags.nonzero()[0]


def has_any(flags: NDArray[Any]) -> bool:
    """Return whether any item is not zero. On few items this takes a quarter of the method `any`."""
    return bool(np.count_nonzero(flags))


def are_all(flags: NDArray[Any]) -> bool:
    """Return whether all items are not zero, as `has_any`."""
    return int(np.count_nonzero(flags)) == flags.size


def look_up(values: NDArray[Item], indices: NDArray[Any], missing: Any) -> NDArray[Item]:
    """Return the values at indices, and `missing` where an index is ABSENT."""
    return np.append(values, values.dtype.type(missing)).take(indices)


def flag_items(indices: NDArray[Any], count: int) -> Flags:
    """Return which of some items occur among indices. ABSENT is the index of none.

    Returns:
        bool[count].
    """
    result = np.zeros(count + 1, bool)
    result[indices] = True
    return result[:-1]


_FEW_OTHERS = 16
"""Most numbers that `is_one_of` compares one at a time."""


def is_one_of(numbers: NDArray[Any], others: Sequence[int] | NDArray[Any]) -> Flags:
    """Return which numbers are among others. On few others this takes a fraction of `np.isin`.

    Returns:
        bool[n].
    """
    if len(others) > _FEW_OTHERS:
        return np.isin(numbers, others)
    result: Flags = np.zeros(numbers.shape, bool)
    for other in others:
        result |= numbers == other
    return result


def find_distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """Return the distinct numbers in ascending order.

    `np.unique` would import masked arrays, which takes as long as checking a round.
    """
    rising = np.sort(numbers)
    fresh = np.ones(len(rising), bool)
    fresh[1:] = rising[1:] != rising[:-1]
    return rising[fresh]


def make_offsets(counts: NDArray[Any]) -> Ints:
    """Return where the entries of each list begin, and where the last list ends, from the lengths of the lists.

    Returns:
        int64[n + 1], the sum of the counts before each list, and of all.
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def list_owners(counts: NDArray[Any]) -> Ints32:
    """Return the list that each entry belongs to, from the lengths of the lists.

    Returns:
        int32[entries].
    """
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def number_items(counts: NDArray[Any]) -> Ints:
    """Return the number of each entry in its list, counted from 0, from the lengths of the lists.

    Returns:
        int64[entries].
    """
    offsets = make_offsets(counts)
    return np.arange(offsets[-1]) - offsets[:-1].repeat(counts)


def is_among(numbers: Ints, others: Ints) -> Flags:
    """Return which numbers occur among others.

    Unlike `np.isin`, this function imports no masked arrays, and numbers far apart do not slow it down.

    Returns:
        bool[n].
    """
    rising = np.append(np.sort(others), np.iinfo(np.int64).max)
    return rising[np.searchsorted(rising[:-1], numbers)] == numbers


_FEW = 64
"""Most distinct numbers that are searched one at a time; beyond this, sorting all is faster."""


def group_equal(numbers: Ints) -> tuple[Ints, Ints]:
    """Group equal numbers. The groups are in no particular order; few groups are fastest.

    Returns:
        int64[k], the index of one number of each group; int64[n], the group of each number.
    """
    result, rest = np.empty(len(numbers), np.int64), np.arange(len(numbers))
    examples: list[int] = []
    while len(rest):
        if len(examples) == _FEW:
            _, first, result = np.unique(numbers, return_index=True, return_inverse=True)
            return first, result.reshape(-1)
        same = numbers.take(rest) == numbers[rest[0]]
        result[rest.compress(same)] = len(examples)
        examples.append(int(rest[0]))
        rest = rest.compress(~same)
    return np.array(examples, np.int64), result


def mix_numbers(numbers: Identities) -> Identities:
    """Return a pseudo-random number for each number, by the finalizer of SplitMix64; distinct numbers stay distinct.

    Returns:
        uint64[n].
    """
    with np.errstate(over="ignore"):
        mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        result: Identities = mixed ^ (mixed >> np.uint64(31))
    return result
