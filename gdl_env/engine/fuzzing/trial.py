"""One game on several engines: what they answer on random walks must be the same."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise
from time import monotonic
import traceback

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.contract import Engine
from gdl_env.engine.fuzzing.batches import compare_batches
from gdl_env.engine.recordings.recording import to_lines
from gdl_env.engine.registry import open_engine
from gdl_env.engine.verification.comparison import Comparison, Disagreement
from gdl_env.engine.verification.counterexample import describe, to_counterexample
from gdl_env.engine.verification.verify import verify
from gdl_env.errors import (
    EngineError,
    EngineLimitError,
    EngineUnavailableError,
    GdlError,
    RangeError,
    RuleError,
)
from gdl_env.language.load import game_from_text

# Walks that a batch takes at a time.
_WALKS = 16


class TrialStatus(Enum):
    """What a game showed."""

    AGREE = 'agree'
    DISAGREE = 'disagree'
    # An engine failed with an error that is none of ours, or its process died.
    CRASH = 'crash'
    # A limit of time, memory or numbers was met.
    CUT = 'cut short'
    INVALID = 'not a valid game'
    # Fewer than two engines can run it.
    ALONE = 'no other engine'


@dataclass(frozen=True)
class TrialTask:
    """What is done with each game."""

    engines: tuple[str, ...]
    # The states of random walks that each pair of engines is compared on.
    states: int
    seed: int
    # Seconds for one game in all, and for one question to an engine.
    seconds: float = 60.0
    time_limit: float = 10.0


@dataclass(frozen=True)
class Trial:
    """What the engines showed on one game."""

    status: TrialStatus
    states: int = 0
    # Two trials with the same signature show the same mistake.
    signature: str = ''
    # The engines that show it; empty for all.
    engines: tuple[str, ...] = ()
    # In words, for a reader.
    remark: str = ''
    recording: tuple[str, ...] = ()

    @property
    def is_found(self) -> bool:
        """Tell whether it shows a mistake."""
        return self.status in {TrialStatus.DISAGREE, TrialStatus.CRASH}


def run_trial(text: str, task: TrialTask) -> Trial:
    """Compare the engines on a game, up to the first disagreement; never raises an Exception."""
    stage = ['reading the rules']
    try:
        return _run(text, task, stage)
    except MemoryError:
        return Trial(TrialStatus.CUT, remark='out of memory')
    except EngineLimitError as error:
        return Trial(TrialStatus.CUT, remark=str(error))
    except RuleError as error:
        # All engines say so of the initial state: that was compared.
        return Trial(TrialStatus.AGREE, remark=str(error))
    except Exception as error:
        # Whatever it is: an error outside of the tree of errors is what is looked for.
        kind = type(error).__name__
        trace = ''.join(traceback.format_exception(error))
        remark = f'{kind} while {stage[-1]}: {error}\n{trace}'
        return Trial(TrialStatus.CRASH, signature=f'{kind} while {stage[-1]}', remark=remark)


def _run(text: str, task: TrialTask, stage: list[str]) -> Trial:
    end = monotonic() + task.seconds
    try:
        game = game_from_text(text, 'fuzz')
    except GdlError as error:
        return Trial(TrialStatus.INVALID, remark=str(error))
    with ExitStack() as stack:
        engines: list[Engine] = []
        for name in task.engines:
            stage.append(f'opening the engine {name}')
            try:
                engine = open_engine(game, name, time_limit=task.time_limit)
            except (EngineUnavailableError, EngineLimitError):
                continue
            engines.append(stack.enter_context(engine))
        if len(engines) < 2:
            return Trial(TrialStatus.ALONE)
        trial = Trial(TrialStatus.AGREE)
        for first, second in pairwise(engines):
            stage.append(f'comparing {first.name} with {second.name}')
            trial = _compare(first, second, task, end, trial)
            if trial.status is not TrialStatus.AGREE:
                return trial
        circuit = engines[0]
        if isinstance(circuit, CircuitEngine):
            stage.append(f'comparing batches of circuit with {engines[1].name}')
            trial = _compare_batches(circuit, engines[1], task, trial)
        return trial


def _compare(first: Engine, second: Engine, task: TrialTask, end: float, trial: Trial) -> Trial:
    found = verify(first, second, task.states, task.seed, end - monotonic())
    trial = replace(trial, states=trial.states + found.states)
    if found.disagreement is not None:
        if _leaves_range(first, found.disagreement):
            return trial
        return _disagree(Comparison(first, second), found.disagreement, trial)
    if found.cut:
        return replace(trial, status=TrialStatus.CUT, remark=found.cut)
    return trial


def _leaves_range(engine: Engine, found: Disagreement) -> bool:
    """Tell whether an engine stops there at a value outside its range, as other engines do not."""
    try:
        state = engine.initial_state
        for moves in found.steps:
            state = engine.next_state(state, moves)
        engine.legal_moves(state)
    except RangeError:
        return True
    except EngineError:
        return False
    return False


def _compare_batches(
    circuit: CircuitEngine, other: Engine, task: TrialTask, trial: Trial
) -> Trial:
    batches = CircuitBatch(circuit), EngineBatch(other)
    states, found = compare_batches(*batches, _WALKS, task.seed)
    trial = replace(trial, states=trial.states + states)
    if found is None:
        return trial
    return _disagree(Comparison(circuit, other), found, trial, 'batches: ')


def _disagree(comparison: Comparison, found: Disagreement, trial: Trial, what: str = '') -> Trial:
    engines = comparison.first.name, comparison.second.name
    try:
        recording = tuple(to_lines(to_counterexample(comparison, found).recording))
    except GdlError:
        # No engine can answer again; the words have to do.
        recording = ()
    return replace(
        trial,
        status=TrialStatus.DISAGREE,
        signature=f'{what}{" ".join(engines)}: {found.difference.question.value}',
        engines=engines,
        remark=what + describe(comparison, found),
        recording=recording,
    )
