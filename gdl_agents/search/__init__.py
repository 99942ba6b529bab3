"""Players that think ahead: they rebuild the game from its rules and try moves out."""
