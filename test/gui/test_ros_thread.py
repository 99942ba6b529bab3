"""ROS beside the web server: nobody who stops waiting ends it for the others."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import TYPE_CHECKING

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(60)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

import rclpy  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from gdl_env.gui import ros_thread  # noqa: E402
from gdl_env.gui.errors import GuiError  # noqa: E402

if TYPE_CHECKING:
    from gdl_env.gui.ros_thread import RosThread


@pytest.fixture
def ros(own_domain: int) -> Iterator[RosThread]:
    """Spin a node of its own."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=own_domain)
    node = rclpy.create_node('beside', context=context)
    thread = ros_thread.RosThread(node)
    yield thread
    thread.close()
    node.destroy_node()
    context.try_shutdown()


def test_what_nobody_waits_for_any_more_ends_nothing(ros: RosThread) -> None:
    gate = Event()
    ros.do(lambda: gate.wait(10))
    given_up = ros.do(lambda: pytest.fail('nobody wants that'))
    assert given_up.cancel()
    gate.set()
    assert ros.do(lambda: 7).result(10) == 7


def test_what_goes_wrong_is_told_to_who_asked(ros: RosThread) -> None:
    with pytest.raises(ZeroDivisionError):
        ros.do(lambda: 1 / 0).result(10)
    with pytest.raises(Exception, match='name'):
        ros.call(Trigger, 'no such name', Trigger.Request()).result(10)
    assert ros.do(lambda: 7).result(10) == 7


def test_services_that_are_not_there_or_silent(
    ros: RosThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ros_thread, '_MOST_POLLS', 2)
    monkeypatch.setattr(ros_thread, '_WAITS', 2)
    before = len(list(ros.node.clients))
    with pytest.raises(GuiError, match='/nobody is not offered'):
        ros.call(Trigger, '/nobody', Trigger.Request()).result(10)

    def hang(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        raise GuiError('it ends before it answers')

    ros.do(lambda: ros.node.create_service(Trigger, '/silent', hang)).result(10)
    monkeypatch.setattr(ros_thread, '_MOST_POLLS', 100)
    with pytest.raises(GuiError, match='/silent does not answer'):
        ros.call(Trigger, '/silent', Trigger.Request()).result(10)
    assert len(list(ros.node.clients)) == before
