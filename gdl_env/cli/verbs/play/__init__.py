"""Verbs that play, watch and start matches."""
