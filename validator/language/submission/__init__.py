"""Words for what submissions state: conditions on values and lists, and the checks that ask for them."""
