"""Types for a game that has none, from the values that can occur, as rules an author can take."""
