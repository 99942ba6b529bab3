"""Options of training from YAML files and from the command line, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

import yaml

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.mmd.config import MmdConfig
from gdl_agents.learning.sequence.config import SequenceConfig
from gdl_agents.learning.training.algorithm_options import (
    SECTIONS,
    applies,
    check_effects,
    check_given,
    does_something,
    learner_class,
    learner_section,
    list_options,
)
from gdl_agents.learning.training.config import ALGORITHMS, LearnerConfig, TrainingConfig
from gdl_env.yaml_text import YamlTextError, read_yaml

# How an algorithm learns is a part of its own; which options it has depends on the algorithm.
_SECTION = 'learner'
_PARTS = LearnerConfig, AlphaZeroConfig, MmdConfig, SequenceConfig
_INNER = frozenset(field.name for part in _PARTS for field in fields(part))
_OUTER = frozenset(field.name for field in fields(TrainingConfig))


def read_config(path: Path) -> dict[str, Any]:
    """Return what a file says, as it is written. Raises ConfigError."""
    try:
        told = read_yaml(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise ConfigError(f'{path} cannot be read: {error.strerror}') from error
    except (YamlTextError, UnicodeDecodeError) as error:
        raise ConfigError(f'{path} is not YAML: {error}') from error
    if told is None:
        return {}
    if not isinstance(told, dict):
        raise ConfigError(f'{path}: options are written `name: value`')
    network = path.parent / str(told.get('network', ''))
    if network.is_file():
        # Files name other files from where they are.
        told['network'] = str(network.resolve())
    return told


def read_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Return what texts such as `n_step=3` or `learner.n_step=3` say. Raises ConfigError."""
    told: dict[str, Any] = {}
    for text in settings:
        key, equals, value = text.partition('=')
        if not equals:
            raise ConfigError(f'an option is set by name=value, not {text!r}')
        key = key.strip().removeprefix(f'{_SECTION}.')
        try:
            found = read_yaml(value)
        except YamlTextError as error:
            raise ConfigError(f'{text!r}: {error}') from error
        if key in _INNER:
            told.setdefault(_SECTION, {})[key] = found
        else:
            told[key] = found
    return told


def make_config(*sources: Mapping[str, Any]) -> TrainingConfig:
    """Return the options that sources give, later ones first.

    Raises ConfigError, also for an option that the algorithm does not have.
    """
    outer, inner = _join(sources)
    config = _make(outer, inner)
    values = {name: getattr(config, name) for name in outer}
    learner = getattr(config, learner_section(config.algorithm))
    values |= {name: getattr(learner, name) for name in inner}
    check_given(config.algorithm, values)
    check_effects(config, values)
    return config


def make_fitting_config(
    *sources: Mapping[str, Any], algorithms: Iterable[str] = ()
) -> TrainingConfig:
    """Return the options that sources give, later ones first, for an algorithm that has all.

    That is the one that sources name; without a name the first that fits of some algorithms, and
    then of all. Raises ConfigError.
    """
    if 'algorithm' in _join(sources)[0]:
        return make_config(*sources)
    for algorithm in dict.fromkeys((*algorithms, *ALGORITHMS)):
        try:
            return make_config({'algorithm': algorithm}, *sources)
        except ConfigError:
            continue
    # For its error.
    return make_config(*sources)


def read_run_config(path: Path) -> TrainingConfig:
    """Return the options of a run from its file. Raises ConfigError.

    Runs of earlier versions list options that their algorithm does not have.
    """
    outer, inner = _join([read_config(path)])
    algorithm = str(outer.get('algorithm', TrainingConfig.algorithm))
    known = {field.name for field in fields(learner_class(algorithm))}
    return _make(outer, {name: value for name, value in inner.items() if name in known})


def to_yaml(config: TrainingConfig) -> str:
    """Return all options that the algorithm has, and that do something, as YAML."""
    tree = _keep_applied(config, asdict(config))
    section = asdict(getattr(config, learner_section(config.algorithm)))
    tree[_SECTION] = {
        name: value for name, value in section.items() if does_something(config, name)
    }
    return str(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True))


def flatten(config: TrainingConfig) -> dict[str, Any]:
    """Return all options by name, those of how the algorithm learns among them."""
    learner = asdict(getattr(config, learner_section(config.algorithm)))
    outer = {k: v for k, v in asdict(config).items() if k not in SECTIONS}
    return {**outer, **learner}


def _keep_applied(config: TrainingConfig, options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in options.items()
        if applies(config.algorithm, name) and does_something(config, name)
    }


def _join(sources: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options that sources give: of training, and of the learner."""
    outer: dict[str, Any] = {}
    inner: dict[str, Any] = {}
    for source in sources:
        section = source.get(_SECTION) or {}
        if not isinstance(section, Mapping):
            raise ConfigError(f'{_SECTION} must hold options, not {section!r}')
        outer.update({key: value for key, value in source.items() if key != _SECTION})
        inner.update(section)
    return outer, inner


def _make(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> TrainingConfig:
    algorithm = str(outer.get('algorithm', TrainingConfig.algorithm))
    named = algorithm if 'algorithm' in outer else None
    changes = ALGORITHMS.get(algorithm, {})
    part = learner_class(algorithm)
    names = {field.name for field in fields(part)}
    section = {name: value for name, value in changes.items() if name in names}
    rest = {name: value for name, value in changes.items() if name not in names}
    learner = part(**_checked(part, {**section, **inner}, algorithm, named))
    options = _checked(TrainingConfig, {**rest, **outer}, algorithm, named)
    options[learner_section(algorithm)] = learner
    return TrainingConfig(**options)


def _explain_unknown(name: str, algorithm: str | None) -> str:
    """Say that there is no such option; without an algorithm, in none of them."""
    algorithms = (algorithm,) if algorithm else tuple(ALGORITHMS)
    known = sorted({option for one in algorithms for option in list_options(one)})
    if similar := get_close_matches(name, known, n=1):
        return f'no option {name!r}; did you mean {similar[0]}?'
    return f'no option {name!r} (options: {", ".join(known)})'


def _checked(
    cls: type, told: Mapping[str, Any], algorithm: str, named: str | None = None
) -> dict[str, Any]:
    """Return options with values of the right types. Raises ConfigError.

    - named: the algorithm, if it was named
    """
    hints = get_type_hints(cls)
    result = {}
    for name, value in told.items():
        if name in SECTIONS or name not in hints:
            if name in _INNER | _OUTER:
                # It is an option of another algorithm.
                check_given(algorithm, {name: value})
                is_inner = name in _INNER
                place = f'in the section {_SECTION}' if is_inner else f'outside of {_SECTION}'
                raise ConfigError(f'{name}={value} is at the wrong place: it belongs {place}')
            raise ConfigError(_explain_unknown(str(name), named))
        result[name] = _converted(name, value, hints[name])
    return result


def _converted(name: str, value: Any, hint: Any) -> Any:
    allowed = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None and NoneType in allowed:
        return None
    if isinstance(value, bool):
        # YAML reads yes and no as truth.
        if bool in allowed:
            return value
        if str in allowed:
            return 'yes' if value else 'no'
    elif str in allowed and isinstance(value, str | int | float):
        return str(value)
    elif int in allowed and isinstance(value, int):
        return value
    elif float in allowed:
        try:
            # YAML takes 1e-3 for text.
            return float(value)
        except (TypeError, ValueError):
            pass
    kind = ' or '.join(getattr(kind, '__name__', str(kind)) for kind in allowed)
    raise ConfigError(f'{name} must be {kind}, not {value!r}')
