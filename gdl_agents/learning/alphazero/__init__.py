"""Tree search guided by a network that learns from its own games."""
