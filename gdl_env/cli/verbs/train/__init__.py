"""Verbs that train players and compare them."""
