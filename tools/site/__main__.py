"""`python -m tools.site [TEXTS]`: build the documentation into `out/site`, strictly; clauses are quoted from TEXTS."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from properdocs.exceptions import Abort

from tools.generated_files.__main__ import ROOT
from tools.site.build import build_site

if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    out = ROOT / "out"
    texts = Path(sys.argv[1]) if sys.argv[1:] else None
    try:
        print(f"{build_site(out / 'pages', out / 'site', texts)} pages: {out / 'site' / 'index.html'}")
    except Abort as abort:
        sys.exit(str(abort))
