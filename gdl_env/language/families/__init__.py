"""Families of games: options, and the rules that one choice of them leaves."""
