"""The reference engine: GDL as a readable Prolog program, run by SWI-Prolog."""
