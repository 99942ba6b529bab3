"""From pixels to pieces: what a camera above the board sees."""
