"""Every agent against every other."""
