"""A process that has loaded what a node needs, and becomes that node on command.

    python -m gdl_env.gui.spare_worker env_node

It reads one line, the words of a command line as JSON, and then is what that command would start.
At the end of the input it ends.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
import json
import os
import signal
import sys

from gdl_env.environment.options import Options
from gdl_env.environment.warm_up import warm_up
from gdl_env.errors import GdlError
from gdl_env.language.load import open_game

ENVIRONMENT_NODE = 'env_node'
# A small game: its kernels are those of every game.
_SMALL = 'tictactoe'
# The agent that visitors meet first: its modules are those of most others.
_AGENT_GROUP, _USUAL_AGENT = 'gdl_env.agents', 'mcts'


def find_script(name: str) -> EntryPoint | None:
    """Return what an executable calls, if it is one of Python's."""
    return next(iter(entry_points(group='console_scripts', name=name)), None)


def _load_more(name: str) -> None:
    """Load what the node will need for any game; without it, it takes longer then."""
    with suppress(GdlError, OSError, ImportError):
        if name == ENVIRONMENT_NODE:
            warm_up(open_game(_SMALL), Options())
        else:
            for agent in entry_points(group=_AGENT_GROUP, name=_USUAL_AGENT):
                agent.load()


def main() -> int:
    """Load a node, wait, and be it."""
    # Whoever interrupts the server ends this by closing its input, unless it is a node by then.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    script = find_script(sys.argv[1])
    if script is None:
        return 1
    run = script.load()
    _load_more(sys.argv[1])
    line = sys.stdin.readline()
    if not line:
        return 0
    # As a node has it that was started for good.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    signal.signal(signal.SIGINT, before)
    sys.argv = [str(word) for word in json.loads(line)]
    result = run()
    return int(result or 0)


if __name__ == '__main__':
    sys.exit(main())
