"""What agents report about their play is a diagnostic status."""

from __future__ import annotations

import pytest

pytest.importorskip('diagnostic_msgs', reason='ROS 2 is not installed')

from diagnostic_msgs.msg import DiagnosticStatus

from gdl_agents.ros.agent_diagnostics import make_status


@pytest.mark.parametrize(
    ('blind', 'level', 'message'),
    [
        (0, DiagnosticStatus.OK, 'all decisions by what is known'),
        (2, DiagnosticStatus.WARN, '2 of 9 decisions were blind'),
    ],
)
def test_blind_decisions_are_a_warning(blind: int, level: bytes, message: str) -> None:
    status = make_status('/x/ismcts', {'hidden_decisions': 9, 'blind_decisions': blind})
    assert (status.level, status.message) == (level, message)
    values = {value.key: value.value for value in status.values}
    assert values == {'hidden decisions': '9', 'blind decisions': str(blind)}
