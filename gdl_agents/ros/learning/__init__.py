"""Learning on the graph: learners, evaluators, and policies that travel on a topic."""
