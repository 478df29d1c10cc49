"""Submissions, waivers and records that apply to each round."""
