"""What a camera sees, as messages."""

from __future__ import annotations

from typing import Any

from gdl_msgs.msg import SeenBoard, SeenSquare

from gdl_env.robot.errors import BoardError
from gdl_env.robot.perception import SeenSquares
from gdl_env.robot.positions import PositionReader

# Between the pieces of a square, from the bottom.
_AND = ' + '


def to_seen_board(seen: SeenSquares, reader: PositionReader, frame: str, stamp: Any) -> SeenBoard:
    """Return a message from what was seen."""
    message = SeenBoard()
    message.header.frame_id = frame
    message.header.stamp = stamp
    message.squares = [
        SeenSquare(
            square=reader.name(place),
            pieces=[_AND.join(pieces) for pieces in contents],
            confidences=[float(value) for value in contents.values()],
        )
        for place, contents in seen.items()
    ]
    return message


def from_seen_board(message: SeenBoard, reader: PositionReader) -> SeenSquares:
    """Return what was seen. Raises BoardError if the message does not fit the board."""
    seen = {}
    for square in message.squares:
        if len(square.pieces) != len(square.confidences):
            raise BoardError(f'{square.square}: as many confidences as pieces are needed')
        if not all(0.0 <= value <= 1.0 for value in square.confidences):
            raise BoardError(f'{square.square}: confidences must be 0 to 1')
        seen[reader.place(square.square)] = {
            tuple(text.split(_AND)) if text else (): float(value)
            for text, value in zip(square.pieces, square.confidences, strict=True)
        }
    return seen
