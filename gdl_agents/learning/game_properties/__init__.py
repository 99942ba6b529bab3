"""Properties of a game that are derived from its rules."""
