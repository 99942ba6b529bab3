"""Many games at once for programs that expect Gymnasium: one role against given opponents.

Lanes are not in step with each other: where one role moves, another waits. A step plays the
actions of the role, and then lets its opponents move until the role has a decision in every lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gdl_env.adapters.array_pool import ArrayPool
from gdl_env.adapters.vector_results import ResultsPool, add_tick
from gdl_env.environment.bits import Bits
from gdl_env.environment.decision_batch import TickArrays
from gdl_env.environment.lanes.episode_runner import IllegalActionError
from gdl_env.environment.lanes.lanes import Mask
from gdl_env.environment.make import open_by_name
from gdl_env.environment.options import OptionsError, Policy
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.errors import GdlError
from gdl_env.language.game import Game
from gdl_env.requirements import GYMNASIUM, require

try:
    from gymnasium.spaces import Discrete, MultiBinary
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError:
    require(__name__, GYMNASIUM)
    raise

RANDOM = 'random'

# More moves of others in a row than any game has.
_MAX_WAITING_TICKS = 10_000


class Opponent(Protocol):
    """Whoever answers questions: every agent does."""

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Get ready to play these roles."""

    def choose(self, question: Question) -> Answer:
        """Answer a question in which something is to be decided."""


class VectorEnvironment(VectorEnv[NDArray[np.int8], Any, NDArray[Any]]):
    """Lanes of one game, seen by one role.

    An episode that ends is followed by the next one in the same step. Should that one end too
    before the role has a decision, its lane waits: `infos['to_move']` is False there, and the next
    step reports the end and continues. So a step never ends two episodes of a lane.
    """

    # As Gymnasium declares it.
    metadata: dict[str, Any] = {'autoreset_mode': AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: Game | Path | str,
        role: str,
        opponents: Mapping[str, Opponent | str] | None = None,
        lanes: int = 1024,
        **options: Any,
    ) -> None:
        """Open a game; roles without an opponent play at random.

        Options are those of the environment (doc/environment.md), and `engine` and `mapping`.
        Raises OptionsError.
        """
        if options.get('episodes'):
            raise OptionsError('episodes have no end here: count them by the flags')
        self.environment = open_by_name(game, lanes=lanes, **options)
        self.role = role
        self._player = self._find(role)
        self._opponents = self._seat(dict(opponents or {}))
        self._begun = False
        lane_game = self.environment.game
        self.num_envs = lanes
        # Spaces cannot be empty: who never sees anything sees a zero, and where nobody ever moves
        # there is an action that is never legal.
        self._width = max(1, lane_game.observation_size)
        self._count = max(1, lane_game.action_size)
        self.single_observation_space = MultiBinary(self._width)
        self.single_action_space = Discrete(self._count)
        self.observation_space = batch_space(self.single_observation_space, lanes)
        self.action_space = batch_space(self.single_action_space, lanes)
        self._pool = ResultsPool(lanes, self._width)
        self._observations = ArrayPool((lanes, self._width), np.int8)
        self._masks = ArrayPool((lanes, self._count), np.int8)
        self._start()

    def _find(self, role: str) -> int:
        roles = self.environment.roles
        if role not in roles:
            raise OptionsError(f'no role {role!r}; roles: {", ".join(roles)}')
        return roles.index(role)

    def _seat(self, opponents: dict[str, Opponent | str]) -> dict[str, Opponent]:
        seated: dict[str, Opponent] = {}
        for role in opponents:
            if self._find(role) == self._player:
                raise OptionsError(f'{role} is the role that learns: it has no opponent')
        for role in self.environment.roles:
            opponent = opponents.get(role, RANDOM)
            if role == self.role:
                continue
            if not isinstance(opponent, str):
                seated[role] = opponent
            elif opponent == RANDOM:
                self.environment.set_policy(role, Policy.RANDOM)
            else:
                raise OptionsError(f'no opponent {opponent!r}: give {RANDOM!r}, or an agent')
        return seated

    def _start(self) -> None:
        """Forget what is owed, and restart the tick count of opponents."""
        self._results = self._pool.take()
        # What came after an episode of this step ended: it belongs to the next step.
        self._owed = self._pool.take()
        tick_of = self.environment.tick_of
        self._first_tick = {role: tick_of(role) for role in self.environment.roles}

    # ---- running

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin an episode in all lanes; with a seed, everything repeats itself."""
        super().reset(seed=seed)
        self.environment.reset(seed)
        if seed is not None or not self._begun:
            self._start()
            self._begin_opponents()
        else:
            first = self._first_tick
            self._start()
            self._first_tick = first
        self._wait()
        # No role has acted yet: what ended before the first decision has no reward.
        self._results = self._pool.take()
        return self._read_question()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play the actions of the role, and the moves of its opponents until it moves again.

        Actions count where `infos['to_move']` is True. Rewards are summed.
        """
        self._results, self._owed = self._owed, self._pool.take()
        self._tick(None, np.asarray(actions, np.int32))
        self._wait()
        results = self._results
        seen, infos = self._read_question()
        if results.has_ends:
            over = results.over
            infos |= {
                'final_obs': results.final,
                '_final_obs': over,
                'goal': results.goal,
                '_goal': over,
            }
        return seen, results.reward, results.terminated, results.truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """Return nothing: there is too much to be seen."""
        return None

    def close_extras(self, **kwargs: Any) -> None:
        """Release what is held."""
        self.environment.close()

    # ---- inside

    @property
    def _to_move(self) -> Mask:
        """Return the lanes in which the role decides."""
        decides: Mask = self.environment.decides[self._player]
        return decides

    def _begin_opponents(self) -> None:
        info = self.environment.info()
        self._begun = True
        for role, opponent in self._opponents.items():
            opponent.begin(info, (role,), self.environment.seed)

    def _wait(self) -> None:
        """Let the others move where the role has nothing to decide."""
        for _ in range(_MAX_WAITING_TICKS):
            ready = self._to_move
            if self._owed.has_ends:
                ready = ready | self._owed.over
            if ready.all():
                return
            self._tick(~ready, None)
        raise GdlError(f'{self.role} had no decision for {_MAX_WAITING_TICKS} moves of others')

    def _tick(self, lanes: Mask | None, actions: NDArray[np.int32] | None) -> None:
        """Play a tick of some lanes (None: all), with the role's actions if it decides there."""
        if not self._opponents and self._play_at_once(lanes, actions):
            return
        environment = self.environment
        answers = {}
        for role in environment.awaited:
            if role == self.role:
                if actions is not None:
                    answers[role] = Answer(environment.tick_of(role), role, role, actions)
            elif (question := self._question(role, lanes)).is_decision:
                answer = self._opponents[role].choose(question)
                answers[role] = replace(answer, tick=environment.tick_of(role))
        self._take(environment.step(answers, lanes).arrays)

    def _play_at_once(self, lanes: Mask | None, actions: NDArray[np.int32] | None) -> bool:
        """Play a tick in which all opponents play at random, the quick way.

        The answer is False, and nothing is played, if an action is illegal or missing.
        """
        given = None
        if actions is not None:
            if actions.shape != (self.num_envs,):
                return False
            given = self._player, np.ascontiguousarray(actions)
        try:
            tick = self.environment.play_drawn(lanes, given)
        except IllegalActionError:
            return False
        self._take(tick)
        return True

    def _take(self, tick: TickArrays) -> None:
        """Take in a tick: what comes after an end in this step belongs to the next one."""
        add_tick(self._results, self._owed, tick, self._player)

    def _question(self, role: str, lanes: Mask | None) -> Question:
        """Return the question to an opponent, in some lanes; ticks count from the last seed.

        Agents draw by the tick: only so does a game repeat itself.
        """
        question = self.environment.question(role)
        to_move, legal = question.to_move, question.legal
        if lanes is not None:
            to_move = to_move & lanes
        if legal is not None and lanes is not None:
            legal = Bits(np.where(lanes[:, None], legal.data, np.uint8(0)), legal.size)
        tick = question.tick - self._first_tick[role] + 1
        return replace(question, tick=tick, to_move=to_move, legal=legal)

    def _read_question(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Return what the role sees, and what it may do."""
        observation, legal = self.environment.show(self.role)
        everywhere = np.ones(self.num_envs, np.bool_)
        return _unpack(observation, self._observations.take()), {
            'action_mask': _unpack(legal, self._masks.take()),
            '_action_mask': everywhere,
            'to_move': self._to_move.copy(),
            '_to_move': everywhere,
        }


def _unpack(bits: Bits | None, out: NDArray[np.int8]) -> NDArray[np.int8]:
    """Fill in a matrix of zeros and ones; what is not given is zero."""
    if bits is not None and bits.size == out.shape[1]:
        bits.unpack_to(out.view(np.bool_))
    else:
        out[:] = 0
    return out
