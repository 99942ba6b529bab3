"""How soon a killed node counts as gone, and a lost message is sent again.

Fast DDS believes in a silent process for 20 s: a match would wait for the answers of a dead agent,
and agents would answer a dead environment, for that long. Three seconds are enough on any network
that matches are played on.

A writer learns that its last message was lost from the answer to a heartbeat, which Fast DDS
sends every 3 s: on a link that loses packets, a match would stand still for so long again and
again. Here it is 20 ms, and only while something is not confirmed; both ends answer at once.

Profiles that the user has chosen are left alone.
"""

from __future__ import annotations

import os
from pathlib import Path

_PROFILES = Path(__file__).with_name('fastdds.xml')
_VARIABLES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')


def shorten_lease() -> None:
    """Tell Fast DDS, before rclpy is started; other middlewares do not look."""
    if not any(os.environ.get(name) for name in _VARIABLES) and _PROFILES.exists():
        os.environ[_VARIABLES[0]] = str(_PROFILES)
