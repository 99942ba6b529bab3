"""The games there are, as people choose them."""
