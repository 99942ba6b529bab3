"""The examples in the documentation of the language are games that work."""

from __future__ import annotations

from pathlib import Path
import re

from playthrough import play
import pytest

from gdl_env.errors import RuleError
from gdl_env.language.diagnostics import Severity
from gdl_env.language.load import game_from_text, read_game
from gdl_env.language.source import Source

DOC = Path(__file__).parents[2] / 'doc'
FENCE = re.compile(r'^```gdl\n(.*?)^```$', re.MULTILINE | re.DOTALL)
QUESTION = re.compile(
    r'^\| `(\(.*\))` \| (none|an error|-?\d+(?:, -?\d+)*)(?:: .*)? \|$', re.MULTILINE
)
FRAME = '(role r) terminal (goal r 0) (<= (legal r ?n) {})'


def examples() -> list[object]:
    found = []
    for file in sorted(DOC.glob('*.md')):
        for match in FENCE.finditer(text := file.read_text('utf-8')):
            line = text.count('\n', 0, match.start()) + 2
            found.append(pytest.param(match[1], id=f'{file.name}:{line}'))
    return found


def questions() -> list[object]:
    text = (DOC / 'language.md').read_text('utf-8')
    return [pytest.param(*match.groups(), id=match[1]) for match in QUESTION.finditer(text)]


def test_documentation_has_examples() -> None:
    assert len(examples()) > 5
    assert len(questions()) > 20


@pytest.mark.parametrize('text', examples())
def test_example_has_no_findings(text: str) -> None:
    source = Source(text, '<example>')
    _, findings = read_game(source)
    serious = [f.render(source) for f in findings if f.severity is not Severity.NOTE]
    assert not serious, '\n'.join(serious)


@pytest.mark.prolog
@pytest.mark.parametrize('text', examples())
def test_example_can_be_played(text: str) -> None:
    from gdl_env.engine.registry import open_engine

    with open_engine(game_from_text(text)) as engine:
        match = play(engine, seed=1)
        assert match.is_terminal
        assert None not in match.goals().values()


@pytest.mark.prolog
@pytest.mark.parametrize(('question', 'answers'), questions())
def test_arithmetic_answers(question: str, answers: str) -> None:
    from gdl_env.engine.registry import open_engine

    with open_engine(game_from_text(FRAME.format(question))) as engine:
        if answers == 'an error':
            with pytest.raises(RuleError):
                engine.legal_moves(engine.initial_state)
            return
        (moves,) = engine.legal_moves(engine.initial_state).values()
        assert ', '.join(map(str, moves)) == answers.replace('none', '')
