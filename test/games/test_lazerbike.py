"""Lazerbike, against plain Python; and nobody has an advantage."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from walk import term

from gdl_env.engine.contract import Engine, State
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog

HEADINGS = ('north', 'east', 'south', 'west')
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
# A quarter turn of the board brings each bike to the place of the next.
PLACES = ('red', 'green', 'blue', 'yellow')
TURNS = {'left': -1, 'straight': 0, 'right': 1}

Cell = tuple[int, int]


def bikes(state: State) -> dict[str, Cell]:
    return {
        str(player): (int(str(row)), int(str(column)))
        for player, row, column in (args_of(f) for f in state if name_of(f) == 'bike')
    }


def facts(state: State, name: str) -> dict[str, str]:
    return {str(args_of(f)[0]): str(args_of(f)[1]) for f in state if name_of(f) == name}


@pytest.mark.parametrize(('players', 'size'), [(2, 5), (3, 7), (4, 9)])
def test_steps(open_game: Callable[[str], Engine], players: int, size: int) -> None:
    engine = open_game(f'lazerbike(size={size},players={players})')
    assert len(engine.roles) == players
    collisions = 0
    for seed in range(30):
        random = Random(seed)
        state = engine.initial_state
        walls = set(bikes(state).values())
        heading = {p: HEADINGS.index(h) for p, h in facts(state, 'heading').items()}
        while not engine.is_terminal(state):
            at = bikes(state)
            legal = engine.legal_moves(state)
            assert {str(r) for r in legal if legal[r]} == set(at)
            moves = {role: random.choice(m) for role, m in legal.items() if m}
            target = {}
            for role, move in moves.items():
                name = str(role)
                heading[name] = (heading[name] + TURNS[str(move)]) % 4
                down, right = STEPS[heading[name]]
                target[name] = (at[name][0] + down, at[name][1] + right)
            alive = {
                name: cell
                for name, cell in target.items()
                if 1 <= min(cell) <= max(cell) <= size
                and cell not in walls
                and list(target.values()).count(cell) == 1
            }
            collisions += len(set(target.values())) < len(target)
            walls |= set(alive.values())
            state = engine.next_state(state, moves)
            assert bikes(state) == alive
            trail = {args_of(f)[:2] for f in state if name_of(f) == 'trail'}
            assert {(int(str(r)), int(str(c))) for r, c in trail} == walls
        fallen = set(at) - set(alive)
        assert len(alive) < 2
        for role, goal in engine.goals(state).items():
            expected = 100 if str(role) in alive else 0
            if not alive:
                expected = 50 if str(role) in fallen else 0
            assert goal == expected
    assert collisions


def following_in(words: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(words, (*words[1:], words[0]), strict=True))


def turn(state: State, size: int) -> State:
    """Return a state after a quarter turn of the board, with each bike in the next one's place."""
    following = following_in(PLACES) | following_in(HEADINGS)
    turned = []
    for fact in state:
        args = [str(arg) for arg in args_of(fact)]
        words = [following.get(arg, arg) for arg in args]
        numbers = [int(arg) for arg in args if arg.isdigit()]
        if numbers:
            row, column = numbers
            places = iter((str(column), str(size + 1 - row)))
            words = [next(places) if word.isdigit() else word for word in words]
        turned.append(term(f'({name_of(fact)} {" ".join(words)})'))
    return frozenset(turned)


@pytest.mark.parametrize('size', [8, 9])
def test_quarter_turns_make_no_difference(open_game: Callable[[str], Engine], size: int) -> None:
    engine = open_game(f'lazerbike(size={size},players=4)')
    state = engine.initial_state
    assert turn(state, size) == state
    random = Random(1)
    while not engine.is_terminal(state):
        moves = {r: random.choice(m) for r, m in engine.legal_moves(state).items() if m}
        after = engine.next_state(state, moves)
        following = following_in(PLACES)
        turned_moves = {term(following[str(r)]): move for r, move in moves.items()}
        assert engine.next_state(turn(state, size), turned_moves) == turn(after, size)
        state = after
    assert len({name_of(fact) for fact in state}) > 1


def test_random_play_is_even(open_game: Callable[[str], Engine]) -> None:
    engine = open_game('lazerbike')
    games = 4000
    goals = [playout.goals for playout in engine.playouts(games, seed=3, max_steps=300)]
    first = engine.roles[0]
    won = sum(goal[first] == 100 for goal in goals)
    lost = sum(goal[first] == 0 for goal in goals)
    # Four standard deviations of a fair coin.
    assert abs(won - lost) < 4 * (won + lost) ** 0.5


def test_teams(open_game: Callable[[str], Engine]) -> None:
    engine = open_game('lazerbike(players=4,teams=pairs,size=8)')
    seen = set()
    for playout in engine.playouts(300, seed=5, max_steps=300):
        goals = {str(role): goal for role, goal in playout.goals.items()}
        assert goals['red'] == goals['green']
        assert goals['blue'] == goals['yellow']
        seen.add((goals['red'], goals['blue']))
    assert seen >= {(100, 0), (0, 100), (50, 50)}
