"""Players that learn; the only part of the package that knows PyTorch."""
