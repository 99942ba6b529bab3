"""The list of moves of a game that hides something: what a player did, and has seen others do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytestmark = pytest.mark.ros

from gdl_msgs.msg import State  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402

from gdl_env.environment.environment import Environment  # noqa: E402
from gdl_env.environment.options import Options  # noqa: E402
from gdl_env.environment.protocol import Answer, Question  # noqa: E402
from gdl_env.gui.drawing.painter import Painter  # noqa: E402
from gdl_env.gui.frames import Frames, final_frame  # noqa: E402
from gdl_env.gui.study.history import GameHistory  # noqa: E402
from gdl_env.gui.views import find_view  # noqa: E402
from gdl_env.language.load import open_game  # noqa: E402
from gdl_env.ros.transport.messages import to_game_info, to_reward, to_state  # noqa: E402


class Place:
    """What the page of one role has of a match: all that the environment has sent it."""

    def __init__(self, environment: Environment, role: str) -> None:
        self.role = role
        self.frames = Frames(lead=1)
        self.info = to_game_info(environment.info())
        self._answered: dict[int, str] = {}

    def see(self, question: Question, move: str = '') -> None:
        """Take in what the role is shown, and what it answers."""
        data = serialize_message(to_state(question))
        self.frames.add(State, data, is_view=not question.is_decision)
        if question.is_decision:
            self._answered[question.tick] = move

    def move_before(self, tick: int) -> str:
        """Return what was answered just before a tick."""
        return self._answered.get(tick - 1, '')


def play(game: str, role: str, moves: dict[str, list[str]], seed: int) -> Place:
    """Play a game to its end, each role by its moves, and return what one of them has seen."""
    environment = Environment.open(open_game(game), Options(seed=seed, episodes=1))
    left = {name: iter(found) for name, found in moves.items()}
    place = Place(environment, role)
    while not environment.is_finished:
        answers = {}
        for question in environment.ask(lambda: environment.roles, with_text=True):
            move = next(left[question.role]) if question.is_decision else ''
            if question.is_decision:
                answers[question.role] = Answer(
                    question.tick, question.role, 'someone', None, (move,), None
                )
            if question.role == role:
                place.see(question, move)
        step = environment.step(answers)
        told = to_reward(step.feedback[role])
        if (frame := final_frame(told, place.info, {})) is not None:
            place.frames.add_final(frame)
    place.see(environment.question(role, with_text=True))
    environment.close()
    return place


def draw(game: str) -> Painter:
    rules = open_game(game)
    return Painter(game, [str(role) for role in rules.roles], rules, view=find_view(game)[0])


def words(game: str, place: Place) -> list[tuple[tuple[str, str], ...]]:
    link: Any = SimpleNamespace(
        **{'info': place.info, 'painter': draw(game), 'seats': {place.role: place}},
        **{'is_open': False, 'lives': 1, 'game': None},
    )
    history = GameHistory(link, place.role)
    found = [entry.words for entry in history.entries()]
    # Looked at again, it is the same.
    assert [entry.words for entry in history.entries()] == found
    return found


def test_a_move_is_listed_once_and_what_others_said_follows() -> None:
    place = play('kuhn_poker', 'alice', {'alice': ['bet'], 'bob': ['bet']}, seed=3)
    assert words('kuhn_poker', place) == [(), (('alice', 'bet a chip'),), (('', '2. bet'),)]
    place = play('kuhn_poker', 'alice', {'alice': ['pass', 'bet'], 'bob': ['bet']}, seed=3)
    assert words('kuhn_poker', place) == [
        *((), (('alice', 'pass'),), (('', '2. bet'),), (('alice', 'bet a chip'),)),
    ]


def test_the_move_that_ends_a_game_is_listed() -> None:
    moves = {'alice': ['(bid 1 2)', 'liar'], 'bob': ['(bid 1 3)']}
    found = words('liars_dice', play('liars_dice', 'alice', moves, seed=3))
    assert found[1:] == [
        (('alice', 'at least 1 showing 2'),),
        (('', '1 showing 3'),),
        (('alice', 'call liar'),),
    ]
    # There is nothing else to do after the highest bid, so no one is asked.
    moves = {'alice': ['(bid 1 2)'], 'bob': ['(bid 2 3)']}
    found = words('liars_dice', play('liars_dice', 'alice', moves, seed=3))
    assert sorted(found[-1]) == [('', '2 showing 3'), ('alice', 'liar!')]
    moves = {'candidate': ['(choose 1)', 'keep']}
    found = words('monty_hall', play('monty_hall', 'candidate', moves, seed=3))
    assert found == [(), (('candidate', 'door 1'),), (('candidate', 'keep your door'),)]


def test_own_cards_are_on_the_table_when_the_game_is_over() -> None:
    place = play('kuhn_poker', 'bob', {'alice': ['pass'], 'bob': ['pass']}, seed=3)
    painter = draw('kuhn_poker')
    _, last = place.frames.span
    final = place.frames.get(last - 1, place.info)
    assert final is not None and final.is_final
    table = painter.paint(final.facts, viewer='bob').table
    assert table is not None
    assert [card.is_up for card in table.seats[0].cards] == [True]
