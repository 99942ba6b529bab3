"""Verbs for authors of games."""
