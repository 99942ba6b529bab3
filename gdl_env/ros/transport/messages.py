"""Messages of ROS to what crosses between a match and its agents, and back.

Arrays go through buffers, never through lists: a message of 8,192 lanes takes microseconds.
"""

from __future__ import annotations

import array
from collections.abc import Sequence
from typing import Any

from builtin_interfaces.msg import Duration, Time
from gdl_msgs.msg import Action, GameInfo, Reward, State
import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Answer, Feedback, MatchInfo, Question
from gdl_env.errors import GdlError
from gdl_env.play.turn_names import ROTATE

_MOST_SECONDS = 2**31 - 1
_MOST_ROLES = 1_000
BILLION = 1_000_000_000


class WireError(GdlError):
    """A message does not fit the match it was sent to."""


def to_game_info(info: MatchInfo, seed: int = 0) -> GameInfo:
    """Return the message that describes a match."""
    team_of = {role: team for team, roles in info.teams.items() for role in roles}
    return GameInfo(
        name=info.name,
        rules=info.rules,
        roles=list(info.roles),
        lanes=info.lanes,
        observation_size=info.observation_size,
        action_size=info.action_size,
        moves=list(info.moves),
        facts=list(info.facts),
        start_clock=to_duration(info.start_clock),
        play_clock=to_duration(info.play_clock),
        team=[team_of.get(role, '') for role in info.roles] if team_of else [],
        seed=seed,
        turn=info.turn,
        cohorts=info.cohorts,
    )


def from_game_info(message: GameInfo) -> MatchInfo:
    """Read what a match is about. Raises WireError if its tables have the wrong length."""
    roles = tuple(message.roles)
    what = f'info of {message.name!r}'
    if not roles or message.lanes < 1:
        raise WireError(f'{what}: a match has at least one role and one lane')
    if len(roles) > _MOST_ROLES or len(set(roles)) < len(roles):
        raise WireError(f'{what}: {len(roles)} roles, which are too many, or not all different')
    for field in ('name', 'roles', 'team', 'moves', 'facts', 'turn'):
        _check_printable(what, field, getattr(message, field))
    if message.cohorts > message.lanes:
        raise WireError(f'{what}: {message.cohorts} cohorts of {message.lanes} lanes')
    _check(what, 'team', len(message.team), len(roles), 'one a role')
    _check(what, 'moves', len(message.moves), message.action_size, 'one an action')
    _check(what, 'facts', len(message.facts), message.observation_size, 'one a bit')
    teams: dict[str, tuple[str, ...]] = {}
    for role, team in zip(roles, message.team, strict=False):
        if team:
            teams[team] = (*teams.get(team, ()), role)
    return MatchInfo(
        name=message.name,
        rules=message.rules,
        roles=roles,
        lanes=message.lanes,
        observation_size=message.observation_size,
        action_size=message.action_size,
        moves=tuple(message.moves),
        facts=tuple(message.facts),
        start_clock=from_duration(message.start_clock),
        play_clock=from_duration(message.play_clock),
        teams=teams,
        # Programs that publish `info` themselves may leave it empty.
        turn=message.turn or ROTATE,
        cohorts=max(1, message.cohorts),
    )


def to_state(question: Question) -> State:
    """Return the message that asks a question."""
    message = State(tick=question.tick, role=question.role, lanes=question.lanes)
    message.header.stamp = to_time(question.stamp)
    message.agent = question.agent
    message.episode = _numbers('Q', question.episode, np.uint64)
    message.to_move = _packed(question.to_move)
    if question.observation is not None:
        message.observation = _bits(question.observation)
    if question.legal is not None:
        message.legal = _bits(question.legal)
    message.time_left = to_duration(question.time_left)
    message.facts = list(question.facts)
    message.legal_moves = list(question.legal_moves)
    return message


def from_state(message: State, info: MatchInfo) -> Question:
    """Read a question. Raises WireError if it does not fit the match."""
    what = f'state of role {message.role!r} at tick {message.tick}'
    lanes = _lanes(what, message, info)
    return Question(
        tick=message.tick,
        role=message.role,
        episode=_read(what, 'episode', message.episode, np.uint64, lanes),
        to_move=_read_packed(what, 'to_move', message.to_move, lanes),
        observation=_read_bits(
            what, 'observation', message.observation, lanes, info.observation_size
        ),
        legal=_read_bits(what, 'legal', message.legal, lanes, info.action_size),
        time_left=from_duration(message.time_left),
        facts=tuple(message.facts),
        legal_moves=tuple(message.legal_moves),
        agent=message.agent,
        stamp=from_time(message.header.stamp),
        first_lane=info.first_lane,
    )


def to_action(answer: Answer, stamp: int = 0) -> Action:
    """Return the message that answers a question with this stamp."""
    message = Action(tick=answer.tick, role=answer.role, agent=answer.agent)
    message.header.stamp = to_time(stamp)
    if answer.action is not None:
        message.action = _numbers('i', answer.action, np.int32)
    message.move = list(answer.moves)
    if answer.preference is not None:
        message.preference = _numbers('f', answer.preference, np.float32)
    return message


def from_action(message: Action, info: MatchInfo) -> Answer:
    """Read an answer; whether its moves are legal is for the match to say.

    Raises WireError if it decides nothing, has no name or does not fit the number of lanes.
    """
    what = f'answer of {message.agent!r} for role {message.role!r} at tick {message.tick}'
    if not message.agent:
        raise WireError(f'{what}: the field `agent` says who answers and must not be empty')
    has_action = len(message.action) > 0 and info.action_size > 0
    if not has_action and not message.move:
        if len(message.action):
            raise WireError(f'{what}: the game has no action table; answer by text in `move`')
        raise WireError(f'{what}: both `action` and `move` are empty')
    action = preference = None
    if has_action:
        action = _read(what, 'action', message.action, np.int32, info.lanes)
    else:
        _check(what, 'move', len(message.move), info.lanes, 'one a lane')
    if len(message.preference):
        size = info.lanes * info.action_size
        preference = _read(what, 'preference', message.preference, np.float32, size)
        preference = preference.reshape(info.lanes, info.action_size)
    return Answer(
        tick=message.tick,
        role=message.role,
        agent=message.agent,
        action=action,
        moves=() if has_action else tuple(message.move),
        preference=preference,
    )


