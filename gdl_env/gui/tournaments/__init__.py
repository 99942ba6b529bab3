"""Tournaments: their files, their tables and ladders, their processes."""
