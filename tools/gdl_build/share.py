"""List and install the files by which ROS 2 tools find a package that pip installed."""

from __future__ import annotations

import configparser
from pathlib import Path
import shutil

PACKAGE = 'gdl_env'
FOLDERS = ('launch', 'config', 'games')
MARKER = f'share/ament_index/resource_index/packages/{PACKAGE}'

# Data files keep their first line, so this must not name a Python: it starts the command that pip
# made in bin/ of the same environment, wherever that is.
EXECUTABLE = '#!/bin/sh\nexec "$(dirname "$0")/../../bin/{name}" "$@"\n'


def data_files(root: Path, build_folder: Path) -> list[tuple[str, list[str]]]:
    """Return what a wheel must install below the prefix, as pairs of folder and files."""
    marker = build_folder / 'marker' / PACKAGE
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    files = {
        str(Path(MARKER).parent): [marker],
        f'share/{PACKAGE}': [root / 'package.xml'],
        f'lib/{PACKAGE}': _write_executables(root, build_folder / 'executables'),
    }
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.is_file():
                target = f'share/{PACKAGE}/{path.parent.relative_to(root)}'
                files.setdefault(target, []).append(path)
    return [(folder, [str(path) for path in paths]) for folder, paths in files.items()]


def link(root: Path, prefix: Path) -> None:
    """Install the same for development: by symlinks, so that edits take effect at once."""
    share = prefix / 'share' / PACKAGE
    executables = prefix / 'lib' / PACKAGE
    for folder in (share, executables):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    (share / 'package.xml').symlink_to(root / 'package.xml')
    for name in FOLDERS:
        _link_files(root / name, share / name)
    _write_executables(root, executables)
    marker = prefix / MARKER
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()


def _link_files(source: Path, target: Path) -> None:
    """Link every file of a folder: `ros2 launch` does not look into folders that are links."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        if path.is_dir():
            _link_files(path, target / path.name)
        else:
            (target / path.name).symlink_to(path)


def _write_executables(root: Path, folder: Path) -> list[Path]:
    """Write a starter for every console_scripts entry of setup.cfg, the one list of them."""
    config = configparser.ConfigParser()
    config.read(root / 'setup.cfg', encoding='utf-8')
    lines = config['options.entry_points']['console_scripts'].strip().splitlines()
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for line in lines:
        name = line.partition('=')[0].strip()
        path = folder / name
        path.write_text(EXECUTABLE.format(name=name), encoding='utf-8')
        path.chmod(0o755)
        paths.append(path)
    return paths
