"""Runs of learning agents: their files, their curves, their processes."""
