"""States consistent with what a role has seen."""
