"""The parameters of the web interface."""

from __future__ import annotations

from dataclasses import dataclass
import ipaddress
import os
from pathlib import Path
import secrets
from typing import Any

from rcl_interfaces.msg import IntegerRange, ParameterDescriptor

from gdl_env.gui.errors import GuiError
from gdl_env.ros.node_protocol import RosNode

DEFAULT_PORT = 8080
# Other users of the machine can read command lines, and whoever is on the graph parameters; but
# neither the environment of a process nor a file that is not theirs.
TOKEN_VARIABLE = 'GDL_GUI_TOKEN'
_SHORTEST = 8


@dataclass(frozen=True)
class GuiParameters:
    """The parameters of the node, checked."""

    host: str
    port: int
    token: str
    folder: Path
    game: str
    players: tuple[str, ...]
    allow_programs: bool = False

    @classmethod
    def declare(cls, node: RosNode) -> GuiParameters:
        """Declare the parameters of a node and read them. Raises GuiError."""

        def value(name: str, default: object, text: str, **fields: object) -> Any:
            fields = {'read_only': True, **fields}
            descriptor = ParameterDescriptor(description=text, **fields)
            return node.declare_parameter(name, default, descriptor).value

        ports = IntegerRange(from_value=0, to_value=65535, step=1)
        # No process that is started from here needs it.
        token = os.environ.pop(TOKEN_VARIABLE, '')
        token_file = value('token_file', '', 'File that holds the token; made if it is not there')
        told = cls(
            host=value('host', '127.0.0.1', 'Address to serve at'),
            port=value(
                'port',
                DEFAULT_PORT,
                'Port to serve at; 0: any that is free',
                integer_range=[ports],
            ),
            token=token or (_read_token(Path(token_file).expanduser()) if token_file else ''),
            folder=Path(value('folder', '.', 'Folder with runs/ and recordings/'))
            .expanduser()
            .resolve(),
            game=value('game', '', 'Game to open a table for; empty: none'),
            players=tuple(
                filter(None, value('players', [''], 'Who plays at that table: x=me, o=random'))
            ),
            allow_programs=value(
                'allow_programs',
                False,
                'Whether pages may start agents that are programs or code of their own',
            ),
        )
        if not told.is_on_loopback and len(told.token) < _SHORTEST:
            raise GuiError(
                f'host {told.host} can be reached by others: set a token of {_SHORTEST} characters'
                f' or more, by {TOKEN_VARIABLE} or token_file'
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


def _read_token(path: Path) -> str:
    """Return what a file holds; one that is made can be read by its owner. Raises GuiError."""
    try:
        try:
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            token = path.read_text(encoding='utf-8').strip()
        else:
            token = secrets.token_urlsafe(12)
            with os.fdopen(number, 'w', encoding='utf-8') as stream:
                stream.write(f'{token}\n')
    except (OSError, UnicodeDecodeError) as error:
        raise GuiError(f'token_file {path}: {error}') from error
    if not token:
        raise GuiError(f'token_file {path} is empty')
    return token
