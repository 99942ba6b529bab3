"""Magnetic mirror descent: players that mix their moves, and remember."""
