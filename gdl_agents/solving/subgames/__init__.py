"""The game from some moment on, solved while it is played."""
