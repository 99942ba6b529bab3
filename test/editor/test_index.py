"""The index on its own: on whatever an author has typed so far, and on whole games."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from gdl_env.editor.check_worker import check
from gdl_env.editor.completing import propose
from gdl_env.editor.hovering import describe
from gdl_env.editor.index import Index
from gdl_env.editor.navigation import find_definitions
from gdl_env.editor.outline import outline
from gdl_env.editor.renaming import RenameError, rename
from gdl_env.language.load import read_game
from gdl_env.language.source import Source

ROOT = Path(__file__).parents[2]
PIECES = ['(', ')', '()', '?', ':', '[1,', ';', '\r\n', '🂡', '(<= ', '(option x (list', '(type t ']


@pytest.mark.parametrize('name', ['tictactoe', 'nim', 'sokoban', 'pig', 'krieg_tictactoe'])
def test_every_question_has_an_answer(name: str) -> None:
    random = Random(name)
    whole = (ROOT / 'games' / f'{name}.gdl').read_text('utf-8')
    for _ in range(12):
        place = random.randrange(len(whole))
        behind = random.choice(['', whole[place:]])
        text = f'{whole[:place]}{random.choice(PIECES)}{behind}'
        index = Index.of(Source(text))
        outline(index)
        assert check(text, None)['findings'] is not None
        near = range(max(0, place - 30), min(len(text), place + 30))
        for offset in (*near, *random.choices(range(len(text)), k=20)):
            propose(index, text, offset)
            found = index.at(offset)
            if found is not None:
                describe(index, found, {})
                assert find_definitions(index, found) is not None
                with suppress(RenameError):
                    rename(index, found, 'brand_new')


@pytest.mark.parametrize(
    'path', sorted((ROOT / 'games').glob('*.gdl')), ids=lambda path: path.stem
)
def test_every_name_stands_where_the_index_says(path: Path) -> None:
    source = Source.from_file(path)
    index = Index.of(source)
    for found in index.occurrences:
        written = source.excerpt(found.span).lower().removeprefix('?')
        assert written == found.name
        assert index.at(found.span.start) == found


@pytest.mark.parametrize('name', ['tictactoe', 'nim', 'pig', 'leduc_poker', 'sokoban'])
def test_a_renamed_game_is_the_same_game(name: str) -> None:
    source = Source.from_file(ROOT / 'games' / f'{name}.gdl')
    index = Index.of(source)
    game, findings = read_game(source)
    keys = Random(name).sample(list(index.by_key), 12)
    for key in keys:
        text = source.text
        with suppress(RenameError):
            edits = rename(index, index.by_key[key][0], 'brand_new')
            for span, new in sorted(edits, key=lambda edit: -edit[0].start):
                text = text[: span.start] + new + text[span.end :]
        renamed, found = read_game(Source(text, source.name, source.path))
        assert [finding.code for finding in found] == [finding.code for finding in findings], key
        assert (len(renamed.rules), len(renamed.roles)) == (len(game.rules), len(game.roles)), key


def test_characters_of_a_text_file_keep_their_names() -> None:
    text = '(option level (grid levels/one))\n(<= (start ?x ?y) (level ?y ?x p))\n'
    index = Index.of(Source(text))
    character = index.at(text.index(' p)') + 1)
    assert character is not None
    with pytest.raises(RenameError, match='character of a text file'):
        rename(index, character, 'brand_new')
