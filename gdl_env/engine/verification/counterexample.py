"""A disagreement of two engines as a recording: one engine tells, the other one deviates."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_env.engine.contract import Engine, Move, Moves, Role, State
from gdl_env.engine.perft import each_step
from gdl_env.engine.recordings.recording import Ending, RecordedStep, Recording
from gdl_env.engine.verification.comparison import Comparison, Disagreement, EngineQuery
from gdl_env.errors import EngineError

# Of what is only on one side.
_MOST_SHOWN = 20


@dataclass(frozen=True)
class Counterexample:
    """A recording of what one engine says."""

    recording: Recording
    teller: Engine
    # Replaying the recording with this engine stops at the difference.
    other: Engine
    # Whether a recording can show it: probabilities and views are not recorded.
    is_shown: bool


def describe(comparison: Comparison, found: Disagreement) -> str:
    """Return a disagreement in words, with its steps and both answers."""
    engines = comparison.first, comparison.second
    names = [engine.name or type(engine).__name__ for engine in engines]
    question, count = found.difference.question, len(found.steps)
    where = 'at the start' if not count else f'after {count} step{"s" if count > 1 else ""}'
    if question.needs_moves:
        where = f'in step {count}'
    remark = ' (nothing shorter shows it)' if found.is_shortest else ''
    lines = [f'{names[0]} and {names[1]} disagree {where}{remark}: {question.value}']
    for number, moves in enumerate(found.steps, start=1):
        step = ', '.join(f'{role}: {move}' for role, move in moves.items())
        lines.append(f'  {number}. {step}')
    sides = found.difference.only_first, found.difference.only_second
    for name, texts in zip(names, sides, strict=True):
        lines.append(f'  only {name}:')
        lines += [f'    {text}' for text in texts[:_MOST_SHOWN]] or ['    (nothing)']
        if len(texts) > _MOST_SHOWN:
            lines.append(f'    … and {len(texts) - _MOST_SHOWN} more')
    return '\n'.join(lines)


def to_counterexample(comparison: Comparison, found: Disagreement) -> Counterexample:
    """Make a recording of a disagreement. Raises EngineError if no engine can answer again."""
    first, second = comparison.first, comparison.second
    question = found.difference.question
    if question is EngineQuery.LEGAL:
        return _of_moves(first, second, found.steps)
    if question is EngineQuery.PERCEPTS and not found.difference.only_first:
        # A recording does not tell that nothing was perceived.
        first, second = second, first
    is_shown = question not in {EngineQuery.EXPERIMENTS, EngineQuery.VIEWS}
    try:
        recording = _record(first, found.steps, question)
    except EngineError:
        # It has no answer: that is the difference.
        recording = _record(second, found.steps, question)
        first, second = second, first
    return Counterexample(recording, first, second, is_shown)


def _of_moves(first: Engine, second: Engine, steps: tuple[Moves, ...]) -> Counterexample:
    """Record a move that is legal for one engine and not for the other."""
    state = second.initial_state
    for moves in steps:
        state = second.next_state(state, moves)
    for teller, other in ((first, second), (second, first)):
        illegal = _illegal_step(teller, other, state)
        if illegal is not None:
            recording = _record(teller, (*steps, illegal), EngineQuery.LEGAL)
            return Counterexample(recording, teller, other, True)
    return Counterexample(_record(first, steps, EngineQuery.LEGAL), first, second, False)


def _record(engine: Engine, steps: tuple[Moves, ...], question: EngineQuery) -> Recording:
    has_end = question in {EngineQuery.TERMINAL, EngineQuery.GOALS}
    has_percepts = question is EngineQuery.PERCEPTS
    state = engine.initial_state
    recorded = []
    for moves in steps:
        percepts = engine.percepts(state, moves) if has_percepts else None
        state = engine.next_state(state, moves)
        recorded.append(RecordedStep(moves, state, percepts=percepts))
    return Recording(
        game=engine.game.name,
        roles=engine.roles,
        initial=engine.initial_state,
        steps=tuple(recorded),
        ending=Ending(engine.is_terminal(state), engine.goals(state)) if has_end else None,
        rules_hash=engine.game.hash,
    )


def _illegal_step(teller: Engine, other: Engine, state: State) -> Moves | None:
    """Return a step of one engine with a move that the other one does not know, or None."""
    known = _moves_in(other, state)
    steps = (s for s in each_step(teller, state) if not set(s.items()) <= known)
    return next(steps, None)


def _moves_in(engine: Engine, state: State) -> set[tuple[Role, Move]]:
    return {
        (role, outcome.value)
        for role, moves in engine.legal_moves(state).items()
        for move in moves
        for outcome in engine.outcomes(state, move)
    }
