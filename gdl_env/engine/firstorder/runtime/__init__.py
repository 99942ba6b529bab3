"""The C++ parts that stand around the rules of every game."""
