"""The moving pictures of the pages: a match, a learning curve as it grows, an arm that plays.

    python benchmark/animations.py match
    python benchmark/animations.py curve
    python benchmark/animations.py arm --game tictactoe

A match is played by the environment and two agents and drawn by the painter of the web interface;
the curves are those that benchmark/learning.py has measured of Connect Four.
"""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path

import matplotlib as mpl

mpl.use('Agg')

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from PIL import Image

from gdl_agents.registry import open_agent
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import BoardPicture
from gdl_env.gui.views import find_view
from gdl_env.language.load import open_game

FOLDER = Path(__file__).resolve().parents[1] / 'doc' / 'screenshots'
RESULTS = FOLDER.parent / 'benchmarks' / 'learning.json'
# Runs of this many episodes and more are shown.
LONG = 90_000
COLOURS = ('#1f6f8b', '#e07a1f', '#5b8c3e')
SIZE = (4.2, 3.7)
DPI = 80
# Milliseconds a picture is shown; the last one longer.
PAUSE, END = 450, 2500
INK, BOARD, PAPER = '#12313b', '#1f6f8b', '#ffffff'


def main() -> None:
    """Make the picture that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('picture', choices=('match', 'curve', 'arm'))
    parser.add_argument('--game', help='[connect_four, tictactoe for an arm]')
    parser.add_argument('--agents', nargs='+', default=['mcts:time=0.5', 'alphabeta:time=0.5'])
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    if options.picture == 'match':
        frames = match_frames(options.game or 'connect_four', options.agents, options.seed)
    elif options.picture == 'arm':
        # Imported here: the others need no physics.
        from arm_film import film_game, save_film

        path = FOLDER / 'arm.gif'
        count = save_film(film_game(options.game or 'tictactoe', options.seed), path)
        print(f'{path}: {count} pictures, {path.stat().st_size / 1000:.0f} kB')
        return
    else:
        frames = curve_frames()
    path = FOLDER / f'{options.picture}.gif'
    save(frames, path)
    print(f'{path}: {len(frames)} pictures, {path.stat().st_size / 1000:.0f} kB')


def match_frames(name: str, names: list[str], seed: int) -> list[Image.Image]:
    """Play one match; return a picture of every position."""
    game = open_game(name)
    environment = Environment.open(game, Options(seed=seed, episodes=1))
    agents = dict(zip(environment.roles, map(open_agent, names), strict=True))
    info = environment.info()
    for role, agent in agents.items():
        agent.begin(info, (role,), seed)
    painter = Painter(name, environment.roles, game, info.facts, info.moves, find_view(name)[0])
    players = ' against '.join(text.partition(':')[0] for text in names)
    frames: list[Image.Image] = []
    while not environment.is_finished:
        facts = environment.question(environment.roles[0], with_text=True).facts
        frames.append(draw_board(painter.paint(facts).boards[0], f'{players}, move {len(frames)}'))
        answers = {}
        for question in environment.questions(with_text=True):
            if question.is_decision:
                answers[question.role] = agents[question.role].choose(question)
        step = environment.step(answers)
    final = [str(fact) for fact in environment.final_state(0)]
    goals = {role: int(step.feedback[role].goal[0]) for role in environment.roles}
    best = max(goals, key=lambda role: goals[role])
    result = 'a draw' if goals[best] == 50 else f'{best} ({agents[best].name}) wins'
    frames.append(draw_board(painter.paint(final).boards[0], result))
    for agent in agents.values():
        agent.end()
    environment.close()
    return frames


def draw_board(board: BoardPicture, title: str) -> Image.Image:
    """Return a board of discs as a picture."""
    figure, axes = _canvas(title)
    width, height = len(board.columns), len(board.rows)
    axes.add_patch(Rectangle((-0.5, -0.5), width, height, color=BOARD))
    for row in range(height):
        for column in range(width):
            pieces = board.pieces.get(f'{row},{column}', ())
            fill = pieces[-1].fill if pieces and pieces[-1].fill else PAPER
            axes.add_patch(Circle((column, row), 0.4, facecolor=fill, edgecolor=INK, lw=0.8))
    axes.set(xlim=(-0.6, width - 0.4), ylim=(height - 0.4, -0.6), aspect='equal')
    axes.axis('off')
    return _render(figure)


def curve_frames() -> list[Image.Image]:
    """Return the learning curves, one evaluation longer from picture to picture."""
    records = json.loads(RESULTS.read_text('utf-8'))
    curves = [
        record['curve']
        for record in records
        if record['part'] == 'connect_four' and record['episodes'] > LONG
    ]
    last = max(curve[-1][0] for curve in curves)
    frames = []
    for count in range(1, min(map(len, curves)) + 1):
        figure, axes = _canvas(f'Connect Four, {curves[0][count - 1][0]:,.0f} games of self-play')
        for curve, colour in zip(curves, COLOURS, strict=False):
            # Rewards run from -10 (always lost) to 10 (always won).
            points = [(episodes, (reward + 10) * 5) for episodes, reward in curve[:count]]
            axes.plot(*zip(*points, strict=True), color=colour, lw=2, marker='o', ms=3)
        axes.set(xlim=(0, last), ylim=(0, 102), xlabel='games')
        axes.set_ylabel('score against tactical play [%]')
        axes.xaxis.set_major_formatter(lambda value, _: f'{value:,.0f}')
        axes.grid(alpha=0.3)
        frames.append(_render(figure))
    return frames


def save(frames: list[Image.Image], path: Path) -> None:
    """Write an animation that repeats."""
    first, *others = [frame.quantize(32) for frame in frames]
    pauses = [PAUSE] * len(others) + [END]
    first.save(path, save_all=True, append_images=others, duration=pauses, loop=0, optimize=True)


def _canvas(title: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=SIZE, dpi=DPI, facecolor=PAPER, layout='constrained')
    axes = figure.add_subplot()
    axes.set_title(title, color=INK, fontsize=11)
    return figure, axes


def _render(figure: Figure) -> Image.Image:
    data = io.BytesIO()
    figure.savefig(data, format='png')
    return Image.open(data).convert('RGB')


if __name__ == '__main__':
    main()
