"""One game on several engines: what they answer on random walks must be the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import pairwise
from time import monotonic
import traceback

import numpy as np

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.contract import Engine
from gdl_env.engine.fuzzing.batches import WalkedRows, compare_batches
from gdl_env.engine.fuzzing.generator import load_generated
from gdl_env.engine.fuzzing.machine_code import compare_play, compare_programs
from gdl_env.engine.fuzzing.opening import open_for_trial
from gdl_env.engine.fuzzing.random_play import expect_play, judge_playouts
from gdl_env.engine.fuzzing.ranges import leaves_range
from gdl_env.engine.fuzzing.search_walk import compare_search
from gdl_env.engine.fuzzing.standalone import compare_standalone
from gdl_env.engine.fuzzing.trial import Part, Trial, TrialStatus, TrialTask
from gdl_env.engine.prolog.process import is_prolog_installed
from gdl_env.engine.recordings.recording import to_lines
from gdl_env.engine.verification.comparison import Comparison, Disagreement
from gdl_env.engine.verification.counterexample import describe, to_counterexample
from gdl_env.engine.verification.verify import verify
from gdl_env.errors import EngineLimitError, EngineUnavailableError, GdlError, RuleError

# Walks that a batch takes at a time.
_WALKS = 4
# Random games of each engine, by its name (others: _GAMES), and the steps of a game.
_GAMES, _GAMES_OF = 20, {'circuit': 512, 'firstorder': 300}
_STEPS = 8
# Games with more different steps than this are too large to follow all of them.
_MOST_STEPS = 250


def run_trial(text: str, task: TrialTask) -> Trial:
    """Compare the engines on a game, up to the first disagreement; never raises an Exception."""
    run = _TrialRun(task)
    try:
        return run.run(text)
    except MemoryError:
        return replace(run.trial, status=TrialStatus.CUT, remark='out of memory')
    except EngineLimitError as error:
        return replace(run.trial, status=TrialStatus.CUT, remark=str(error))
    except RuleError as error:
        # All engines say so of the initial state: that was compared.
        return replace(run.trial, remark=str(error))
    except Exception as error:
        # Whatever it is: an error outside of the tree of errors is what is looked for.
        kind = type(error).__name__
        trace = ''.join(traceback.format_exception(error))
        remark = f'{kind} while {run.stage}: {error}\n{trace}'
        return Trial(TrialStatus.CRASH, signature=f'{kind} while {run.stage}', remark=remark)


class _TrialRun:
    """The comparisons of one game, one after the other."""

    def __init__(self, task: TrialTask) -> None:
        self._task = task
        self._end = monotonic() + task.seconds
        self.stage = 'reading the rules'
        self.trial = Trial(TrialStatus.AGREE)

    def run(self, text: str) -> Trial:
        try:
            game = load_generated(text)
        except GdlError as error:
            return Trial(TrialStatus.INVALID, remark=str(error))
        with ExitStack() as stack:
            engines: list[Engine] = []
            for name in self._task.engines:
                self.stage = f'opening the engine {name}'
                try:
                    engine = open_for_trial(game, name, self._task.time_limit)
                except (EngineUnavailableError, EngineLimitError):
                    continue
                engines.append(stack.enter_context(engine))
            if len(engines) < 2:
                return Trial(TrialStatus.ALONE)
            self.trial = replace(self.trial, seen=tuple(engine.name for engine in engines))
            for compare in self._comparisons(engines):
                compare()
                if self.trial.status is not TrialStatus.AGREE:
                    break
        return self.trial

    def _comparisons(self, engines: list[Engine]) -> Iterator[Callable[[], None]]:
        for first, second in pairwise(engines):
            yield partial(self._compare_engines, first, second)
        circuit, *others = engines
        if isinstance(circuit, CircuitEngine):
            yield lambda: self._compare_batches(circuit, others[0])
            yield lambda: self._compare_search(circuit, others[0])
        yield lambda: self._compare_playouts(engines)
        if self._task.has_standalone and is_prolog_installed():
            yield lambda: self._compare_standalone(engines[-1])

    def _compare_engines(self, first: Engine, second: Engine) -> None:
        self.stage = f'comparing {first.name} with {second.name}'
        found = verify(first, second, self._task.states, self._task.seed, self._end - monotonic())
        self._count(found.states)
        if found.disagreement is not None:
            if not leaves_range(first, second, found.disagreement):
                self._disagree(Comparison(first, second), found.disagreement)
        elif found.cut:
            self.trial = replace(self.trial, status=TrialStatus.CUT, remark=found.cut)

    def _compare_batches(self, circuit: CircuitEngine, other: Engine) -> None:
        self.stage = f'comparing batches of circuit with {other.name}'
        met = WalkedRows()
        batches = CircuitBatch(circuit), EngineBatch(other)
        states, found = compare_batches(*batches, _WALKS, self._task.seed, met)
        self._count(states, Part.BATCHES)
        if found is not None and not leaves_range(circuit, other, found):
            self._disagree(Comparison(circuit, other), found, Part.BATCHES)
            return
        self.stage = 'comparing machine code with tapes'
        problem = compare_play(circuit, _GAMES_OF['circuit'], self._task.seed, _STEPS)
        if met.states and not problem:
            rows = np.concatenate(met.states), np.concatenate(met.does)
            problem = compare_programs(circuit, *rows)
        self._count(0, Part.MACHINE_CODE)
        if problem:
            self._deviate(Part.MACHINE_CODE, problem, (circuit, other))

    def _compare_search(self, circuit: CircuitEngine, other: Engine) -> None:
        self.stage = 'comparing search with circuit'
        found = compare_search(circuit, self._task.states // 2, self._task.seed)
        self._count(0, Part.SEARCH)
        if found is not None:
            self._disagree(Comparison(circuit, other), found, Part.SEARCH)

    def _compare_playouts(self, engines: list[Engine]) -> None:
        self.stage = 'following all random games'
        expected = expect_play(engines[0], _STEPS, _MOST_STEPS)
        if expected is None:
            return
        self._count(0, Part.RANDOM_PLAY)
        knowing = engines[:1] if expected.leaves_range else engines
        for engine in knowing:
            self.stage = f'playing at random with {engine.name}'
            games = _GAMES_OF.get(engine.name, _GAMES)
            problem = judge_playouts(expected, engine.playouts(games, self._task.seed, _STEPS))
            if problem:
                self._deviate(Part.RANDOM_PLAY, f'{engine.name}: {problem}', tuple(engines))
                return

    def _compare_standalone(self, engine: Engine) -> None:
        self.stage = 'running the standalone program'
        problem = compare_standalone(engine, self._task.seed, self._task.time_limit)
        self._count(0, Part.STANDALONE)
        if problem:
            self._deviate(Part.STANDALONE, problem, ())

    # ---- what was found

    def _count(self, states: int, part: Part | None = None) -> None:
        seen = self.trial.seen if part is None else (*self.trial.seen, part.value)
        self.trial = replace(self.trial, states=self.trial.states + states, seen=seen)

    def _deviate(self, part: Part, problem: str, engines: tuple[Engine, ...]) -> None:
        self.trial = replace(
            self.trial,
            status=TrialStatus.DISAGREE,
            signature=part.value,
            engines=tuple(engine.name for engine in engines),
            remark=f'{part.value}: {problem}',
        )

    def _disagree(
        self, comparison: Comparison, found: Disagreement, part: Part | None = None
    ) -> None:
        engines = comparison.first.name, comparison.second.name
        what = '' if part is None else f'{part.value}: '
        try:
            recording = tuple(to_lines(to_counterexample(comparison, found).recording))
        except GdlError:
            # No engine can answer again; the words have to do.
            recording = ()
        self.trial = replace(
            self.trial,
            status=TrialStatus.DISAGREE,
            signature=f'{what}{" ".join(engines)}: {found.difference.question.value}',
            engines=engines,
            remark=what + describe(comparison, found),
            recording=recording,
        )
