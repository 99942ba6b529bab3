"""A match as searchers see it: states, children, random games."""
