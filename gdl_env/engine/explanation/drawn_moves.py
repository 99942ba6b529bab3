"""What chance made of a tick: the outcome of each experiment that its moves name.

A tick may be several steps of the rules: moves without a choice are played at once, unasked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product

from gdl_env.engine.contract import Moves
from gdl_env.engine.explanation.state_evaluator import StateEvaluator
from gdl_env.language.game import Game
from gdl_env.language.terms import Compound, Symbol, Term, Variable, args_of, name_of

# Steps of one tick, and states on the way, before it gives up.
_MOST_STEPS = 4
_MOST_STATES = 150

State = frozenset[Term]
Steps = tuple[Moves, ...]


def find_drawn_steps(
    game: Game, before: Iterable[Term], moves: Moves, after: Iterable[Term]
) -> Steps:
    """Return the steps of a tick, with the outcomes that led to the state after it.

    The moves are the only step, as they are, where nothing was left to chance, and where it cannot
    be told what came. Raises EngineLimitError or RuleError.
    """
    if not game.experiments:
        return (moves,)
    wanted = frozenset(after)
    paths: list[tuple[State, Steps]] = [
        (state, (drawn,)) for state, drawn in _follow(game, frozenset(before), moves)
    ]
    tried = 0
    for _ in range(_MOST_STEPS):
        found = [steps for state, steps in paths if state == wanted]
        if found:
            return found[0] if len(found) == 1 else (moves,)
        longer = []
        for state, steps in paths:
            forced = _find_forced(game, state)
            for following, drawn in _follow(game, state, forced) if forced else ():
                tried += 1
                if tried > _MOST_STATES:
                    return (moves,)
                longer.append((following, (*steps, drawn)))
        paths = longer
    return (moves,)


def _follow(game: Game, state: State, moves: Moves) -> Iterator[tuple[State, Moves]]:
    """Yield what moves may lead to, with the outcomes of the experiments that they name."""
    facts = StateEvaluator(game, state)
    choices = [list(_outcomes(game, facts, move)) for move in moves.values()]
    for joint in islice(product(*choices), _MOST_STATES):
        drawn = dict(zip(moves, joint, strict=True))
        step = StateEvaluator(game, state, drawn)
        answers = step.ask(Compound('next', (Variable('fact'),)))
        yield frozenset(args_of(answer)[0] for answer in answers), drawn


def _find_forced(game: Game, state: State) -> Moves:
    """Return the only moves there are; {} where a role has a choice, or the game is over."""
    facts = StateEvaluator(game, state)
    if facts.holds(Symbol('terminal')):
        return {}
    found: dict[Term, set[Term]] = {}
    for answer in facts.ask(Compound('legal', (Variable('role'), Variable('move')))):
        role, move = args_of(answer)
        found.setdefault(role, set()).add(move)
    if any(len(moves) > 1 for moves in found.values()):
        return {}
    return {role: found[role].pop() for role in game.roles if role in found}


def _is_experiment(game: Game, term: Term) -> bool:
    return isinstance(term, Symbol) and str(term) in game.experiments


def _outcomes(game: Game, facts: StateEvaluator, move: Term) -> Iterator[Term]:
    """Yield a move with each outcome of the experiments that it names."""
    args = args_of(move)
    if not any(_is_experiment(game, arg) for arg in args):
        yield move
        return
    choices = [_values(facts, arg) if _is_experiment(game, arg) else (arg,) for arg in args]
    for drawn in product(*choices):
        yield Compound(name_of(move), drawn)


def _values(facts: StateEvaluator, experiment: Term) -> tuple[Term, ...]:
    question = Compound('random', (experiment, Variable('weight'), Variable('value')))
    return tuple(dict.fromkeys(args_of(answer)[2] for answer in facts.ask(question)))
