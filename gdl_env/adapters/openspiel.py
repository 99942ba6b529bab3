"""Any game of ours as a game of OpenSpiel, whose algorithms then run on our rules.

    >>> import pyspiel
    >>> from gdl_env.adapters import openspiel      # registers the game `gdl`
    >>> game = pyspiel.load_game('gdl(game=kuhn_poker,unit=25.0)')
    >>> game = pyspiel.load_game('gdl(game=hex[size:4])')
    >>> game = openspiel.load_game('hex(size=4)')   # the same; a path or a Game will do, too

OpenSpiel keeps parentheses, commas and equal signs for itself: within a name they are written as
brackets, semicolons and colons.

The rules of play are those of a match: chance acts first, forced moves play themselves, whose turn
it is follows `rotate`. Chance nodes are explicit; where several players have a choice at once, the
node is simultaneous. What a player knows is all it has seen and done (perfect recall); its
observation is what it sees now. Utilities are goals: (goal - 50) / unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from gdl_env.adapters.openspiel_rules import SpielRules, open_rules
from gdl_env.adapters.openspiel_state import SpielState
from gdl_env.engine.contract import State
from gdl_env.language.game import Game, Information

SHORT_NAME = 'gdl'
# The characters of a name that OpenSpiel keeps for itself, and what stands for them.
_TO_SPIEL = str.maketrans('()=,', '[]:;')
_FROM_SPIEL = str.maketrans('[]:;', '()=,')
_DEFAULTS: dict[str, Any] = {'game': 'tictactoe', 'unit': 50.0, 'max_length': 1000}


def _make_type(rules: SpielRules | None) -> pyspiel.GameType:
    """Return the type of a game; without one, that of all of them."""
    kind = pyspiel.GameType
    is_joint = rules is None or rules.is_simultaneous
    has_chance = rules is None or rules.has_chance
    is_open = rules is not None and rules.game.information is Information.COMPLETE
    is_open = is_open and not is_joint
    utility = kind.Utility.GENERAL_SUM
    if rules is not None and rules.is_zero_sum:
        utility = kind.Utility.ZERO_SUM
    return kind(
        short_name=SHORT_NAME,
        long_name='Game Description Language',
        dynamics=kind.Dynamics.SIMULTANEOUS if is_joint else kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC
        if has_chance
        else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION
        if is_open
        else kind.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=10 if rules is None else len(rules.players),
        min_num_players=1 if rules is None else len(rules.players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_DEFAULTS,
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours. Parameters: `game`, `unit` (goals), `max_length` (moves)."""

    def __init__(self, params: dict[str, Any] | None = None, rules: Game | None = None) -> None:
        """Open the rules. Raises GdlError if they cannot be run."""
        chosen = {**_DEFAULTS, **(params or {})}
        self.rules = open_rules(
            rules if rules is not None else str(chosen['game']).translate(_FROM_SPIEL)
        )
        self.unit = float(chosen['unit'])
        self.max_length = int(chosen['max_length'])
        super().__init__(_make_type(self.rules), self._describe(), chosen)

    def _describe(self) -> pyspiel.GameInfo:
        rules = self.rules
        return pyspiel.GameInfo(
            num_distinct_actions=rules.action_count,
            max_chance_outcomes=rules.most_outcomes,
            num_players=len(rules.players),
            min_utility=-50.0 / self.unit,
            max_utility=50.0 / self.unit,
            utility_sum=0.0 if rules.is_zero_sum else None,
            max_game_length=self.max_length,
        )

    def new_initial_state(self) -> SpielState:
        """Return the beginning."""
        return SpielState(self)

    def state_at(self, state: State) -> SpielState:
        """Return a state of facts as one that nothing led to, for bots that look ahead from it."""
        found = SpielState(self)
        found.place(state)
        return found

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Any = None
    ) -> Observer:
        """Return what turns states into observations, or, with perfect recall, into knowledge."""
        return Observer(self.rules, iig_obs_type, params)


class Observer:
    """What a player sees: as a vector, and as text."""

    def __init__(
        self, rules: SpielRules, kind: pyspiel.IIGObservationType | None, params: Any
    ) -> None:
        """Prepare a vector. Raises ValueError for parameters: there are none."""
        if params:
            raise ValueError(f'observations of gdl take no parameters, got {params}')
        self._rules = rules
        self._has_recall = bool(kind is not None and kind.perfect_recall)
        self.tensor = np.zeros(rules.observation_size, np.float32)
        self.dict = {'observation': self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a player sees now; of what it saw before, a vector has nothing."""
        self.tensor[:] = state.observe(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """Return what a player sees, or, with perfect recall, all it has seen and done."""
        return state.knowledge(player) if self._has_recall else state.view_text(player)


def load_game(game: Game | str, *, unit: float = 50.0, max_length: int = 1000) -> SpielGame:
    """Return a game of OpenSpiel: of a name such as `hex(size=4)`, a path, or rules.

    Raises GdlError.
    """
    name = game.name if isinstance(game, Game) else game
    params = {'game': name.translate(_TO_SPIEL), 'unit': unit, 'max_length': max_length}
    return SpielGame(params, game if isinstance(game, Game) else None)


if SHORT_NAME not in pyspiel.registered_names():
    pyspiel.register_game(_make_type(None), SpielGame)
