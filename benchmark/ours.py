"""Our engines as contestants."""

from __future__ import annotations

from itertools import count
from time import perf_counter, process_time

from measure import Contestant, NotAvailableError, Run, Sample, repeat, to_sample
from rows import Row

# No game of the benchmark is longer.
_LONGEST = 100_000
# Lanes for which memory is reported.
_LANES = 4096
# The calls of compiled code take about this long, in seconds.
_SLICE = 0.25
# With fewer, lanes that had short games idle too long at the end of a call.
_FEWEST_GAMES_A_LANE = 32
_MOST_GAMES_A_LANE = 2_000


class Circuit(Contestant):
    """The circuit engine: whole random games in compiled code, all lanes at once.

    Lanes idle after their last game of a call; that time is counted.
    """

    def __init__(self, row: Row) -> None:
        from gdl_env.engine.circuit.engine import CircuitEngine
        from gdl_env.engine.circuit.playouts.playouts import LANES
        from gdl_env.errors import GdlError
        from gdl_env.language.load import load_game

        super().__init__(row)
        try:
            self.engine = CircuitEngine(load_game(row.path, dict(row.options)))
            self.tapes = self.engine.compiled.playout
        except GdlError as error:
            raise NotAvailableError(str(error)) from error
        self.lanes = LANES
        self._keys = count(1)
        self._games = 0

    def play(self, seconds: float) -> Run:
        return repeat(self._steps, seconds)

    def sample(self, seconds: float) -> Sample:
        games: list[tuple[int, float]] = []
        start = perf_counter()
        while not games or (perf_counter() - start < seconds and len(games) < 200_000):
            result = self._call(1)
            first = result.goals[:, 0] - result.goals[:, 1:].max(axis=1, initial=-1)
            games += zip(result.steps.tolist(), first.tolist(), strict=True)
        return to_sample(games)

    def facts(self) -> dict[str, object]:
        import numpy as np

        from gdl_env.engine.batch.circuit_batch import CircuitBatch

        # So that they count for the largest memory of this process.
        batch = CircuitBatch(self.engine)
        states = np.repeat(batch.initial, _LANES, axis=0)
        batch.look(states)
        batch.goals(states)
        tape = self.tapes.step
        return {'operations': len(tape.operations), 'facts': self.tapes.facts, 'lanes': _LANES}

    def _steps(self) -> float:
        if not self._games:
            self._calibrate()
        return float(self._call(self._games).steps.sum())

    def _calibrate(self) -> None:
        """Find how many games a lane plays in one call: enough that idle ends hardly count."""
        self._call(1)
        start = process_time()
        self._call(4)
        games = round(4 * _SLICE / (process_time() - start))
        self._games = min(_MOST_GAMES_A_LANE, max(_FEWEST_GAMES_A_LANE, games))

    def _call(self, games: int):  # type: ignore[no-untyped-def]
        import numpy as np

        from gdl_env.engine.circuit.playouts.playouts import play

        quota = np.full(self.lanes, games, np.int64)
        return play(self.tapes, len(self.engine.roles), quota, next(self._keys), _LONGEST)


class ByContract(Contestant):
    """Any of our engines, through the random games of the engine contract."""

    def __init__(self, row: Row, name: str) -> None:
        from gdl_env.errors import GdlError

        super().__init__(row)
        try:
            self.engine = self._open(name)
            # Some engines compile with the first question.
            self.roles = self.engine.roles
            self.engine.legal_moves(self.engine.initial_state)
        except (GdlError, ImportError) as error:
            raise NotAvailableError(str(error)) from error
        self._seeds = count(1)
        self._games = 0

    def play(self, seconds: float) -> Run:
        if not self._games:
            self._calibrate(seconds)
        return repeat(lambda: sum(length for length, _ in self._play(self._games)), seconds)

    def sample(self, seconds: float) -> Sample:
        games: list[tuple[int, float]] = []
        start = perf_counter()
        while not games or (perf_counter() - start < seconds and len(games) < 200_000):
            games += self._play(max(1, self._games))
        return to_sample(games)

    def _open(self, name: str):  # type: ignore[no-untyped-def]
        from gdl_env.language.load import load_game

        game = load_game(self.row.path, dict(self.row.options))
        if name == 'circuit':
            from gdl_env.engine.circuit.engine import CircuitEngine

            return CircuitEngine(game)
        if name == 'firstorder':
            from gdl_env.engine.firstorder.engine import FirstOrderEngine

            return FirstOrderEngine(game)
        from gdl_env.engine.prolog.engine import PrologEngine

        return PrologEngine(game)

    def _calibrate(self, seconds: float) -> None:
        """Find how many games take about a quarter of the time: calls are counted whole."""
        games = 1
        while True:
            start = perf_counter()
            self._play(games)
            passed = perf_counter() - start
            if passed > seconds / 16 or games >= 1_000_000:
                self._games = max(1, round(games * seconds / 4 / passed))
                return
            games *= 4

    def _play(self, games: int) -> list[tuple[int, float]]:
        first, *others = self.roles
        played = []
        for playout in self.engine.playouts(games, next(self._seeds), _LONGEST):
            goals = {role: -1 if goal is None else goal for role, goal in playout.goals.items()}
            best = max((goals[role] for role in others if role in goals), default=-1)
            played.append((playout.steps, goals[first] - best))
        return played


def first_order(row: Row) -> Contestant:
    """Return the first-order engine as a contestant."""
    return ByContract(row, 'firstorder')


def prolog(row: Row) -> Contestant:
    """Return the Prolog engine as a contestant."""
    return ByContract(row, 'prolog')
