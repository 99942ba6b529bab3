"""The rules behind a step: those of its moves, of what changed, and of the end."""

from __future__ import annotations

from gdl_env.engine.explanation.fired_rules import find_fired_rules
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import open_game
from gdl_env.language.reader import read_role, read_term


def play(*marks: str) -> tuple[list[str], list[str]]:
    """Return the heads and the texts of the rules behind the last of some marks."""
    game = open_game('tictactoe')
    with open_engine(game) as engine:
        state = engine.initial_state
        for number, mark in enumerate(marks):
            before, own = state, ('x', 'o')[number % 2]
            moves = {
                role: read_term(f'(mark {mark})' if str(role) == own else 'noop')
                for role in map(read_role, ('x', 'o'))
            }
            state = engine.next_state(before, moves)
    found = find_fired_rules(game, before, moves, state)
    lines = game.source.text.splitlines()
    texts = [' '.join(lines[rule.first_line - 1 : rule.last_line]) for rule in found]
    return [rule.head for rule in found], texts


def test_a_move_fires_the_rule_that_allows_it_and_those_that_change_the_board() -> None:
    heads, texts = play('1 1')
    assert '(legal x (mark 1 1))' in heads
    assert '(next (cell 1 1 x))' in heads
    assert '(next (control o))' in heads
    # Empty squares stay as they were: that is not worth a word.
    assert not any('(cell 2 2 b)' in head for head in heads)
    assert not any('terminal' in text for text in texts)


def test_the_end_fires_the_rules_of_the_goals() -> None:
    heads, texts = play('1 1', '2 1', '1 2', '2 2', '1 3')
    assert 'terminal' in heads
    assert '(goal x 100)' in heads
    assert any(text.lstrip().startswith('(<= terminal') for text in texts)
