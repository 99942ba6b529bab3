"""A player that learns while it plays: DQN, Rainbow, and everything in between.

It takes questions and feedback, as they come from an environment in the same process or from
topics, for any number of roles and lanes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
import torch
from torch import Tensor
from torch.nn import functional

from gdl_agents.draws import derive_seed, question_key
from gdl_agents.errors import AgentError
from gdl_agents.learning.collector import Collector
from gdl_agents.learning.config import LearnerConfig
from gdl_agents.learning.errors import LearningError
from gdl_agents.learning.model import About, Model, values_of
from gdl_agents.learning.networks import Head, NetworkSpec, Shape, build_network
from gdl_agents.learning.policy import choose_actions
from gdl_agents.learning.replay import Batch, Replay, Transitions
from gdl_agents.learning.targets import best_action, mean_values, project, scalar_target, take
from gdl_env.environment.bits import Bits
from gdl_env.environment.exchange import NO_ACTION, Answer, Feedback, Question


class Learner:
    """A network, its target, and what was experienced.

    All chance belongs to (seed, role, tick) or (seed, update): nothing is drawn from a stream.
    """

    def __init__(
        self,
        spec: NetworkSpec,
        shape: Shape,
        config: LearnerConfig,
        value_range: tuple[float, float],
        seed: int = 0,
        device: str = 'cpu',
    ) -> None:
        self.config = config
        self._shape = shape
        self._seed = seed
        self._device = device
        head = Head(config.dueling, config.atoms, config.noisy, config.sigma)
        self.network = build_network(spec, shape, head, seed=derive_seed(seed, 'weights'))
        self.network.to(device)
        low, high = value_range
        self._model = Model(spec, shape, head, low, high, {})
        # Means are learned in units of the largest reward, so that one learning rate fits all.
        self._unit = 1.0 if config.atoms > 1 else max(abs(low), abs(high), 1e-6)
        self._support = self._model.support.to(device)
        self._target = self._model_now().build(device)
        self._target.requires_grad_(False)
        self._optimiser = torch.optim.Adam(
            self.network.parameters(), config.learning_rate, eps=1.5e-4, fused=device == 'cpu'
        )
        self._observation_bytes = -(-shape.observation_size // 8)
        self._action_bytes = -(-shape.action_size // 8)
        exponent = config.priority_exponent if config.prioritised else 0.0
        self._replay = Replay(
            config.capacity, self._observation_bytes, self._action_bytes, exponent
        )
        self._collectors: dict[str, Collector] = {}
        self._noise = torch.Generator()
        # Updates that experience has paid for.
        self._credit = 0.0
        self.decisions = 0
        self.updates = 0
        # Of the last update.
        self.loss = float('nan')

    # ---- playing

    @property
    def version(self) -> int:
        """Return a number that grows whenever the weights change."""
        return self.updates

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
        key = question_key(self._seed, question.role, question.tick)
        lanes = np.flatnonzero(question.to_move)
        legal = question.legal.unpack()[lanes]
        self._reset_noise(key)
        values = values_of(self.network, question.observation.unpack()[lanes], self._support)
        allowed = legal if self.config.mask_acting else np.ones_like(legal)
        chance = np.random.Generator(np.random.Philox(key=key))
        action = np.full(question.lanes, NO_ACTION, np.int32)
        action[lanes] = choose_actions(values, allowed, self.epsilon, chance)
        self.decisions += len(lanes)
        self.watch(question, action)
        preference = None
        if not self.config.mask_acting:
            preference = np.zeros((question.lanes, self._shape.action_size), np.float32)
            preference[lanes] = values
        return Answer(question.tick, question.role, agent, action, preference=preference)

    def watch(self, question: Question, action: NDArray[np.int32]) -> None:
        """Remember decisions, whoever made them: what comes of them can be learned from."""
        self._add(self._collector(question.role, question.lanes).decide(question, action))

    def learn(self, feedback: Feedback) -> None:
        """Take in what came of a tick, and learn as much as experience has paid for."""
        if feedback.role not in self._collectors:
            return
        self._add(self._collectors[feedback.role].settle(feedback))
        if len(self._replay) < self.config.warm_up:
            self._credit = 0.0
        while self._credit >= 1:
            self._credit -= 1
            self._update()

    # ---- weights

    def model(self, about: About | None = None) -> Model:
        """Return what was learned so far, as a value."""
        return replace(self._model_now(), about=about or About())

    def weights(self) -> bytes:
        """Return the weights and what they are for as bytes, to be sent."""
        return self.model().to_bytes()

    def load_weights(self, data: bytes) -> None:
        """Take over weights of the same network. Raises RunError, LearningError."""
        self.take_over(Model.from_bytes(data))

    def take_over(self, model: Model) -> None:
        """Take over the weights of a model of the same network. Raises LearningError."""
        try:
            self.network.load_state_dict(model.weights)
            self._target.load_state_dict(model.weights)
        except RuntimeError as error:
            raise LearningError(f'these weights are of another network: {error}') from error

    # ---- going on later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, to be restored later."""
        return {
            'network': _copy(self.network.state_dict()),
            'target': _copy(self._target.state_dict()),
            'optimiser': self._optimiser.state_dict(),
            'replay': self._replay.to_tree(),
            'collectors': {role: c.to_tree() for role, c in self._collectors.items()},
            'counts': [self.decisions, self.updates, self._credit, self.loss],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self.network.load_state_dict(tree['network'])
        self._target.load_state_dict(tree['target'])
        self._optimiser.load_state_dict(tree['optimiser'])
        self._replay.restore(tree['replay'])
        self._collectors.clear()
        for role, held in tree['collectors'].items():
            self._collector(role, len(held['count'])).restore(held)
        self.decisions, self.updates, self._credit, self.loss = tree['counts']

    # ---- inside

    def _collector(self, role: str, lanes: int) -> Collector:
        if role not in self._collectors:
            config = self.config
            self._collectors[role] = Collector(
                lanes, self._observation_bytes, self._action_bytes, config.n_step, config.gamma
            )
        return self._collectors[role]

    def _add(self, transitions: Transitions) -> None:
        self._replay.add(transitions)
        self._credit += len(transitions) * self.config.updates

    def _update(self) -> None:
        """Take one step of the optimiser."""
        config = self.config
        key = question_key(self._seed, 'update', self.updates)
        chance = np.random.Generator(np.random.Philox(key=key))
        done = min(1.0, self.updates / max(1, config.priority_updates))
        correction = config.priority_correction + done * (1 - config.priority_correction)
        batch = self._replay.draw(config.batch, correction, chance)
        self._reset_noise(key)
        loss, surprise = self._loss(batch)
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if config.gradient_norm:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), config.gradient_norm)
        self._optimiser.step()
        self._replay.set_priority(batch.index, surprise.cpu().numpy().astype(np.float64))
        self.loss = float(loss.detach())
        self.updates += 1
        if self.updates % config.target_every == 0:
            self._target.load_state_dict(self.network.state_dict())

    def _loss(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the loss of a batch, and how wrong the network was on each of its rows."""
        rows = batch.transitions
        action = self._tensor(rows.action).long()
        reward = self._tensor(rows.reward) / self._unit
        discount = self._tensor(rows.discount)
        with torch.no_grad():
            outputs, best = self._look_ahead(rows)
        now = take(self.network(self._bits(rows.observation)), action)
        if self.config.atoms == 1:
            wanted = scalar_target(reward, discount, take(outputs, best))
            error = functional.smooth_l1_loss(now, wanted, reduction='none')
            surprise = (now - wanted).abs().detach()
        else:
            with torch.no_grad():
                share = take(outputs, best).softmax(dim=1)
                goal = project(reward, discount, share, self._support)
            error = -(goal * now.log_softmax(dim=1)).sum(dim=1)
            surprise = error.detach()
        return (error * self._tensor(batch.weight)).mean(), surprise

    def _look_ahead(self, rows: Transitions) -> tuple[Tensor, Tensor]:
        """Return what the target network says of next observations, and the best actions there."""
        after = self._bits(rows.next_observation)
        outputs = self._target(after)
        judge = self.network(after) if self.config.double else outputs
        size = self._shape.action_size
        legal = torch.ones((len(rows), size), dtype=torch.bool, device=self._device)
        if self.config.mask_target:
            legal = self._tensor(Bits(rows.next_legal, size).unpack())
        return outputs, best_action(mean_values(judge, self._support), legal)

    def _bits(self, packed: Any) -> Tensor:
        rows = Bits(packed, self._shape.observation_size).unpack()
        return self._tensor(rows.astype(np.float32))

    def _tensor(self, array: Any) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _reset_noise(self, key: int) -> None:
        if self.config.noisy:
            self._noise.manual_seed(key >> 1)
            self.network.reset_noise(self._noise)
            self._target.reset_noise(self._noise)

    def _model_now(self) -> Model:
        return replace(self._model, weights=_copy(self.network.state_dict()))


def _copy(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}
