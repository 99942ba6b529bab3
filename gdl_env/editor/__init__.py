"""The language server: what editors show of a rule file while its author writes it."""
