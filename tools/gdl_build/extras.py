"""Print what extras require, a line each, for pip: `python -m gdl_build.extras dev rl`."""

from __future__ import annotations

import configparser
from pathlib import Path
import sys

ROOT = Path(__file__).resolve().parents[2]


def requirements_of(extras: list[str]) -> list[str]:
    """Return the requirements of some extras; raises KeyError for one that does not exist."""
    config = configparser.ConfigParser()
    config.read(ROOT / 'setup.cfg', encoding='utf-8')
    section = config['options.extras_require']
    lines = [line for extra in extras for line in section[extra].splitlines()]
    return [line for line in lines if line and not line.startswith('#')]


if __name__ == '__main__':
    print('\n'.join(requirements_of(sys.argv[1:])))
