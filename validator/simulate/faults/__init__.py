"""What breaks a round: one function a kind of fault."""
