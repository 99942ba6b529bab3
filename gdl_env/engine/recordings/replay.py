"""Play a recorded match again and find the first place where the rules disagree with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gdl_env.engine.contract import Engine, Move, Moves, Role, State
from gdl_env.engine.recordings.recording import RecordedStep, Recording, to_texts
from gdl_env.language.game import Information, Turns
from gdl_env.language.terms import Term


@dataclass(frozen=True)
class Deviation:
    """The first disagreement between a recording and the rules."""

    # The number of the step from 1; 0 is the start of the match.
    step: int
    message: str
    # What is only on one side: facts, moves or goals as texts.
    only_recorded: tuple[str, ...] = ()
    only_computed: tuple[str, ...] = ()
    # File and line in the recording, as far as it knows them.
    place: str = ''

    def __str__(self) -> str:
        where = f'step {self.step}' if self.step else 'start'
        lines = [f'{where}: {self.message}']
        for title, texts in (
            ('recording', self.only_recorded),
            ('rules', self.only_computed),
        ):
            lines.append(f'  only in the {title}:')
            lines += [f'    {text}' for text in texts] or ['    (nothing)']
        return '\n'.join(lines)


def replay(engine: Engine, recording: Recording) -> Deviation | None:
    """Compare a recording with the rules; return the first deviation, or None.

    What the recording does not tell (states, goals) is not compared.
    """
    deviation, place = _find_deviation(engine, recording)
    return deviation and replace(deviation, place=place or recording.place)


def _find_deviation(engine: Engine, recording: Recording) -> tuple[Deviation | None, str]:
    """Return the first deviation and the place of the step or end it is in ('': the start)."""
    roles = recording.roles
    if roles is not None and roles != engine.roles:
        return Deviation(0, 'the roles differ', _texts(roles), _texts(engine.roles)), ''
    state = engine.initial_state
    if recording.initial is not None and recording.initial != state:
        return _difference(0, 'the initial state differs', recording.initial, state), ''
    for number, step in enumerate(recording.steps, start=1):
        deviation = _compare_step(engine, number, state, step)
        if deviation is not None:
            return deviation, step.place
        state = engine.next_state(state, step.moves)
        if step.state is not None and step.state != state:
            what = 'the state after the moves differs'
            return _difference(number, what, step.state, state), step.place
    place = recording.ending.place if recording.ending is not None else ''
    return _compare_end(engine, recording, state), place


def _compare_step(
    engine: Engine, number: int, state: State, step: RecordedStep
) -> Deviation | None:
    if engine.is_terminal(state):
        what = 'the match continues, though the game is over by the rules'
        return Deviation(number, what, _move_texts(step.moves), ('terminal',))
    deviation = _compare_actors(engine, number, state, step.moves)
    if deviation is not None:
        return deviation
    legal = engine.legal_moves(state)
    for role, move in step.moves.items():
        chosen = (step.chosen or step.moves).get(role, move)
        if not _is_possible(engine, state, legal[role], chosen, move):
            return Deviation(
                number,
                f'{move} is not a legal move of {role}',
                (str(move),),
                _texts(m for m in legal[role] if m != move),
            )
    if step.percepts is None or engine.game.information is not Information.PERCEPTS:
        return None
    computed = engine.percepts(state, step.moves)
    for role in engine.roles:
        recorded = step.percepts.get(role, frozenset())
        if recorded != computed.get(role, frozenset()):
            what = f'what {role} perceives differs'
            return _difference(number, what, recorded, computed.get(role, frozenset()))
    return None


def _compare_actors(engine: Engine, number: int, state: State, moves: Moves) -> Deviation | None:
    actors = engine.actors(state)
    if engine.game.turns is Turns.SERIAL:
        if len(moves) == 1 and set(moves) <= set(actors):
            return None
        what = 'one of the roles that can act has to move, alone'
    else:
        if set(moves) == set(actors):
            return None
        what = 'the roles that move differ'
    return Deviation(number, what, _texts(moves), _texts(actors))


def _is_possible(
    engine: Engine, state: State, legal: tuple[Move, ...], chosen: Move, played: Move
) -> bool:
    """Tell whether a legal move, with its experiments drawn, can be what was played."""
    if chosen in legal:
        return any(outcome.value == played for outcome in engine.outcomes(state, chosen))
    # Recordings of others tell only what was played, not what it was drawn from.
    return chosen == played and any(
        outcome.value == played for move in legal for outcome in engine.outcomes(state, move)
    )


def _compare_end(engine: Engine, recording: Recording, state: State) -> Deviation | None:
    ending, number = recording.ending, len(recording.steps)
    if ending is None:
        return None
    is_terminal = engine.is_terminal(state)
    if is_terminal != ending.is_terminal:
        sides = ('terminal',), ('not terminal',)
        recorded, computed = sides if ending.is_terminal else sides[::-1]
        return Deviation(number, 'whether the game is over differs', recorded, computed)
    if ending.goals is None:
        return None
    goals = engine.goals(state)
    wrong = [role for role, goal in ending.goals.items() if goals.get(role) != goal]
    if not wrong:
        return None
    return Deviation(
        number,
        'the goals differ',
        tuple(_goal(role, ending.goals) for role in wrong),
        tuple(_goal(role, goals) for role in wrong),
    )


def _goal(role: Role, goals: Mapping[Role, int | None]) -> str:
    goal = goals.get(role)
    return f'{role} has no goal' if goal is None else f'{role} has {goal}'


def _difference(
    number: int, message: str, recorded: frozenset[Term], computed: frozenset[Term]
) -> Deviation:
    return Deviation(
        number, message, tuple(to_texts(recorded - computed)), tuple(to_texts(computed - recorded))
    )


def _texts(terms: Iterable[Term]) -> tuple[str, ...]:
    return tuple(str(term) for term in terms)


def _move_texts(moves: Moves) -> tuple[str, ...]:
    return tuple(f'{role}: {move}' for role, move in moves.items())
