"""Executables whose node must not be imported at once: aliases of `agent_node`, and learners."""

from __future__ import annotations

from pathlib import Path
import sys
from typing import NoReturn

from gdl_agents.ros.agent_node import run_agent
from gdl_env.requirements import OF_EXECUTABLES, MissingPackageError, require
from gdl_env.ros.run_node import leave


def run_alias() -> NoReturn:
    """Run the agent that this program is named after, such as `mcts_agent`."""
    leave(run_agent(Path(sys.argv[0]).stem.removesuffix('_agent')))


def learner_node() -> int:
    """Learn from a match while playing it."""
    if not _has_packages('learner_node'):
        return 1
    from gdl_agents.ros.learning.learner_node import main

    leave(main())


def evaluator_node() -> int:
    """Evaluate every policy that is published."""
    if not _has_packages('evaluator_node'):
        return 1
    from gdl_agents.ros.learning.evaluator_node import main

    leave(main())


def _has_packages(executable: str) -> bool:
    """Whether an executable can import what it needs; if not, say what is missing."""
    try:
        require(executable, *OF_EXECUTABLES[executable])
    except MissingPackageError as error:
        sys.stderr.write(f'{error}\n')
        return False
    return True
