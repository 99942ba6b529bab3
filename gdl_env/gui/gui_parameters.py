"""The parameters of the web interface."""

from __future__ import annotations

from dataclasses import dataclass
import ipaddress
import os
from pathlib import Path
import secrets

from gdl_env.gui.errors import GuiError
from gdl_env.ros.declaring import declare
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.parameters import GUI

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
    browser: bool = False
    spares: int = 0

    @classmethod
    def declare(cls, node: RosNode) -> GuiParameters:
        """Declare the parameters of a node and read them. Raises GuiError."""
        # No process that is started from here needs it.
        token = os.environ.pop(TOKEN_VARIABLE, '')
        values = declare(node, GUI)
        file = values['token_file']
        told = cls(
            host=values['host'],
            port=values['port'],
            token=token or (_read_token(Path(file).expanduser()) if file else ''),
            folder=Path(values['folder']).expanduser().resolve(),
            game=values['game'],
            players=tuple(filter(None, values['players'])),
            allow_programs=values['allow_programs'],
            browser=values['browser'],
            spares=values['spares'],
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
