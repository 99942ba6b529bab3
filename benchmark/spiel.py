"""open_spiel as a contestant: its own compiled playouts, and the loop most people write.

Playouts in C++: `MCTSBot.mcts_search` with one simulation and a `RandomRolloutEvaluator` of n
rollouts. The one simulation finds a root that was never visited, so it evaluates the initial state
itself: n random games from start to end in C++, with one call from Python. It tells the mean
result, but no lengths; steps are n times the mean length of random games, which are played by
`evaluate_bots` with two `make_uniform_random_bot`, in C++ too, but with a call for each game.
"""

from __future__ import annotations

from itertools import count
from random import Random
from time import perf_counter, process_time

from measure import Contestant, NotAvailableError, OneByOne, Run, Sample, repeat, to_sample
from rows import Row

# Rollouts of one call take about this long, in seconds.
_SLICE = 0.25
_SAMPLE_SECONDS = 2.0


def _load(row: Row):  # type: ignore[no-untyped-def]
    if not row.spiel:
        raise NotAvailableError('open_spiel has no such game')
    try:
        import pyspiel
    except ImportError:
        raise NotAvailableError('open_spiel is not installed') from None
    return pyspiel.load_game(row.spiel)


def _version() -> dict[str, object]:
    from importlib.metadata import version

    return {'version': f'open_spiel {version("open_spiel")}'}


class Rollouts(Contestant):
    """open_spiel's playouts in C++."""

    def __init__(self, row: Row) -> None:
        super().__init__(row)
        self._game = _load(row)
        self._start = self._game.new_initial_state()
        self._seeds = count(1)
        self._length = 0.0
        self._rollouts = 0

    def play(self, seconds: float) -> Run:
        if not self._length:
            self.sample(_SAMPLE_SECONDS)
        if not self._rollouts:
            self._calibrate()
        return repeat(lambda: self._play(self._rollouts) * self._length, seconds)

    def sample(self, seconds: float) -> Sample:
        import pyspiel

        players = range(self._game.num_players())
        bots = [pyspiel.make_uniform_random_bot(player, next(self._seeds)) for player in players]
        games: list[tuple[int, float]] = []
        start = perf_counter()
        while not games or (perf_counter() - start < seconds and len(games) < 200_000):
            state = self._start.clone()
            returns = pyspiel.evaluate_bots(state, bots, next(self._seeds))
            games.append((state.move_number(), returns[0]))
        sample = to_sample(games)
        self._length = sample.length
        return sample

    def facts(self) -> dict[str, object]:
        return _version()

    def _calibrate(self) -> None:
        rollouts = 1
        while True:
            start = process_time()
            self._play(rollouts)
            passed = process_time() - start
            if passed > _SLICE / 8:
                self._rollouts = max(1, round(rollouts * _SLICE / passed))
                return
            rollouts *= 4

    def _play(self, rollouts: int) -> int:
        import pyspiel

        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, next(self._seeds))
        # Exploration, simulations, megabytes, solve, seed, verbose.
        bot = pyspiel.MCTSBot(self._game, evaluator, 1.0, 1, 100, False, next(self._seeds), False)
        root = bot.mcts_search(self._start)
        assert root.explore_count == 1 and not root.children, 'not one evaluation of the root'
        return rollouts


class PythonLoop(OneByOne):
    """open_spiel's states, driven by a loop in Python."""

    def __init__(self, row: Row) -> None:
        super().__init__(row)
        self._game = _load(row)
        self._random = Random(1)

    def facts(self) -> dict[str, object]:
        return _version()

    def play_one(self) -> tuple[int, float]:
        state = self._game.new_initial_state()
        choice = self._random.choice
        steps = 0
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
            steps += 1
        return steps, state.returns()[0]
