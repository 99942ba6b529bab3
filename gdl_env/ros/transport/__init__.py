"""Messages, their bytes, and how topics travel."""
