"""Whom learners play against: one class for each mode of training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.training.config import WATCHED, TrainingConfig
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.players.draws import derive_seed, question_key
from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_env.environment.protocol import NO_ACTION, Answer, MatchInfo, Question

# What the learners are now: the model of each role.
Copy: TypeAlias = Callable[[], dict[str, Model]]
# Evaluates the learners against random players: their mean reward.
Evaluate: TypeAlias = Callable[[int], float]


class Opponents:
    """Plays all seats that are not a learner's: random players, in this class.

    There may be several sets of opponents (`slots`), each for its share of the lanes. A set is a
    model for each role; None is a random player.
    """

    slots = 1

    def __init__(self, config: TrainingConfig, info: MatchInfo, copy: Copy, evaluate: Evaluate):
        self._config = config
        self._info = info
        self._copy = copy
        self._evaluate = evaluate
        self._models: list[dict[str, Model] | None] = [None] * self.slots
        # Grows whenever opponents change.
        self.version = 0
        # Who takes some episodes over, where the others are copies.
        self._share = config.random_share if config.mode in WATCHED else 0.0
        self._strangers = [self._invite(name) for name in config.strangers.split()]
        self._agents: list[dict[str, Agent]] = [self._seat(None, n) for n in range(self.slots)]

    def answer(self, question: Question) -> Answer:
        """Answer in all lanes in which the question asks."""
        stranger = _find_strangers(question, self._share, len(self._strangers))
        if self.slots == 1 and not (stranger >= 0).any():
            return self._agents[0][question.role].choose(question)
        slot = np.where(
            stranger >= 0, self.slots + stranger, np.arange(question.lanes) % self.slots
        )
        action = np.full(question.lanes, NO_ACTION, np.int32)
        for number, agents in enumerate([*self._agents, *self._strangers]):
            asked = question.to_move & (slot == number)
            if asked.any():
                answer = agents[question.role].choose(replace(question, to_move=asked))
                action = merge(asked, answer, action)
        return Answer(question.tick, question.role, 'opponents', action=action)

    @property
    def wants_text(self) -> bool:
        """Tell whether an opponent reads text, and so can play in one lane only."""
        seats = [*self._agents, *(self._strangers if self._share else ())]
        return any(agent.wants_text for agents in seats for agent in agents.values())

    def after(self, episodes: int) -> None:
        """See how far training is; opponents may change."""

    def keep(self, models: Mapping[str, Model]) -> None:
        """See a snapshot that was taken."""

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, to be restored later."""
        models = [_to_trees(models) if models else None for models in self._models]
        return {'models': models}

    def seated_to_tree(self) -> dict[str, Any]:
        """Return who plays now, to be seated elsewhere."""
        return Opponents.to_tree(self)

    def seat_tree(self, tree: dict[str, Any]) -> None:
        """Seat whom `seated_to_tree` returned."""
        Opponents.restore(self, tree)

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        for number, trees in enumerate(tree['models']):
            self._set(number, _from_trees(trees) if trees else None)

    def _set(self, number: int, models: dict[str, Model] | None) -> None:
        self._models[number] = models
        self.version += 1
        self._agents[number] = self._seat(models, number)

    def _seat(self, models: dict[str, Model] | None, number: int) -> dict[str, Agent]:
        """Return agents ready to play, one for each model."""
        seated: dict[str, Agent] = {}
        made: dict[int, Agent] = {}
        for role in self._info.roles:
            model = models.get(role) if models else None
            if id(model) not in made:
                made[id(model)] = self._make(model)
            seated[role] = made[id(model)]
        for agent in made.values():
            roles = tuple(role for role, seat in seated.items() if seat is agent)
            seed = derive_seed(self._config.seed, f'opponent {number} {" ".join(roles)}')
            agent.begin(self._info, roles, seed)
        return seated

    def _invite(self, name: str) -> dict[str, Agent]:
        """Return an agent on all seats."""
        agent = open_agent(name)
        agent.begin(self._info, self._info.roles, derive_seed(self._config.seed, f'by {name}'))
        return dict.fromkeys(self._info.roles, agent)

    def _make(self, model: Model | None) -> Agent:
        if model is None:
            return RandomAgent()
        return NetworkAgent(model, self._config.opponent_epsilon)


class FixedOpponents(Opponents):
    """One agent, given by name or by checkpoint, on all other seats."""

    def _make(self, model: Model | None) -> Agent:
        return open_agent(self._config.mode.partition(':')[2])


