"""One match of a game as text, for tests that compare it with what it was before.

The files in `playthroughs/` hold one match of every game. After a change that is meant to alter
them, write them again and read the difference:

    python test/games/playthrough.py --write
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from gdl_env.engine.contract import NATURE, Engine, Role, State
from gdl_env.engine.interpreter import InterpretedStep, Interpreter
from gdl_env.language.game import Information, Turns
from gdl_env.language.load import load_game
from gdl_env.language.terms import Term, sort_key

HERE = Path(__file__).parent
GAMES = HERE.parents[1] / 'games'
GOLDEN = HERE / 'playthroughs'
SEED = 1
WIDTH = 99


def playthrough(engine: Engine, seed: int = SEED) -> str:
    """Play a match of random moves and tell it; the same seed tells the same match."""
    match = play(engine, seed)
    state = engine.initial_state
    lines = [f'game: {engine.game.name}', f'turns: {engine.game.turns.value}']
    lines += [f'information: {engine.game.information.value}']
    before: State | None = None
    for number, step in enumerate(match.history):
        lines += ['', f'== {number}', *_position(engine, state, before), *_moves(engine, step)]
        before, state = state, step.state
    lines += ['', f'== {len(match.history)}', *_position(engine, state, None)]
    lines += [f'goal {role}: {goal}' for role, goal in match.goals().items()]
    return '\n'.join(lines) + '\n'


def play(engine: Engine, seed: int) -> Interpreter:
    """Play a match to its end with uniformly random moves."""
    random = Random(seed)
    match = Interpreter(engine, seed)
    while actors := match.actors():
        if engine.game.turns is Turns.SERIAL:
            actors = (random.choice(actors),)
        match.step({role: random.choice(match.legal_moves(role)) for role in actors})
    return match


def _position(engine: Engine, state: State, before: State | None) -> Iterator[str]:
    """Describe all of a state; with views, from the second one on only what has changed."""
    has_views = engine.game.information is Information.STATE
    yield from _changed('state', state, before if has_views else None)
    for role in _players(engine) if has_views else ():
        seen = engine.view(state, role)
        last = None if before is None else engine.view(before, role)
        yield from _changed(f'{role} sees', seen, last)
    if engine.is_terminal(state):
        yield 'terminal'
        return
    for role, moves in engine.legal_moves(state).items():
        yield from _listed(f'legal {role}', moves)


def _changed(title: str, facts: State, before: State | None) -> Iterator[str]:
    if before is None:
        yield from _listed(title, facts)
        return
    for what, changed in (('no longer', before - facts), ('now', facts - before)):
        if changed:
            yield from _listed(f'{title} {what}', changed)


def _moves(engine: Engine, step: InterpretedStep) -> Iterator[str]:
    for role, move in step.chosen.items():
        drawn = step.played[role]
        yield f'{role} plays: {move}' + (f' -> {drawn}' if drawn != move else '')
    if engine.game.information is Information.PERCEPTS:
        for role in _players(engine):
            yield from _listed(f'{role} perceives', step.percepts[role])


def _players(engine: Engine) -> tuple[Role, ...]:
    return tuple(role for role in engine.roles if role != NATURE)


def _listed(title: str, terms: Iterable[Term]) -> Iterator[str]:
    line = f'{title}:'
    for text in map(str, sorted(terms, key=sort_key)):
        if len(line) + 1 + len(text) > WIDTH:
            yield line
            line = '   '
        line += f' {text}'
    yield line


def main() -> None:
    """Write the playthroughs of all games, or show one."""
    from gdl_env.engine.registry import open_engine

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument('--write', action='store_true', help='write the files of all games')
    parser.add_argument('game', nargs='?', help='show the playthrough of this game only')
    options = parser.parse_args()
    for file in sorted(GAMES.glob(f'{options.game or "*"}.gdl')):
        with open_engine(load_game(file)) as engine:
            text = playthrough(engine)
        if options.write:
            (GOLDEN / f'{file.stem}.txt').write_text(text, encoding='utf-8')
        elif options.game:
            print(text, end='')  # noqa: T201 - a command line


if __name__ == '__main__':
    main()
