"""Rules for players of others: plain GDL with the same games, in which everyone always moves."""

from __future__ import annotations

from random import Random
import re

import pytest

from gdl_agents.ggp.plain_rules import PlainRulesError, rules_for_others, write_plain_rules
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import game_from_text, open_game

# Capital letters, and everybody has a move already.
PLAIN = """
(role xPlayer) (role oPlayer) (init (control xPlayer)) (init (left 2))
(lower 2 1) (lower 1 0) (other xPlayer oPlayer) (other oPlayer xPlayer)
(<= (legal ?p take) (true (control ?p))) (<= (legal ?p noop) (true (control ?q)) (other ?p ?q))
(<= (next (left ?m)) (true (left ?n)) (lower ?n ?m))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (left 0)))
(<= (goal ?p 100) (true (control ?p))) (<= (goal ?p 0) (true (control ?q)) (other ?p ?q))
"""


@pytest.mark.parametrize('name', ['tictactoe', 'connect_four', 'nim', 'goofspiel(cards=3)'])
def test_plain_rules_are_the_same_game(name: str) -> None:
    random = Random(3)
    with open_engine(open_game(name)) as engine:
        text = write_plain_rules(engine)
        assert not re.search(r'\((add|sub|less|greater|count|type\w*) ', text)
        with open_engine(game_from_text(text, 'plain')) as plain:
            for _ in range(3):
                state, same = engine.initial_state, plain.initial_state
                while True:
                    assert engine.is_terminal(state) == plain.is_terminal(same)
                    assert state == same
                    if engine.is_terminal(state):
                        assert engine.goals(state) == plain.goals(same)
                        break
                    own = {
                        role: moves for role, moves in engine.legal_moves(state).items() if moves
                    }
                    legal = plain.legal_moves(same)
                    for role in plain.roles:
                        wanted = sorted(map(str, own.get(role, ()))) or ['noop']
                        assert sorted(map(str, legal[role])) == wanted
                    moves = {role: random.choice(found) for role, found in own.items()}
                    state = engine.next_state(state, moves)
                    full = {role: moves.get(role, legal[role][0]) for role in plain.roles}
                    same = plain.next_state(same, full)


def test_rules_that_are_plain_keep_their_form() -> None:
    with open_engine(game_from_text(PLAIN, 'plain')) as engine:
        text = write_plain_rules(engine)
    # Names as they are in messages: in lower case.
    assert '(role xplayer)' in text
    assert '(<= (legal ?p take) (true (control ?p)))' in text


def test_what_plain_gdl_cannot_say_is_sent_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    with open_engine(open_game('pig')) as engine:
        with pytest.raises(PlainRulesError, match='pig'):
            write_plain_rules(engine)
        assert rules_for_others(engine) == str(engine.game)
    assert 'pig' in caplog.text
