"""What each node of a match may use on the graph: no more than it needs to do its work.

Names are those that the nodes themselves use (`transport/names.py`). The agent of a role reaches
what concerns that role, and nothing of others: what a game hides stays hidden from a program that
does not keep to the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from gdl_env.errors import GdlError
from gdl_env.ros.transport import names
from gdl_env.ros.transport.names import topic_part

# What every node of ROS has.
_NODE_TOPICS = ('/rosout', '/parameter_events')
_NODE_SERVICES = (
    '~/describe_parameters',
    '~/get_parameter_types',
    '~/get_parameters',
    '~/get_type_description',
    '~/list_parameters',
    '~/set_parameters',
    '~/set_parameters_atomically',
)
# And every node with a lifecycle.
_CHANGE_STATE = '~/change_state'
_LIFECYCLE_TOPICS = ('~/transition_event',)
_LIFECYCLE_SERVICES = (
    _CHANGE_STATE,
    '~/get_available_states',
    '~/get_available_transitions',
    '~/get_state',
    '~/get_transition_graph',
)
# What an arm and a camera say.
_TABLE_TOPICS = (
    *(names.SEEN_BOARD, names.JOINT_STATES, names.JOINT_TRAJECTORY),
    *(names.IMAGE, names.COMPRESSED_IMAGE, names.CAMERA_INFO),
)


@dataclass(frozen=True)
class Access:
    """What one node may use; names are relative to its namespace, or begin with a slash or ~."""

    # The last part of the path of its enclave.
    enclave: str
    # Its name, in which * stands for anything.
    node: str
    publishes: tuple[str, ...] = ()
    subscribes: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    executes: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


@dataclass(frozen=True)
class MatchAccess:
    """What the nodes of a match may use."""

    roles: tuple[str, ...]
    # Whether everyone may see everything.
    is_open: bool
    # Members by team.
    teams: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Roles that people play at the web interface.
    seats: tuple[str, ...] = ()
    # Roles whose moves an arm plays, and those of people whose moves a camera sees.
    arms: tuple[str, ...] = ()
    hands: tuple[str, ...] = ()
    # Parts of the lanes with topics of their own.
    cohorts: int = 1

    def __post_init__(self) -> None:
        """Raise GdlError if two roles or teams would share a topic."""
        topics = [*map(names.state_topic, self.roles), *map(names.team_topic, self.teams)]
        for topic in topics:
            if topics.count(topic) > 1:
                raise GdlError(f'several roles or teams would share the topic {topic!r}')

    def nodes(self) -> tuple[Access, ...]:
        """Return the access of every node, the environment first."""
        agents = (self.agent(role) for role in self.roles)
        table = (self.robot, self.perception) if self._has_table else ()
        return (self.environment, *agents, self.match, self.recorder, self.gui, *table)

    @property
    def environment(self) -> Access:
        """Return the access of the environment."""
        return Access(
            enclave='environment',
            node=names.ENVIRONMENT_NODE,
            publishes=(
                *_NODE_TOPICS,
                *_LIFECYCLE_TOPICS,
                *(names.INFO, names.STATUS, names.SPECTATOR, names.RECORD, names.DIAGNOSTICS),
                *((names.MOVES,) if self.is_open else ()),
                *self._each(self.roles, names.state_topic, names.view_topic, names.reward_topic),
            ),
            subscribes=(
                names.RECORDED,
                *self._each(self.roles, names.action_topic),
                *(names.private_name(agent_node(role), names.ALIVE) for role in self.roles),
            ),
            serves=(
                *_NODE_SERVICES,
                *_LIFECYCLE_SERVICES,
                *(names.RESET, names.SET_ROLE, names.LEGAL_MOVES, names.CURRENT_STATE),
                *map(names.undo_service, self.roles),
            ),
            executes=(names.PLAY_MATCHES,),
        )

    def agent(self, role: str) -> Access:
        """Return the access of the agent of a role."""
        teams = tuple(
            names.team_topic(team) for team, members in self.teams.items() if role in members
        )
        calls = (
            *((names.PLAY_MOVE,) if role in self.arms else ()),
            *((names.WAIT_FOR_MOVE,) if role in self.hands else ()),
        )
        # Who calls actions has a second node for them.
        helper = f'{agent_node(role)}_actions'
        own = (names.private_name(helper, name) for name in (_NODE_SERVICES if calls else ()))
        return Access(
            enclave=f'agents/{topic_part(role)}',
            node=agent_node(role),
            publishes=(
                *_NODE_TOPICS,
                *self._each((role,), names.action_topic),
                names.ALIVE,
                *teams,
            ),
            subscribes=(
                names.INFO,
                *self._received_by(role),
                *((names.MOVES,) if self.is_open else ()),
                *teams,
            ),
            serves=(*_NODE_SERVICES, names.LEAVE, names.LIST_LEVELS, names.SET_LEVEL, *own),
            calls=calls,
        )

    @property
    def match(self) -> Access:
        """Return the access of the node that asks for the games."""
        return Access(
            enclave='match',
            node='match_node',
            publishes=_NODE_TOPICS,
            subscribes=(names.STATUS,),
            serves=(*_NODE_SERVICES, names.SWAP),
            requests=(
                names.SET_ROLE,
                *(names.private_name(agent_node(role), names.LEAVE) for role in self.roles),
            ),
            calls=(names.PLAY_MATCHES,),
        )

    @property
    def recorder(self) -> Access:
        """Return the access of the recorder: it reads everything, and says how far it is."""
        return Access(
            enclave='recorder',
            node='recorder_node',
            publishes=(*_NODE_TOPICS, names.RECORDED),
            subscribes=(
                *(names.INFO, names.STATUS, names.SPECTATOR, names.RECORD),
                *(names.BOARD, names.EVALUATION, names.POLICY),
                *(names.DIAGNOSTICS, names.TF_STATIC),
                *(_TABLE_TOPICS if self._has_table else ()),
                *(topic for role in self.roles for topic in self._received_by(role)),
                *self._each(self.roles, names.action_topic),
            ),
            serves=_NODE_SERVICES,
        )

    @property
    def gui(self) -> Access:
        """Return the access of the web interface: of a spectator, and of the roles played there.

        In open games it also shows how agents value their moves, and the last position.
        """
        seen = self._each(self.roles, names.action_topic, names.reward_topic)
        levels = (names.LIST_LEVELS, names.SET_LEVEL)
        return Access(
            enclave='gui',
            node='gui_node',
            publishes=(*_NODE_TOPICS, *self._each(self.seats, names.action_topic)),
            subscribes=(
                *(names.INFO, names.STATUS, names.SPECTATOR, names.EVALUATION),
                *(topic for role in self.seats for topic in self._received_by(role)),
                *(seen if self.is_open else ()),
            ),
            serves=_NODE_SERVICES,
            requests=(
                *(names.RESET, names.SET_ROLE, names.LEGAL_MOVES),
                *map(names.undo_service, self.seats),
                names.private_name(names.ENVIRONMENT_NODE, _CHANGE_STATE),
                *(
                    names.private_name(agent_node(role), name)
                    for role in self.roles
                    for name in levels
                ),
            ),
            calls=(names.PLAY_MATCHES,),
        )

    @property
    def robot(self) -> Access:
        """Return the access of the arm; where it simulates the table, it is the camera, too."""
        return Access(
            enclave='robot',
            node='robot_node',
            publishes=(*_NODE_TOPICS, names.TF_STATIC, *_TABLE_TOPICS),
            subscribes=(names.INFO, names.SPECTATOR, names.SEEN_BOARD),
            serves=_NODE_SERVICES,
            executes=(names.PLAY_MOVE, names.RESET_BOARD),
        )

    @property
    def perception(self) -> Access:
        """Return the access of the node that recognises moves."""
        return Access(
            enclave='perception',
            node='perception_node',
            publishes=_NODE_TOPICS,
            subscribes=(names.INFO, names.SPECTATOR, names.SEEN_BOARD),
            serves=_NODE_SERVICES,
            executes=(names.WAIT_FOR_MOVE,),
        )

    @property
    def _has_table(self) -> bool:
        return bool(self.arms or self.hands)

    def _received_by(self, role: str) -> tuple[str, ...]:
        return self._each((role,), names.state_topic, names.view_topic, names.reward_topic)

    def _each(self, roles: Iterable[str], *makers: Callable[[str, int], str]) -> tuple[str, ...]:
        """Return the names that functions make of roles, in every cohort."""
        return tuple(
            make(role, cohort)
            for cohort in range(self.cohorts)
            for role in roles
            for make in makers
        )


def agent_node(role: str) -> str:
    """Return the name that the node of an agent must have."""
    return f'{topic_part(role)}_agent'
