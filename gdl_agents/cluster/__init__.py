"""Jobs that do not depend on each other, run by worker processes here or on a cluster."""
