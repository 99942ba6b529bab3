"""List the games that are known by name.

They come from the folders of the environment variable GDL_PATH, from the games folder of a source
checkout, and from the installed games; where a name occurs twice, the first one counts.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict, dataclass, replace
import json
from pathlib import Path

from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, Verb


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('--json', action='store_true', help='print a JSON list')
    parser.add_argument('--paths', action='store_true', help='show the rule files too')


def run(options: Namespace) -> int:
    """Print the list."""
    from gdl_env.language.library import game_folders, list_games

    rows = [_describe(path) for path in list_games()]
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False))
        return 0
    if not rows:
        folders = ', '.join(map(str, game_folders())) or 'no folder'
        print(f'no games found in {folders}; name folders with games in GDL_PATH')
        return 0
    headers = ['game', 'roles#', 'title', 'uses', *(['file'] if options.paths else [])]
    print_table(
        headers,
        (
            [row.name, row.roles, row.title, ', '.join(row.features)]
            + ([row.file] if options.paths else [])
            for row in rows
        ),
    )
    return 0


@dataclass(frozen=True)
class _Row:
    """What the list says about one game."""

    name: str
    file: str
    title: str
    roles: int = 0
    features: tuple[str, ...] = ()


def _describe(path: Path) -> _Row:
    from gdl_env.engine.contract import NATURE
    from gdl_env.errors import SourceError
    from gdl_env.language.diagnostics import has_errors
    from gdl_env.language.features import features, title
    from gdl_env.language.load import read_game
    from gdl_env.language.source import Source

    row = _Row(path.stem, str(path), '')
    try:
        game, diagnostics = read_game(Source.from_file(path))
    except SourceError as error:
        return replace(row, title=f'cannot be read: {error}')
    if has_errors(diagnostics):
        return replace(row, title=f'has errors: see gdl check {path.stem}')
    return replace(
        row,
        title=title(game),
        roles=sum(role != NATURE for role in game.roles),
        features=features(game),
    )


VERB = Verb(
    name='games',
    group=Group.PLAY,
    summary='list the games that are known by name',
    description=__doc__,
    examples="""
    gdl games                           all games, with what their rules use
    GDL_PATH=~/my_games gdl games       also those of your folder
    """,
    configure=configure,
    run=run,
)
