"""Two machines on this one: network namespaces, and a slow link between them that loses packets.

    with SlowLink(delay=0.02, loss=0.01) as link:
        link.run(0, [...])
        link.run(1, [...])

Needs root, the commands `ip` (iproute2) and `cc`, and /dev/net/tun.
"""

from __future__ import annotations

import contextlib
import fcntl
from functools import cache
import os
from pathlib import Path
import shutil
import signal
import struct
import subprocess
import tempfile
from typing import Any

_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
_SOURCE = Path(__file__).with_name('slow_link.c')
_ADDRESS = '10.213.0.{}'


class LinkError(RuntimeError):
    """No such link can be made here."""


def find_obstacle() -> str:
    """Return why no link can be made on this machine, in words; '' if it can."""
    for program in ('ip', 'cc'):
        if shutil.which(program) is None:
            return f'the command {program} is missing'
    if os.geteuid() != 0:
        return 'network namespaces need root'
    if not os.access('/dev/net/tun', os.R_OK | os.W_OK):
        return '/dev/net/tun cannot be opened'
    name = f'gdl{os.getpid()}t'
    made = subprocess.run(['ip', 'netns', 'add', name], capture_output=True, text=True)
    subprocess.run(['ip', 'netns', 'delete', name], capture_output=True)
    return f'ip netns: {made.stderr.strip()}' if made.returncode else ''


class SlowLink:
    """Two namespaces, each with one network device; between them a router of our own."""

    def __init__(
        self, delay: float = 0.0, loss: float = 0.0, seed: int = 1, *, multicast: bool = True
    ) -> None:
        """Delay every packet, one way [s], and lose a share of them; pass multicast on, or not."""
        self._multicast = multicast
        self._delay, self._loss, self._seed = delay, loss, seed
        self._names = [f'gdl{os.getpid()}{side}' for side in 'ab']
        self._devices = [f'g{os.getpid()}{side}' for side in 'ab']
        self._ends: list[int] = []
        self._router: subprocess.Popen[str] | None = None
        # Packets that the router passed on, lost on purpose, and had no room for.
        self.counts = (0, 0, 0)

    def __enter__(self) -> SlowLink:
        try:
            self._open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def address(self, side: int) -> str:
        """Return the address of a namespace, 0 or 1."""
        return _ADDRESS.format(side + 1)

    def popen(self, side: int, command: list[str], **options: Any) -> subprocess.Popen[Any]:
        """Start a program in a namespace."""
        environment = {**os.environ, **options.pop('env', {})}
        # Shared memory would reach the other namespace, past the link.
        environment['FASTDDS_BUILTIN_TRANSPORTS'] = 'UDPv4'
        environment.setdefault('ROS_STATIC_PEERS', self.address(1 - side))
        whole = ['ip', 'netns', 'exec', self._names[side], *command]
        return subprocess.Popen(whole, env=environment, **options)

    def cut(self) -> None:
        """Lose every packet until `mend`."""
        self._stop_router()

    def mend(self) -> None:
        """Carry packets again; those sent meanwhile are lost."""
        for end in self._ends:
            with contextlib.suppress(BlockingIOError):
                while os.read(end, 2048):
                    pass
        self._start_router()

    def close(self) -> None:
        """Remove the namespaces; whatever runs in them must have ended."""
        self._stop_router()
        for end in self._ends:
            os.close(end)
        self._ends = []
        for name in self._names:
            subprocess.run(['ip', 'netns', 'delete', name], capture_output=True, check=False)

    # ---- inside

    def _open(self) -> None:
        for side, (name, device) in enumerate(zip(self._names, self._devices, strict=True)):
            _ip('netns', 'add', name)
            end = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
            self._ends.append(end)
            request = struct.pack('16sH22x', device.encode(), _IFF_TUN | _IFF_NO_PI)
            fcntl.ioctl(end, _TUNSETIFF, request)
            _ip('link', 'set', device, 'netns', name)
            peer = self.address(1 - side)
            inside = ('-n', name)
            _ip(*inside, 'address', 'add', self.address(side), 'peer', peer, 'dev', device)
            _ip(*inside, 'link', 'set', device, 'mtu', '1500', 'multicast', 'on', 'up')
            _ip(*inside, 'link', 'set', 'lo', 'up')
            _ip(*inside, 'route', 'add', '224.0.0.0/4', 'dev', device)
        self._start_router()

    def _start_router(self) -> None:
        numbers = [round(1e6 * self._delay), round(1e6 * self._loss), self._seed]
        numbers.append(int(self._multicast))
        self._router = subprocess.Popen(
            [str(_build_router()), *map(str, self._ends), *map(str, numbers)],
            pass_fds=self._ends,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _stop_router(self) -> None:
        router, self._router = self._router, None
        if router is None:
            return
        router.send_signal(signal.SIGTERM)
        out, _ = router.communicate(timeout=10)
        with contextlib.suppress(ValueError):
            found = [int(word) for word in out.split()]
            before = self.counts
            self.counts = (before[0] + found[0], before[1] + found[1], before[2] + found[2])


@cache
def _build_router() -> Path:
    path = Path(tempfile.mkdtemp(prefix='gdl_link_')) / 'slow_link'
    done = subprocess.run(
        ['cc', '-O2', '-D_GNU_SOURCE', '-o', str(path), str(_SOURCE)],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise LinkError(done.stderr)
    return path


def _ip(*arguments: str) -> None:
    done = subprocess.run(['ip', *arguments], capture_output=True, text=True)
    if done.returncode:
        raise LinkError(f'ip {" ".join(arguments)}: {done.stderr.strip()}')
