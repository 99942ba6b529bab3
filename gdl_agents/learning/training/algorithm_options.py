"""Which options apply to which algorithm. Those that do not apply are refused, not ignored.

Options of training are those of Rainbow and DQN; AlphaZero, mmd and sequence have a part of them.
How they learn is said by a class of options for each: `LearnerConfig`, `AlphaZeroConfig`,
`MmdConfig`, `SequenceConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.mmd.config import MmdConfig
from gdl_agents.learning.sequence.config import SequenceConfig
from gdl_agents.learning.training.config import WATCHED, LearnerConfig, TrainingConfig

ALPHAZERO = 'alphazero'
MMD = 'mmd'
SEQUENCE = 'sequence'
# The fields of `TrainingConfig` that hold how algorithms learn.
SECTIONS = ('learner', ALPHAZERO, MMD, SEQUENCE)


@dataclass(frozen=True)
class Restriction:
    """The values of an option that an algorithm can obey."""

    is_allowed: Callable[[Any], bool]
    # What is allowed, and why.
    text: str


def _any_of(*values: str, because: str) -> Restriction:
    return Restriction(lambda value: value in values, f'{" or ".join(values)}, since {because}')


_ONE_NETWORK = 'one network plays all roles'

# The options of training that AlphaZero has, with what restricts their values.
ALPHAZERO_OPTIONS: Mapping[str, Restriction | None] = {
    # What is trained.
    'game': None,
    'name': None,
    'algorithm': None,
    'mode': _any_of('selfplay', 'together', because='its network plays every seat itself'),
    'role': _any_of('all', because=_ONE_NETWORK),
    'shared': _any_of('auto', 'yes', because=_ONE_NETWORK),
    'episodes': None,
    'seconds': None,
    'lanes': None,
    'actors': None,
    'actor_ticks': None,
    'seed': None,
    'network': Restriction(
        lambda value: value != 'search',
        'a generator or a file, since networks are searched for with rainbow and dqn only',
    ),
    'threads': None,
    'device': None,
    # The match. Which rewards can be obeyed: see `goal_scale`.
    'reward': None,
    'max_steps': None,
    'turn': None,
    'engine': None,
    # What is kept.
    'snapshots': None,
    'judge': None,
    'evaluation_games': None,
    'final_games': None,
    'levels': None,
    'level_games': None,
    'log_every': None,
    'checkpoint_every': None,
    'track': None,
}

# The same for mmd and sequence. Their networks are small, and a game takes many steps: `auto` is
# the processor.
MMD_OPTIONS: Mapping[str, Restriction | None] = {
    **ALPHAZERO_OPTIONS,
    'mapping': None,
    'device': _any_of('cpu', 'auto', because='its networks are small and stay on the processor'),
}

# By algorithm; others have all options.
_RESTRICTED = {
    ALPHAZERO: ALPHAZERO_OPTIONS,
    MMD: MMD_OPTIONS,
    SEQUENCE: MMD_OPTIONS,
}

# Options that belong to others: what must hold for them to do anything, and how it is said.
_ONLY_WITH: Mapping[str, tuple[Callable[[TrainingConfig], bool], str]] = {
    **dict.fromkeys(
        ('gate_every', 'gate_games', 'gate_score'),
        (lambda config: config.mode == 'gate', 'mode=gate'),
    ),
    'league_size': (lambda config: config.mode == 'league', 'mode=league'),
    'copy_every': (
        lambda config: config.mode in ('selfplay', 'league'),
        'mode=selfplay or mode=league',
    ),
    **dict.fromkeys(
        ('opponent_epsilon', 'random_share', 'strangers'),
        (lambda config: config.mode in WATCHED, f'mode={", ".join(WATCHED)}'),
    ),
    **dict.fromkeys(
        (
            'search_episodes',
            'search_rounds',
            'search_gain',
            'search_seeds',
            'search_penalty',
            'search_ensemble',
            'search_seconds',
        ),
        (lambda config: config.network == 'search', 'network=search'),
    ),
    'actor_ticks': (lambda config: config.actors > 0, 'actors above 0'),
    'level_games': (lambda config: config.levels > 0, 'levels above 0'),
    'explore': (lambda config: not config.sequence.data, 'no data: against itself'),
    'tree_nodes': (lambda config: config.mapping == TrainingConfig.mapping, 'mapping=auto'),
    'sigma': (lambda config: config.learner.noisy, 'noisy=true'),
    **dict.fromkeys(
        ('priority_exponent', 'priority_correction', 'priority_updates'),
        (lambda config: config.learner.prioritised, 'prioritised=true'),
    ),
    'opponent_error': (lambda config: config.learner.zero_sum, 'zero_sum=true'),
}


def does_something(config: TrainingConfig, option: str) -> bool:
    """Tell whether an option has an effect beside the others."""
    return option not in _ONLY_WITH or _ONLY_WITH[option][0](config)


def check_effects(config: TrainingConfig, given: Iterable[str]) -> None:
    """Refuse given options that would do nothing beside the others. Raises ConfigError."""
    for name in given:
        if not does_something(config, name):
            raise ConfigError(f'{name} does nothing here: it applies with {_ONLY_WITH[name][1]}')


# By algorithm; others learn values.
_LEARNERS: Mapping[str, type[AlphaZeroConfig] | type[MmdConfig] | type[SequenceConfig]] = {
    ALPHAZERO: AlphaZeroConfig,
    MMD: MmdConfig,
    SEQUENCE: SequenceConfig,
}


def learner_class(
    algorithm: str,
) -> type[LearnerConfig] | type[AlphaZeroConfig] | type[MmdConfig] | type[SequenceConfig]:
    """Return the class of the options of how an algorithm learns."""
    return _LEARNERS.get(algorithm, LearnerConfig)


def learner_section(algorithm: str) -> str:
    """Return the field of `TrainingConfig` that holds how an algorithm learns."""
    return algorithm if algorithm in SECTIONS else 'learner'


def list_options(algorithm: str) -> list[str]:
    """Return the names of all options that an algorithm has, in rising order."""
    outer = _RESTRICTED.get(algorithm) or [option.name for option in fields(TrainingConfig)]
    inner = [option.name for option in fields(learner_class(algorithm))]
    return sorted({*outer, *inner} - set(SECTIONS))


def applies(algorithm: str, option: str) -> bool:
    """Tell whether an algorithm has an option."""
    return option in list_options(algorithm)


def check_given(algorithm: str, given: Mapping[str, Any]) -> None:
    """Refuse options that were given and do not apply. Raises ConfigError."""
    for name, value in given.items():
        if not applies(algorithm, name):
            known = list_options(algorithm)
            similar = get_close_matches(name, known, n=1)
            hint = f'; did you mean {similar[0]}?' if similar else ''
            raise ConfigError(
                f'{name}={value} does not apply to {algorithm}{hint}; options that do:'
                f' {", ".join(known)}'
            )
        restriction = _RESTRICTED.get(algorithm, {}).get(name)
        if restriction is not None and not restriction.is_allowed(value):
            raise ConfigError(
                f'{name}={value} does not apply to {algorithm}; {name} must be {restriction.text}'
            )


def check_applied(config: TrainingConfig) -> None:
    """Refuse options of a configuration that do not apply. Raises ConfigError.

    A configuration does not say which options were given: defaults are taken for not given.
    """
    default = TrainingConfig()
    changed = _changes(config, default)
    for section in SECTIONS:
        if changed.pop(section, None) and section != learner_section(config.algorithm):
            foreign = _changes(getattr(config, section), getattr(default, section))
            check_given(config.algorithm, foreign)
            # Both may have an option of this name: the value given is that of the other.
            raise ConfigError(f'{section} does not apply to {config.algorithm}: {foreign}')
    check_given(config.algorithm, changed)


def check_value_learner(algorithm: str) -> None:
    """Raise ConfigError for an algorithm that does not learn values of decisions as they come."""
    if algorithm in _RESTRICTED:
        raise ConfigError(
            f'algorithm={algorithm} learns from games that it plays by itself (gdl train'
            f' --algorithm {algorithm}); algorithm must be rainbow or dqn here'
        )


def _changes(config: Any, default: Any) -> dict[str, Any]:
    names = [field.name for field in fields(config)]
    values = {name: getattr(config, name) for name in names}
    return {name: value for name, value in values.items() if value != getattr(default, name)}
