"""Whole random games inside the circuit."""
