"""Games that were played: their moves, results, files, and what can be learned from them."""
