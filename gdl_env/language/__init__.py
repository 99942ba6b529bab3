"""The language: text → terms → rules, what is wrong with them, and their canonical layout."""
