"""Games of a run that others play: in processes, or on other machines."""
