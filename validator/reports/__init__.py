"""Reports in every output format, each rendered from `Results` alone; `outputs` names them."""
