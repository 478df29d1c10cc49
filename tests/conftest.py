"""What holds for every test: none reads or writes the cache of the user who runs it."""

from __future__ import annotations

import os

os.environ["FAIRDEAL_CACHE"] = "off"
