"""Networks for games: described, generated, searched for, and built."""

from gdl_agents.learning.networks.body import build_body
from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.files import load_network, open_network, save_network
from gdl_agents.learning.networks.generators import (
    generate,
    generator_names,
    register_generator,
)
from gdl_agents.learning.networks.head import Head
import gdl_agents.learning.networks.heuristics  # noqa: F401 - for what it registers
from gdl_agents.learning.networks.layers import Attention, Conv, Gru, Linear, Lstm, Residual
from gdl_agents.learning.networks.memory_body import MemoryBody
from gdl_agents.learning.networks.network import ValueNetwork, build_network, count_parameters
from gdl_agents.learning.networks.search import Candidate, SearchResult, search
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec

__all__ = [
    'Attention',
    'Candidate',
    'Conv',
    'Gru',
    'Head',
    'Linear',
    'Lstm',
    'MemoryBody',
    'NetworkError',
    'NetworkSpec',
    'Residual',
    'SearchResult',
    'Shape',
    'ValueNetwork',
    'build_body',
    'build_network',
    'count_parameters',
    'generate',
    'generator_names',
    'load_network',
    'open_network',
    'register_generator',
    'save_network',
    'search',
]
