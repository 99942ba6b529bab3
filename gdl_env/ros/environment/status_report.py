"""How a match goes, as messages: status, and diagnostics for the tools of ROS."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from gdl_msgs.msg import RoleStatus
import numpy as np

from gdl_env.environment.options import Policy
from gdl_env.environment.protocol import MatchInfo
from gdl_env.ros.environment.standings import Standing
from gdl_env.ros.transport.messages import to_duration

# Of each role, the newest.
_LATENCIES = 1000


class Meter:
    """Speed and latencies of late."""

    def __init__(self, *, is_held: bool) -> None:
        """Begin; latencies that are held are not seen before `show_latencies` is called."""
        self._is_held = is_held
        # As many as can be shown of some roles: an episode may take for ever.
        self._held: deque[tuple[str, float]] = deque(maxlen=4 * _LATENCIES)
        self.rate = 0.0
        self.tick_rate = 0.0
        self._last: tuple[float, int, int] | None = None
        self._latencies: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_LATENCIES))

    def measure(self, now: float, steps: int, ticks: int) -> None:
        """Take a sample; the rates are those since the one before."""
        if self._last is not None and now > self._last[0]:
            time, old_steps, old_ticks = self._last
            self.rate = max(0, steps - old_steps) / (now - time)
            self.tick_rate = max(0, ticks - old_ticks) / (now - time)
        self._last = now, steps, ticks

    def add_latency(self, role: str, seconds: float) -> None:
        """Note how long an answer took."""
        if self._is_held:
            self._held.append((role, seconds))
        else:
            self._latencies[role].append(seconds)

    def show_latencies(self) -> None:
        """Let those be seen that were held."""
        for role, seconds in self._held:
            self._latencies[role].append(seconds)
        self._held.clear()

    def percentiles(self, role: str) -> tuple[float, float, float]:
        """Return median, 95th and 99th percentile of a role's latencies [s]; NaN for none."""
        found = self._latencies.get(role)
        if not found:
            return float('nan'), float('nan'), float('nan')
        low, middle, high = np.percentile(np.array(found), [50, 95, 99])
        return float(low), float(middle), float(high)


def role_status(
    standing: Standing,
    role: str,
    policy: Policy,
    *,
    is_attached: bool,
    owner: str,
    standby: list[str],
    time_left: float,
) -> RoleStatus:
    """Return how one role fares."""
    tally = standing.tallies[role]
    attendance = standing.attendance[role]
    if policy is not Policy.AGENT:
        state = RoleStatus.AGENT_STATE_UNKNOWN
    elif not is_attached:
        state = RoleStatus.AGENT_STATE_MISSING
    elif attendance.is_silent:
        state = RoleStatus.AGENT_STATE_SILENT
    else:
        state = RoleStatus.AGENT_STATE_ATTACHED
    is_awaited = role in standing.missing
    return RoleStatus(
        role=role,
        agent_state=state,
        agent=attendance.agent,
        owner=owner,
        standby=standby,
        is_awaited=is_awaited,
        time_left=to_duration(time_left if is_awaited else 0.0),
        strikes=tally.strikes,
        late_answers=attendance.late,
        illegal_answers=tally.illegal,
        foreign_answers=attendance.foreign,
        wins=tally.wins,
        draws=tally.draws,
        losses=tally.losses,
        mean_goal=tally.mean_goal,
    )


def diagnostics(
    stamp: Any,
    name: str,
    info: MatchInfo,
    standing: Standing,
    meter: Meter,
    roles: list[RoleStatus],
    phase: str,
    lost: int | None = None,
) -> DiagnosticArray:
    """Return the health of a match: one status for all of it, one for each role.

    `lost` is what learners did not take in, None if they are not waited for.
    """
    found = [
        DiagnosticStatus(
            level=DiagnosticStatus.OK,
            name=f'{name}: match',
            message=phase,
            hardware_id=info.name,
            values=[
                _value('steps/s', f'{meter.rate:.1f}'),
                _value('ticks/s', f'{meter.tick_rate:.1f}'),
                _value('tick', standing.tick),
                _value('lanes', info.lanes),
                _value('cohorts', info.cohorts),
                _value('finished episodes', standing.tallies.finished),
                *([] if lost is None else [_value('steps lost to learners', lost)]),
            ],
        )
    ]
    for role in roles:
        is_bad = role.agent_state in {
            RoleStatus.AGENT_STATE_MISSING,
            RoleStatus.AGENT_STATE_SILENT,
        }
        words = {0: 'played by the environment', 1: 'no agent', 2: 'attached', 3: 'silent'}
        median, high, highest = meter.percentiles(role.role)
        found.append(
            DiagnosticStatus(
                level=DiagnosticStatus.WARN if is_bad else DiagnosticStatus.OK,
                name=f'{name}: {role.role}',
                message=words[role.agent_state],
                hardware_id=role.agent,
                values=[
                    _value('agent', role.agent),
                    _value('latency 50 % [ms]', f'{1e3 * median:.2f}'),
                    _value('latency 95 % [ms]', f'{1e3 * high:.2f}'),
                    _value('latency 99 % [ms]', f'{1e3 * highest:.2f}'),
                    _value('strikes', role.strikes),
                    _value('late answers', role.late_answers),
                    _value('illegal answers', role.illegal_answers),
                    _value('foreign answers', role.foreign_answers),
                ],
            )
        )
    message = DiagnosticArray(status=found)
    message.header.stamp = stamp
    return message


def _value(key: str, value: object) -> KeyValue:
    return KeyValue(key=key, value=str(value))
