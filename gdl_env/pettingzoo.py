"""Games for programs that expect PettingZoo: agents in turn (AEC), or all at once.

An agent has something to decide if it has more than one legal move and it is its turn. Where it
has not, its action mask is all zeros, and whatever it answers is ignored: the environment plays
forced moves and chance by itself. (`Discrete.sample` gives 0 for such a mask.)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

from gymnasium.spaces import Dict, Discrete, MultiBinary, Space
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from gdl_env.engine.board import Board
from gdl_env.engine.contract import Role, State
from gdl_env.engine.interpreter import Step as EngineStep
from gdl_env.environment.by_name import open_by_name
from gdl_env.environment.environment import Environment
from gdl_env.environment.exchange import NO_GOAL, Answer, Feedback
from gdl_env.environment.options import OptionsError
from gdl_env.environment.trace import Trace
from gdl_env.language.game import Game

Observation: TypeAlias = dict[str, NDArray[np.int8]]
Info: TypeAlias = dict[str, Any]

_RENDER_MODES = ('ansi',)


def aec_env(game: Game | Path | str, *, render_mode: str | None = None, **options: Any) -> GameAEC:
    """Open a game whose agents are asked one after the other. Raises OptionsError.

    Options are those of the environment (doc/environment.md), and `engine` and `mapping`.
    """
    return GameAEC(Table(game, render_mode, options))


def parallel_env(
    game: Game | Path | str, *, render_mode: str | None = None, **options: Any
) -> GameParallel:
    """Open a game whose agents are asked at once; see `aec_env`."""
    return GameParallel(Table(game, render_mode, options))


class _LastState(Trace):
    """Remembers the last state of lane 0, also when the next episode has begun."""

    def __init__(self, game: Game, roles: tuple[Role, ...], initial: State) -> None:
        super().__init__(game, roles, 1)
        self.state = initial
        self._is_over = False

    def begin(self, lane: int, initial: State, seed: int | None = None) -> None:
        """Take the first state, unless an episode has just ended."""
        if not self._is_over:
            self.state = initial

    def step(self, lane: int, step: EngineStep) -> None:
        """Take the next state."""
        if not self._is_over:
            self.state = step.state

    def end(self, lane: int, goals: Any) -> None:
        """Keep the state from now on."""
        self._is_over = True

    def reset(self) -> None:
        """Follow again."""
        self._is_over = False


class Table:
    """One lane, as both kinds of environments need it: spaces, observations, infos."""

    def __init__(
        self, game: Game | Path | str, render_mode: str | None, options: dict[str, Any]
    ) -> None:
        if render_mode not in {None, *_RENDER_MODES}:
            raise OptionsError(f'render_mode must be ansi or None, not {render_mode!r}')
        if options.get('lanes', 1) != 1 or options.get('episodes'):
            raise OptionsError('agents of PettingZoo play one game at a time: no lanes, episodes')
        self.environment: Environment = open_by_name(game, **options)
        lane_game = self.environment.game
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {
            'name': lane_game.game.name,
            'render_modes': list(_RENDER_MODES),
            'is_parallelizable': True,
        }
        self.roles = list(self.environment.roles)
        # Spaces cannot be empty: who never sees anything sees a zero, and where nobody ever moves
        # there is an action that is never legal.
        self._width = max(1, lane_game.observation_size)
        self._count = max(1, lane_game.action_size)
        self.actions = {role: Discrete(self._count) for role in self.roles}
        self.observations = {role: self._space() for role in self.roles}
        self._last = _LastState(lane_game.game, lane_game.roles, lane_game.state(0))
        lane_game.trace = self._last
        self._board = Board(lane_game.game)

    def _space(self) -> Dict:
        seen, mask = MultiBinary(self._width), MultiBinary(self._count)
        return Dict({'observation': seen, 'action_mask': mask})

    def reset(self, seed: int | None) -> None:
        """Begin an episode."""
        self._last.reset()
        self.environment.reset(seed)

    def play(self, actions: dict[str, Any]) -> dict[str, Feedback]:
        """Play a step with the actions of those who decide."""
        answers = {
            role: Answer(
                self.environment.tick_of(role), role, role, np.array([actions[role]], np.int32)
            )
            for role in self.environment.awaited
            if actions.get(role) is not None
        }
        return dict(self.environment.step(answers).feedback)

    def observe(self, role: str, feedback: Feedback | None = None) -> Observation:
        """Return what a role sees and may do, after a step if there was one."""
        question = self.environment.question(role)
        seen, legal = question.observation, question.legal
        if feedback is not None and feedback.final_observation is not None:
            # The next episode has begun already: that is not to be seen.
            seen, legal = feedback.final_observation, None
        mask = np.zeros(self._count, np.int8)
        if legal is not None:
            mask[: legal.size] = legal.row(0)
        row = np.zeros(self._width, np.int8)
        if seen is not None:
            row[: seen.size] = seen.row(0)
        return {'observation': row, 'action_mask': mask}

    def render(self) -> str | None:
        """Return the whole state as text."""
        return self._board.draw(self._last.state) if self.render_mode else None


def to_info(observation: Observation, feedback: Feedback | None = None) -> Info:
    """Return the mask, the goal and the move of an agent."""
    goal = NO_GOAL if feedback is None else int(feedback.goal[0])
    return {
        'action_mask': observation['action_mask'],
        # 0 to 100 when the game is over, if the rules give one.
        'goal': None if goal == NO_GOAL else goal,
        # What the agent has played in the last step, as text; '' if it had no turn.
        'move': '' if feedback is None else feedback.move,
    }


class GameAEC(AECEnv[str, Observation, Any]):  # type: ignore[misc]
    """Agents are asked in turn. Where several decide at once, the step waits for the last."""

    def __init__(self, table: Table) -> None:
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
            self.rewards[role] = float(told.reward[0])
            self.terminations[role] = bool(told.terminated[0])
            self.truncations[role] = bool(told.truncated[0])
        self._ask(feedback)
        self._accumulate_rewards()

    def _ask(self, feedback: dict[str, Feedback]) -> None:
        """Ask those who decide or, where nobody does, everybody."""
        self._seen = {role: self.table.observe(role, feedback.get(role)) for role in self.agents}
        self.infos = {role: to_info(self._seen[role], feedback.get(role)) for role in self.agents}
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

    def __init__(self, table: Table) -> None:
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
        seen = {role: self.table.observe(role) for role in self.agents}
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
        feedback = self.table.play(actions)
        seen = {role: self.table.observe(role, told) for role, told in feedback.items()}
        infos = {role: to_info(seen[role], told) for role, told in feedback.items()}
        rewards = {role: float(told.reward[0]) for role, told in feedback.items()}
        terminated = {role: bool(told.terminated[0]) for role, told in feedback.items()}
        truncated = {role: bool(told.truncated[0]) for role, told in feedback.items()}
        if any(terminated.values()) or any(truncated.values()):
            self.agents = []
        return seen, rewards, terminated, truncated, infos

    def render(self) -> str | None:
        """Return the whole state as text, hidden facts too."""
        return self.table.render()

    def close(self) -> None:
        """Release what is held."""
        self.table.environment.close()
