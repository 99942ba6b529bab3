"""Makes and destroys topics while another process does the same; a crash is its exit code.

`python topic_storm.py SECONDS`: exits with 0 if it lives that long.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import rclpy
from std_msgs.msg import Empty

from gdl_env.ros.run_node import open_executor
from gdl_env.ros.transport.passing_topics import (
    create_passing_publisher,
    create_passing_subscription,
)

TOPICS = [f'topic_{number}' for number in range(10)]


def churn() -> None:
    """Let publishers and subscriptions come and go until killed."""
    node = rclpy.create_node('storm')
    while True:
        publishers = [node.create_publisher(Empty, topic, 10) for topic in TOPICS]
        subscriptions = [
            node.create_subscription(Empty, topic, lambda _: None, 10) for topic in TOPICS
        ]
        for _ in range(5):
            for publisher in publishers:
                publisher.publish(Empty())
            time.sleep(0.002)
        for publisher in publishers:
            node.destroy_publisher(publisher)
        for subscription in subscriptions:
            node.destroy_subscription(subscription)


def endure(seconds: float) -> int:
    """Make and destroy topics in the midst of it; return how often."""
    node = rclpy.create_node('ship')
    executor = open_executor(node.context)
    executor.add_node(node)
    end = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < end:
        publishers = [create_passing_publisher(node, Empty, topic, 10) for topic in TOPICS]
        subscriptions = [
            create_passing_subscription(node, Empty, topic, lambda _: None, 10) for topic in TOPICS
        ]
        for _ in range(3):
            executor.spin_once(timeout_sec=0.005)
        for publisher in publishers:
            node.destroy_publisher(publisher)
        for subscription in subscriptions:
            node.destroy_subscription(subscription)
        rounds += 1
    return rounds


def main() -> None:
    """Run the storm and the ship, or the storm alone."""
    rclpy.init()
    if sys.argv[1] == 'storm':
        churn()
    storm = subprocess.Popen([sys.executable, __file__, 'storm'])
    try:
        sys.stdout.write(f'{endure(float(sys.argv[1]))}\n')
        sys.stdout.flush()
    finally:
        storm.kill()
        storm.wait()
    os._exit(0)


if __name__ == '__main__':
    main()