class SelfPlayOpponents(Opponents):
    """Random players first; then copies of the learners, renewed every so many episodes."""

    def __init__(self, config: TrainingConfig, info: MatchInfo, copy: Copy, evaluate: Evaluate):
        super().__init__(config, info, copy, evaluate)
        self._milestone = Milestone(config.copy_every)

    def after(self, episodes: int) -> None:
        """Copy the learners when it is time."""
        if self._milestone.is_due(episodes):
            self._set(0, self._copy())

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, to be restored later."""
        return {**super().to_tree(), 'count': self._milestone.count}

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        super().restore(tree)
        self._milestone.count = tree['count']


class Gate(Opponents):
    """Random players first; copies of the learners whenever these beat their best score so far.

    The score is the mean reward against random players, found every so many episodes.
    """

    def __init__(self, config: TrainingConfig, info: MatchInfo, copy: Copy, evaluate: Evaluate):
        super().__init__(config, info, copy, evaluate)
        self._milestone = Milestone(config.gate_every)
        self.best = config.gate_score

    def after(self, episodes: int) -> None:
        """Evaluate when it is time, and let the learners through if they are better."""
        if not self._milestone.is_due(episodes):
            return
        score = self._evaluate(self._config.gate_games)
        if score > self.best:
            self.best = score
            self._set(0, self._copy())

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, to be restored later."""
        return {**super().to_tree(), 'count': self._milestone.count, 'best': self.best}

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        super().restore(tree)
        self._milestone.count, self.best = tree['count'], tree['best']


class League(Opponents):
    """Several opponents at the same time, drawn from all snapshots so far and a random player."""

    def __init__(self, config: TrainingConfig, info: MatchInfo, copy: Copy, evaluate: Evaluate):
        self.slots = config.league_size
        super().__init__(config, info, copy, evaluate)
        self._milestone = Milestone(config.copy_every)
        self._pool: list[dict[str, Model]] = []

    def after(self, episodes: int) -> None:
        """Draw new opponents when it is time; the first is always what the learners are now."""
        if not self._milestone.is_due(episodes):
            return
        key = question_key(self._config.seed, 'league', self._milestone.count)
        chance = np.random.Generator(np.random.Philox(key=key))
        self._set(0, self._copy())
        for number in range(1, self.slots):
            drawn = int(chance.integers(0, len(self._pool) + 1))
            self._set(number, self._pool[drawn] if drawn < len(self._pool) else None)

    def keep(self, models: Mapping[str, Model]) -> None:
        """Add a snapshot to those that opponents are drawn from."""
        self._pool.append(dict(models))

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, to be restored later."""
        pool = [_to_trees(models) for models in self._pool]
        return {**super().to_tree(), 'count': self._milestone.count, 'pool': pool}

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        super().restore(tree)
        self._milestone.count = tree['count']
        self._pool = [_from_trees(trees) for trees in tree['pool']]


def open_opponents(
    config: TrainingConfig, info: MatchInfo, copy: Copy, evaluate: Evaluate
) -> Opponents:
    """Return the opponents of a mode. Raises UnknownAgentError, AgentError."""
    modes: dict[str, type[Opponents]] = {
        'random': Opponents,
        'fixed': FixedOpponents,
        'selfplay': SelfPlayOpponents,
        'gate': Gate,
        'league': League,
        # Learners sit on all seats they can play; random players on the rest.
        'together': Opponents,
    }
    return modes[config.mode.partition(':')[0]](config, info, copy, evaluate)


def merge(lanes: NDArray[np.bool_], answer: Answer, action: NDArray[np.int32]) -> Any:
    """Return actions, in these lanes those of an answer. Raises AgentError if it is text."""
    if answer.action is None:
        raise AgentError(f'{answer.agent} answers by text, which is understood in one lane only')
    return np.where(lanes, answer.action, action).astype(np.int32)


def _find_strangers(question: Question, share: float, count: int) -> NDArray[np.int64]:
    """Return which stranger plays in each lane, evenly spread over lanes and episodes; or -1."""
    number = np.arange(question.lanes) * 7919 + question.episode.astype(np.int64) * 611_953
    place = number % 1000
    most = 1000 * share
    stranger: NDArray[np.int64] = np.where(place < most, place * count // max(1, int(most)), -1)
    return np.minimum(stranger, count - 1)


def _to_trees(models: Mapping[str, Model]) -> dict[str, Any]:
    """Return models as trees; one that several roles share is written once."""
    kept: dict[int, Model] = {id(model): model for model in models.values()}
    numbers = {key: number for number, key in enumerate(kept)}
    return {
        'roles': {role: numbers[id(model)] for role, model in models.items()},
        'models': [model.to_tree() for model in kept.values()],
    }


def _from_trees(trees: dict[str, Any]) -> dict[str, Model]:
    models = [Model.from_tree(tree, 'the state of the run') for tree in trees['models']]
    return {role: models[number] for role, number in trees['roles'].items()}
