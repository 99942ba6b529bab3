"""An arm plays with real pieces, or simulated ones, against agents or a person."""

from gdl_env.ros.launch.launch_actions import describe_launch
from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments of topology.py and start the nodes it names."""
    return describe_launch('robot')
