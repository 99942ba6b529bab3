"""A person plays at the terminal, against agents."""

from gdl_env.ros.launch.launch_actions import describe_launch
from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments of topology.py and start the nodes it names."""
    return describe_launch('human')
