"""One state at a time: recompute only what changed."""
