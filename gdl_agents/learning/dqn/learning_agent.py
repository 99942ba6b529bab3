"""Learns while it plays, wherever an agent can: in a match of this process or on topics."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gdl_agents.agent import Agent
from gdl_agents.learning.alphazero.match_learner import AlphaZeroLearner
from gdl_agents.learning.dqn.learner import Learner
from gdl_agents.learning.dqn.model import About, digest
from gdl_agents.learning.errors import LearningError
from gdl_agents.learning.game_properties.game_traits import GameTraits, find_traits
from gdl_agents.learning.game_properties.tactical_hints import Advisor
from gdl_agents.learning.networks import Shape, open_network
from gdl_agents.learning.trained_models import MatchLearner, read_model
from gdl_agents.learning.training.algorithm_options import ALPHAZERO, check_value_learner
from gdl_agents.learning.training.config_file import make_config, read_settings
from gdl_agents.learning.training.derived_options import (
    Derivation,
    derive_options,
    describe_given,
)
from gdl_agents.learning.training.device import open_device
from gdl_agents.learning.training.rewards import reward_range
from gdl_env.engine.mapping import EncodingError, open_encoding
from gdl_env.environment.protocol import Answer, Feedback, MatchInfo, Question
from gdl_env.language.game import Game
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
        # What options were given by hand, if the others are to be derived from the game; and what
        # was derived.
        self.given: tuple[Mapping[str, Any], ...] = ()
        self.derivation: Derivation | None = None
        self.learner: MatchLearner | None = None
        self._about = About()
        # Roles that others play, and that are learned from, too.
        self.watched: tuple[str, ...] = ()

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Make a network for the game.

        Raises LearningError if the game has no vectors, or the algorithm cannot learn here.
        """
        if not info.observation_size or not info.action_size:
            raise LearningError(f'{info.name} has no vector form, and cannot be learned')
        if self.config.seconds:
            raise LearningError(
                f'seconds={self.config.seconds:g} does not apply to a match: it ends after its'
                ' episodes'
            )
        if self.config.algorithm == ALPHAZERO:
            self._check_whole(info, roles)
        else:
            check_value_learner(self.config.algorithm)
        self._derive_options(info, roles)
        self.learner = self._make_learner(info, roles, seed)
        self._about = About(info.name, roles, self.config.algorithm, tables=digest(info))
        if self._load:
            self.learner.take_over(read_model(Path(self._load)))

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

    def _make_learner(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> MatchLearner:
        if self.config.algorithm == ALPHAZERO:
            return AlphaZeroLearner(info, self.config, seed)
        learner = self.config.learner
        bounds = reward_range(self.config.reward, learner.value_low, learner.value_high)
        shape = _shape_of(info, self.config.mapping)
        spec = open_network(self.config.network, shape)
        traits = self._find_traits(info, roles)
        device = str(open_device(self.config.device))
        advisor = Advisor(info) if learner.advice else None
        return Learner(spec, shape, learner, bounds, seed, device, traits, advisor)

    def _check_whole(self, info: MatchInfo, roles: tuple[str, ...]) -> None:
        """Raise LearningError unless all roles are learned."""
        if not self._is_whole(info, roles):
            others = ', '.join(role for role in info.roles if role not in (*roles, *self.watched))
            raise LearningError(
                f'{self.config.algorithm} learns how games end for all roles, and another agent'
                f' plays {others}: let it play all roles, or have {others} played by its copy'
            )

    def _find_traits(self, info: MatchInfo, roles: tuple[str, ...]) -> GameTraits:
        """Return what can be made use of; of whole games only if all roles are learned."""
        if not info.rules:
            return GameTraits()
        game = game_from_text(info.rules, info.name)
        mapping = self.config.mapping
        if not _has_sizes(game, mapping, info):
            # The environment maps the game in another way than we could find out.
            return GameTraits()
        is_whole = self._is_whole(info, roles)
        return find_traits(game, self.config.reward, shared=is_whole, mapping=mapping)

    def _is_whole(self, info: MatchInfo, roles: tuple[str, ...]) -> bool:
        """Tell whether all roles are learned."""
        return set(info.roles) <= {*roles, *self.watched}

    def _derive_options(self, info: MatchInfo, roles: tuple[str, ...]) -> None:
        """Replace options that were not given by those that follow from the game."""
        if not self.given or not info.rules:
            return
        game = game_from_text(info.rules, info.name)
        if not _has_sizes(game, self.config.mapping, info):
            return
        given = describe_given(*self.given)
        # Chosen before the game was known: by default it is one that can learn from any match.
        given['algorithm'] = self.config.algorithm
        if not self._is_whole(info, roles):
            given['shared'] = 'no'
        self.derivation = derive_options(game, given)
        self.config = make_config(self.derivation.options(), *self.given)

    @property
    def _learner(self) -> MatchLearner:
        if self.learner is None:
            raise LearningError('the match has not begun')
        return self.learner


def _take(told: list[str], name: str) -> str:
    """Remove an option from a list; return its value."""
    found = [part for part in told if part.startswith(f'{name}=')]
    for part in found:
        told.remove(part)
    return found[-1].partition('=')[2] if found else ''


def _shape_of(info: MatchInfo, mapping: str) -> Shape:
    """Return the shape of a game: with its board if the rules are known, else by its sizes."""
    if info.rules:
        game = game_from_text(info.rules, info.name)
        if _has_sizes(game, mapping, info):
            return Shape.of(game, open_encoding(game, mapping))
    return Shape(info.observation_size, info.action_size)


def _has_sizes(game: Game, mapping: str, info: MatchInfo) -> bool:
    """Tell whether a mapping of a game has the sizes of a match."""
    try:
        encoding = open_encoding(game, mapping)
    except EncodingError:
        return False
    sizes = encoding.observation_size, encoding.action_size
    return sizes == (info.observation_size, info.action_size)
