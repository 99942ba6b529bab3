"""Describe a game: roles, relations, moves, the language features it uses, and its engine."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
import json
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import add_engine, add_game, load, open_engine_for
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, Verb
from gdl_env.engine.contract import NATURE

if TYPE_CHECKING:
    from gdl_env.language.game import Game

INFORMATION = {
    'complete': 'everything is open',
    'state': "hidden: a role sees the facts without 'sees' and its own",
    'percepts': 'hidden: a role receives its percepts only (GDL-II)',
}
TURNS = {
    'joint': 'all roles that have a move act together',
    'serial': 'one role at a time, chance first',
}

# The engine whose programs show which goals are the same.
_COMPILED = 'circuit'


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    add_engine(parser)
    parser.add_argument('--json', action='store_true', help='print one JSON object')


def run(options: Namespace) -> int:
    """Print the description."""
    game = load(options.game)
    about = _describe(game) | _ask_engine(game, options)
    relations = _relations(game)
    if options.json:
        names = ('relation', 'arity', 'facts', 'rules')
        rows = [dict(zip(names, row, strict=True)) for row in relations]
        print(json.dumps(about | {'relations': rows}, indent=2, ensure_ascii=False))
        return 0
    width = max(map(len, about))
    for name, value in about.items():
        print(f'{name:{width}}  {_show(value)}')
    print()
    print_table(('relation', 'arity#', 'facts#', 'rules#'), relations)
    return 0


def _describe(game: Game) -> dict[str, object]:
    from gdl_env.language.features import features, move_signatures, state_signatures, title

    facts = sum(not rule.body for rule in game.rules)
    return {
        'game': game.name,
        'title': title(game),
        'file': game.source.name,
        'options': {
            option.name: {
                'value': option.value,
                'default': option.default,
                'allowed': option.choices,
            }
            for option in game.options
            if not option.is_fixed
        },
        'roles': [str(role) for role in game.roles],
        'rules': f'{len(game.rules) - facts} rules and {facts} facts',
        'turns': f'{game.turns.value}: {TURNS[game.turns.value]}',
        'information': INFORMATION[game.information.value],
        'typed': game.is_typed,
        'uses': list(features(game)),
        'own meaning of': sorted(game.redefined),
        'state facts': [f'{name}/{arity}' for name, arity in state_signatures(game)],
        'moves': [f'{name}/{arity}' for name, arity in move_signatures(game)],
    }


def _ask_engine(game: Game, options: Namespace) -> dict[str, object]:
    """Return what only an engine knows, or why it cannot say."""
    from gdl_env.errors import EngineError

    try:
        with open_engine_for(game, options) as engine:
            state = engine.initial_state
            legal = engine.legal_moves(state)
            return {
                'initial state': f'{len(state)} facts',
                'first moves': {str(role): len(moves) for role, moves in legal.items()},
                'teams': _find_teams(game) if engine.name == _COMPILED else [],
                'engine': f'{engine.name}{f": {size}" if (size := engine.size()) else ""}',
                'passed over': [f'{name} ({why})' for name, why in engine.passed_over],
            }
    except EngineError as error:
        return {'engine': f'{options.engine}, which cannot answer: {error}'}


def _find_teams(game: Game) -> list[str]:
    """Return the roles whose goals are always the same, team by team."""
    from gdl_agents.search.game.partners import find_teams
    from gdl_env.engine.batch.make import open_batch

    if sum(role != NATURE for role in game.roles) < 2:
        return []
    return [' + '.join(team) for team in find_teams(open_batch(game))]


def _relations(game: Game) -> list[tuple[str, int, int, int]]:
    from gdl_env.language.features import relation_signatures

    return [
        (name, arity, facts, rules)
        for (name, arity), (facts, rules) in relation_signatures(game).items()
    ]


def _option(name: str, told: dict[str, str]) -> str:
    default = '' if told['value'] == told['default'] else f'; default {told["default"]}'
    return f'{name}={told["value"]} ({told["allowed"]}{default})'


def _show(value: object) -> str:
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    if isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
        return '; '.join(_option(name, told) for name, told in value.items())
    if isinstance(value, dict):
        return ', '.join(f'{name}: {inner}' for name, inner in value.items())
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ', '.join(map(str, value)) or '-'
    return str(value) or '-'


VERB = Verb(
    name='info',
    group=Group.WRITE,
    summary='describe a game: roles, relations, moves, language features, engine',
    description=__doc__,
    examples="""
    gdl info tictactoe           as text
    gdl info 'hex(size=5)'       a game of a family
    gdl info tictactoe --json    for scripts
    """,
    configure=configure,
    run=run,
)
