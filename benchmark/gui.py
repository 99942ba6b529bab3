"""The web interface: how quick and how steady it is.

python benchmark/gui.py load                   how long the pages take: home, a match, a first move
python benchmark/gui.py drag                   frames a second while a stone is dragged
python benchmark/gui.py spectators --count 50  what the server takes for many who look on
python benchmark/gui.py steady --minutes 10    lag and memory while a match runs on

Its pictures are made by screenshots.py.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import tempfile

from gui_speed import MEASURES
from gui_stage import Stage


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('what', choices=[*MEASURES])
    parser.add_argument('--minutes', type=float, default=10)
    parser.add_argument('--count', type=int, default=50, help='pages of spectators')
    parser.add_argument('--rate', type=float, default=80, help='moves a second, about')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='gdl_gui_') as folder, Stage(Path(folder)) as stage:
        print(f'load of the machine before: {os.getloadavg()[0]:.1f}')
        MEASURES[options.what](stage, options)


if __name__ == '__main__':
    main()
