"""The first-order engine: the rules of a game, compiled to C++ as they are, without grounding."""
