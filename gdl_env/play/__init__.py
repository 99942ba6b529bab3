"""Rules of play, each once: whose turn it is, who sees what, chance, who has won."""
