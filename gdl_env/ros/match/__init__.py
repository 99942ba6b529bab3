"""Asking an environment for episodes, and showing how they went."""
