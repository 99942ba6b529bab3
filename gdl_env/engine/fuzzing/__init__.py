"""Random games on all engines, and mutated rule files on the parser and the checker."""
