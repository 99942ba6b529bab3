"""ROS domains for tests: each is held by one test process at a time, on the whole machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import fcntl
import os
from pathlib import Path

# Fast DDS reaches other processes through shared memory, by port.
SHARED_MEMORY = Path('/dev/shm')
# The ports of a domain, as the specification of DDSI-RTPS numbers them.
FIRST_PORT, PORTS_PER_DOMAIN = 7400, 250


@contextmanager
def free_domain() -> Iterator[int]:
    """Hold a domain that no other test uses; it is free again at the end."""
    for number in range(100):
        domain = 1 + (os.getpid() + number) % 100
        stream = Path(f'/tmp/gdl_domain_{domain}.lock').open('a')  # noqa: SIM115
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.close()
            continue
        with stream:
            _remove_ports(domain)
            yield domain
        return
    raise AssertionError('all domains are taken')


def _remove_ports(domain: int) -> None:
    """Remove what killed nodes left in shared memory: a lock that nobody opens delays messages."""
    first = FIRST_PORT + PORTS_PER_DOMAIN * domain
    for path in SHARED_MEMORY.glob('*fastrtps_port*'):
        port = path.name.partition('fastrtps_port')[2].partition('_')[0]
        if port.isdigit() and first <= int(port) < first + PORTS_PER_DOMAIN:
            path.unlink(missing_ok=True)
