"""A web page to attach to any match: watch it, play in it, train for it."""
