"""Alpha-beta search and its evaluations."""
