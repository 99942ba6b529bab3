"""Players that neither search nor learn: random, legal, people, other programs."""
