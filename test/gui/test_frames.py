"""What pages remember of a match: the newest, in order, and bounded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

from gdl_msgs.msg import GameInfo, Reward, Spectator, State
from rclpy.serialization import serialize_message

from gdl_env.gui.agent_evaluation import KEPT, MoveValues
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.ending import HOLD, EndingDisplay
from gdl_env.gui.frames import Frame, Frames, final_frame
from gdl_env.gui.table_state import TableState
from gdl_env.ros.transport.messages import to_duration

if TYPE_CHECKING:
    from gdl_env.gui.match_link import MatchLink

pytestmark = pytest.mark.ros

INFO = GameInfo(
    name='x', roles=['x', 'o'], lanes=1, moves=['a', 'b'], facts=['f', 'g', 'h'], action_size=2
)


def state(tick: int, **fields: Any) -> bytes:
    message = State(tick=tick, role='x', lanes=1, episode=[1], to_move=[1], **fields)
    return bytes(serialize_message(message))


def spectator(tick: int, episode: int = 1, **fields: Any) -> bytes:
    message = Spectator(tick=tick, lanes=1, episode=[episode], to_move=[1, 0], **fields)
    return bytes(serialize_message(message))


def ticks(frames: Frames) -> list[int]:
    first, last = frames.span
    return [frame.tick for n in range(first, last + 1) if (frame := frames.get(n, INFO))]


def test_facts_and_moves_come_as_text_or_by_the_tables() -> None:
    frames = Frames()
    frames.add(State, state(1, facts=['(p 1)'], legal_moves=['(m 1)']))
    newest = frames.newest(INFO)
    assert newest is not None and newest.facts == ('(p 1)',) and newest.legal == ('(m 1)',)
    frames.add(State, state(2, observation=[0b101], legal=[0b10], time_left=to_duration(5.0)))
    newest = frames.newest(INFO)
    assert newest is not None and newest.facts == ('f', 'h') and newest.legal == ('b',)
    assert newest.deadline > 0


def test_a_question_that_is_repeated_is_one_frame() -> None:
    frames = Frames()
    for tick in (1, 1, 2, 2, 2, 3):
        frames.add(State, state(tick))
    assert ticks(frames) == [1, 2, 3]


def test_spectators_see_positions_change_within_a_tick() -> None:
    frames = Frames()
    for facts in (['f'], ['f'], ['g'], ['g'], ['h']):
        frames.add(Spectator, spectator(3, facts=facts))
    found = [frames.get(number, INFO) for number in range(3)]
    assert [frame.facts for frame in found if frame] == [('f',), ('g',), ('h',)]
    assert frames.span == (0, 2)


def test_an_old_view_does_not_hide_the_question() -> None:
    frames = Frames()
    frames.add(State, state(4), is_view=True)
    frames.add(State, state(5))
    frames.add(State, state(4), is_view=True)
    assert ticks(frames) == [4, 5]
    # Questions are asked in their order: this is of another match.
    frames.add(State, state(4))
    assert ticks(frames) == [4]


def test_a_match_that_counts_from_the_beginning_replaces_the_old_one() -> None:
    frames = Frames()
    for tick in (40, 41, 1):
        frames.add(State, state(tick))
    assert ticks(frames) == [1]


def test_what_counts_from_the_beginning_is_of_the_match_that_is_told_of_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr('gdl_env.gui.frames.monotonic', lambda: now)
    frames = Frames()
    for tick in (40, 41, 1):
        frames.add(Spectator, spectator(tick))
        now += 0.1
    now += 5
    frames.forget()
    assert ticks(frames) == [1]
    now += 60
    frames.forget()
    assert ticks(frames) == []


def test_memory_is_bounded_and_numbers_go_on() -> None:
    frames = Frames(kept=10)
    for tick in range(1, 101):
        frames.add(Spectator, spectator(tick))
    assert frames.span == (90, 99)
    assert frames.get(89, INFO) is None and frames.get(100, INFO) is None
    assert ticks(frames) == list(range(91, 101))


def test_the_end_of_a_game_comes_before_the_next_one_begins() -> None:
    message = Reward(
        tick=7,
        role='x',
        lanes=1,
        episode=[1],
        goal=[100],
        terminated=[1],
        truncated=[0],
        final_observation=[0b010],
        move='(m 1)',
    )
    final = final_frame(message, INFO, {'x': 100})
    assert final is not None and final.facts == ('g',) and final.is_final
    after = {'goal': [100, 0], 'moves': ['(m 1)', '']}
    # Topics have no order among each other.
    for order in ('final first', 'spectator first'):
        frames = Frames()
        frames.add(Spectator, spectator(6))
        if order == 'final first':
            frames.add_final(final)
        frames.add(Spectator, spectator(7, 2, **after))
        if order != 'final first':
            frames.add_final(final)
        _, end, begin = (frames.get(n, INFO) for n in range(3))
        assert end is not None and end.is_final, order
        # The next position tells the goals of all, and they belong to the end.
        assert end.goals == {'x': 100, 'o': 0} and end.moves == {'x': '(m 1)'}
        assert begin is not None and begin.episode == 2 and begin.goals == {} == begin.moves


def test_a_game_that_goes_on_has_no_end() -> None:
    message = Reward(tick=7, role='x', lanes=1, episode=[1], terminated=[0], truncated=[0])
    assert final_frame(message, INFO, {}) is None


def test_the_end_of_a_match_is_shown_as_it_is_and_not_in_classes() -> None:
    frames = Frames(lead=1)
    frames.add(State, state(1, facts=['(eyes x 3)']))
    frames.add_final(Frame(1, 1, ('(eyes x few)',), goals={'x': 0}, is_final=True))
    over = State(tick=2, role='x', lanes=1, episode=[1], to_move=[0], facts=['(eyes x 14)'])
    frames.add(State, bytes(serialize_message(over)))
    _, last = frames.span
    final = frames.get(last - 1, INFO)
    assert final is not None and final.is_final
    assert (final.facts, final.goals) == (('(eyes x 14)',), {'x': 0})
    # Of a match that goes on, what follows is another game.
    frames = Frames(lead=1)
    frames.add_final(Frame(1, 1, ('(eyes x few)',), goals={'x': 0}, is_final=True))
    frames.add(State, state(2, facts=['(eyes x 0)']))
    final = frames.get(0, INFO)
    assert final is not None and final.facts == ('(eyes x few)',)


def test_nothing_is_there_before_anything_came() -> None:
    frames = Frames()
    assert frames.span == (0, -1)
    assert frames.newest(INFO) is None
    frames.add_final(Frame(1, 1, ()))
    frames.forget()
    assert frames.newest(INFO) is not None


def test_a_role_is_not_shown_what_spectators_are_if_something_is_hidden() -> None:
    spectators, own = Frames(), Frames()
    spectators.add(Spectator, spectator(1, facts=['f'], view=Spectator.VIEW_ALL))
    link = SimpleNamespace(
        frames=spectators, seats={'x': SimpleNamespace(frames=own)}, info=INFO, is_open=False
    )
    role, other = TableState(cast('MatchLink', link), 'x'), TableState(cast('MatchLink', link))
    # Nothing was told to the role yet.
    assert role.frame(None) is None
    assert other.frame(None) is not None
    link.is_open = True
    assert role.frame(None) is not None
    link.is_open = False
    own.add(State, state(1, facts=['g']))
    shown = role.frame(None)
    assert shown is not None and shown.facts == ('g',)


def test_a_role_is_told_how_all_ended() -> None:
    spectators, own = Frames(), Frames()
    own.add_final(Frame(7, 2, ('f',), goals={'x': 50}, is_final=True))
    link = SimpleNamespace(
        frames=spectators, seats={'x': SimpleNamespace(frames=own)}, info=INFO, is_open=True
    )
    role = TableState(cast('MatchLink', link), 'x')

    def goals() -> dict[str, int]:
        frame = role.frame(None)
        assert frame is not None
        return frame.goals

    spectators.add(Spectator, spectator(3, 1, goal=[0, 100]))
    assert goals() == {'x': 50}
    spectators.add(Spectator, spectator(7, 2, goal=[50, 50]))
    assert goals() == {'x': 50, 'o': 50}


def test_values_of_moves_belong_to_a_role_and_a_tick() -> None:
    values = MoveValues()
    values.add('x', 1, {'a': 3.0, 'b': 1.0})
    assert values.at(1, INFO.roles) == {'a': 3.0, 'b': 1.0} and not values.at(2, INFO.roles)
    # Another role thinks at the same time, and in other units.
    values.add('o', 1, {'b': 90.0, 'c': 80.0})
    assert values.at(1, ['x']) == {'a': 3.0, 'b': 1.0}
    assert values.at(1, INFO.roles) == {'a': 1.0, 'b': 1.0, 'c': 0.0}
    values.add('x', 2, {'c': 1.0})
    assert values.newest() == {'b': 1.0, 'c': 1.0}
    for tick in range(3, 3 + KEPT):
        values.add('x', tick, {'a': 1.0})
    assert not values.at(1, INFO.roles) and values.at(2 + KEPT, INFO.roles) == {'a': 1.0}
    values.clear()
    assert not values.newest()


def test_the_end_of_a_game_is_shown_for_a_while() -> None:
    frames, ending = Frames(), EndingDisplay(0.0)
    final = Frame(7, 1, ('f',), goals={'x': 100}, is_final=True)
    frames.add(Spectator, spectator(6))
    assert ending.choose_frame(frames, INFO, 60.0) is None
    frames.add_final(final)
    frames.add(Spectator, spectator(7, 2))
    # The next game has begun, and the one before took a minute.
    assert ending.choose_frame(frames, INFO, 60.1) == final
    assert ending.choose_frame(frames, INFO, 60.1 + HOLD - 0.1) == final
    assert ending.choose_frame(frames, INFO, 60.1 + HOLD + 0.1) is None
    # This one took a second only.
    frames.add_final(Frame(8, 2, ('g',), goals={'x': 0}, is_final=True))
    frames.add(Spectator, spectator(8, 3))
    assert ending.choose_frame(frames, INFO, 61.1 + HOLD) is not None
    assert ending.choose_frame(frames, INFO, 61.1 + HOLD + 1.5) is None
    frames.add_final(Frame(9, 3, ('g',), goals={'x': 0}, is_final=True))
    frames.add(Spectator, spectator(9, 4))
    assert ending.choose_frame(frames, INFO, 100.0) is not None
    ending.drop()
    assert ending.choose_frame(frames, INFO, 100.0) is None
    # Where nothing follows there is nothing to be held.
    frames.add(Spectator, spectator(10, 4, goal=[100, 0]))
    assert ending.choose_frame(frames, INFO, 200.0) is None


def test_the_first_position_of_a_game_is_drawn_without_a_look_at_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames = Frames()
    board = [f'(cell {row} {column} x)' for row in (1, 2, 3) for column in (1, 2, 3)]
    for tick in range(500):
        frames.add(Spectator, spectator(tick, 1, facts=board))
    frames.add(Spectator, spectator(500, 2, facts=board))
    painter = Painter('x', ('x', 'o'))
    link = SimpleNamespace(
        players={},
        **{'frames': frames, 'info': INFO, 'seats': {}, 'is_open': True, 'is_alive': True},
        **{'painter': painter, 'game': None, 'status': None, 'shared': None, 'trouble': ''},
        move_values=MoveValues(),
    )
    state = TableState(cast('MatchLink', link))
    assert state.make(None)['scene']['boards']
    looked: list[int] = []
    get = frames.get
    monkeypatch.setattr(frames, 'get', lambda n, info: looked.append(n) or get(n, info))
    assert state.make(None)['tick'] == 500
    assert len(looked) < 20, 'hundreds of positions are unpacked for one'
