"""Ground program → circuit of bitwise operations, one bit a game: many games at once."""
