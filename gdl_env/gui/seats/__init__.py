"""Roles that people play: who has which, here and on the graph."""
