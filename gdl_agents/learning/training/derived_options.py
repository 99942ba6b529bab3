"""Options of training that follow from a game: what a probe found, and why it decides them.

Each rule of thumb is a line with its reason. What they give is written into the run as a training
file, which people may edit and train by again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import reduce
from math import ceil, gcd
from typing import Any

import yaml

from gdl_agents.learning.alphazero.config import AlphaZeroConfig
from gdl_agents.learning.game_properties.probe import GameFacts, probe_game
from gdl_agents.learning.mmd.config import MmdConfig
from gdl_agents.learning.sequence.config import SequenceConfig
from gdl_agents.learning.sequence.data_games import find_data_size
from gdl_agents.learning.training.algorithm_options import (
    ALPHAZERO,
    MMD,
    SECTIONS,
    SEQUENCE,
    does_something,
)
from gdl_agents.learning.training.config import ALGORITHMS, LearnerConfig, TrainingConfig
from gdl_agents.learning.training.config_file import make_config, make_fitting_config
from gdl_env.language.game import Game

# Steps that a run takes by default, and what that may be in episodes.
_STEPS, _FEWEST, _MOST = 200_000, 1_000, 10_000
# Decisions of a run of mmd, and its episodes at most: it forgets what it has learned from.
_DECISIONS_OF_MMD, _MOST_OF_MMD = 1_500_000, 500_000
# Decisions that a run of sequence learns from, at least: small data sets are passed several times.
_DECISIONS_OF_DATA = 4_000_000
# How often each transition is learned from: Rainbow's paper has 8; less where chance or what is
# hidden makes the same move end differently.
_REUSE, _REUSE_OF_CHANCE = 8, 4
# Memory of the replay [bytes].
_REPLAY = 200_000_000
# The same for alphazero, whose decisions are all searched: of a run, and its episodes.
_DECISIONS_OF_SEARCH, _FEWEST_SEARCHED, _MOST_SEARCHED = 1_000_000, 500, 50_000
# Later games learn from earlier ones: each lane should have this many.
_GAMES_OF_A_LANE = 20
# What a decision takes that is searched [s]: by the network, by each gate of the rules, and where
# rules are interpreted. About right is enough: what follows from it is how many games there are.
_DECISION, _DECISION_OF_A_GATE, _DECISION_INTERPRETED = 1.5e-3, 2e-8, 0.1
# And of two players of the run who meet each other, so that they become levels.
_DECISIONS_OF_LEVELS = 600
# More than any run plays in its time.
_UNTIL_TIME = 100_000_000
# Two moves ahead of each position that is met: more replies than this take too long.
_MOST_REPLIES = 400
_MOST_ATOMS = 51
# Algorithms whose options are derived.
_VALUE_LEARNERS = ('rainbow', 'dqn')
# Options of how an algorithm learns; a file has them in a section.
_INNER = frozenset(
    field.name
    for kind in (LearnerConfig, AlphaZeroConfig, MmdConfig, SequenceConfig)
    for field in fields(kind)
)


@dataclass(frozen=True)
class Choice:
    """An option, its value, and why."""

    name: str
    value: Any
    reason: str


@dataclass(frozen=True)
class Derivation:
    """What was found of a game, and the options that follow from it."""

    game: str
    facts: GameFacts
    choices: tuple[Choice, ...]
    # Options that were given by hand: they replace those derived.
    given: Mapping[str, Any]
    # The algorithm that suits the game, and why. It is taken, unless another was asked for.
    recommended: str
    because: str

    def options(self) -> dict[str, Any]:
        """Return the options as a file has them: those of the learner in their section."""
        return _in_sections({choice.name: choice.value for choice in self.choices})

    def to_yaml(self) -> str:
        """Return the training file."""
        told = self.given
        lines = [f'# Options for {self.game}, derived from random games. Edit them as you like:']
        lines += ['#   gdl train GAME --config THIS_FILE', '#']
        lines += [f'# {line}' for line in str(self.facts).splitlines() if 'steps/s' not in line]
        lines += [f'# Recommended algorithm: {self.recommended}, because {self.because}.']
        outside = [choice for choice in self.choices if choice.name not in _INNER]
        inside = [choice for choice in self.choices if choice.name in _INNER]
        lines += ['', *_lines(outside, told, '')]
        lines += ['learner:', *_lines(inside, told, '  ')] if inside else []
        return '\n'.join(lines) + '\n'

    def explain(self) -> str:
        """Return what was found and chosen, to be printed."""
        told = self.given
        rows = [f'  {c.name} = {_value(c, told)}: {_reason(c, told)}' for c in self.choices]
        advice = f'Recommended algorithm: {self.recommended}, because {self.because}.'
        return '\n'.join((str(self.facts), *rows, advice))


def derive_options(game: Game, given: Mapping[str, Any] | None = None) -> Derivation:
    """Probe a game; return the options that follow, beside those that are given.

    Raises GdlError if the game has no vectors.
    """
    given = given or {}
    reward = str(given.get('reward', TrainingConfig.reward))
    is_whole = (
        not str(given.get('mode', '')).startswith('fixed')
        and given.get('role', TrainingConfig.role) == TrainingConfig.role
        and given.get('shared') not in ('no', False)
    )
    mapping = str(given.get('mapping', TrainingConfig.mapping))
    facts = probe_game(game, mapping, reward, is_whole=is_whole)
    recommended, because = _recommend(facts)
    algorithm = str(given.get('algorithm') or _find_fitting(given, recommended))
    choices: tuple[Choice, ...]
    if algorithm in _VALUE_LEARNERS:
        choices = tuple(_choose(facts, algorithm))
    elif algorithm == MMD:
        choices = tuple(_choose_mmd(facts))
    elif algorithm == SEQUENCE and not given.get('data'):
        choices = tuple(_choose_sequence_alone(facts))
    elif algorithm == SEQUENCE:
        choices = tuple(_choose_sequence(str(given['data'])))
    else:
        choices = tuple(_choose_alphazero(facts, float(given.get('seconds') or 0)))
    if given.get('seconds'):
        timed = Choice('episodes', _UNTIL_TIME, 'the time that you said ends the run')
        choices = tuple(timed if c.name == timed.name else c for c in choices)
    why = because
    if algorithm != recommended:
        why = f'{recommended} does not have all options that you gave'
    choices = (Choice('algorithm', algorithm, why), *choices)
    # Of the options that were given, and defaults.
    beside = make_config({'algorithm': algorithm}, _in_sections(given))
    choices = tuple(choice for choice in choices if does_something(beside, choice.name))
    if reward != TrainingConfig.reward and algorithm in _VALUE_LEARNERS:
        # What it pays is not what goals say.
        choices = tuple(choice for choice in choices if choice.name != 'atoms')
        finest = Choice('atoms', _MOST_ATOMS, 'a reward of your own may pay anything')
        choices += (finest,) if 'atoms' not in ALGORITHMS[algorithm] else ()
    return Derivation(game.name, facts, choices, given, recommended, because)


def _recommend(facts: GameFacts) -> tuple[str, str]:
    if facts.positions:
        return 'rainbow', 'the game is solved, and a network can learn the solution'
    if facts.has_secrets:
        return MMD, 'something is hidden: moves must be mixed, and what was seen remembered'
    if facts.is_simultaneous:
        return MMD, 'several roles decide at once: whoever always plays the same is beaten'
    if not facts.is_compiled:
        return 'rainbow', 'the rules are interpreted, and search would be slow'
    return ALPHAZERO, 'the game is open and its rules are compiled: search pays'


def _find_fitting(given: Mapping[str, Any], recommended: str) -> str:
    """Return the first algorithm that has all options that are given. Raises ConfigError."""
    return make_fitting_config(_in_sections(given), algorithms=(recommended,)).algorithm


def _choose(facts: GameFacts, algorithm: str) -> Iterable[Choice]:
    """Return all options that are derived, as Rainbow has them."""
    fixed = ALGORITHMS[algorithm]
    found = (*_choose_run(facts), *_choose_values(facts), *_choose_learning(facts))
    # What makes an algorithm what it is stays.
    return (choice for choice in found if choice.name not in fixed)


def _choose_mmd(facts: GameFacts) -> Iterable[Choice]:
    """Return the options of mmd that are derived."""
    decisions = max(1.0, facts.decisions * facts.roles)
    episodes = int(min(_MOST_OF_MMD, max(_FEWEST, _DECISIONS_OF_MMD / decisions)))
    why = f'about {_DECISIONS_OF_MMD:,} decisions, {decisions:.1f} a game'
    yield Choice('episodes', episodes, why)
    lanes, why = (256, 'compiled rules') if facts.is_compiled else (32, 'interpreted rules')
    yield Choice('lanes', lanes, why)
    yield Choice('log_every', max(20, episodes // 100), 'a hundred rows')
    yield Choice('checkpoint_every', max(100, episodes // 20), 'twenty states to resume from')


def _choose_sequence_alone(facts: GameFacts) -> Iterable[Choice]:
    """Return the options of sequence against itself."""
    yield from _choose_mmd(facts)
    why = 'its own games: a sharper player would always play the same'
    yield Choice('sharpness', 20.0, why)


def _choose_sequence(data: str) -> Iterable[Choice]:
    """Return the options of sequence that are derived from a data set. Raises ConfigError."""
    games, decisions = find_data_size(data)
    passes = max(1, ceil(_DECISIONS_OF_DATA / max(1, decisions)))
    episodes = max(1, passes * games)
    yield Choice('episodes', episodes, f'{games:,} games, {passes} times')
    yield Choice('log_every', max(20, episodes // 100), 'a hundred rows')
    yield Choice('checkpoint_every', max(100, episodes // 20), 'twenty states to resume from')


def _choose_alphazero(facts: GameFacts, seconds: float) -> Iterable[Choice]:
    """Return the options of alphazero that are derived.

    - seconds: the time of the run; 0 is none
    """
    decisions = max(1.0, facts.decisions * facts.roles)
    wanted = _DECISIONS_OF_SEARCH / decisions
    episodes = int(min(_MOST_SEARCHED, max(_FEWEST_SEARCHED, wanted)))
    why = f'about {_DECISIONS_OF_SEARCH:,} decisions that are searched, {decisions:.0f} a game'
    yield Choice('episodes', episodes, why)
    most, why = (128, 'the network is asked about many games at once')
    if not facts.is_compiled:
        most, why = 16, 'interpreted rules'
    games = episodes
    if seconds:
        each = _DECISION + _DECISION_OF_A_GATE * facts.gates
        each = each if facts.is_compiled else _DECISION_INTERPRETED
        games = int(seconds / each / decisions)
    lanes = max(8, min(most, games // _GAMES_OF_A_LANE))
    if lanes < most:
        why = 'few games: later ones should learn from earlier ones'
    yield Choice('lanes', lanes, why)
    per_row = ceil(facts.observations / 8) + 4 * facts.actions + 4 * facts.roles + 8
    capacity = max(10_000, min(AlphaZeroConfig.capacity, _REPLAY // per_row))
    yield Choice('capacity', capacity, f'{per_row} bytes a position')
    pairs = int(min(64, max(4, _DECISIONS_OF_LEVELS / decisions)))
    yield Choice('level_games', pairs, 'of each pair of players that become levels; all search')
    yield Choice('log_every', max(20, episodes // 100), 'a hundred rows')
    yield Choice('checkpoint_every', max(100, episodes // 20), 'twenty states to resume from')


def _episodes(facts: GameFacts) -> int:
    return int(min(_MOST, max(_FEWEST, _STEPS / max(1.0, facts.length))))


def _choose_run(facts: GameFacts) -> Iterable[Choice]:
    episodes = _episodes(facts)
    yield Choice('episodes', episodes, f'about {_STEPS:,} steps of {facts.length:.0f} a game')
    if facts.positions:
        yield Choice('lanes', 32, 'the network is busier than the game')
        yield Choice(
            'until_proved', True, 'every position can be asked: the run ends when all are right'
        )
        yield Choice(
            'network', 'flat', 'so few positions are learned by heart, linear layers are quickest'
        )
    else:
        lanes, why = (64, 'compiled rules') if facts.is_compiled else (16, 'interpreted rules')
        yield Choice('lanes', lanes, why)
        if facts.has_board:
            yield Choice('network', 'default', 'cells of the board have neighbours')
        else:
            yield Choice('network', 'flat', 'there is no board whose neighbours mean something')
    copies = max(50, episodes // 50)
    yield Choice('copy_every', copies, 'fifty opponents in the course of a run')
    if not facts.positions and facts.is_zero_sum and _can_look_ahead(facts):
        yield Choice('strangers', 'random tactical', 'wins and threats are seen by others, too')
    yield Choice('log_every', max(20, episodes // 100), 'a hundred rows')
    yield Choice('checkpoint_every', max(100, episodes // 20), 'twenty states to resume from')


def _choose_values(facts: GameFacts) -> Iterable[Choice]:
    if facts.is_zero_sum:
        yield Choice('n_step', 1, 'the value of a move is what the reply leaves')
    elif facts.decisions <= 8:
        yield Choice('n_step', 2, 'a role decides a few times only')
    else:
        steps = min(20, ceil(1.5 * facts.decisions))
        yield Choice('n_step', steps, f'the goal comes {facts.decisions:.0f} decisions later')
    if facts.is_zero_sum and not facts.positions and facts.length > 12:
        yield Choice('gamma', 0.99, 'long games: sooner is better')
    else:
        yield Choice('gamma', 1.0, 'only the goal counts, whenever it comes')
    atoms, why = _find_atoms(facts.goals)
    yield Choice('atoms', atoms, why)
    yield Choice('opponent_error', 0.0, 'the other is taken to play as well as oneself')
    if facts.positions:
        size = 256 if facts.positions > 1_000 else 128
        yield Choice('exact', size, f'all {facts.positions:,} positions are known')
    elif facts.is_zero_sum and _can_look_ahead(facts):
        yield Choice('advice', 64, 'the rules say quickly which moves win or lose at once')


def _choose_learning(facts: GameFacts) -> Iterable[Choice]:
    transitions = int(_episodes(facts) * facts.decisions * facts.roles)
    is_noisy = facts.has_chance or facts.has_secrets or facts.is_simultaneous
    batch = 64 if facts.positions else 256 if is_noisy else 128
    reuse = _REUSE_OF_CHANCE if is_noisy else _REUSE
    yield Choice('batch', batch, _batch_reason(facts, is_noisy=is_noisy))
    updates = round(reuse / batch, 5)
    yield Choice('updates', updates, f'each transition is learned from {reuse} times')
    rate, why = 1e-3, 'targets are exact, or nearly so'
    if facts.positions:
        rate = 2e-3
    elif is_noisy:
        rate, why = 5e-4, 'the same move may end differently'
    yield Choice('learning_rate', rate, why)
    updates_in_all = max(1, int(transitions * updates))
    target = 100 if updates_in_all < 10_000 else 250
    yield Choice('target_every', target, f'of about {updates_in_all:,} steps of the optimiser')
    yield Choice('priority_updates', updates_in_all, 'the bias is gone at the end')
    per_row = 2 * ceil(facts.observations / 8) + ceil(facts.actions / 8) + 12
    capacity = max(10_000, min(transitions, 400_000, _REPLAY // per_row))
    yield Choice('capacity', capacity, f'{per_row} bytes a transition')
    warm_up = 500 if facts.positions else 2_000
    yield Choice('warm_up', min(warm_up, capacity), 'before that, all positions are openings')
    own = max(1.0, facts.decisions * facts.roles)
    end = round(min(0.1, max(0.02, 1 / own)), 3)
    yield Choice('epsilon_end', end, f'a game has {own:.0f} decisions')
    decisions = max(1_000, transitions // 20)
    yield Choice('epsilon_decisions', decisions, 'a twentieth of all decisions')


def _batch_reason(facts: GameFacts, *, is_noisy: bool) -> str:
    if facts.positions:
        return 'positions that are known by the rules come on top'
    return 'means over more, since outcomes vary' if is_noisy else 'outcomes are certain'


def _can_look_ahead(facts: GameFacts) -> bool:
    return facts.is_compiled and facts.branching**2 <= _MOST_REPLIES


def _find_atoms(goals: tuple[int, ...]) -> tuple[int, str]:
    """Return how many values a distribution is spread over, from goal 0 to goal 100."""
    step = reduce(gcd, goals, 100)
    count = 100 // step + 1
    if count <= 3:
        return 3, 'a loss, a draw and a win'
    if count <= _MOST_ATOMS:
        return count, f'goals are {step} apart'
    return _MOST_ATOMS, f'{len(goals)} different goals occurred'


def _lines(choices: Iterable[Choice], told: Mapping[str, Any], indent: str) -> list[str]:
    found = []
    for choice in choices:
        value = yaml.safe_dump({choice.name: _value(choice, told)}).strip()
        found += [f'{indent}# {_reason(choice, told)}', f'{indent}{value}']
    return found


def _value(choice: Choice, told: Mapping[str, Any]) -> Any:
    return told.get(choice.name, choice.value)


def _reason(choice: Choice, told: Mapping[str, Any]) -> str:
    return 'as you said' if choice.name in told else choice.reason


def _in_sections(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as a file has them: those of the learner in their section."""
    found: dict[str, Any] = {'learner': {}}
    for name, value in options.items():
        (found['learner'] if name in _INNER else found)[name] = value
    return found


def describe_given(*sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that sources give, whichever section they are in."""
    known = {*_INNER, *(field.name for field in fields(TrainingConfig))}
    given: dict[str, Any] = {}
    for source in sources:
        flat = {**source, **(source.get('learner') or {})}
        given |= {name: value for name, value in flat.items() if name in known - set(SECTIONS)}
    return given
