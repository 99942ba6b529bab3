"""Lanes as the circuit computes with them: one bit a lane."""
