"""The web interface as a node: attach it to a graph, and take it off, at any time."""

from __future__ import annotations

import os
import secrets
import sys
from typing import Any

import rclpy
from rclpy.signals import SignalHandlerOptions

from gdl_env.engine.cache import cache_folder
from gdl_env.errors import GdlError
from gdl_env.ros.discovery import shorten_lease
from gdl_env.ros.executables import list_executables
from gdl_env.ros.gui.errors import GuiError
from gdl_env.ros.gui.gui_parameters import GuiParameters
from gdl_env.ros.players import parse_player

NAME = 'gui_node'


def _check(told: GuiParameters) -> None:
    """Say what is wrong with the table that is asked for, before anything is served."""
    from gdl_env.ros.gui.tables import ME, roles_of

    roles = roles_of(told.game)
    for word in told.players:
        role, equals, player = word.partition('=')
        if not equals or role not in roles:
            raise GuiError(f'players: {word!r} is not role=agent; roles: {", ".join(roles)}')
        if player != ME:
            parse_player(player, list_executables())


def main() -> None:
    """Serve the pages until told to stop."""
    shorten_lease()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node: Any = None
    try:
        # Roles belong to a node by its name, and tables are below it: two must not share one.
        node = rclpy.create_node(f'{NAME}_{secrets.token_hex(2)}')
        told = GuiParameters.declare(node)
        if told.game:
            _check(told)
        # What pages remember of visitors; read when NiceGUI is imported, and not to lie about in
        # the folder where the node was started.
        os.environ.setdefault('NICEGUI_STORAGE_PATH', str(cache_folder() / 'gui'))
        # Late, because it takes a second: a wrong parameter is told at once.
        from gdl_env.ros.gui.hub import Hub
        from gdl_env.ros.gui.server import Server

        hub = Hub(node, told.folder)
        try:
            Server(hub, told).run()
        finally:
            hub.close()
    except GdlError as error:
        sys.exit(f'gui_node: {error}')
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
