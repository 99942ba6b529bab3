"""Players for games in the Game Description Language.

An agent decides from what its role may see and never touches the rules engine of a running match.
Agents know ``gdl_env`` up to its environment layer; only ``gdl_agents.ros`` knows the middleware.
"""
