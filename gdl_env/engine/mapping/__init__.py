"""From facts to vectors and from indices to moves: what a learning player sees and does."""

from gdl_env.engine.mapping.contract import Encoding, Observation
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.planes import Planes
from gdl_env.engine.mapping.registry import open_encoding

__all__ = ['Encoding', 'EncodingError', 'Observation', 'Planes', 'open_encoding']
