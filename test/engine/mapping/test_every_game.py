"""What holds of the mappings of every game, in every state of random matches."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings, strategies
import numpy as np
import pytest

from gdl_env.engine.contract import NATURE
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.inferred import InferredEncoding
from gdl_env.engine.mapping.typed import TypedEncoding
from gdl_env.language.game import Information
from gdl_env.language.terms import args_of, name_of

ANY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope='module', params=['typed', 'inferred'])
def mapping(request, game, engine):
    if request.param == 'typed':
        return TypedEncoding(game)
    if not hasattr(engine, 'vocabulary'):
        pytest.skip('the facts of this game cannot be listed')
    return InferredEncoding(game, engine.vocabulary)


@ANY
@given(data=strategies.data())
def test_actions_and_moves_are_the_same_in_both_directions(mapping, engine, data):
    index = data.draw(strategies.integers(0, mapping.action_size - 1))
    role = data.draw(strategies.sampled_from([r for r in engine.roles if r != NATURE]))
    assert mapping.action_index(role, mapping.move(role, index)) == index


def test_no_two_actions_are_the_same_move(mapping, engine):
    role = engine.roles[0]
    moves = {mapping.move(role, index) for index in range(mapping.action_size)}
    assert len(moves) == mapping.action_size
    for index in (-1, mapping.action_size):
        with pytest.raises(EncodingError, match=str(index)):
            mapping.move(role, index)


@ANY
@given(seed=strategies.integers(0, 2**32))
def test_matches_stay_inside_the_tables(mapping, engine, wander, seed):
    for match in wander(engine, seed):
        mapping.state_vector(match.state)
        for role in match.roles:
            facts = match.view(role).facts
            vector = mapping.observe(facts, role)
            assert vector.shape == (mapping.observation_size,)
            assert set(np.unique(vector)) <= {0, 1}
            # No two facts of our games are sorted into the same class at the same time.
            assert vector.sum() == len(facts)
            legal = match.legal_moves(role)
            mask = mapping.action_mask(role, legal)
            assert {mapping.move(role, int(i)) for i in np.flatnonzero(mask)} == set(legal)


@ANY
@given(seed=strategies.integers(0, 2**32))
def test_hidden_facts_change_nothing(mapping, engine, wander, seed):
    if engine.game.information is not Information.STATE:
        pytest.skip('nothing is hidden in the state of this game')
    for match in wander(engine, seed):
        for role in match.roles:
            seen = engine.view(match.state, role)
            hidden = {f for f in match.state if name_of(f) == 'sees' and args_of(f)[0] != role}
            assert seen == match.state - hidden
            shown = mapping.observe(seen, role)
            assert (mapping.observe(match.state, role) == shown).all()


def test_batches_are_the_same_as_single_observations(mapping, engine, wander):
    matches = [(m.state, {r: m.view(r).facts for r in m.roles}) for m in wander(engine, 7)]
    facts = sorted({fact for state, _ in matches for fact in state}, key=str)
    rows = np.array([[fact in state for fact in facts] for state, _ in matches])
    for role in matches[0][1]:
        views = [view[role] for _, view in matches]
        expected = np.array([mapping.observe(view, role) for view in views])
        assert (mapping.observe_batch(views, role) == expected).all()
        if engine.game.information is not Information.PERCEPTS:
            columns = mapping.observation_columns(facts, role)
            assert (mapping.observe_rows(rows, columns) == expected).all()


def test_every_entry_has_a_name_of_its_own(mapping):
    names = [mapping.observation_name(i) for i in range(mapping.observation_size)]
    assert len(set(names)) == mapping.observation_size


def test_planes_hold_the_whole_observation(mapping, engine, wander):
    planes = mapping.planes()
    if planes is None:
        pytest.skip('this game has no board')
    cells = planes.table[planes.table[:, 0] >= 0]
    assert len(np.unique(cells, axis=0)) == len(cells)
    for match in wander(engine, 3):
        for role in match.roles:
            vector = mapping.observe(match.view(role).facts, role)
            board, rest = planes.split(vector)
            assert board.shape == planes.shape
            assert board.sum() + rest.sum() == vector.sum()
            batch, rests = planes.split(np.stack([vector, vector]))
            assert (batch[1] == board).all()
            assert (rests[1] == rest).all()
