"""A player that learns while it plays: DQN, Rainbow, and everything in between.

It takes questions and feedback, as they come from an environment in the same process or from
topics, for any number of roles and lanes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from gdl_agents.learning.dqn.model import About, Model
from gdl_agents.learning.dqn.played_steps import PlayedSteps
from gdl_agents.learning.dqn.replay import Batch, ReplayBuffer, Transitions
from gdl_agents.learning.dqn.targets import best_action, mean_values, project, scalar_target, take
from gdl_agents.learning.dqn.value_decider import ValueDecider
from gdl_agents.learning.errors import LearningError
from gdl_agents.learning.game_properties.game_traits import GameTraits
from gdl_agents.learning.game_properties.tactical_hints import Advisor
from gdl_agents.learning.networks import NetworkSpec, Shape
from gdl_agents.learning.training.config import LearnerConfig
from gdl_agents.players.draws import question_key
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Feedback


class _Rows(NamedTuple):
    """Transitions as a network takes them."""

    observation: Tensor
    action: Tensor
    next_observation: Tensor
    next_legal: Tensor


class Learner(ValueDecider):
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
        traits: GameTraits | None = None,
        advisor: Advisor | None = None,
    ) -> None:
        super().__init__(spec, shape, config, value_range, seed, device, traits, advisor)
        self._error = config.opponent_error
        self._unit = self._model.value_unit
        self._target = self._model_now().build(device)
        self._target.requires_grad_(False)
        self._optimiser = torch.optim.Adam(
            self.network.parameters(), config.learning_rate, eps=1.5e-4, fused=device == 'cpu'
        )
        exponent = config.priority_exponent if config.prioritised else 0.0
        self._replay = ReplayBuffer(
            config.capacity, self._observation_bytes, self._action_bytes, exponent
        )
        # Updates that experience has paid for.
        self._credit = 0.0
        self.updates = 0
        # Of the last update.
        self.loss = float('nan')
        # How much of the training is done, from 0 to 1: whoever trains says so.
        self.progress = 0.0

    # ---- playing

    @property
    def spec(self) -> NetworkSpec:
        """Return what the network is made of."""
        return self.network.spec

    @property
    def version(self) -> int:
        """Return a number that grows whenever the weights change."""
        return self.updates

    def learn(self, feedback: Feedback) -> None:
        """Take in the feedback of a tick, and learn as much as experience has paid for."""
        collector = self._collectors.get(self._match_of(feedback.role))
        if collector is None:
            return
        self._add(collector.add_feedback(feedback))
        self._spend_credit()

    def take_in(self, played: PlayedSteps) -> None:
        """Take in what an actor has played, and learn as much as that has paid for."""
        self.decisions += played.decisions
        for rows in played.advice:
            self.teaching.book.add(*rows)
        if played.transitions is not None:
            self._add(played.transitions)
        self._spend_credit()

    def _spend_credit(self) -> None:
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

    # ---- resuming later

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, to be restored later."""
        return {
            'network': _copy(self.network.state_dict()),
            'target': _copy(self._target.state_dict()),
            'optimiser': self._optimiser.state_dict(),
            'replay': self._replay.to_tree(),
            'teaching': self.teaching.to_tree(),
            'collectors': self.pending_to_tree(),
            'counts': [self.decisions, self.updates, self._credit, self.loss],
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self.network.load_state_dict(tree['network'])
        self._target.load_state_dict(tree['target'])
        self._optimiser.load_state_dict(tree['optimiser'])
        self._replay.restore(tree['replay'])
        # States of earlier versions hold advice alone.
        self.teaching.restore(tree.get('teaching') or {'book': tree['advice'], 'priority': None})
        self.restore_pending(tree['collectors'])
        self.decisions, self.updates, self._credit, self.loss = tree['counts']

    # ---- inside

    def _add(self, transitions: Transitions) -> None:
        self._replay.add(transitions)
        self._credit += len(transitions) * self.config.updates

    def _update(self) -> None:
        """Take one step of the optimiser."""
        config = self.config
        key = question_key(self.seed, 'update', self.updates)
        chance = np.random.Generator(np.random.Philox(key=key))
        done = min(1.0, self.updates / max(1, config.priority_updates))
        correction = config.priority_correction + done * (1 - config.priority_correction)
        batch = self._replay.draw(config.batch, correction, chance)
        self._reset_noise(key)
        if config.noisy:
            self._target.reset_noise(self._noise)
        self._optimiser.param_groups[0]['lr'] = self._learning_rate
        loss, surprise = self._loss(batch, key)
        loss = loss + self._teach(key, chance)
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

    @property
    def _learning_rate(self) -> float:
        """Return the learning rate: the same for the first half, then falling in a line."""
        config = self.config
        late = max(0.0, min(1.0, 2 * self.progress - 1)) * (1 - config.learning_rate_end)
        return config.learning_rate * (1 - late)

    def _loss(self, batch: Batch, key: int) -> tuple[Tensor, Tensor]:
        """Return the loss of a batch, and how wrong the network was on each of its rows."""
        rows = self._renamed(batch.transitions, key)
        reward = self._tensor(batch.transitions.reward) / self._unit
        discount = self._tensor(batch.transitions.discount)
        with torch.no_grad():
            outputs, weight = self._look_on(rows, discount)
        now = take(self.network(rows.observation), rows.action)
        if self.config.atoms == 1:
            wanted = scalar_target(reward, discount, (weight * outputs).sum(dim=1))
            error = functional.smooth_l1_loss(now, wanted, reduction='none')
            surprise = (now - wanted).abs().detach()
        else:
            with torch.no_grad():
                share = (weight.unsqueeze(1) @ outputs.softmax(dim=2)).squeeze(1)
                goal = project(reward, discount, share, self._support)
            error = -(goal * now.log_softmax(dim=1)).sum(dim=1)
            surprise = error.detach()
        return (error * self._tensor(batch.weight)).mean(), surprise

    def _teach(self, key: int, chance: np.random.Generator) -> Tensor | float:
        """Return how wrong the network is about moves of which the rules say the worth."""
        loss: Tensor | float = 0.0
        for lesson in self.teaching.draw(key, chance):
            outputs = self.network(self._tensor(lesson.observation.astype(np.float32)))
            now = outputs[self._tensor(lesson.row), self._tensor(lesson.action)]
            value = self._tensor(lesson.value)
            if self.config.atoms == 1:
                error = functional.smooth_l1_loss(now, value / self._unit, reduction='none')
            else:
                share = torch.ones_like(now) / self.config.atoms
                goal = project(value, torch.zeros_like(value), share, self._support)
                error = -(goal * now.log_softmax(dim=1)).sum(dim=1)
            self.teaching.mark(lesson, error.detach().cpu().numpy().astype(np.float64))
            loss = loss + error.mean()
        return loss

    def _look_on(self, rows: _Rows, discount: Tensor) -> tuple[Tensor, Tensor]:
        """Look ahead, but where most steps reach the end of their episode only from the others."""
        going = torch.nonzero(discount).squeeze(1)
        if 2 * len(going) >= len(discount):
            return self._look_ahead(rows, discount < 0)
        atoms = (self.config.atoms,) if self.config.atoms > 1 else ()
        outputs = torch.zeros(*rows.next_legal.shape, *atoms, device=discount.device)
        weight = functional.one_hot(torch.zeros_like(rows.action), outputs.shape[1]).float()
        if len(going):
            ahead = _Rows(*(part[going] for part in rows))
            outputs[going], weight[going] = self._look_ahead(ahead, discount[going] < 0)
        return outputs, weight

    def _look_ahead(self, rows: _Rows, is_other: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the target network says of next observations, and how much actions count.

        The best one counts alone; where the other decides, all of them as far as it errs.
        """
        outputs = self._target(rows.next_observation)
        judge = self.network(rows.next_observation) if self.config.double else outputs
        best = best_action(mean_values(judge, self._support), rows.next_legal)
        weight = functional.one_hot(best, self._shape.action_size).float()
        if self._error:
            any_legal = rows.next_legal.float()
            any_legal = any_legal / any_legal.sum(dim=1, keepdim=True).clamp(min=1)
            errs = (is_other * self._error).unsqueeze(1)
            weight = torch.lerp(weight, any_legal, errs)
        return outputs, weight

    def _renamed(self, rows: Transitions, key: int) -> _Rows:
        """Return transitions as tensors, each under a symmetry of the game drawn for it."""
        size, actions = self._shape.observation_size, self._shape.action_size
        observation = Bits(rows.observation, size).unpack()
        after = Bits(rows.next_observation, size).unpack()
        legal = Bits(rows.next_legal, actions).unpack()
        action = rows.action.astype(np.int64)
        if not self.config.mask_target:
            legal = np.ones_like(legal)
        symmetries = self._traits.symmetries
        if symmetries is not None and len(symmetries) > 1:
            drawn = np.random.default_rng(key).integers(0, len(symmetries), len(rows))
            entries = symmetries.observation[drawn]
            observation = np.take_along_axis(observation, entries, axis=1)
            after = np.take_along_axis(after, entries, axis=1)
            legal = np.take_along_axis(legal, symmetries.legal[drawn], axis=1)
            action = symmetries.action[drawn, action]
        return _Rows(
            self._tensor(observation.astype(np.float32)),
            self._tensor(action),
            self._tensor(after.astype(np.float32)),
            self._tensor(legal),
        )

    def _tensor(self, array: Any) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _model_now(self) -> Model:
        return replace(self._model, weights=_copy(self.network.state_dict()))


def _copy(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}
