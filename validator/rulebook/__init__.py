"""Rule files: the words they may use, loading with positions, what cannot be meant.

Reading them asks for the whole rule language, so its operators are imported here.
"""

from validator import operators as operators
