"""The parameters of the environment node: defaults, descriptions, ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

_LARGEST = 2**31 - 1
_DAY = 86_400.0


@dataclass(frozen=True)
class Parameter:
    """A default and what a person should know."""

    default: Any
    descriptor: ParameterDescriptor


def _text(default: str, description: str, constraints: str = '') -> Parameter:
    return Parameter(
        default,
        ParameterDescriptor(
            description=description, additional_constraints=constraints, read_only=True
        ),
    )


def _whole(default: int, description: str, low: int, high: int = _LARGEST) -> Parameter:
    span = IntegerRange(from_value=low, to_value=high, step=1)
    return Parameter(
        default,
        ParameterDescriptor(description=description, integer_range=[span], read_only=True),
    )


def _seconds(default: float, description: str) -> Parameter:
    span = FloatingPointRange(from_value=0.0, to_value=_DAY, step=0.0)
    return Parameter(
        default, ParameterDescriptor(description=description, floating_point_range=[span])
    )


def _switch(default: bool, description: str) -> Parameter:
    return Parameter(default, ParameterDescriptor(description=description, read_only=True))


PARAMETERS: dict[str, Parameter] = {
    'game': _text('tictactoe', 'Name of a game, or path of a rule file'),
    'engine': _text('auto', 'Which engine runs the rules', 'auto, circuit, firstorder, prolog'),
    'mapping': _text(
        'auto', 'How facts become vectors', 'auto, typed, inferred, module:Class, file.py:Class'
    ),
    'lanes': _whole(1, 'Independent copies of the game, stepped together', 1, 1_000_000),
    'seed': _whole(0, 'Decides all chance in the environment', 0),
    'episodes': _whole(
        0,
        'Episodes to play at once when activated; 0 waits for a play_matches goal, -1 plays'
        ' without end',
        -1,
    ),
    'max_steps': _whole(0, 'Steps after which an episode is broken off [0: never]', 0),
    'illegal': _text(
        'random',
        'What becomes of an illegal answer: the game ends with a punishment, a random legal move'
        ' is played, or the legal one the agent prefers',
        'end, random, best',
    ),
    'reward': _text('goal', 'What a step is worth', 'goal, module:name, file.py:name'),
    'turn': _text(
        'rotate',
        'Who moves where several roles could, one at a time',
        'rotate, priority, random, first (whoever answers first), module:name',
    ),
    'teams': Parameter(
        [''],
        ParameterDescriptor(
            description='Teams: an entry each, its name and the roles',
            additional_constraints='team: role role …',
            read_only=True,
        ),
    ),
    'play_clock': _seconds(
        10.0, 'Time to answer, then a random legal move is played [s; 0: as long as it takes]'
    ),
    'missing_clock': _seconds(
        1.0,
        'Time to wait for a role without an agent [s; 0: as long as the play clock says, and'
        ' without one always so]',
    ),
    'start_clock': _seconds(
        60.0, 'Time to wait for agents before the first tick [s; 0: as long as it takes]'
    ),
    'spectator': _text('public', 'What spectators may see', 'public, all, none'),
    'text': _text('auto', 'Whether states hold text, too (auto: with one lane)', 'auto, on, off'),
    'record_lanes': _whole(
        0, 'Lanes whose every step is published on `record`, hidden parts too', 0, 1024
    ),
    'require_recorder': _switch(
        False,
        'Whether a match fails that is not recorded; a recorder that was heard is always awaited',
    ),
    'record_clock': _seconds(
        30.0, 'Time to wait for a recorder that writes nothing, during a match and at its end [s]'
    ),
    'publish_rules': _switch(True, 'Whether `info` holds the rules'),
    'journal': _text(
        '', 'File with the answers of every tick, from which a killed match resumes; empty: none'
    ),
    'undo': _whole(
        0,
        'Ticks that can be taken back by the services <role>/undo [0: there are no such services]',
        0,
        100_000,
    ),
    'busy_wait': _switch(
        True,
        'Whether to busy-wait for answers of quick agents: faster, but keeps a core busy',
    ),
    'autostart': _switch(True, 'Configure and activate at once, without a lifecycle manager'),
}
