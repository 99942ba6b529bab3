"""Plays by an evaluation that was evolved in games against itself."""

from __future__ import annotations

from collections.abc import Mapping
import json
from pathlib import Path
from typing import Any, ClassVar

from gdl_agents.errors import AgentError
from gdl_agents.search.alphabeta.linear import LinearEvaluation
from gdl_agents.search.players.alphabeta import AlphaBetaAgent
from gdl_agents.search.players.options import Value
from gdl_env.environment.protocol import MatchInfo

KIND = 'gdl evolution'


class EvolutionAgent(AlphaBetaAgent):
    """Plays by an evaluation that `gdl evolve` has found.

    It takes the move after which the evaluation likes the state best, `depth` moves ahead.
    The detail is the file that `gdl evolve` has written, and perhaps options after it:
    `runs/connect_four.json depth=3`.
    """

    name = 'evolution'
    defaults: ClassVar[Mapping[str, Value]] = {'depth': 1, 'time': 0.5, 'nodes': 0}

    def __init__(self, detail: str) -> None:
        """Read the file. Raises AgentError."""
        words = detail.replace(',', ' ').split()
        if not words or '=' in words[0]:
            raise AgentError(
                'agent evolution needs the file of what was evolved: evolution:runs/x.json;'
                ' make one with gdl evolve GAME'
            )
        super().__init__(' '.join(words[1:]))
        self._file = Path(words[0])
        content = read_evolved(self._file)
        self._game = str(content['game'])
        self._evaluation = LinearEvaluation(content['weights'], content['constants'])

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the rules. Raises AgentError if the file is of another game."""
        super().begin(info, roles, seed)
        if self._game != info.name:
            raise AgentError(f'{self._file} was evolved for {self._game}, not for {info.name}')


def read_evolved(path: Path) -> dict[str, Any]:
    """Return what a file of evolution holds. Raises AgentError."""
    try:
        content = json.loads(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise AgentError(f'{path} cannot be read: {error.strerror}') from error
    except ValueError as error:
        raise AgentError(f'{path} is no file of evolution: {error}') from error
    if not isinstance(content, dict) or content.get('kind') != KIND:
        raise AgentError(f'{path} is no file of evolution')
    return content
