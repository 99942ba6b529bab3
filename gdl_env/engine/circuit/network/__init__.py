"""From ground rules to a network of gates."""
