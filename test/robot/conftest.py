"""The tests of boards share modules of this folder, which pytest does not put on the path."""

from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).parent))

# Before any test imports MuJoCo: pictures need no display.
import gdl_env.robot.physics  # noqa: F401
