"""Networks described by hand, in YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import os
from pathlib import Path
from typing import Any

from gdl_agents.learning.networks.errors import NetworkError
from gdl_agents.learning.networks.generators import generate
from gdl_agents.learning.networks.shape import Shape
from gdl_agents.learning.networks.spec import NetworkSpec
from gdl_env.yaml_text import YamlTextError, read_yaml


def load_network(path: str | os.PathLike[str], shape: Shape | None = None) -> NetworkSpec:
    """Read a network from a file; with a shape, see that it fits. Raises NetworkError."""
    path = Path(path)
    try:
        data = _parse(path)
        spec = NetworkSpec.from_dict(data)
        # The file names a network that does not name itself.
        spec = spec if 'name' in data else replace(spec, name=path.stem)
        if shape is not None:
            spec.check(shape)
    except NetworkError as error:
        raise NetworkError(f'{path}: {error}') from None
    return spec


def open_network(name: str, shape: Shape) -> NetworkSpec:
    """Return the network of a file, or of a generator's name. Raises NetworkError, HookError."""
    if name.endswith(('.yaml', '.yml')) or Path(name).is_file():
        return load_network(name, shape)
    return generate(shape, name)


def save_network(spec: NetworkSpec, path: str | os.PathLike[str]) -> None:
    """Write a network to a file that `load_network` reads. Raises NetworkError."""
    yaml = _import_yaml()
    text = yaml.safe_dump(spec.to_dict(), sort_keys=False, allow_unicode=True)
    try:
        Path(path).write_text(text, 'utf-8')
    except OSError as error:
        raise NetworkError(f'{path}: cannot be written: {error.strerror}') from error


def _parse(path: Path) -> Mapping[str, object]:
    _import_yaml()
    try:
        data = read_yaml(path.read_text('utf-8'))
    except OSError as error:
        raise NetworkError(f'cannot be read: {error.strerror}') from error
    except (YamlTextError, UnicodeDecodeError) as error:
        raise NetworkError(f'no YAML: {error}') from error
    if not isinstance(data, Mapping):
        raise NetworkError(f'expected keys such as `layers:`, got {type(data).__name__}')
    return data


def _import_yaml() -> Any:
    try:
        import yaml
    except ImportError:
        raise NetworkError('files of networks need PyYAML: pip install pyyaml') from None
    return yaml
