"""Whether a browser could be seen here."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """Tell whether this process can open windows."""
    if sys.platform in {'darwin', 'win32'}:
        return True
    return bool(os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY'))
