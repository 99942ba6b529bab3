"""Compiled loops of the players that think ahead."""
