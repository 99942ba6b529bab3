"""The standalone program numbers facts and moves as `gdl types` and the environment do."""

from __future__ import annotations

from pathlib import Path
import shutil
import subprocess

import pytest

from gdl_env.engine.mapping.typed import TemplateSet, TypedEncoding
from gdl_env.engine.prolog.transpile import transpile
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, load_game
from gdl_env.language.reader import read_role, read_term

pytestmark = pytest.mark.prolog

GAMES = sorted(Path(__file__).resolve().parents[3].glob('games/*.gdl'))
# Actions that are asked for one by one, and steps of the walk.
MOST_ACTIONS = 400
STEPS = 6


def ask(game: Game, folder: Path, *commands: str) -> list[list[str]]:
    """Return what the program of a game replies to each command, line by line."""
    swipl = shutil.which('swipl')
    assert swipl is not None
    path = folder / 'game.pl'
    path.write_text(transpile(game), 'utf-8')
    # A command that says one line marks the end of each reply, and of what chance did at first.
    text = ''.join(f'{command}\nterminal\n' for command in ('', *commands))
    done = subprocess.run(
        [swipl, path, '--seed', '5'],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    replies: list[list[str]] = [[]]
    for line in done.stdout.splitlines():
        if line in {'yes', 'no'}:
            replies.append([])
        else:
            replies[-1].append(line)
    return replies[1:-1]


def templates(name: str, found: TemplateSet) -> list[str]:
    lines, start = [f'{name} {found.size}'], 0
    for template in found.merged:
        lines.append(f'  {start} {template.size} {template}')
        start += template.size
    return lines


@pytest.mark.parametrize('path', GAMES, ids=lambda path: path.stem)
def test_the_same_numbers(path: Path, tmp_path: Path) -> None:
    game = load_game(path)
    if not game.is_typed:
        pytest.skip('a game without types')
    encoding = TypedEncoding(game)
    roles = [str(role) for role in game.roles if str(role) != 'random']
    sample = range(0, encoding.action_size, encoding.action_size // MOST_ACTIONS + 1)
    moves = [str(encoding.move(game.roles[0], index)) for index in sample]
    views = [
        'state',
        'vector',
        *(f'{verb} {role}' for role in roles for verb in ('state', 'vector')),
    ]
    walk = [command for _ in range(STEPS) for command in (*views, 'random 1')]
    questions = [f'action {index}' for index in sample] + [f'index {move}' for move in moves]
    types, *replies = ask(game, tmp_path, 'types', *questions, *walk)
    assert types == [
        *templates('state', encoding.state),
        *templates('observation', encoding.observation),
        *templates('action', encoding.action),
    ]
    assert replies[: len(sample)] == [[move] for move in moves]
    del replies[: len(sample)]
    assert replies[: len(sample)] == [[str(index)] for index in sample]
    del replies[: len(sample)]
    for _ in range(STEPS):
        facts, vector, *shown = replies[: len(views)]
        del replies[: len(views) + 1]
        state = frozenset(map(read_term, facts))
        assert [*map(int, vector[0].split())] == encoding.state_vector(state).tolist()
        for place, role in enumerate(roles):
            view = frozenset(map(read_term, shown[2 * place]))
            expected = encoding.observe(view, read_role(role)).tolist()
            assert [*map(int, shown[2 * place + 1][0].split())] == expected


def test_numbers_of_a_typemap_count_as_their_class(tmp_path: Path) -> None:
    game = game_from_text("""
    (role me)
    (<= (typemap age young ?n) (less ?n 10))
    (<= (typemap age old ?n) (greater ?n 9))
    (init (years age:8))
    (init (place [-1,1]:-1))
    (legal me wait)
    (<= (next (years age:?m)) (true (years ?n)) (add ?n 2 ?m))
    (<= (next (place [-1,1]:?p)) (true (place ?p)))
    (<= terminal (true (years 12)))
    (goal me 100)
    """)
    first, _, second = ask(game, tmp_path, 'vector', 'random 1', 'vector')
    assert (first, second) == (['1 0 1 0 0 '], ['0 1 1 0 0 '])


def test_a_game_without_types_says_so(tmp_path: Path) -> None:
    game = game_from_text(
        '(role me) (init a) (next a) (legal me wait) (goal me 50) (<= terminal (true b))'
    )
    assert ask(game, tmp_path, 'types', 'vector', 'index wait') == [[], [], []]
