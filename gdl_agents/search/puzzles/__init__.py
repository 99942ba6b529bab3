"""Games of one player without chance: searched for a line of moves, from now to the end."""
