"""The web interface as a node: attach it to a graph, and take it off, at any time."""

from __future__ import annotations

import contextlib
import os
import sys

import rclpy
from rclpy.signals import SignalHandlerOptions

from gdl_env.engine.cache import cache_folder, make_cache_folder
from gdl_env.errors import GdlError
from gdl_env.gui.errors import GuiError
from gdl_env.gui.gui_parameters import GuiParameters
from gdl_env.requirements import OF_EXECUTABLES, require
from gdl_env.ros.launch.players import parse_player
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.transport.liveliness import shorten_lease

NAME = 'gui_node'


def _check(told: GuiParameters) -> None:
    """Say what is wrong with the table that is asked for, before anything is served."""
    from gdl_env.gui.tables import ME, roles_of
    from gdl_env.language.load import open_game

    roles = roles_of(open_game(told.game))
    for word in told.players:
        role, equals, player = word.partition('=')
        if not equals or role not in roles:
            raise GuiError(f'players: {word!r} is not role=agent; roles: {", ".join(roles)}')
        if player != ME:
            parse_player(player)


def _warn_of_namesakes(node: GraphNode) -> None:
    """Warn of another web interface of this name: roles and tables belong to a node by its name.

    It is no error: one that was killed is on the graph for some seconds after its end.
    """
    own = node.get_name(), node.get_namespace()
    if node.get_node_names_and_namespaces().count(own) > 1:
        node.get_logger().warning(
            f'another node is called {node.get_fully_qualified_name()}: if it is a web interface'
            ' that still runs, start this one with another name (--ros-args -r __node:=NAME)'
        )


def main() -> None:
    """Serve the pages until told to stop."""
    shorten_lease()
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node: GraphNode | None = None
    try:
        node = rclpy.create_node(NAME)
        told = GuiParameters.declare(node)
        if told.game:
            _check(told)
        # What pages remember of visitors; read when NiceGUI is imported, and not to lie about in
        # the folder where the node was started.
        with contextlib.suppress(OSError):
            # Before NiceGUI makes it, with other permissions.
            make_cache_folder()
        os.environ.setdefault('NICEGUI_STORAGE_PATH', str(cache_folder() / 'gui'))
        require(NAME, *OF_EXECUTABLES[NAME])
        # Late, because it takes a second: a wrong parameter is reported at once.
        from gdl_env.gui.hub import Hub
        from gdl_env.gui.server import Server

        _warn_of_namesakes(node)
        hub = Hub(node, told.folder, allows_programs=told.allow_programs, spares=told.spares)
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
