"""Data sets of positions and games, for learning (doc/data.md)."""