def to_reward(feedback: Feedback, stamp: int = 0) -> Reward:
    """Return the message of a tick's feedback; the tick began at this stamp."""
    message = Reward(tick=feedback.tick, role=feedback.role, lanes=len(feedback.reward))
    message.header.stamp = to_time(stamp)
    message.episode = _numbers('Q', feedback.episode, np.uint64)
    message.reward = _numbers('f', feedback.reward, np.float32)
    message.goal = _numbers('B', feedback.goal, np.uint8)
    message.terminated = _packed(feedback.terminated)
    message.truncated = _packed(feedback.truncated)
    message.action = _numbers('i', feedback.action, np.int32)
    message.origin = _numbers('B', feedback.origin, np.uint8)
    if feedback.final_observation is not None:
        message.final_observation = _bits(feedback.final_observation)
    message.move = feedback.move
    return message


def from_reward(message: Reward, info: MatchInfo) -> Feedback:
    """Read the feedback of a tick. Raises WireError if it does not fit the match."""
    what = f'reward of role {message.role!r} at tick {message.tick}'
    lanes = _lanes(what, message, info)
    terminated = _read_packed(what, 'terminated', message.terminated, lanes)
    truncated = _read_packed(what, 'truncated', message.truncated, lanes)
    ended = int((terminated | truncated).sum())
    return Feedback(
        tick=message.tick,
        role=message.role,
        episode=_read(what, 'episode', message.episode, np.uint64, lanes),
        reward=_read(what, 'reward', message.reward, np.float32, lanes),
        goal=_read(what, 'goal', message.goal, np.uint8, lanes),
        terminated=terminated,
        truncated=truncated,
        action=_read(what, 'action', message.action, np.int32, lanes if info.action_size else 0),
        origin=_read(what, 'origin', message.origin, np.uint8, lanes),
        final_observation=_read_bits(
            what, 'final_observation', message.final_observation, ended, info.observation_size
        ),
        move=message.move,
    )


def to_time(stamp: int) -> Time:
    """Return nanoseconds since 1970 as a message."""
    seconds, rest = divmod(stamp, BILLION)
    return Time(sec=seconds, nanosec=rest)


def from_time(time: Time) -> int:
    """Return nanoseconds since 1970."""
    return int(time.sec) * BILLION + int(time.nanosec)


def to_duration(seconds: float) -> Duration:
    """Return seconds as a message; what is not zero stays so, since zero means no limit."""
    whole, rest = split_duration(seconds)
    return Duration(sec=whole, nanosec=rest)


def split_duration(seconds: float) -> tuple[int, int]:
    """Return whole seconds and nanoseconds, as `to_duration` does."""
    if not seconds > 0:
        return 0, 0
    return divmod(max(1, round(min(seconds, _MOST_SECONDS) * BILLION)), BILLION)


def from_duration(duration: Duration) -> float:
    """Return seconds; below zero nothing is left, which reads as no limit."""
    return max(0.0, float(duration.sec + duration.nanosec / BILLION))


def _numbers(code: str, values: NDArray[Any], dtype: type) -> array.array[Any]:
    return array.array(code, values.astype(dtype, copy=False).tobytes())


def _packed(values: NDArray[np.bool_]) -> array.array[int]:
    return array.array('B', np.packbits(values, bitorder='little').tobytes())


def _bits(bits: Bits) -> array.array[int]:
    return array.array('B', bits.to_bytes())


def _read(what: str, field: str, data: Any, dtype: type, size: int) -> NDArray[Any]:
    if len(data) != size:
        raise WireError(f'{what}: `{field}` has {len(data)} entries, not {size}')
    return np.frombuffer(data, dtype) if size else np.empty(0, dtype)


def _read_packed(what: str, field: str, data: Any, lanes: int) -> NDArray[np.bool_]:
    packed = _read(what, field, data, np.uint8, -(-lanes // 8))
    return np.unpackbits(packed, count=lanes, bitorder='little').view(np.bool_)


def _read_bits(what: str, field: str, data: Any, rows: int, size: int) -> Bits | None:
    """Read rows of bits; None if there are none."""
    if not len(data):
        return None
    try:
        return Bits.from_bytes(data, rows, size)
    except ValueError as error:
        raise WireError(f'{what}: `{field}`: {error}') from error


def _lanes(what: str, message: Any, info: MatchInfo) -> int:
    if message.role not in info.roles:
        raise WireError(f'{what}: no such role; roles: {", ".join(info.roles)}')
    if message.lanes != info.lanes:
        raise WireError(f'{what}: {message.lanes} lanes, but the match has {info.lanes}')
    return info.lanes


def _check_printable(what: str, field: str, texts: str | Sequence[str]) -> None:
    """Refuse texts with line breaks and the like: they are shown to people, and in logs."""
    for text in [texts] if isinstance(texts, str) else texts:
        if not text.isprintable():
            raise WireError(f'{what}: `{field}` has {text[:80]!r}, which cannot be printed')


def _check(what: str, field: str, found: int, wanted: int, meaning: str) -> None:
    """Check a list that may be left out."""
    if found not in {0, wanted}:
        raise WireError(f'{what}: `{field}` has {found} entries, not {wanted} ({meaning})')
