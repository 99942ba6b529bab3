"""Any sequence of changes gives the text that the editor has."""

from __future__ import annotations

from random import Random

from editor_client import position
from lsprotocol import types
import pytest

from gdl_env.editor.document import Document

# Line ends that come together and apart, and characters of one and two units.
PIECES = ['\r', '\n', '\r\n', 'a', '🂡', 'ö', '(p ?x)', '\u2028', '\x0c', '']


@pytest.mark.parametrize('seed', range(40))
def test_changes(seed: int) -> None:
    random = Random(seed)
    text = ''.join(random.choices(PIECES, k=30))
    document = Document('untitled:random', text, version=1)
    for _ in range(60):
        # An editor has no place between CR and LF.
        places = [o for o in range(len(text) + 1) if text[o - 1 : o + 1] != '\r\n' or o == 0]
        start, end = sorted(random.choices(places, k=2))
        end = random.choice([start, end])
        new = ''.join(random.choices(PIECES, k=random.randrange(3)))
        place = types.Range(position(text, start), position(text, end))
        document.apply_change(types.TextDocumentContentChangePartial(place, new))
        text = text[:start] + new + text[end:]
        assert document.source == text
        assert ''.join(document.lines) == text


def test_a_place_beyond_the_end_is_the_end() -> None:
    document = Document('untitled:end', 'ab\ncd', version=1)
    far = types.Position(7, 9)
    document.apply_change(types.TextDocumentContentChangePartial(types.Range(far, far), 'e'))
    assert document.source == 'ab\ncde'
    behind = types.Position(0, 99)
    document.apply_change(types.TextDocumentContentChangePartial(types.Range(behind, behind), 'x'))
    assert document.source == 'abx\ncde'
