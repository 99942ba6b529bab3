"""Our environment as contestants: all lanes as arrays, one lane, and behind the adapters."""

from __future__ import annotations

from itertools import count
import os
from pathlib import Path

from llvmlite import ir
from measure import Contestant, NotAvailableError, Run, Sample, repeat
from numba import types
from numba.extending import intrinsic
import numpy as np
from rows import Row

from gdl_agents.players.picking import pick_random_rows
from gdl_agents.players.random import RandomAgent
from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.word_bits import count_ones, find_one
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

        first = next(name for name in map(str, self.game.roles) if name != 'random')
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
    rows, size = masks.shape
    flat = masks.reshape(-1)
    # Up to here, 64 entries may be read at once.
    whole = max(0, rows - 64 // size - 1)
    if size <= 32:
        _pick_few(flat, size, key, action[:whole])
    else:
        _pick_many(flat, size, key, action[:whole])
    _pick_slowly(masks[whole:], key, action[whole:], whole)


@compile_kernel(nogil=True)
def _pick_few(flat, size, key, action):  # type: ignore[no-untyped-def]
    """Do as `_pick` for up to 32 actions."""
    every = (np.uint64(1) << np.uint64(size)) - np.uint64(1)
    for row in range(np.uint64(action.shape[0])):
        if size <= 16:
            word = _join_entries(flat, np.int64(row) * size, 16) & every
        else:
            word = _join_entries(flat, np.int64(row) * size, 32) & every
        place = find_one(word, below(word_at(key, row), count_ones(word)))
        action[row] = place if word else 0


@compile_kernel(nogil=True)
def _pick_many(flat, size, key, action):  # type: ignore[no-untyped-def]
    """Do as `_pick` for many actions: each row is read once."""
    words = np.empty((size + 63) >> 6, np.uint64)
    rest = ~np.uint64(0) >> np.uint64(-size & 63)
    for row in range(action.shape[0]):
        ones = 0
        for k in range(np.uint64(words.shape[0])):
            word = _join_entries(flat, row * size + 64 * np.int64(k), 64)
            # Those of the next row do not count.
            word = word if k + np.uint64(1) < words.shape[0] else word & rest
            words[k] = word
            ones += count_ones(word)
        left = np.int64(below(word_at(key, row), ones))
        action[row] = 0
        for k in range(words.shape[0] if ones else 0):
            count = count_ones(words[k])
            if left < count:
                action[row] = 64 * k + find_one(words[k], np.uint64(left))
                break
            left -= count


@compile_kernel(nogil=True)
def _pick_slowly(masks, key, action, first):  # type: ignore[no-untyped-def]
    """Do as `_pick` entry by entry; the rows are counted from `first` on."""
    for row in range(masks.shape[0]):
        left = np.int64(below(word_at(key, first + row), np.count_nonzero(masks[row])))
        action[row] = 0
        for entry in range(masks.shape[1]):
            if masks[row, entry]:
                if left == 0:
                    action[row] = entry
                    break
                left -= 1


@intrinsic(prefer_literal=True)
def _join_entries(context, flat, place, size):  # type: ignore[no-untyped-def]
    """Return a bit for each of 16, 32 or 64 bytes of an array, whether it is not zero."""
    signature = types.uint64(flat, types.int64, size)

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        array = context.make_array(signature.args[0])(context, builder, args[0])
        count = size.literal_value
        kind = ir.VectorType(ir.IntType(8), count)
        pointer = builder.bitcast(builder.gep(array.data, [args[1]]), kind.as_pointer())
        zero = ir.Constant(kind, [0] * count)
        bits = builder.icmp_unsigned('!=', builder.load(pointer, align=1), zero)
        word = builder.bitcast(bits, ir.IntType(count))
        return word if count == 64 else builder.zext(word, ir.IntType(64))

    return signature, generate


def _resident_bytes() -> int:
    """Return the memory that this process holds now; 0 where the system does not tell."""
    try:
        pages = Path('/proc/self/statm').read_text('ascii').split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf('SC_PAGE_SIZE')
