"""The executables of agents: one function each."""

from __future__ import annotations

from collections.abc import Callable
import sys

from gdl_agents.ros.agent_node import AgentNode
from gdl_env.errors import GdlError
from gdl_env.ros import spinning


def run_agent(name: str, make: Callable[[str], AgentNode] = AgentNode) -> int:
    """Run a node for an agent of the registry, or for a class of one's own; return an exit code.

    A whole program for one's own agent is `sys.exit(run_agent('my_module:MyAgent'))`.
    """
    try:
        node = spinning.run(lambda: make(name), lambda node: node.exit_code is not None)
    except GdlError as error:
        sys.stderr.write(f'{error}\n')
        return 1
    return node.exit_code or 0


def random_agent() -> int:
    """Play any legal move."""
    return run_agent('random')


def legal_agent() -> int:
    """Play the first legal move."""
    return run_agent('legal')


def human_agent() -> int:
    """Let a person play at the terminal."""
    return run_agent('human')


def external_agent() -> int:
    """Let a program play over JSON lines."""
    return run_agent('external')


def uci_agent() -> int:
    """Let a chess engine play."""
    return run_agent('uci')


def lookahead_agent() -> int:
    """Win at once if possible, avoid what loses at once, else play any move."""
    return run_agent('lookahead')


def tactical_agent() -> int:
    """Take a win, block a loss, else play any move."""
    return run_agent('tactical')


def alphabeta_agent() -> int:
    """Search by alpha-beta with iterative deepening."""
    return run_agent('alphabeta')


def mcts_agent() -> int:
    """Search by Monte-Carlo tree search."""
    return run_agent('mcts')


def montecarlo_agent() -> int:
    """Search by flat Monte-Carlo playouts."""
    return run_agent('montecarlo')


def ismcts_agent() -> int:
    """Search over what is consistent with what was seen."""
    return run_agent('ismcts')


def evolution_agent() -> int:
    """Play by an evaluation that evolved."""
    return run_agent('evolution')


def alphazero_agent() -> int:
    """Search with a learned policy and value."""
    return run_agent('alphazero')


def dqn_agent() -> int:
    """Play what DQN has learned, or is learning."""
    return _run_trained('dqn')


def rainbow_agent() -> int:
    """Play what Rainbow has learned, or is learning."""
    return _run_trained('rainbow')


def learning_agent() -> int:
    """Learn while playing, without a run."""
    return run_agent('gdl_agents.learning.learning_agent:LearningAgent')


def _run_trained(name: str) -> int:
    # Only here: other agents do without PyTorch.
    from gdl_agents.ros.policy_node import PolicyNode

    return run_agent(name, PolicyNode)
