"""Parameter files of nodes: written for one node, and asked what they set."""

from __future__ import annotations

from collections.abc import Mapping
import json
from pathlib import Path

from gdl_env.ros.launch.arguments import LaunchError
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.parameters import ParameterValue
from gdl_env.yaml_text import YamlTextError, read_yaml

KEY = 'ros__parameters'


def to_text(full_name: str, parameters: Mapping[str, ParameterValue]) -> str:
    """Return a parameter file for one node.

    It is JSON, which is YAML, too: all strings are quoted, so that none is taken for a number.
    """
    return json.dumps({full_name: {KEY: dict(parameters)}}, ensure_ascii=False, indent=2) + '\n'


def write(folder: Path, spec: NodeSpec) -> Path:
    """Write the parameters of a node to a file of its own."""
    path = folder / f'{spec.full_name.strip("/").replace("/", ".")}.yaml'
    path.write_text(to_text(spec.full_name, spec.parameters), encoding='utf-8')
    return path


def load(path: Path) -> dict[str, dict[str, object]]:
    """Return the parameters of a file by the node they are for. Raises LaunchError."""
    try:
        tree = read_yaml(path.read_text('utf-8'))
    except ImportError:
        raise LaunchError('parameter files need PyYAML, which comes with ROS 2') from None
    except OSError as error:
        raise LaunchError(f'cannot read {path}: {error.strerror}') from error
    except (YamlTextError, UnicodeDecodeError) as error:
        raise LaunchError(f'{path} is not a YAML file: {error}') from error
    found: dict[str, dict[str, object]] = {}
    for node, entries in _mapping(tree, path).items():
        for key, values in _mapping(entries, path).items():
            if key != KEY:
                raise LaunchError(f'{path}: expected {KEY} below {node}, got {key}')
            found[str(node)] = dict(_mapping(values, path))
    return found


def keys_for(node_name: str, parameters: Mapping[str, Mapping[str, object]]) -> set[str]:
    """Return which parameters of a node a loaded file sets, in any namespace."""
    return {
        key
        for pattern, values in parameters.items()
        if pattern.rpartition('/')[2] in (node_name, '*', '**')
        for key in values
    }


def _mapping(value: object, path: Path) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise LaunchError(f'{path} is not a parameter file: expected node: {KEY}: name: value')
    return value
