"""How good positions are, and their best moves: by any search, or by what was learned."""
