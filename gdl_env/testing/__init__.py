"""Conformance checks for games, agents and engines of your own.

Each returns nothing if all is well, and raises ConformanceError with what is wrong and where.
Call them from your own tests: doc/testing.md has an example of each.
"""

from gdl_env.testing.agents import check_agent
from gdl_env.testing.engines import check_engine
from gdl_env.testing.errors import ConformanceError
from gdl_env.testing.games import check_game

__all__ = ['ConformanceError', 'check_agent', 'check_engine', 'check_game']
