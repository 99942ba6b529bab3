"""Data of games that were played: random states, battles, imitation."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray
import pytest

from gdl_agents.data.reader import DataSet

LINES = [
    *([(r, c) for c in (1, 2, 3)] for r in (1, 2, 3)),
    *([(r, c) for r in (1, 2, 3)] for c in (1, 2, 3)),
    [(1, 1), (2, 2), (3, 3)],
    [(1, 3), (2, 2), (3, 1)],
]


class Board:
    """Tic-tac-toe by hand: what data is compared with."""

    def __init__(self, data: DataSet) -> None:
        self.facts, self.moves = data.about['facts'], data.about['moves']
        self.cells: dict[tuple[int, int], str] = {}

    def play(self, action: int, player: int) -> None:
        cell = tuple(map(int, re.findall(r'\d', self.moves[action])))
        assert cell not in self.cells
        self.cells[cell] = 'xo'[player]

    def to_bits(self) -> NDArray[np.bool_]:
        held = {f'(control {"xo"[len(self.cells) % 2]})'}
        for row in (1, 2, 3):
            for column in (1, 2, 3):
                held.add(f'(cell {row} {column} {self.cells.get((row, column), "b")})')
        return np.array([fact in held for fact in self.facts])

    def fill_last(self) -> None:
        """Play the move that is forced: that to the last empty cell."""
        (left,) = {(r, c) for r in (1, 2, 3) for c in (1, 2, 3)} - set(self.cells)
        self.cells[left] = 'xo'[len(self.cells) % 2]

    def find_goals(self) -> list[int] | None:
        for line in LINES:
            marks = {self.cells.get(cell) for cell in line}
            if len(marks) == 1 and None not in marks:
                return [100, 0] if 'x' in marks else [0, 100]
        return [50, 50] if len(self.cells) == 9 else None


WAYS = (
    ('--how', 'randomised', '-n', 60, '--endings', 3),
    ('random', '--how', 'battle', '-n', 60, '--endings', 3),
    ('random', 'legal', '--how', 'imitation', '-n', 60, '--endings', 3, '--extra', 0.3),
)


@pytest.mark.parametrize('way', WAYS, ids=lambda way: way[way.index('--how') + 1])
def test_games_follow_the_rules_and_positions_their_games(way, make) -> None:
    data = make('tictactoe', *way, '--seed', 5, '--lanes', 16, '--shard', 32)
    games, rows = data.games, data.positions
    place = 0
    for game in range(len(games['game'])):
        board = Board(data)
        steps = slice(*games['offsets'][game : game + 2])
        sequence = zip(games['actions'][steps], games['players'][steps], strict=True)
        for step, (action, player) in enumerate(sequence):
            assert player == step % 2
            if step >= games['start'][game]:
                assert rows['game'][place] == games['game'][game]
                assert (rows['step'][place], rows['player'][place]) == (step, player)
                assert rows['action'][place] == action
                assert (rows['state'][place] == board.to_bits()).all()
                assert rows['legal'][place].sum() == 9 - step
                assert (rows['goals'][place] == games['goals'][game]).all()
                assert rows['reward'][place] == games['goals'][game][player] / 5 - 10
                place += 1
            board.play(action, player)
        if board.find_goals() is None:
            board.fill_last()
        assert games['goals'][game].tolist() == board.find_goals()
        assert (games['final_state'][game] == board.to_bits()).all()
        assert games['length'][game] == games['steps'][steps][-1] + 1
    assert place == len(rows['game'])
    assert games['terminated'].all()
    assert len(np.unique(games['game'])) == len(games['game'])


def test_random_states_have_their_endings(make) -> None:
    data = make('connect_four', '--how', 'randomised', '-n', 200, '--endings', 4, '--seed', 3)
    games = data.games
    assert (np.bincount(games['origin']) == 4).all() and len(games['game']) == 800
    assert (games['start'] < games['length']).all()
    # Any depth: from the first move to late ones.
    assert games['start'].min() < 3 and games['start'].max() > 15
    sequences = data.to_sequences()
    different = 0
    for origin in range(200):
        own = np.flatnonzero(games['origin'] == origin)
        assert len(set(games['start'][own])) == 1
        start = games['start'][own[0]]
        assert (sequences[own, :start] == sequences[own[0], :start]).all()
        different += len(np.unique(sequences[own], axis=0)) > 1
    assert different > 180
    # The state from which they part is the same, and there is no position before it.
    first = np.flatnonzero(np.diff(data.positions['game'], prepend=-1))
    assert (data.positions['step'][first] == games['start']).all()
    states = data.positions['state'][first].reshape(200, 4, -1)
    assert (states == states[:, :1]).all()
    assert len(np.unique(states[:, 0], axis=0)) > 150


def test_battle_is_against_the_given_opponent(make) -> None:
    data = make('tictactoe', 'legal', '--how', 'battle', '-n', 100, '--endings', 5, '--seed', 2)
    games, rows = data.games, data.positions
    roles = data.about['roles']
    learner = np.array([roles.index(s['learner']) for s in data.about['seatings']])
    assert sorted(learner) == [0, 1]
    own = dict(zip(games['game'].tolist(), learner[games['seating']].tolist(), strict=True))
    is_learner = rows['player'] == np.array([own[game] for game in rows['game'].tolist()])
    first_legal = rows['action'] == rows['legal'].argmax(axis=1)
    assert first_legal[~is_learner].all()
    assert 0.1 < first_legal[is_learner].mean() < 0.5
    assert not rows['is_extra'][~is_learner].any()
    # Each ending but the first begins with another move of the learning player.
    later = games['game'] % 5 > 0
    assert later.sum() == 400 and rows['is_extra'].sum() == 400
    first = np.flatnonzero(np.diff(rows['game'], prepend=-1))
    assert (rows['is_extra'][first] == later).all()


def test_imitation_plays_the_given_player_but_for_extra_moves(make) -> None:
    data = make(
        *('tictactoe', 'legal', '--how', 'imitation', '-n', 200),
        *('--endings', 3, '--extra', 0.2, '--seed', 2),
    )
    rows, games = data.positions, data.games
    first_legal = rows['action'] == rows['legal'].argmax(axis=1)
    assert (first_legal == ~rows['is_extra']).all()
    endings = np.bincount(games['origin'])
    assert endings.min() == 1 and endings.max() == 3
    assert rows['is_extra'].sum() == len(games['game']) - 200
    # The first player wins in seven moves: the chance that none has another one beside it.
    alone = (endings == 1).mean()
    assert abs(alone - 0.8**7) < 0.1


def test_extra_moves_never_and_always(make) -> None:
    words = ('tictactoe', 'legal', '--how', 'imitation', '-n', 20, '--seed', 2)
    data = make(*words, '--endings', 3, '--extra', 0)
    assert len(data.games['game']) == 20 and not data.positions['is_extra'].any()
    assert len(np.unique(data.to_sequences(), axis=0)) == 1
    data = make(*words, '--endings', 3, '--extra', 1)
    assert len(data.games['game']) == 60
    assert len(np.unique(data.to_sequences(), axis=0)) > 10


def test_more_endings_are_tried_until_games_are_won(make) -> None:
    words = ('tictactoe', 'legal', '--how', 'battle', '-n', 40, '--endings', 2, '--seed', 4)
    data = make(*words, '--wins', 2, '--role', 'O')
    games = data.games
    assert {seating['learner'] for seating in data.about['seatings']} == {'o'}
    for origin in range(40):
        own = games['origin'] == origin
        wins = (games['goals'][own, 1] == 100).sum()
        assert own.sum() >= 2 and (wins >= 2 or own.sum() == 20)
    assert len(games['game']) > 80
    assert len(make(*words).games['game']) == 80


@pytest.mark.parametrize('how', ['randomised', 'imitation'])
def test_hidden_cards_are_in_the_state_only(how, make) -> None:
    agents = ['random'] if how == 'imitation' else []
    data = make('kuhn_poker', *agents, '--how', how, '-n', 300, '--endings', 3, '--seed', 1)
    rows, facts = data.positions, data.about['facts']
    cards = np.array(['card' in fact for fact in facts])
    held = rows['state'][:, cards]
    assert (held.sum(axis=1) == 2).all()
    seen = np.column_stack([rows['player'], rows['observation']])
    views, which = np.unique(seen, axis=0, return_inverse=True)
    assert len(views) == 12
    # Whatever a player sees, its opponent has one of two cards.
    for view in range(12):
        assert len(np.unique(held[which.reshape(-1) == view], axis=0)) == 2
    # All endings of a game have its deal.
    origin = dict(zip(data.games['game'].tolist(), data.games['origin'].tolist(), strict=True))
    deals: dict[int, set[bytes]] = {}
    for game, deal in zip(rows['game'].tolist(), held, strict=True):
        deals.setdefault(origin[game], set()).add(deal.tobytes())
    assert {len(found) for found in deals.values()} == {1}


def test_moves_made_together_are_rows_of_one_step(make) -> None:
    data = make('goofspiel(cards=3)', 'random', '--how', 'imitation', '-n', 50, '--seed', 1)
    rows = data.positions
    keys = np.column_stack([rows['game'], rows['step']])
    steps, count = np.unique(keys, axis=0, return_counts=True)
    assert (count == 2).all()
    assert (rows['player'].reshape(-1, 2) == [0, 1]).all()
    # Three cards: two decisions each, then one card is left.
    assert set(steps[:, 1]) == {0, 1}
    assert (np.diff(data.games['offsets']) == 4).all()
    # An extra move of one player leaves that of the other as it was.
    assert (rows['is_extra'].reshape(-1, 2).sum(axis=1) <= 1).all()
    assert rows['is_extra'].any()


def test_random_states_of_a_game_of_chance_follow_their_moves(make) -> None:
    data = make(
        'goofspiel(cards=5)', '--how', 'randomised', '-n', 200, '--endings', 2, '--seed', 1
    )
    games, rows = data.games, data.positions
    facts, moves = data.about['facts'], data.about['moves']
    hands = [i for i, fact in enumerate(facts) if fact.startswith('(hand alice')]
    first = np.flatnonzero(np.diff(rows['game'], prepend=-1))
    prizes = set()
    for game in range(len(games['game'])):
        part = slice(*games['offsets'][game : game + 2])
        own = (games['players'][part] == 0) & (games['steps'][part] < games['start'][game])
        bids = {moves[action].strip('()').split()[-1] for action in games['actions'][part][own]}
        held = {facts[i].strip('()').split()[-1] for i in hands if rows['state'][first[game], i]}
        assert held | bids == set('12345') and not held & bids
        prizes.add((games['origin'][game], games['final_state'][game].tobytes()))
    # Chance is drawn again from the random state on, too.
    assert len(prizes) > 250
    assert games['start'].min() == 0 and games['start'].max() == 3


def test_players_of_a_hidden_game_follow_moves_that_are_repeated(make, caplog) -> None:
    words = ('kuhn_poker', 'ismcts:playouts=16', '--how', 'imitation', '-n', 8)
    data = make(*words, '--endings', 3, '--extra', 0.5, '--seed', 1)
    assert len(data.games['game']) > 8
    assert data.games['terminated'].all()
    # They say so if they are shown what cannot be.
    assert 'nothing was found that agrees' not in caplog.text


def test_several_opponents_take_turns(make) -> None:
    data = make('tictactoe', 'legal', 'random', '--how', 'battle', '-n', 8, '--endings', 1)
    agents = [tuple(seating['agents'].values()) for seating in data.about['seatings']]
    assert agents == [
        ('random', 'legal'),
        ('legal', 'random'),
        ('random', 'random'),
        ('random', 'random'),
    ]
    assert np.bincount(data.games['seating']).tolist() == [2, 2, 2, 2]


def test_long_games_are_cut_off(make) -> None:
    data = make('connect_four', '--how', 'randomised', '-n', 20, '--max-steps', 9, '--seed', 1)
    cut = ~data.games['terminated']
    assert cut.any() and not cut.all()
    assert (data.games['length'][cut] == 9).all()
    assert (data.games['goals'][cut] == -1).all()
