"""The environment on the graph."""
