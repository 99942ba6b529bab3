"""Learns while it plays, wherever an agent can: in a match of this process or on topics."""

from __future__ import annotations

from pathlib import Path

from gdl_agents.agent import Agent
from gdl_agents.learning.dqn.learner import Learner
from gdl_agents.learning.dqn.model import About, Model, digest
from gdl_agents.learning.errors import LearningError
from gdl_agents.learning.game_properties.game_traits import GameTraits, find_traits
from gdl_agents.learning.game_properties.tactical_hints import Advisor
from gdl_agents.learning.networks import Shape, open_network
from gdl_agents.learning.training.algorithm_options import check_value_learner
from gdl_agents.learning.training.config_file import make_config, read_settings
from gdl_agents.learning.training.rewards import reward_range
from gdl_env.engine.mapping import EncodingError, open_encoding
from gdl_env.environment.protocol import Answer, Feedback, MatchInfo, Question
from gdl_env.language.load import game_from_text


class LearningAgent(Agent):
    """Learns while it plays: one network for all its roles.

    The detail is a list of options: `algorithm=dqn,n_step=3,save=my.npz`. `save` is where the
    checkpoint goes when the match ends, `load` one to begin with; the others are those of
    training.
    """

    name = 'learning'
    wants_feedback = True

    def __init__(self, detail: str = '') -> None:
        told = [part for part in detail.split(',') if part]
        self._save = _take(told, 'save')
        self._load = _take(told, 'load')
        self.config = make_config(read_settings(told))
        self.learner: Learner | None = None
        self._about = About()
        # Roles that others play, and that are learned from, too.
        self.watched: tuple[str, ...] = ()

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Make a network for the game.

        Raises LearningError if the game has no vectors, or the algorithm cannot learn here.
        """
        if not info.observation_size or not info.action_size:
            raise LearningError(f'{info.name} has no vector form, and cannot be learned')
        check_value_learner(self.config.algorithm)
        learner = self.config.learner
        bounds = reward_range(self.config.reward, learner.value_low, learner.value_high)
        shape = _shape_of(info)
        spec = open_network(self.config.network, shape)
        traits = self._find_traits(info, roles)
        device = self.config.device
        advisor = Advisor(info) if learner.advice else None
        self.learner = Learner(spec, shape, learner, bounds, seed, device, traits, advisor)
        self._about = About(info.name, roles, self.config.algorithm, tables=digest(info))
        if self._load:
            self.learner.take_over(Model.load(Path(self._load)))

    def choose(self, question: Question) -> Answer:
        """Answer, and remember it."""
        return self._learner.observe(question, self.name)

    def learn(self, feedback: Feedback) -> None:
        """Receive the result of a tick, and learn."""
        self._learner.learn(feedback)

    def end(self) -> None:
        """Write the checkpoint, if one is wanted. Raises RunError."""
        if self._save and self.learner is not None:
            self.learner.model(self._about).save(Path(self._save))

    def _find_traits(self, info: MatchInfo, roles: tuple[str, ...]) -> GameTraits:
        """Return what can be made use of; of whole games only if all roles are learned."""
        if not info.rules:
            return GameTraits()
        is_whole = set(info.roles) <= {*roles, *self.watched}
        game = game_from_text(info.rules, info.name)
        return find_traits(game, self.config.reward, shared=is_whole)

    @property
    def _learner(self) -> Learner:
        if self.learner is None:
            raise LearningError('the match has not begun')
        return self.learner


def _take(told: list[str], name: str) -> str:
    """Remove an option from a list; return its value."""
    found = [part for part in told if part.startswith(f'{name}=')]
    for part in found:
        told.remove(part)
    return found[-1].partition('=')[2] if found else ''


def _shape_of(info: MatchInfo) -> Shape:
    """Return the shape of a game: with its board if the rules are known, else by its sizes."""
    if info.rules:
        game = game_from_text(info.rules, info.name)
        try:
            shape = Shape.of(game, open_encoding(game))
        except EncodingError:
            pass
        else:
            if (shape.observation_size, shape.action_size) == (
                info.observation_size,
                info.action_size,
            ):
                return shape
    return Shape(info.observation_size, info.action_size)
