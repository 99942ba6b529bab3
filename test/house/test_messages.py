"""Check that every interface of gdl_msgs explains itself."""

from pathlib import Path
import re

import pytest

INTERFACES = sorted((Path(__file__).parents[2] / 'msg').glob('*/*.[ms][sr][gv]'))
FIELD = re.compile(r'^[\w/]+(\[\])?\s+(?P<name>\w+)(?P<value>=\S+)?$')


def test_there_are_interfaces() -> None:
    assert {path.stem for path in INTERFACES} >= {'GameInfo', 'State', 'Action', 'Reward'}


@pytest.mark.parametrize('path', INTERFACES, ids=lambda path: path.stem)
def test_starts_with_what_it_is(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert re.match(r'# [A-Z].*', first), 'the first line must say what the interface is'


@pytest.mark.parametrize('path', INTERFACES, ids=lambda path: path.stem)
def test_every_field_has_a_comment_of_full_sentences(path: Path) -> None:
    # Sections of a service are separated by ---; paragraphs by an empty line.
    for paragraph in re.split(r'\n\n+|^---$', path.read_text(), flags=re.MULTILINE):
        comment: list[str] = []
        for line in filter(None, paragraph.splitlines()):
            if line.startswith('#'):
                comment.append(line[1:].strip())
                continue
            assert FIELD.match(line), f'{path.name}: not a field: {line}'
            text = ' '.join(comment)
            assert text, f'{path.name}: no comment above: {line}'
            assert text[0].isupper() and text.endswith('.'), f'{path.name}: no sentence: {text}'
            comment = []


@pytest.mark.parametrize('path', INTERFACES, ids=lambda path: path.stem)
def test_constants_are_named_after_their_field(path: Path) -> None:
    fields = [match for match in map(FIELD.match, path.read_text().splitlines()) if match]
    names = [match['name'] for match in fields if not match['value']]
    for match in fields:
        if match['value']:
            prefixes = [name for name in names if match['name'].startswith(name.upper() + '_')]
            assert prefixes, f'{path.name}: {match["name"]} belongs to no field'
        if match['name'].endswith('_UNKNOWN'):
            assert match['value'] == '=0', f'{path.name}: unknown must be 0'
