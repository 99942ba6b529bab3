"""Recorded matches: writing, reading, replaying."""
