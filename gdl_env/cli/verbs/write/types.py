"""Show what a learning player receives: types, templates of facts and moves, and dimensions.

A template lists the values that the types allow at each position of a fact or move. Templates are
merged where possible; the table gives the reason. Facts and moves are numbered in the order of the
table. For an untyped game, the command lists the facts and moves that its rules can derive;
--infer prints the rules with types added.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
import json
import sys
from typing import TYPE_CHECKING, Any

from gdl_env.cli.game_options import add_game, load
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_env.engine.mapping.planes import Planes
    from gdl_env.engine.mapping.table_encoding import TableEncoding
    from gdl_env.engine.mapping.typed import TemplateSet
    from gdl_env.language.game import Game

_SHOWN_VALUES = 12


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        '--infer', action='store_true', help='print the rules of an untyped game with types added'
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')


def run(options: Namespace) -> int:
    """Print the tables, or the game with types."""
    game = load(options.game)
    if options.infer:
        if options.json:
            raise UsageError('--infer prints rules, not JSON')
        return _infer(game)
    data = _describe(game)
    if options.json:
        print(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        _show(data)
    return 0


def _infer(game: Game) -> int:
    from gdl_env.engine.mapping.infer.annotate import annotate

    text = annotate(game)
    sys.stdout.write(text if text.endswith('\n') else f'{text}\n')
    if text == game.source.text:
        print('no head of a rule has a variable: there is nothing to type', file=sys.stderr)
    return 0


def _describe(game: Game) -> dict[str, Any]:
    from gdl_env.engine.mapping.inferred import InferredEncoding
    from gdl_env.engine.mapping.typed import TypedEncoding

    about: dict[str, Any] = {'game': game.name}
    if not game.is_typed:
        inferred = InferredEncoding(game)
        about |= {'mapping': 'inferred', 'types': []}
        about['facts'] = _relations(inferred.state_table.terms())
        about['observation'] = _relations(inferred.observation_table.terms())
        about['actions'] = _relations(inferred.action_table.terms())
        return about | _board(inferred)
    typed = TypedEncoding(game)
    about |= {'mapping': 'typed', 'types': _types(game)}
    about['facts'] = _templates(typed.state, game)
    about['observation'] = _templates(typed.observation, game)
    about['actions'] = _templates(typed.action, game)
    return about | _board(typed)


def _types(game: Game) -> list[dict[str, Any]]:
    from gdl_env.language.terms import Symbol
    from gdl_env.language.types import TypeSystem

    types = TypeSystem.from_game(game)
    return [
        {
            'type': name,
            'made by': types.kinds[name].value,
            'values': [str(value) for value in types.members(Symbol(name))],
        }
        for name in types.names
    ]


def _templates(found: TemplateSet, game: Game) -> dict[str, Any]:
    rows, start = [], 0
    for template in found.merged:
        lines = [game.source.position(rule.span.start)[0] for rule in template.rules]
        rows.append(
            {'template': str(template), 'size': template.size, 'from': start, 'lines': lines}
        )
        start += template.size
    merges = [
        {
            'from': [str(template) for template in step.before],
            'to': [str(template) for template in step.after],
            'why': step.reason,
        }
        for step in found.merges
    ]
    return {'size': found.size, 'templates': rows, 'merges': merges}


def _relations(terms: list[Any]) -> dict[str, Any]:
    from gdl_env.language.terms import signature

    counts: dict[tuple[str, int], list[str]] = {}
    for term in terms:
        inner = term.args[0] if signature(term) == ('sees', 1) else term
        name, arity = signature(inner)
        shown = f'{name}/{arity}' if inner is term else f'(sees {name}/{arity})'
        counts.setdefault((shown, arity), []).append(str(term))
    rows = [
        {'relation': shown, 'size': len(found), 'such as': found[0]}
        for (shown, _), found in counts.items()
    ]
    return {'size': len(terms), 'relations': rows}


def _board(mapping: TableEncoding) -> dict[str, Any]:
    planes: Planes | None = mapping.planes()
    if planes is None:
        return {'board': None}
    channels, rows, columns = planes.shape
    return {
        'board': {
            'rows': [str(row) for row in planes.rows],
            'columns': [str(column) for column in planes.columns],
            'channels': list(planes.channels),
            'size': channels * rows * columns,
            'beside': len(planes.remainder),
        }
    }


def _show(data: dict[str, Any]) -> None:
    if data['types']:
        rows = [
            (row['type'], row['made by'], len(row['values']), _short(row['values']))
            for row in data['types']
        ]
        print_table(('type', 'made by', 'values#', 'which'), rows, 'types')
        print()
    _show_tables(data['facts'], 'facts of the state')
    if data['observation'] != data['facts']:
        _show_tables(data['observation'], 'what a player is shown')
    _show_tables(data['actions'], 'actions')
    board = data['board']
    if board is not None:
        print(
            f'board: {len(board["channels"])} channels, {len(board["rows"])} rows,'
            f' {len(board["columns"])} columns; {board["beside"]} entries beside it'
        )
    print(
        f'{data["game"]} ({data["mapping"]}): {data["facts"]["size"]} facts,'
        f' observations of {data["observation"]["size"]}, {data["actions"]["size"]} actions'
    )


def _show_tables(table: dict[str, Any], title: str) -> None:
    if 'relations' in table:
        relations = [(r['relation'], r['size'], r['such as']) for r in table['relations']]
        print_table((title, 'size#', 'such as'), relations)
        print()
        return
    rows = [
        (row['template'], row['size'], row['from'], ', '.join(map(str, row['lines'])))
        for row in table['templates']
    ]
    print_table((title, 'size#', 'from#', 'rules in lines'), rows)
    print()
    merges = [
        (_joined(step['from'], step['to']), _joined(step['to']) or '-', step['why'])
        for step in table['merges']
    ]
    if merges:
        print_table(('merged', 'into', 'why'), merges)
        print()


def _joined(templates: list[str], into: Sequence[str] = ()) -> str:
    """Return templates in one line, without the one that takes the others in."""
    others = [template for template in templates if template not in into]
    counts = Counter(others or templates)
    return ' + '.join(t if n == 1 else f'{n} x {t}' for t, n in counts.items())


def _short(values: list[str]) -> str:
    shown = ', '.join(values[:_SHOWN_VALUES])
    return f'{shown}, …' if len(values) > _SHOWN_VALUES else shown


VERB = Verb(
    name='types',
    group=Group.WRITE,
    summary='show types, templates and dimensions for learning; propose types',
    description=__doc__,
    examples="""
    gdl types tictactoe                      29 facts, 9 actions, and why
    gdl types tictactoe --json               for scripts
    gdl types my.kif --infer > my.gdl        add types to an untyped game
    """,
    configure=configure,
    run=run,
)
