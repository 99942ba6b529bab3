"""Runs: options, opponents, evaluation, levels, files."""
