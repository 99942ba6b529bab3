"""Engines: what a state is, what may be done in it and what follows."""
