"""Boards as markers for RViz: squares, pieces, labels."""

from __future__ import annotations

from collections.abc import Iterator
import colorsys
import hashlib
from typing import Any

from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from gdl_env.engine.board import Grid, is_blank

_LIGHT = ColorRGBA(r=0.93, g=0.90, b=0.82, a=1.0)
_DARK = ColorRGBA(r=0.60, g=0.55, b=0.46, a=1.0)
_INK = ColorRGBA(r=0.1, g=0.1, b=0.1, a=1.0)

# Pieces that people know by their colour, by how their names begin.
_KNOWN = {
    'x': (0.85, 0.15, 0.15),
    'o': (0.10, 0.30, 0.80),
    'red': (0.85, 0.10, 0.10),
    'blue': (0.10, 0.25, 0.85),
    'yellow': (0.95, 0.80, 0.10),
    'white': (0.97, 0.97, 0.97),
    'black': (0.08, 0.08, 0.08),
}


def to_markers(grids: list[Grid], size: float, frame: str, stamp: Any) -> MarkerArray:
    """Return the markers of boards, side by side; what was drawn before is replaced.

    Squares have the side `size` [m]; the corner of the first board is the origin of the frame.
    """
    markers = [Marker(action=Marker.DELETEALL)]
    left = 0.0
    for grid in grids:
        markers.extend(_grid_markers(grid, size, left))
        left += (len(grid.columns) + 1.5) * size
    for index, marker in enumerate(markers):
        marker.header.frame_id = frame
        marker.header.stamp = stamp
        marker.id = index
    return MarkerArray(markers=markers)


def colour_of(content: str) -> ColorRGBA:
    """Return the colour of a piece: the one its name says, else one that its name decides."""
    for name, (red, green, blue) in _KNOWN.items():
        start = name if len(name) > 1 else f'{name}_'
        if content == name or content.startswith(start):
            return ColorRGBA(r=red, g=green, b=blue, a=1.0)
    hue = hashlib.sha256(content.encode()).digest()[0] / 256
    red, green, blue = colorsys.hls_to_rgb(hue, 0.45, 0.7)
    return ColorRGBA(r=red, g=green, b=blue, a=1.0)


def _grid_markers(grid: Grid, size: float, left: float) -> Iterator[Marker]:
    height = len(grid.rows)
    for y in range(height):
        for x in range(len(grid.columns)):
            across, up = left + (x + 0.5) * size, (height - y - 0.5) * size
            square = _marker(Marker.CUBE, f'{grid.name}/squares', across, up, -0.05 * size)
            square.scale = Vector3(x=size, y=size, z=0.1 * size)
            square.color = _LIGHT if (x + y) % 2 == 0 else _DARK
            yield square
            content = grid.content.get((y, x))
            if content is None or is_blank(content):
                continue
            piece = _marker(Marker.CYLINDER, f'{grid.name}/pieces', across, up, 0.1 * size)
            piece.scale = Vector3(x=0.75 * size, y=0.75 * size, z=0.2 * size)
            piece.color = colour_of(content)
            yield piece
            yield _text(f'{grid.name}/names', content, across, up, 0.4 * size, 0.3 * size)
    for x, label in enumerate(grid.columns):
        across = left + (x + 0.5) * size
        yield _text(f'{grid.name}/labels', label, across, -0.4 * size, 0.0, 0.4 * size)
    for y, label in enumerate(grid.rows):
        up = (height - y - 0.5) * size
        yield _text(f'{grid.name}/labels', label, left - 0.4 * size, up, 0.0, 0.4 * size)


def _marker(kind: int, namespace: str, x: float, y: float, z: float) -> Marker:
    marker = Marker(type=kind, action=Marker.ADD, ns=namespace)
    marker.pose.position.x = x
    marker.pose.position.y = y
    marker.pose.position.z = z
    marker.pose.orientation.w = 1.0
    return marker


def _text(namespace: str, text: str, x: float, y: float, z: float, height: float) -> Marker:
    marker = _marker(Marker.TEXT_VIEW_FACING, namespace, x, y, z)
    marker.scale = Vector3(x=0.0, y=0.0, z=height)
    marker.color = _INK
    marker.text = text
    return marker
