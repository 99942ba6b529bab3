"""Exact solutions of small games: equilibria, values, best responses."""
