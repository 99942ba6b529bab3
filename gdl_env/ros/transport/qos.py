"""How each kind of topic travels: one function a kind, used by both ends.

Everything is reliable. What a late joiner needs is kept by its publisher (transient local, the
newest only); what only makes sense when it is said is not.
"""

from __future__ import annotations

from rclpy.duration import Duration
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)

# How often an agent shows that it lives, at least, and how long it may not [s].
_SIGN_OF_LIFE = 1.0
_LONGEST_SILENCE = 3.0


def info_qos() -> QoSProfile:
    """Return the profile of `info`: the newest one, also for late subscribers."""
    return _kept()


def state_qos(depth: int = 1) -> QoSProfile:
    """Return the profile of `<role>/state`; a match that learners follow keeps a few more.

    An agent that starts late, or again, is given the open question. More than one would have it
    answer questions that are settled. Nothing is lost by that: the match waits for the answer,
    and a view that was overtaken by a newer one before it was read is of no use.
    """
    return _kept(depth)


def reward_qos() -> QoSProfile:
    """Return the profile of `<role>/reward`.

    Learners want every one. The match waits for answers, so an agent falls behind by the ticks
    between two of its decisions only; an agent that is 100 behind no longer answers, and must
    not hold up the match, as it would if all were kept.
    """
    return _passing()


def action_qos() -> QoSProfile:
    """Return the profile of `<role>/action`.

    An answer is for one tick, so a late joiner gets none. All agents of a role share the queue
    of the match: it is deep enough that a foreign one cannot push out the right answer.
    """
    return _passing()


def moves_qos() -> QoSProfile:
    """Return the profile of `moves`: players want every one, but only of those they saw played."""
    return _passing()


def alive_qos(*, is_agent: bool = False) -> QoSProfile:
    """Return the profile of `~/alive`, for an agent or for whoever watches it.

    The middleware of the agent's process shows that it lives, also while it thinks.
    """
    profile = _passing(1)
    profile.liveliness = LivelinessPolicy.AUTOMATIC
    seconds = _SIGN_OF_LIFE if is_agent else _LONGEST_SILENCE
    profile.liveliness_lease_duration = Duration(seconds=seconds)
    return profile


def team_qos() -> QoSProfile:
    """Return the profile of `team/<team>`: what was said before one came is not repeated."""
    return _passing()


def spectator_qos(depth: int = 1) -> QoSProfile:
    """Return the profile of `spectator`: a viewer that comes late sees the board at once.

    A viewer that wants the positions in between, too, gives a depth: moves come in pairs.
    """
    return _kept(depth)


def status_qos() -> QoSProfile:
    """Return the profile of `status`: the newest one, also for late subscribers."""
    return _kept()


def policy_qos() -> QoSProfile:
    """Return the profile of `policy`: the newest one, also for late subscribers."""
    return _kept()


def credit_qos() -> QoSProfile:
    """Return the profile of `credit`: the newest of each learner, also for late subscribers."""
    return _kept(10)


def evaluation_qos() -> QoSProfile:
    """Return the profile of `evaluation`: late subscribers get the curve so far."""
    return _kept(1_000)


def diagnostics_qos() -> QoSProfile:
    """Return the profile of `/diagnostics`, as all of ROS has it."""
    return _passing(10)


def seen_board_qos() -> QoSProfile:
    """Return the profile of `seen_board`: only the newest picture is of use."""
    return _passing(1)


def sensor_qos() -> QoSProfile:
    """Return the profile of joints and pictures: the newest few are of use."""
    return _passing(5)


def tf_static_qos() -> QoSProfile:
    """Return the profile of `/tf_static`, as the StaticTransformBroadcaster of tf2 has it."""
    return _kept()


def record_qos() -> QoSProfile:
    """Return the profile of `record`: deep enough that a recorder may be busy for a while."""
    return _passing(10_000)


def recorded_qos() -> QoSProfile:
    """Return the profile of `recorded`: the newest of each recorder, also for late subscribers.

    Several recorders share the queue of the environment.
    """
    return _kept(10)


def _kept(depth: int = 1) -> QoSProfile:
    return _reliable(depth, DurabilityPolicy.TRANSIENT_LOCAL)


def _passing(depth: int = 100) -> QoSProfile:
    return _reliable(depth, DurabilityPolicy.VOLATILE)


def _reliable(depth: int, durability: DurabilityPolicy) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=durability,
    )
