"""Which submission, which waivers and which record of a round count."""
