"""Complete an editable install, for which pip installs neither data files nor messages."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
import sys

from gdl_build import messages, share

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Return 0 when all is installed, 1 when the messages could not be built."""
    parser = argparse.ArgumentParser(prog='gdl_build', description=__doc__)
    parser.add_argument('--prefix', type=Path, required=True, help='environment to install into')
    prefix = parser.parse_args().prefix.resolve()

    share.link(ROOT, prefix)
    # The messages take half a minute to build and seldom change.
    digest = _digest(ROOT / 'msg')
    stamp = prefix / 'share' / 'gdl_msgs' / 'digest'
    if stamp.exists() and stamp.read_text() == digest:
        return 0
    try:
        toolchain = messages.find_toolchain()
        messages.build(ROOT / 'msg', ROOT / 'build' / 'gdl_msgs', prefix, toolchain)
        stamp.write_text(digest)
    except messages.MessagesUnavailableError as error:
        print(f'gdl_msgs is not built: {error}', file=sys.stderr)
        return 1
    return 0


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob('*')):
        if path.is_file() and path.suffix != '.rst':
            digest.update(f'{path.relative_to(folder)}\n'.encode() + path.read_bytes())
    return digest.hexdigest()


if __name__ == '__main__':
    sys.exit(main())
