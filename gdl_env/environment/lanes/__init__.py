"""N copies of a game: their states, and ticks of them."""
