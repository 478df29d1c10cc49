"""Models of conditions on submissions, and of the checks that use them."""
