"""The half of a learner of values that plays: it decides, and makes steps of what it decided."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
import torch

from gdl_agents.errors import AgentError
from gdl_agents.learning.dqn.collector import Collector
from gdl_agents.learning.dqn.model import Model, values_of
from gdl_agents.learning.dqn.policy import choose_actions
from gdl_agents.learning.dqn.replay import Transitions
from gdl_agents.learning.dqn.teaching import Teaching
from gdl_agents.learning.dqn.turn_collector import TurnCollector
from gdl_agents.learning.game_properties.game_traits import GameTraits
from gdl_agents.learning.game_properties.tactical_hints import Advisor
from gdl_agents.learning.networks import Head, NetworkSpec, Shape, build_network
from gdl_agents.learning.training.config import LearnerConfig
from gdl_agents.players.draws import derive_seed, question_key
from gdl_env.environment.protocol import NO_ACTION, Answer, Question


class NetworkPlayer(ABC):
    """A network that decides, and remembers decisions until their results are known.

    All chance belongs to (seed, role, tick): nothing is drawn from a stream.
    """

    def __init__(
        self,
        spec: NetworkSpec,
        shape: Shape,
        config: LearnerConfig,
        value_range: tuple[float, float],
        seed: int = 0,
        device: str = 'cpu',
        traits: GameTraits | None = None,
        advisor: Advisor | None = None,
    ) -> None:
        self.config = config
        self._traits = (traits or GameTraits()).used_by(config)
        self._shape = shape
        self.seed = seed
        self._device = device
        head = Head(config.dueling, config.atoms, config.noisy, config.sigma)
        self.network = build_network(spec, shape, head, seed=derive_seed(seed, 'weights'))
        self.network.to(device)
        low, high = value_range
        self._model = Model(spec, shape, head, low, high, {}, views=dict(self._traits.views))
        self._support = self._model.support.to(device)
        self._observation_bytes = -(-shape.observation_size // 8)
        self._action_bytes = -(-shape.action_size // 8)
        self.teaching = Teaching(config, self._model, self._traits, advisor)
        self._collectors: dict[str, Collector | TurnCollector] = {}
        self._noise = torch.Generator()
        self.decisions = 0

    @abstractmethod
    def _add(self, transitions: Transitions) -> None:
        """Take in steps whose consequences are known."""

    @property
    def is_zero_sum(self) -> bool:
        """Tell whether decisions of two roles are learned from in turn."""
        return self._traits.is_zero_sum

    @property
    def epsilon(self) -> float:
        """Return the share of random actions."""
        config = self.config
        part = min(1.0, self.decisions / max(1, config.epsilon_decisions))
        return config.epsilon_start + part * (config.epsilon_end - config.epsilon_start)

    def observe(self, question: Question, agent: str = 'learner') -> Answer:
        """Decide where the role has to, and remember it. Raises AgentError without vectors."""
        if question.observation is None or question.legal is None:
            raise AgentError(f'role {question.role}: without vectors there is nothing to learn')
        key = question_key(self.seed, question.role, question.tick)
        self.teaching.ask(question)
        question = self._model.seen(question)
        assert question.observation is not None and question.legal is not None
        lanes = np.flatnonzero(question.to_move)
        legal = question.legal.unpack()[lanes]
        self._reset_noise(key)
        values = values_of(self.network, question.observation.unpack()[lanes], self._support)
        allowed = legal if self.config.mask_acting else np.ones_like(legal)
        chance = np.random.Generator(np.random.Philox(key=key))
        action = np.full(question.lanes, NO_ACTION, np.int32)
        epsilon = self._spread_epsilon(question.lanes)[lanes]
        action[lanes] = choose_actions(values, allowed, epsilon, chance)
        self.decisions += len(lanes)
        self._remember(question, action)
        preference = None
        if not self.config.mask_acting:
            preference = np.zeros((question.lanes, self._shape.action_size), np.float32)
            preference[lanes] = values
        return Answer(question.tick, question.role, agent, action, preference=preference)

    def _spread_epsilon(self, lanes: int) -> NDArray[np.float64]:
        """Return the share of random actions of each lane."""
        power = np.linspace(1, 1 + self.config.epsilon_spread, lanes)
        return np.asarray(self.epsilon**power, np.float64)

    def watch(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember decisions, whoever made them: what comes of them can be learned from."""
        self.teaching.ask(question)
        self._remember(self._model.seen(question), action)

    def _remember(self, question: Question, action: NDArray[np.int32]) -> None:
        self._add(self._collector(question.role, question.lanes).decide(question, action))

    # ---- continuing later

    def pending_to_tree(self) -> dict[str, Any]:
        """Return the decisions whose consequences are not known yet."""
        return {role: c.to_tree() for role, c in self._collectors.items()}

    def restore_pending(self, tree: dict[str, Any]) -> None:
        """Take over what `pending_to_tree` returned."""
        self._collectors.clear()
        for match, held in tree.items():
            self._collectors[match] = self._make_collector(len(held['count']))
            self._collectors[match].restore(held)

    # ---- inside

    def _match_of(self, role: str) -> str:
        """Return whose decisions are remembered together: a role's, or all of a match."""
        return role.rpartition('/')[0] if self._traits.is_zero_sum else role

    def _collector(self, role: str, lanes: int) -> Collector | TurnCollector:
        match = self._match_of(role)
        if match not in self._collectors:
            self._collectors[match] = self._make_collector(lanes)
        return self._collectors[match]

    def _make_collector(self, lanes: int) -> Collector | TurnCollector:
        kind = TurnCollector if self._traits.is_zero_sum else Collector
        sizes = self._observation_bytes, self._action_bytes
        steps = self.config.n_step or (1 if self._traits.is_zero_sum else 2)
        return kind(lanes, *sizes, steps, self.config.gamma)

    def _reset_noise(self, key: int) -> None:
        """Draw the noise of the network."""
        if self.config.noisy:
            self._noise.manual_seed(key >> 1)
            self.network.reset_noise(self._noise)
