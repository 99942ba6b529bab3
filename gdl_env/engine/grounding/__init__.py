"""Rules → ground program: every rule instance that can ever matter, as arrays of numbers."""
