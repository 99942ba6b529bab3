"""Our environment as contestants: all lanes as arrays, one lane, and behind the adapters."""

from __future__ import annotations

from itertools import count
import os
from pathlib import Path

from measure import Contestant, NotAvailableError, Run, Sample, repeat
import numpy as np
from rows import Row

from gdl_agents.players.picking import pick_random_rows
from gdl_agents.players.random import RandomAgent
from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import count_ones, find_one, read_word
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.environment.decision_batch import DecisionBatch, TickArrays
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.errors import GdlError
from gdl_env.language.load import load_game
from gdl_env.play.chance import below, word_at

# Ticks of one lane between two looks at the clock.
_TICKS_A_CALL = 64
# Memory is measured with at least this many lanes, and only in environments with enough of them:
# in others, what is needed once outweighs it.
_LANES_HELD = 65_536
_FEWEST_FOR_MEMORY = 512
_SEED = 1


class _Ours(Contestant):
    """A game of ours; measures what `_call` returns for each second of processor time."""

    def __init__(self, row: Row, lanes: int = 1) -> None:
        super().__init__(row)
        self.lanes = lanes
        self._keys = count(1)
        try:
            self.game = load_game(row.path, dict(row.options))
            self._open()
        except (GdlError, ImportError) as error:
            raise NotAvailableError(str(error)) from error

    def play(self, seconds: float) -> Run:
        return repeat(self._call, seconds)

    def sample(self, seconds: float) -> Sample:
        raise NotAvailableError('random games are compared by engines.py')

    def _open(self) -> None:
        raise NotImplementedError

    def _call(self) -> float:
        raise NotImplementedError


