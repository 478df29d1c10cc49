"""`python -m tools.site`: build the documentation into `out/site`, strictly."""

from __future__ import annotations

import logging
import sys

from properdocs.exceptions import Abort

from fairdeal.cli.generate import ROOT
from tools.site.build import build_site

if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    out = ROOT / "out"
    try:
        print(f"{build_site(out / 'pages', out / 'site')} pages: {out / 'site' / 'index.html'}")
    except Abort as abort:
        sys.exit(str(abort))
