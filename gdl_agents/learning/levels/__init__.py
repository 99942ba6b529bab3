"""Difficulty levels of a run: players of different strength, and how strong each is."""