class AllLanes(_Ours):
    """All decisions of a tick as arrays, answered by a compiled random agent: lane-steps."""

    def _open(self) -> None:
        self._environment = Environment.open(self.game, Options(lanes=self.lanes))
        self._delivered = 0

    def _call(self) -> float:
        turn, _ = self._play_tick(self._environment)
        self._delivered += len(turn)
        return float(len(turn))

    def _play_tick(self, environment: Environment) -> tuple[DecisionBatch, TickArrays]:
        turn = environment.decisions()
        tick = environment.play(pick_random_rows(turn.legal, next(self._keys)))
        # Parts of a tick are made when they are read.
        _ = tick.reward, tick.terminated, tick.truncated
        return turn, tick

    def _measure_memory(self) -> float:
        """Return the bytes of a lane, with what a tick delivers; 0 where they are not known.

        Of further environments: what a game needs once is there already.
        """
        held = []
        before = _resident_bytes()
        copies = max(1, _LANES_HELD // self.lanes)
        for _ in range(copies):
            environment = Environment.open(self.game, Options(lanes=self.lanes))
            self._play_tick(environment)
            held.append((environment, self._play_tick(environment)))
        return max(0, _resident_bytes() - before) / (copies * self.lanes)

    def facts(self) -> dict[str, object]:
        batch, turn = self._environment.game.batch, self._environment.decisions()
        facts: dict[str, object] = {
            # Steps of the game: chance and moves without a choice are played in between.
            'steps': self._environment.tallies.steps / max(1, self._delivered),
            'observation': f'bit[{turn.observation.size}]',
        }
        if isinstance(batch, CircuitBatch):
            tapes = batch.compiled.step, batch.compiled.look
            facts['operations'] = sum(len(tape.operations) for tape in tapes)
        if self.lanes >= _FEWEST_FOR_MEMORY:
            facts['bytes_a_lane'] = round(self._measure_memory())
        return facts


class OneLane(_Ours):
    """One lane by questions and answers, with the random agent: ticks."""

    def _open(self) -> None:
        self._environment = Environment.open(self.game, Options(lanes=1))
        info = self._environment.info()
        self._agents = {role: RandomAgent() for role in self._environment.roles}
        for role, agent in self._agents.items():
            agent.begin(info, (role,), _SEED)

    def _call(self) -> float:
        environment, agents = self._environment, self._agents
        for _ in range(_TICKS_A_CALL):
            questions = environment.questions(only_decisions=True)
            environment.step({q.role: agents[q.role].choose(q) for q in questions})
        return float(_TICKS_A_CALL)


class GymnasiumVector(_Ours):
    """Lanes of the vector environment, the first role against random opponents: game steps."""

    def _open(self) -> None:
        from gdl_env.adapters.gymnasium import VectorEnvironment

        first = next(str(role) for role in self.game.roles if role != 'random')
        self._env = VectorEnvironment(self.game, first, lanes=self.lanes)
        _, self._infos = self._env.reset(seed=_SEED)
        self._action = np.zeros(self.lanes, np.int32)

    def _call(self) -> float:
        before = self._env.environment.tallies.steps
        _pick(self._infos['action_mask'], np.uint64(next(self._keys)), self._action)
        _, _, _, _, self._infos = self._env.step(self._action)
        return float(self._env.environment.tallies.steps - before)


class PettingZooParallel(_Ours):
    """The parallel environment, which has one lane: ticks."""

    def _open(self) -> None:
        from gdl_env.adapters.pettingzoo import parallel_env

        self._env = parallel_env(self.game)
        self._seen, _ = self._env.reset(seed=_SEED)
        self._action = np.zeros(1, np.int32)

    def _call(self) -> float:
        for _ in range(_TICKS_A_CALL):
            # Not by `Space.sample`, which takes longer than the step.
            actions = {}
            for agent, seen in self._seen.items():
                _pick(seen['action_mask'][None], np.uint64(next(self._keys)), self._action)
                actions[agent] = int(self._action[0])
            self._seen = self._env.step(actions)[0]
            if not self._env.agents:
                self._seen, _ = self._env.reset()
        return float(_TICKS_A_CALL)


@compile_kernel(nogil=True)
def _pick(masks, key, action):  # type: ignore[no-untyped-def]
    """Pick a random action of each row of zeros and ones; 0 where there is none."""
    size = masks.shape[1]
    flat = masks.reshape(-1)
    for row in range(masks.shape[0]):
        draw = word_at(key, row)
        if size <= 64:
            word = _read_entries(flat, row * size, size)
            ones = count_ones(word)
            action[row] = find_one(word, below(draw, ones)) if ones else 0
            continue
        ones = 0
        for first in range(0, size, 64):
            ones += count_ones(_read_entries(flat, row * size + first, size - first))
        left = np.int64(below(draw, ones))
        action[row] = 0
        for first in range(0, size, 64):
            word = _read_entries(flat, row * size + first, size - first)
            count = count_ones(word)
            if left < count:
                action[row] = first + find_one(word, np.uint64(left))
                break
            left -= count


@compile_kernel(nogil=True, inline='always')
def _read_entries(flat, place, rest):  # type: ignore[no-untyped-def]
    """Return up to 64 entries of a row, of which `rest` are left, as the bits of a word."""
    word = np.uint64(0)
    for first in range(0, min(rest, 64), 8):
        spot = place + first
        if spot + 8 <= flat.shape[0]:
            # The lowest bits of eight bytes come to lie side by side in the highest byte.
            packed = (read_word(flat, spot) * np.uint64(0x0102040810204080)) >> np.uint64(56)
        else:
            packed = np.uint64(0)
            for entry in range(flat.shape[0] - spot):
                packed |= np.uint64(flat[spot + entry]) << np.uint64(entry)
        word |= packed << np.uint64(first)
    # Those of the next row do not count.
    return word if rest >= 64 else word & ((np.uint64(1) << np.uint64(rest)) - np.uint64(1))


def _resident_bytes() -> int:
    """Return the memory that this process holds now; 0 where the system does not tell."""
    try:
        pages = Path('/proc/self/statm').read_text('ascii').split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf('SC_PAGE_SIZE')
