"""Draw learning curves: the reward in training and in evaluations, by episode.

The curve of one run goes into its folder, as learning_curve.png. Several runs share one picture,
learning_curves.png in the current folder. --output writes the picture elsewhere.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from gdl_env.cli.verb import Group, Verb
from gdl_env.requirements import PYTORCH, require


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('runs', metavar='RUN', nargs='+', help='the folder of a run')
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        metavar='FILE',
        help='the PNG file to write (default: see above)',
    )


def run(options: Namespace) -> int:
    """Draw the curves."""
    require('curve', PYTORCH)
    from gdl_agents.learning.training.curve import draw_curves
    from gdl_agents.learning.training.run_folder import RunFolder

    folders = [RunFolder.open(name) for name in options.runs]
    path = options.output
    if path is None:
        path = folders[0].curve_file if len(folders) == 1 else Path('learning_curves.png')
    draw_curves(folders, path)
    print(path)
    return 0


VERB = Verb(
    name='curve',
    group=Group.TRAIN,
    summary='draw learning curves of training runs',
    description=__doc__,
    examples="""
    gdl curve runs/tictactoe/rainbow-selfplay-1    update the curve, even during training
    gdl curve runs/tictactoe/* -o compare.png      compare several runs in one picture
    """,
    configure=configure,
    run=run,
)
