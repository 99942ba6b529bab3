"""Let the tests of this folder import what they share, and the tools of the checkout."""

from pathlib import Path
import sys

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / 'tools')]
