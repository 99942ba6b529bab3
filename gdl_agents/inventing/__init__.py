"""New games, made of parts of known ones: drawn, screened, scored, and written as rule files."""
