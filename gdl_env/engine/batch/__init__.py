"""Many states of one game at a time."""
