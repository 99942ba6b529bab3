"""What a launch starts, as data, and running it."""
