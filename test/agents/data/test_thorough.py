"""Whole trees, against numbers that others have counted."""

from __future__ import annotations

import numpy as np

from gdl_agents.data.state_graph import spread_ranges


def test_tictactoe_has_its_known_states_and_games(make) -> None:
    data = make('tictactoe', '--how', 'thorough', '--sequences', '--shard', '100000')
    rows = data.positions
    assert len(rows['position']) == len(np.unique(rows['position'])) == 5_478
    assert rows['is_final'].sum() == 958
    assert len(np.unique(np.packbits(rows['state'], axis=1), axis=0)) == 5_478
    # All games, and how they end.
    assert rows['endings'][0] == rows['ways'][rows['is_final']].sum() == 255_168
    games = data.games
    assert len(games['game']) == 255_168
    won = [int((games['goals'][:, role] == 100).sum()) for role in range(2)]
    assert won == [131_184, 77_904]
    assert (games['goals'] == 50).all(axis=1).sum() == 46_080
    # No two games are the same, forced moves left out.
    sequences = data.to_sequences()
    assert sequences.shape == (255_168, 8)
    assert len(np.unique(sequences, axis=0)) == 255_168
    # The best play is a draw; random play: 58.5 % won, 12.7 % drawn.
    assert (rows['value'][0] == 50).all()
    assert np.allclose(rows['mean_goals'][0], [64.84, 35.16], atol=0.01)
    assert len(data.about['shards']) == 3


def test_rows_of_states_say_who_moves_and_how(make) -> None:
    data = make('tictactoe', '--how', 'thorough')
    rows, facts = data.positions, data.about['facts']
    marks = [
        [
            rows['state'][:, i]
            for i, f in enumerate(facts)
            if f.endswith(f' {m})') and f.startswith('(cell')
        ]
        for m in 'xob'
    ]
    x, o, empty = (np.sum(columns, axis=0) for columns in marks)
    assert ((x + o + empty) == 9).all()
    going = ~rows['is_final']
    assert (rows['player'][going] == (x - o)[going]).all()
    assert (rows['player'][~going] == -1).all()
    assert (rows['legal'].sum(axis=1) == np.where(going, empty, 0)).all()
    assert (rows['depth'] == x + o).all()
    # Everything is open: what players see is the state.
    assert (rows['observation'][going].sum(axis=1) == 10).all()
    assert data.games == {}
    assert (rows['goals'][going] == -1).all() and (rows['goals'][~going] >= 0).all()


def test_hidden_game_shows_each_player_its_own_card(make) -> None:
    data = make('kuhn_poker', '--how', 'thorough', '--sequences')
    rows = data.positions
    decided = rows['legal'].sum(axis=1) == 2
    seen = np.column_stack([rows['player'], rows['observation']])[decided]
    # Kuhn poker is known for its twelve information sets, and six deals with five ends each.
    assert len(np.unique(seen, axis=0)) == 12
    assert len(data.games['game']) == 30
    assert np.isclose(data.games['chance'].reshape(-1).sum(), 5)
    assert np.isnan(rows['value']).all()
    assert 'hides something' in data.about['no_values']
    # Chance moves where nobody of the players does.
    assert ((rows['player'] == -1) & ~rows['is_final']).sum() == 1 + 3


def test_simultaneous_moves_have_a_row_for_each_player(make) -> None:
    data = make('goofspiel(cards=2,order=rising)', '--how', 'thorough', '--sequences')
    rows = data.positions
    first = rows['position'] == rows['position'][rows['player'] == 0][0]
    assert rows['player'][first].tolist() == [0, 1]
    # Two cards each: two by two first bids, the rest is forced.
    assert len(data.games['game']) == 4
    assert data.games['steps'].reshape(4, 2).tolist()[0][0] == data.games['steps'][1]
    assert data.games['players'].reshape(4, 2).tolist() == [[0, 1]] * 4


def test_what_cannot_be_listed_is_refused(refuse) -> None:
    said = refuse('connect_four', '--how', 'thorough', '--nodes', '1000', code=1)
    assert 'connect_four has more than 1,000 states' in said
    said = refuse('simultaneous_krieg_tictactoe', '--how', 'thorough', code=1)
    assert 'depends on moves, not on states' in said
    said = refuse('tictactoe', '--how', 'thorough', '--sequences', '--nodes', '10000', code=1)
    assert '255,168 games' in said


def test_ranges_are_spread() -> None:
    owner, place = spread_ranges(np.array([0, 2, 2, 5]), np.array([2, 0, 1]))
    assert owner.tolist() == [0, 0, 0, 1, 1]
    assert place.tolist() == [2, 3, 4, 0, 1]
