"""From a topology to actions of ROS 2's `launch`: all that our launch files have in common.

`launch` and `launch_ros` are imported inside, since they are not everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
import os
from pathlib import Path
import shutil
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any

from gdl_env.ros.launch.arguments import LaunchError
from gdl_env.ros.launch.executables import PACKAGE
from gdl_env.ros.launch.node_requirements import require_nodes
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.restarts import Restarts
from gdl_env.ros.launch.topology import Inclusion, Topology, find_topology

if TYPE_CHECKING:
    from launch import LaunchContext, LaunchDescription

# Names that `launch` itself reads from the command line.
OF_LAUNCH = (
    *('emulate_tty', 'global_params', 'launch-prefix', 'launch-prefix-filter'),
    *('ros_namespace', 'ros_remaps', 'sigkill_timeout', 'sigterm_timeout'),
)

TERMINALS = ('x-terminal-emulator', 'xterm')


def describe_launch(file: str) -> LaunchDescription:
    """Return the description of one of our launch files: its arguments, then its nodes."""
    from launch.actions import DeclareLaunchArgument, OpaqueFunction

    from launch import LaunchDescription

    topology = find_topology(file)
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(
                    argument.name,
                    default_value=argument.default,
                    description=argument.description,
                    choices=argument.choices or None,
                )
                for argument in topology.arguments
            ),
            OpaqueFunction(function=lambda context: _actions(topology, context)),
        ]
    )


def _actions(topology: Topology, context: LaunchContext) -> list[Any]:
    given = {
        name: value
        for name, value in context.launch_configurations.items()
        if name not in OF_LAUNCH
    }
    inclusion = find_inclusion(context)
    nodes = topology.nodes(given, inclusion=inclusion)
    require_nodes(nodes)
    has_prefix = 'launch-prefix' in context.launch_configurations
    return [
        *(to_action(node, _prefix(node, has_prefix)) for node in nodes),
        *_cleaning([path for node in nodes for path in node.temporary_files]),
    ]


def find_inclusion(context: LaunchContext) -> Inclusion | None:
    """Return the launch file around ours; None if ours is the one that `ros2 launch` was given.

    Only what the command line says tells them apart: for `launch`, both are included.
    """
    location = context.get_locals_as_dict().get('current_launch_file_path', '')
    for package, word in pairwise(['', *sys.argv]):
        is_named = package == PACKAGE and word == Path(location).name
        if is_named or (Path(word).name == Path(location).name and _is_same(word, location)):
            return None
    return Inclusion(context.launch_configurations.get('ros_namespace', ''))


def _is_same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def to_action(node: NodeSpec, prefix: str | None = None, restarts: Restarts | None = None) -> Any:
    """Return the action that starts a node, with the same rules as our own supervisor.

    It restarts nodes itself: `respawn` of `launch` would also restart those that ended well.
    """
    from launch_ros.actions import Node

    return Node(
        package=PACKAGE,
        executable=node.executable,
        name=node.name,
        namespace=node.namespace,
        parameters=[*node.parameter_files, *_parameters(node.parameters)],
        ros_arguments=['--log-level', node.log_level],
        output='screen',
        prefix=prefix,
        # Lines are to appear when they are written.
        additional_env={'PYTHONUNBUFFERED': '1'},
        on_exit=_exit_handler(node, prefix, restarts or Restarts(node)),
    )


def _parameters(parameters: Mapping[str, object]) -> list[dict[str, object]]:
    from launch_ros.parameter_descriptions import ParameterValue

    # Strings are declared as such, so that none is taken for a number.
    typed = {
        name: ParameterValue(value, value_type=str) if isinstance(value, str) else value
        for name, value in parameters.items()
    }
    return [typed] if typed else []


def _exit_handler(
    node: NodeSpec, prefix: str | None, restarts: Restarts
) -> Callable[[Any, Any], Any]:
    """Return what to do when a node ends."""

    def on_exit(event: Any, context: Any) -> Any:
        from launch.actions import Shutdown, TimerAction

        if context.is_shutdown:
            return None
        how = f'{node.name} ended with exit code {event.returncode}'
        if event.returncode:
            if not restarts.allow(monotonic(), event.returncode):
                # The only way to make ros2 launch itself end with an error.
                raise LaunchError(how)
            again = to_action(node, prefix, restarts)
            return [TimerAction(period=node.respawn_delay, actions=[again])]
        return [Shutdown(reason=how)] if node.is_leader else None

    return on_exit


def _prefix(node: NodeSpec, has_prefix: bool) -> str | None:
    """Return what gives a node a terminal, since `launch` does not pass on its own."""
    if not node.needs_terminal or has_prefix:
        return None
    terminal = next(filter(None, map(shutil.which, TERMINALS)), None)
    if terminal is None or not os.environ.get('DISPLAY'):
        role = node.parameters.get('role', '')
        raise LaunchError(
            f'{node.name} needs a terminal, and ros2 launch can only give it one in a window. Use '
            f'gdl launch, or set {role or "ROLE"}:=none and run in another terminal: '
            f'ros2 run {PACKAGE} {node.executable} --ros-args '
            f'-p agent:=human -p role:={role or "ROLE"}'
        )
    return f'{terminal} -e'


def _cleaning(paths: list[Path]) -> list[Any]:
    from launch.actions import OpaqueFunction, RegisterEventHandler
    from launch.event_handlers import OnShutdown

    def clean(_: Any) -> None:
        for path in paths:
            path.unlink(missing_ok=True)

    return [RegisterEventHandler(OnShutdown(on_shutdown=[OpaqueFunction(function=clean)]))]
