"""What parts of the project need beyond the dependencies of every install, and how to get it.

Checks look for modules without importing them: PyTorch alone takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from gdl_env.errors import GdlError


class MissingPackageError(GdlError, ModuleNotFoundError):
    """A Python package that a part of the project needs is not installed."""


@dataclass(frozen=True)
class Package:
    """A Python package that not every install has."""

    module: str
    # The name people know it by.
    title: str
    # What to do if it is missing.
    remedy: str


_ROS = (
    'source a ROS 2 workspace that has them, or install them as README.md says under "Without ROS"'
)


def _extra(name: str) -> str:
    return f"pip install '.[{name}]' (in the checkout)"


RCLPY = Package('rclpy', 'rclpy', _ROS)
MESSAGES = Package('gdl_msgs', 'gdl_msgs', _ROS)
TRANSFORMS = Package('tf2_msgs', 'tf2_msgs', _ROS)
MCAP = Package('mcap', 'mcap', 'pip install mcap')
NICEGUI = Package('nicegui', 'NiceGUI', _extra('gui'))
SEGNO = Package('segno', 'segno', _extra('gui'))
PYTORCH = Package('torch', 'PyTorch', _extra('learn'))
TENSORBOARD = Package('tensorboardX', 'tensorboardX', _extra('learn'))
GYMNASIUM = Package('gymnasium', 'Gymnasium', _extra('rl'))
PYGLS = Package('pygls', 'pygls', _extra('editor'))
OPEN_SPIEL = Package('pyspiel', 'OpenSpiel', _extra('openspiel'))
SAFETENSORS = Package('safetensors', 'safetensors', _extra('export'))
ONNX = Package('onnx', 'onnx', _extra('export'))
ONNX_SCRIPT = Package('onnxscript', 'onnxscript', _extra('export'))
ONNX_RUNTIME = Package('onnxruntime', 'ONNX Runtime', _extra('export'))
PYARROW = Package('pyarrow', 'PyArrow', _extra('data'))
PETTINGZOO = Package('pettingzoo', 'PettingZoo', _extra('rl'))
MUJOCO = Package('mujoco', 'MuJoCo', _extra('robot'))
RAY = Package('ray', 'Ray', _extra('cluster'))
OPENCV = Package('cv2', 'OpenCV', _extra('robot'))
SENSOR_MESSAGES = Package('sensor_msgs', 'sensor_msgs', _ROS)
TRAJECTORY_MESSAGES = Package('trajectory_msgs', 'trajectory_msgs', _ROS)

# What every node needs.
OF_NODES = (RCLPY, MESSAGES)

# What an executable needs besides: one line for each that needs anything.
OF_EXECUTABLES: Mapping[str, tuple[Package, ...]] = {
    'recorder_node': (MCAP, TRANSFORMS),
    'board_node': (TRANSFORMS,),
    'robot_node': (TRANSFORMS,),
    'gui_node': (NICEGUI, SEGNO),
    'learner_node': (PYTORCH,),
    'evaluator_node': (PYTORCH,),
}

# What the executor `mujoco` of robot_node needs.
OF_PHYSICS = (MUJOCO, OPENCV, SENSOR_MESSAGES, TRAJECTORY_MESSAGES)

# What an agent needs that setup.cfg registers with an extra, as `dqn = ... [learn]`.
OF_EXTRAS: Mapping[str, tuple[Package, ...]] = {
    'learn': (PYTORCH,),
    'openspiel': (OPEN_SPIEL,),
    'ros': OF_NODES,
}


def is_installed(package: Package) -> bool:
    """Whether this Python would find a package."""
    return find_spec(package.module) is not None


def require(user: str, *packages: Package) -> None:
    """Check that this Python has all packages. Raises MissingPackageError."""
    missing = [package for package in packages if not is_installed(package)]
    if missing:
        # Where an import has failed already, this says it better.
        raise MissingPackageError(explain({package: [user] for package in missing})) from None


def explain(missing: Mapping[Package, Iterable[str]]) -> str:
    """Return a sentence: who needs which packages, and what to do about it."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for package, users in missing.items():
        key = package.remedy, tuple(dict.fromkeys(users))
        groups.setdefault(key, []).append(package.title)
    return '; '.join(
        f'{_join(users)} {"needs" if len(users) == 1 else "need"} {_join(titles)}: {remedy}'
        for (remedy, users), titles in groups.items()
    )


def _join(words: Iterable[str]) -> str:
    *first, last = words
    return f'{", ".join(first)} and {last}' if first else last
