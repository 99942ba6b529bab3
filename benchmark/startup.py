"""What it takes to start a node: processor time and memory until it is idle, beside bare rclpy.

    .venv/bin/python benchmark/startup.py [--rounds 3] [--beside CHECKOUT]

Every round starts each node once, so that all meet the same load. Processor time hardly depends on
that; it is what a small computer feels. A first round is not counted: in it Python compiles what
it imports. `--beside` measures the sources of another checkout in the same run.
"""

from __future__ import annotations

from argparse import ArgumentParser
import os
from pathlib import Path
import signal
from statistics import median
import subprocess
import sys
import tempfile
import time

from machine import describe_machine

BIN = Path(sys.executable).parent
ROOT = Path(__file__).resolve().parents[1]
BARE = """
import rclpy
from rclpy.node import Node
rclpy.init()
node = Node('bare')
try:
    rclpy.spin(node)
except BaseException:
    pass
"""
ROLE = ['--ros-args', '-p', 'role:=x']
NODES = {
    'bare rclpy': [sys.executable, '-c', BARE],
    'random_agent': [str(BIN / 'random_agent'), *ROLE],
    'legal_agent': [str(BIN / 'legal_agent'), *ROLE],
    'match_node': [str(BIN / 'match_node')],
    'recorder_node': [str(BIN / 'recorder_node')],
    'mcts_agent': [str(BIN / 'mcts_agent'), *ROLE],
    'env_node': [str(BIN / 'env_node')],
}
# A node is idle once it has used less than this share of a core for so long [s].
IDLE_SHARE, IDLE_SECONDS = 0.03, 3.0
LONGEST = 180.0
# Of the Python that runs this: what it has set for itself would mislead another one.
LEFT_OUT = ('PYTHONDONTWRITEBYTECODE', '_ROS_WHEELS_BOOTSTRAP_COMPLETE', 'LD_LIBRARY_PATH')
_TICKS = os.sysconf('SC_CLK_TCK')


def measure(command: list[str], folder: Path, sources: Path) -> tuple[float, float, float]:
    """Return processor time until idle [s], memory then [MB], and seconds to end after SIGINT."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(sources),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        used, deadline = 0.0, time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            time.sleep(IDLE_SECONDS)
            now = _cpu_seconds(process.pid)
            if now > 0.05 and now - used < IDLE_SHARE * IDLE_SECONDS:
                break
            used = now
        memory = _memory(process.pid)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(60)
        return now, memory, time.monotonic() - started
    finally:
        process.kill()
        process.wait()


def _environment(sources: Path) -> dict[str, str]:
    """Return the variables of nodes: what Python has compiled is kept, as people have it."""
    own = {key: value for key, value in os.environ.items() if key not in LEFT_OUT}
    own |= {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_DOMAIN_ID': '97'}
    return own | {'PYTHONPATH': str(sources)}


def _cpu_seconds(pid: int) -> float:
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _memory(pid: int) -> float:
    lines = Path(f'/proc/{pid}/status').read_text().splitlines()
    (line,) = (line for line in lines if line.startswith('VmRSS'))
    return int(line.split()[1]) / 1024


def main() -> None:
    """Measure all nodes and print a table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--nodes', nargs='*', default=list(NODES), choices=list(NODES))
    parser.add_argument('--beside', type=Path, help='another checkout, for its sources')
    options = parser.parse_args()

    checkouts = {'': ROOT} | ({' (beside)': options.beside.absolute()} if options.beside else {})
    found: dict[str, list[tuple[float, float, float]]] = {}
    for number in range(options.rounds + 1):
        for name in options.nodes:
            for mark, sources in checkouts.items():
                # Recorders write where they are started.
                with tempfile.TemporaryDirectory() as folder:
                    row = measure(NODES[name], Path(folder), sources)
                if number:
                    found.setdefault(f'{name}{mark}', []).append(row)
    print(describe_machine())
    print(f'{"node":25} {"CPU [s]":>8} {"memory [MB]":>12} {"end [s]":>8}')
    for name, rows in found.items():
        cpu, memory, end = (median(column) for column in zip(*rows, strict=True))
        print(f'{name:25} {cpu:8.2f} {memory:12.0f} {end:8.2f}')


if __name__ == '__main__':
    main()
