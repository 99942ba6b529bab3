"""Verbs that test rules and engines."""
