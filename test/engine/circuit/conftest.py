"""What the tests of the circuit engine share."""

from __future__ import annotations

from pathlib import Path
import sys

# Tests share modules of this folder, which pytest does not put on the path by itself.
sys.path.insert(0, str(Path(__file__).parent))
