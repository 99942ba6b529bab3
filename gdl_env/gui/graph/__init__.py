"""The graph of nodes: which matches it has, who publishes what, and how often."""
