"""Names of the topics, services and actions of a match, from its namespace on.

Whoever makes or uses one takes its name from here, and so does the policy that says who may
(`ros/security`).
"""

from __future__ import annotations

import re

# ---- topics
INFO = 'info'
STATUS = 'status'
SPECTATOR = 'spectator'
# Joint moves, where nothing is hidden.
MOVES = 'moves'
# Everything, hidden facts too.
RECORD = 'record'
# How far recorders have come.
RECORDED = 'recorded'
EVALUATION = 'evaluation'
# How far those who learn from a match have come.
CREDIT = 'credit'
POLICY = 'policy'
BOARD = 'board'
SEEN_BOARD = 'seen_board'
# Of an arm and a camera, as all of ROS has them.
JOINT_STATES = 'joint_states'
JOINT_TRAJECTORY = 'joint_trajectory'
IMAGE = 'camera/image_raw'
COMPRESSED_IMAGE = 'camera/image_raw/compressed'
CAMERA_INFO = 'camera/camera_info'
DIAGNOSTICS = '/diagnostics'
# Where frames are that do not move, as all of ROS has it.
TF_STATIC = '/tf_static'

# ---- services and actions of the environment
RESET = 'reset'
SET_ROLE = 'set_role'
LEGAL_MOVES = 'legal_moves'
# Not `get_state`, which every node with a lifecycle has.
CURRENT_STATE = 'current_state'
# The name of the node of an environment, unless it was started under another one.
ENVIRONMENT_NODE = 'env_node'
PLAY_MATCHES = 'play_matches'

# ---- of the nodes with real pieces
PLAY_MOVE = 'play_move'
RESET_BOARD = 'reset_board'
WAIT_FOR_MOVE = 'wait_for_move'

# ---- of the node that asks for games
SWAP = 'swap'

# ---- of an agent: nothing is published on `~/alive`; its liveliness is what counts
ALIVE = '~/alive'
LEAVE = '~/leave'
LIST_LEVELS = '~/list_levels'
SET_LEVEL = '~/set_level'

_ALLOWED = re.compile(r'[A-Za-z][A-Za-z0-9_]*')


def topic_part(name: str) -> str:
    """Return a role or team as a part of a topic name.

    Ordinary names stay as they are. What ROS does not allow is spelled by its number, such as
    `player-1` by `player_x2d_1`, and what does not begin with a letter gets an `r_` in front.
    """
    if _ALLOWED.fullmatch(name) and '__' not in name and not name.endswith('_'):
        return name
    spelled = re.sub(r'[^A-Za-z0-9]+', lambda found: _spell(found.group()), name)
    if _ALLOWED.fullmatch(spelled):
        return spelled
    return f'r{spelled}' if spelled.startswith('_') else f'r_{spelled}'


def state_topic(role: str, cohort: int = 0) -> str:
    """Return where a role is asked."""
    return f'{_of_cohort(cohort)}{topic_part(role)}/state'


def view_topic(role: str, cohort: int = 0) -> str:
    """Return where a role is shown what it sees while others decide."""
    return f'{_of_cohort(cohort)}{topic_part(role)}/view'


def reward_topic(role: str, cohort: int = 0) -> str:
    """Return where a role receives its feedback."""
    return f'{_of_cohort(cohort)}{topic_part(role)}/reward'


def action_topic(role: str, cohort: int = 0) -> str:
    """Return where a role answers."""
    return f'{_of_cohort(cohort)}{topic_part(role)}/action'


def undo_service(role: str) -> str:
    """Return where a role takes its last move back."""
    return f'{topic_part(role)}/undo'


def team_topic(team: str) -> str:
    """Return where the members of a team talk to each other."""
    return f'team/{topic_part(team)}'


def private_name(node: str, name: str) -> str:
    """Return a name that belongs to a node, such as `~/set_level`, in full."""
    return name.replace('~', node, 1)


def _of_cohort(cohort: int) -> str:
    """Return what topics of lanes begin with; those of the first cohort need nothing."""
    return f'cohort_{cohort}/' if cohort else ''


def _spell(characters: str) -> str:
    return '_' + ''.join(f'x{ord(character):x}_' for character in characters)
