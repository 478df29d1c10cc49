"""Reports: each output is rendered from `Results` alone; `render` names them."""
