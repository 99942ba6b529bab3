"""All histories of a game, and what each role knows in them."""
