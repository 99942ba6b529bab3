"""Plays what a run has learned, at any of its difficulty levels."""

from __future__ import annotations

from pathlib import Path

from gdl_agents.agent import Agent
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.levels.ladder import find_run_level, list_run_levels
from gdl_agents.learning.levels.reward_levels import Level
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_env.environment.protocol import Answer, MatchInfo, Question


class TrainedAgent(Agent):
    """Plays from the folder of a run, or from one checkpoint.

    The detail is a path; with `@level` (`@3`, `@3/5` of 5 levels, `@reward:3` by the rewards of
    snapshots) it plays as well as that, else as well as it can.
    """

    name = 'trained'
    follows_policy = True

    def __init__(self, detail: str) -> None:
        path, _, level = detail.partition('@')
        if not path:
            raise RunError(f'agent {self.name} needs a run or a checkpoint: {self.name}:runs/…')
        self._file = Path(path) if Path(path).is_file() else None
        self._run = None if self._file else RunFolder.open(path)
        if self._file and level:
            raise RunError(f'{path} is one checkpoint and has no levels; name the folder of a run')
        self._level = level
        self._players: dict[str, NetworkAgent] = {}
        self._begun: tuple[MatchInfo, tuple[str, ...], int] | None = None

    def levels(self, role: str = '') -> list[Level]:
        """Return the difficulty levels. Raises RunError if the agent was given a checkpoint."""
        if self._run is None:
            raise RunError(f'{self._file} is one checkpoint and has no levels')
        return list_run_levels(self._run, role)

    def set_level(self, level: str) -> None:
        """Play as well as a level from now on; '' is the strongest. Raises RunError."""
        if self._run is not None:
            find_run_level(self._run, level)
        self._level = level
        if self._begun is not None:
            self.begin(*self._begun)

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load what the roles need. Raises RunError, LearningError."""
        self._begun = info, roles, seed
        made: dict[tuple[Path, float, float], NetworkAgent] = {}
        for role in roles:
            key = (self._file, 0.0, 0.0) if self._file else self._find(role)
            if key not in made:
                path, epsilon, temperature = key
                made[key] = NetworkAgent(Model.load(path), epsilon, temperature)
            made[key].begin(info, (role,), seed)
            self._players[role] = made[key]

    def choose(self, question: Question) -> Answer:
        """Answer for all lanes that have a decision."""
        player = self._players[question.role]
        player.name = self.name
        return player.choose(question)

    def preference_range(self, role: str) -> tuple[float, float]:
        """Return the least and the most that the network of a role can expect."""
        return self._players[role].preference_range(role)

    def _find(self, role: str) -> tuple[Path, float, float]:
        """Return the checkpoint of the level, and how it is weakened."""
        assert self._run is not None
        level = find_run_level(self._run, self._level, role)
        return level.snapshot.path, level.epsilon, level.temperature


class DqnAgent(TrainedAgent):
    """Plays what DQN has learned."""

    name = 'dqn'


class RainbowAgent(TrainedAgent):
    """Plays what Rainbow has learned."""

    name = 'rainbow'
