"""From a network to a tape of operations, and running it."""
