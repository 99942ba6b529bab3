"""Write a trained player as files that other programs read.

FOLDER receives `model.safetensors` (the weights), `config.json` (game, roles, sizes, network) and
`README.md` (the card of the run, with the header that model hubs read). With --onnx it also
receives `model.onnx`, a network that runs without this project and without PyTorch; if ONNX
Runtime is installed, the file is run once and compared with the network.

The network takes `observation` (float32, one row per decision), `legal` (bool) and `role` (int64,
the place of the role in `roles` of config.json), and returns `action`. A network of dqn or rainbow
also returns the `value` of each action. A network of alphazero returns `policy` and `outcome`: it
answers at first sight, without the search of the agent `alphazero`. Networks of mmd and sequence
remember: they also take `last` (int64, the own last move, -1 for none) and `state` (float32, zeros
at first), and return `policy` (how likely each action is) and `next_state`.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.requirements import ONNX, ONNX_SCRIPT, PYTORCH, SAFETENSORS, require

if TYPE_CHECKING:
    from gdl_agents.learning.export.exported_network import ExportedPlayer
    from gdl_agents.learning.training.run_folder import RunFolder


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('run_folder', metavar='RUN', help='the folder of a run')
    parser.add_argument('folder', metavar='FOLDER', type=Path, help='a new or empty folder')
    parser.add_argument(
        '--role',
        default='',
        metavar='ROLE',
        help='the role that the player learned (default: the first one)',
    )
    parser.add_argument('--onnx', action='store_true', help='write model.onnx, too')


def run(options: Namespace) -> int:
    """Write the files."""
    require('export', PYTORCH, SAFETENSORS, *((ONNX, ONNX_SCRIPT) if options.onnx else ()))
    from gdl_agents.learning.export.model_folder import ONNX_NAME, write_folder
    from gdl_agents.learning.training.run_folder import RunFolder

    folder: Path = options.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f'{folder} exists and is not an empty folder')
    source = RunFolder.open(options.run_folder)
    player = _find_player(source, options.role)
    card = source.card_file.read_text('utf-8') if source.card_file.is_file() else ''
    write_folder(player, folder, source.path.name, card)
    if options.onnx:
        from gdl_agents.learning.export.onnx_file import write_onnx

        write_onnx(player, folder / ONNX_NAME)
    for path in sorted(folder.iterdir()):
        print(f'{path}  {path.stat().st_size:,} bytes')
    return 0


def _find_player(source: RunFolder, role: str) -> ExportedPlayer:
    """Return the strongest player of a run. Raises RunError."""
    from gdl_agents.learning.export.exported_network import find_player
    from gdl_agents.learning.levels.reward_levels import list_snapshots, strongest
    from gdl_agents.learning.trained_models import read_model

    snapshot = strongest(list_snapshots(source, role))
    return find_player(read_model(snapshot.path))


VERB = Verb(
    name='export',
    group=Group.TRAIN,
    summary='write a trained player as safetensors and ONNX files',
    description=__doc__,
    examples="""
    gdl export runs/tictactoe/rainbow-selfplay-1 tictactoe_player
    gdl export runs/connect_four/alphazero-selfplay-1 player --onnx
    """,
    configure=configure,
    run=run,
)
