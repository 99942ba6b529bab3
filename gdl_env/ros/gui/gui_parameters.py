"""The parameters of the web interface."""

from __future__ import annotations

from dataclasses import dataclass
import ipaddress
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import IntegerRange, ParameterDescriptor

from gdl_env.ros.gui.errors import GuiError

DEFAULT_PORT = 8080


@dataclass(frozen=True)
class GuiParameters:
    """What the node was told."""

    host: str
    port: int
    token: str
    folder: Path
    game: str
    players: tuple[str, ...]

    @classmethod
    def declare(cls, node: Any) -> GuiParameters:
        """Declare the parameters of a node and read them. Raises GuiError."""

        def value(name: str, default: object, text: str, **fields: object) -> Any:
            fields = {'read_only': True, **fields}
            descriptor = ParameterDescriptor(description=text, **fields)
            return node.declare_parameter(name, default, descriptor).value

        ports = IntegerRange(from_value=0, to_value=65535, step=1)
        told = cls(
            host=value('host', '127.0.0.1', 'Address to serve at'),
            port=value(
                'port',
                DEFAULT_PORT,
                'Port to serve at; 0: any that is free',
                integer_range=[ports],
            ),
            token=value(
                'token',
                '',
                'Word that visitors must know; needed if not on loopback',
                read_only=False,
            ),
            folder=Path(value('folder', '.', 'Folder with runs/ and recordings/'))
            .expanduser()
            .resolve(),
            game=value('game', '', 'Game to open a table for; empty: none'),
            players=tuple(
                filter(None, value('players', [''], 'Who plays at that table: x=me, o=random'))
            ),
        )
        # Whoever is on the graph can read parameters.
        node.undeclare_parameter('token')
        if not told.is_on_loopback and len(told.token) < 8:
            raise GuiError(
                f'host {told.host} can be reached by others: set a token of 8 characters or more'
            )
        return told

    @property
    def is_on_loopback(self) -> bool:
        """Tell whether only this machine can reach the pages."""
        if self.host == 'localhost':
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
