"""Games for programs that expect PettingZoo: agents in turn (AEC), or all at once.

An agent has something to decide if it has more than one legal move and it is its turn. Where it
has not, its action mask is all zeros, and whatever it answers is ignored: the environment plays
forced moves and chance by itself. (`Discrete.sample` gives 0 for such a mask.)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.board import Board
from gdl_env.engine.contract import State
from gdl_env.environment.bits import Bits
from gdl_env.environment.decision_batch import TickArrays
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.episode_runner import IllegalActionError
from gdl_env.environment.make import open_by_name
from gdl_env.environment.options import OptionsError
from gdl_env.environment.protocol import Answer
from gdl_env.language.game import Game
from gdl_env.requirements import GYMNASIUM, PETTINGZOO, require

try:
    from gymnasium.spaces import Dict, Discrete, MultiBinary, Space
    from pettingzoo import AECEnv, ParallelEnv
except ModuleNotFoundError:
    require(__name__, GYMNASIUM, PETTINGZOO)
    raise

Observation: TypeAlias = dict[str, NDArray[np.int8]]
Info: TypeAlias = dict[str, Any]

_RENDER_MODES = ('ansi',)


def aec_env(game: Game | Path | str, *, render_mode: str | None = None, **options: Any) -> GameAEC:
    """Open a game whose agents are asked one after the other. Raises OptionsError.

    Options are those of the environment (doc/environment.md), and `engine` and `mapping`.
    """
    return GameAEC(SingleLane(game, render_mode, options))


def parallel_env(
    game: Game | Path | str, *, render_mode: str | None = None, **options: Any
) -> GameParallel:
    """Open a game whose agents are asked at once; see `aec_env`."""
    return GameParallel(SingleLane(game, render_mode, options))


class Told(NamedTuple):
    """The result of a step for one role."""

    reward: float
    terminated: bool
    truncated: bool
    # None while the game continues, or if the rules give none.
    goal: int | None
    # What the role played, as text; '' if it had no turn.
    move: str
    # What it saw last, once the episode is over.
    final_observation: Bits | None


class SingleLane:
    """One lane, as both kinds of environments need it: spaces, observations, infos."""

    def __init__(
        self, game: Game | Path | str, render_mode: str | None, options: dict[str, Any]
    ) -> None:
        if render_mode not in {None, *_RENDER_MODES}:
            raise OptionsError(f'render_mode must be ansi or None, not {render_mode!r}')
        if options.get('lanes', 1) != 1 or options.get('episodes'):
            raise OptionsError('agents of PettingZoo play one game at a time: no lanes, episodes')
        self.environment: Environment = open_by_name(game, **options)
        lanes = self.environment.game
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {
            'name': lanes.game.name,
            'render_modes': list(_RENDER_MODES),
            'is_parallelizable': True,
        }
        self.roles = list(self.environment.roles)
        # Spaces cannot be empty: who never sees anything sees a zero, and where nobody ever moves
        # there is an action that is never legal.
        self._width = max(1, lanes.observation_size)
        self._count = max(1, lanes.action_size)
        self.actions = {role: Discrete(self._count) for role in self.roles}
        self.observations = {role: self._space() for role in self.roles}
        # The state in which the episode ended, once it has, if it may have to be drawn.
        self._final: State | None = None
        # Whether the next episode has begun, in the tick in which the last one ended.
        self._has_begun = False
        self._board = Board(lanes.game)

    def _space(self) -> Dict:
        seen, mask = MultiBinary(self._width), MultiBinary(self._count)
        return Dict({'observation': seen, 'action_mask': mask})

    def reset(self, seed: int | None) -> None:
        """Begin an episode."""
        self._final = None
        if seed is not None or not self._has_begun:
            self.environment.reset(seed)
        self._has_begun = False

    def play(self, actions: dict[str, Any]) -> dict[str, Told]:
        """Play a step with the actions of those who decide."""
        arrays, moves = self.play_arrays(actions)
        return self.describe(arrays, moves)

    def play_arrays(self, actions: dict[str, Any]) -> tuple[TickArrays, tuple[str, ...]]:
        """Play a step; return its result as arrays, and the moves that were played, as text."""
        return self._play_decisions(actions) or self._step(actions)

    def describe(self, arrays: TickArrays, moves: tuple[str, ...]) -> dict[str, Told]:
        """Return the result of a step for every role."""
        if not arrays.ended[0]:
            return {
                role: Told(reward, False, False, None, move, None)
                for role, reward, move in zip(
                    self.roles, arrays.reward[:, 0].tolist(), moves, strict=True
                )
            }
        self._has_begun = True
        terminated = bool(arrays.terminated[0])
        if self.render_mode and self._final is None:
            self._final = self.environment.final_state(0)
        return {
            role: Told(
                reward,
                terminated,
                not terminated,
                goal if goal >= 0 else None,
                move,
                arrays.final_observation(player),
            )
            for player, (role, reward, goal, move) in enumerate(
                zip(
                    self.roles,
                    arrays.reward[:, 0].tolist(),
                    arrays.goals[:, 0].tolist(),
                    moves,
                    strict=True,
                )
            )
        }

    def _play_decisions(
        self, actions: dict[str, Any]
    ) -> tuple[TickArrays, tuple[str, ...]] | None:
        """Play a step in which all who decide answer by legal actions; None, if one does not."""
        environment = self.environment
        given = [actions.get(role) for role in environment.awaited]
        if None in given or environment.is_first_enough:
            return None
        try:
            arrays = environment.play(np.array(given, np.int32).reshape(-1))
        except IllegalActionError:
            return None
        return arrays, environment.game.name_moves(arrays.result)

    def _step(self, actions: dict[str, Any]) -> tuple[TickArrays, tuple[str, ...]]:
        """Play a step by answers: who gives none is late, and another move may be played."""
        answers = {
            role: Answer(
                self.environment.tick_of(role), role, role, np.array([actions[role]], np.int32)
            )
            for role in self.environment.awaited
            if actions.get(role) is not None
        }
        step = self.environment.step(answers)
        return step.arrays, step.moves

    def observe(self, feedback: dict[str, Told]) -> dict[str, Observation]:
        """Return what each role sees and may do, after a step if there was one."""
        shown = self.environment.game.show_bytes(self._width, self._count)
        for row, told in zip(shown, feedback.values(), strict=False):
            if told.terminated or told.truncated:
                # The next episode has begun already: that is not to be seen.
                row[:] = 0
                if told.final_observation is not None:
                    row[: told.final_observation.size] = told.final_observation.row(0)
        width = self._width
        return {
            role: {'observation': row[:width], 'action_mask': row[width:]}
            for role, row in zip(self.roles, shown, strict=True)
        }

    def render(self) -> str | None:
        """Return the whole state as text."""
        if not self.render_mode:
            return None
        state = self.environment.game.state(0) if self._final is None else self._final
        return self._board.draw(state)


def to_info(observation: Observation, goal: int | None = None, move: str = '') -> Info:
    """Return the mask, the goal and the move of an agent.

    - goal: 0 to 100 when the game is over, if the rules give one
    - move: what the agent has played in the last step, as text; '' if it had no turn
    """
    return {'action_mask': observation['action_mask'], 'goal': goal, 'move': move}


class GameAEC(AECEnv[str, Observation, Any]):  # type: ignore[misc]
    """Agents are asked in turn. Where several decide at once, the step waits for the last."""

    def __init__(self, table: SingleLane) -> None:
        super().__init__()
        self.table = table
        self.metadata = table.metadata
        self.render_mode = table.render_mode
        self.possible_agents = list(table.roles)
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's observations, mask included."""
        return self.table.observations[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's actions."""
        return self.table.actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; with a seed, chance repeats itself."""
        self.table.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._ask({})

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        return self._seen[agent]

    def step(self, action: Any) -> None:
        """Take the action of the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._given[agent] = action
        waiting = [role for role in self._asked if role not in self._given]
        if waiting:
            self.agent_selection = waiting[0]
            return
        feedback = self.table.play(self._given)
        for role, told in feedback.items():
            self.rewards[role] = told.reward
            self.terminations[role] = told.terminated
            self.truncations[role] = told.truncated
        self._ask(feedback)
        self._accumulate_rewards()

    def _ask(self, feedback: dict[str, Told]) -> None:
        """Ask those who decide or, where nobody does, everybody."""
        self._seen = self.table.observe(feedback)
        self.infos = {role: to_info(self._seen[role]) for role in self.agents}
        for role, told in feedback.items():
            self.infos[role] = to_info(self._seen[role], told.goal, told.move)
        self._asked = list(self.table.environment.awaited) or list(self.agents)
        self._given: dict[str, Any] = {}
        self.agent_selection = self._asked[0]
        if any(self.terminations.values()) or any(self.truncations.values()):
            self.agent_selection = self.agents[0]

    def render(self) -> str | None:
        """Return the whole state as text, hidden facts too."""
        return self.table.render()

    def close(self) -> None:
        """Release what is held."""
        self.table.environment.close()


class GameParallel(ParallelEnv[str, Observation, Any]):  # type: ignore[misc]
    """All agents are asked in every step; the answers of those who do not decide are ignored."""

    def __init__(self, table: SingleLane) -> None:
        super().__init__()
        self.table = table
        self.metadata = table.metadata
        self.render_mode = table.render_mode
        self.possible_agents = list(table.roles)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's observations, mask included."""
        return self.table.observations[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's actions."""
        return self.table.actions[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Begin an episode; with a seed, chance repeats itself."""
        self.table.reset(seed)
        self.agents = list(self.possible_agents)
        seen = self.table.observe({})
        return seen, {role: to_info(seen[role]) for role in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, Info],
    ]:
        """Play one step; an agent that decides and gives no action is late."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        roles = self.possible_agents
        arrays, moves = self.table.play_arrays(actions)
        if not arrays.ended[0]:
            seen = self.table.observe({})
            return (
                seen,
                dict(zip(roles, arrays.reward[:, 0].tolist(), strict=True)),
                dict.fromkeys(roles, False),
                dict.fromkeys(roles, False),
                {
                    role: to_info(seen[role], None, move)
                    for role, move in zip(roles, moves, strict=True)
                },
            )
        feedback = self.table.describe(arrays, moves)
        seen = self.table.observe(feedback)
        rewards, terminated, truncated, infos = {}, {}, {}, {}
        for role, told in feedback.items():
            rewards[role] = told.reward
            terminated[role] = told.terminated
            truncated[role] = told.truncated
            infos[role] = to_info(seen[role], told.goal, told.move)
        self.agents = []
        return seen, rewards, terminated, truncated, infos

    def render(self) -> str | None:
        """Return the whole state as text, hidden facts too."""
        return self.table.render()

    def close(self) -> None:
        """Release what is held."""
        self.table.environment.close()
