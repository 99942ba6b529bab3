"""BatchGame in batches agree with the engine they stand on, and with any other one."""

from itertools import pairwise

import numpy as np
import pytest
from search_games import DECK, LOTTERY, MATRIX, WEIGHTED, game_of, rules_of

from gdl_agents.search.game.expansion import expand, expand_turns
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.search.game.turns import TurnOrder
from gdl_env.engine.batch.contract import BatchGame, Look
from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.registry import open_engine
from gdl_env.errors import ExhaustedError

GAMES = (
    'tictactoe',
    'connect_four',
    'krieg_tictactoe',
    'simultaneous_krieg_tictactoe',
    'rock_paper_scissors',
    'monty_hall',
    MATRIX,
    LOTTERY,
    WEIGHTED,
)


@pytest.mark.parametrize('name', GAMES)
def test_answers_are_those_of_the_engine(name: str) -> None:
    rules = rules_of(name)
    plain = EngineBatch(open_engine(game_of(name)))
    chance = np.random.default_rng(1)
    # More states than fit into single words, so that both kinds of kernels run.
    states = np.repeat(rules.initial, 300, axis=0)
    last = np.full(300, -1)
    for _ in range(12):
        look = rules.look(states)
        sample = chance.choice(len(states), min(len(states), 6), replace=False)
        _compare(rules, plain, states, sample)
        acting = TurnOrder().find_acting(rules, look, last, chance)
        going = np.flatnonzero(acting.any(axis=1))
        if not len(going):
            break
        legal = sample_moves(rules, look, acting, chance)[going]
        does = draw_outcomes(rules, states[going], legal, chance)
        after = rules.step(states[going], does)
        seen = rules.percepts(states[going], does)
        for i in chance.choice(len(going), min(len(going), 6), replace=False):
            state = plain.from_state(rules.to_state(states[going[i]]))
            row = _translate(rules, plain, does[i])
            assert plain.to_state(plain.step(state, row)) == rules.to_state(after[i])
            if rules.percept_words:
                theirs = plain.percepts(state, row)[0]
                for role in rules.players:
                    assert _told(rules, role, seen[i]) == _told(plain, role, theirs)
        states, last = after, np.full(len(after), -1)


def _compare(rules: BatchGame, plain: EngineBatch, states: np.ndarray, sample: np.ndarray) -> None:
    look, goals = rules.look(states), rules.goals(states)
    for i in sample:
        one = plain.from_state(rules.to_state(states[i]))
        theirs = plain.look(one)
        assert bool(look.terminal[i]) == bool(theirs.terminal[0])
        assert goals[i].tolist() == plain.goals(one)[0].tolist()
        for role in range(len(rules.roles)):
            ours = {rules.legal_move(int(row))[1] for row in look.moves(i, role)}
            assert ours == {plain.legal_move(int(row))[1] for row in theirs.moves(0, role)}


def _translate(rules: BatchGame, plain: EngineBatch, does: np.ndarray) -> np.ndarray:
    row = np.full((1, len(does)), -1, np.int32)
    for role, done in enumerate(does):
        if done >= 0:
            row[0, role] = plain.does_row(role, rules.does_move(int(done))[1])
    return row


def _told(rules: BatchGame, role: int, percepts: np.ndarray) -> set[str]:
    held = rules.percepts_of(role).items()
    return {str(term) for term, bit in held if int(percepts[bit >> 6]) >> (bit & 63) & 1}


def test_children_are_all_combinations() -> None:
    rules = rules_of(MATRIX)
    look = rules.look(rules.initial)
    children = expand_turns(rules, rules.initial, look, TurnOrder().find_chances(rules, look))
    assert len(children) == 4
    assert sorted(rules.goals(children.states)[:, 0].tolist()) == [10, 30, 40, 80]


def test_weights_of_experiments() -> None:
    rules = rules_of(WEIGHTED)
    look = rules.look(rules.initial)
    children = expand_turns(rules, rules.initial, look, TurnOrder().find_chances(rules, look))
    found = dict(
        zip(rules.goals(children.states)[:, 0].tolist(), children.chance.tolist(), strict=True)
    )
    assert found == {60: 1.0, 100: 0.75, 0: 0.25}


def test_random_games_go_as_the_engine_plays_them() -> None:
    rules = rules_of('connect_four')
    goals = rules.playouts(np.repeat(rules.initial, 40_000, axis=0), 7, 100)
    batches = rules.engine.play_batches(40_000, 11, 100)
    theirs = np.concatenate([batch.goals for batch in batches])
    # Standard error of a share of 40,000: a quarter of a percent.
    for value in (0, 50, 100):
        assert (goals[:, 0] == value).mean() == pytest.approx(
            (theirs[:, 0] == value).mean(), abs=0.014
        )
    again = rules.playouts(np.repeat(rules.initial, 100, axis=0), 7, 100)
    assert (again == goals[:100]).all()


def test_random_games_on_the_portable_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_NATIVE', 'off')
    rules = open_batch(game_of('tictactoe'))
    goals = rules.playouts(np.repeat(rules.initial, 4096, axis=0), 3, 100)
    assert set(goals[:, 0].tolist()) == {0, 50, 100}
    assert (goals.sum(axis=1) == 100).all()
    assert (goals[:, 0] == 100).mean() == pytest.approx(0.585, abs=0.03)


@pytest.mark.parametrize('native', ['', 'off'])
def test_drawing_from_nothing_is_an_error(native: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_NATIVE', native)
    chance = np.random.default_rng(1)
    game = game_of(DECK)
    for rules in (open_batch(game), EngineBatch(open_engine(game))):
        states = np.repeat(rules.initial, 3, axis=0)
        for play in (rules.playouts, *([rules.traced_playouts] if rules.trace_words else [])):
            with pytest.raises(ExhaustedError, match='no event of the experiment deck'):
                play(states, 1, 100)
        for _ in range(2):
            legal = sample_moves(rules, look := rules.look(states), _all_act(look), chance)
            states = rules.step(states, draw_outcomes(rules, states, legal, chance))
        legal = sample_moves(rules, look := rules.look(states), _all_act(look), chance)
        with pytest.raises(ExhaustedError, match='no event of the experiment deck'):
            draw_outcomes(rules, states, legal, chance)
        with pytest.raises(ExhaustedError, match='no event of the experiment deck'):
            expand(rules, states, look, _all_act(look))


def _all_act(look: Look) -> np.ndarray:
    return look.counts() > 0


def test_a_game_that_takes_too_long_has_no_goals() -> None:
    rules = rules_of('connect_four')
    goals = rules.playouts(rules.initial, 1, 3)
    assert goals.tolist() == [[-1, -1]]


def test_ranges_of_moves_do_not_overlap() -> None:
    look = rules_of('tictactoe').look(rules_of('tictactoe').initial)
    flat = look.starts.ravel().tolist()
    assert all(low <= high for low, high in pairwise(flat))
