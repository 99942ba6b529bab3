"""Bags and recordings of matches."""
