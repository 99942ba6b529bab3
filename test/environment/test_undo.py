"""Moves that are taken back."""

from __future__ import annotations

from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import Answer
from gdl_env.environment.referee import Referee, Verdict
from gdl_env.environment.undo import UndoHistory
from gdl_env.language.load import open_game


def answer(environment: Environment, role: str, move: str) -> Answer:
    return Answer(environment.tick_of(role), role, 'me', moves=(move,))


class Match:
    """A referee that remembers."""

    def __init__(self, game: str, kept: int = 100) -> None:
        self.environment = Environment.open(open_game(game))
        self.referee = Referee(self.environment)
        self.undo_history = UndoHistory(kept)

    def play(self, role: str, move: str) -> None:
        given = answer(self.environment, role, move)
        assert self.referee.receive(role, given) is Verdict.ACCEPTED
        self.undo_history.remember_tick(self.environment)
        self.referee.play()

    def facts(self) -> set[str]:
        return set(map(str, self.environment.game.state(0)))


def test_a_role_goes_back_to_its_own_last_decision() -> None:
    match = Match('tictactoe')
    match.play('x', '(mark 1 1)')
    before = match.facts()
    match.play('o', '(mark 2 2)')
    match.play('x', '(mark 3 3)')
    match.play('o', '(mark 1 2)')
    tick = match.environment.tick
    old = answer(match.environment, 'o', '(mark 3 1)')
    assert match.referee.take_back(match.undo_history, 'o')
    assert match.environment.awaited == ('o',)
    assert '(cell 3 3 x)' in match.facts() and '(cell 1 2 b)' in match.facts()
    # Ticks go on counting, so that what was answered before is recognised as old.
    assert match.environment.tick == tick + 1
    assert match.referee.receive('o', old) is Verdict.LATE
    assert match.referee.take_back(match.undo_history, 'o')
    assert match.facts() == before
    match.play('o', '(mark 3 2)')
    assert '(cell 3 2 o)' in match.facts()


def test_the_end_of_a_game_can_be_taken_back() -> None:
    match = Match('tictactoe')
    match.environment.reset(None, 1)
    for number, move in enumerate(('1 1', '2 1', '1 2', '2 2', '1 3')):
        match.play('xo'[number % 2], f'(mark {move})')
    assert match.environment.is_finished
    assert match.environment.tallies['x'].wins == 1
    assert match.referee.take_back(match.undo_history, 'x')
    assert not match.environment.is_finished
    assert match.environment.tallies['x'].wins == 0
    match.play('x', '(mark 3 3)')
    assert match.environment.awaited == ('o',)


def test_only_what_is_remembered_is_taken_back() -> None:
    match = Match('tictactoe', kept=2)
    assert not match.referee.take_back(match.undo_history, 'x')
    for number, move in enumerate(('1 1', '2 1', '1 2')):
        match.play('xo'[number % 2], f'(mark {move})')
    assert match.referee.take_back(match.undo_history, 'x')
    assert not match.referee.take_back(match.undo_history, 'x')


def test_chance_is_that_of_then() -> None:
    match = Match('pig')
    role = match.environment.awaited[0]
    match.play(role, '(roll dice)')
    once = match.facts()
    assert match.referee.take_back(match.undo_history, role)
    match.play(role, '(roll dice)')
    assert match.facts() == once
