"""Rule files: their vocabulary, loading with positions, semantic checks.

Reading them needs the whole rule language, so its operators are imported here.
"""

from fairdeal.validator import operators as operators
