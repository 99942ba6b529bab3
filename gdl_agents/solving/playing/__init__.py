"""What solving found, kept on disk and played."""
