"""Matches between two network namespaces: links that are slow or cut, agents that come and go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import json
from pathlib import Path
import signal
import subprocess
import sys
from threading import Thread
import time
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'benchmark'))

from slow_link import SlowLink, find_obstacle  # noqa: E402

OBSTACLE = find_obstacle()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(OBSTACLE), reason=f'no network namespaces here: {OBSTACLE}'),
]

BIN = Path(sys.executable).parent
SETTINGS = {'ROS_DOMAIN_ID': '85', 'AMENT_PREFIX_PATH': str(BIN.parent)}
ECHO = """
import socket
place = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
place.bind(('0.0.0.0', 5000))
print('ready', flush=True)
while True:
    data, address = place.recvfrom(65000)
    place.sendto(data, address)
"""
ASK = """
import json, socket, sys, time
place = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
place.settimeout(1)
times = []
for _ in range(60):
    start = time.perf_counter()
    place.sendto(b'x', (sys.argv[1], 5000))
    try:
        place.recv(100)
        times.append(time.perf_counter() - start)
    except TimeoutError:
        pass
print(json.dumps(sorted(times)))
"""
# Prints a line of status twice a second: phase, steps, strikes, owner of x, message.
WATCH = """
import json, time
from gdl_msgs.msg import Status
import rclpy
from gdl_env.ros.run_node import open_executor
from gdl_env.ros.transport.liveliness import shorten_lease
from gdl_env.ros.transport.qos import status_qos
shorten_lease()
rclpy.init()
node = rclpy.create_node('watch', namespace='/far')
def show(status):
    strikes = sum(role.strikes for role in status.roles)
    told = [status.phase, status.steps, strikes, status.roles[0].owner, status.message]
    print(json.dumps(told), flush=True)
node.create_subscription(Status, 'status', show, status_qos())
executor = open_executor(node.context)
executor.add_node(node)
while True:
    executor.spin_once(timeout_sec=0.1)
"""


@contextmanager
def programs() -> Iterator[list[subprocess.Popen[Any]]]:
    """End all programs that are put into the list."""
    running: list[subprocess.Popen[Any]] = []
    try:
        yield running
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def test_a_link_delays_and_loses_packets() -> None:
    with SlowLink(delay=0.02, loss=0.1) as link, programs() as running:
        echo = link.popen(1, [sys.executable, '-c', ECHO], stdout=subprocess.PIPE, text=True)
        running.append(echo)
        assert echo.stdout is not None and echo.stdout.readline()
        command = [sys.executable, '-c', ASK, link.address(1)]
        asking = link.popen(0, command, stdout=subprocess.PIPE, text=True)
        running.append(asking)
        times = json.loads(asking.communicate(timeout=120)[0])
        link.cut()
        passed, lost, full = link.counts
    # Of 60 questions, a tenth is lost on each way: 49 answers, give or take.
    assert 30 < len(times) < 60
    assert lost and passed > 70 and not full
    assert min(times) >= 0.04


def test_cut_links_and_killed_agents_cost_time_but_no_strikes() -> None:
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')
    common = ['--ros-args', '-r', '__ns:=/far']
    environment = [str(BIN / 'env_node'), *common, '-p', 'lanes:=64', '-p', 'cohorts:=2']
    environment += ['-p', 'episodes:=-1', '-p', 'play_clock:=0.0']

    def agent(name: str) -> list[str]:
        roles = ['-p', 'roles:=[x, o]', '-r', f'__node:={name}']
        return [str(BIN / 'random_agent'), *common, *roles]

    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'env': SETTINGS}
    with SlowLink(delay=0.01, loss=0.01) as link, programs() as running:
        running.append(link.popen(0, environment, **quiet))
        first = link.popen(1, agent('first'), **quiet)
        running.append(first)
        watch = link.popen(
            0, [sys.executable, '-c', WATCH], stdout=subprocess.PIPE, text=True, env=SETTINGS
        )
        running.append(watch)
        told: list[Any] = []

        def read() -> None:
            for line in watch.stdout or ():
                told.append(json.loads(line))

        Thread(target=read, daemon=True).start()

        def wait(condition: Any, seconds: float = 90) -> Any:
            end = time.monotonic() + seconds
            while not (told and condition(told[-1])):
                assert time.monotonic() < end, told[-3:]
                time.sleep(0.1)
            return told[-1]

        steps = wait(lambda status: status[1] > 1_000)[1]
        # Longer than the lease: both ends forget each other.
        link.cut()
        time.sleep(6)
        link.mend()
        steps = wait(lambda status: status[1] > steps + 2_000)[1]
        # A stand-by comes from the other side, and takes over from one that is killed.
        running.append(link.popen(1, agent('second'), **quiet))
        time.sleep(5)
        first.send_signal(signal.SIGKILL)
        wait(lambda status: status[3] == '/far/second')
        last = wait(lambda status: status[1] > steps + 6_000)
        assert last[2] == 0, 'nobody was given a random move'


# What finds machines behind a router that does not pass multicast on.
SERVER_PORT = '11811'
WAYS = {
    'static peers': {},
    'discovery server': {
        'ROS_STATIC_PEERS': '',
        'ROS_DISCOVERY_SERVER': f'10.213.0.1:{SERVER_PORT}',
        'ROS_SUPER_CLIENT': 'TRUE',
    },
    'neither': {'ROS_STATIC_PEERS': ''},
}


@pytest.mark.parametrize('way', WAYS)
def test_machines_find_each_other_without_multicast(way: str) -> None:
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')
    settings = {**SETTINGS, **WAYS[way]}
    common = ['--ros-args', '-r', '__ns:=/far']
    environment = [str(BIN / 'env_node'), *common, '-p', 'lanes:=8', '-p', 'episodes:=-1']
    agent = [str(BIN / 'random_agent'), *common, '-p', 'roles:=[x, o]']
    quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'env': settings}
    with SlowLink(delay=0.002, multicast=False) as link, programs() as running:
        if 'ROS_DISCOVERY_SERVER' in settings:
            # As the examples for containers start it: on all addresses.
            server = [str(BIN / 'fast-discovery-server'), '-i', '0']
            server += ['-l', '0.0.0.0', '-p', SERVER_PORT]
            running.append(link.popen(0, server, **quiet))
        running.append(link.popen(0, environment, **quiet))
        running.append(link.popen(1, agent, **quiet))
        watch = link.popen(
            0, [sys.executable, '-c', WATCH], stdout=subprocess.PIPE, text=True, env=settings
        )
        running.append(watch)
        told: list[Any] = []

        def read() -> None:
            for line in watch.stdout or ():
                told.append(json.loads(line))

        Thread(target=read, daemon=True).start()
        end = time.monotonic() + (30 if way == 'neither' else 120)
        while time.monotonic() < end and not (told and told[-1][1] > 1_000):
            time.sleep(0.1)
        assert told, 'the environment is not even seen on its own machine'
        assert (told[-1][1] > 1_000) == (way != 'neither'), told[-3:]
