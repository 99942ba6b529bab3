"""Sequence players: LSTM and transformer on what a player did, and what changed since."""
