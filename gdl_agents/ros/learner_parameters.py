"""The parameters of learners, evaluators and followers: defaults, descriptions, ranges."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

from gdl_env.ros.environment.parameters import Parameter


def _any(default: Any, description: str) -> Parameter:
    return Parameter(default, ParameterDescriptor(description=description, read_only=True))


def _whole(default: int, description: str, low: int) -> Parameter:
    span = IntegerRange(from_value=low, to_value=2**31 - 1, step=1)
    return Parameter(
        default,
        ParameterDescriptor(description=description, integer_range=[span], read_only=True),
    )


def _share(default: float, description: str) -> Parameter:
    span = FloatingPointRange(from_value=0.0, to_value=1.0, step=0.0)
    return Parameter(
        default,
        ParameterDescriptor(description=description, floating_point_range=[span], read_only=True),
    )


# Beside those of every agent.
LEARNER: dict[str, Parameter] = {
    'config': _any('', 'YAML file with options of learning, as for gdl train; empty: defaults'),
    'trust': _any(False, 'Whether code that the file of options names is run'),
    'run': _any('', 'Folder for what is learned; gone on with if it exists; empty: none'),
    'policy': _any('policy', 'Topic on which the policy is published'),
    'publish_every': _whole(500, 'Updates between two publications of the policy', 1),
    'end_with_match': _any(False, 'Whether to finish and end once all episodes were played'),
    # An empty list has no type that ROS could tell.
    'watch': _any([''], 'Roles that others play, to be learned from, too'),
    'matches': _any([''], 'Namespaces of other matches, to be learned from, too'),
}

# Beside those of every agent.
POLICY: dict[str, Parameter] = {
    'follow': _any('', 'Topic of the policy to play by, as it comes; empty: only from `detail`'),
    'wait': _any(False, 'Whether to answer nothing before the first policy came'),
    'epsilon': _share(0.0, 'Share of random moves of an agent that follows'),
}

EVALUATOR: dict[str, Parameter] = {
    'folder': _any('', 'Folder for the table and the learning curve; empty: none'),
    'policy': _any('policy', 'Topic of the policy to follow'),
    'info': _any('info', 'Topic that tells the rules of the game'),
    'every': _whole(1, 'Of the policies that come, each so many-th is evaluated', 1),
    'games': _whole(200, 'Games of an evaluation on each seat', 1),
    'lanes': _whole(64, 'Games played side by side', 1),
    'seed': _whole(0, 'Decides all chance', 0),
}
