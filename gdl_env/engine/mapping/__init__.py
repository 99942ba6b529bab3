"""From facts to vectors and from indices to moves: what a learning player sees and does."""

from gdl_env.engine.mapping.contract import Mapping, Observation
from gdl_env.engine.mapping.errors import MappingError
from gdl_env.engine.mapping.planes import Planes
from gdl_env.engine.mapping.registry import open_mapping

__all__ = ['Mapping', 'MappingError', 'Observation', 'Planes', 'open_mapping']
