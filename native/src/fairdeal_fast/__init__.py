"""The compiled scanner of fairdeal's hand logs. It is called by fairdeal, which holds what it does in Python too."""

from pathlib import Path

VERSION = "0.1.0"
LIBRARY = str(Path(__file__).with_name("scan.so"))
"""The shared library; `fairdeal_interface` in it says how its functions are called."""
