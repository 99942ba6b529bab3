"""Plays what mmd has learned: it draws its moves, and remembers what it saw and did."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.levels.ladder import find_run_level, list_run_levels
from gdl_agents.learning.levels.reward_levels import Level
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.mmd.role_player import RolePlayer
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_agents.learning.training.threads import use_threads
from gdl_agents.players.answering import answer_with_actions
from gdl_agents.players.weakening import weaken
from gdl_env.environment.protocol import Answer, MatchInfo, Question

A = TypeVar('A', bound='MmdAgent')


class MmdAgent(Agent):
    """Draws moves from a trained policy.

    The detail is the folder of a run, or a snapshot: `runs/kuhn_poker/mmd-selfplay-1`; with
    `@level` it plays as well as that, else as well as it can. Draws belong to (seed, role, tick).
    """

    name = 'mmd'
    # What it plays.
    models: ClassVar[type[MmdModel]] = MmdModel

    def __init__(self, detail: str) -> None:
        """Find the run. Raises RunError."""
        path, _, self._level = detail.partition('@')
        if not path:
            raise RunError(
                f'agent {self.name} needs a run or a snapshot: {self.name}:runs/…; train one with'
                f' gdl train GAME --algorithm {self.name}'
            )
        self._file = Path(path) if Path(path).is_file() else None
        if self._file and self._level:
            raise RunError(f'{path} is one snapshot and has no levels; name the folder of a run')
        self._run = None if self._file else RunFolder.open(path)
        self._model: MmdModel | None = None
        self._players: dict[str, RolePlayer] = {}
        self._seed, self._epsilon = 0, 0.0

    @classmethod
    def of(cls: type[A], model: MmdModel) -> A:
        """Return an agent that plays a model."""
        agent = object.__new__(cls)
        agent._file, agent._run, agent._level, agent._model = None, None, '', model
        agent._players, agent._seed, agent._epsilon = {}, 0, 0.0
        return agent

    def levels(self, role: str = '') -> list[Level]:
        """Return the difficulty levels. Raises RunError if the agent was given a snapshot."""
        if self._run is None:
            raise RunError('one snapshot has no levels; name the folder of a run')
        return list_run_levels(self._run, role)

    def set_level(self, level: str) -> None:
        """Play as well as a level from the next match on; '' is the strongest."""
        if self._run is not None:
            find_run_level(self._run, level)
        self._level = level

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the network. Raises RunError, LearningError."""
        use_threads(1)
        model = self._model
        if model is None:
            path = self._file
            if path is None:
                assert self._run is not None
                level = find_run_level(self._run, self._level)
                path, self._epsilon = level.snapshot.path, level.epsilon
            model = self.models.load(path)
        model.check(info)
        network = model.build()
        self._players = {role: RolePlayer(network, model.roles.index(role)) for role in roles}
        self._seed = seed

    def choose(self, question: Question) -> Answer:
        """Draw a move in every lane that has a decision."""
        player = self._players[question.role]
        drawn = player.draw(question, self._seed)
        action = weaken(question, drawn, self._epsilon, self._seed)
        if self._epsilon:
            player.note_played(action)
        return answer_with_actions(question, self.name, action)

    def policy(self, question: Question) -> NDArray[np.float64]:
        """Return the probabilities it draws by."""
        likely = self._players[question.role].policy(question)
        if not self._epsilon or question.legal is None:
            return likely
        legal = question.legal.unpack() * question.to_move[:, None]
        anything = legal / np.maximum(1, legal.sum(axis=1, keepdims=True))
        mixed: NDArray[np.float64] = (1 - self._epsilon) * likely + self._epsilon * anything
        return mixed

    def notice(self, question: Question) -> None:
        """Remember what is shown while others decide."""
        self._players[question.role].follow(question)

    def note_played(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember what was played."""
        self._players[question.role].note_played(action)
