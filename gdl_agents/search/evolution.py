"""Plays by an evaluation that was evolved in games against itself."""

from __future__ import annotations

from collections.abc import Mapping
import json
from pathlib import Path
from typing import Any, ClassVar

from gdl_agents.errors import AgentError
from gdl_agents.search.alphabeta import AlphaBetaAgent
from gdl_agents.search.linear import LinearEvaluation
from gdl_agents.search.options import Value
from gdl_env.environment.exchange import MatchInfo

KIND = 'gdl evolution'


class EvolutionAgent(AlphaBetaAgent):
    """Takes the move after which the evaluation likes the state best, `depth` moves ahead.

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
        told = read_evolved(self._file)
        self._game = str(told['game'])
        self._evaluation = LinearEvaluation(told['weights'], told['constants'])

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the rules. Raises AgentError if the file is of another game."""
        super().begin(info, roles, seed)
        if self._game != info.name:
            raise AgentError(f'{self._file} was evolved for {self._game}, not for {info.name}')


def read_evolved(path: Path) -> dict[str, Any]:
    """Return what a file of evolution holds. Raises AgentError."""
    try:
        told = json.loads(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise AgentError(f'{path} cannot be read: {error.strerror}') from error
    except ValueError as error:
        raise AgentError(f'{path} is no file of evolution: {error}') from error
    if not isinstance(told, dict) or told.get('kind') != KIND:
        raise AgentError(f'{path} is no file of evolution')
    return told
