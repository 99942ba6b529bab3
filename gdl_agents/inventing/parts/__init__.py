"""The parts of an invented game: each writes its rules, and says in words what they are."""
